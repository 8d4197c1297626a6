"""Widths and depths of a transformer as memory needs them, completed where the catalogue is silent.

What the catalogue leaves open is filled from parameter counts, never guessed past them: the feed-forward block is
taken as gated when two matrices cannot make up the counted parameters and three can.
"""

from __future__ import annotations

from dataclasses import dataclass

from advisor.attention import NO_CACHE, Cache, cache_of
from advisor.kept import kept
from advisor.models import MlModel

_ALWAYS_ACTIVE = 0.5
"""Share of the active parameters outside of experts where a record does not count experts: attention, embeddings."""
TEXT = ("text-encoder", "text-decoder", "text-enc-dec", "multimodal", "speech")


@dataclass(frozen=True, slots=True)
class Shape:
    """One transformer. Widths marked `_ratio` are in units of `hidden`."""

    parameters: float
    layers: int
    hidden: int
    q_ratio: float
    kv_ratio: float
    ffn_ratio: float
    heads: int
    vocab: int
    gated: bool
    decoder: bool
    embedding: float
    """Parameters of the embedding table."""
    head: float
    """Parameters of the output layer; 0 when it shares the embedding."""
    matrices: float
    """Parameters of all other matrices."""
    cache: Cache
    """What the layers that keep a context hold per token."""
    relative_attention: bool
    assumed: tuple[str, ...] = ()


def _fallback_shape(parameters: float) -> tuple[int, int]:
    """Depth and width of a usual transformer of this size: 128 wide per layer, 12 x width**2 parameters a layer."""
    layers = max(2, round((parameters / 196_608) ** (1 / 3)))
    hidden = max(128, round((parameters / (12 * layers)) ** 0.5 / 64) * 64)
    return layers, hidden


@kept(most=512)
def expert_parameters(model: MlModel) -> float:
    """Parameters that lie in routed experts; 0 for dense models.

    From the widths where the record has them; else from total and active parameters and the number of experts: each
    token meets `experts_per_token` of `experts`, so what is not active lies in the others.
    """
    active = model.active_parameters or model.parameters
    if active >= model.parameters:
        return 0.0
    if model.experts and model.expert_intermediate and model.hidden and model.layers:
        counted = 3.0 * model.layers * model.experts * model.hidden * model.expert_intermediate
        return min(counted, model.parameters - 0.1 * active)
    if model.experts and model.experts_per_token:
        return (model.parameters - active) * model.experts / (model.experts - model.experts_per_token)
    return model.parameters - _ALWAYS_ACTIVE * active


@kept(most=512)
def shape_of(model: MlModel) -> Shape:
    """The shape used for activations, cache and logits of a model that is made of transformer layers."""
    assumed: list[str] = []
    layers, hidden = model.layers, model.hidden
    if not layers or not hidden:
        layers, hidden = _fallback_shape(model.parameters)
        assumed.append("shape")
    heads = model.heads or max(1, hidden // 64)
    head_dim = model.head_dim or max(1, hidden // heads)
    kv_heads = model.kv_heads or heads
    decoder = model.modality in ("text-decoder", "text-enc-dec", "multimodal")
    vocab = model.vocab or (32_000 if decoder else 0)
    q_width, kv_width = heads * head_dim, kv_heads * head_dim
    embedding = float(vocab * hidden)
    attention = 2.0 * hidden * q_width + 2.0 * hidden * kv_width
    total = model.active_parameters or model.parameters
    tied = model.tied_embeddings if model.tied_embeddings is not None else not decoder
    body = max(total - embedding * (1 if tied else 2), 0.4 * total)
    ffn_parameters = max(body / layers - attention, hidden * hidden)
    intermediate = float(model.intermediate or 4 * hidden)
    gated = decoder and ffn_parameters / (hidden * intermediate) > 2.5
    if model.active_parameters and model.active_parameters < model.parameters:
        gated, intermediate = True, ffn_parameters / (3.0 * hidden)
    elif not model.intermediate:
        intermediate = ffn_parameters / (2.0 * hidden)
    embedding = min(embedding, 0.5 * model.parameters)
    head = 0.0 if tied else embedding
    return Shape(
        parameters=model.parameters,
        layers=layers,
        hidden=hidden,
        q_ratio=q_width / hidden,
        kv_ratio=kv_width / hidden,
        ffn_ratio=intermediate / hidden,
        heads=heads,
        vocab=vocab,
        gated=gated,
        decoder=decoder,
        embedding=embedding,
        head=head,
        matrices=max(model.parameters - embedding - head, 0.0),
        cache=(cache_of(model) or Cache(2.0 * kv_width * layers, 0.0, 0, 0.0)) if decoder else NO_CACHE,
        relative_attention="transformer-xl" in model.name.lower(),
        assumed=tuple(assumed),
    )
