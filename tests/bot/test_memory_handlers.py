"""The three memory intents, from slots to words, in both languages."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, ClassVar

import pytest

from bot.core.answers import Answer, Decline, Elicit, Outcome
from bot.core.conversation import Conversation
from bot.core.line import Table
from bot.core.request import Request
from bot.read.signs import hear
from bot.render import Renderer
from tests.advisor.memory_jobs import catalog
from tests.bot.routed import answered_by


class _Library:
    sources: ClassVar[dict[str, Any]] = {}
    requirement_rows: ClassVar[tuple[Any, ...]] = ()


class _Services:
    catalog = catalog()
    library = _Library()


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    return Renderer()


def ask(intent: str, **slots: Any) -> Outcome:
    request = Request(
        intent=intent,
        slots=slots,
        heard=hear(""),
        language="zh",
        now=datetime(2026, 11, 21, tzinfo=UTC),
        services=_Services(),  # a stand-in with the two rooms the handlers read
        conversation=Conversation(key="t"),
    )
    outcome: Outcome = answered_by(request)
    return outcome


def answered(intent: str, **slots: Any) -> Answer:
    outcome = ask(intent, **slots)
    assert isinstance(outcome, Answer)
    return outcome


SHAPES: list[tuple[str, dict[str, Any]]] = [
    ("estimate_memory", {"model": ["bert-base-uncased"], "method": "full"}),
    ("estimate_memory", {"model": ["llm-7b"]}),
    ("estimate_memory", {"model": ["llm-7b"], "method": "full", "gpu": ["RTX 3090"]}),
    ("estimate_memory", {"model": ["llm-8b", "llm-12b"]}),
    ("estimate_memory", {"model": ["bert-base-uncased"], "batch": 32, "vram_gb": 11}),
    ("estimate_memory", {"task": "llm_finetune"}),
    ("estimate_memory", {"task": "object_detection"}),
    ("estimate_memory", {"model": ["Llama-3-70B"], "method": "full"}),
    ("estimate_memory", {"model": ["sus-chat-34b"]}),
    ("check_fit", {"gpu": ["RTX 4090"], "model": ["Qwen2.5-14B"]}),
    ("check_fit", {"gpu": ["RTX 4090"], "model": ["Qwen2.5-14B"], "method": "lora"}),
    ("check_fit", {"gpu": ["RTX 3070"], "model": ["llm-70b"], "method": "full"}),
    ("check_fit", {"gpu": ["RTX 3090"]}),
    ("check_fit", {"gpu": ["RTX 3090"], "gpu_count": 2, "method": "inference"}),
    ("check_fit", {"gpu": ["RTX 4090"], "gpu_count": 8, "model": ["DeepSeek-V3"]}),
    ("check_fit", {"gpu": ["A100", "RTX 4090"], "model": ["llm-7b"], "seq_len": 65536, "task": "llm_finetune"}),
    ("check_fit", {"gpu": ["Apple M3 Pro"], "ram_gb": 36, "model": ["llm-7b"]}),
    ("check_fit", {"gpu": ["Apple M3 Pro"], "model": ["llm-7b"]}),
    ("check_fit", {"cpu": "i7", "ram_gb": 32, "model": ["llm-7b"]}),
    ("check_fit", {"vram_gb": 8, "model": ["yolov8m"], "method": "train"}),
    ("check_fit", {"vram_gb": 8, "task": "image_generation"}),
    ("reduce_memory", {}),
    ("reduce_memory", {"gpu": ["RTX 3090"], "model": ["llm-7b"], "method": "full"}),
    ("reduce_memory", {"task": "image_generation", "vram_gb": 6}),
    ("reduce_memory", {"task": "object_detection", "gpu": ["GTX 1660"]}),
    ("reduce_memory", {"model": ["llm-70b"], "method": "inference", "gpu": ["RTX 4090"]}),
    ("reduce_memory", {"model": ["bert-base-uncased"], "gpu": ["RTX 4090"]}),
    ("reduce_memory", {"model": ["Llama-3-70B"], "method": "full", "gpu": ["RTX 3070"]}),
]


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize(("intent", "slots"), SHAPES)
def test_every_shape_is_worded(renderer: Renderer, intent: str, slots: dict[str, Any], language: Any) -> None:
    answer = answered(intent, **slots)
    rendered = renderer.answer(answer, language)
    body = rendered.text.split("\n> ")[0]
    assert len([line for line in body.splitlines() if line.strip()]) <= 9
    assert "GiB" in rendered.text or answer.choices
    assert rendered.details
    for note in answer.notes:
        assert renderer.note(note, language)


def test_the_breakdown_adds_up_to_the_headline() -> None:
    answer = answered("estimate_memory", model=["Qwen2.5-7B"], method="lora")
    parts = sum(float(step.value) for step in answer.result.components)
    assert answer.facts[0].name == "vram_needed"
    assert parts == pytest.approx(answer.facts[0].value)


def test_a_model_without_a_method_is_answered_by_a_ladder() -> None:
    answer = answered("estimate_memory", model=["Qwen2.5-7B"])
    ways = [row[0].values["way"] for block in answer.blocks if isinstance(block, Table) for row in block.rows]
    assert [way.values["format"].code for way in ways[:3]] == ["int4", "int8", "fp16"], "the usual way first"
    assert [way.say for way in ways[:3]] == ["way.run"] * 3
    assert [way.values["method"].code for way in ways[3:]] == ["qlora", "qlora", "lora", "full"]
    assert answer.headline[0].values["way"].values["way"] == ways[0]


def test_what_was_assumed_is_said() -> None:
    answer = answered("estimate_memory", model=["bert-base-uncased"], method="full")
    assert {one.slot for one in answer.assumptions} >= {"precision", "batch", "seq_len"}


def test_stated_batch_is_no_assumption() -> None:
    answer = answered("estimate_memory", model=["bert-base-uncased"], method="full", batch=32)
    assert "batch" not in {one.slot for one in answer.assumptions}


def test_nothing_known_asks_for_the_model() -> None:
    outcome = ask("estimate_memory")
    assert isinstance(outcome, Elicit)
    assert outcome.slot == "model"


def test_a_job_without_a_card_asks_for_the_card() -> None:
    outcome = ask("check_fit", model=["llm-7b"])
    assert isinstance(outcome, Elicit)
    assert outcome.slot == "gpu"


def test_an_unknown_model_with_a_size_is_taken_as_a_typical_one_and_said() -> None:
    answer = answered("check_fit", model=["acme-34b-chat"], gpu=["A100 80GB"], method="inference")
    assert "memory_model_stand_in" in {note.code for note in answer.notes}


def test_an_unknown_model_without_a_size_is_declined_with_near_names() -> None:
    outcome = ask("estimate_memory", model=["yolor"])
    assert isinstance(outcome, Decline)
    assert outcome.reason.code == "unknown_ml_model"


def test_an_unknown_card_is_declined() -> None:
    outcome = ask("check_fit", gpu=["RTX 9999"], model=["llm-7b"])
    assert isinstance(outcome, Decline)
    assert outcome.reason.code == "unknown_gpu"


def test_the_impossible_is_a_clear_no_with_what_works() -> None:
    answer = answered("check_fit", gpu=["RTX 3070"], model=["llm-70b"], method="full")
    said = {line.say: line.values for line in answer.lines}
    assert said.keys() >= {"fit.hopeless", "fit.nearest", "fit.as_asked"}
    assert said["fit.nearest"]["held"].say == "rows.from", "QLoRA on a card that holds it"
    assert said["fit.as_asked"]["split"].values["cards"].values["n"] >= 8


def test_the_easiest_trick_is_offered_when_it_does_not_fit() -> None:
    answer = answered("check_fit", gpu=["RTX 4090"], model=["Qwen2.5-14B"], method="lora")
    assert answer.result.verdict.value == "no"
    assert [line.values["steps"].code for line in answer.lines if line.say == "fit.easiest"] == ["trick_qlora"]
    assert "set:method=qlora" in {choice.key for choice in answer.choices}


def test_verdict_comes_first_in_the_words(renderer: Renderer) -> None:
    answer = answered("check_fit", gpu=["RTX 4090"], model=["Qwen2.5-14B"], method="lora")
    assert renderer.answer(answer, "zh").text.startswith("**跑不了")
    assert renderer.answer(answer, "en").text.startswith("**No")


@pytest.mark.parametrize(
    ("slots", "code"),
    [
        ({"model": ["llm-7b"], "method": "full", "precision": "int4"}, "memory_refused_full_quantised"),
        ({"model": ["yolov8m"], "method": "lora"}, "memory_refused_vision_adapter"),
        ({"model": ["llm-7b"], "batch": 0}, "memory_out_of_range"),
        ({"model": ["llm-7b"], "gpu_count": 200_000, "method": "lora"}, "memory_out_of_range"),
    ],
)
def test_bad_input_is_declined_in_words(renderer: Renderer, slots: dict[str, Any], code: str) -> None:
    outcome = ask("estimate_memory", **slots)
    assert isinstance(outcome, Decline)
    assert outcome.reason.code == code
    assert renderer.decline(outcome, "zh").text
    assert renderer.decline(outcome, "en").text


def test_choices_fit_into_a_button() -> None:
    for intent, slots in SHAPES:
        outcome = ask(intent, **slots)
        assert all(len(choice.key.encode()) <= 40 and choice.key.isascii() for choice in outcome.choices)


def test_the_2020_trick_row_stands_in_the_trail() -> None:
    answer = answered("reduce_memory", model=["llm-7b"], method="lora", gpu=["RTX 3060 12GB"])
    assert any("002-149" in step.rows for step in answer.trace)


def test_the_dissent_about_ten_gigabytes_is_named() -> None:
    assert answered("estimate_memory", model=["bert-base-uncased"], method="full").conflicts == ("E43",)
