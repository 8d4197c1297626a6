"""Names that no list holds are told as unknown where a card or a model is asked about, and nowhere else."""

from __future__ import annotations

import pytest

from bot.understand.recognise import Understander


def read(understander: Understander, text: str, slot: str) -> list[tuple[str, bool]]:
    """The values of a slot in a text, each with whether the catalogue has it."""
    return [(str(one.value), one.known) for one in understander.understand(text).slots if one.slot == slot]


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("H1000 \u663e\u5b58\u591a\u5927", "H1000"),
        ("what can i run on my H1000", "H1000"),
        ("is a Quadro K620 enough for a 7B", "Quadro K620"),
        ("Radeon Pro W7700 \u73b0\u5728\u8fd8\u503c\u5f97\u4e70\u5417", "Radeon Pro W7700"),
        ("\u7528 V900 \u8dd1 7B \u884c\u5417", "V900"),
        ("T9000 24g \u663e\u5b58\u591a\u5927", "T9000"),
        ("RTX 4050 \u53f0\u5f0f \u663e\u5b58\u591a\u5927", "RTX 4050 Desktop"),
    ],
)
def test_a_card_that_no_list_holds_is_read_as_unknown(understander: Understander, said: str, name: str) -> None:
    assert read(understander, said, "gpu") == [(name, False)]


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("4090 \u80fd\u8dd1 sd9 \u5417", "sd9"),
        ("does sd9 fit on a 4090?", "sd9"),
        ("yolo13n \u9700\u8981\u591a\u5c11\u663e\u5b58", "yolo13n"),
        ("how much vram for yolo13n inference", "yolo13n"),
        ("4090 \u80fd\u8dd1 foobarx \u5417", "foobarx"),
    ],
)
def test_a_model_that_no_list_holds_is_read_as_unknown(understander: Understander, said: str, name: str) -> None:
    assert read(understander, said, "model") == [(name, False)]


@pytest.mark.parametrize(
    "said",
    [
        "B650 \u4e3b\u677f\u80fd\u63d2\u4e24\u5f20 4090 \u5417",
        "\u8dd1 r16 \u7684 lora \u8981\u591a\u5c11\u663e\u5b58",
        "4090 \u88c5 cuda12.4 \u884c\u5417",
        "v100 \u80fd\u8dd1 unsloth \u5417",
        "4090 \u8dd1 h265 \u7f16\u7801\u591a\u5feb",
        "can i run it overnight on a 4090",
        "tesla fp16 \u6027\u80fd\u600e\u4e48\u6837",
        "i run zero3 on 8 a100",
    ],
)
def test_words_of_other_things_are_no_unknown_names(understander: Understander, said: str) -> None:
    slots = understander.understand(said).slots
    assert [one.value for one in slots if one.slot in ("gpu", "model") and not one.known] == []


def test_an_unknown_name_beside_a_known_card_is_no_other_record(understander: Understander) -> None:
    assert ("H1000", False) in read(understander, "H1000 vs 4090 \u8dd1 7B", "gpu")
    assert ("RTX 4090", True) in read(understander, "H1000 vs 4090 \u8dd1 7B", "gpu")
    assert read(understander, "4050 \u7b14\u8bb0\u672c \u663e\u5b58\u591a\u5927", "gpu") == [("RTX 4050 Laptop", True)]
