"""`bot explain`: every step of the road for one line of text."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from advisor.models import Step
from bot.app import build_assistant, describer_of, reader_of
from bot.channels.described import Described
from bot.channels.markup import plain_text
from bot.cli.talk import message_of
from bot.core.question import Question
from bot.dialogue.policy import POLICY
from bot.pipeline import Explained

_SHOWN_INTENTS, _SHOWN_REASONS = 6, 6


def _tree(step: Step, depth: int = 0) -> list[str]:
    value = f" = {step.value} {step.unit}".rstrip() if step.value is not None else ""
    extra = f"  [{', '.join((*step.sources, *step.rows))}]" if step.sources or step.rows else ""
    lines = [f"{'  ' * depth}{step.name}{value}  <- {step.how}{extra}"]
    for part in step.inputs:
        lines += _tree(part, depth + 1)
    return lines


def _sections(explained: Explained, question: Question, described: Described) -> dict[str, object]:
    understanding, decision = explained.understanding, explained.decision
    trace = getattr(explained.outcome, "trace", ())
    return {
        "text": understanding.text,
        "normalised": understanding.normalised,
        "tokens": list(understanding.tokens),
        "language": explained.reply.language,
        "in_domain": understanding.in_domain,
        "elliptical": understanding.elliptical,
        "slots": [
            {
                "slot": found.slot,
                "value": found.value,
                "span": [found.span.start, found.span.end],
                "text": found.text,
                "rule": found.rule,
                **({"negated": True} if found.negated else {}),
                **({"bound": found.bound} if found.bound else {}),
            }
            for found in understanding.slots
        ],
        "clauses": [
            f"{clause.asking:.2f} {clause.kind} {understanding.text[clause.span.start : clause.span.end]!r}"
            for clause in question.clauses
        ],
        "mentions": [
            {**heard, "span": [*mention.span], "evidence": list(mention.evidence)}
            for mention, heard in zip(question.mentions, described.heard, strict=True)
        ],
        "ours": round(question.ours, 4),
        "ranking": [
            {
                "intent": item.intent,
                "score": round(item.score, 4),
                "why": [
                    f"{part.kind} {part.detail} {part.weight:+.3f}" for part in item.contributions[:_SHOWN_REASONS]
                ],
            }
            for item in understanding.ranking[:_SHOWN_INTENTS]
        ],
        "thresholds": {
            "answer": POLICY.answer_score,
            "fallback": POLICY.fallback_score,
            "clarify_margin": POLICY.clarify_margin,
        },
        "decision": {
            "kind": explained.reply.decision,
            "intent": explained.reply.intent,
            "rule": decision.rule,
            "lost": decision.lost.model_dump() if decision.lost else None,
            "slots": explained.reply.slots,
            "carried": list(decision.carried),
            "asks": list(explained.reply.asks),
        },
        "trace": [line for step in trace for line in _tree(step)],
        "reply": plain_text(explained.reply.text),
    }


def explain_text(text: str, lang: str, *, as_json: bool) -> str:
    """The steps as text, or as JSON."""
    assistant = build_assistant()
    now = datetime.now(UTC)
    question = reader_of(assistant).read(text, explain=True)
    explained = assistant.explain(message_of(text, 1, now, lang), None, now)
    sections = _sections(explained, question, describer_of(assistant)(text, explained.reply))
    if as_json:
        return json.dumps(sections, ensure_ascii=False, indent=1, default=str)
    lines: list[str] = []
    for name, content in sections.items():
        if isinstance(content, list):
            lines.append(f"{name}:")
            for item in content:
                if name == "ranking":
                    lines.append(f"  {item['score']:.3f} {item['intent']}")
                    lines += [f"        {why}" for why in item["why"]]
                else:
                    lines.append(f"  {item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)}")
        elif name == "reply":
            lines += ["reply:", str(content)]
        else:
            shown = (
                content if isinstance(content, (str, bool)) else json.dumps(content, ensure_ascii=False, default=str)
            )
            lines.append(f"{name}: {shown}")
    return "\n".join(lines)
