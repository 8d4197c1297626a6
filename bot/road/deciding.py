"""What a group decides together: one card for all jobs that were named, and what it means for each member."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.core.board import Board, Constraint
from bot.core.conversation import Conversation, HeldSlot
from bot.core.message import Reply, choice_of
from bot.dialogue.together import Need, merge
from bot.road.answering import handled
from bot.road.turn import Explained, Turn

_JOB: Final = frozenset({"model", "task", "method", "precision", "batch", "seq_len"})
"""Slots that belong to one member's job: those of two members make no job together."""
_IMPLIED: Final = frozenset({"task", "method"})
"""Of these what a named model says by itself is not told again."""
_RUNS: Final = frozenset({"inference", "llm_inference"})
_ROOM: Final = 0.95
"""Share of the memory that several jobs may take at once."""


@dataclass(frozen=True, slots=True)
class Member:
    """One member with what he wishes, and what the pick means for his job."""

    name: str
    wishes: tuple[Constraint, ...]
    need: float = 0.0
    """GiB of his job, 0 without one."""
    verdict: str = ""

    @property
    def job(self) -> dict[str, object]:
        """His job as slots; empty where he names no model."""
        said = {wish.slot: wish.value for wish in self.wishes if wish.slot in _JOB}
        return said if "model" in said else {}

    @property
    def told(self) -> tuple[Constraint, ...]:
        """His wishes without those that go without saying: that a model is run."""
        return tuple(wish for wish in self.wishes if not (self.job and _is_implied(wish)))


def _is_implied(wish: Constraint) -> bool:
    return wish.slot in _IMPLIED and (wish.slot == "task" or wish.value in _RUNS)


def decided(turn: Turn, board: Board) -> tuple[Reply, Conversation]:
    """One recommendation for the job that needs most, and for each other job whether the pick holds it."""
    need, members = merge(board), _members(board)
    explained, members = _picked(turn, need, members)
    page = turn.rooms.renderer.page
    rest = {"members": members, "need": need, "turns": _takes_turns(explained, members)}
    card = page("together", turn.language, "card", **rest)
    words = turn.rooms.renderer.words(turn.language)
    missing = (choice_of(label=words(f"slot.{slot}"), key=f"do:want-{slot}#{turn.case}") for slot in need.missing)
    first, _, below = explained.reply.text.partition("\n\n")
    reply = explained.reply.model_copy(
        update={
            "text": f"{first}\n\n{card}",
            "details": f"{first}\n\n{card}\n\n{explained.reply.details or below}",
            "choices": (*missing, *explained.reply.choices),
            "shared": True,
        }
    )
    return reply, explained.conversation


def _members(board: Board) -> tuple[Member, ...]:
    """Who spoke, in the order of first wishes; whoever the chat has no name for by a number."""
    found: dict[str, list[Constraint]] = {}
    for wish in board.constraints:
        found.setdefault(wish.by, []).append(wish)
    named = {by: next((wish.name for wish in wishes if wish.name), "") for by, wishes in found.items()}
    return tuple(Member(named[by] or f"#{place}", tuple(found[by])) for place, by in enumerate(found, 1))


def _picked(turn: Turn, need: Need, members: Sequence[Member]) -> tuple[Explained, tuple[Member, ...]]:
    """The recommendation for the largest job, with each member's need and verdict on it."""
    means = {slot: value for slot, value in need.slots.items() if slot not in _JOB}
    tried = [(one, _asked(turn, "recommend_gpu", {**means, **one.job})) for one in members if one.job]
    if not tried:
        return _asked(turn, "recommend_gpu", need.slots), tuple(members)
    explained = max((made for _, made in tried), key=lambda made: _figure(made, "vram_needed"))
    pick = _fact(explained, "pick")
    if not pick:
        return explained, tuple(members)
    card = {"gpu": [pick], "gpu_count": int(_figure(explained, "pick_count") or 1)}
    return explained, tuple(_judged(turn, one, card) if one.job else one for one in members)


def _judged(turn: Turn, member: Member, card: Mapping[str, object]) -> Member:
    """A member with what his job needs on the card that was picked, and whether it holds it."""
    fit = _asked(turn, "check_fit", {**card, **member.job})
    return replace(member, need=_figure(fit, "vram_needed"), verdict=_fact(fit, "verdict"))


def _asked(turn: Turn, intent: str, slots: Mapping[str, object]) -> Explained:
    """What a family answers to slots that nobody says in this message."""
    held = {slot: HeldSlot(value=value, said_at=turn.now, turn=1) for slot, value in slots.items()}
    return handled(turn.decided(kind="answer", intent=intent, slots=held))


def _fact(explained: Explained, name: str) -> str:
    return next((str(fact.value) for fact in explained.reply.facts if fact.name == name), "")


def _figure(explained: Explained, name: str) -> float:
    value = _fact(explained, name)
    return float(value) if value.replace(".", "", 1).isdigit() else 0.0


def _takes_turns(explained: Explained, members: Sequence[Member]) -> bool:
    """Whether the jobs do not fit beside one another on what was picked."""
    needs = [one.need for one in members if one.need]
    return len(needs) > 1 and sum(needs) > _ROOM * (_figure(explained, "pick_count") or 1.0) * _figure(
        explained, "pick_vram"
    )
