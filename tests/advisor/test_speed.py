"""What the speed model promises, as claims."""

from __future__ import annotations

import pytest

from advisor.catalog import Catalog
from advisor.errors import OutOfRange, UnsupportedCombination
from advisor.models import Gpu, Method, Parallel, Precision, Step, Workload
from advisor.speed import (
    data_loading_bound,
    estimate_throughput,
    estimate_time,
    find_dataset,
    gpus_needed,
    matmul_tflops,
    published,
    rate_of,
    relative_speed,
    scaling,
    tokens_per_second,
)
from advisor.speed.denoise import pictures_per_minute
from tests.conftest import shared_catalog


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return shared_catalog()


def job(catalog: Catalog, model: str, method: Method = Method.TRAIN, **settings: object) -> Workload:
    settings.setdefault("precision", Precision.FP16_MIXED)
    return Workload(ml_model=catalog.get_ml_model(model), method=method, **settings)


def steps(step: Step) -> list[Step]:
    return [step, *(inner for part in step.inputs for inner in steps(part))]


class TestOneCard:
    def test_a_card_nobody_measured_works_from_its_specifications(self, catalog: Catalog) -> None:
        made_up = catalog.get_gpu("RTX 4090").model_copy(update={"id": "made-up", "name": "RTX 9999"})
        known = rate_of(job(catalog, "resnet50", batch=64), catalog.get_gpu("RTX 4090"))
        assert rate_of(job(catalog, "resnet50", batch=64), made_up).per_second == known.per_second

    def test_a_rate_carries_a_band_a_trail_and_its_counting_basis(self, catalog: Catalog) -> None:
        made = estimate_throughput(job(catalog, "resnet50", batch=64), catalog.get_gpu("RTX 3090"))
        assert made.rate.low < made.rate.value < made.rate.high
        assert made.peak_basis == "tensor"
        assert made.peak_tflops == pytest.approx(71.2)  # FP32 accumulation: GeForce runs it at half rate
        names = {step.name for step in steps(made.rate.trace)}
        assert {"throughput", "step_time", "memory_bandwidth", "peak_tensor"} <= names
        assert sum(part.share for part in made.parts) == pytest.approx(1.0, abs=0.02)

    def test_turing_trains_fp32_without_tensor_units_and_ampere_tf32_with_them(self, catalog: Catalog) -> None:
        wide = job(catalog, "resnet50", batch=64, precision=Precision.TF32)
        assert estimate_throughput(wide, catalog.get_gpu("RTX 2080 Ti")).peak_basis == "vector"
        assert estimate_throughput(wide, catalog.get_gpu("RTX 3090")).peak_basis == "tf32"

    def test_mixed_precision_gains_more_on_tensor_cores_than_on_pascal(self, catalog: Catalog) -> None:
        def gain(name: str) -> float:
            gpu = catalog.get_gpu(name)
            mixed = rate_of(job(catalog, "resnet50", batch=64), gpu).per_second
            return mixed / rate_of(job(catalog, "resnet50", batch=64, precision=Precision.FP32), gpu).per_second

        assert gain("RTX 2080 Ti") > 1.5 > gain("GTX 1080 Ti") > 1.0

    def test_small_batches_waste_a_fast_card(self, catalog: Catalog) -> None:
        gpu = catalog.get_gpu("RTX 4090")
        small = rate_of(job(catalog, "bert-base-uncased", Method.FULL, batch=1, seq_len=128), gpu).per_second
        large = rate_of(job(catalog, "bert-base-uncased", Method.FULL, batch=64, seq_len=128), gpu).per_second
        assert large > 5 * small

    def test_dense_peaks_only_nothing_is_promised_beyond_the_measured_matrix_product(self, catalog: Catalog) -> None:
        for name in ("A100 80GB SXM4", "H100 80GB SXM5", "RTX 4090"):
            gpu = catalog.get_gpu(name)
            assert matmul_tflops(gpu) < (gpu.bf16_tflops or 0)

    @pytest.mark.parametrize("name", ["CosyVoice-300M"])
    def test_what_no_published_figure_supports_is_refused(self, catalog: Catalog, name: str) -> None:
        with pytest.raises(UnsupportedCombination):
            rate_of(job(catalog, name, Method.INFERENCE), catalog.get_gpu("RTX 4090"))

    def test_pictures_have_a_rate_too(self, catalog: Catalog) -> None:
        """A LoRA of SDXL takes 1.2 s a step on a 3090 and twice as long on a 3060 (kohya_ss issue 1288)."""
        work = job(catalog, "stable-diffusion-xl-base-1.0", Method.LORA, batch=1)
        seconds = [rate_of(work, catalog.get_gpu(name)).seconds for name in ("RTX 3090", "RTX 3060 12GB")]
        assert 0.6 < seconds[0] < 2.4
        assert 1.2 < seconds[1] / seconds[0] < 3
        drawn = rate_of(job(catalog, "FLUX.1-dev", Method.INFERENCE), catalog.get_gpu("RTX 4090"))
        made = pictures_per_minute(drawn.workload, drawn.card.gpu)
        assert drawn.per_second * 60 == pytest.approx(made.per_minute.value)

    def test_a_card_without_bandwidth_is_refused_and_named(self, catalog: Catalog) -> None:
        gpu = catalog.get_gpu("RTX 4090").model_copy(update={"id": "no-bw", "memory_bandwidth_gb_per_s": None})
        with pytest.raises(UnsupportedCombination) as caught:
            rate_of(job(catalog, "resnet50"), gpu)
        assert caught.value.values["gpu"] == "RTX 4090"

    @pytest.mark.parametrize("count", [0, -1, 10**9])
    def test_impossible_counts_are_out_of_range(self, catalog: Catalog, count: int) -> None:
        with pytest.raises(OutOfRange):
            rate_of(job(catalog, "resnet50"), catalog.get_gpu("RTX 4090"), count)

    def test_impossible_batches_are_out_of_range(self, catalog: Catalog) -> None:
        with pytest.raises(OutOfRange):
            rate_of(job(catalog, "resnet50", batch=0), catalog.get_gpu("RTX 4090"))

    def test_makers_without_published_cases_get_a_remark_and_a_wider_band(self, catalog: Catalog) -> None:
        amd = estimate_throughput(job(catalog, "resnet50", batch=64), catalog.get_gpu("MI300X"))
        nvidia = estimate_throughput(job(catalog, "resnet50", batch=64), catalog.get_gpu("H100 80GB SXM5"))
        assert [note.code for note in amd.notes][:1] == ["speed_outside"]
        assert amd.rate.high / amd.rate.low > nvidia.rate.high / nvidia.rate.low


