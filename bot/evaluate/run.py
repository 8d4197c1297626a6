"""Runs labelled questions through understanding and dialogue, and gathers the figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from advisor.catalog import Catalog
from bot.core.conversation import Conversation
from bot.core.decision import Decision
from bot.core.message import IncomingMessage
from bot.core.understanding import RankedIntent, Understanding
from bot.dialogue.decide import decide
from bot.dialogue.turn import CONVERSATION
from bot.evaluate.compare import CORE, SOFT, excused, value_set
from bot.evaluate.invariance import invariance
from bot.evaluate.records import Outcome, Record, read_records
from bot.pipeline import Assistant

_NOW = datetime(2026, 1, 1, tzinfo=UTC)
_WORST = 25
_BINS = 10


def evaluate_files(assistant: Assistant, files: Iterable[Path]) -> dict[str, Any]:
    """Every figure about these files as one JSON-able object. Ambiguous lines are counted, not scored."""
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
        "invariance": invariance(assistant.understander, [one.record for one in scored]),
    }


def read_one(assistant: Assistant, record: Record) -> Outcome:
    """The last turn of a record after its context, through understanding and dialogue (no handler is called)."""
    state = Conversation(key=record.id)
    for number, text in enumerate((*record.context, record.text)):
        reading, decision = _decided(assistant, record, state, number, text)
        if decision.intent and decision.intent not in CONVERSATION:
            state = state.model_copy(update={"intent": decision.intent, "slots": decision.slots})
        state = state.model_copy(update={"turn": state.turn + 1, "updated_at": _NOW})
    intent = decision.intent or "out_of_scope"
    others = [item.intent for item in reading.ranking if item.intent != intent]
    best = next((item for item in reading.ranking if item.intent == intent), RankedIntent(intent, 0.0))
    return Outcome(
        record=record,
        intent=intent,
        decision=decision.kind,
        score=best.score,
        runner_up=next(iter(others), ""),
        slots={slot: held.value for slot, held in decision.slots.items()},
        because=tuple(f"{c.detail} {c.weight:+g}" for c in best.contributions[:3]),
    )


def _decided(
    assistant: Assistant, record: Record, state: Conversation, number: int, text: str
) -> tuple[Understanding, Decision]:
    """One turn of a record: its reading and what is decided about it."""
    message = IncomingMessage(
        channel="eval",
        event_id=f"{record.id}:{number}",
        chat_id=record.id,
        user_id="eval",
        text=text,
        received_at=_NOW,
    )
    reading = assistant.understander.understand(text, context_intent=state.intent or None)
    return reading, decide(message, reading, state, assistant.intents, _NOW, names=assistant.services.catalog)


def _share(hits: int, total: int) -> float | None:
    return round(hits / total, 4) if total else None


def _intents(outcomes: list[Outcome]) -> dict[str, Any]:
    right = [one.record.accepts(one.intent) for one in outcomes]
    strict = sum(one.intent == one.record.intent for one in outcomes)
    groups: dict[str, dict[str, list[bool]]] = {"by_language": {}, "by_intent": {}}
    for one, good in zip(outcomes, right, strict=True):
        groups["by_language"].setdefault(one.record.lang or "?", []).append(good)
        groups["by_intent"].setdefault(one.record.intent, []).append(good)
    result: dict[str, Any] = {"accuracy": _share(sum(right), len(right)), "strict": _share(strict, len(right))}
    for name, members in groups.items():
        result[name] = {
            key: {"accuracy": _share(sum(goods), len(goods)), "lines": len(goods)}
            for key, goods in sorted(members.items())
        }
    follow_ups = [good for one, good in zip(outcomes, right, strict=True) if one.record.context]
    result["follow_ups"] = {"accuracy": _share(sum(follow_ups), len(follow_ups)), "lines": len(follow_ups)}
    return result


def _out_of_scope(outcomes: list[Outcome]) -> dict[str, Any]:
    outside = [one for one in outcomes if one.record.intent == "out_of_scope"]
    inside = [one for one in outcomes if not one.record.accepts("out_of_scope")]
    declined = [one for one in inside if one.intent == "out_of_scope"]
    return {
        "recall": _share(sum(one.intent == "out_of_scope" for one in outside), len(outside)),
        "wrongly_declined": _share(len(declined), len(inside)),
        "declined": [one.record.id for one in declined],
    }


def _slots(assistant: Assistant, outcomes: list[Outcome]) -> dict[str, Any]:
    catalog = assistant.services.catalog
    hits: Counter[str] = Counter()
    extra: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    frames = 0
    faults: list[dict[str, Any]] = []
    for one in outcomes:
        pairs = _slot_pairs(catalog, one)
        for slot, gold, found in pairs:
            hits[slot] += len(gold & found)
            extra[slot] += len(found - gold)
            missed[slot] += len(gold - found)
        wrong = {slot: {"gold": sorted(gold), "found": sorted(found)} for slot, gold, found in pairs if gold != found}
        frames += not wrong and one.record.accepts(one.intent)
        if wrong:
            faults.append({"id": one.record.id, "text": one.record.text, "slots": wrong})
    named = sorted({*hits, *extra, *missed})
    table = {slot: _f1(hits[slot], extra[slot], missed[slot]) for slot in named}
    for name, group in (("core", CORE), ("soft", SOFT), ("all", frozenset(named))):
        table[name] = _f1(*(sum(counter[slot] for slot in group) for counter in (hits, extra, missed)))
    return {"frame_accuracy": _share(frames, len(outcomes)), "scores": table, "faults": faults}


def _slot_pairs(catalog: Catalog, one: Outcome) -> list[tuple[str, frozenset[str], frozenset[str]]]:
    """For each slot what is labelled and what was found, without what the labelling rules excuse."""
    given = one.record.slots
    pairs = [
        (slot, value_set(catalog, slot, given.get(slot)), value_set(catalog, slot, one.slots.get(slot)))
        for slot in sorted({*given, *one.slots})
    ]
    return [pair for pair in pairs if pair[1] or not pair[2] or not excused(catalog, pair[0], pair[2], given)]


def _f1(hit: int, extra: int, missed: int) -> dict[str, float | int | None]:
    precision, recall = _share(hit, hit + extra), _share(hit, hit + missed)
    return {
        "precision": precision,
        "recall": recall,
        "f1": _share(2 * hit, 2 * hit + extra + missed),
        "values": hit + missed,
    }


def _confusions(outcomes: list[Outcome]) -> list[dict[str, Any]]:
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


def _worst(outcomes: list[Outcome]) -> list[Mapping[str, Any]]:
    """The surest mistakes first."""
    wrong = [one for one in outcomes if not one.record.accepts(one.intent)]
    wrong.sort(key=lambda one: (-one.score, one.record.id))
    return [
        {"id": one.record.id, "text": one.record.text, "context": list(one.record.context), "gold": one.record.intent,
         "found": one.intent, "decision": one.decision, "score": one.score, "because": list(one.because)}
        for one in wrong[:_WORST]
    ]  # fmt: skip
