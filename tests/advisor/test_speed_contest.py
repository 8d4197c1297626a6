"""Comparisons of sides and mixed machines, without the bot."""

from __future__ import annotations

import pytest

from advisor.catalog import Catalog
from advisor.models import Method, MlModel, Precision, Workload
from advisor.speed import tokens_per_second
from advisor.speed.compare import speed_ratio
from advisor.speed.contest import Contest, JobSet, Side, contest
from advisor.speed.mixed import mixed
from advisor.speed.uses import LADDER, generation_job, uses
from tests.conftest import shared_catalog


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return shared_catalog()


def compare(catalog: Catalog, *sides: tuple[str, int], model: str = "resnet50") -> Contest:
    work = Workload(
        ml_model=catalog.get_ml_model(model), method=Method.TRAIN, precision=Precision.FP16_MIXED, batch=64, seq_len=128
    )
    return contest([Side(catalog.get_gpu(name), n) for name, n in sides], [JobSet("yours", (work,))])


def test_the_slowest_side_is_one(catalog: Catalog) -> None:
    made = compare(catalog, ("RTX 3060 12GB", 1), ("RTX 3090", 1), ("RTX 4090", 1))
    factors = [side.results[0].factor for side in made.sides]
    assert factors[0] is not None
    assert factors[0].value == 1.0
    assert [one.value for one in factors if one] == sorted(one.value for one in factors if one)


def test_the_order_of_sides_does_not_change_the_winner(catalog: Catalog) -> None:
    one = compare(catalog, ("RTX 3090", 1), ("RTX 4090", 1))
    other = compare(catalog, ("RTX 4090", 1), ("RTX 3090", 1))
    assert one.winner is not None
    assert other.winner is not None
    assert one.sides[one.winner].name == other.sides[other.winner].name


def test_between_even_speeds_fewer_cards_win(catalog: Catalog) -> None:
    made = compare(catalog, ("RTX 4090", 1), ("RTX 4060 Ti 16GB", 4), model="bert-base-uncased")
    if made.reason.startswith("even"):
        assert made.winner == 0
    else:
        assert made.reason == "faster"


def test_a_card_without_speed_figures_is_compared_on_memory(catalog: Catalog) -> None:
    blind = catalog.get_gpu("RTX 3090").model_copy(
        update={"id": "blind", "name": "Blind", "memory_bandwidth_gb_per_s": None, "vram_gib": 48.0}
    )
    work = Workload(ml_model=catalog.get_ml_model("resnet50"), method=Method.TRAIN, batch=64)
    made = contest([Side(blind), Side(catalog.get_gpu("RTX 3090"))], [JobSet("yours", (work,))])
    assert made.reason == "more_memory"
    assert made.winner == 0
    assert "speed_not_estimated" in [note.code for note in made.notes]


def test_in_lockstep_the_slowest_decides(catalog: Catalog) -> None:
    work = Workload(ml_model=catalog.get_ml_model("resnet50"), method=Method.TRAIN, batch=64)
    made = mixed([Side(catalog.get_gpu("RTX 4090"), 1), Side(catalog.get_gpu("RTX 3060 12GB"), 1)], work)
    assert made.together == pytest.approx(2 / made.ratio)
    assert made.apart == pytest.approx(1 + 1 / made.ratio)
    assert {"002-175", "002-190"} <= set(made.trace.rows)


def _ladder(catalog: Catalog) -> list[MlModel]:
    return [catalog.get_ml_model(name) for name in LADDER]


def test_makers_are_never_ranked_by_speed_on_paper(catalog: Catalog) -> None:
    made = compare(catalog, ("MI300X", 1), ("H100 80GB SXM5", 1))
    assert all(result.factor is None for side in made.sides for result in side.results)
    assert "speed_merit_faster" not in [note.code for side in made.sides for note in side.merits]
    found = uses([Side(catalog.get_gpu("MI300X")), Side(catalog.get_gpu("H100 80GB SXM5"))], _ladder(catalog))
    assert found is not None
    assert (found.kind, found.big, found.rest) == ("stacks", 0, 1)


def test_only_the_pair_holds_the_larger_model(catalog: Catalog) -> None:
    found = uses([Side(catalog.get_gpu("RTX 3090"), 2), Side(catalog.get_gpu("RTX 4090"))], _ladder(catalog))
    assert found is not None
    assert found.sides[0].only == ("llm-70b",)
    assert (found.sides[0].total_gib, found.big, found.rest) == (48.0, 0, 1)


def test_one_speed_figure_ranks_two_cards_of_a_kind(catalog: Catalog) -> None:
    assert uses([Side(catalog.get_gpu("RTX 3090")), Side(catalog.get_gpu("RTX 4090"))], _ladder(catalog)) is None


def test_faster_memory_of_the_same_chip_counts_more_for_generating_than_for_training(catalog: Catalog) -> None:
    h100, h200 = catalog.get_gpu("H100 80GB SXM5"), catalog.get_gpu("H200 141GB SXM")
    tuned = Workload(
        ml_model=catalog.get_ml_model("llm-14b"),
        method=Method.LORA,
        precision=Precision.BF16,
        batch=4,
        seq_len=2048,
        checkpointing=True,
    )
    training = speed_ratio(h200, h100, tuned)
    generating = speed_ratio(h200, h100, generation_job(catalog.get_ml_model("llm-70b")))
    assert 1.0 < training < 1.2
    assert training < generating < 4800 / 3350


def test_an_rtx_5090_writes_about_as_fast_as_published(catalog: Catalog) -> None:
    made = tokens_per_second(generation_job(catalog.get_ml_model("Qwen3-8B")), catalog.get_gpu("RTX 5090"))
    assert made.decode.low < 221.7 < made.decode.high
