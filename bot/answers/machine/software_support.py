"""Whether a program runs on a card: by the maker's software, the system and the age of the card."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from advisor.models import Gpu
from bot.answers.choose.makers import vendors_of
from bot.answers.common import named_gpus
from bot.core.answers import Decline, Outcome, answer_with, elicit_of
from bot.core.line import Line, Prose
from bot.core.message import Fact, Language, SourceRef, fact_of
from bot.core.request import Request

if TYPE_CHECKING:
    from knowledge.software import SoftwareRow

_IDEAS: Final = {"flash_attention": "flash-attention"}
"""Ideas that are named like a library."""
_FRAMEWORK: Final = "pytorch"
_MOST: Final = 3


@dataclass(frozen=True, slots=True)
class Support:
    """What is known of one program on the cards in question."""

    row: SoftwareRow
    below: bool
    """Whether the card is older than the program asks for."""


def is_asked(request: Request) -> bool:
    """Whether a program and a maker's cards are named, and it is known how they go together."""
    return bool(_supports(request))


def handle(request: Request) -> Outcome:
    """One line for each program that is named, the first as the answer."""
    found = _supports(request)
    if not found:
        return elicit_of(slot="gpu")
    library = request.services.library
    ids = dict.fromkeys(source for one in found for source in one.row.sources)
    lines = tuple(
        Line("software.said", {"text": Prose(one.row.told(request.language, below=one.below))}) for one in found
    )
    return answer_with(
        headline=lines[:1],
        lines=lines[1:],
        facts=tuple(
            fact_of(
                name="works", value="no" if one.below else one.row.works, basis=f"{one.row.software} on {one.row.stack}"
            )
            for one in found
        ),
        sources=tuple(
            SourceRef(id=name, title=source.title, as_of=source.as_of, url=source.url)
            for name in ids
            if (source := library.sources.get(name)) is not None
        ),
    )


def _line(support: Support, language: Language) -> Line:
    return Line("software.said", {"text": Prose(support.row.told(language, below=support.below))})


def _fact(support: Support) -> Fact:
    row = support.row
    return fact_of(name="works", value="no" if support.below else row.works, basis=f"{row.software} on {row.stack}")


def _supports(request: Request) -> tuple[Support, ...]:
    """What is known of each program that is named, on the first card or maker that is."""
    cards = named_gpus(request)
    if isinstance(cards, Decline):
        return ()
    gpu = cards[0].gpu if cards else None
    stack = gpu.vendor if gpu is not None else next(iter(vendors_of(request)), "")
    library, system = request.services.library, str(request.slot("os") or "")
    rows = (library.software(name, stack, system) for name in _programs(request)) if stack else ()
    return tuple(Support(row, _is_below(row, gpu)) for row in rows if row is not None and _holds(row, gpu))[:_MOST]


def _programs(request: Request) -> tuple[str, ...]:
    """Programs and libraries that are named, in their order; PyTorch where no other is."""
    heard = request.heard
    ideas = tuple(name for idea, name in _IDEAS.items() if heard.speaks_of(idea))
    named = (*heard.placed("libraries"), *ideas, *heard.placed("programs"))
    torch = (_FRAMEWORK,) if str(request.slot("framework") or "").startswith(_FRAMEWORK) else ()
    return tuple(dict.fromkeys(named)) or torch


def _holds(row: SoftwareRow, gpu: Gpu | None) -> bool:
    """Whether a row says something of the card: one with a bound needs a card whose capability is known."""
    return not row.least or (gpu is not None and gpu.compute_capability is not None)


def _is_below(row: SoftwareRow, gpu: Gpu | None) -> bool:
    if not row.least or gpu is None or gpu.compute_capability is None:
        return False
    return _version(gpu.compute_capability) < _version(row.least)


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".") if part.isdecimal())
