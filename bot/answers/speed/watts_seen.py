"""Watts that a card was seen to draw: far less than it may while it is busy, or falling while it works."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from advisor.models import Gpu
from bot.answers.common import named_gpus, source_refs
from bot.core.answers import Answer, Decline, Outcome, answer_with
from bot.core.line import Figure, Line, Worded
from bot.core.message import fact_of
from bot.core.request import Request

_BUSY: Final = 0.85
"""Utilisation from which a card has work all the time."""
_LITTLE: Final = 0.75
"""Share of the board power below which a busy card is far from its limit."""
_IDLE: Final = 0.3
"""Share of the board power below which a card that worked waits instead of being slowed down."""
_OF_BOARD: Final = 1.15
"""More than this times the board power is no draw of the card."""
_NEEDS: Final = frozenset({"perf_troubleshooting", "power_supply", "cooling", "gpu_specs", "concept_explain"})
_OTHERWISE: Final = ("power_limit", "enough", "psu", "electricity", "carbon")
"""Ideas of a supply, a limit that is set or a bill."""
_SOURCES: Final = ("by-nvml-util", "by-nvml-clock-reasons")
_SAID: Final = "told"
_PAIR: Final = 2


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen: watts before and now, or now alone; 0 where a clock fell and no watts are told."""

    gpu: Gpu | None
    now: float
    before: float = 0.0
    fell: bool = False


def is_asked(request: Request) -> bool:
    """Whether a message tells of watts or clocks of a card that are lower than they should be."""
    heard = request.heard
    if request.intent not in _NEEDS or heard.speaks_of(*_OTHERWISE) or heard.shows("power_supply", "limit"):
        return False
    return _seen(request) is not None


def _seen(request: Request) -> Seen | None:
    """What was seen; None where the watts of the message are something else."""
    gpu = _card(request)
    watts = [one for one in request.heard.watts if gpu is None or one <= _OF_BOARD * (gpu.board_power_w or one)]
    if request.heard.shows("draw", "fell"):
        return _fallen(request, gpu, watts)
    low = watts and gpu is not None and min(watts) < _LITTLE * (gpu.board_power_w or 0.0)
    return Seen(gpu, min(watts)) if low and _is_busy(request) else None


def _fallen(request: Request, gpu: Gpu | None, watts: list[float]) -> Seen | None:
    """What fell: the later of two figures is the lower one, or a clock is spoken of."""
    if len(watts) == _PAIR and watts[0] > watts[1]:
        return Seen(gpu, watts[1], watts[0], fell=True)
    return Seen(gpu, 0.0, fell=True) if request.heard.speaks_of("clock") and not watts else None


def _card(request: Request) -> Gpu | None:
    """The one card that is named."""
    cards = named_gpus(request)
    return None if isinstance(cards, Decline) or len(cards) != 1 else cards[0].gpu


def _is_busy(request: Request) -> bool:
    """Whether it works all the time, or the watts are called few."""
    used = request.slot("utilization")
    return (isinstance(used, (int, float)) and used >= _BUSY) or request.heard.speaks_of("utilization", "only_word")


def handle(request: Request) -> Outcome:
    """What such watts mean, how to see the reason, what to do about it."""
    seen = _seen(request)
    if seen is None:  # only where nobody asked `is_asked` before
        return _told(request, Seen(None, 0.0, fell=True))
    return _told(request, seen)


def _told(request: Request, seen: Seen) -> Answer:
    board = seen.gpu.board_power_w if seen.gpu else None
    values: dict[str, Worded] = {
        "card": seen.gpu.name if seen.gpu else None,
        "now": Figure(seen.now, "W") if seen.now else None,
        "before": Figure(seen.before, "W") if seen.before else None,
        "board": Figure(board, "W") if board else None,
    }
    facts = [fact_of(name="watts_seen", value=seen.now, unit="W", basis=_SAID)] if seen.now else []
    return answer_with(
        headline=(Line(f"draw.{_case(request, seen)}", values),),
        lines=_lines(request, seen),
        facts=(*facts, *((fact_of(name="board_power", value=board, unit="W"),) if board else ())),
        sources=source_refs(request, _SOURCES),
    )


def _case(request: Request, seen: Seen) -> str:
    if not seen.fell:
        return "low_writing" if _writes(request) else "low"
    board = seen.gpu.board_power_w if seen.gpu else None
    return "waits" if board and seen.now and seen.now < _IDLE * board else "fell"


def _writes(request: Request) -> bool:
    """Whether a language model writes, which memory bandwidth limits."""
    return request.slot("method") == "inference" or request.slot("task") in {"llm_inference", "rag"}


def _lines(request: Request, seen: Seen) -> tuple[Line, ...]:
    if _case(request, seen) == "fell":
        return (Line("draw.heat"), Line("draw.cap"))
    return (Line("draw.check_writing"),) if _case(request, seen) == "low_writing" else (Line("draw.check"),)
