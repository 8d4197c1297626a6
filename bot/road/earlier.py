"""A button on an earlier answer, or words for one: shows another side of what is already known."""

from __future__ import annotations

from typing import Final

from bot.answers.common import MODEL_CHOICES
from bot.core.answers import elicit_of
from bot.core.conversation import Episode
from bot.core.left import opened
from bot.core.message import Chart
from bot.core.ports import GONE
from bot.render import Rendered
from bot.road.after import touched
from bot.road.answering import elicited, handled
from bot.road.turn import Ending, Explained, Turn

_WANTED: Final = "want-"
_NEED_OF: Final = {"sources": "source", "conflicts": "source"}
"""Which need shows a side; every other one is told by the trail."""
_VALUES: Final = {"model": MODEL_CHOICES, "deploy": ("rent", "buy")}


def acted(turn: Turn) -> Explained:
    """Do what was asked of an earlier answer."""
    act, subject = turn.decision.act, turn.decision.subject
    if act.startswith(_WANTED):
        return _wanted(turn, act.removeprefix(_WANTED))
    if act in {"good", "bad"}:
        return _said(turn, "feedback", act)
    if act == GONE or (subject is not None and turn.message.action and _has_lost(opened(subject), act)):
        text = turn.rooms.renderer.page("why", turn.language, "gone")
        return turn.done(Rendered(text), Ending(touched(turn), intent=GONE))
    return _said(turn, "why", "nothing") if subject is None else _shown(turn, act, opened(subject))


def _shown(turn: Turn, act: str, subject: Episode) -> Explained:
    """One side of an answer that is at hand."""
    if act == "details" and subject.details:
        return turn.done(Rendered(subject.details), Ending(touched(turn), subject=subject))
    if act == "chart" and subject.chart:
        text = turn.rooms.renderer.page("why", turn.language, "chart", title=subject.chart.get("title", ""))
        chart = Chart.model_validate(subject.chart)
        return turn.done(Rendered(text), Ending(touched(turn), subject=subject, chart=chart, shows_chart=True))
    if act == "chart":
        return _said(turn, "why", "no_chart")
    return handled(turn.decided(intent=_NEED_OF.get(act, "why")))


def _has_lost(subject: Episode, act: str) -> bool:
    """Whether what a button shows is no longer kept: its answer had it, else there would be no such button."""
    return not subject.chart if act == "chart" else not (subject.details or subject.trace)


def _said(turn: Turn, page: str, block: str) -> Explained:
    text = turn.rooms.renderer.page(page, turn.language, block)
    return turn.done(Rendered(text), Ending(touched(turn)))


def _wanted(turn: Turn, slot: str) -> Explained:
    """A missing wish of the board was pressed: ask whoever pressed for it."""
    turn = turn.decided(intent="recommend_gpu", slots=dict(turn.state.slots))
    return elicited(turn, elicit_of(slot=slot, values=_VALUES.get(slot, ())))
