"""Reading a prompt: twice the active parameters in operations a token, attention over what stands before, and the
weights read once for every piece that is worked on together."""

from __future__ import annotations

from typing import Final, NamedTuple

from advisor.attention import heads_of
from advisor.errors import UnsupportedCombination
from advisor.models import MlModel, Workload
from advisor.speed.arithmetic import arithmetic_peak
from advisor.speed.card import CardRates
from advisor.speed.decode import Reading, asked_reading, layer_seconds, memory_rate
from advisor.speed.engines import BY_NAME, Engine
from advisor.speed.fitted import FITTED

_USUAL_PROMPT: Final = 512
_ROTATED: Final = 64
"""Width of the rotated part that stands beside a latent vector (DeepSeek's configurations)."""
_SCORE_PASSES: Final = 5.0


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


def product_rate(card: CardRates, asked: Reading, engine: Engine, *, wide: bool, narrower: float = 1.0) -> float:
    """Operations a second that matrix products of a prompt reach.

    Args:
        card: the card.
        asked: the model as stored.
        engine: the software; one that unpacks weights on the way does not use the newest tensor instructions.
        wide: weights are stored in 16 bits or more, so nothing is unpacked.
        narrower: times the 16-bit peak that products of fewer bits reach, where the software runs them.

    Raises:
        UnsupportedCombination: no compute figure of the card is known.
    """
    if not card.prompt_peak:
        raise UnsupportedCombination("no compute figure is known for this card", gpu=card.gpu.name, missing="tflops")
    if not card.tensor:
        rate = card.prompt_peak * FITTED["prompt.simd_share" if card.blocks else "prompt.vector_share"]
    elif engine.unpacks and card.idle:
        rate = max(card.vector_peak, card.half) * FITTED["prompt.vector_share"]
    elif engine.unpacks:
        rate = card.prompt_peak * FITTED["prompt.unpacked_share"] * (FITTED["prompt.wide_gain"] if wide else 1.0)
    else:
        rate = card.prompt_peak * narrower * FITTED["prompt.tensor_share"]
    return rate


def expert_share(asked: Reading, tokens: float) -> float:
    """Of that rate, what products reach with so many tokens at once: each expert multiplies only those that chose it,
    and tiles of matrices are not filled."""
    if not asked.routed:
        return 1.0
    each = tokens * asked.chosen / asked.routed
    return each / (each + FITTED["prompt.expert_tokens"])


def attention_ops(model: MlModel, depth: float, cache_values: float, *, latent: bool = False) -> float:
    """Operations of one token against `depth` tokens before it, in all layers.

    `latent`: scores are taken against the latent vectors as they are cached, which are wider than a head.
    """
    heads, width = heads_of(model, usual_width=128)
    layers = model.decoder_layers or model.layers or 0
    if latent and model.kv_lora_rank:
        return (4.0 * model.kv_lora_rank + 2.0 * _ROTATED) * heads * layers * depth
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
    length = workload.seq_len or _USUAL_PROMPT
    together = min(piece or software.piece, max(1, length))
    rate = product_rate(
        card,
        asked,
        software,
        wide=not asked.narrow and asked.total >= 1.9 * workload.ml_model.parameters,
        narrower=arithmetic_peak(card, workload) / card.tensor if software.batches and card.tensor else 1.0,
    )
    behind = depth + length / 2.0
    ops = attention_ops(workload.ml_model, behind, asked.cache.values(behind), latent=software.unpacks)
    attention = ops / (rate * FITTED["prompt.attention_share"])
    if software.early:
        attention += _scores_bytes(workload.ml_model, behind) / memory_rate(card, software)
    return PromptTime(
        compute=2.0 * asked.active / (rate * expert_share(asked, together)),
        attention=attention,
        reading=(asked.common + asked.experts_read(together)) / memory_rate(card, software) / together,
        launch=layer_seconds(card, asked, software) / together,
    )


def _scores_bytes(model: MlModel, depth: float) -> float:
    """Bytes that the scores of one token move when they are written out: put out, scaled, normalised, read again."""
    return _SCORE_PASSES * 4.0 * heads_of(model, usual_width=128)[0] * (model.layers or 0) * depth


def together(engine: str, n_gpus: int, tokens: float) -> float:
    """Times as many prompt tokens a second as one card reads.

    Engines for many requests split each layer. Others split layers into stages through which pieces of the prompt
    follow each other: the last stage waits while the first pieces come through.
    """
    software = BY_NAME[engine]
    if software.batches:
        return float(n_gpus**0.6)
    if n_gpus == 1 or not software.pipelines:
        return 1.0
    pieces = max(1.0, tokens / software.piece)
    return n_gpus * pieces / (n_gpus + pieces - 1.0)


def prefill_tokens_per_s(
    card: CardRates, workload: Workload, n_gpus: int = 1, engine: str = "engine", piece: int | None = None
) -> float:
    """Prompt tokens per second on one card or several; `piece` as in `prompt_time`."""
    gain = together(engine, n_gpus, workload.seq_len or _USUAL_PROMPT)
    return gain * prompt_time(card, workload, engine=engine, piece=piece).tokens_per_s
