"""Parameters of a decoder worked out from its shape, to hold the stated totals against.

Attention and feed-forward matrices of all layers, experts and the embedding; norms, biases and routers are left out
(under 1 %). What the shape of a record does not say (how the feed-forward block is built, shared experts, a vision
tower) stands in `data/model_shapes.yaml` with its reason.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

from advisor.attention import heads_of
from advisor.check_records import Records
from advisor.errors import Problem
from advisor.models import MlModel, ShapeNote

APART: Final = 0.04
"""Relative difference of a total from which shape and total are not of one model."""
ACTIVE_APART: Final = 0.12
"""The same of what one token meets: makers round more, and count the embedding or do not."""
_BILLION: Final = 1e9
_GATED: Final = 3
"""Matrices of a feed-forward block with a gate."""
_KINDS: Final = ("text-decoder", "multimodal")


class Size(NamedTuple):
    """Parameters in all, and those that one token meets."""

    total: float
    active: float


def sizes_of(model: MlModel, note: ShapeNote | None = None) -> tuple[Size, ...]:
    """Both sizes from the shape, with the embedding shared and not where the record does not say; none without a shape.

    Args:
        model: a decoder; a latent attention or linear layers are not counted here.
        note: what its shape leaves open.
    """
    said = note or ShapeNote(models=())
    if not _is_countable(model):
        return ()
    attention = _attention(model)
    whole, met = _feed_forward(model, said)
    beside = said.beside_b * _BILLION
    shared = (model.tied_embeddings,) if model.tied_embeddings is not None else (True, False)
    tables = [_table(model) * (1 if tied else 2) for tied in shared]
    body = (attention + whole + beside, attention + met + beside)
    return tuple(Size(body[0] + table, body[1] + table) for table in tables)


def _is_countable(model: MlModel) -> bool:
    """Whether the record holds a shape of usual layers only."""
    known = all((model.layers, model.hidden, model.heads, model.vocab))
    return known and not (model.kv_lora_rank or model.linear_layers)


def _table(model: MlModel) -> float:
    """One embedding."""
    return float((model.vocab or 0) * (model.hidden or 0))


def _attention(model: MlModel) -> float:
    """Matrices of all layers: queries, keys, values, outputs; window layers have widths of their own."""
    heads, width = heads_of(model)
    windows = min(model.window_layers or 0, model.layers or 0)
    keys, window_width = model.kv_heads or heads, model.window_head_dim or width
    full = ((model.layers or 0) - windows) * width * (heads + keys)
    return 2.0 * (model.hidden or 0) * (full + windows * window_width * (heads + (model.window_kv_heads or keys)))


def _feed_forward(model: MlModel, said: ShapeNote) -> tuple[float, float]:
    """Feed-forward matrices of all layers, and of those that one token meets."""
    hidden, layers = float(model.hidden or 0), model.layers or 0
    matrices = said.matrices or _GATED
    dense = matrices * hidden * (said.dense_width or model.intermediate or 4 * hidden)
    if not model.experts:
        return layers * dense, layers * dense
    expert = matrices * hidden * (model.expert_intermediate or model.intermediate or hidden)
    plain = said.dense_layers * dense + (layers - said.dense_layers) * said.shared_experts * expert
    mixed = (layers - said.dense_layers) * expert
    return plain + mixed * model.experts, plain + mixed * (model.experts_per_token or 1)


def check_sizes(found: Records) -> Iterator[Problem]:
    """Every decoder whose total is not that of its shape, and every note about no model."""
    idents = {one.record.id: None for one in found.ml_models}
    noted: dict[str, ShapeNote] = {}
    for located in found.shapes:
        for name in located.record.models:
            named = _named(name, idents)
            if not named:
                yield located.problem(f"{name!r} is no model")
            for ident in named:
                noted.setdefault(ident, located.record)  # the first note that names a model counts
    for one in found.ml_models:
        for told in apart_of(one.record, noted.get(one.record.id)):
            yield one.problem(told, "parameters")


def _named(name: str, idents: Collection[str]) -> list[str]:
    """The models that a name stands for: all that begin with it where it ends with a star."""
    if name.endswith("*"):
        return [ident for ident in idents if ident.startswith(name[:-1])]
    return [name] if name in idents else []


def apart_of(model: MlModel, note: ShapeNote | None) -> Iterator[str]:
    """What the shape of a record contradicts, in words: its total, and what one token meets."""
    said = note or ShapeNote(models=())
    sizes = sizes_of(model, said) if model.modality in _KINDS and not said.uncounted else ()
    if not sizes:
        return
    yield from _differing("parameters", model.parameters, [size.total for size in sizes], APART)
    if model.active_parameters:
        lesser = (0.0, _table(model), said.beside_b * _BILLION)  # makers count embedding and towers, or do not
        met = [size.active - less for size in sizes for less in lesser]
        yield from _differing("active_parameters", model.active_parameters, met, ACTIVE_APART)


def _differing(field: str, said: float, counted: Sequence[float], apart: float) -> Iterator[str]:
    nearest = min(counted, key=lambda size: abs(size - said))
    if abs(nearest - said) > apart * max(nearest, said):
        yield f"{field} {said / _BILLION:.4g}B, the shape comes to {nearest / _BILLION:.4g}B"
