"""Budgets, currencies and ways said in a few words, and clauses that each ask something."""

from __future__ import annotations

from typing import Any

import pytest

from bot.core.conversation import HeldSlot
from bot.dialogue.ground import Ground
from bot.dialogue.means import asks_cheaper, named_currency, read_allowed, read_way, settle_currency
from bot.dialogue.slots import Stated
from bot.pipeline import Assistant


def ground(intent: str = "recommend_gpu", language: str = "en", **earlier: Any) -> Ground:
    held = {slot: HeldSlot(value=value) for slot, value in earlier.items()}
    return Ground(earlier=held, uses=frozenset({"budget", "model"}), intent=intent, language=language)


@pytest.mark.parametrize(
    ("text", "number", "language", "budget"),
    [
        ("1500", (1500.0, ""), "en", (1500, "USD")),
        ("3000", (3000.0, ""), "zh", (3000, "CNY")),
        ("under 150", (150.0, ""), "en", (150, "USD")),
        ("70", (70.0, ""), "en", None),
        ("405", (405.0, ""), "en", None),
    ],
)
def test_a_number_after_a_choice_is_what_may_be_spent(
    text: str, number: tuple[float, str], language: str, budget: tuple[int, str] | None
) -> None:
    found = read_allowed(text, number, ground(language=language))
    assert (found and (found["amount"], found["currency"])) == budget


def test_a_number_alone_is_no_budget_where_no_choice_waits_for_one() -> None:
    assert read_allowed("1500", (1500.0, ""), ground("check_fit")) is None
    assert read_allowed("under 1500", (1500.0, ""), ground("check_fit")) is not None


def test_the_currency_asked_for_counts_the_next_budget() -> None:
    found = read_allowed("3000", (3000.0, ""), ground(currency="EUR"))
    assert found is not None
    assert found["currency"] == "EUR"


@pytest.mark.parametrize(
    ("text", "code"),
    [("in yuan", "CNY"), ("in yuan or dollars", ""), ("300 dollars more", ""), ("how much is that in euros", "EUR")],
)
def test_a_currency_is_named_only_without_an_amount_of_it(text: str, code: str) -> None:
    assert named_currency(text) == code


def test_a_lone_currency_means_nothing_before_any_answer() -> None:
    first, later = Stated(values={"budget": {"currency": "CNY"}}), Stated(values={"budget": {"currency": "CNY"}})
    settle_currency("in yuan", first, {}, running=False)
    settle_currency("in yuan", later, {}, running=True)
    assert first.values == {}
    assert later.values == {"currency": "CNY"}
    assert later.belongs


@pytest.mark.parametrize(
    ("text", "way"),
    [
        ("to buy, not rent", "buy"),
        ("i won't buy", "rent"),
        ("rather rent", "rent"),
        ("why not rent", None),
        ("hm", None),
    ],
)
def test_the_way_that_is_left(text: str, way: str | None) -> None:
    stated = Stated()
    assert read_way(text, stated) == (way is not None)
    assert stated.values.get("deploy") == way


def test_dear_and_where_to_get_it_cheaper_are_two_things() -> None:
    assert asks_cheaper("Too expensive!")
    assert not asks_cheaper("where is it cheaper")


def test_each_part_that_asks_stands_for_itself(assistant: Assistant) -> None:
    text = "3090 price now and how much power does it use?"
    asks = assistant.understander.understand(text).asks
    assert [text[ask.span.start : ask.span.end].strip() for ask in asks] == [
        "3090 price now",
        "how much power does it use?",
    ]
