"""Which side of a money question is meant, which machine an offer names, what a training run takes."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.instances import instance_of
from advisor.models import Gpu
from bot.answers.asked import means_bill
from bot.answers.choose.worth import holds, with_own_memory
from bot.answers.money.platforms import passages_about, platforms_of
from bot.answers.speed.training_run import run_of, spread
from bot.core.conversation import Conversation
from bot.core.message import Language
from bot.core.request import Request
from bot.read.signs import hear
from tests.bot.labelled import NOW
from tests.conftest import shared_assistant

SERVICES = shared_assistant().services


def request(text: str, language: Language = "en", **slots: Any) -> Request:
    return Request(
        intent="estimate_cost",
        slots=slots,
        heard=hear(text),
        language=language,
        now=NOW,
        services=SERVICES,
        conversation=Conversation(key="t"),
    )


def card(name: str) -> Gpu:
    found = SERVICES.catalog.find_gpu(name)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "side"),
    [("price 4090 used", "used"), ("5090 msrp", "launch"), ("4090 per month", "month"), ("unused 4090", "")],
)
def test_whole_words_decide_which_price_is_meant(text: str, side: str) -> None:
    sides = request(text).heard.sides("price")
    assert (sides[0] if sides else "") == side


def test_how_much_to_train_means_money_unless_memory_is_spoken_of() -> None:
    slots: dict[str, Any] = {"model": ["llm-70b"], "task": "llm_finetune"}
    assert means_bill(request("how much to finetune 70b", **slots))
    assert not means_bill(request("how much vram to finetune 70b, and the cost", **slots))
    assert not means_bill(request("how much to run 70b", model=["llm-70b"]))


def test_an_offer_names_its_machine() -> None:
    offers = [one for one in SERVICES.catalog.offers if one.note.startswith("p5.48xlarge; instance")]
    assert offers
    for offer in offers:
        found = instance_of(offer)
        assert found is not None
        assert (found.family, found.gpus) == ("p5", 8)
        assert found.hourly is not None
        assert found.hourly / found.gpus == pytest.approx(offer.low)


def test_a_run_takes_twenty_tokens_a_parameter_or_ten_thousand_samples() -> None:
    scratch = run_of(request("cost to pretrain 1b", model=["llm-1b"], method="pretrain"), card("A100 80GB"), 1)
    tuned = run_of(request("cost to finetune 7b", model=["llm-7b"], task="llm_finetune"), card("RTX 4090"), 1)
    said = run_of(request("pretrain 1b on 100B tokens", model=["llm-1b"], method="pretrain"), card("A100 80GB"), 1)
    assert scratch is not None
    assert tuned is not None
    assert said is not None
    assert scratch.tokens == pytest.approx(20e9)
    assert (tuned.samples, tuned.epochs) == (10_000, 3)
    assert said.wall.value == pytest.approx(5 * scratch.wall.value, rel=0.01)


def test_a_run_of_months_is_spread_over_a_node_unless_the_number_of_cards_was_said() -> None:
    asked = request("cost to pretrain 7b on 1T tokens", model=["llm-7b"], method="pretrain")
    stated = request("cost to pretrain 7b on 1T tokens", model=["llm-7b"], method="pretrain", gpu_count=1)
    gpu = card("H200")
    run, kept = run_of(asked, gpu, 1), run_of(stated, gpu, 1)
    assert run is not None
    assert kept is not None
    assert spread(asked, run, gpu).n == 8
    assert spread(stated, kept, gpu).n == 1
    assert run.cards_for_a_month > 8


def test_a_passage_that_names_many_platforms_belongs_to_none() -> None:
    library = SERVICES.library
    overview, own = library.get("rental-platforms-overview"), library.get("autodl-stopped-billing")
    assert platforms_of(overview, SERVICES.catalog, library) == frozenset()
    assert platforms_of(own, SERVICES.catalog, library) == {"autodl"}
    provider = SERVICES.catalog.find_provider("autodl")
    assert provider is not None
    assert passages_about(request("autodl"), provider)[0].id == "autodl-stopped-billing"


def test_more_memory_holds_larger_models() -> None:
    small, large, shared = (
        holds(SERVICES.catalog, with_own_memory(card(name))) for name in ("RTX 3060 12GB", "RTX 4090", "DGX Spark")
    )
    assert small.run < large.run < shared.run
    assert large.run == 32
    assert small.tune <= large.tune < shared.tune
