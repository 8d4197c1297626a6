"""Which of several cards is quieter: by the heat that has to leave them, for no noise is on record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.answers.common import named_gpus, source_refs
from bot.core.answers import Decline, Outcome, answer_with
from bot.core.line import Figure, Line, Worded
from bot.core.message import fact_of
from bot.core.request import Request

_TWO: Final = 2
_ALIKE: Final = 1.08
"""Watts that differ by less are the same heat."""


def is_asked(request: Request) -> bool:
    """Whether several cards are told apart by their noise."""
    heard = request.heard
    noise = heard.speaks_of("noise") or heard.shows("place", "quiet") or heard.shows("cooling", "noise")
    return noise and len(request.slot("gpu") or ()) >= _TWO


def handle(request: Request) -> Outcome:
    """The card that draws least, with what its maker's cooler may change and how the other comes down to it."""
    named = named_gpus(request)
    if isinstance(named, Decline):
        return named
    drawn = sorted((one.gpu.board_power_w, one.gpu.name) for one in named if one.gpu.board_power_w)
    return answer_with(
        headline=(_headline(drawn),),
        lines=(Line("quiet.model"), _limit(drawn)),
        facts=tuple(fact_of(name=f"board_power:{name}", value=watts, unit="W") for watts, name in drawn),
        sources=source_refs(request, [one.gpu.sources.get("*", "") for one in named]),
        notes=tuple(one.note for one in named if one.note),
    )


def _headline(drawn: Sequence[tuple[float, str]]) -> Line:
    """The one that draws least; of cards: watts and names, the least first."""
    if len(drawn) < _TWO:
        return Line("quiet.unknown")
    return Line("quiet.even" if _even(drawn) else "quiet.less", _values(drawn))


def _limit(drawn: Sequence[tuple[float, str]]) -> Line:
    """What the others can be limited to."""
    return Line("quiet.limit") if len(drawn) < _TWO or _even(drawn) else Line("quiet.limit.to", _values(drawn))


def _even(drawn: Sequence[tuple[float, str]]) -> bool:
    return drawn[-1][0] < _ALIKE * drawn[0][0]


def _values(drawn: Sequence[tuple[float, str]]) -> dict[str, Worded]:
    (least, card), (most, other) = drawn[0], drawn[-1]
    watts: dict[str, Worded] = {"watts": Figure(least, "W"), "more": Figure(most, "W"), "limit": f"{least:.0f}"}
    return {"card": card, "other": other, **watts}