class TestCardAgainstCard:
    def test_a100_over_v100_lies_between_the_measured_and_the_rated_ratio(self, catalog: Catalog) -> None:
        a100, v100 = catalog.get_gpu("A100 40GB SXM4"), catalog.get_gpu("Tesla V100 SXM2 16GB")
        made = relative_speed(a100, v100, job(catalog, "resnet50", batch=64))
        assert 1.45 < made.factor.value < 2.5
        assert made.by_bandwidth == pytest.approx(1.73, abs=0.01)
        assert made.by_peak == pytest.approx(2.5, abs=0.3)

    def test_peaks_of_different_units_are_never_put_in_one_ratio(self, catalog: Catalog) -> None:
        wide = job(catalog, "resnet50", batch=64, precision=Precision.TF32)
        made = relative_speed(catalog.get_gpu("RTX 3090"), catalog.get_gpu("RTX 2080 Ti"), wide)
        assert made.by_peak is None

    def test_a_card_is_as_fast_as_itself_without_doubt(self, catalog: Catalog) -> None:
        gpu = catalog.get_gpu("RTX 3090")
        made = relative_speed(gpu, gpu, job(catalog, "resnet50"))
        assert (made.factor.low, made.factor.value, made.factor.high) == (1.0, 1.0, 1.0)


