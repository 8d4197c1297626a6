"""What a line of chat was taken to mean, with everything needed to explain it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bot.core.message import Language

if TYPE_CHECKING:
    from bot.core.question import Ask


class Span(NamedTuple):
    """Half-open range of characters in the original text."""

    start: int
    end: int


@dataclass(slots=True)
class SlotValue:
    """One value found in the text. `value` is JSON-able and canonical (docs/slots.md).

    Nobody changes one; a frozen class would take seven times as long to make.
    """

    slot: str
    value: Any
    span: Span
    text: str
    """The original characters."""
    rule: str
    """Which rule found it: "gpu alias", "money: number + unit", ..."""
    negated: bool = False
    """"no used cards", "anything but AMD": excluded, not wished."""
    approximate: bool = False
    bound: str = ""
    """"max" for at most, "min" for at least, "" for the plain value."""
    corrects: bool = False
    """Stands after "no wait", so it replaces what was said before."""
    candidates: tuple[str, ...] = ()
    """When the words fit several things (an unknown card's nearest names, a card's memory variants)."""
    count: int | None = None
    """How many of it, when a number stands beside it: each side of "one 4090 or four 4060 Ti" has its own."""
    known: bool = True
    """False: looks like a card or model, but the catalogue has none of that name."""


class Contribution(NamedTuple):
    """One reason for a score."""

    kind: str
    """concept | slot | trait | word | words | letters | context | rule"""
    detail: str
    weight: float


SHOWN_REASONS = 6


def _no_reasons(_: str) -> Iterable[tuple[str, str, float]]:
    return ()


class RankedIntent(NamedTuple):
    """An intent with its score in 0..1 and the reasons, which are worked out when somebody asks for them."""

    intent: str
    score: float
    reasons: Callable[[str], Iterable[tuple[str, str, float]]] = _no_reasons
    """Gives kind, detail and weight of each reason for an intent, in the order in which they were found."""

    def __repr__(self) -> str:
        """Without the reasons, so that the same reading is written alike."""
        return f"RankedIntent(intent={self.intent!r}, score={self.score!r})"

    @property
    def contributions(self) -> tuple[Contribution, ...]:
        """The weightiest reasons, largest first; equal ones by name."""
        best = sorted(self.reasons(self.intent), key=lambda part: (-abs(part[2]), part[0], part[1]))[:SHOWN_REASONS]
        return tuple(Contribution(kind, detail, round(weight, 3)) for kind, detail, weight in best)


class Number(NamedTuple):
    """A number of a message, whatever slot it fills."""

    value: float
    unit: str
    """Canonical: a currency, GB, W, hour/day ...; "" when none is said."""
    kind: str
    """money | time | memory | power | card | person ..., "" for a bare number; that of the name it is part of."""
    plain: float
    """As it was said, before its unit was evened."""
    thousands: bool = False
    """Scaled by a k."""
    role: str = ""
    """The part it plays, where roles were read."""
    beside: frozenset[str] = frozenset()
    """Kinds of words that do something and touch it: more, fewer, single ..."""
    of: str = ""
    """The card beside which it stands, where the message names several."""


_TELLING: Final = 28
_TELLING_MUCH: Final = 42


class Said(NamedTuple):
    """What a message says beside its values: read against what was said before it."""

    acts: frozenset[str] = frozenset()
    """Kinds of words for what a message does to what was said before: more, double, allow, cheaper ..."""
    numbers: tuple[Number, ...] = ()
    ruled_out: tuple[tuple[str, str], ...] = ()
    """Kind and value of what is ruled out: ("condition", "used"), ("vendor", "AMD") ..."""
    denied: frozenset[int] = frozenset()
    """Places among the slots of values right behind a word of denial."""
    denied_near: frozenset[str] = frozenset()
    """Ideas and values in a clause that tells and holds a word of denial."""
    label: str = ""
    """A letter or figure that stands alone at the head."""
    size: int = 0
    """Its tokens."""

    @property
    def tells(self) -> bool:
        """Whether it is long enough to tell more than it asks; shorter lines ask about nearly all that they name."""
        return self.size >= _TELLING

    @property
    def tells_much(self) -> bool:
        """Whether it is so long that times in it are mostly those of a past, an age or a pace."""
        return self.size >= _TELLING_MUCH


class Understanding(NamedTuple):
    """The reading of one message, before any conversation is taken in."""

    text: str
    normalised: str
    tokens: tuple[str, ...]
    language: Language
    """Language to answer in."""
    slots: tuple[SlotValue, ...]
    ranking: tuple[RankedIntent, ...]
    """The likeliest intents, best first; ties in the order of priority."""
    in_domain: bool
    """Something in the text belongs to GPUs, models, machines or platforms."""
    social: bool = False
    """A short social line (hello, thanks) and nothing else."""
    elliptical: bool = False
    """Reads as a follow-up: slots without a predicate ("and 4090?")."""
    leaning: bool = False
    """Leans on the turn before ("and how long then?") though it asks something of its own."""
    mark: str = ""
    """Dialogue act that stands beside the intent: yes | no | correction | restart | more | "" """
    concepts: tuple[str, ...] = ()
    """Ideas of the lexicon that the words stand for, in the order of the text."""
    said: Said = Said()
    asks: tuple[Ask, ...] = ()
    """The asking parts, where several ask for needs of their own; () for one question."""

    def slot_values(self, slot: str) -> list[Any]:
        """All wished values of one slot, in the order of the text."""
        return [found.value for found in self.slots if found.slot == slot and not found.negated]
