"""Learns which clause asks and which part a mention plays: the weights of `bot/languages/reading.json`.

From labelled messages (`tests/evaluation/messages_dev.jsonl`) and messages composed of labelled clauses. Each labelled
message is also read by weights that were learned without it, and the report says how well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from advisor.catalog import Catalog
from bot.core.intents import load_intents
from bot.evaluate.aside import aside
from bot.evaluate.corpus import TOLD, Line, read_lines, scope_files
from bot.evaluate.fit import Examples, Fitted
from bot.evaluate.learn_samples import FOLDS, Sample, WeakSample, fingerprint, weak_samples
from bot.evaluate.learned import ASKING, ROLES, SCOPE, Entry, digest_of, digest_of_rows, tools
from bot.evaluate.messages import Tally
from bot.read.asking import ASKS, clause_signs
from bot.read.reader import Read, Reader
from bot.read.scope import OURS, OUTSIDE, scope_signs
from bot.read.wished import NO_ROLE
from bot.understand.load import read_evidence

_WEAK: Final = 0.3
"""Weight of a question whose slots are labelled and whose roles are not."""
_SCOPE_STRENGTH: Final = 1.0
_ROLE_TELLING, _SCOPE_TELLING = 5, 3
"""Steps that the largest weight of a sign must have to be kept: half of the file for 0.3 points of fitted roles, and
the same scope on every set."""
_SCOPE_WEIGHT: Final = {TOLD: 0.6}
_OF_GROUPS: Final = 0.5
"""Weight in scope of a message typed as in group chats beside another one. With 0, 0.25 and 0.5, 40, 41 and 43 of 50
others left out are caught that are none of ours, 16, 22 and 22 of 47 of groups, and 0, 1 and 1 of 717 of ours turned
away."""
_CLOSE: Final = 1e-4
"""When fitting stops for what is written; what is left out only tells how good it is."""
_OUTSIDE: Final = 4.0
"""Weight of a line of another subject: there are ten times fewer of them. With questions about documents at 0.1, 0.3,
0.6 and 1 of a line, 36, 29, 16 and 27 questions of the reader sets are turned away, and 19, 20, 21 and 20 of 28 left
out messages of other subjects are caught."""
_THRESHOLD: Final = 0.3
"""Probability of being ours below which a message is turned away, beside those whose likeliest need is none of ours. Of
five sets not learned from, 0.3 / 0.4 / 0.5 catch 0.94 of other subjects alike and turn away 0.63 / 0.72 / 0.81 %."""
_ROLE_STRENGTH, _CLAUSE_STRENGTH = 0.4, 0.5
_EVEN: Final = 0.5
_ROUGH: Final = 1e-2
"""When fitting stops for weights that only tell which of the open parts a value of a labelled question plays."""


def _weighed(reader: Reader, clauses: Fitted, sample: WeakSample) -> WeakSample:
    read = sample.read
    signs = clause_signs(read.analysis.reading, read.parts, read.marks)
    return replace(sample, read=reader.weighed(read, _asking(clauses, signs)))


def _asked_left_out(samples: Sequence[Sample]) -> list[list[float]]:
    """How likely each clause asks by weights that were learned without its message, so that roles are learned from
    chances that are as unsure as those that they will be read with.
    """
    found: list[list[float]] = [[] for _ in samples]
    for fold in range(FOLDS):
        kept = [sample for sample in samples if sample.fold != fold]
        model = Fitted(_examples(kept, _clauses), strength=_CLAUSE_STRENGTH)
        for number, sample in enumerate(samples):
            if sample.fold == fold:
                found[number] = _asking(model, sample.clause_signs)
    return found


def _asking(model: Fitted, clauses: Sequence[Sequence[str]]) -> list[float]:
    """For each clause how likely it asks; the only one of a message surely does."""
    if len(clauses) < 2:
        return [1.0] * len(clauses)
    place = model.names.index(ASKS)
    return [float(row[place]) for row in model.chances(clauses)]


def _clauses_right(samples: Sequence[Sample], asked: Sequence[Sequence[float]]) -> float:
    """The share of clauses that are told right by these chances; those that stand alone are."""
    pairs = [
        (chance, label)
        for sample, chances in zip(samples, asked, strict=True)
        for chance, label in zip(chances, sample.clauses, strict=True)
    ]
    return sum((chance > _EVEN) == (label == ASKS) for chance, label in pairs) / len(pairs)


def _weighed_anew(
    reader: Reader, samples: Sequence[Sample], asked: Sequence[Sequence[float]], needs: Mapping[str, str]
) -> list[Sample]:
    return [
        replace(sample, read=reader.weighed(sample.read, chances, needs.get(sample.text)))
        for sample, chances in zip(samples, asked, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class ScopeLine:
    """One line with the signs of its scope."""

    signs: list[str]
    ours: bool
    weight: float


def scope_lines(reader: Reader, lines: Sequence[Line], written: Sequence[Sample]) -> list[ScopeLine]:
    """Labelled lines, ours and others', and composed messages."""
    found: list[ScopeLine] = []
    for line in (*lines, *read_lines(scope_files(), load_intents())):
        weight = _SCOPE_WEIGHT.get(line.origin, 1.0)
        ours = line.intent != "out_of_scope"
        found.append(ScopeLine(_scope_signs(reader.look(line.text)), ours, weight if ours else weight * _OUTSIDE))
    return [*found, *(_of_sample(sample) for sample in written)]