class TestSeveralCards:
    def test_nvlink_boards_scale_nearly_linearly_where_pcie_consumer_boxes_collapse(self, catalog: Catalog) -> None:
        large = job(catalog, "bert-large-uncased", Method.FULL, batch=4, seq_len=384)
        board = scaling(catalog.get_gpu("A100 80GB SXM4"), 8, large)
        box = scaling(catalog.get_gpu("RTX 3090"), 8, large)
        assert board.link == "nvlink"
        assert board.efficiency > 0.8
        assert box.link == "pcie4"
        assert box.efficiency < 0.5
        assert [note.code for note in box.notes] == ["speed_exchange_bound"]

    def test_small_convolution_networks_scale_on_pcie_too(self, catalog: Catalog) -> None:
        assert scaling(catalog.get_gpu("RTX 3090"), 4, job(catalog, "resnet50", batch=128)).efficiency > 0.85

    def test_adapters_exchange_little_and_scale_where_full_tuning_does_not(self, catalog: Catalog) -> None:
        gpu = catalog.get_gpu("RTX 4090")
        common = {"batch": 2, "seq_len": 1024, "precision": Precision.BF16, "checkpointing": True}
        lora = scaling(gpu, 4, job(catalog, "Llama-2-7b-hf", Method.LORA, **common))
        full = scaling(gpu, 4, job(catalog, "Llama-2-7b-hf", Method.FULL, parallel=Parallel.ZERO3, **common))
        assert lora.efficiency > 2 * full.efficiency

    def test_a_slow_network_takes_back_what_a_second_machine_gives(self, catalog: Catalog) -> None:
        gpu, large = catalog.get_gpu("A100 80GB SXM4"), job(catalog, "bert-large-uncased", Method.FULL, batch=16)
        slow = scaling(gpu, 16, large, nodes=2, network="1gbe").speedup.value
        fast = scaling(gpu, 16, large, nodes=2, network="8xhdr").speedup.value
        assert slow < scaling(gpu, 8, large).speedup.value < fast

    def test_unknown_networks_and_links_are_refused(self, catalog: Catalog) -> None:
        gpu = catalog.get_gpu("A100 80GB SXM4")
        with pytest.raises(UnsupportedCombination):
            scaling(gpu, 16, job(catalog, "resnet50"), nodes=2, network="string")
        with pytest.raises(UnsupportedCombination):
            scaling(gpu, 8, job(catalog, "resnet50"), "rope")


class TestTime:
    def test_resnet_on_imagenet_takes_a_v100_about_as_long_as_published(self, catalog: Catalog) -> None:
        made = estimate_time(
            job(catalog, "resnet50", batch=256),
            catalog.get_gpu("Tesla V100 SXM2 16GB"),
            dataset=find_dataset("ImageNet"),
        )
        assert made.hours.low < 29 * 1.2 < made.hours.high * 1.4  # NVIDIA reports about 29 hours with tuned input
        assert made.gpu_hours == made.hours.value

    def test_twice_the_data_takes_twice_as_long(self, catalog: Catalog) -> None:
        gpu, work = catalog.get_gpu("RTX 3090"), job(catalog, "resnet50", batch=64)
        one = estimate_time(work, gpu, samples=10_000, epochs=3).hours.value
        assert estimate_time(work, gpu, samples=20_000, epochs=3).hours.value == pytest.approx(2 * one)

    def test_a_starved_card_waits_for_its_host(self, catalog: Catalog) -> None:
        gpu, work = catalog.get_gpu("H100 80GB SXM5"), job(catalog, "resnet50", batch=256)
        made = estimate_time(work, gpu, dataset=find_dataset("imagenet"), loader_per_s=400.0)
        assert made.limited_by_loading
        assert "speed_loader_bound" in [note.code for note in made.notes]

    def test_without_data_no_time(self, catalog: Catalog) -> None:
        with pytest.raises(UnsupportedCombination):
            estimate_time(job(catalog, "resnet50"), catalog.get_gpu("RTX 3090"))

    @pytest.mark.parametrize("amount", [0.0, -5.0, float("nan"), float("inf")])
    def test_impossible_amounts_are_out_of_range(self, catalog: Catalog, amount: float) -> None:
        with pytest.raises(OutOfRange):
            estimate_time(job(catalog, "resnet50"), catalog.get_gpu("RTX 3090"), samples=amount)

    def test_no_nonsense_duration_is_returned(self, catalog: Catalog) -> None:
        with pytest.raises(OutOfRange):
            estimate_time(job(catalog, "resnet50"), catalog.get_gpu("GTX 1050"), samples=1e15)


