"""What a message rules out: a word of exclusion with its scope over cards, makers, providers and conditions.

A word of exclusion stands before what it rules out ("minus AMD"), behind it ("used cards aside") or around it ("leave
the 4090 out"). Its scope is the one thing beside it and whatever is joined to that ("no AMD or Intel"); words that
say nothing by themselves may stand between ("any of the", "cards", "from").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Final, NamedTuple

from bot.core.languages import Exclusions as Words
from bot.core.languages import LanguageWords
from bot.understand.lexicon import Found, flatten
from bot.understand.slots.context import WordEnds, WordStarts, asks_why_not, longest_first
from bot.understand.slots.found import Reading, Value, holds_whole
from bot.understand.tokens import tokenise

_SLOTS: Final = frozenset({"gpu", "gpu_family", "provider"})
_CONDITIONS: Final = frozenset({"second_hand", "mining", "laptop"})
_NEW_ONLY: Final = "new_only"
_MAKERS: Final = {"intel_maker": "Intel", "intel_gpu": "Intel", "amd": "AMD"}
"""Ideas that are a maker of cards where they are ruled out."""
_IDEAS: Final = _CONDITIONS | _MAKERS.keys()
_PROCESSOR: Final = frozenset({"cpu", "cpu_brand"})
_NEAR: Final = 2
"""Characters between a maker and its processor."""
_REACH: Final = 40
"""Characters on each side in which a word of exclusion may stand."""
_MOST: Final = 5
"""Words without a sense of their own between a word of exclusion and what it rules out."""
_LIST_MARK: Final = "\u3001"
_STOPS: Final = ",.;!"
_FAMILY: Final = "gpu_family"


def _undone(words: Words) -> list[str]:
    """Each word of denial before each deed, with a space between them where they are written with one."""
    spaces = [(word, " " if word.isascii() else "") for word in words.nots]
    return [f"{word}{space}{deed}" for word, space in spaces for deed in words.deeds]


class Thing(NamedTuple):
    """Something that may be ruled out."""

    start: int
    end: int
    value: Value | None
    """The slot value that it is, if any."""
    idea: str = ""
    """The condition or the maker that it is, where no slot value stands there."""

    @property
    def kind(self) -> str:
        """A slot, or that it is a condition."""
        maker = _FAMILY if self.idea in _MAKERS.values() else "condition"
        return self.value.slot if self.value is not None else maker


class _Pairs:
    """Pairs of words that stand around a thing."""

    def __init__(self, pairs: Sequence[tuple[str, str]]) -> None:
        """`pairs`: the word before and the word behind."""
        self._left = WordEnds(longest_first(left for left, _ in pairs))
        self._right: dict[str, WordStarts] = {
            left: WordStarts(longest_first(right for its, right in pairs if its == left)) for left, _ in pairs
        }

    def hold(self, lefts: Sequence[str], rights: Sequence[str]) -> bool:
        """Whether a word of a pair ends what stands before a thing, and its other one begins what stands behind."""
        words = {word for word in map(self._left.which, lefts) if word}
        return any(self._right[word](text) for word in words for text in rights)


class Exclusions:
    """The words of exclusion of all languages."""

    def __init__(self, languages: Iterable[LanguageWords], even: Callable[[str], str]) -> None:
        """Take the words; `even` brings them into the form of messages."""
        listed = [words.exclusions for words in languages]

        def phrases(chosen: Callable[[Words], Iterable[str]]) -> tuple[str, ...]:
            return longest_first(flatten(even(phrase)) for phrase in chain.from_iterable(map(chosen, listed)))

        def pairs(chosen: Callable[[Words], Iterable[tuple[str, str]]]) -> list[tuple[str, str]]:
            found = chain.from_iterable(map(chosen, listed))
            return [(flatten(even(left)), flatten(even(right))) for left, right in found]

        deeds = phrases(_undone)
        before, behind = phrases(lambda one: (*one.before, *_undone(one))), phrases(lambda one: one.behind)
        around = pairs(lambda one: one.around)
        self._opens, self._undone = WordStarts(before), WordStarts(deeds)
        self._before, self._behind = WordEnds(before), WordStarts(behind)
        self._around, self._kept = _Pairs(around), _Pairs(pairs(lambda one: one.kept))
        self._particles = (*phrases(lambda one: one.particles), "?")
        self._closing = " ".join(["", *(one.closing for one in listed)])
        self._why, self._asked = phrases(lambda one: one.why), phrases(lambda one: one.asked)
        self._lead = WordEnds(phrases(lambda one: one.lead))
        self._tail = WordStarts(phrases(lambda one: one.tail))
        self._joins = frozenset(phrases(lambda one: one.joins))
        opened = (*before, *behind, *(left for left, _ in around))
        self._heads = frozenset(tokenise(phrase).words[0] for phrase in opened)

    def ruled_out(self, reading: Reading) -> list[Thing]:
        """Everything that the words of a message rule out, in the order of the text."""
        if self._heads.isdisjoint(reading.words):
            return []
        found: list[Thing] = []
        for group in self._groups(reading, _things(reading)):
            if self._is_out(reading.flat, group[0].start, group[-1].end):
                found += group
        found += [Thing(one.start, one.end, None, _NEW_ONLY) for one in reading.places if self._says_both(reading, one)]
        return found

    def _says_both(self, reading: Reading, place: Found) -> bool:
        """Whether one word of the lexicon holds a word of exclusion and the old cards that it rules out."""
        return _NEW_ONLY in place.concepts and self._opens(reading.flat[place.start : place.end])

    def _groups(self, reading: Reading, things: Sequence[Thing]) -> list[list[Thing]]:
        """The things that are named in one breath: joined by a word, or by the comma of a list."""
        groups: list[list[Thing]] = []
        for thing in things:
            if groups and self._are_joined(reading, groups[-1][-1], thing):
                groups[-1].append(thing)
            else:
                groups.append([thing])
        return groups

    def _are_joined(self, reading: Reading, one: Thing, other: Thing) -> bool:
        """Whether nothing but a joining word stands between two things; things of one kind may touch."""
        gap = reading.flat[one.end : other.start]
        if len(gap) > _REACH:
            return False
        left = self._without_tail(gap).strip()
        if not left:
            return one.kind == other.kind
        joined = self._without_lead(left).strip()
        return joined in self._joins or (
            joined == "," and reading.raw_at(reading.flat.index(",", one.end)) == _LIST_MARK
        )

    def _without_tail(self, text: str) -> str:
        """A text without the words at its beginning that say nothing."""
        for _ in range(_MOST):
            text = text.lstrip()
            word = self._tail.which(text)
            if not word:
                break
            text = text[len(word) :]
        return text

    def _without_lead(self, text: str) -> str:
        """A text without the words at its end that say nothing."""
        for _ in range(_MOST):
            text = text.rstrip()
            word = self._lead.which(text)
            if not word:
                break
            text = text[: -len(word)]
        return text

    def _is_out(self, flat: str, start: int, end: int) -> bool:
        """Whether a word of exclusion stands before, behind or around a piece of the text."""
        before, behind = flat[max(0, start - _REACH) : start].rstrip(), flat[end : end + _REACH].lstrip()
        lefts, rights = self._lefts(before), self._rights(behind)
        if not (
            self._around.hold(lefts, rights) or any(map(self._opens_scope, lefts)) or any(map(self._closes, rights))
        ):
            return False
        return not holds_whole(before.rpartition(",")[2], self._why) and not self._kept.hold(lefts, rights)

    def _opens_scope(self, text: str) -> bool:
        """Whether a text ends with a word of exclusion that does not ask, as one between the same word twice does."""
        word = self._before.which(text)
        if not word or asks_why_not(text, word, self._asked):
            return False
        rest = text[: -len(word)]
        return not any(rest.endswith(word[1:size]) for size in (2, 3) if word[1:size] and not word.isascii())

    def _closes(self, text: str) -> bool:
        """Whether a text begins with a word of exclusion that does not ask; of two words the clause ends behind it."""
        word, undone = self._behind.which(text), self._undone.which(text)
        if undone and not text[len(undone) :].lstrip(self._closing)[:1].strip(_STOPS):
            return True
        return bool(word) and (word.isascii() or not text[len(word) :].lstrip().startswith(self._particles))

    def _lefts(self, text: str) -> list[str]:
        """What stands before a thing, with ever fewer of the words that say nothing."""
        found = [text]
        for _ in range(_MOST):
            word = self._lead.which(text)
            if not word:
                break
            text = text[: -len(word)].rstrip()
            found.append(text)
        return found

    def _rights(self, text: str) -> list[str]:
        """The same of what stands behind it."""
        found = [text]
        for _ in range(_MOST):
            word = self._tail.which(text)
            if not word:
                break
            text = text[len(word) :].lstrip()
            found.append(text)
        return found


def _things(reading: Reading) -> list[Thing]:
    """Cards, makers, providers and conditions of a message in the order of the text, none overlapping another."""
    things = [Thing(one.start, one.end, one) for one in reading.values if one.slot in _SLOTS]
    if not reading.concepts.isdisjoint(_IDEAS):
        taken = bytearray(len(reading.text) + 1)
        for one in things:
            taken[one.start : one.end] = b"\1" * (one.end - one.start)
        ideas = [(place, _idea(reading, number)) for number, place in enumerate(reading.places)]
        things += [
            Thing(place.start, place.end, None, idea)
            for place, idea in ideas
            if idea and taken.find(1, place.start, place.end) < 0
        ]
    return sorted(things, key=_place)


def _place(thing: Thing) -> tuple[int, int]:
    return thing.start, thing.end


def _idea(reading: Reading, number: int) -> str:
    """The condition or the maker that a word is, "" for another one and for the maker of a processor."""
    place = reading.places[number]
    condition = next((one for one in place.concepts if one in _CONDITIONS), "")
    maker = next((_MAKERS[one] for one in place.concepts if one in _MAKERS), "")
    if condition or not maker or number + 1 == len(reading.places):
        return condition or maker
    behind = reading.places[number + 1]
    return "" if behind.start - place.end <= _NEAR and not _PROCESSOR.isdisjoint(behind.concepts) else maker


def apply(reading: Reading, things: Sequence[Thing]) -> None:
    """Mark values as ruled out; a maker that only its idea names becomes one; the others are kept for the roles."""
    for thing in things:
        if thing.value is not None:
            thing.value.negated = True
        elif thing.idea in _MAKERS.values():
            rule = "a maker that is ruled out"
            reading.values.append(Value(_FAMILY, thing.idea, thing.start, thing.end, rule, negated=True))
        reading.ruled.append((thing.start, thing.end))
