"""A decoder known only by its size ("a 7B model"): a typical shape, interpolated from published ones.

A size that a well-known model has practically (`known`) takes its shape: "70B" is shaped like Llama 3.3 70B. Otherwise
width and depth are interpolated on the logarithm of the parameter count between the dense decoders named in
`data/generic_llm.yaml` (one family, so that the curve is smooth); the feed-forward width then takes up the rest, so
that the counted parameters equal the size that was said. Heads are 128 wide, grouped as in that family, and as many
as divide over the groups.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Collection, Sequence
from typing import NamedTuple

from advisor.models import MlModel

_SIZE = re.compile(r"(?:llm-?)?(\d{1,4}(?:\.\d{1,3})?)(b|m)(?:-a(\d{1,3}(?:\.\d{1,3})?)b)?", re.IGNORECASE)
_ACTIVE_WITHIN = re.compile(r"(?<=[-_ ])a(\d{1,3}(?:\.\d{1,3})?)b(?![a-z\d])", re.IGNORECASE)
_SIZE_WITHIN = re.compile(r"(?<![\d.a-z])(\d{1,4}(?:\.\d{1,3})?)b(?![a-z\d])", re.IGNORECASE)
_WORD = re.compile(r"[a-z]+\d*[a-z]?")
HEAD_DIM = 128
SMALLEST, LARGEST = 0.05e9, 2000e9
"""Parameters outside of which a size is taken for a slip of the finger."""


class Sized(NamedTuple):
    """How large a name says that its model is: all parameters, and the active ones of a mixture of experts."""

    parameters: float
    active: float | None = None


def size_of(name: str) -> Sized | None:
    """What "llm-7b", "7B", "llm-0.5b" or "llm-35b-a3b" says; None for any other name."""
    match = _SIZE.fullmatch(name.strip())
    if match is None:
        return None
    parameters = float(match[1]) * (1e9 if match[2].lower() == "b" else 1e6)
    return _sized(parameters, float(match[3]) * 1e9 if match[3] else None)


def size_within(name: str) -> Sized | None:
    """What an unknown model's name says of its size ("sus-chat-34b", "foo-60b-a6b"); None without exactly one size."""
    sizes, active = _SIZE_WITHIN.findall(name), _ACTIVE_WITHIN.search(name)
    return _sized(float(sizes[0]) * 1e9, float(active[1]) * 1e9 if active else None) if len(sizes) == 1 else None


def names_no_decoder(name: str, words: Collection[str]) -> bool:
    """Whether a model's name has one of the words that only other models than decoders have in theirs."""
    return any(word in words for word in _WORD.findall(name.lower()))


def _sized(parameters: float, active: float | None) -> Sized | None:
    if not SMALLEST <= parameters <= LARGEST or (active is not None and not SMALLEST <= active < parameters):
        return None
    return Sized(parameters, active)


def _between(parameters: float, anchors: Sequence[MlModel], value_of: Sequence[float]) -> float:
    """Value at a size, linear in its logarithm, flat slope kept beyond the ends."""
    sizes = [math.log(anchor.parameters) for anchor in anchors]
    at = math.log(parameters)
    right = min(max(bisect_left(sizes, at), 1), len(sizes) - 1)
    left = right - 1
    share = (at - sizes[left]) / (sizes[right] - sizes[left])
    low, high = math.log(value_of[left]), math.log(value_of[right])
    return math.exp(low + share * (high - low))


PRACTICALLY = 0.04
"""Relative difference up to which a known model is of the size that was said."""


def _shape_of_known(parameters: float, known: Sequence[MlModel]) -> MlModel | None:
    """The model of practically this size, the nearest of several."""
    near = [one for one in known if abs(one.parameters / parameters - 1.0) <= PRACTICALLY]
    return min(near, key=lambda one: abs(one.parameters - parameters), default=None)


def _like(found: MlModel, parameters: float) -> MlModel:
    """A decoder of a size with the shape of a known one, whose name it keeps in `shaped_like`."""
    name = f"llm-{_billions(parameters)}b"
    scaled = round((found.intermediate or 0) * parameters / found.parameters / 64) * 64
    return MlModel(
        id=name,
        name=name,
        modality="text-decoder",
        family="generic",
        parameters=parameters,
        **{field: getattr(found, field) for field in _SHAPE},
        intermediate=scaled or None,
        shaped_like=found.name,
        generic=True,
        sources={"*": "generic-shape"},
    )


_SHAPE = ("layers", "hidden", "heads", "kv_heads", "head_dim", "vocab", "max_seq", "tied_embeddings")


def generic_decoder(
    parameters: float, anchors: Sequence[MlModel], active: float | None = None, known: Sequence[MlModel] = ()
) -> MlModel:
    """A decoder of this size with a typical shape. `anchors` are dense decoders, smallest first; `known` those whose
    shape stands for their size.

    `active`: the active parameters of a mixture of experts. Depth and width are taken to be those of a dense decoder
    of a size between both (their geometric mean), as published mixtures are built; all parameters stay in memory.
    """
    if active is not None:
        dense = generic_decoder(math.sqrt(parameters * active), anchors)
        name = f"llm-{_billions(parameters)}b-a{_billions(active)}b"
        return dense.model_copy(
            update={"id": name, "name": name, "parameters": parameters, "active_parameters": active}
        )
    found = _shape_of_known(parameters, known)
    if found is not None:
        return _like(found, parameters)
    billions = _billions(parameters)
    nearest = min(anchors, key=lambda one: abs(math.log(one.parameters / parameters)))
    vocab, tied = nearest.vocab or 128_256, bool(nearest.tied_embeddings)
    layers = round(_between(parameters, anchors, [float(one.layers or 1) for one in anchors]))
    width = _between(parameters, anchors, [float(one.hidden or 1) for one in anchors])
    hidden = max(HEAD_DIM, round(width / HEAD_DIM) * HEAD_DIM)
    kv_heads = nearest.kv_heads or 1
    heads = max(kv_heads, round(width / HEAD_DIM / kv_heads) * kv_heads)
    attention = 2 * hidden * hidden + 2 * hidden * kv_heads * HEAD_DIM
    rest = (parameters - vocab * hidden * (1 if tied else 2)) / layers - attention
    intermediate = max(hidden, round(rest / (3 * hidden) / 64) * 64)
    return MlModel(
        id=f"llm-{billions}b",
        name=f"llm-{billions}b",
        modality="text-decoder",
        family="generic",
        parameters=parameters,
        layers=layers,
        hidden=hidden,
        intermediate=intermediate,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=HEAD_DIM,
        vocab=vocab,
        max_seq=nearest.max_seq,
        tied_embeddings=tied,
        generic=True,
        sources={"*": "generic-shape"},
    )


def _billions(parameters: float) -> str:
    return f"{parameters / 1e9:.3f}".rstrip("0").rstrip(".")
