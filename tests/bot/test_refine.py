"""Short lines of a running conversation get their meaning from what was said before."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.app import reader_of
from bot.core.conversation import HeldSlot, Pending
from bot.dialogue.follow import followed, take
from bot.dialogue.ground import Ground
from bot.dialogue.kin import with_replaced
from bot.dialogue.policy import POLICY
from bot.dialogue.refine import read_exclusions, refine
from bot.dialogue.slots import Stated
from bot.read.reader import Reader
from tests.conftest import shared_assistant

EUR = {"amount": 0.4, "currency": "EUR"}
BUDGET = {"amount": 4000, "currency": "CNY", "period": "once"}


@dataclass
class Record:
    name: str
    vendor: str = "NVIDIA"
    family: str = "GeForce"
    unified_memory: bool = False


class Catalogue:
    """Knows a series of models and the editions of a card."""

    models = ("Qwen2.5-14B", "Qwen2.5-32B")
    cards = ("RTX 4070", "RTX 4070 Ti", "RTX 4070 Ti Super")
    others = (Record("Apple M4 Max", "Apple", "Apple", unified_memory=True), Record("RX 7900 XTX", "AMD", "Radeon"))

    def find_gpu(self, name: str) -> Record | None:
        known = next((card for card in self.others if card.name == name), None)
        return known or next((Record(card) for card in self.cards if card.casefold() == name.casefold()), None)

    def find_ml_model(self, name: str) -> Record | None:
        return Record(name) if name in self.models else None


@cache
def reader() -> Reader:
    return reader_of(shared_assistant())


def hold(slots: dict[str, Any]) -> dict[str, HeldSlot]:
    return {slot: HeldSlot(value=value, turn=number) for number, (slot, value) in enumerate(slots.items())}


def read(
    text: str,
    said: dict[str, Any] | None = None,
    asks: str = "",
    lacks: bool = False,
    uses: tuple[str, ...] = (),
    answers: tuple[dict[str, Any], ...] = (),
    **before: Any,
) -> Stated:
    stated = Stated(values=dict(said or {}))
    pending = Pending(kind="ask", intent="x", slot=asks, asked_at=datetime(2026, 11, 21, tzinfo=UTC)) if asks else None
    ground = Ground(
        earlier=hold(before),
        before=tuple(hold(slots) for slots in answers),
        pending=pending,
        uses=frozenset({*uses, "model"} if lacks else uses),
        names=Catalogue(),
    )
    read = reader().follow(text)
    read_exclusions(read, stated, Catalogue())
    take(followed(read, ground, {}, None), stated, ground)
    refine(text, stated, ground, POLICY)
    return stated


@pytest.mark.parametrize(
    ("text", "before", "slot", "value"),
    [
        ("64?", {"gpu_count": 8, "batch": 2048}, "gpu_count", 64),
        ("sorry 0.14", {"electricity_price": EUR, "gpu_count": 2}, "electricity_price", EUR | {"amount": 0.14}),
        ("加到3500呢", {"budget": BUDGET}, "budget", BUDGET | {"amount": 3500}),
        ("lets say 5k", {"budget": BUDGET}, "budget", BUDGET | {"amount": 5000}),
        ("1.2万吧", {"budget": BUDGET}, "budget", BUDGET | {"amount": 12_000}),
    ],
)
def test_a_bare_number_is_a_new_value_of_the_nearest_slot(
    text: str, before: dict[str, Any], slot: str, value: Any
) -> None:
    assert read(text, **before).values == {slot: value}


def test_a_bare_number_answers_the_open_question_first() -> None:
    assert read("14的吧", asks="model", batch=16).values == {"model": ["llm-14b"]}
    assert read("24", asks="vram_gb").values == {"vram_gb": 24}


def test_a_bare_number_names_the_size_of_a_model_that_was_missing() -> None:
    assert read("14的吧", lacks=True).values == {"model": ["llm-14b"]}
    assert read("14的吧").values == {}


def test_a_number_word_or_a_small_number_counts_the_cards_spoken_of() -> None:
    cards = ["RTX 4090"]
    assert read("and with two?", gpu=cards).values == {"gpu_count": 2}
    assert read("and with 4?", gpu=cards).values == {"gpu_count": 4}
    assert read("and with two?").values == {}


def test_a_number_far_from_everything_said_means_nothing() -> None:
    assert read("4000000", batch=8).values == {}


def test_a_lone_currency_takes_the_amount_that_stood() -> None:
    assert read("in dollars", {"budget": {"currency": "USD"}}, budget=BUDGET).values["budget"] == BUDGET | {
        "currency": "USD"
    }


def test_another_1500_is_added() -> None:
    assert (
        read("咬咬牙再加一千五", {"budget": BUDGET | {"amount": 1500}}, budget=BUDGET).values["budget"]["amount"]
        == 5500
    )


def test_the_second_one_is_the_second_card_spoken_of() -> None:
    cards = ["RTX 4090", "RTX 3090"]
    assert read("I'll take the second one", gpu=cards).values == {"gpu": ["RTX 3090"]}
    assert read("前者吧", gpu=cards).values == {"gpu": ["RTX 4090"]}
    assert read("the third one", gpu=cards).values == {}


def test_what_is_left_out_is_gone() -> None:
    assert read("leave out the T4", {"gpu": ["Tesla T4"]}, gpu=["Tesla T4", "L4", "A10"]).values == {
        "gpu": ["L4", "A10"]
    }


def test_no_used_cards_excludes_terms_not_cards() -> None:
    assert read("不要二手").excluded == {"pricing_model": ("purchase_used",)}


def test_used_cards_can_be_allowed_again() -> None:
    assert read("二手也行").excluded == read("used is fine").excluded == {"pricing_model": ()}


def test_a_setting_with_a_number_counts_no_cards_and_names_no_model() -> None:
    assert read("num_workers加到16", lacks=True).values == {}
    assert read("num_workers加到16", gpu=["RTX 3060"]).values == {}


def test_a_lower_budget_is_taken_off_the_one_that_stood() -> None:
    assert read("预算减去2000", budget=BUDGET).values["budget"]["amount"] == 2000
    assert read("knock off 500", budget=BUDGET).values["budget"]["amount"] == 3500


def test_a_card_beside_those_spoken_of_joins_them() -> None:
    assert read("再把L4加上", {"gpu": ["L4"]}, gpu=["V100", "A10"]).values == {"gpu": ["V100", "A10", "L4"]}
    assert read("那L4呢", {"gpu": ["L4"]}, gpu=["V100", "A10"]).values == {"gpu": ["L4"]}


def test_the_other_one_is_the_second_of_the_two_spoken_of_last() -> None:
    answers: tuple[dict[str, Any], ...] = ({"gpu": ["A10"]}, {"gpu": ["A10", "L4"]})
    assert read("and the other one?", gpu=["A10"], answers=answers).values == {"gpu": ["L4"]}
    assert read("and the other one?", gpu=["T4"], answers=answers).values == {}


def test_a_size_names_a_model_of_the_series_spoken_of() -> None:
    series = ["Qwen2.5-14B"]
    assert read("what about 32b", {"model": ["llm-32b"]}, model=series).values == {"model": ["Qwen2.5-32B"]}
    assert read("and a 32b?", {"model": ["llm-32b"]}, model=series).values == {"model": ["llm-32b"]}
    assert read("那70b呢", {"model": ["llm-70b"]}, model=series).values == {"model": ["llm-70b"]}


def test_back_to_a_size_means_the_model_of_that_size_spoken_of_earlier() -> None:
    stated = read(
        "right. back to the 14b: what about 2 5090s", {"model": ["llm-14b"]}, answers=({}, {"model": ["Qwen2.5-14B"]})
    )
    assert stated.values == {"model": ["Qwen2.5-14B"]}


def test_an_edition_names_another_card_of_the_same_number() -> None:
    assert read("oops i meant the ti super", gpu=["RTX 4070"]).values == {"gpu": ["RTX 4070 Ti Super"]}
    assert read("ti的呢", gpu=["RTX 4070 Ti Super"]).values == {"gpu": ["RTX 4070 Ti"]}
    assert read("the ti super", gpu=["A100"]).values == {}
    assert read("it's super slow", gpu=["RTX 4070"]).values == read("super, thanks", gpu=["RTX 4070"]).values == {}


def test_watts_are_of_the_power_supply_where_one_is_spoken_of() -> None:
    assert read("is 1600w ok?", uses=("psu_w",), gpu=["RTX 4090"]).values == {"psu_w": 1600}
    assert read("is 1600w ok?", gpu=["RTX 4090"]).values == {}


def test_a_version_is_one_of_cuda_where_that_is_spoken_of() -> None:
    assert read("mine is 12.1", uses=("cuda_version",)).values == {"cuda_version": "12.1"}
    assert read("mine is 12.1").values == {}
    assert read("3.5 hours", uses=("cuda_version",)).values == {}


def test_memory_is_the_systems_where_that_is_spoken_of_or_there_is_no_other() -> None:
    of_system = ("ram_gb",)
    assert read("128g可以吗", {"vram_gb": 128}, uses=of_system).values == {"ram_gb": 128}
    assert read("显存24g", {"vram_gb": 24}, uses=of_system).values == {"vram_gb": 24}
    assert read("the 64gb one", {"vram_gb": 64}, gpu=["Apple M4 Max"]).values == {"ram_gb": 64}
    assert read("the 64gb one", {"vram_gb": 64}, gpu=["RTX 4070"]).values == {"vram_gb": 64}


def test_the_card_of_a_maker_is_the_only_one_he_made() -> None:
    pair = ["Apple M4 Max", "RTX 4070"]
    assert read("just the nvidia one", {"gpu_family": "NVIDIA"}, gpu=pair).values == {"gpu": ["RTX 4070"]}
    both = ["RTX 4070", "RTX 4070 Ti"]
    assert read("nvidia only", {"gpu_family": "NVIDIA"}, gpu=both).values == {"gpu_family": "NVIDIA"}


def test_thousands_may_be_spent_where_a_choice_is_spoken_of_and_are_tokens_where_a_length_is() -> None:
    assert read("30k", uses=("budget",)).values["budget"] == {"amount": 30_000, "currency": "USD", "period": "once"}
    assert read("30k").values == {}
    assert read("8k", seq_len=4096).values == {"seq_len": 8192}


def test_what_leaves_a_list_may_be_followed_by_what_takes_its_place() -> None:
    said = {"gpu": ["RTX 4070 Ti", "RX 7900 XTX"]}
    pair = ["RTX 4070", "RTX 4070 Ti"]
    assert read("drop the 4070 ti, put a 7900 xtx there", said, gpu=pair).values == {"gpu": ["RTX 4070", "RX 7900 XTX"]}


@pytest.mark.parametrize(
    ("said", "left"),
    [("RTX 4070 Ti Super", ["RTX 2060", "RTX 4070 Ti Super"]), ("RX 7900 XTX", ["RTX 2060", "RX 7900 XTX"])],
)
def test_a_correction_takes_the_place_of_the_card_of_its_number_else_of_the_last(said: str, left: list[str]) -> None:
    assert with_replaced(["RTX 2060", "RTX 4070 Ti"], [said]) == left
    assert with_replaced(["RTX 2060"], [said]) == [said]


def test_corrected_hours_keep_their_rate() -> None:
    monthly = {"amount": 60, "unit": "hour", "per": "month"}
    said = {"duration": {"amount": 200, "unit": "hour"}}
    assert read("more like 200 hours", said, duration=monthly).values["duration"] == monthly | {"amount": 200}
    days = {"duration": {"amount": 3, "unit": "day"}}
    assert read("3 days", days, duration=monthly).values == days | {"usage": monthly}  # for how long stands beside it
    daily = {"duration": {"amount": 4, "unit": "hour", "per": "day"}}
    assert read("4 hours a day", daily, **days).values == daily | {"span": days["duration"]}


def test_one_card_is_a_count_only_where_it_is_said_so() -> None:
    assert read("那单卡呢", gpu=["RTX 3090"]).values == {"gpu_count": 1}
    assert read("which one", gpu=["RTX 3090"]).values == {}


@given(st.text(max_size=60), st.floats(0.01, 1e6), st.integers(1, 128))
def test_any_line_is_read_without_an_exception_and_keeps_what_was_stated(text: str, price: float, cards: int) -> None:
    stated = read(text, {"method": "lora"}, electricity_price={"amount": price, "currency": "EUR"}, gpu_count=cards)
    assert stated.values["method"] == "lora"
