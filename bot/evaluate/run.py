"""Runs labelled questions through understanding and dialogue, and gathers the figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from advisor.catalog import Catalog
from bot.core.conversation import Conversation
from bot.core.decision import Decision
from bot.core.message import IncomingMessage
from bot.core.understanding import Understanding
from bot.dialogue.decide import decide
from bot.dialogue.shown import shown_slots
from bot.dialogue.turn import CONVERSATION
from bot.evaluate.compare import CORE, SOFT, excused, value_set
from bot.evaluate.figures import (
    Confusion,
    Differing,
    Evaluation,
    Fault,
    Intents,
    Mistake,
    OutOfScope,
    Scores,
    Share,
    Slots,
)
from bot.evaluate.invariance import invariance
from bot.evaluate.records import Outcome, Record, read_records
from bot.pipeline import Assistant

_NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
_WORST: Final = 25
_BINS: Final = 10


def evaluate_files(assistant: Assistant, files: Iterable[Path], *, rewritten: bool = True) -> Evaluation:
    """Every figure about these files as one JSON-able object. Ambiguous lines are counted, not scored.

    `rewritten`: also how lines are read that are written otherwise, which takes five readings of each.
    """
    records = read_records(files)
    outcomes = [read_one(assistant, record) for record in records]
    scored = [outcome for outcome in outcomes if not outcome.record.ambiguous]
    return {
        "records": len(records),
        "scored": len(scored),
        "intent": _intents(scored),
        "out_of_scope": _out_of_scope(scored),
        "slots": _slots(assistant, scored),
        "confusions": _confusions(scored),
        "histogram": _histogram(scored),
        "worst": _worst(scored),
        "invariance": invariance(assistant.understander, [one.record for one in scored]) if rewritten else {},
    }


def read_one(assistant: Assistant, record: Record) -> Outcome:
    """The last turn of a record after its context, through understanding and dialogue (no handler is called)."""
    state = Conversation(key=record.id)
    for number, text in enumerate((*record.context, record.text)):
        message = IncomingMessage(
            channel="eval",
            event_id=f"{record.id}:{number}",
            chat_id=record.id,
            user_id="eval",
            text=text,
            received_at=_NOW,
        )
        reading = assistant.understander.understand(text, context_intent=state.intent or None)
        decision = decide(message, reading, state, assistant.intents, _NOW, names=assistant.services.catalog)
        state = _after(state, decision)
    shown = shown_slots(decision, assistant.services.catalog, reading.said)
    return _outcome(record, reading, decision, shown)


def _after(state: Conversation, decision: Decision) -> Conversation:
    """The conversation after a turn: small talk leaves its subject as it was."""
    subject = decision.intent and decision.intent not in CONVERSATION
    kept = {"intent": decision.intent, "slots": decision.slots} if subject else {}
    return state.model_copy(update={**kept, "turn": state.turn + 1, "updated_at": _NOW})


def _outcome(record: Record, reading: Understanding, decision: Decision, slots: dict[str, object]) -> Outcome:
    intent = decision.intent or "out_of_scope"
    best = next((item for item in reading.ranking if item.intent == intent), None)
    return Outcome(
        record=record,
        intent=intent,
        decision=decision.kind,
        score=best.score if best else 0.0,
        runner_up=next((item.intent for item in reading.ranking if item.intent != intent), ""),
        slots=slots,
        because=tuple(f"{c.detail} {c.weight:+g}" for c in (best.contributions if best else ())[:3]),
    )


def _share(hits: int, total: int) -> float | None:
    return round(hits / total, 4) if total else None


def _intents(outcomes: list[Outcome]) -> Intents:
    right = [one.record.accepts(one.intent) for one in outcomes]
    strict = sum(one.intent == one.record.intent for one in outcomes)
    groups: dict[str, dict[str, list[bool]]] = {"by_language": {}, "by_intent": {}}
    for one, good in zip(outcomes, right, strict=True):
        groups["by_language"].setdefault(one.record.lang or "?", []).append(good)
        groups["by_intent"].setdefault(one.record.intent, []).append(good)
    return {
        "accuracy": _share(sum(right), len(right)),
        "strict": _share(strict, len(right)),
        "by_language": _shares(groups["by_language"]),
        "by_intent": _shares(groups["by_intent"]),
        "follow_ups": _share_of([good for one, good in zip(outcomes, right, strict=True) if one.record.context]),
    }


def _shares(groups: Mapping[str, list[bool]]) -> dict[str, Share]:
    return {key: _share_of(goods) for key, goods in sorted(groups.items())}


def _share_of(goods: list[bool]) -> Share:
    return {"accuracy": _share(sum(goods), len(goods)), "lines": len(goods)}


def _out_of_scope(outcomes: list[Outcome]) -> OutOfScope:
    outside = [one for one in outcomes if one.record.intent == "out_of_scope"]
    inside = [one for one in outcomes if not one.record.accepts("out_of_scope")]
    declined = [one for one in inside if one.intent == "out_of_scope"]
    return {
        "recall": _share(sum(one.intent == "out_of_scope" for one in outside), len(outside)),
        "wrongly_declined": _share(len(declined), len(inside)),
        "declined": [one.record.id for one in declined],
    }


@dataclass(slots=True)
class _Counts:
    """Values of each slot: hit, found beside the labels, missed."""

    hits: Counter[str] = field(default_factory=Counter)
    beside: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)

    def add(self, slot: str, gold: frozenset[str], found: frozenset[str]) -> None:
        self.hits[slot] += len(gold & found)
        self.beside[slot] += len(found - gold)
        self.missed[slot] += len(gold - found)

    def table(self) -> dict[str, Scores]:
        """The scores of each slot, then of those that matter most, of those that matter less, and of all."""
        named = sorted({*self.hits, *self.beside, *self.missed})
        groups = {**{slot: frozenset({slot}) for slot in named}, "core": CORE, "soft": SOFT, "all": frozenset(named)}
        return {name: self._scores(group) for name, group in groups.items()}

    def _scores(self, slots: frozenset[str]) -> Scores:
        hit, extra, missed = (sum(one[slot] for slot in slots) for one in (self.hits, self.beside, self.missed))
        return {
            "precision": _share(hit, hit + extra),
            "recall": _share(hit, hit + missed),
            "f1": _share(2 * hit, 2 * hit + extra + missed),
            "values": hit + missed,
        }


def _slots(assistant: Assistant, outcomes: list[Outcome]) -> Slots:
    counts, faults, frames = _Counts(), list[Fault](), 0
    for one in outcomes:
        wrong = _differing(assistant.services.catalog, one, counts)
        frames += not wrong and one.record.accepts(one.intent)
        if wrong:
            faults.append({"id": one.record.id, "text": one.record.text, "slots": wrong})
    return {"frame_accuracy": _share(frames, len(outcomes)), "scores": counts.table(), "faults": faults}


def _differing(catalog: Catalog, one: Outcome, counts: _Counts) -> dict[str, Differing]:
    """Count the slots of one line; those that are not as labelled."""
    wrong: dict[str, Differing] = {}
    # most sets are older than the slot for what is ruled out
    for slot in sorted({*one.record.slots, *one.slots} - ({"exclude"} - one.record.slots.keys())):
        gold = value_set(catalog, slot, one.record.slots.get(slot))
        found = value_set(catalog, slot, one.slots.get(slot))
        if found and not gold and excused(catalog, slot, found, one.record.slots):
            continue
        counts.add(slot, gold, found)
        if gold != found:
            wrong[slot] = {"gold": sorted(gold), "found": sorted(found)}
    return wrong


def _confusions(outcomes: list[Outcome]) -> list[Confusion]:
    pairs = Counter((one.record.intent, one.intent or "-") for one in outcomes if not one.record.accepts(one.intent))
    return [
        {"gold": gold, "found": found, "lines": count}
        for (gold, found), count in sorted(pairs.items(), key=lambda item: (-item[1], item[0]))
    ]


def _histogram(outcomes: list[Outcome]) -> dict[str, list[int]]:
    """Scores of the winner in tenths, split by right, wrong and out of scope: where thresholds can be set."""
    table = {"right": [0] * _BINS, "wrong": [0] * _BINS, "out_of_scope": [0] * _BINS}
    for one in outcomes:
        kind = (
            "out_of_scope"
            if one.record.intent == "out_of_scope"
            else "right"
            if one.record.accepts(one.intent)
            else "wrong"
        )
        table[kind][min(int(one.score * _BINS), _BINS - 1)] += 1
    return table


def _worst(outcomes: list[Outcome]) -> list[Mistake]:
    """The surest mistakes first."""
    wrong = [one for one in outcomes if not one.record.accepts(one.intent)]
    wrong.sort(key=lambda one: (-one.score, one.record.id))
    return [
        {"id": one.record.id, "text": one.record.text, "context": list(one.record.context), "gold": one.record.intent,
         "found": one.intent, "decision": one.decision, "score": one.score, "because": list(one.because)}
        for one in wrong[:_WORST]
    ]  # fmt: skip