def _scope_signs(read: Read) -> list[str]:
    return scope_signs(read.analysis.reading, read.analysis.keys, read.marks.heads)


def _of_sample(sample: Sample) -> ScopeLine:
    weight = sample.weight * _OF_GROUPS if sample.of_group else sample.weight
    return ScopeLine(_scope_signs(sample.read), sample.ours, weight)


def _fit_scope(lines: Iterable[ScopeLine]) -> Fitted:
    examples = Examples()
    for line in lines:
        examples.add(line.signs, OURS if line.ours else OUTSIDE, line.weight)
    return Fitted(examples, strength=_SCOPE_STRENGTH, tolerance=_CLOSE)


class _Told(NamedTuple):
    """Messages of other subjects that were caught, of how many; of ours that were turned away, of how many."""

    caught: int = 0
    outside: int = 0
    turned: int = 0
    inside: int = 0


def _scope_left_out(lines: Sequence[ScopeLine], written: Sequence[Sample]) -> tuple[_Told, _Told]:
    """How messages left out are told apart: those typed in groups, and the others."""
    told = {True: _Told(), False: _Told()}
    for fold in range(FOLDS):
        kept = [sample for sample in written if sample.fold != fold]
        model = _fit_scope([*lines, *map(_of_sample, kept)])
        place = model.names.index(OURS)
        held = [sample for sample in written if sample.fold == fold]
        for sample, row in zip(held, model.chances([_of_sample(sample).signs for sample in held]), strict=True):
            out, ours, its = float(row[place]) < _THRESHOLD, sample.ours, told[sample.of_group]
            one = (out and not ours, not ours, out and ours, ours)
            told[sample.of_group] = _Told(*(a + b for a, b in zip(its, one, strict=True)))
    return told[True], told[False]


@dataclass(frozen=True, slots=True)
class Reading:
    """What was learned for `reading.json`: some of its parts, what is known of them, and what a report says."""

    parts: dict[str, object]
    left_out: dict[str, float]
    entries: dict[str, Entry]
    report: list[str]


def learn_roles(
    reader: Reader, catalog: Catalog, samples: tuple[list[Sample], list[Sample]], needs: Mapping[str, str]
) -> Reading:
    """The weights of roles and of clauses that ask.

    Args:
        reader: knows nothing yet but needs (`reader_over(..., blank=True)`).
        catalog: cards and models.
        samples: written and composed messages (`samples_of`).
        needs: of each message, by its text, what it is taken for by weights that were learned without it; a new one
            will be read no better, so roles are learned beside these. Empty where needs were learned from no message.
    """
    written, composed = samples
    asked = _asked_left_out([*written, *composed])
    clauses_right = _clauses_right(written, asked[: len(written)])
    clauses = Fitted(_examples([*written, *composed], _clauses), strength=_CLAUSE_STRENGTH)
    written = _weighed_anew(reader, written, asked[: len(written)], needs)
    composed = _weighed_anew(reader, composed, asked[len(written) :], needs)
    weak = [_weighed(reader, clauses, sample) for sample in weak_samples(reader, catalog)]
    played = _of_questions([*written, *composed], weak)
    honest = aside(lambda: _left_out(written, composed, played))
    roles = _fit_roles([*written, *composed], played, tolerance=_CLOSE)
    fitted = _role_score(roles, written).f1
    groups, mentions = honest()
    parts: dict[str, object] = {ROLES: roles.packed(telling=_ROLE_TELLING), ASKING: clauses.packed()}
    both = [*written, *composed]
    rows = {ROLES: [*(row for sample in both for row in _roles(sample)), *played], ASKING: _clause_rows(both)}
    entries = {
        part: Entry(
            weights=digest_of(parts[part]), data=fingerprint(), tools=tools(), beside=digest_of(dict(read_evidence())),
            signs=digest_of_rows((sorted(signs), label) for signs, label in rows[part]),
        )
        for part in parts
    }  # fmt: skip
    return Reading(
        parts,
        {"mentions": round(mentions, 4), "mentions_of_groups": round(groups, 4), "clauses": round(clauses_right, 4)},
        entries,
        [
            f"{len(written)} written and {len(composed)} composed messages",
            f"mentions F1 {fitted:.3f} fitted",
            f"mentions F1 {mentions:.3f}, of messages of groups {groups:.3f}, clauses right {clauses_right:.3f}, "
            "each message left out once",
        ],
    )


