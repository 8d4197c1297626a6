"""Properties of the speed model that hold for any card and any job."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.models import Gpu, Method, Precision, Workload
from advisor.speed import estimate_time, rate_of, relative_speed, scaling, tokens_per_second
from advisor.speed.published import batch_doubling
from tests.conftest import shared_catalog

CATALOG = shared_catalog()
MODELS = ("resnet50", "bert-base-uncased", "YOLOv8m", "vit_b_16", "Llama-2-7b-hf", "efficientnet_b0")
CARDS = [
    gpu for gpu in CATALOG.gpus.values() if gpu.vendor == "NVIDIA" and gpu.memory_bandwidth_gb_per_s and gpu.fp32_tflops
]

cards = st.sampled_from(CARDS)
batches = st.integers(1, 512)
jobs = st.builds(
    lambda name, batch, precision: Workload(
        ml_model=CATALOG.get_ml_model(name),
        method=Method.LORA if name.startswith("Llama") else Method.TRAIN,
        precision=precision,
        batch=batch,
        seq_len=256,
    ),
    st.sampled_from(MODELS),
    batches,
    st.sampled_from([Precision.FP16_MIXED, Precision.TF32, Precision.FP32]),
)
generations = st.builds(
    lambda name, length, quant: Workload(
        ml_model=CATALOG.get_ml_model(name),
        method=Method.INFERENCE,
        precision=Precision.FP16,
        quant=quant,
        seq_len=length,
    ),
    st.sampled_from(("Llama-2-7b-hf", "Qwen2.5-14B", "Mixtral-8x7B-v0.1")),
    st.integers(16, 8192),
    st.sampled_from([None, "q4_k_m", "int8"]),
)


def altered(gpu: Gpu, **changes: float | None) -> Gpu:
    return gpu.model_copy(update={"id": f"{gpu.id}-altered", **changes})


@given(cards, jobs)
def test_a_rate_is_positive_and_finite(gpu: Gpu, work: Workload) -> None:
    assert 0 < rate_of(work, gpu).per_second < 1e9


@given(cards, cards, jobs)
def test_one_card_over_another_and_back_is_one(one: Gpu, other: Gpu, work: Workload) -> None:
    there, back = relative_speed(one, other, work), relative_speed(other, one, work)
    assert there.factor.value * back.factor.value == pytest.approx(1.0)
    assert there.factor.low * back.factor.high == pytest.approx(1.0)


@given(cards, cards, cards, jobs)
def test_ratios_chain(one: Gpu, other: Gpu, third: Gpu, work: Workload) -> None:
    chained = relative_speed(one, other, work).factor.value * relative_speed(other, third, work).factor.value
    assert chained == pytest.approx(relative_speed(one, third, work).factor.value)


@given(cards, jobs, st.floats(1.01, 4))
def test_more_bandwidth_is_never_slower(gpu: Gpu, work: Workload, factor: float) -> None:
    wider = altered(gpu, memory_bandwidth_gb_per_s=(gpu.memory_bandwidth_gb_per_s or 1) * factor)
    assert rate_of(work, wider).per_second >= rate_of(work, gpu).per_second


@given(cards, jobs, st.floats(1.01, 4))
def test_higher_tensor_peaks_are_never_slower(gpu: Gpu, work: Workload, factor: float) -> None:
    scaled = {
        name: value * factor
        for name in ("fp16_tensor_fp32acc_tflops", "bf16_tflops", "tf32_tflops")
        if (value := getattr(gpu, name))
    }
    assert rate_of(work, altered(gpu, **scaled)).per_second >= rate_of(work, gpu).per_second


@given(cards, jobs, st.floats(1.05, 3))
def test_a_card_better_in_everything_is_faster_by_at_most_that(gpu: Gpu, work: Workload, factor: float) -> None:
    names = (
        "memory_bandwidth_gb_per_s",
        "fp32_tflops",
        "fp16_tensor_fp32acc_tflops",
        "bf16_tflops",
        "tf32_tflops",
        "board_power_w",
    )
    better = altered(gpu, **{name: getattr(gpu, name) * factor for name in names if getattr(gpu, name)})
    ratio = rate_of(work, better).per_second / rate_of(work, gpu).per_second
    assert 1.0 - 1e-9 <= ratio <= factor * (1 + 1e-9)


@given(cards, jobs, st.integers(1, 256))
def test_a_larger_batch_is_never_slower_per_sample(gpu: Gpu, work: Workload, more: int) -> None:
    larger = work.model_copy(update={"batch": (work.batch or 1) + more})
    assert rate_of(larger, gpu).per_second >= rate_of(work, gpu).per_second * (1 - 1e-9)


@given(cards, jobs, st.sampled_from([2, 3, 4, 8, 16]))
def test_n_cards_never_give_more_than_n_times_one(gpu: Gpu, work: Workload, n: int) -> None:
    made = scaling(gpu, n, work)
    assert 0 < made.speedup.value <= n * (1 + 1e-9)
    assert made.speedup.low <= made.speedup.value <= made.speedup.high <= n * (1 + 1e-9)


@given(cards, jobs, st.sampled_from([2, 4, 8]))
def test_a_faster_link_never_scales_worse(gpu: Gpu, work: Workload, n: int) -> None:
    speeds = [scaling(gpu, n, work, link).speedup.value for link in ("pcie3", "pcie4", "pcie5")]
    assert speeds == sorted(speeds)


@given(cards, jobs, st.integers(1, 10**7), st.integers(1, 50))
def test_time_is_linear_in_the_data(gpu: Gpu, work: Workload, samples: int, times: int) -> None:
    one = estimate_time(work, gpu, samples=samples).hours
    many = estimate_time(work, gpu, samples=samples * times).hours
    assert many.value == pytest.approx(one.value * times)
    assert many.low == pytest.approx(one.low * times)


@given(cards, generations, st.floats(1.01, 4))
def test_generation_gains_from_bandwidth_and_never_passes_its_ceiling(gpu: Gpu, work: Workload, factor: float) -> None:
    made = tokens_per_second(work, gpu)
    wider = altered(gpu, memory_bandwidth_gb_per_s=(gpu.memory_bandwidth_gb_per_s or 1) * factor)
    assert tokens_per_second(work, wider).decode.value >= made.decode.value
    assert made.decode.value <= made.ceiling


@given(cards, generations, st.integers(1, 64), st.integers(1, 64))
def test_more_users_never_lower_the_total(gpu: Gpu, work: Workload, users: int, more: int) -> None:
    few, many = (tokens_per_second(work, gpu, users=n) for n in (users, users + more))
    assert many.decode.value >= few.decode.value * (1 - 1e-9)


@given(st.floats(-3, 6), st.floats(-3, 6))
def test_batch_doublings_compose(one: float, other: float) -> None:
    assert batch_doubling(one).value * batch_doubling(other).value == pytest.approx(batch_doubling(one + other).value)
