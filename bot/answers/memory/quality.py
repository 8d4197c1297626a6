"""What fewer bits cost in quality: whether the wider of two formats is worth its memory."""

from __future__ import annotations

from typing import Final

from advisor.models import MlModel
from bot.core.line import Figure, Line, Single, Worded
from bot.core.request import Request

_PERPLEXITY: Final = {"q8_0": 0.0004, "q6_k": 0.0044, "q5_k_m": 0.0142, "q4_k_m": 0.0535, "q3_k_m": 0.2437}
"""What a format adds to the perplexity of a 7B model, about 5.96 in 16 bits (llama.cpp, source `SOURCE`)."""
_LIKE: Final = {"int8": "q8_0", "int4": "q4_k_m", "fp4": "q4_k_m"}
"""The file format that stands for a number format."""
_WHOLE: Final = frozenset({"fp32", "fp16", "bf16"})
_HIDDEN: Final = 0.02
_SLIGHT: Final = 0.1
"""Perplexity below which nobody sees a difference, and below which few do."""
SOURCE: Final = "by-quant-locobench"


def is_weighed(request: Request) -> bool:
    """Whether quality is asked about, or whether more bits are worth it."""
    heard = request.heard
    compared = request.intent == "precision_advice" and heard.speaks_of("compare", "differs")
    return compared or heard.speaks_of("lossy", "worth") or heard.shows("effect", "quality")


def verdict(model: MlModel, wide: str, narrow: str, labels: tuple[Single, Single]) -> Line | None:
    """How much better the wider format is; None where nothing was measured.

    Args:
        model: what is stored in either format.
        wide: the format of more bits.
        narrow: the format of fewer bits.
        labels: how both are named.
    """
    values: dict[str, Worded] = {"wide": labels[0], "narrow": labels[1]}
    if model.modality == "image-gen":
        eight = {"fp8", "int8", "q8_0"}
        return Line("quality.pictures", values) if {wide, narrow} <= eight else None
    above, below = _added(narrow), _added(wide)
    if above is None or below is None or not model.modality.startswith("text"):
        return None
    by = above - below
    code = "quality.hidden" if by < _HIDDEN else "quality.slight" if by < _SLIGHT else "quality.plain"
    return Line(code, {**values, "by": Figure(round(by, 3) or round(by, 4))})


def _added(name: str) -> float | None:
    """What a format adds to the perplexity; None where it is not on record."""
    return 0.0 if name in _WHOLE else _PERPLEXITY.get(_LIKE.get(name, name))
