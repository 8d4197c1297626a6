"""Which version of a card a conversation is on: what was judged is what is billed, timed and compared next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from bot.core.answers import Answer, Decline
from bot.core.conversation import KEPT_VERSIONS, Conversation, Version
from bot.core.decision import Decision

if TYPE_CHECKING:
    from bot.road.turn import Turn

_TAKEN: Final = "gpu_variant"


def versions_before(state: Conversation, decision: Decision) -> tuple[Version, ...]:
    """What a name that leaves its version open stands for in this turn.

    A version that somebody said holds whenever the shorter name is said; one that an answer took holds for what goes on
    with that card, and a question that names the card anew is answered as if it were the first.
    """
    goes_on = "gpu" not in decision.stated
    return tuple(one for one in state.versions if one.named or goes_on)


def versions_after(turn: Turn, outcome: Answer | Decline | None) -> tuple[Version, ...]:
    """The versions spoken of after a turn, the newest first.

    An answer that had to take another version (nobody lets the one spoken of) says so and changes nothing.
    """
    before = versions_before(turn.state, turn.decision)
    groups = [group for group in _taken(turn, outcome) if group and not any(one.gpu in group for one in before)]
    newest: dict[str, Version] = {}
    for one in (*_named(turn), *(Version(gpu=group[0]) for group in groups), *turn.state.versions):
        newest.setdefault(one.gpu, one)
    return tuple(newest.values())[:KEPT_VERSIONS]


def _named(turn: Turn) -> tuple[Version, ...]:
    """The card that was named alone and by its version, where a shorter name would leave that open."""
    catalog, held = turn.rooms.services.catalog, turn.decision.slots.get("gpu")
    names = held.value if held is not None and "gpu" in turn.decision.stated else ()
    if not isinstance(names, list) or len(names) != 1:
        return ()
    variants = catalog.gpu_variants(str(names[0]))
    is_open = len(variants) == 1 and any(variants[0].id in group.means for group in catalog.generic_gpus)
    return (Version(gpu=variants[0].id, named=True),) if is_open else ()


def _taken(turn: Turn, outcome: Answer | Decline | None) -> Iterator[tuple[str, ...]]:
    """The groups of versions that an answer took one of, that one first."""
    catalog = turn.rooms.services.catalog
    for note in outcome.notes if isinstance(outcome, Answer) else ():
        if note.code == _TAKEN:
            others = note.values["others"]
            names = (note.values["taken"], *(others if isinstance(others, list | tuple) else ()))
            found = [catalog.find_gpu(str(name)) for name in names]
            yield tuple(gpu.id for gpu in found if gpu is not None)
