"""What is worked out from the numbers of a message: every formula from a sentence, follow-ups, numbers that cannot be."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from advisor.calculators import FORMULAS, QUANTITIES, Given, solve
from bot.answers.sums.needs import NEEDS
from bot.answers.sums.tell import TELLS
from tests.conftest import NOW, make_message

if TYPE_CHECKING:
    from bot.core.message import Reply
    from bot.pipeline import Assistant

EXAMPLES = yaml.safe_load(Path("bot/lexicon/sum_examples.yaml").read_text("utf-8"))


def talk(assistant: Assistant, *lines: str) -> list[Any]:
    """The replies to lines of one conversation."""
    state, replies = None, []
    for line in lines:
        reply, state = assistant.respond(make_message(line, chat_type="group"), state, NOW)
        replies.append(reply)
    return replies


@dataclass(frozen=True, slots=True)
class Example:
    """An example in one language and what was answered."""

    place: str
    unknown: str
    value: float
    language: str
    reply: Reply
    steps: frozenset[tuple[str, str]]
    """Name and working of each step of its trail."""


@pytest.fixture(scope="module")
def examples(assistant: Assistant) -> list[Example]:
    """Every example in both languages, asked once for all that is looked for in them."""
    asked = ((place, one, language) for place, one in enumerate(EXAMPLES, 1) for language in ("zh", "en"))
    return [_asked(assistant, f"{place} {one['unknown']} {language}", one, language) for place, one, language in asked]


def _asked(assistant: Assistant, place: str, example: dict[str, Any], language: str) -> Example:
    explained = assistant.explain(make_message(example[language], chat_type="group"), None, NOW)
    steps, todo = set(), list(getattr(explained.outcome, "trace", ()))
    while todo:
        step = todo.pop()
        steps.add((step.name, step.how))
        todo += step.inputs
    value = float(example["value"])
    return Example(place, example["unknown"], value, language, explained.reply, frozenset(steps))


def test_every_example_is_answered_by_its_unknown(examples: list[Example]) -> None:
    found = {
        one.place: {fact.name: float(fact.value) for fact in one.reply.facts if fact.name == one.unknown}
        for one in examples
    }
    wanted = {one.place: {one.unknown: pytest.approx(one.value, rel=0.01)} for one in examples}
    wrong = {place: (told, wanted[place]) for place, told in found.items() if told != wanted[place]}
    assert not wrong
    assert len(found) == 2 * len(EXAMPLES) > 900


def test_every_example_is_answered_in_its_language(examples: list[Example]) -> None:
    assert [(one.place, one.reply.text) for one in examples if one.reply.language != one.language] == []


def test_every_formula_is_reached_from_a_sentence(examples: list[Example]) -> None:
    reached = frozenset().union(*(one.steps for one in examples))
    assert {(one.gives, one.working) for one in FORMULAS} - reached == set()


def test_every_unknown_serves_a_need_and_has_a_sentence(assistant: Assistant) -> None:
    served = {unknown for unknowns in NEEDS.values() for unknown in unknowns}
    for unknown in {example["unknown"] for example in EXAMPLES}:
        assert unknown in served
        for sentences in assistant.renderer.sentences.values():
            codes = [code for code in sentences.texts if code == f"sum.{unknown}" or code.startswith(f"sum.{unknown}.")]
            assert codes
            for code in codes:
                assert sentences.needs(code) <= {*TELLS.get(unknown, (unknown,)), "figure"}


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("租一张卡每小时 3 元，每天开 31 小时，跑 10 天，一共多少钱", "31"),
        ("单价 3 元一小时，30 天里利用率 400%，账单多少", "400"),
        ("$3 an hour, 31 hours a day for 10 days, what is the bill?", "31"),
        ("$3 an hour billed by use, busy 250% of the time for 30 days, what is the bill?", "250"),
    ],
)
def test_numbers_that_cannot_be_are_asked_about(assistant: Assistant, line: str, named: str) -> None:
    (reply,) = talk(assistant, line)
    assert named in reply.text.splitlines()[0]
    assert not reply.facts  # nothing was computed with it


@pytest.mark.parametrize(
    ("lines", "figure"),
    [
        (("租 4 张卡，每张每小时 3 元，连着跑 5 天不停，一共多少钱", "跑 10 天呢"), "2,880"),
        (("租 4 张卡，每张每小时 3 元，连着跑 5 天不停，一共多少钱", "要是 8 张卡呢"), "2,880"),
        (("4 GPUs at $3 per GPU-hour for 5 days nonstop, what is the bill?", "and at $2 per GPU-hour?"), "960"),
        (("4 GPUs at $3 per GPU-hour for 5 days nonstop, what is the bill?", "what about another 5 days?"), "2,880"),
        (("30 GB of weights on a 24 GB card, does it fit?", "and on a 48 GB card?"), "Yes"),
    ],
)
def test_a_follow_up_goes_on_with_the_sum(assistant: Assistant, lines: tuple[str, ...], figure: str) -> None:
    assert figure in talk(assistant, *lines)[-1].text.splitlines()[0]


def test_a_complete_question_stands_alone(assistant: Assistant) -> None:
    alone = talk(assistant, "$3 an hour, 5 hours a day for 2 weeks, total cost?")[0]
    after = talk(
        assistant,
        "8 cards at $9 per GPU-hour for 3 days nonstop, what is the bill?",
        "$3 an hour, 5 hours a day for 2 weeks, total cost?",
    )[1]
    assert alone.text == after.text


def test_what_no_sum_used_is_named(assistant: Assistant) -> None:
    (reply,) = talk(assistant, "两张卡每张 300W，CPU 200W，其余 100W，内存 64GB，1200W 电源够不够")
    assert "64GB" in reply.text
    assert reply.text.splitlines()[0].strip("*").startswith("够")


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("12万張圖,每張310KB,一次全放進32GB的記憶體,放得下嗎?", "装不下：一共 37.2 GB"),
        ("插座是220V 10A,三台机器满载各600W都插这里,行吗?", "1,800 W"),
        ("两个1600W电源均摊,每个最多用到75%,整机满载2500W,够吗?", "2,400 W"),
        ("4卡ring all-reduce,梯度4GB,每卡单向带宽20GB/s,同步一次大概几秒?", "约 0.3 秒"),
        ("KV cache is 128 KiB per token and there are 12 GiB for it. At 4,096 tokens per user, how many users?", "24"),
        ("We've got a week, and it would take 380 hours on one card. How many cards?", "3 cards"),
        ("显存带宽1008GB/s,权重14GB,单路按带宽算每秒最多几个token?", "72"),
        ("Each loader worker eats 2.5 GB and I run 6 of them. How much RAM do the workers need?", "15 GB"),
    ],
)
def test_the_sum_that_is_asked_for_says_what_each_number_is(assistant: Assistant, question: str, first: str) -> None:
    (reply,) = talk(assistant, question)
    assert first in reply.text.splitlines()[0]


@pytest.mark.parametrize(
    ("question", "first", "other"),
    [
        ("p4d.24xlarge (8x A100 40GB) at $32.77/hr, 3 hours, my cap is $90, does it stay under?", "No: $98.31", ""),
        ("租 4090 每小时 2 块或者 3 块，跑 100 小时，250 块够不够", "够：一共 ¥200", "¥300"),
        ("8卡A100整机 90元/小时 跑 10 小时 预算 1000 够吗", "够：一共 ¥900", ""),
        ("my box draws 800 W at the wall, on half the time, 0.30 €/kWh, per month?", "€87.60", ""),
        ("500 W at the wall, 8 hours a day for 30 days at 0.30 or 0.40 per kWh, what is the bill?", "$36", "$48"),
    ],
)
def test_every_price_and_limit_that_was_said_counts(
    assistant: Assistant, question: str, first: str, other: str
) -> None:
    (reply,) = talk(assistant, question)
    headline, _, rest = reply.text.partition("\n")
    assert first in headline, reply.text
    assert other in rest
    assert "Not used" not in rest
    assert "没用上" not in rest


def test_runs_are_kept_whole_on_their_cards(assistant: Assistant) -> None:
    (reply,) = talk(assistant, "One run = 62 hours on 2 A6000; 5 seeds, deadline in 9 days. How many A6000s do I need?")
    assert "4 cards" in reply.text.partition("\n")[0], reply.text
    assert value("cards_for_runs", runs=6, run_hours=40, deadline_hours=72) == 6
    assert solve("cards_for_runs", [Given("runs", 6), Given("run_hours", 80), Given("deadline_hours", 72)]) is None


def test_the_grid_that_is_named_is_counted(assistant: Assistant) -> None:
    sweden, poland = (
        talk(assistant, f"16 H100 for 230 hours, averaged 610W each, PUE 1.12, {grid}. kg of CO2eq?")[0]
        for grid in ("Swedish grid", "Polish grid")
    )
    kg = [next(fact.value for fact in reply.facts if fact.name == "kg") for reply in (sweden, poland)]
    assert kg[1] == pytest.approx(kg[0] * 662 / 41)
    assert "2023" in sweden.text


# --- laws of the sums themselves -----------------------------------------------------------------------------------------


def value(unknown: str, **given: float) -> float:
    found = solve(unknown, [Given(name, one) for name, one in given.items()])
    assert found is not None
    return found.value


def test_bills_are_linear_and_zero_is_a_value() -> None:
    base = value("bill", cards=3, rent_card_hour=2.0, hours_day=5, days=7)
    assert value("bill", cards=6, rent_card_hour=2.0, hours_day=5, days=7) == 2 * base
    assert value("bill", cards=3, rent_card_hour=2.0, hours_day=5, weeks=1) == base
    assert value("bill", rent_card_hour=2.0, days=7, utilization=0.0) == 0


def test_more_money_buys_no_fewer_hours() -> None:
    hours = [value("hours_affordable", budget=budget, rent_card_hour=2.5) for budget in (100, 200, 1000)]
    assert hours == sorted(hours)


def test_a_reading_at_the_wall_is_the_whole_machine() -> None:
    assert value(
        "power_cost", cards=4, card_w=280, wall_w=1800, kwh_price=0.85, hours_day=14, span_days=30
    ) == pytest.approx(642.6)


def test_bounds_are_sane() -> None:
    for quantity in QUANTITIES.values():
        assert quantity.low < quantity.high
        assert quantity.default is None or quantity.low <= quantity.default <= quantity.high
