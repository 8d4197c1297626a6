"""Signs of the part that a mention plays: what it is, what stands beside it, and what its clause says.

A sign is a short text. The same function reads labelled messages when weights are learned and messages when they are
read, so both see the same.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from bot.read.candidates import Candidate
from bot.read.clauses import Part
from bot.read.contexts import context_of, signs_of
from bot.understand.finder import Finder, Surfaces, settle, shelved
from bot.understand.slots.found import Reading

_NEAR: Final = 4
"""Units on each side whose place counts."""
_WINDOW: Final = 9
"""Units on each side that count in whatever place."""
_ALSO_ALONE: Final = frozenset("<>=~-lrqaK")
"""Kinds of signs that also count whatever kind of mention they stand beside."""
_BUCKETS: Final = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 512.0, 2048.0, 10000.0, 100000.0)


DENIALS: Final = frozenset({"deny", "denied"})
"""Signs of what is ruled out: words before it, words behind it."""
ASKS_NOT: Final = "asks_not"
"""Words beside which a word of denial asks."""
NO_DENIAL: Final = "no_denial"
"""Words that hold one of denial and rule nothing out: what cannot be borne, what is somebody else's, what differs."""


class Marks(NamedTuple):
    """Words of the sign lexicon in one message, by clause and by sentence."""

    places: list[tuple[int, int, str]]
    """Start, end, name of the sign; in the order of the text."""
    by_part: list[frozenset[str]]
    """The signs of each clause; none before a message is cut into clauses."""
    heads: dict[str, int]
    """How often head nouns of each kind stand in the message."""
    acts: list[tuple[int, int, str]]
    """Words for what a message does to what was said before, each with its place, in the order of the text."""


def _surfaces(signs: Mapping[str, Sequence[str]]) -> Surfaces[str]:
    for name, words in sorted(signs.items()):
        for word in sorted(set(words)):
            if word:
                yield word, 0, False, name


class Signs:
    """The sign words of `languages/roles.yaml`, ready to be found."""

    def __init__(
        self, signs: Mapping[str, Sequence[str]], heads: Mapping[str, Sequence[str]], acts: Mapping[str, Sequence[str]]
    ) -> None:
        """Words beside mentions, head nouns, acts: each name -> words, evened as messages are."""
        self._finder = Finder(*(shelved(_surfaces(book)) for book in (signs, heads, acts)))
        self.prepare = self._finder.prepare

    def find(self, reading: Reading) -> Marks:
        """Every sign word of a message; of words that overlap within one sign the longest stands."""
        hits, headed, acting = self._finder.hits(reading.flat)
        by_name: dict[str, list[tuple[float, int, int, int, str]]] = {}
        for hit in hits:
            by_name.setdefault(hit[4], []).append(hit)
        size = len(reading.flat)
        places = sorted(
            (hit[2], hit[3], name)
            for name, its in by_name.items()
            for hit in (settle(its, size) if len(its) > 1 else its)
        )
        places, acts = _without_asking(places, sorted((hit[2], hit[3], hit[4]) for hit in acting), reading.flat)
        heads: dict[str, int] = {}
        for hit in headed:
            heads[hit[4]] = heads.get(hit[4], 0) + 1
        return Marks(places, [], heads, acts)


_Places = list[tuple[int, int, str]]


def _without_asking(places: _Places, acts: _Places, flat: str) -> tuple[_Places, _Places]:
    """Sign words and acts without words of denial that rule nothing out, and without what tells these."""
    asked = [(start, end) for start, end, name in places if name in {ASKS_NOT, NO_DENIAL}]
    places = [place for place in places if place[2] != NO_DENIAL]
    if any(name in DENIALS for _, _, name in (*places, *acts)):
        return _denying(places, flat, asked), _denying(acts, flat, asked)
    return places, acts


def _denying(
    places: Sequence[tuple[int, int, str]], flat: str, asked: Sequence[tuple[int, int]]
) -> list[tuple[int, int, str]]:
    """The sign words without those of denial that ask: between the same word twice, or within a word for why not."""

    def asks(start: int, end: int) -> bool:
        twice = 0 < start < len(flat) - 1 and flat[start - 1] == flat[start + 1]
        return twice or any(first <= start and end <= last for first, last in asked)

    return [place for place in places if not (place[2] in DENIALS and asks(place[0], place[1]))]


