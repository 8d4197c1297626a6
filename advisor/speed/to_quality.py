"""Runs until a target quality is reached, as MLPerf Training measures them on clusters of up to thousands of cards."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import exp, log

from advisor.datafiles import read_data
from advisor.errors import UnsupportedCombination
from advisor.models import Frozen, Gpu, Method, Precision, Workload
from advisor.speed.card import compute_rates
from advisor.speed.clusters import divided
from advisor.speed.denoise import denoiser_named, train_step
from advisor.speed.rate import rate_of

_HOST_CARDS = 8
_BENCHMARK_STACK = "engine"


class Target(Frozen):
    """One benchmark of data/mlperf.yaml, whose head says what the fields mean."""

    samples: Mapping[int, float]
    length: int | None = None
    edge: int | None = None

    def samples_at(self, batch: float) -> float:
        """Samples until the target at this global batch."""
        known = sorted(self.samples.items())
        low = [pair for pair in known if pair[0] <= batch] or known[:1]
        high = [pair for pair in known if pair[0] >= batch] or known[-1:]
        (left, few), (right, many) = low[-1], high[0]
        if left == right:
            return few
        share = (log(batch) - log(left)) / (log(right) - log(left))
        return exp(log(few) + share * (log(many) - log(few)))


@lru_cache(maxsize=1)
def targets() -> Mapping[str, Target]:
    """All of data/mlperf.yaml."""
    made: Mapping[str, Target] = read_data("mlperf.yaml", dict[str, Target])
    return made


def seconds_to_quality(benchmark: str, workload: Workload, gpu: Gpu, n_gpus: int, batch: int) -> float:
    """Seconds of training until the benchmark's target quality.

    Args:
        benchmark: a key of data/mlperf.yaml.
        workload: the network and how it is trained.
        gpu: the card.
        n_gpus: cards together.
        batch: global batch.

    Raises:
        UnsupportedCombination: nobody published how many samples this benchmark needs.
    """
    target = targets().get(benchmark)
    if target is None:
        raise UnsupportedCombination(
            f"how many samples {benchmark or 'this run'} needs until its target is not known", task=benchmark
        )
    samples = target.samples_at(batch)
    if benchmark == "stable_diffusion":
        return samples / _pictures_per_s(gpu, n_gpus, batch, target.edge or 512)
    sharing = max(1, n_gpus // batch)
    job = workload.model_copy(
        update={
            "batch": max(1, batch // n_gpus),
            "seq_len": target.length,
            "resolution": (target.edge, target.edge) if target.edge else None,
            "precision": Precision.FP8 if gpu.fp8_tflops and target.length else Precision.BF16_MIXED,
        }
    )
    rate = rate_of(job, gpu, n_gpus, stack=_BENCHMARK_STACK)
    rate = divided(rate, min(sharing, _HOST_CARDS))
    per_second = rate.per_second / (rate.demand.units_per_sample if rate.unit == "tok" and rate.demand else 1.0)
    return samples / per_second


def _pictures_per_s(gpu: Gpu, n_gpus: int, batch: int, edge: int) -> float:
    """Of the benchmark's Stable Diffusion, whose iterations are captured whole as one graph of launches
    (docs.nvidia.com/dl-cuda-graph, example Stable Diffusion v2)."""
    shape = denoiser_named("Stable Diffusion v2")
    assert shape is not None
    each = max(1, batch // n_gpus)
    card = compute_rates(gpu)
    step = train_step(
        card, shape, (edge, edge), 1, each, method=Method.FULL, recompute="none", compiled=True, captured=True
    )
    return n_gpus * each / step.total
