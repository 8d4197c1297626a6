"""How a job is run, said anew by a message that goes on with it: named before the first line of its answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from bot.core.answers import Answer
from bot.core.line import Figure, Label, Line, Worded
from bot.road.turn import GOES_ON, Explained, Turn

_OF_A_JOB: Final = frozenset({"check_fit", "estimate_memory", "estimate_time"})
"""Needs whose figures depend on how the job is run."""
_KILO: Final = 1024


def _length(value: object) -> Worded:
    """Tokens; whole thousands as they are usually called."""
    tokens = int(str(value))
    return Figure(tokens, "token") if tokens % _KILO else f"{tokens // _KILO}k"


_SAID: Final[dict[str, Callable[[object], Worded]]] = {
    "batch": lambda value: int(str(value)),
    "seq_len": _length,
    "users": lambda value: Figure(int(str(value)), "person"),
    "kv_precision": lambda value: Label(str(value), "bits"),
}
"""What is named of each setting."""


def with_settings(turn: Turn, explained: Explained) -> Explained:
    """The answer, its first line opened by the settings that its message changed; any other answer as it is."""
    changed = _changed(turn, explained)
    if not changed or not isinstance(explained.outcome, Answer):
        return explained
    phrases = [turn.rooms.renderer.phrase(line, turn.language) for line in changed]
    words = "".join(f"{one} " if one.isascii() else one for one in phrases)
    reply = explained.reply
    details = f"{words}{reply.details}" if reply.details else ""
    return replace(explained, reply=reply.model_copy(update={"text": f"{words}{reply.text}", "details": details}))


def _changed(turn: Turn, explained: Explained) -> list[Line]:
    """The settings that the message gives another value, where it goes on with a job; those of its slots are kept."""
    decision = explained.decision
    before = turn.state.slots
    goes_on = decision.rule.startswith(GOES_ON) or "model" in decision.carried
    if not goes_on or not _OF_A_JOB.issuperset({turn.state.intent, decision.intent}) or decision.act:
        return []
    held = {name: explained.conversation.slots.get(name) for name in _SAID}
    return [
        Line(f"set.{name}", {"value": _SAID[name](one.value)})
        for name, one in held.items()
        if one is not None and one.turn > turn.state.turn and (name not in before or before[name].value != one.value)
    ]
