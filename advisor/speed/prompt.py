"""Reading a prompt: twice the active parameters in operations a token, attention over what stands before, and the
weights read once for every piece that is worked on together."""

from __future__ import annotations

from typing import Final, NamedTuple

from advisor.attention import heads_of
from advisor.errors import UnsupportedCombination
from advisor.models import MlModel, Workload
from advisor.speed.card import CardRates
from advisor.speed.decode import Reading, asked_reading, layer_seconds, memory_rate
from advisor.speed.engines import BY_NAME, Engine
from advisor.speed.fitted import FITTED

_PIECE: Final = 512
"""Tokens that llama.cpp works on together unless told otherwise (its documentation, `-ub`)."""
_LARGE_PIECE: Final = 4096
"""The same in engines for many requests."""
_REFERENCE: Final = 1.5e14
"""Operations a second around which unpacking kernels were measured; far above it they fall behind the peak."""


class PromptTime(NamedTuple):
    """Seconds per prompt token, by what they are spent on."""

    compute: float
    attention: float
    reading: float
    launch: float

    @property
    def total(self) -> float:
        """All of it: the parts follow each other."""
        return self.compute + self.attention + self.reading + self.launch

    @property
    def tokens_per_s(self) -> float:
        """Prompt tokens a second."""
        return 1.0 / self.total


def product_rate(card: CardRates, asked: Reading, engine: Engine, *, wide: bool) -> float:
    """Operations a second that matrix products of a prompt reach.

    Args:
        card: the card.
        asked: the model as stored.
        engine: the software; one that unpacks weights on the way does not use the newest tensor instructions.
        wide: weights are stored in 16 bits or more, so nothing is unpacked.

    Raises:
        UnsupportedCombination: no compute figure of the card is known.
    """
    if not card.prompt_peak:
        raise UnsupportedCombination("no compute figure is known for this card", gpu=card.gpu.name, missing="tflops")
    if not card.tensor:
        rate = card.prompt_peak * FITTED["prompt.vector_share"]
    elif engine.unpacks:
        share = FITTED["prompt.unpacked_share"] * (FITTED["prompt.wide_gain"] if wide else 1.0)
        rate = share * _REFERENCE * (card.prompt_peak / _REFERENCE) ** FITTED["prompt.peak_power"]
    else:
        rate = card.prompt_peak * FITTED["prompt.tensor_share"]
    return rate * (FITTED["prompt.expert_share"] if asked.routed else 1.0)


def attention_ops(model: MlModel, depth: float, cache_values: float) -> float:
    """Operations of one token against `depth` tokens before it, in all layers."""
    heads, width = heads_of(model, usual_width=128)
    layers = model.decoder_layers or model.layers or 0
    keys = 2.0 * (model.kv_heads or heads) * width * layers
    looked_at = cache_values / keys if keys and not model.kv_lora_rank else depth
    return 4.0 * heads * width * layers * looked_at


def prompt_time(
    card: CardRates,
    workload: Workload,
    *,
    depth: float = 0.0,
    engine: str = "engine",
    piece: int | None = None,
) -> PromptTime:
    """Seconds per prompt token with weights and cache on one card.

    Args:
        card: the card.
        workload: model and weight format; `seq_len` is the prompt's length.
        depth: tokens that already stand before it.
        engine: software, a key of engines.BY_NAME.
        piece: tokens worked on together; the software's usual number when None.

    Raises:
        UnsupportedCombination: no layer sizes, or no compute figure of the card.
    """
    asked, software = asked_reading(workload), BY_NAME[engine]
    length = workload.seq_len or _PIECE
    together = min(piece or (_LARGE_PIECE if software.batches else _PIECE), max(1, length))
    rate = product_rate(
        card, asked, software, wide=not asked.narrow and asked.total >= 1.9 * workload.ml_model.parameters
    )
    behind = depth + length / 2.0
    ops = attention_ops(workload.ml_model, behind, asked.cache.values(behind))
    return PromptTime(
        compute=2.0 * asked.active / rate,
        attention=ops / (rate * FITTED["prompt.attention_share"]),
        reading=(asked.common + asked.experts_read(together)) / memory_rate(card) / together,
        launch=layer_seconds(asked, software) / together,
    )


def prefill_tokens_per_s(card: CardRates, workload: Workload, n_gpus: int = 1, engine: str = "engine") -> float:
    """Prompt tokens per second; several cards that work at once give less than in proportion."""
    return float(n_gpus**0.7) * prompt_time(card, workload, engine=engine).tokens_per_s
