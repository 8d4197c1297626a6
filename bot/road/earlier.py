"""A button on an earlier answer, or words for one: shows another side of what is already known."""

from __future__ import annotations

from typing import Final

from bot.answers.common import MODEL_CHOICES
from bot.core.answers import elicit_of
from bot.core.left import opened
from bot.core.message import Chart
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
    if subject is None:
        return _said(turn, "why", "nothing")
    subject = opened(subject)
    if act == "details" and subject.details:
        return turn.done(Rendered(subject.details), Ending(touched(turn), subject=subject))
    if act == "chart" and subject.chart:
        text = turn.rooms.renderer.page("why", turn.language, "chart", title=subject.chart.get("title", ""))
        chart = Chart.model_validate(subject.chart)
        return turn.done(Rendered(text), Ending(touched(turn), subject=subject, chart=chart, shows_chart=True))
    if act == "chart":
        return _said(turn, "why", "no_chart")
    return handled(turn.decided(intent=_NEED_OF.get(act, "why")))


def _said(turn: Turn, page: str, block: str) -> Explained:
    text = turn.rooms.renderer.page(page, turn.language, block)
    return turn.done(Rendered(text), Ending(touched(turn)))


def _wanted(turn: Turn, slot: str) -> Explained:
    """A missing wish of the board was pressed: ask whoever pressed for it."""
    turn = turn.decided(intent="recommend_gpu", slots=dict(turn.state.slots))
    return elicited(turn, elicit_of(slot=slot, values=_VALUES.get(slot, ())))
