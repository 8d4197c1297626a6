"""A decoder known only by its size ("a 7B model"): a typical shape, interpolated from published ones.

Width and depth are interpolated on the logarithm of the parameter count between the dense decoders named in
`data/generic_llm.yaml` (one family, so that the curve is smooth); the feed-forward width then takes up the rest, so
that the counted parameters equal the size that was said. Heads are 128 wide and grouped as in that family.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Sequence

from advisor.models import MlModel

_SIZE = re.compile(r"(?:llm-?)?(\d{1,4}(?:\.\d{1,3})?)(b|m)", re.IGNORECASE)
_SIZE_WITHIN = re.compile(r"(?<![\d.a-z])(\d{1,4}(?:\.\d{1,3})?)b(?![a-z\d])", re.IGNORECASE)
HEAD_DIM = 128
SMALLEST, LARGEST = 0.05e9, 2000e9
"""Parameters outside of which a size is taken for a slip of the finger."""


def size_of(name: str) -> float | None:
    """Parameters meant by "llm-7b", "7B" or "llm-0.5b"; None for any other name."""
    match = _SIZE.fullmatch(name.strip())
    if match is None:
        return None
    parameters = float(match[1]) * (1e9 if match[2].lower() == "b" else 1e6)
    return parameters if SMALLEST <= parameters <= LARGEST else None


def size_within(name: str) -> float | None:
    """Parameters named inside an unknown model's name, such as the 34e9 of "sus-chat-34b"; None without exactly one."""
    sizes = _SIZE_WITHIN.findall(name)
    if len(sizes) != 1:
        return None
    parameters = float(sizes[0]) * 1e9
    return parameters if SMALLEST <= parameters <= LARGEST else None


def _between(parameters: float, anchors: Sequence[MlModel], value_of: Sequence[float]) -> float:
    """Value at a size, linear in its logarithm, flat slope kept beyond the ends."""
    sizes = [math.log(anchor.parameters) for anchor in anchors]
    at = math.log(parameters)
    right = min(max(bisect_left(sizes, at), 1), len(sizes) - 1)
    left = right - 1
    share = (at - sizes[left]) / (sizes[right] - sizes[left])
    low, high = math.log(value_of[left]), math.log(value_of[right])
    return math.exp(low + share * (high - low))


def generic_decoder(parameters: float, anchors: Sequence[MlModel]) -> MlModel:
    """A dense decoder of this size with a typical shape. `anchors` are dense decoders, smallest first."""
    billions = f"{parameters / 1e9:.3f}".rstrip("0").rstrip(".")
    nearest = min(anchors, key=lambda one: abs(math.log(one.parameters / parameters)))
    vocab, tied = nearest.vocab or 128_256, bool(nearest.tied_embeddings)
    layers = round(_between(parameters, anchors, [float(one.layers or 1) for one in anchors]))
    width = _between(parameters, anchors, [float(one.hidden or 1) for one in anchors])
    hidden = max(HEAD_DIM, round(width / HEAD_DIM) * HEAD_DIM)
    heads = hidden // HEAD_DIM
    kv_heads = min(heads, nearest.kv_heads or heads)
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
