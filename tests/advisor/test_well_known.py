"""Figures that people in the trade know by heart: the estimate is within a third of them, and its band holds them.

Sources stand beside each line; they are no cases of the fit unless said so.
"""

from __future__ import annotations

import pytest

from advisor.catalog import Catalog
from advisor.models import Estimate, Method, Precision, Workload
from advisor.speed.generation import tokens_per_second
from advisor.speed.pretrain import pretraining_time
from advisor.speed.speech import speech_real_time
from tests.conftest import shared_catalog

_THIRD = 1.35


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return shared_catalog()


def _met(made: Estimate, known: float) -> None:
    assert known / _THIRD <= made.value <= known * _THIRD
    assert made.low <= known <= made.high


@pytest.mark.parametrize(
    ("model", "card", "n", "quant", "engine", "known"),
    [
        ("gpt-oss-120b", "DGX Spark", 1, "mxfp4", "", 52.9),  # llama.cpp discussion 16578 (a case, too)
        ("gpt-oss-120b", "Ryzen AI Max+ 395", 1, "mxfp4", "", 50.0),  # lhl/strix-halo-testing (a case, too)
        ("llama-3-70b", "RTX 3090", 2, "q4_k_m", "", 16.5),  # XiongjieDai/GPU-Benchmarks-on-LLM-Inference
        ("llama-3-70b", "M2 Ultra", 1, "q4_k_m", "", 12.1),  # the same
        ("llama-3-8b", "H100 SXM", 1, "bf16", "sglang", 136.0),  # sglang issue 1008 (a case, too)
        ("llama-2-7b", "A100 80GB SXM", 1, "bf16", "gpt-fast", 104.9),  # gpt-fast (a case, too)
    ],
)
def test_one_stream_of_tokens(
    catalog: Catalog, model: str, card: str, n: int, quant: str, engine: str, known: float
) -> None:
    job = Workload(ml_model=catalog.get_ml_model(model), method=Method.INFERENCE, quant=quant, seq_len=64)
    _met(tokens_per_second(job, catalog.get_gpu(card), n, engine=engine).decode, known)


@pytest.mark.parametrize(
    ("model", "card", "n", "length", "per_card"),
    [
        ("llama-7b", "A100 80GB SXM", 2048, 2048, 3370.0),  # arXiv 2302.13971: 82,432 hours for 1.0T tokens
        ("llama-65b", "A100 80GB SXM", 2048, 2048, 380.0),  # arXiv 2302.13971, section 2.4
        ("llama-2-70b", "A100 80GB SXM", 2048, 4096, 323.0),  # arXiv 2307.09288, table 2
        ("tinyllama-1.1b", "A100 40GB SXM", 16, 2048, 24_000.0),  # jzhang38/TinyLlama README
        ("llama-3.1-405b", "H100 SXM", 8192, 8192, 158.0),  # arXiv 2407.21783, table 4: 400 TFLOPS a card
    ],
)
def test_tokens_of_pre_training(catalog: Catalog, model: str, card: str, n: int, length: int, per_card: float) -> None:
    job = Workload(
        ml_model=catalog.get_ml_model(model),
        method=Method.PRETRAIN,
        precision=Precision.BF16_MIXED,
        seq_len=length,
    )
    made = pretraining_time(job, catalog.get_gpu(card), n, tokens=1e12)
    _met(made.hours, 1e12 / per_card / n / 3600.0)


@pytest.mark.parametrize(
    ("batch", "beams", "known"),
    [(1, 5, 13 * 60 / 63.0), (8, 5, 13 * 60 / 17.0)],  # SYSTRAN/faster-whisper 1.1 README (cases, too)
)
def test_whisper_times_real_time(catalog: Catalog, batch: int, beams: int, known: float) -> None:
    job = Workload(ml_model=catalog.get_ml_model("whisper-large-v3"), method=Method.INFERENCE)
    _met(speech_real_time(job, catalog.get_gpu("RTX 3070 Ti"), batch=batch, beams=beams).times_real_time, known)
