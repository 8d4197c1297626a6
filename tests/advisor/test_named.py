"""The advisor by names: one line at the prompt, the same verdict as the chat's plan, mistakes told in one line."""

from __future__ import annotations

import json
from datetime import date

import pytest

import advisor
from advisor.errors import AdvisorError, OutOfRange, UnknownName, UnsupportedCombination
from advisor.jobs.plan import plan
from advisor.jobs.spoken import Means, Side, SideKind, Spoken
from advisor.models import Method, Workload
from advisor.recommend import Need
from tests.conftest import shared_catalog

DAY = date(2026, 11, 22)
CATALOG = shared_catalog()
CALLS = {
    "fit": lambda: advisor.fit("4090", "qwen2.5-14b", method="lora"),
    "memory": lambda: advisor.estimate_memory("Qwen2.5-14B", method="lora"),
    "speed": lambda: advisor.estimate_speed("4090", "qwen2.5-7b"),
    "pictures": lambda: advisor.estimate_speed("4090", "flux.1-dev"),
    "speech": lambda: advisor.estimate_speed("4090", "whisper-large-v3"),
    "time": lambda: advisor.estimate_time("4090", "qwen2.5-7b", dataset="alpaca-52k", method="lora"),
    "cost": lambda: advisor.estimate_cost("4090", hours=100, on=DAY),
    "run": lambda: advisor.estimate_cost("4090", "qwen2.5-7b", dataset="alpaca-52k", method="lora", on=DAY),
    "rent_or_buy": lambda: advisor.rent_or_buy("4090", hours_per_week=20, on=DAY),
    "recommend": lambda: advisor.recommend("qwen2.5-14b", method="lora", budget=2000, on=DAY),
    "task": lambda: advisor.recommend(task="llm_inference", budget=10000, currency="CNY", on=DAY),
    "compare": lambda: advisor.compare("3090", "4090", on=DAY),
    "compare_job": lambda: advisor.compare("2x 3090", "4090", model="qwen2.5-32b", on=DAY),
    "prices": lambda: advisor.list_prices("4090", on=DAY),
    "gpus": lambda: advisor.list_gpus("rtx 40"),
    "models": lambda: advisor.list_models("qwen"),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_result_shows_itself_in_one_line_in_a_notebook_and_in_json(name):
    found = CALLS[name]()
    assert len(repr(found)) <= 160
    assert "\n" not in repr(found)
    assert found.rows
    assert "<table>" in found._repr_html_()
    assert json.loads(json.dumps(found.as_dict())) == found.as_dict()


@pytest.mark.parametrize("name", [name for name in CALLS if name not in {"gpus", "models"}])
def test_every_result_names_sources_with_their_days(name):
    sources = CALLS[name]().sources
    assert sources
    assert all(one.title for one in sources)
    assert any(one.as_of for one in sources)


@pytest.mark.parametrize(
    ("gpu", "model", "method"),
    [("RTX 4090", "Qwen2.5-14B", "lora"), ("RTX 3060 12GB", "Qwen2.5-7B", "qlora"), ("RTX 4090", "FLUX.1-dev", None)],
)
def test_fit_says_what_the_plan_of_a_chat_says(gpu, model, method):
    job = Spoken(models=(model,), methods=(method,) if method else ())
    chosen = plan(job, [Side(SideKind.CARD, gpu)], Means(), CATALOG)[0].chosen[0]
    found = advisor.fit(gpu, model, **({"method": method} if method else {}))
    assert (found.way, found.verdict) == (chosen.way.code, chosen.verdict.word.value)
    assert found.need.value == pytest.approx(chosen.verdict.need, rel=1e-4)


def test_card_and_model_may_change_places():
    assert advisor.fit("qwen2.5-14b", "4090") == advisor.fit("4090", "qwen2.5-14b")


def test_a_way_that_fits_is_named_where_the_one_asked_for_does_not():
    assert advisor.fit("4090", "qwen2.5-14b", method="lora").instead.startswith("qlora")
    assert advisor.fit("4090", "qwen2.5-14b", method="qlora").instead == ""


def test_parts_of_memory_add_up():
    found = advisor.estimate_memory("Qwen2.5-14B", method="lora")
    assert sum(part.gib for part in found.parts) == pytest.approx(found.need.value, rel=1e-3)


def test_values_of_the_advisor_still_give_the_full_result():
    work = Workload(ml_model=CATALOG.get_ml_model("Qwen2.5-7B"), method=Method.LORA)
    assert advisor.estimate_memory(work).components
    assert advisor.recommend(Need(workload=work), CATALOG, DAY, with_flips=False).picks


def test_no_value_of_the_advisor_prints_more_than_a_few_lines():
    work = Workload(ml_model=CATALOG.get_ml_model("Qwen2.5-7B"), method=Method.LORA)
    shown = [repr(advisor.recommend(Need(workload=work), CATALOG, DAY)), str(advisor.estimate_memory(work)), repr(work)]
    assert max(map(len, shown)) < 600


@pytest.mark.parametrize(
    ("call", "kind", "says"),
    [
        (lambda: advisor.fit(4090, "qwen2.5-7b"), TypeError, "fit() takes the name of a card; got int"),
        (lambda: advisor.estimate_memory(42), TypeError, "a Workload; got int"),
        (lambda: advisor.fit("4090", "qwen2.5-7b", methd="lora"), TypeError, "did you mean method?"),
        (lambda: advisor.fit("4090", "qwen2.5-7b", method="lorra"), UnknownName, "did you mean lora"),
        (lambda: advisor.fit("RTX 4990", "qwen2.5-7b"), UnknownName, "did you mean"),
        (lambda: advisor.fit("4090", "gpt-4o"), UnknownName, "no published model"),
        (lambda: advisor.fit("4090", "qwen2.5-7b", gpus=0), OutOfRange, "gpus must lie between 1"),
        (lambda: advisor.fit("4090", "qwen2.5-7b", batch="two"), TypeError, "batch must be a whole number; got str"),
        (lambda: advisor.estimate_time("4090", "qwen2.5-7b"), UnsupportedCombination, "dataset="),
        (lambda: advisor.estimate_time("4090", "qwen2.5-7b", dataset="mine"), UnsupportedCombination, "samples="),
        (lambda: advisor.estimate_cost("4090"), UnsupportedCombination, "hours="),
        (lambda: advisor.estimate_cost("4090", hours=1, currency="XXX"), UnknownName, "no currency is called"),
        (lambda: advisor.rent_or_buy("4090", hours_per_week=200), OutOfRange, "hours_per_week"),
        (lambda: advisor.compare("3090"), TypeError, "two to eight cards"),
        (lambda: advisor.recommend("qwen2.5-7b", budget=-1), OutOfRange, "budget"),
        (lambda: advisor.recommend("qwen2.5-7b", deploy="steal"), UnknownName, "no deploy is called"),
    ],
)
def test_a_mistake_is_told_in_one_helpful_line(call, kind, says):
    with pytest.raises(kind) as caught:
        call()
    text = str(caught.value)
    assert says in text
    assert "\n" not in text
    assert len(text) < 400


def test_yuan_mean_the_market_of_the_mainland():
    cheap = advisor.estimate_cost("4090", hours=10, currency="CNY", on=DAY).offers[0]
    providers = {one.name: one.country for one in CATALOG.providers.values()}
    assert providers[cheap.provider] == "CN"


def test_own_prices_replace_those_of_the_catalogue():
    found = advisor.rent_or_buy("4090", hours_per_week=100, buy_price=100, rent_price=2, months=24, on=DAY)
    assert found.card.value == 100
    assert found.rent_per_hour.value == 2
    assert found.verdict == "buy"


def test_nought_hours_of_use_are_a_value():
    assert advisor.rent_or_buy("4090", hours_per_week=0, on=DAY).rent.value == 0


def test_every_card_and_model_by_its_own_name():
    for gpu in list(CATALOG.gpus.values())[::40]:
        for model in list(CATALOG.ml_models.values())[::60]:
            try:
                found = advisor.fit(gpu.name, model.name)
            except AdvisorError:
                continue
            assert found.verdict in {"fits", "tight", "no", "unknown"}


def test_a_frame_and_a_picture_where_their_library_is():
    found = CALLS["compare"]()
    try:
        __import__("pandas")
    except ImportError:
        with pytest.raises(ImportError, match="pip install"):
            found.to_frame()
    else:
        assert list(found.to_frame()["gpu"]) == ["RTX 3090", "RTX 4090"]
    for name in ("fit", "memory", "rent_or_buy", "cost", "prices", "compare", "recommend"):
        assert CALLS[name]().plot().axes
    with pytest.raises(TypeError, match="nothing to draw"):
        CALLS["gpus"]().plot()


def test_the_machines_memory_sets_the_pace_of_what_lies_in_it():
    said = ("DDR4-3200", "", "DDR5-6000", "EPYC 9654")
    slow, usual, fast, server = (
        advisor.estimate_speed("4090", "llama-3-70b", precision="int4", ram=ram).rate.value for ram in said
    )
    assert slow < usual < fast < server
    assert fast / slow == pytest.approx(96.0 / 51.2, rel=0.15)  # all but what the card reads goes with the channels


def test_what_is_missing_is_told_by_the_name_that_was_called() -> None:
    with pytest.raises(TypeError, match=r"estimate_time\(\) missing a required argument: 'model'; it takes gpu, model"):
        advisor.estimate_time("qwen2.5-7b")
