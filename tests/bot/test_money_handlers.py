"""Handlers of choosing and money, from slots to typed answers, in both languages."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from bot.answers.memory.breakdown import breakdown
from bot.core.answers import Answer, Decline, Elicit
from bot.core.conversation import Conversation
from bot.core.request import Request
from bot.read.signs import hear
from bot.render import Renderer
from tests.bot.routed import answered_by
from tests.conftest import shared_assistant, shared_catalog

CATALOG, RENDERER = shared_catalog(), Renderer()
CNY_10K = {"amount": 10000, "currency": "CNY", "period": "once"}


def ask(intent: str, language: str = "zh", text: str = "", excluded: dict[str, Any] | None = None, **slots: Any) -> Any:
    request = Request(
        intent=intent,
        slots=slots,
        heard=hear(text),
        language=language,
        now=datetime(2026, 11, 21, 10, tzinfo=UTC),
        services=shared_assistant().services,
        conversation=Conversation(key="t"),
        excluded=excluded or {},
    )
    return answered_by(request)


def facts(outcome: Answer) -> dict[str, Any]:
    return {fact.name: fact.value for fact in outcome.facts}


def words(outcome: Any, language: str) -> str:
    if isinstance(outcome, Answer):
        rendered = RENDERER.answer(outcome, language)
        return f"{rendered.text}\n{rendered.details}"
    if isinstance(outcome, Decline):
        return RENDERER.decline(outcome, language).text
    return RENDERER.elicit(outcome, language).text


QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    ("recommend_gpu", {"model": ["bert-base-uncased"]}),
    ("recommend_gpu", {"task": "llm_finetune", "method": "lora", "persona": "student", "budget": CNY_10K}),
    ("recommend_gpu", {"model": ["llm-70b"], "method": "inference", "deploy": "rent"}),
    ("recommend_gpu", {"deploy": "laptop", "task": "general_dl"}),
    ("recommend_gpu", {"deploy": "laptop", "model": ["llm-70b"]}),
    ("recommend_gpu", {"vram_gb": 24}),
    ("recommend_gpu", {"gpu": ["RTX 3090"], "method": "train"}),
    ("recommend_gpu", {"gpu": ["A100"], "task": "cv"}),
    ("recommend_gpu", {"model": ["bert-base-uncased"], "budget": {"amount": 10, "currency": "CNY", "period": "once"}}),
    (
        "recommend_gpu",
        {"model": ["bert-base-uncased"], "budget": {"amount": 500, "currency": "CNY", "period": "month"}},
    ),
    ("recommend_gpu", {"gpu_family": "AMD", "task": "llm_inference"}),
    ("recommend_gpu", {"gpu_family": "RTX 40", "task": "cv"}),
    ("recommend_gpu", {"model": ["llm-7b"], "psu_w": 550}),
    ("recommend_gpu", {}),
    ("upgrade_or_not", {"gpu": ["RTX 2070"]}),
    ("upgrade_or_not", {"gpu": ["RTX 2080 Ti", "RTX 3090"]}),
    ("upgrade_or_not", {"gpu": ["GTX 1080 Ti"], "model": ["llm-7b"], "method": "lora"}),
    ("upgrade_or_not", {"gpu": ["RTX 3090 Ti", "RTX PRO 6000 Blackwell WS"], "task": "image_generation"}),
    ("upgrade_or_not", {"gpu": ["RTX 5090"]}),
    ("upgrade_or_not", {}),
    ("used_or_cheap", {"gpu": ["RTX 2080 Ti 22GB (mod)"]}),
    ("used_or_cheap", {"gpu": ["Tesla M40 24GB", "Tesla P40"]}),
    ("used_or_cheap", {"gpu": ["RTX 3090"], "price": {"amount": 5500, "currency": "CNY", "unit": "card"}}),
    ("used_or_cheap", {"gpu_family": "Tesla"}),
    ("used_or_cheap", {"budget": {"amount": 3000, "currency": "CNY", "period": "once"}}),
    ("vendor_choice", {"gpu_family": "AMD"}),
    ("vendor_choice", {"gpu": ["Ascend 910B"], "method": "train"}),
    ("vendor_choice", {"gpu": ["Apple M3 Max"], "model": ["llm-70b"], "ram_gb": 128}),
    ("vendor_choice", {"gpu_family": "TPU"}),
    ("vendor_choice", {}),
    ("rent_or_buy", {"gpu": ["RTX 4090"], "duration": {"amount": 8, "unit": "hour", "per": "day"}}),
    ("rent_or_buy", {"gpu": ["RTX 3090"], "utilization": 0.15}),
    ("rent_or_buy", {"task": "learning", "persona": "beginner"}),
    ("rent_or_buy", {"gpu": ["RTX 5090"], "price": {"amount": 2500, "currency": "USD", "unit": "card"}}),
    ("rent_or_buy", {"gpu": ["Ascend 910C"]}),
    ("rent_or_buy", {}),
    ("estimate_cost", {"gpu": ["RTX 4090"], "duration": {"amount": 1, "unit": "week"}}),
    ("estimate_cost", {"gpu": ["A100 80GB"], "gpu_count": 8, "duration": {"amount": 3, "unit": "day"}}),
    ("estimate_cost", {"gpu": ["RTX 3090"], "gpu_count": 4, "electricity_price": {"amount": 0.6, "currency": "CNY"}}),
    ("estimate_cost", {"gpu": ["TPU v3"], "duration": {"amount": 24, "unit": "hour"}}),
    ("estimate_cost", {"gpu": ["A100"]}),
    ("estimate_cost", {"provider": "colab"}),
    ("estimate_cost", {"model": ["llm-70b"], "duration": {"amount": 8, "unit": "hour", "per": "day"}}),
    ("estimate_cost", {}),
    ("carbon_footprint", {"gpu": ["RTX 3090"], "duration": {"amount": 1, "unit": "year"}}),
    ("carbon_footprint", {"gpu": ["RTX 4090"], "region": "Atlantis"}),
    ("carbon_footprint", {"gpu": ["TPU v3"]}),
    ("carbon_footprint", {}),
]


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize(("intent", "slots"), QUESTIONS, ids=lambda part: str(part)[:70])
def test_every_shape_of_outcome_has_words(intent, slots, language):
    text = words(ask(intent, language, text="", **slots), language)
    assert text.strip()
    assert "{{" not in text
    assert "None" not in text


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_group_reads_few_lines(language):
    for intent, slots in QUESTIONS:
        outcome = ask(intent, language, **slots)
        if isinstance(outcome, Answer):
            body = RENDERER.brief(outcome, language)
            assert len([line for line in body.splitlines() if line.strip()]) <= 10, (intent, slots)


def test_which_gpu_for_bert_says_need_pick_and_assumptions():
    outcome = ask("recommend_gpu", "en", model=["bert-base-uncased"])
    assert isinstance(outcome, Answer)
    assumed = {item.slot: item.value for item in outcome.assumptions}
    assert assumed["batch"] == 16
    assert assumed["seq_len"] == 128
    assert assumed["method"] == "full"
    assert facts(outcome)["vram_needed"] < 8
    assert outcome.sources
    details = RENDERER.answer(outcome, "en").details
    for part in breakdown(outcome.result.requirement.breakdown):
        assert f"{part.value:.3g}" in details


def test_a_student_with_ten_thousand_yuan_gets_a_card_of_24_gb():
    outcome = ask("recommend_gpu", task="llm_finetune", method="lora", persona="student", budget=CNY_10K)
    assert facts(outcome)["pick_vram"] >= 24
    assert facts(outcome)["pick_price"] <= 10000
    assert facts(outcome)["other_way"]


def test_ten_yuan_are_declined_with_the_nearest_thing():
    outcome = ask(
        "recommend_gpu", model=["bert-base-uncased"], budget={"amount": 10, "currency": "CNY", "period": "once"}
    )
    assert isinstance(outcome, Decline)
    assert outcome.nearest


def test_nothing_known_asks_for_the_task():
    outcome = ask("recommend_gpu")
    assert isinstance(outcome, Elicit)
    assert outcome.slot == "task"
    assert len(outcome.values) <= 6


def test_second_hand_is_left_out_when_not_wished():
    outcome = ask("recommend_gpu", budget=CNY_10K, task="cv", excluded={"pricing_model": ("purchase_used",)})
    assert outcome.result.picks
    assert all(pick.option.quote.terms != "purchase_used" for pick in outcome.result.picks)


def test_a_weekly_bill_is_168_hours_of_the_price():
    found = facts(ask("estimate_cost", gpu=["RTX 4090"], duration={"amount": 1, "unit": "week"}))
    assert found["gpu_hours"] == 168
    assert found["rental_cost"] == pytest.approx(168 * found["price_per_gpu_hour"], rel=1e-3)


def test_the_users_price_is_the_one_that_counts():
    price = {"amount": 0.49, "currency": "USD", "unit": "hour"}
    found = facts(ask("estimate_cost", "en", gpu=["RTX A5000"], price=price, duration={"amount": 4, "unit": "hour"}))
    assert found["rental_cost"] == pytest.approx(1.96)


def test_a_price_nobody_knows_is_asked_for():
    outcome = ask("estimate_cost", "en", gpu=["TPU v3"], duration={"amount": 24, "unit": "hour"})
    assert isinstance(outcome, Elicit)
    assert outcome.slot == "price"


def test_the_2020_example_stands_beside_the_break_even():
    outcome = ask("rent_or_buy", "en", gpu=["RTX 3090"], utilization=0.15)
    details = RENDERER.answer(outcome, "en").details
    for figure in ("300", "293", "439", "126", "73.2", "879"):
        assert figure in details
    assert outcome.chart is not None
    assert {name for name, _ in outcome.chart.series} == {"rent", "buy"}


def test_both_chinese_carbon_figures_are_told():
    outcome = ask("carbon_footprint", gpu=["RTX 3090"], duration={"amount": 1, "unit": "year"})
    text = RENDERER.answer(outcome, "zh").text
    assert "537" in text
    assert "582" in text


def test_old_advice_about_the_2080_ti_is_shown_with_its_year():
    outcome = ask("upgrade_or_not", "en", text="I have a 2080 Ti, upgrade to 3090?", gpu=["RTX 2080 Ti", "RTX 3090"])
    assert outcome.headline[0].say == "up.memory_alone"
    assert "2020" in RENDERER.answer(outcome, "en").details


def test_an_unknown_card_gets_the_nearest_names():
    outcome = ask("used_or_cheap", "en", gpu=["RTX 4085"])
    assert isinstance(outcome, Decline)


@pytest.mark.parametrize("intent", sorted({intent for intent, _ in QUESTIONS}))
def test_every_number_shown_first_has_a_fact_or_a_trail(intent):
    for name, slots in QUESTIONS:
        if name != intent:
            continue
        outcome = ask(intent, "en", **slots)
        if isinstance(outcome, Answer) and intent != "vendor_choice":
            assert outcome.facts or outcome.told.passages
            assert outcome.trace or not outcome.facts or intent == "used_or_cheap"
