"""What a technique does to memory, speed or quality: whether, how much, or the reason first where that is asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from bot.answers.documents.passages import not_in_documents
from bot.core.answers import Outcome, answer_with
from bot.core.line import Line, Prose
from bot.core.message import SourceRef, fact_of
from bot.core.request import Request

if TYPE_CHECKING:
    from knowledge.techniques import TechniqueRow

_NEED: Final = "concept_explain"
_STATED: Final[Mapping[str, str]] = {
    **dict.fromkeys(("int8", "int4", "fp4", "nf4"), "quantization"),
    "mixed": "mixed_precision",
    "lora": "lora",
    "qlora": "qlora",
}
"""Formats and methods that are techniques themselves."""
_WIDER: Final[Mapping[str, frozenset[str]]] = {
    "kv_quantization": frozenset({"kv_cache", "quantization"}),
    "qlora": frozenset({"quantization", "lora"}),
    "moe": frozenset({"quantization"}),
    "rank": frozenset({"lora", "qlora"}),
    "accumulation": frozenset({"batch"}),
    "adam8bit": frozenset({"quantization"}),
}
"""The wider idea beside a narrower one: quantising the KV cache is neither the cache nor the weights."""
_TOLD_BY_SIZE: Final = {"adam8bit"}
"""Told for usual sizes, so that a model makes no sum of it."""
_OF_HARDWARE: Final = frozenset({"ecc", "nvlink"})
_MOST: Final = 4
_QUALITY: Final = "quality"
"""What is asked about."""
_ASKING: Final = frozenset({"whether", "why", "confirm", "how_much"})
_COMPARING: Final = ("differs", "compare", "slow")


def is_weighed(request: Request) -> bool:
    """Whether a message asks what a technique does, of no card or model in particular."""
    heard, named = request.heard, set(_techniques(request))
    if not named:
        return False
    forms = set(heard.sides("form"))
    # a model makes it a sum, unless the reason is asked
    computed = bool(request.slot("model")) and "why" not in forms and named != _TOLD_BY_SIZE
    if heard.speaks_of("out_of_memory", "explain") or computed:
        return False
    if named <= _OF_HARDWARE and ("confirm" in forms or heard.shows("wish", "wanted")):
        return False  # whether one needs it is another question
    return bool(forms & _ASKING or heard.speaks_of(*_COMPARING)) and bool(_rows(request))


def handle(request: Request) -> Outcome:
    """One line for each technique and what it is asked to do, the first as the answer."""
    rows = _rows(request)
    if not rows:
        return not_in_documents(request, _NEED)
    why = request.heard.shows("form", "why")
    library = request.services.library
    lines = tuple(Line("technique.said", {"text": Prose(row.told(request.language, why=why))}) for row in rows)
    ids = dict.fromkeys(name for row in rows for name in row.sources)
    return answer_with(
        headline=lines[:1],
        lines=lines[1:],
        facts=tuple(fact_of(name="technique", value=row.technique, basis=row.effect) for row in rows),
        sources=tuple(
            SourceRef(id=name, title=source.title, as_of=source.as_of, url=source.url)
            for name in ids
            if (source := library.sources.get(name)) is not None
        ),
    )


def _rows(request: Request) -> tuple[TechniqueRow, ...]:
    """What is known of the techniques that are named, in their order, of what they are asked to do."""
    heard = request.heard
    named = _techniques(request)
    spoken = (*heard.placed("effect"), *((_QUALITY,) if heard.speaks_of(_QUALITY, "lossy") else ()))
    effects = tuple(dict.fromkeys(spoken))
    effects = effects or (("memory",) if set(named) == _TOLD_BY_SIZE else ())
    rows = request.services.library.technique_rows
    wanted = ((technique, effect) for technique in named for effect in effects)
    found = (next((row for row in rows if (row.technique, row.effect) == one), None) for one in wanted)
    return tuple(row for row in found if row is not None)[:_MOST]


def _techniques(request: Request) -> tuple[str, ...]:
    """The techniques that are named, as such or as a format or a method; of a wider and a narrower the latter."""
    precision = request.slot("precision")
    stated = (*(precision if isinstance(precision, list) else [precision]), request.slot("method"))
    meant = (_STATED[str(one)] for one in stated if str(one) in _STATED)
    named = tuple(dict.fromkeys((*request.heard.sides("technique"), *meant)))
    dropped = frozenset[str]().union(*(_WIDER.get(name, frozenset()) for name in named))
    return tuple(name for name in named if name not in dropped)
