"""Checks the data of this room by running it: every phrase through the whole engine, and words that get in each
other's way. Each fault is a `Problem` with file and line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from advisor.errors import Problem
from bot.core.intents import SLOTS, Intent, load_intents
from bot.resources import intents_directory
from bot.understand.load import (
    SAMPLES,
    concept_files,
    evidence_file,
    fill,
    load_understander,
    read_evidence,
    read_files,
    synonyms_file,
)
from bot.understand.recognise import Understander

if TYPE_CHECKING:
    from advisor.catalog import Catalog

CONVERSATION = frozenset({"greeting", "help", "thanks", "why", "source", "cancel", "out_of_scope"})


def check_intents(catalog: Catalog) -> list[Problem]:
    """Everything wrong with intents, phrases, weights and concepts, in the order of file and line."""
    intents = load_intents()
    understander = load_understander(catalog)
    problems = [
        *_phrases(understander, intents),
        *_near_misses(understander, intents),
        *_examples(understander, intents),
        *_slots(intents),
        *_weights(intents),
        *_concepts(),
    ]
    return sorted(problems)


def _where(intent: str, text: str) -> tuple[str, int]:
    """File and line of a phrase."""
    path = intents_directory() / f"{intent}.yaml"
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if text in line:
            return str(path), number
    return str(path), 1


def _best(understander: Understander, text: str) -> tuple[str, float]:
    ranking = understander.understand(text).ranking
    return (ranking[0].intent, ranking[0].score) if ranking else ("out_of_scope", 0.0)


def _phrases(understander: Understander, intents: Mapping[str, Intent]) -> list[Problem]:
    problems: list[Problem] = []
    seen: dict[str, str] = {}
    for intent in intents.values():
        for phrase in (*intent.phrases.zh, *intent.phrases.en):
            path, line = _where(intent.id, phrase)
            if phrase in seen:
                problems.append(Problem(path, line, f"phrase {phrase!r} stands in {seen[phrase]} too"))
                continue
            seen[phrase] = intent.id
            filled = fill(phrase)
            if "{" in filled:
                problems.append(Problem(path, line, f"phrase {phrase!r} has a slot that nobody knows"))
                continue
            winner, _ = _best(understander, filled)
            if winner != intent.id:
                problems.append(Problem(path, line, f"phrase {phrase!r} is taken for {winner}"))
    return problems


def _near_misses(understander: Understander, intents: Mapping[str, Intent]) -> list[Problem]:
    problems: list[Problem] = []
    for intent in intents.values():
        for miss in (*intent.not_this.zh, *intent.not_this.en):
            path, line = _where(intent.id, miss.text)
            if miss.belongs_to not in intents:
                problems.append(Problem(path, line, f"near miss belongs to {miss.belongs_to!r}, which is no intent"))
                continue
            winner, _ = _best(understander, fill(miss.text))
            if winner != miss.belongs_to:
                problems.append(
                    Problem(path, line, f"near miss {miss.text!r} belongs to {miss.belongs_to}, is taken for {winner}")
                )
    return problems


def _examples(understander: Understander, intents: Mapping[str, Intent]) -> list[Problem]:
    problems: list[Problem] = []
    for intent in intents.values():
        for example in (*intent.examples.zh, *intent.examples.en):
            winner, _ = _best(understander, example)
            if winner != intent.id:
                path, line = _where(intent.id, example)
                problems.append(Problem(path, line, f"example {example!r} is taken for {winner}"))
    return problems


def _slots(intents: Mapping[str, Intent]) -> list[Problem]:
    problems: list[Problem] = []
    for intent in intents.values():
        path, line = _where(intent.id, "carries_over")
        named = [name for need in intent.needs for name in need.split("|")]
        for slot in (*named, *intent.may_have, *intent.carries_over):
            if slot not in SLOTS:
                problems.append(Problem(path, line, f"{slot!r} is no slot"))
        for slot in intent.carries_over:
            if slot not in {*named, *intent.may_have}:
                problems.append(Problem(path, line, f"{slot!r} carries over but the intent cannot use it"))
        if intent.id not in CONVERSATION and not (intent.phrases.zh and intent.phrases.en):
            problems.append(Problem(path, 1, "phrases are missing in one language"))
    return problems


def _weights(intents: Mapping[str, Intent]) -> list[Problem]:
    """Weights that do not know every intent."""
    names = set(read_evidence()["intents"])
    missing = sorted(set(intents) - names)
    return [Problem(str(evidence_file()), 1, f"knows nothing of {name!r}: run `make learn`") for name in missing]


def _concepts() -> list[Problem]:
    """Surfaces said twice within one concept, and slots without a sample for phrases."""
    problems: list[Problem] = []
    files, paths = read_files(), concept_files()
    listed = [(synonyms_file(), files["things"]), *((paths[name], one) for name, one in files["concepts"].items())]
    for path, concepts in listed:
        for concept, words in concepts.items():
            for surfaces in (words.get("zh", ()), words.get("en", ())):
                said = list(map(str, surfaces))
                twice = sorted({one for one in said if said.count(one) > 1})
                problems += [Problem(str(path), 1, f"{concept}: {word!r} is listed twice") for word in twice]
    problems += [Problem(str(intents_directory()), 1, f"sample for unknown slot {slot!r}")
                 for slot in SAMPLES if slot.rstrip("2") not in SLOTS]  # fmt: skip
    return problems
