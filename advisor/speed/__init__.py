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
    from advisor.speed.denoise import pictures_per_minute
    from advisor.speed.estimate import estimate_throughput
    from advisor.speed.generation import tokens_per_second
    from advisor.speed.hosts import Host, host_of, usual_host
    from advisor.speed.loading import data_loading_bound
    from advisor.speed.matmul import matmul_tflops
    from advisor.speed.offload import offloaded_generation
    from advisor.speed.pretrain import pretraining_time
    from advisor.speed.rate import Rate, rate_of
    from advisor.speed.results import (
        CountEstimate,
        GenerationEstimate,
        LoadingBound,
        OffloadEstimate,
        PictureEstimate,
        PretrainEstimate,
        PublishedFigure,
        RelativeSpeed,
        ScalingEstimate,
        ServingEstimate,
        SpeechEstimate,
        SpeedEstimate,
        TimeEstimate,
    )
    from advisor.speed.serving import serving_throughput
    from advisor.speed.speech import speech_real_time
    from advisor.speed.timing import estimate_time, gpus_needed

__all__ = [
    "DATASETS",
    "CountEstimate",
    "Dataset",
    "GenerationEstimate",
    "Host",
    "LoadingBound",
    "OffloadEstimate",
    "PictureEstimate",
    "PretrainEstimate",
    "PublishedFigure",
    "Rate",
    "RelativeSpeed",
    "ScalingEstimate",
    "ServingEstimate",
    "SpeechEstimate",
    "SpeedEstimate",
    "TimeEstimate",
    "data_loading_bound",
    "estimate_throughput",
    "estimate_time",
    "find_dataset",
    "gpus_needed",
    "host_of",
    "matmul_tflops",
    "offloaded_generation",
    "pictures_per_minute",
    "pretraining_time",
    "rate_of",
    "relative_speed",
    "scaling",
    "scaling_table",
    "serving_throughput",
    "speech_real_time",
    "speed_ratio",
    "tokens_per_second",
    "usual_host",
]

_HOMES = {
    "CountEstimate": "results",
    "DATASETS": "datasets",
    "Dataset": "datasets",
    "GenerationEstimate": "results",
    "Host": "hosts",
    "LoadingBound": "results",
    "OffloadEstimate": "results",
    "PictureEstimate": "results",
    "PretrainEstimate": "results",
    "PublishedFigure": "results",
    "Rate": "rate",
    "RelativeSpeed": "results",
    "ScalingEstimate": "results",
    "ServingEstimate": "results",
    "SpeechEstimate": "results",
    "SpeedEstimate": "results",
    "TimeEstimate": "results",
    "data_loading_bound": "loading",
    "estimate_throughput": "estimate",
    "estimate_time": "timing",
    "find_dataset": "datasets",
    "gpus_needed": "timing",
    "host_of": "hosts",
    "matmul_tflops": "matmul",
    "offloaded_generation": "offload",
    "pictures_per_minute": "denoise",
    "pretraining_time": "pretrain",
    "rate_of": "rate",
    "relative_speed": "compare",
    "scaling": "compare",
    "scaling_table": "compare",
    "serving_throughput": "serving",
    "speech_real_time": "speech",
    "speed_ratio": "compare",
    "tokens_per_second": "generation",
    "usual_host": "hosts",
}

__getattr__ = names_from(__name__, _HOMES)