def by_part(places: Sequence[tuple[int, int, str]], parts: Sequence[Part]) -> list[frozenset[str]]:
    """The sign words of each clause."""
    found: list[set[str]] = [set() for _ in parts]
    at = 0
    for start, _, name in places if parts else ():
        while at + 1 < len(parts) and parts[at + 1].start <= start:
            at += 1
        found[at].add(name)
    return [frozenset(names) for names in found]


def features_of(
    reading: Reading,
    candidates: Sequence[Candidate],
    parts: Sequence[Part],
    marks: Marks,
    intent: str,
    asking: Sequence[float],
) -> list[list[str]]:
    """The signs of each candidate, in their order.

    Args:
        reading: the message.
        candidates: its names, numbers and qualifiers.
        parts: its clauses.
        marks: its sign words.
        intent: the likeliest need of the message.
        asking: for each clause how likely it asks.
    """
    if not candidates:
        return []
    units, places, part_of = _units(reading, candidates, parts)
    sentence_marks = _by_sentence(parts, marks)
    kinds = [candidate.base for candidate in candidates]
    context = context_of(reading, candidates, part_of, parts, marks.heads, asking)
    has_own = any("own" in names for names in marks.by_part)
    rows: list[list[str]] = []
    for number, candidate in enumerate(candidates):
        base = candidate.base
        its = _itself(candidate)
        its += _beside(units, places[number], base)
        part = part_of[number]
        its += _in_clause(candidate, parts, part, marks, sentence_marks, base)
        chance = asking[part] if asking else 0.5
        asks = "y" if chance > 0.6 else "n" if chance < 0.25 else "m"
        its += [f"a{asks}|{base}", f"i{intent}|{base}", f"i{intent}|{base}|{asks}", f"o{has_own}|{base}|{asks}"]
        its += [sign.rpartition("|")[0] for sign in its if sign[0] in _ALSO_ALONE and "|" in sign]
        its += _among(number, kinds, places, units, base)
        its += signs_of(candidate, part, context)
        rows.append(list(dict.fromkeys(its)))
    return rows


def _itself(candidate: Candidate) -> list[str]:
    base, quantity = candidate.base, candidate.quantity
    its = [f"k{base}", f"s{candidate.slot}", f"k{base}|s{candidate.slot}", f"u{candidate.unit}"]
    if quantity is not None:
        its.append(f"v{base}|{_bucket(quantity.value)}")
        its.append(f"w{base}|{quantity.words}")
        if quantity.bound or quantity.approximate:
            its.append(f"b{base}|{quantity.bound}{quantity.approximate}")
    if candidate.filled is not None and candidate.filled.negated:
        its.append("neg")
        its.append(f"neg|{base}")
    if candidate.kind in {"other", "software", "vendor"}:
        its.append(f"={candidate.value}")
    return its


def _bucket(value: float) -> int:
    return bisect_right(_BUCKETS, value)


def _units(
    reading: Reading, candidates: Sequence[Candidate], parts: Sequence[Part]
) -> tuple[list[str], list[int], list[int]]:
    """The message as words with a name in the place of each candidate; where each candidate stands; its clause."""
    units: list[str] = []
    places: list[int] = []
    part_of: list[int] = []
    number = part = 0
    until = 0
    count, last = len(candidates), len(parts) - 1
    for index, token in enumerate(reading.tokens):
        while part < last and parts[part + 1].first <= index:
            part += 1
        if number < count and candidates[number].start <= token.start:
            places.append(len(units))
            part_of.append(part)
            units.append(f"<{candidates[number].base}>")
            until = candidates[number].end
            number += 1
            continue
        if token.start >= until:
            units.append("<n>" if token.kind == "n" else token.text)
    while len(places) < count:
        places.append(max(0, len(units) - 1))
        part_of.append(part)
    return units, places, part_of


