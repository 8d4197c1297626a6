"""Laws of the memory model that hold for any job."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.errors import AdvisorError
from advisor.memory import MemoryEstimate, Verdict, estimate_memory, fit_estimate, memory_tricks
from advisor.models import Method, Optimizer, Parallel, Precision, Workload
from tests.advisor.memory_jobs import catalog

_MODELS = sorted(catalog().ml_models.values(), key=lambda one: one.id)
_ORDER = {Verdict.NO: 0, Verdict.TIGHT: 1, Verdict.FITS: 2}

workloads = st.builds(
    Workload,
    ml_model=st.sampled_from(_MODELS),
    method=st.sampled_from(list(Method)),
    precision=st.none() | st.sampled_from(list(Precision)),
    quant=st.none() | st.sampled_from(["nf4", "gptq-int4", "q4_k_m", "int8", "q8_0"]),
    optimizer=st.none() | st.sampled_from([Optimizer.SGD, Optimizer.ADAM, Optimizer.ADAM_8BIT, Optimizer.ADAFACTOR]),
    batch=st.none() | st.integers(1, 512),
    seq_len=st.none() | st.integers(1, 65_536),
    checkpointing=st.none() | st.booleans(),
    flash_attention=st.none() | st.booleans(),
    grad_accum=st.none() | st.integers(1, 64),
    lora_rank=st.none() | st.integers(1, 512),
    n_gpus=st.sampled_from([1, 2, 8, 64]),
    parallel=st.none() | st.sampled_from(list(Parallel)),
    offload=st.booleans(),
    framework=st.none() | st.sampled_from(["transformers", "litgpt", "torchtune", "deepspeed", "vllm", "tensorflow"]),
)


def estimated(workload: Workload) -> MemoryEstimate | None:
    try:
        return estimate_memory(workload)
    except AdvisorError:
        return None


def changed(workload: Workload, **changes: object) -> Workload:
    return workload.model_copy(update=changes)


@settings(max_examples=300)
@given(workloads)
def test_components_are_not_negative_and_add_up(workload: Workload) -> None:
    found = estimated(workload)
    if found is not None:
        values = [float(step.value or 0) for step in found.components]
        assert min(values) >= 0
        assert sum(values) == pytest.approx(found.total.value)
        assert 0 < found.total.low <= found.total.value <= found.total.high < 1e9


@settings(max_examples=150)
@given(workloads, st.floats(1, 1000), st.floats(1, 1000))
def test_more_vram_never_stops_fitting(workload: Workload, one: float, other: float) -> None:
    found = estimated(workload)
    if found is not None:
        less, more = sorted((one, other))
        small, large = fit_estimate(found, None, less), fit_estimate(found, None, more)
        assert _ORDER[large.verdict] >= _ORDER[small.verdict]
        assert (large.probability or 0) >= (small.probability or 0)


@settings(max_examples=150)
@given(workloads, st.integers(1, 256), st.integers(1, 256))
def test_need_grows_with_batch(workload: Workload, one: int, other: int) -> None:
    less, more = sorted((one, other))
    small, large = estimated(changed(workload, batch=less)), estimated(changed(workload, batch=more))
    if small and large:
        assert large.total.value >= small.total.value - 1e-9


@settings(max_examples=150)
@given(workloads, st.integers(1, 32_768), st.integers(1, 32_768))
def test_need_grows_with_sequence(workload: Workload, one: int, other: int) -> None:
    less, more = sorted((one, other))
    small, large = estimated(changed(workload, seq_len=less)), estimated(changed(workload, seq_len=more))
    if small and large:
        assert large.total.value >= small.total.value - 1e-9


@settings(max_examples=100)
@given(
    st.floats(0.5, 400),
    st.floats(0.5, 400),
    st.sampled_from([Method.INFERENCE, Method.LORA, Method.QLORA, Method.FULL]),
)
def test_need_grows_with_parameters(one: float, other: float, method: Method) -> None:
    less, more = sorted((one, other))
    if more / less < 1.1:
        return
    make = catalog().generic_ml_model
    small = estimate_memory(Workload(ml_model=make(less * 1e9), method=method, checkpointing=True))
    large = estimate_memory(Workload(ml_model=make(more * 1e9), method=method, checkpointing=True))
    assert large.total.value > small.total.value


@settings(max_examples=100)
@given(workloads)
def test_the_same_job_gives_the_same_answer(workload: Workload) -> None:
    assert estimated(workload) == estimated(workload)


@settings(max_examples=60)
@given(workloads, st.floats(4, 200))
def test_tricks_never_need_more_and_keep_their_order(workload: Workload, vram: float) -> None:
    try:
        plan = memory_tricks(workload, vram_gib=vram)
    except AdvisorError:
        return
    need = plan.start.total.value
    for trick in plan.tricks:
        assert trick.saves_gib >= 0
        if trick.saves_gib:
            assert trick.need.value < need
            need = trick.need.value
    if plan.first_that_fits is not None:
        assert plan.tricks[plan.first_that_fits].fits
