"""Each part of a message that asks for a need of its own is an Ask, joined in whatever way and in both orders."""

from __future__ import annotations

import itertools

import pytest

from bot.core.question import Form
from bot.read.reader import Reader
from tests.conftest import shared_assistant

EN = {
    "check_fit": "will a 3090 run a 13B in int8",
    "estimate_cost": "how much would renting an A100 for 20 hours cost",
    "price_lookup": "what does a 4090 cost now",
    "power_supply": "what PSU do I need for two 3090s",
    "estimate_time": "how long does resnet50 on imagenet take on a 4090",
    "estimate_memory": "how much vram does a 7B lora take",
    "gpu_specs": "what is the memory bandwidth of an L40S",
    "interconnect": "do I need nvlink for two 3090s",
    "gpu_count": "how many A100s do I need for a 70B full fine-tune",
}
ZH = {
    "check_fit": "24G能跑qwen2.5-14b吗",
    "estimate_cost": "租A100跑20小时要花多少钱",
    "price_lookup": "4090现在多少钱",
    "power_supply": "两张3090要多大的电源",
    "estimate_memory": "7b lora要多少显存",
    "gpu_specs": "L40S显存带宽多少",
    "compare_gpus": "A100和H100哪个快",
    "cuda_compat": "5090要装哪个版本的cuda",
    "rent_or_buy": "4090租还是买划算",
}
JOINS = {
    "en": (", and ", " and ", "? Also, ", ", also ", "? And ", "; plus, "),
    "zh": ("，", "，另外", "，顺便问下", "？还有", "，还有", " ", "。另外想问下"),
}
BARS = {"en": 0.95, "zh": 0.9}


@pytest.fixture(scope="module")
def reader() -> Reader:
    found = shared_assistant().understander
    assert isinstance(found, Reader)
    return found


@pytest.mark.parametrize(("language", "asked"), [("en", EN), ("zh", ZH)])
def test_two_questions_of_one_message_are_two_asks(reader: Reader, language: str, asked: dict[str, str]) -> None:
    pairs = list(zip(itertools.permutations(asked, 2), itertools.cycle(JOINS[language])))
    found = [
        [ask.need for ask in reader.read(f"{asked[first]}{join}{asked[second]}").asks] == [first, second]
        for (first, second), join in pairs
    ]
    assert sum(found) >= BARS[language] * len(found), [
        pair for pair, good in zip(pairs, found, strict=True) if not good
    ]


def test_an_ask_has_need_form_and_place(reader: Reader) -> None:
    text = "is a 3090 enough for a 13B in int8, and how much would renting one for 20 hours cost?"
    fit, cost = reader.read(text).asks
    assert (fit.need, fit.form, cost.need, cost.form) == (
        "check_fit",
        Form.WHETHER,
        "estimate_cost",
        Form.HOW_MUCH_MONEY,
    )
    assert text[fit.span.start : fit.span.end].startswith("is a 3090 enough")
    assert text[cost.span.start : cost.span.end].endswith("20 hours cost?")


@pytest.mark.parametrize(
    "text",
    [
        "should I buy a 4090 or rent one?",
        "which is better for a 70B, a 4090 or a 5090?",
        "我有两张3090，能跑70b吗",
        "does a 13B fit on a 3090 and a 4090?",
    ],
)
def test_one_question_is_one_ask(reader: Reader, text: str) -> None:
    assert len(reader.read(text).asks) == 1
    assert reader.understand(text).asks == ()
