"""What a setting of a program does and what to set, where it is asked about by its name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from bot.answers.documents.passages import not_in_documents
from bot.core.answers import Outcome, answer_with
from bot.core.line import Line, Prose
from bot.core.message import SourceRef, fact_of
from bot.core.request import Request

if TYPE_CHECKING:
    from knowledge.switches import SwitchRow

_GOES_ON_AS: Final = "concept_explain"
_MOST: Final = 2
_SUBJECTS: Final = frozenset({"speculative", "prefix_caching", "chunked_prefill", "sage_attention", "torch_compile"})
"""Techniques that are asked about by naming them, in whatever words."""
_MORE_OF_IT: Final = frozenset({"zero-on-one-card"})
"""Passages that tell more of a setting in the case that is named."""
_COUNTED: Final = frozenset({"gpu_layers"})
"""Settings that are worked out for a model on a card."""
_JUDGED: Final = ("fits", "enough")
"""What is asked of a job that a setting is only a part of."""
_LONGEST: Final = 240
_END: Final = re.compile(r"\u3002|\. ")
"""Where the first sentence of a text ends."""


def is_asked(request: Request) -> bool:
    """Whether a setting that is known is the subject: what it does, what to set, whether to use it."""
    heard = request.heard
    named = frozenset(heard.sides("switch"))
    if not named or heard.ran_out or not heard.is_within(_LONGEST) or _is_worked_out(request, named):
        return False
    if not (_is_open(request) or named & _SUBJECTS):
        return False
    return heard.speaks_of("explain", "compare") or not heard.speaks_of("out_of_memory", *_JUDGED)


def _is_worked_out(request: Request, named: frozenset[str]) -> bool:
    """Whether the message is about cards or a job of which more is known than what the setting does."""
    heard = request.heard
    if len(heard.wished("gpu")) > 1 or heard.error in _MORE_OF_IT:
        return True
    if (request.intent == "ram_sizing" or request.slot("ram_gb")) and not heard.speaks_of("explain"):
        return True
    if _is_input(request):
        return True
    job = bool(request.slot("model") and (request.slot("gpu") or request.slot("vram_gb")))
    return job and (named <= _COUNTED or heard.shows("asked", "time"))


def _is_input(request: Request) -> bool:
    """Whether the setting is an input of an amount of memory that is asked for."""
    return request.intent == "estimate_memory" and bool(request.slot("model") and request.heard.sides("setting"))


def _is_open(request: Request) -> bool:
    """Whether it is asked what something does, what to set, or what it costs."""
    heard = request.heard
    forms = heard.shows("switch_asked", "what") or bool({"open", "how_much", "why"} & set(heard.sides("form")))
    return forms or bool(heard.sides("effect")) or heard.speaks_of("explain", "worth", "compare", "why_ask")


def handle(request: Request) -> Outcome:
    """The text of each setting that is named, in the order of the message."""
    library = request.services.library
    rows = _rows(request)
    if not rows:
        return not_in_documents(request, _GOES_ON_AS)
    lines = tuple(
        Line("switch.said", {"text": Prose(part)})
        for row in rows
        for part in _parted(row.told(request.language))
        if part
    )
    ids = dict.fromkeys(name for row in rows for name in row.sources)
    return answer_with(
        headline=lines[:1],
        lines=lines[1:],
        facts=tuple(fact_of(name="switch", value=row.switch) for row in rows),
        sources=tuple(
            SourceRef(id=name, title=source.title, as_of=source.as_of, url=source.url)
            for name in ids
            if (source := library.sources.get(name)) is not None
        ),
    )


def _parted(text: str) -> tuple[str, str]:
    """The first sentence of a text, and the rest."""
    end = _END.search(text)
    return (text[: end.end()].rstrip(), text[end.end() :]) if end else (text, "")


def _rows(request: Request) -> tuple[SwitchRow, ...]:
    known = {row.switch: row for row in request.services.library.switch_rows}
    return tuple(known[name] for name in request.heard.placed("switch") if name in known)[:_MOST]
