"""Scores long, mixed and misleading messages: need, mentions with their roles, slots, and what is not ours.

A mention counts when it overlaps a labelled one and plays the same role; each labelled one counts once.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypedDict, TypeVar

from pydantic import ConfigDict, Field, ValidationError

from advisor.catalog import Catalog
from advisor.errors import BadData, Problem
from advisor.models import Frozen
from bot.core.question import Mention, Question
from bot.evaluate.compare import excused, value_set
from bot.evaluate.figures import Differing
from bot.evaluate.records import Record
from bot.evaluate.run import read_one
from bot.pipeline import Assistant
from bot.read.reader import Reader

_WORST = 25
_Row = TypeVar("_Row", bound=Frozen)


class LabelledMention(Frozen):
    """A name or number of a message with the part it plays."""

    text: str
    kind: str = ""
    role: str
    value: object = None
    start: int

    @property
    def end(self) -> int:
        """Where it ends in the message."""
        return self.start + len(self.text)


class Message(Frozen):
    """One labelled message; `asking` are the parts of its text that ask, everything else is background."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str
    lang: str = ""
    text: str
    context: tuple[str, ...] = ()
    intent: str
    alt_intents: tuple[str, ...] = ()
    asking: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    mentions: tuple[LabelledMention, ...] = ()
    slots: dict[str, object] = Field(default_factory=dict)
    in_scope: bool = True
    must_not: tuple[str, ...] = ()
    source: str = ""

    def accepts(self, intent: str) -> bool:
        """Whether a need is the labelled one or one that a careful person would also accept."""
        return intent == self.intent or intent in self.alt_intents


