"""What models keep of their context, recomputed for every model from the facts of its configuration."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import advisor
from advisor.attention import cache_of
from advisor.memory import estimate_memory
from advisor.models import MlModel
from tests.advisor.memory_jobs import GIB, catalog, job, model, part

FACTS = Path(advisor.__file__).parent / "data" / "model_facts.csv"
_EXPLICIT = ("kv_values_per_token_full", "kv_values_per_token_window")


def _facts() -> list[dict[str, str]]:
    with FACTS.open(encoding="utf-8", newline="") as handle:
        return [row for row in csv.DictReader(handle) if row["kv_values_per_token_full"]]


def _counted(record: MlModel) -> tuple[float, float]:
    """Numbers per token by going through the layers one by one, apart from the formula."""
    full = window = 0.0
    heads = record.heads or 1
    width = record.head_dim or (record.hidden or 0) // heads
    kept = record.full_layers if record.full_layers is not None else record.layers or 0
    for _ in range(kept):
        full += record.kv_lora_rank or 2 * (record.kv_heads or heads) * width
    for _ in range(record.window_layers or 0):
        window += 2 * (record.window_kv_heads or record.kv_heads or heads) * (record.window_head_dim or width)
    return full, window


def test_the_cache_of_every_decoder_is_that_of_its_configuration() -> None:
    known = catalog().ml_models
    checked = 0
    for row in _facts():
        record = known.get(row["id"])
        if record is None or not record.layers or record.modality not in ("text-decoder", "multimodal"):
            continue
        cache = cache_of(record)
        assert cache is not None, row["id"]
        assert cache.full == pytest.approx(float(row["kv_values_per_token_full"]), rel=0.01), row["id"]
        assert cache.window == pytest.approx(float(row["kv_values_per_token_window"] or 0), rel=0.01), row["id"]
        assert cache.state_bytes == pytest.approx(float(row["state_mib_per_sequence"] or 0) * 2**20, rel=0.01), row[
            "id"
        ]
        checked += 1
    assert checked >= 60


def test_every_decoder_counts_its_layers_one_by_one() -> None:
    checked = 0
    for record in catalog().ml_models.values():
        if record.modality not in ("text-decoder", "multimodal") or not record.layers or not record.hidden:
            continue
        cache = cache_of(record)
        assert cache is not None, record.id
        if any(getattr(record, name) is not None for name in _EXPLICIT) or record.decoder_layers:
            continue
        full, window = _counted(record)
        if record.sliding_window and record.full_layers is None and record.window_layers is None:
            full, window = window, full
        assert (cache.full, cache.window) == pytest.approx((full, window)), record.id
        checked += 1
    assert checked >= 100


@pytest.mark.parametrize(
    ("name", "tokens", "gib"),
    [
        ("Gemma-3-27b-it", 131_072, 10.4),
        ("Qwen3-Next-80B-A3B", 262_144, 6.1),
        ("gpt-oss-120b", 131_072, 4.5),
        ("DeepSeek-V3", 131_072, 8.6),
        ("Llama-3-8B", 8_192, 1.0),
    ],
)
def test_long_contexts_cost_what_the_layers_keep(name: str, tokens: int, gib: float) -> None:
    found = estimate_memory(job(name, "inference", batch=1, seq_len=tokens, framework="vllm"))
    assert part(found, "kv_cache") == pytest.approx(gib, rel=0.01)


def test_software_that_ignores_windows_keeps_everything() -> None:
    gemma = model("Gemma-3-27b-it")
    cache = cache_of(gemma)
    assert cache is not None
    assert 2.0 * cache.unwindowed(131_072) / GIB == pytest.approx(62.0, rel=0.01)
    served = estimate_memory(job("Gemma-3-27b-it", "inference", batch=1, seq_len=131_072, framework="ktransformers"))
    assert part(served, "kv_cache") == pytest.approx(62.0, rel=0.01)
