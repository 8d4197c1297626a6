"""One later message as its operation sees it: values, words that do something, need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bot.core.understanding import SlotValue, Understanding

_SLOT_OF_CONCEPT: Final = {
    "batch_size": "batch", "sequence_length": "seq_len", "precision": "precision", "dataset": "dataset",
    "electricity": "electricity_price", "psu": "psu_w", "memory": "vram_gb", "vram": "vram_gb", "ram": "ram_gb",
}  # fmt: skip
"""Which value a concept names without giving one."""
_CONDITION: Final = {
    "second_hand": "used",
    "laptop": "laptop",
    "renting": "rent",
    "buying": "buy",
    "mining": "ex-mining",
}
_MAKER: Final = {"amd": "AMD", "intel_gpu": "Intel", "intel_maker": "Intel"}
"""Makers by what only they are called; the idea of NVIDIA comes with CUDA too, its name is read as one."""
_SURE: Final = 0.5
"""Score from which the need of a few words is theirs."""
_ELSEWHERE: Final = "out_of_scope"
_YES: Final = frozenset({"yes", "more"})
_LISTS: Final = frozenset({"gpu", "model"})
_SEVERAL: Final = frozenset({"provider", "precision"})
_ONE_ONLY: Final = frozenset({"method", "precision", "deploy"})
"""Slots of which a job has one: a new one takes the place of the old."""
_BARE: Final = frozenset({"task", "persona"})
"""What a choice in a few words does not settle."""
_MONEY: Final = frozenset({"deploy", "budget", "price"})

Slots = dict[str, object]
"""Values by the names of the taxonomy."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What a later message says."""

    understanding: Understanding
    slots: Slots
    """Values that are wished, by the names of the taxonomy."""
    excluded: tuple[str, ...]
    intent: str
    score: float

    def has(self, act: str) -> bool:
        """Whether a word of this act stands in the message."""
        return act in self.understanding.said.acts

    @property
    def mark(self) -> str:
        """yes, no, correction ... of a line that is nothing else."""
        return self.understanding.mark

    @property
    def yes(self) -> bool:
        """Begins with a yes."""
        return self.mark in _YES or self.has("yes")

    @property
    def leaning(self) -> bool:
        """Leans on the turn before."""
        return self.understanding.leaning or self.understanding.elliptical

    @property
    def asks_itself(self) -> bool:
        """Is a question with a sure need, in a form that leans on nothing: its sizes are its own."""
        return self.score >= _SURE and self.intent != _ELSEWHERE and not self.leaning

    @property
    def corrects(self) -> bool:
        """Puts one value in the place of another."""
        return any(value.corrects for value in self.understanding.slots) or self.has("replace")

    @property
    def concepts(self) -> tuple[str, ...]:
        """Ideas that the words stand for."""
        return self.understanding.concepts

    @property
    def named_slot(self) -> str:
        """The value that a concept names without giving one."""
        return next((_SLOT_OF_CONCEPT[one] for one in self.concepts if one in _SLOT_OF_CONCEPT), "")

    @property
    def conditions(self) -> list[str]:
        """Conditions and ways that are spoken of: used, laptop, rent ..."""
        return list(dict.fromkeys(_CONDITION[one] for one in self.concepts if one in _CONDITION))

    @property
    def denied(self) -> list[str]:
        """Places, conditions and makers in a clause that rules something out."""
        near = self.understanding.said.denied_near
        named = [value for value in (*self.names("provider"), *self.names("gpu_family")) if value in near]
        meant = {**_CONDITION, **_MAKER}
        return list(dict.fromkeys([*named, *(meant[one] for one in self.concepts if one in meant and one in near)]))

    def names(self, slot: str) -> list[str]:
        """Every name of a kind, wished or not, in the order of the text."""
        found = [one.value for one in self.understanding.slots if one.slot == slot]
        return list(dict.fromkeys(map(str, found)))

    @property
    def given_up(self) -> frozenset[str]:
        """Values that another one of the same message takes the place of: the one method for the other."""
        slots = {slot for slot in self.slots if slot in _ONE_ONLY}
        return frozenset(str(one.value) for one in self.understanding.slots if one.slot in slots and one.negated)

    def likeliest_but(self, others: frozenset[str]) -> str:
        """The likeliest need that is none of these."""
        return next((item.intent for item in self.understanding.ranking if item.intent not in others), "")

    def is_of(self, name: str, ruled: Sequence[str]) -> bool:
        """Whether a listed name is of a maker that is ruled out."""
        return name in ruled or any(name.startswith(("RX", "Radeon")) and one == "AMD" for one in ruled)


def wished(values: Sequence[SlotValue]) -> Slots:
    """Values by their slot, without what is ruled out; of several cards or models a list."""
    slots: Slots = {}
    for found in values:
        if not found.negated:
            slots[found.slot] = _joined(slots.get(found.slot), found)
    return slots


def _joined(before: object, found: SlotValue) -> object:
    """One more value beside those of its slot: lists grow, of the others the first stands."""
    if found.slot in _LISTS:
        listed = before if isinstance(before, list) else []
        return listed if found.value in listed else [*listed, found.value]
    if before is not None and found.slot in _SEVERAL:
        return [*(before if isinstance(before, list) else [before]), found.value]
    return found.value if before is None else before


def sizes_of(understanding: Understanding) -> frozenset[str]:
    """Every number of a message as the memory of a card would be written in its name."""
    return frozenset(f"{number.plain:g}GB" for number in understanding.said.numbers)


def _variant(understanding: Understanding, name: str) -> str:
    """A card whose memory is said apart from it: the variant with that much."""
    found = next((one for one in understanding.slots if one.value == name), None)
    sizes = sizes_of(understanding)
    fitting = [one for one in (found.candidates if found is not None else ()) if not sizes.isdisjoint(one.split())]
    if len(fitting) < 2:
        return fitting[0] if fitting else name
    formed = [one for one in fitting if one.split()[-1].casefold() in understanding.tokens]
    return formed[0] if formed else f"{name} {min(sizes.intersection(fitting[0].split()))}"


def _slots(understanding: Understanding) -> Slots:
    """The wished values, without what a word of denial stands right before; cards by their variant."""
    denied = understanding.said.denied
    slots = wished([value for place, value in enumerate(understanding.slots) if place not in denied])
    named = slots.get("gpu")
    if isinstance(named, list):
        exact = [_variant(understanding, name) for name in named]
        if exact != named:
            slots["gpu"] = exact
            slots.pop("vram_gb", None)
    return slots


def meaning_of(understanding: Understanding) -> Slots:
    """The values that a few words stand for, and their need where it is sure."""
    kept = {slot: value for slot, value in wished(understanding.slots).items() if slot not in _BARE}
    best = understanding.ranking[0] if understanding.ranking else None
    if best is not None and best.score >= _SURE and not _MONEY.isdisjoint(kept):
        kept["intent"] = best.intent
    return kept


def turn_of(understanding: Understanding) -> Turn:
    """One later message."""
    best = next(iter(understanding.ranking), None)
    ruled = [value for _, value in understanding.said.ruled_out]
    ruled += [str(one.value) for one in understanding.slots if one.negated]
    return Turn(
        understanding,
        _slots(understanding),
        tuple(dict.fromkeys(ruled)),
        best.intent if best else "",
        best.score if best else 0.0,
    )


def of_mapping(value: object) -> Mapping[str, object]:
    """A value that has parts, as amount and currency; without any where it has none."""
    return value if isinstance(value, Mapping) else {}
