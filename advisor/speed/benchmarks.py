"""Networks of published speed tables that are not models people ask for, so they are not in the catalogue.

Operations are forward passes, a multiply-add counted as two. They describe the network and belong to no card.
"""

from __future__ import annotations

from advisor.models import MlModel

BENCHMARK_MODELS: tuple[MlModel, ...] = (
    MlModel(
        id="bench-ssd300-r50",
        name="SSD300 R50",
        modality="vision",
        family="SSD",
        parameters=20e6,
        gflops_per_sample=31.0,
        gflops_at="300",
        notes="ResNet-50 up to its third stage kept at 38 x 38, plus heads: summed layer by layer",
    ),
    MlModel(
        id="bench-gnmt-v2",
        name="GNMT v2",
        modality="recurrent",
        family="GNMT",
        parameters=160e6,
        gflops_per_sample=0.127,
        gflops_at="token",
        notes="four LSTM layers a side of 1024 and the classifier; a counted token passes one side",
    ),
    MlModel(
        id="bench-transformer-xl-base",
        name="Transformer-XL base",
        modality="recurrent",
        family="Transformer-XL",
        parameters=192e6,
        gflops_per_sample=0.082,
        gflops_at="token",
        notes="16 layers of 512; most parameters sit in the adaptive embedding",
    ),
)