class Tally(NamedTuple):
    """Hits, what was found beside them, what was missed."""

    hit: int
    surplus: int
    missed: int

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; 1 where there was nothing to find and nothing was found."""
        whole = 2 * self.hit + self.surplus + self.missed
        return 2 * self.hit / whole if whole else 1.0


class Row(TypedDict):
    """A tally with what it comes to."""

    hit: int
    extra: int
    missed: int
    f1: float


class Missed(TypedDict):
    """A message whose need was not found."""

    id: str
    gold: str
    found: str
    text: str


class Scope(TypedDict):
    """Messages of other subjects that were caught, of all, and ours that were turned away."""

    caught: int
    of: int
    turned_away: list[str]


class MentionFault(TypedDict):
    """What was missed in a message and found beside, for people."""

    id: str
    missed: list[str]
    extra: list[str]


class SlotFault(TypedDict):
    """The slots of a message that differ from the labels."""

    id: str
    slots: dict[str, Differing]


class Mentions(Row):
    """Mentions of all messages, and by the part they play."""

    by_role: dict[str, Row]
    faults: list[MentionFault]


class Slots(TypedDict):
    """Slots of all messages, and each."""

    f1: float
    by_slot: dict[str, Row]
    faults: list[SlotFault]


class _Needs(TypedDict):
    intent: float
    intent_of_real: float | None
    missed_needs: list[Missed]


class AskedBack(TypedDict):
    """Messages that are asked which of two needs is meant, and the share of right needs among the answered ones."""

    asked: list[str]
    answered_right: float | None


class Figures(_Needs):
    """Every figure about some files of labelled messages."""

    messages: int
    asked_back: AskedBack
    out_of_scope: Scope
    mentions: Mentions
    slots: Slots


def read_rows(path: Path, row: type[_Row]) -> list[_Row]:
    """All rows of a file of JSON lines. Raises BadData naming each faulty line."""
    rows: list[_Row] = []
    problems: list[Problem] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            rows.append(row.model_validate(json.loads(line)))
        except (ValidationError, ValueError) as error:
            reason = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
            problems.append(Problem(str(path), number, f"not a {row.__name__}: {reason}"))
    if problems:
        raise BadData(problems)
    return rows


def match_mentions(gold: Sequence[LabelledMention], found: Sequence[Mention]) -> list[tuple[int, int]]:
    """Pairs (labelled, found) that overlap and play the same role, each used once, in the order of the text."""
    used: set[int] = set()
    pairs: list[tuple[int, int]] = []
    for number, label in enumerate(gold):
        for place, mention in enumerate(found):
            overlaps = mention.span.start < label.end and label.start < mention.span.end
            if place not in used and overlaps and mention.role == label.role:
                used.add(place)
                pairs.append((number, place))
                break
    return pairs


def score_messages(assistant: Assistant, reader: Reader, files: Iterable[Path]) -> Figures:
    """Every figure about these files as one JSON-able object."""
    rows = [row for path in files for row in read_rows(path, Message)]
    decided = [_decided(assistant, row) for row in rows]
    intents = [one.intent for one in decided]
    questions = [reader.read(row.text) for row in rows]
    return {
        "messages": len(rows),
        **_needs(rows, intents),
        "asked_back": _asked_back(rows, decided),
        "out_of_scope": _scope(rows, intents),
        "mentions": _mentions(rows, questions),
        "slots": _slots(assistant.services.catalog, rows, [one.slots for one in decided]),
    }


def _needs(rows: Sequence[Message], intents: Sequence[str]) -> _Needs:
    """How many needs are right, of all and of those that follow a real thread, and which are not."""
    right = [row.accepts(intent) for row, intent in zip(rows, intents, strict=True)]
    real = [good for row, good in zip(rows, right, strict=True) if not row.source.startswith("made-up")]
    return {
        "intent": round(sum(right) / len(rows), 4),
        "intent_of_real": round(sum(real) / len(real), 4) if real else None,
        "missed_needs": [
            {"id": row.id, "gold": row.intent, "found": intent, "text": row.text}
            for row, intent, good in zip(rows, intents, right, strict=True)
            if not good
        ],
    }


def _scope(rows: Sequence[Message], intents: Sequence[str]) -> Scope:
    """How many messages of other subjects were caught, and which of ours were turned away."""
    out = [row for row, intent in zip(rows, intents, strict=True) if intent == "out_of_scope"]
    return {
        "caught": sum(not row.in_scope for row in out),
        "of": sum(not row.in_scope for row in rows),
        "turned_away": [row.id for row in out if row.in_scope and not row.accepts("out_of_scope")],
    }


class _Decided(NamedTuple):
    """The need that was acted on after the context, what was done, and the slots in force with what was ruled out."""

    intent: str
    kind: str
    slots: Mapping[str, object]


def _asked_back(rows: Sequence[Message], decided: Sequence[_Decided]) -> AskedBack:
    pairs = list(zip(rows, decided, strict=True))
    answered = [row.accepts(one.intent) for row, one in pairs if one.kind != "clarify"]
    return {
        "asked": [row.id for row, one in pairs if one.kind == "clarify"],
        "answered_right": round(sum(answered) / len(answered), 4) if answered else None,
    }


def _decided(assistant: Assistant, row: Message) -> _Decided:
    record = Record(id=row.id, text=row.text, lang=row.lang, intent=row.intent, context=row.context)
    outcome = read_one(assistant, record)
    return _Decided(outcome.intent or "out_of_scope", outcome.decision, outcome.slots)


def _mentions(rows: Sequence[Message], questions: Sequence[Question]) -> Mentions:
    counts = (Counter[str](), Counter[str](), Counter[str]())
    faults: list[MentionFault] = []
    for row, question in zip(rows, questions, strict=True):
        lost, more = _compared(row, question, counts)
        if lost or more:
            faults.append({"id": row.id, "missed": lost, "extra": more})
    hit, extra, missed = counts
    table = {role: _row(Tally(hit[role], extra[role], missed[role])) for role in sorted({*hit, *extra, *missed})}
    whole = Tally(hit.total(), extra.total(), missed.total())
    return {"f1": round(whole.f1, 4), **_row(whole), "by_role": table, "faults": faults}


def _compared(
    row: Message, question: Question, counts: tuple[Counter[str], Counter[str], Counter[str]]
) -> tuple[list[str], list[str]]:
    """Count the mentions of one message by role; what was missed and what was found beside, for people."""
    pairs = match_mentions(row.mentions, question.mentions)
    met, used = {number for number, _ in pairs}, {place for _, place in pairs}
    lost = [label for number, label in enumerate(row.mentions) if number not in met]
    more = [mention for place, mention in enumerate(question.mentions) if place not in used]
    counts[0].update(row.mentions[number].role for number in met)
    counts[1].update(mention.role for mention in more)
    counts[2].update(label.role for label in lost)
    return [f"{label.text} {label.role}" for label in lost], list(map(_told, more))


def _told(mention: Mention) -> str:
    return f"{mention.text} {mention.role}"


def _row(tally: Tally) -> Row:
    return {"hit": tally.hit, "extra": tally.surplus, "missed": tally.missed, "f1": round(tally.f1, 4)}


def _slots(catalog: Catalog, rows: Sequence[Message], found: Sequence[Mapping[str, object]]) -> Slots:
    counts: dict[str, list[int]] = {}
    faults: list[SlotFault] = []
    for row, held in zip(rows, found, strict=True):
        wrong = _compared_slots(catalog, row, held, counts)
        if wrong:
            faults.append({"id": row.id, "slots": wrong})
    whole = Tally(*(sum(tally[place] for tally in counts.values()) for place in range(3)))
    table = {slot: _row(Tally(*tally)) for slot, tally in sorted(counts.items())}
    return {"f1": round(whole.f1, 4), "by_slot": table, "faults": faults}


def _compared_slots(
    catalog: Catalog, row: Message, held: Mapping[str, object], counts: dict[str, list[int]]
) -> dict[str, Differing]:
    """Count the slots of one message; those that differ from the labels."""
    wrong: dict[str, Differing] = {}
    for slot in sorted({*row.slots, *held}):
        gold = _set(catalog, slot, row.slots.get(slot))
        got = _set(catalog, slot, held.get(slot))
        if got and not gold and excused(catalog, slot, got, row.slots):
            continue
        tally = counts.setdefault(slot, [0, 0, 0])
        for place, number in enumerate((len(gold & got), len(got - gold), len(gold - got))):
            tally[place] += number
        if gold != got:
            wrong[slot] = {"gold": sorted(gold), "found": sorted(got)}
    return wrong


def _set(catalog: Catalog, slot: str, value: object) -> frozenset[str]:
    """A slot as a set; what is ruled out may be a card, so each is read as one first."""
    return value_set(catalog, "gpu" if slot == "exclude" else slot, value)


def to_text(result: Figures) -> str:
    """A page of figures for people, the commonest faults last."""
    outside, mentions, slots = result["out_of_scope"], result["mentions"], result["slots"]
    back = result["asked_back"]
    lines = [
        f"messages {result['messages']}",
        f"intent {result['intent']:.3f} (of real ones {result['intent_of_real'] or 0:.3f})",
        f"asked back {len(back['asked'])}, right of what is answered {back['answered_right'] or 0:.3f}",
        f"out of scope {outside['caught']} of {outside['of']}, turned away {len(outside['turned_away'])}",
        f"mentions F1 {mentions['f1']:.3f} "
        f"(hit {mentions['hit']}, extra {mentions['extra']}, missed {mentions['missed']})",
        f"slots F1 {slots['f1']:.3f}",
        "by role",
        *_table(mentions["by_role"]),
        "by slot",
        *_table(slots["by_slot"]),
        "needs that were missed",
        *(f"  {miss['id']} {miss['gold']} -> {miss['found']}: {miss['text'][:90]}" for miss in result["missed_needs"]),
    ]
    return "\n".join(lines)


def _table(rows: Mapping[str, Row]) -> list[str]:
    return [
        f"  {name:<20}{row['f1']:>6.3f}{row['hit']:>5}{row['extra']:>5}{row['missed']:>5}" for name, row in rows.items()
    ]