class TestGeneration:
    def test_writing_is_bound_by_bandwidth_and_stays_under_its_ceiling(self, catalog: Catalog) -> None:
        work = job(catalog, "Llama-3-8B", Method.INFERENCE, precision=Precision.FP16, quant="q4_k_m", seq_len=1024)
        made = tokens_per_second(work, catalog.get_gpu("RTX 4090"))
        assert made.bound == "memory"
        assert made.decode.low < 127.7 < made.decode.high  # llama.cpp on this card, published in May 2024
        assert made.decode.value < made.ceiling

    def test_layers_over_cards_add_memory_but_no_speed(self, catalog: Catalog) -> None:
        work = job(catalog, "Llama-3-70B", Method.INFERENCE, precision=Precision.FP16, quant="q4_k_m", seq_len=1024)
        one, two = (tokens_per_second(work, catalog.get_gpu("RTX 3090"), n) for n in (1, 2))
        assert two.decode.value == pytest.approx(one.decode.value)
        assert two.decode.low < 16.3 < two.decode.high  # published for two of these cards
        assert tokens_per_second(work, catalog.get_gpu("RTX 3090"), 2, split="tensor").decode.value > one.decode.value

    def test_a_mixture_of_experts_reads_its_active_weights_only(self, catalog: Catalog) -> None:
        gpu = catalog.get_gpu("RTX 4090")
        common = {"precision": Precision.FP16, "quant": "q4_k_m", "seq_len": 1024}
        sparse = tokens_per_second(job(catalog, "Qwen3-30B-A3B", Method.INFERENCE, **common), gpu)
        dense = tokens_per_second(job(catalog, "Qwen3-32B", Method.INFERENCE, **common), gpu)
        assert sparse.decode.value > 2 * dense.decode.value

    def test_more_users_share_one_reading_of_the_weights(self, catalog: Catalog) -> None:
        work = job(catalog, "Llama-3-8B", Method.INFERENCE, precision=Precision.FP16, seq_len=1024)
        one, ten = (tokens_per_second(work, catalog.get_gpu("RTX 4090"), users=n) for n in (1, 10))
        assert ten.decode.value > 4 * one.decode.value
        assert ten.per_user <= one.per_user