def _beside(units: Sequence[str], place: int, base: str) -> list[str]:
    """Words right and left: near ones with their place, farther ones without, and pairs that touch."""
    its: list[str] = []
    before = units[max(0, place - _WINDOW) : place]
    after = units[place + 1 : place + 1 + _WINDOW]
    near = before[::-1]
    for distance, unit in enumerate(near[:_NEAR]):
        its.append(f"l{distance}{unit}|{base}")
    for distance, unit in enumerate(after[:_NEAR]):
        its.append(f"r{distance}{unit}|{base}")
    its += [f"L{unit}" for unit in before]
    its += [f"R{unit}" for unit in after]
    left = [*near[:3], "^", "^", "^"]
    right = [*after[:3], "$", "$", "$"]
    its += [
        f"l{left[1]} {left[0]}",
        f"r{right[0]} {right[1]}",
        f"l{left[2]} {left[1]} {left[0]}",
        f"c{left[0]}_{right[0]}|{base}",
    ]
    return its


def _by_sentence(parts: Sequence[Part], marks: Marks) -> dict[int, frozenset[str]]:
    found: dict[int, frozenset[str]] = {}
    for part, names in zip(parts, marks.by_part, strict=True):
        found[part.sentence] = found.get(part.sentence, frozenset()) | names
    return found


def _in_clause(
    candidate: Candidate,
    parts: Sequence[Part],
    part: int,
    marks: Marks,
    sentences: Mapping[int, frozenset[str]],
    base: str,
) -> list[str]:
    """Sign words of the clause, left and right of the mention; of its sentence; of the clause before."""
    clause = parts[part]
    its = [f"K{clause.kind}|{base}", f"q{clause.asked}|{base}"]
    near = ""
    for start, end, name in marks.places:
        if start < clause.start:
            continue
        if start >= clause.end:
            break
        if end <= candidate.start:
            near = name
            its.append(f"<{name}|{base}")
        elif start >= candidate.end:
            its.append(f">{name}|{base}")
        else:
            its.append(f"={name}|{base}")
    if near:
        its.append(f"<<{near}|{base}")
    its += [f"~{name}|{base}" for name in sentences[clause.sentence]]
    if part:
        its += [f"-{name}|{base}" for name in marks.by_part[part - 1]]
    its.append(f"f{min(part, 3)}|{base}")
    its.append(f"e{min(len(parts) - part, 3)}|{base}")
    return its


def _among(number: int, kinds: Sequence[str], places: Sequence[int], units: Sequence[str], base: str) -> list[str]:
    """The mentions before and after, how far they are, and how many of its kind there are."""
    alike = kinds.count(base)
    its = [f"x{base}|{min(alike, 3)}", f"y{base}|{min(kinds[:number].count(base), 3)}"]
    if number:
        gap = places[number] - places[number - 1]
        its.append(f"p{kinds[number - 1]}|{min(gap, 4)}|{base}")
        if 1 < gap <= 3:
            its.append(f"j{kinds[number - 1]}|{' '.join(units[places[number - 1] + 1 : places[number]])}|{base}")
    if number + 1 < len(kinds):
        gap = places[number + 1] - places[number]
        its.append(f"n{kinds[number + 1]}|{min(gap, 4)}|{base}")
        if 1 < gap <= 3:
            its.append(f"J{kinds[number + 1]}|{' '.join(units[places[number] + 1 : places[number + 1]])}|{base}")
    return its


_WORDED: Final = {
    "k": "is a", "s": "read as", "u": "unit", "v": "size", "b": "bound", "l": "before it", "r": "behind it",
    "L": "nearby before", "R": "nearby behind", "c": "between", "<": "clause before it says",
    ">": "clause behind it says", "=": "is itself", "~": "sentence says", "-": "clause before says",
    "a": "clause asks", "i": "need", "q": "question mark", "p": "mention before", "n": "mention behind",
    "j": "joined by", "J": "joined to the next by", "x": "how many alike", "y": "how many alike before",
    "f": "place of clause", "e": "clauses left", "K": "kind of clause", "o": "something owned",
    "C": "clause holds", "H": "message speaks of", "O": "place and mentions of its clause",
}  # fmt: skip
"""What a sign of each kind says, for people."""


def worded(sign: str) -> str:
    """A sign for people."""
    return f"{_WORDED.get(sign[0], sign[0])} {sign[1:].replace('|', ' of ')}"
