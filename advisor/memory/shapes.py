"""Widths and depths of a transformer as memory needs them, completed where the catalogue is silent.

What the catalogue leaves open is filled from parameter counts, never guessed past them: the feed-forward block is
taken as gated when two matrices cannot make up the counted parameters and three can.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from advisor.attention import NO_CACHE, Cache, cache_of, heads_of
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


@kept(most=2048)
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


@kept(most=2048)
def shape_of(model: MlModel) -> Shape:
    """The shape used for activations, cache and logits of a model that is made of transformer layers."""
    known = bool(model.layers and model.hidden)
    layers, hidden = (model.layers or 0, model.hidden or 0) if known else _fallback_shape(model.parameters)
    heads, head_dim = heads_of(model, hidden=hidden)
    q_width, kv_width = heads * head_dim, (model.kv_heads or heads) * head_dim
    decoder = model.modality in _DECODERS
    vocab, table, copies = _tables(model, hidden, decoder=decoder)
    total = model.active_parameters or model.parameters
    body = max(total - table * copies, 0.4 * total)
    feed_forward = max(body / layers - 2.0 * hidden * (q_width + kv_width), hidden * hidden)
    gated, intermediate = _feed_forward(model, hidden, feed_forward, decoder=decoder)
    embedding = min(table, 0.5 * model.parameters)
    head = embedding * (copies - 1)
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
        assumed=() if known else ("shape",),
    )


_DECODERS: Final = frozenset({"text-decoder", "text-enc-dec", "multimodal"})


def _tables(model: MlModel, hidden: int, *, decoder: bool) -> tuple[int, float, int]:
    """Size of the vocabulary, parameters of its table, and how many such tables there are: a head may have its own."""
    vocab = model.vocab or (32_000 if decoder else 0)
    tied = model.tied_embeddings if model.tied_embeddings is not None else not decoder
    return vocab, float(vocab * hidden), 1 if tied else 2


def _feed_forward(model: MlModel, hidden: int, parameters: float, *, decoder: bool) -> tuple[bool, float]:
    """Whether the feed-forward block has a gate (three matrices instead of two), and how wide it is."""
    if model.active_parameters and model.active_parameters < model.parameters:
        return True, parameters / (3.0 * hidden)
    wide = float(model.intermediate or 4 * hidden)
    gated = decoder and parameters / (hidden * wide) > 2.5
    return gated, wide if model.intermediate else parameters / (2.0 * hidden)