class TestDocuments:
    """The documents' own figures, as what they are."""

    def test_bandwidth_and_theory_of_a100_over_v100(self) -> None:
        assert published.bandwidth_ratio().value == pytest.approx(1.728, abs=0.001)
        theory = published.theory_range()
        assert (round(theory.low or 0, 2), round(theory.high or 0, 2)) == (1.78, 1.87)

    def test_measured_ratios_stand_beside_them_with_their_year(self) -> None:
        found = {one.code: one for one in published.measured_ratios()}
        assert found["measured_nlp"].value == 1.70
        assert found["measured_cv"].value == 1.45
        assert {one.year for one in found.values()} == {2020}

    def test_cycles_of_the_matrix_product_are_computed_step_by_step(self) -> None:
        without, with_cores, ratio = published.matmul_cycles()
        assert (without.value, with_cores.value) == (392, 221)
        assert without.trace.how == "200 + 8 x 20 + 8 x 4"
        assert ratio.value == pytest.approx(1.774, abs=0.001)
        rows = {row for step in steps(ratio.trace) for row in step.rows}
        assert {"002-027", "002-028", "002-029", "002-030", "002-037", "002-039", "002-042", "002-043"} <= rows

    def test_batch_doubling_compounds(self) -> None:
        assert published.batch_doubling(1).value == pytest.approx(1.136)
        assert published.batch_doubling(3).value == pytest.approx(1.136**3)
        assert published.batch_doubling(1, transformer=True).value == pytest.approx(1.135)

    def test_eight_cards_of_two_generations(self) -> None:
        assert [round(one.value, 2) for one in published.eight_cards()] == [7.0, 6.67, 6.54]

    @pytest.mark.parametrize(("hours", "cards"), [(20, 1), (24, 1), (25, 2), (48, 2), (90, 4), (192, 8), (200, None)])
    def test_the_day_rule(self, hours: float, cards: int | None) -> None:
        assert published.cards_by_day_rule(hours) == cards

    def test_the_dgx_feeds_a_thousand_images_to_each_card(self) -> None:
        assert [one.value for one in published.dgx_images()] == [8000.0, 1000.0, 16000.0]

    def test_value_counts_the_whole_machine(self) -> None:
        assert published.value_per_price(1.0, 1000.0, 1000.0).value == pytest.approx(0.0005)
        assert published.value_per_price(1.0, 1000.0, 1000.0).rows == ("002-117", "002-118")
        with pytest.raises(OutOfRange):
            published.value_per_price(1.0, 0.0, 0.0)

    def test_known_pairs_are_recognised_and_others_are_not(self, catalog: Catalog) -> None:
        def pair(*names: str) -> tuple[Gpu, Gpu]:
            first, second = (catalog.get_gpu(name) for name in names)
            return first, second

        assert len(published.known_pairs(*pair("A100 40GB SXM4", "Tesla V100 SXM2 16GB"))) == 4
        assert published.known_pairs(*pair("RTX 3090", "RTX 2080 Ti"))[0].value == 1.57
        assert published.known_pairs(*pair("RTX 4090", "RTX 3090")) == ()


class TestCount:
    def test_cards_for_a_day_calibrated_beside_the_rule(self, catalog: Catalog) -> None:
        made = gpus_needed(job(catalog, "resnet50", batch=64), catalog.get_gpu("RTX 3090"), one_card_hours=90)
        assert made.by_rule == 4
        assert made.n_gpus == 4
        assert made.hours <= 24

    def test_where_scaling_is_poor_more_cards_are_needed_than_the_rule_says(self, catalog: Catalog) -> None:
        work = job(catalog, "bert-large-uncased", Method.FULL, batch=4, seq_len=384)
        made = gpus_needed(work, catalog.get_gpu("RTX 3090"), one_card_hours=46)
        assert made.by_rule == 2
        assert made.n_gpus is None or made.n_gpus > 2


class TestLoading:
    def test_the_slower_of_cores_and_disk_decides(self) -> None:
        few = data_loading_bound(2, "nvme", wanted_per_s=1000)
        assert few.limit == "cpu"
        assert not few.keeps_up
        many = data_loading_bound(64, "hdd", sample_kb=500, wanted_per_s=1000)
        assert many.limit == "disk"
        assert many.by_disk == pytest.approx(200_000 / 500)

    def test_what_keeping_up_takes_is_said(self) -> None:
        made = data_loading_bound(2, "hdd", wanted_per_s=1000)
        assert made.cores_needed == 5
        assert made.disk_mb_per_s_needed == pytest.approx(115)

    @pytest.mark.parametrize("disk", ["floppy", 0.0])
    def test_unknown_disks_are_refused(self, disk: str | float) -> None:
        with pytest.raises(OutOfRange):
            data_loading_bound(4, disk)
