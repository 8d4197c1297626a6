"""One later message as its operation sees it: values, sign words, need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from bot.core.question import Mention
from bot.core.understanding import SlotValue, Understanding
from bot.read.build import excluded_of, slots_of
from bot.read.reader import Read, Reader
from bot.talk.standing import Standing

_SLOT_OF_CONCEPT: Final = {
    "batch_size": "batch", "sequence_length": "seq_len", "precision": "precision", "dataset": "dataset",
    "electricity": "electricity_price", "psu": "psu_w", "memory": "vram_gb", "vram": "vram_gb", "ram": "ram_gb",
}  # fmt: skip
"""Which value a concept names: "forget the batch size"."""
_CONDITION: Final = {
    "second_hand": "used",
    "laptop": "laptop",
    "renting": "rent",
    "buying": "buy",
    "mining": "ex-mining",
}
_MAKER: Final = {"amd": "AMD", "intel_gpu": "Intel", "intel_maker": "Intel", "nvidia": "NVIDIA"}
_TOUCHING: Final = 1
"""Characters between a word of denial and what it denies."""
_SURE: Final = 0.5
"""Score from which the need of a few words is theirs."""
_YES: Final = frozenset({"yes", "more"})


@dataclass(frozen=True, slots=True)
class Turn:
    """What a later message says."""

    reader: Reader
    read: Read
    slots: dict[str, Any]
    """Values that are wished, by the names of the taxonomy."""
    excluded: tuple[str, ...]
    mentions: tuple[Mention, ...]
    intent: str
    score: float

    def has(self, act: str) -> bool:
        """Whether a word of this act stands in the message."""
        return act in self.read.marks.acts

    def at(self, act: str) -> int:
        """Where the first word of this act stands."""
        return self.read.marks.acts[act]

    @property
    def mark(self) -> str:
        """yes, no, correction ... of a line that is nothing else."""
        return self.read.analysis.understanding.mark

    @property
    def yes(self) -> bool:
        """Begins with a yes."""
        return self.mark in _YES or self.has("yes")

    @property
    def leaning(self) -> bool:
        """Leans on the turn before."""
        understanding = self.read.analysis.understanding
        return understanding.leaning or understanding.elliptical

    @property
    def corrects(self) -> bool:
        """Puts one value in the place of another ("not 3090, 4090")."""
        return any(value.corrects for value in self.read.analysis.understanding.slots) or self.has("replace")

    @property
    def concepts(self) -> tuple[str, ...]:
        """Ideas that the words stand for."""
        return self.read.analysis.understanding.concepts

    @property
    def named_slot(self) -> str:
        """The value that a concept names without giving one."""
        return next((_SLOT_OF_CONCEPT[one] for one in self.concepts if one in _SLOT_OF_CONCEPT), "")

    @property
    def conditions(self) -> list[str]:
        """Conditions and ways that are spoken of: used, laptop, rent ..."""
        return list(dict.fromkeys(_CONDITION[one] for one in self.concepts if one in _CONDITION))

    @property
    def vendors(self) -> list[str]:
        """Makers and series that are spoken of."""
        read = self.read.analysis.understanding
        named = [str(one.value) for one in read.slots if one.slot == "gpu_family"]
        return list(dict.fromkeys([*named, *(_MAKER[one] for one in self.concepts if one in _MAKER)]))

    def names(self, slot: str) -> list[str]:
        """Every name of a kind, wished or not, in the order of the text."""
        found = [one.value for one in self.read.analysis.understanding.slots if one.slot == slot]
        return list(dict.fromkeys(map(str, found)))

    def is_of(self, name: str, ruled: Sequence[str]) -> bool:
        """Whether a listed name is of a maker that is ruled out."""
        return name in ruled or any(name.startswith(("RX", "Radeon")) and one == "AMD" for one in ruled)

    def meaning(self, words: str) -> dict[str, Any]:
        """The values that a few words stand for, and their need where it is sure."""
        understanding = self.reader.understand(words)
        slots, _ = slots_of(understanding.slots)
        kept = {slot: value for slot, value in slots.items() if slot not in {"task", "persona"}}
        best = understanding.ranking[0] if understanding.ranking else None
        money = {"deploy", "budget", "price"}
        if best is not None and best.score >= _SURE and not money.isdisjoint(kept):
            kept["intent"] = best.intent
        return kept

    def meaning_of_name(self, name: str) -> dict[str, Any]:
        """A listed name as a slot: a card with its count, or a place."""
        understanding = self.reader.understand(name)
        slots, _ = slots_of(understanding.slots)
        wanted = {slot: value for slot, value in slots.items() if slot in {"gpu", "provider", "gpu_count"}}
        return {slot: value for slot, value in wanted.items() if not (slot == "gpu_count" and value == 1)}


def _is_denied(read: Read, value: SlotValue) -> bool:
    """Whether a word of denial stands right before a value: "no lora", "not the Ti"."""
    offsets, flat = read.analysis.reading.offsets, read.analysis.reading.flat
    for start, end, name in read.marks.places:
        if name != "deny" or end > len(offsets):
            continue
        gap = value.span.start - offsets[end - 1] - 1
        # "can or cannot" asks and denies nothing
        asks = start > 0 and start + 1 < len(flat) and flat[start - 1] == flat[start + 1]
        if 0 <= gap <= _TOUCHING and not asks:
            return True
    return False


def _variant(read: Read, name: str) -> str:
    """A card whose memory is said apart from it ("an A100, the 80"): the variant with that much."""
    found = next((one for one in read.analysis.understanding.slots if one.value == name), None)
    sizes = {f"{quantity.value:g}GB" for quantity in read.analysis.reading.quantities}
    fitting = [one for one in found.candidates if not sizes.isdisjoint(one.split())] if found is not None else []
    if len(fitting) < 2:
        return fitting[0] if fitting else name
    formed = [one for one in fitting if one.split()[-1].casefold() in read.analysis.reading.words]
    size = sizes.intersection(fitting[0].split())
    return formed[0] if formed else f"{name} {min(size)}"


def _slots(read: Read, understanding: Understanding) -> dict[str, Any]:
    """The wished values, without what a word of denial stands right before; cards by their variant."""
    slots, _ = slots_of([one for one in understanding.slots if not _is_denied(read, one)])
    named = slots.get("gpu", [])
    exact = [_variant(read, name) for name in named]
    if exact != named:
        slots["gpu"] = exact
        slots.pop("vram_gb", None)
    return slots


def turn_of(reader: Reader, text: str, standing: Standing) -> Turn:
    """Read one later message."""
    read = reader.look(text, standing.intent)
    understanding = reader.settle(read, alone=False)
    question = reader.question(read)
    best = next(iter(understanding.ranking), None)
    ruled = [value for _, value in excluded_of(question.mentions)]
    ruled += [str(one.value) for one in understanding.slots if one.negated]
    return Turn(
        reader,
        read,
        _slots(read, understanding),
        tuple(dict.fromkeys(ruled)),
        question.mentions,
        best.intent if best else "",
        best.score if best else 0.0,
    )
