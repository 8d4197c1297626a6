"""Ways and verdicts: one rule chooses, the same object judges, and nothing that was said is changed."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest

from advisor.errors import OutOfRange, UnknownName
from advisor.jobs.plan import Place, chosen_on, fewest, judged, plan, plan_for
from advisor.jobs.spoken import Amount, Budget, Hours, Means, Period, Side, SideKind, Spoken
from advisor.jobs.usage import usage_of
from advisor.jobs.usual import Does, kind_of, usual
from advisor.memory.results import Verdict as Word
from advisor.models import Method, MlModel, Precision
from tests.conftest import shared_catalog

CATALOG = shared_catalog()
CARDS = ("RTX 3060 12GB", "RTX 4060 Ti 16GB", "RTX 3090", "RTX 5090", "A100 80GB PCIe")


def place(name: str, n: int = 1) -> Place:
    return Place(CATALOG.get_gpu(name), n)


def model(name: str) -> MlModel:
    return CATALOG.get_ml_model(name)


@pytest.mark.parametrize("modality", sorted({one.modality for one in CATALOG.ml_models.values()}))
def test_every_model_has_a_usual_way_for_what_is_done_with_it(modality: str) -> None:
    for one in (one for one in CATALOG.ml_models.values() if one.modality == modality):
        for does in Does:
            assert kind_of(one, does).ladder, one.id
        planned = plan_for(Spoken(models=(one.name,)), one)
        assert planned.usual.workload.ml_model is one, one.id


def test_sources_of_the_usual_ways_are_on_record() -> None:
    named = {source for kind in usual().kinds for source in kind.sources}
    assert named <= CATALOG.sources.keys()
    assert {code for kind in usual().kinds for code in (*kind.ladder, *kind.beside)} <= usual().ways.keys()


@pytest.mark.parametrize("card", CARDS)
@pytest.mark.parametrize("name", ["Qwen3-8B", "Qwen3-32B", "FLUX.1-dev", "Wan2.2-T2V-A14B", "ResNet-50"])
@pytest.mark.parametrize("task", [None, "llm_finetune"])
def test_the_first_way_that_fits_is_meant_else_the_first_tight_one_else_the_usual(
    card: str, name: str, task: str | None
) -> None:
    planned = plan_for(Spoken(models=(name,), task=task), model(name), [place(card)])
    words = [judged(way, place(card)) for way in planned.ways.ladder]
    found = [one.word if one else Word.UNKNOWN for one in words]
    wanted = next((wish for wish in (Word.FITS, Word.TIGHT) if wish in found), found[0])
    meant = planned.chosen[0]
    assert meant.way is planned.ways.ladder[found.index(wanted)]
    assert meant.verdict.word is wanted
    assert (wanted is Word.NO) == (meant in planned.without)


def test_sides_that_are_weighed_share_the_first_way_that_fits_all_of_them() -> None:
    flux = model("FLUX.1-dev")
    alone = plan_for(Spoken(), flux, [place("A100 80GB PCIe")]).way
    both = plan_for(Spoken(), flux, [place("A100 80GB PCIe"), place("RTX 3060 12GB")])
    assert {one.way.code for one in both.chosen} == {"int4-turns"}
    assert alone.code == "fp8-turns"
    assert both.shared
    swapped = plan_for(Spoken(), flux, [place("RTX 3060 12GB"), place("A100 80GB PCIe")])
    assert swapped.way.code == both.way.code, "the order of sides changes nothing"


@pytest.mark.parametrize("method", ["lora", "qlora", "full"])
def test_a_way_that_was_said_is_the_way_even_where_it_does_not_fit(method: str) -> None:
    planned = plan_for(Spoken(methods=(method,)), model("Qwen2.5-7B"), [place("RTX 3060 12GB")])
    assert planned.way.method is Method(method)
    assert "method" not in {one.field for one in planned.way.assumed}


@pytest.mark.parametrize(
    ("said", "precision"), [("fp16", Precision.FP16), ("int8", Precision.INT8), ("int4", Precision.INT4)]
)
def test_a_format_that_was_said_is_the_format(said: str, precision: Precision) -> None:
    planned = plan_for(Spoken(precisions=(said,)), model("Qwen3-8B"), [place("RTX 3090")])
    assert planned.way.workload.precision is precision
    assert len(planned.ways.all) == 1


def test_numbers_that_were_said_are_in_every_way() -> None:
    job = Spoken(batch=3, seq_len=777, people=2, software="vllm", task="llm_finetune")
    for way in plan_for(job, model("Qwen3-8B")).ways.all:
        assert (way.workload.batch, way.workload.seq_len, way.workload.framework) == (3, 777, "vllm")
        assert not {"batch", "seq_len"} & {one.field for one in way.assumed}


def test_the_way_of_the_conversation_is_kept_and_the_rest_stays_in_view() -> None:
    job, eight = Spoken(), model("Qwen3-8B")
    planned = plan_for(job, eight, [place("RTX 3090")], prefer="fp16")
    assert planned.way.code == "fp16"
    assert {way.code for way in planned.ways.all} == {"fp16", "int8", "int4"}
    assert plan_for(job, eight, [place("RTX 3090")], prefer="lora").way.code == "int4", "not one of this job's ways"


def test_a_total_of_memory_is_shared_by_the_cards_it_was_said_of() -> None:
    side = Side(SideKind.MEMORY, count=4, memory_total_gb=96.0)
    planned = plan(Spoken(models=("Llama-3-70B",)), [side], Means(), CATALOG)[0]
    assert planned.chosen[0].place.vram_gib == 24.0
    assert planned.chosen[0].verdict.nominal == 24.0


def test_without_a_job_nothing_is_chosen() -> None:
    assert chosen_on((), [place("RTX 3090")]) == ()
    assert chosen_on(plan_for(Spoken(), model("Qwen3-8B")).ways.ladder, []) == ()


def test_an_unknown_card_is_named() -> None:
    with pytest.raises(UnknownName):
        plan(Spoken(models=("Qwen3-8B",)), [Side(SideKind.CARD, name="RTX 9999")], Means(), CATALOG)


@pytest.mark.parametrize("name", ["Qwen3-8B", "Qwen3-32B", "Llama-3-70B"])
def test_more_cards_never_need_more_of_each_and_the_fewest_that_hold_it_are_found(name: str) -> None:
    way = plan_for(Spoken(), model(name)).usual
    needs = [verdict.need for n in (1, 2, 4, 8) if (verdict := judged(way, place("RTX 3090", n)))]
    assert needs == sorted(needs, reverse=True)
    surely, tight = fewest(way, CATALOG.get_gpu("RTX 3090"), (1, 2, 3, 4, 8))
    assert surely is not None
    assert surely.word is Word.FITS
    assert tight is None or tight.n < surely.n


def test_a_verdict_is_by_the_chance_that_it_fits() -> None:
    seen = set()
    for name in ("Qwen3-8B", "Qwen2.5-14B", "Qwen3-32B", "Mistral-Small-24B", "Llama-3-70B", "FLUX.1-dev"):
        for card in CARDS:
            for _, verdict in plan_for(Spoken(), model(name)).table(place(card)):
                chance, margin = verdict.probability, verdict.margin
                assert chance is not None
                assert margin is not None
                wanted = Word.NO if margin < 0 or chance < 0.25 else Word.FITS if chance >= 0.95 else Word.TIGHT
                assert verdict.word is wanted
                assert verdict.by_a_hair == (wanted is Word.NO and chance >= 0.05)
                seen.add((verdict.word, verdict.by_a_hair))
    assert seen == {(Word.FITS, False), (Word.TIGHT, False), (Word.NO, False), (Word.NO, True)}


# --- use -------------------------------------------------------------------------------------------------------------


def test_nought_is_a_value_and_a_week_has_seven_days() -> None:
    assert usage_of(Means(utilization=0.0, span_days=30)).hours == 0.0
    assert usage_of(Means(hours=Hours(0.0, Period.DAY), span_days=30)).hours == 0.0
    week = usage_of(Means(hours=Hours(5.0, Period.DAY)))
    assert week.week == pytest.approx(35.0)
    assert usage_of(Means(hours=Hours(35.0, Period.WEEK))).week == pytest.approx(35.0)


@pytest.mark.parametrize("cards", [1, 2, 8])
@pytest.mark.parametrize("days", [1.0, 30.0, 365.0])
def test_hours_scale_with_the_span_and_the_cards(cards: int, days: float) -> None:
    usage = usage_of(Means(utilization=0.15, span_days=days), cards)
    assert usage.hours is not None
    assert usage.card_hours is not None
    assert math.isclose(usage.hours, 0.15 * 24 * days)
    assert math.isclose(usage.card_hours, usage.hours * cards)


def test_hours_that_were_named_go_before_a_share() -> None:
    both = Means(hours=Hours(8.0, Period.DAY), utilization=0.5)
    assert usage_of(both).week == pytest.approx(56.0)


def test_a_time_without_a_rate_is_all_of_it() -> None:
    assert usage_of(Means(hours=Hours(36.0))).hours == 36.0
    assert usage_of(Means(budget=Budget(Amount(Decimal(5))))).hours is None


@pytest.mark.parametrize(
    "means",
    [
        Means(hours=Hours(31.0, Period.DAY)),
        Means(hours=Hours(-5.0, Period.DAY)),
        Means(hours=Hours(-5.0)),
        Means(utilization=4.0),
    ],
)
def test_hours_that_cannot_be_are_named(means: Means) -> None:
    with pytest.raises(OutOfRange):
        usage_of(means)
