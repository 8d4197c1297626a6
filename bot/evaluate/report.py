"""The evaluation as text for people."""

from __future__ import annotations

from bot.evaluate.figures import Evaluation, Mistake, Scores


def to_text(result: Evaluation) -> str:
    """A report of about a page: totals, tables, confusions, worst cases, invariance."""
    intent, outside, slots = result["intent"], result["out_of_scope"], result["slots"]
    lines = [
        f"lines {result['records']}, scored {result['scored']} (ambiguous ones left out)",
        f"intent accuracy {_pct(intent['accuracy'])} (strict {_pct(intent['strict'])}), "
        f"follow-ups {_pct(intent['follow_ups']['accuracy'])} of {intent['follow_ups']['lines']}",
        f"out of scope: recall {_pct(outside['recall'])}, in-scope turned away {_pct(outside['wrongly_declined'])}",
        f"frames (intent and all slots) {_pct(slots['frame_accuracy'])}",
        "",
        "by language",
        *(f"  {key:<22}{_pct(row['accuracy']):>8}{row['lines']:>6}" for key, row in intent["by_language"].items()),
        "by intent",
        *(f"  {key:<22}{_pct(row['accuracy']):>8}{row['lines']:>6}" for key, row in intent["by_intent"].items()),
        "slots                     P       R      F1  values",
        *(_slot_row(slot, row) for slot, row in slots["scores"].items()),
        "score of the winner, in tenths",
        *(f"  {kind:<14}{' '.join(f'{count:>4}' for count in counts)}" for kind, counts in result["histogram"].items()),
        "confusions (gold -> found)",
        *(f"  {pair['lines']:>3}  {pair['gold']} -> {pair['found']}" for pair in result["confusions"][:20]),
        "invariance               before   after  other intent  other slots",
        *(
            f"  {name:<22}{_pct(row['accuracy_before']):>7} {_pct(row['accuracy_after']):>7}"
            f"{row['other_intent']:>14}{row['other_slots']:>13}"
            for name, row in result["invariance"].items()
        ),
        "surest mistakes",
        *(_mistake(case) for case in result["worst"]),
    ]
    return "\n".join(lines)


def _pct(share: float | None) -> str:
    return "-" if share is None else f"{share * 100:.1f}%"


def _slot_row(slot: str, row: Scores) -> str:
    return f"  {slot:<20}{_pct(row['precision']):>7} {_pct(row['recall']):>7} {_pct(row['f1']):>7}{row['values']:>6}"


def _mistake(case: Mistake) -> str:
    context = f" after {case['context']}" if case["context"] else ""
    reasons = "; ".join(case["because"])
    return f"  {case['score']:.2f} {case['gold']} -> {case['found']}: {case['text']}{context}\n       {reasons}"
