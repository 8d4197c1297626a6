"""The questions turned round: the largest batch, sequence or model that a card still holds.

All three search on the same function that answers the direct question, so that both always agree. Memory grows with
batch, sequence and parameters, so halving an interval finds the edge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from advisor.errors import AdvisorError, UnsupportedCombination
from advisor.memory.bands import probability_of_fit
from advisor.memory.estimate import need_gib
from advisor.memory.fit import SURE, usable_gib
from advisor.memory.limits import check_vram
from advisor.memory.results import LargestModel
from advisor.models import Gpu, Method, MlModel, Precision, Workload, step_of

_MOST_BATCH = 4_096
_MOST_TOKENS = 1_048_576
_SEQ_STEP = 128
_SMALLEST_MODEL, _LARGEST_MODEL = 0.3e9, 1_500e9
_COARSE = 1.25


def _usable(gpu: Gpu | None, vram_gib: float | None) -> float:
    nominal = vram_gib if vram_gib is not None else (gpu.vram_gib if gpu else None)
    if nominal is None:
        raise UnsupportedCombination("the memory of the card must be known", setting="vram", value=None)
    check_vram(nominal)
    return usable_gib(gpu, nominal)


def holds(workload: Workload, usable: float, certainty: float = SURE) -> bool:
    """Whether the job fits into `usable` GiB with at least this probability."""
    try:
        need, band = need_gib(workload)
    except AdvisorError:
        return False
    return probability_of_fit(need, band, usable) >= certainty


def _largest(fits: Callable[[int], bool], most: int) -> int:
    """Largest n in 1..most for which `fits` holds, 0 if not even 1; `fits` never turns true again."""
    if not fits(1):
        return 0
    low, high = 1, 2
    while high <= most and fits(high):
        low, high = high, high * 2
    high = min(high, most + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


EVEN: float = 0.5
"""Certainty of what fits as often as not."""


def largest_batch(
    workload: Workload, gpu: Gpu | None, vram_gib: float | None = None, *, certainty: float = SURE
) -> int:
    """Most samples per GPU and step that fit with this certainty; 0 when one does not, at most 4096."""
    usable = _usable(gpu, vram_gib)
    need_gib(workload.model_copy(update={"batch": 1}))  # raises for settings that never occur together
    return _largest(lambda n: holds(workload.model_copy(update={"batch": n}), usable, certainty), _MOST_BATCH)


def largest_seq(workload: Workload, gpu: Gpu | None, vram_gib: float | None = None, *, certainty: float = SURE) -> int:
    """Longest sequence that fits with this certainty, in steps of 128 tokens, up to what the model was made for; 0 for
    none."""
    usable = _usable(gpu, vram_gib)
    need_gib(workload.model_copy(update={"seq_len": 1}))
    most = min(workload.ml_model.max_seq or _MOST_TOKENS, _MOST_TOKENS)
    steps = _largest(
        lambda n: holds(workload.model_copy(update={"seq_len": n * _SEQ_STEP}), usable, certainty),
        max(most // _SEQ_STEP, 1),
    )
    return min(steps * _SEQ_STEP, most)


FORMATS_TO_TRY: tuple[tuple[Precision, str | None], ...] = (
    (Precision.FP16, None),
    (Precision.INT8, "int8"),
    (Precision.INT4, "q4_k_m"),
)


def largest_model(
    method: Method,
    gpu: Gpu | None,
    make_model: Callable[[float], MlModel],
    *,
    vram_gib: float | None = None,
    n_gpus: int = 1,
    seq_len: int = 4_096,
    formats: Iterable[tuple[Precision, str | None]] = FORMATS_TO_TRY,
) -> tuple[LargestModel, ...]:
    """How large a dense decoder surely fits, by number format.

    Args:
        method: inference, or a way of training; QLoRA and the like bring their own format.
        gpu: the card, or None with `vram_gib`.
        make_model: gives a decoder of typical shape for a parameter count (`Catalog.generic_ml_model`).
        vram_gib: memory per card.
        n_gpus: cards that share the job.
        seq_len: context or training length.
        formats: number formats to try for inference.
    """
    usable = _usable(gpu, vram_gib)
    tried = formats if method is Method.INFERENCE else ((None, None),)
    return tuple(
        [_largest_in(method, precision, quant, usable, make_model, n_gpus, seq_len) for precision, quant in tried]
    )


@lru_cache(maxsize=1_024)
def _largest_in(
    method: Method,
    precision: Precision | None,
    quant: str | None,
    usable: float,
    make_model: Callable[[float], MlModel],
    n_gpus: int,
    seq_len: int,
) -> LargestModel:
    """The largest model in one format, with its trail."""

    def fits(parameters: float) -> bool:
        job = Workload(
            ml_model=make_model(parameters), method=method, precision=precision, quant=quant, batch=1, seq_len=seq_len,
            n_gpus=n_gpus,
        )  # fmt: skip
        return holds(job, usable)

    low = _search_size(fits)
    given = step_of("usable", usable, "nominal memory less what the driver keeps", unit="GiB")
    how = f"largest decoder with need <= {usable:.2f} GiB, searched"
    trace = step_of("largest_model", low, how, inputs=(given,))
    return LargestModel(precision=precision or Precision.BF16, quant=quant, parameters=low, trace=trace)


def _search_size(fits: Callable[[float], bool]) -> float:
    """The largest parameter count that fits, to 3 %; 0 when none does.

    The need does not grow everywhere: adapters on very small models are in doubt, and from 1.5 billion parameters on
    activations are recomputed. So the edge is first found from above, in coarse steps.
    """
    low, high = _LARGEST_MODEL, _LARGEST_MODEL
    while low >= _SMALLEST_MODEL and not fits(low):
        low, high = low / _COARSE, low
    if low < _SMALLEST_MODEL:
        return 0.0
    while high / low > 1.03:
        middle = (low * high) ** 0.5
        middle = float(f"{middle:.3g}")
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