def _clause_rows(samples: Iterable[Sample]) -> list[tuple[Sequence[str], str]]:
    return [row for sample in samples for row in _clauses(sample)]


def learn_scope(reader: Reader, lines: Sequence[Line], samples: tuple[list[Sample], list[Sample]]) -> Reading:
    """The weights of what is for us. `lines`: labelled ones; `samples`: written and composed messages."""
    written, composed = samples
    others = scope_lines(reader, lines, composed)
    all_lines = [*others, *map(_of_sample, written)]
    scope = _fit_scope(all_lines)
    scopes = _scope_left_out(others, written)
    told = zip(("of groups", "others"), scopes, strict=True)
    _, others_told = scopes
    part = {**scope.packed(telling=_SCOPE_TELLING), "threshold": _THRESHOLD}
    entry = Entry(
        weights=digest_of(part), data=fingerprint(scope=True), tools=tools(),
        signs=digest_of_rows((sorted(line.signs), line.ours, line.weight) for line in all_lines),
    )  # fmt: skip
    return Reading(
        {SCOPE: part},
        {
            "caught": round(others_told.caught / others_told.outside, 4),
            "turned_away": round(others_told.turned / others_told.inside, 4),
        },
        {SCOPE: entry},
        [
            f"scope, left out, {name}: {its.caught} of {its.outside} caught, {its.turned} of {its.inside} turned away"
            for name, its in told
        ],
    )


_Rows = Callable[[Sample], Iterable[tuple[Sequence[str], str]]]


def _roles(sample: Sample) -> Iterable[tuple[Sequence[str], str]]:
    return zip(sample.read.signs, sample.roles, strict=True)


def _clauses(sample: Sample) -> Iterable[tuple[Sequence[str], str]]:
    return zip(sample.clause_signs, sample.clauses, strict=True)


def _examples(samples: Iterable[Sample], rows: _Rows) -> Examples:
    examples = Examples()
    for sample in samples:
        for signs, label in rows(sample):
            examples.add(signs, label, sample.weight)
    return examples


_Played = tuple[Sequence[str], str]
"""The signs of a candidate, and its part."""


def _of_questions(samples: Sequence[Sample], weak: Sequence[WeakSample]) -> list[_Played]:
    """Of each value of a question the likeliest of the parts that its slots allow, by what is labelled."""
    first = Fitted(_examples(samples, _roles), strength=_ROLE_STRENGTH, seen=3, tolerance=_ROUGH)
    found: list[_Played] = []
    for sample in weak:
        rows = [number for number, roles in enumerate(sample.allowed) if roles]
        signs = [sample.read.signs[number] for number in rows]
        for number, row, its in zip(rows, first.chances(signs) if rows else (), signs, strict=True):
            open_to = [
                (float(row[first.names.index(role)]), role) for role in sample.allowed[number] if role in first.names
            ]
            if open_to:
                found.append((its, max(open_to)[1]))
    return found


def _fit_roles(samples: Sequence[Sample], played: Sequence[_Played], tolerance: float = 1e-3) -> Fitted:
    """Weights of the roles, from what is labelled and from the values of questions."""
    examples = _examples(samples, _roles)
    for signs, role in played:
        examples.add(signs, role, _WEAK)
    return Fitted(examples, strength=_ROLE_STRENGTH, seen=3, tolerance=tolerance)


def _role_score(model: Fitted, samples: Iterable[Sample]) -> Tally:
    """Mentions found with the right role, found beside, missed."""
    hit = extra = missed = 0
    for sample in samples:
        missed += sample.lost
        if not sample.read.signs:
            continue
        for row, role in zip(model.chances(sample.read.signs), sample.roles, strict=True):
            found = model.names[int(row.argmax())]
            right = found == role
            hit += right and role != NO_ROLE
            extra += not right and found != NO_ROLE
            missed += not right and role != NO_ROLE
    return Tally(hit, extra, missed)


def _left_out(written: Sequence[Sample], composed: Sequence[Sample], played: Sequence[_Played]) -> tuple[float, float]:
    """F1 of mentions of messages read by weights without them: of those typed in groups, of the others."""
    tallies = {True: Tally(0, 0, 0), False: Tally(0, 0, 0)}
    for fold in range(FOLDS):
        model = _fit_roles([*(sample for sample in written if sample.fold != fold), *composed], played)
        for of_group, before in tallies.items():
            held = [sample for sample in written if sample.fold == fold and sample.of_group == of_group]
            found = _role_score(model, held)
            tallies[of_group] = Tally(*(a + b for a, b in zip(before, found, strict=True)))
    return tallies[True].f1, tallies[False].f1
