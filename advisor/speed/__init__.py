"""How fast a card does a job, how several do, how long it takes, and what the documents said of it.

Pure functions over the catalogue's figures, calibrated on published measurements (`calibration`); how well they do is
in advisor/VALIDATION.md. `rate_of` is the fast path (about ten microseconds), the others add bands and trails.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.lazy import names_from

if TYPE_CHECKING:
    from advisor.speed.compare import relative_speed, scaling, scaling_table, speed_ratio
    from advisor.speed.datasets import DATASETS, Dataset, find_dataset
    from advisor.speed.estimate import estimate_throughput
    from advisor.speed.generation import tokens_per_second
    from advisor.speed.loading import data_loading_bound
    from advisor.speed.matmul import matmul_tflops
    from advisor.speed.rate import Rate, rate_of
    from advisor.speed.results import (
        CountEstimate,
        GenerationEstimate,
        LoadingBound,
        PublishedFigure,
        RelativeSpeed,
        ScalingEstimate,
        SpeedEstimate,
        TimeEstimate,
    )
    from advisor.speed.timing import estimate_time, gpus_needed

__all__ = [
    "DATASETS",
    "CountEstimate",
    "Dataset",
    "GenerationEstimate",
    "LoadingBound",
    "PublishedFigure",
    "Rate",
    "RelativeSpeed",
    "ScalingEstimate",
    "SpeedEstimate",
    "TimeEstimate",
    "data_loading_bound",
    "estimate_throughput",
    "estimate_time",
    "find_dataset",
    "gpus_needed",
    "matmul_tflops",
    "rate_of",
    "relative_speed",
    "scaling",
    "scaling_table",
    "speed_ratio",
    "tokens_per_second",
]

_HOMES = {
    "CountEstimate": "results",
    "DATASETS": "datasets",
    "Dataset": "datasets",
    "GenerationEstimate": "results",
    "LoadingBound": "results",
    "PublishedFigure": "results",
    "Rate": "rate",
    "RelativeSpeed": "results",
    "ScalingEstimate": "results",
    "SpeedEstimate": "results",
    "TimeEstimate": "results",
    "data_loading_bound": "loading",
    "estimate_throughput": "estimate",
    "estimate_time": "timing",
    "find_dataset": "datasets",
    "gpus_needed": "timing",
    "matmul_tflops": "matmul",
    "rate_of": "rate",
    "relative_speed": "compare",
    "scaling": "compare",
    "scaling_table": "compare",
    "speed_ratio": "compare",
    "tokens_per_second": "generation",
}

__getattr__ = names_from(__name__, _HOMES)
