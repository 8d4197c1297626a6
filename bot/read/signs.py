"""Signs that those who answer ask a message for: sides of a question, places on a path, rounds, networks, slots.

`bot/lexicon/signs/*.yaml` hold groups of named sides with their words. A Latin word counts as a whole one, with a star
behind it as the head of one; `concept:x` is a concept of the reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import ascii_lowercase, digits
from typing import Any, Final

from ahocorasick import Automaton

from advisor.errors import BadData, Problem
from bot.core.going_on import HeardAgain
from bot.core.heard import Heard
from bot.core.numbers import figure
from bot.core.ran_out import RanOut
from bot.core.understanding import Understanding
from bot.lexicons import load_lexicons
from bot.read import batches, crashes, hosts, rounds
from bot.resources import lexicon_directory
from bot.understand.slots import caches

_CONCEPT: Final = "concept:"
_LATIN: Final = frozenset(ascii_lowercase)
_LATIN_AND_DIGITS: Final = _LATIN.union(digits)
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
_WORD: Final = re.compile(r"[a-z0-9_]+(?:\.[a-z0-9]+)?")
_BARE: Final = re.compile(r"(?<![A-Za-z0-9.])\d+(?:\.\d+)?(?![A-Za-z0-9])")
_GBIT: Final = re.compile(r"(?<![\d.])(\d{1,4}) ?(?:gbe|gbps|gbit|gb/s|g(?![a-z0-9]))")
_SM: Final = re.compile(r"(?<![a-z])sm_?(\d{1,2})(\d)(?!\d)")
_DRIVER: Final = re.compile(
    r"(?:driver|\u9a71\u52a8)[^\d\n,\uff0c\u3002;?]{0,12}?v?(\d{3}(?:\.\d{1,3}){0,2})(?!\d| ?(?:w|gb|g)(?![a-z]))"
    r"|(?<!\d)(\d{3}(?:\.\d{1,3}){0,2}) ?(?:driver|\u9a71\u52a8)"
)
"""A driver's version beside its word, in either order."""
_SLOTS: Final[Mapping[str, re.Pattern[str]]] = {
    "lanes": re.compile(  # "4090 x8" is eight cards
        r"(?<![a-z0-9])(?:(?<!\d\d )|(?=x ?\d+(?:/| ?(?:slot|lane|pcie|\u63d2?\u69fd))))x ?(1|2|4|8|16)(?!\d)|"
        r"(?<!\d)(1|2|4|8|16)(?= ?(?:pcie )?lanes?(?![a-z]))"
    ),
    "generation": re.compile(r"(?<![a-z])(?:pcie|gen) ?([2-6])(?:\.0)?(?![\dx])"),
    "amps": re.compile(
        r"(?<![\w.])(\d{1,2})(?:a|[ -]?(?:amp(?:ere)?s?|\u5b89)| a(?= (?:circuit|breaker|outlet|socket)))(?![a-z0-9])"
    ),
    "mm": re.compile(r"(?<![a-z0-9.])(\d{3})(?:mm| ?\u6beb\u7c73| mm)(?![a-z0-9])"),
    "cm": re.compile(r"(?<![a-z0-9.])(\d{2})(?:\.\d)?(?: ?cm| ?\u516c\u5206| ?\u5398\u7c73)(?![a-z0-9])"),
    "volts": re.compile(r"(?<![\w.])(1[0-2]\d|2[0-4]\d|380|400|415)(?:v|[ -]?(?:volts?|\u4f0f))(?![a-z0-9])"),
}
"""How slots of a board and circuits are written: x8, PCIe 4.0, 15 A."""

Words = Mapping[str, list[str]]
"""Language -> lines of words."""
GroupsOf = Mapping[str, frozenset[str]]
"""A word, or a concept -> names of the groups of signs that it is one of."""
_NO_GROUP: Final[frozenset[str]] = frozenset()
Groups = tuple[tuple[str, tuple[tuple[str, ...], ...]], ...]
"""Code -> groups of words that must all stand in a message."""


class CodeTable:
    """Codes with the groups of words that they are said by."""

    def __init__(self, groups: Groups) -> None:
        """`groups`: codes in their order."""
        self.codes = tuple(code for code, _ in groups)
        self.words = frozenset(word for _, listed in groups for group in listed for word in group)
        self._by_longest: dict[str, list[tuple[int, frozenset[str]]]] = {}
        for place, (_, listed) in enumerate(groups):
            for group in listed:
                self._by_longest.setdefault(max(group, key=len), []).append((place, frozenset(group)))

    def first_named(self, standing: frozenset[str]) -> str:
        """The first code that has a group whose words all stand in a text, "" for none."""
        longest = self._by_longest.keys() & standing
        told = [place for word in longest for place, group in self._by_longest[word] if group <= standing]
        return self.codes[min(told)] if told else ""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a group: concepts, and its words."""

    name: str
    ideas: frozenset[str]
    said: tuple[str, ...]
    """Its words, the longest first."""
    letters: frozenset[str]
    """Each of them as it stands somewhere in a message that says it."""
    stems: frozenset[str]
    """Those of them that a longer word may begin with."""

    @property
    def pattern(self) -> re.Pattern[str]:
        """Its words as they count, compiled for the first message in which their order matters."""
        return _pattern(self.said)

    def is_meant(self, words: str, standing: frozenset[str], ideas: frozenset[str]) -> bool:
        """Whether the words or the ideas of a message speak of it."""
        if not self.ideas.isdisjoint(ideas):
            return True
        found = self.letters & standing
        return bool(found) and any(_counts(word, words, goes_on=word in self.stems) for word in found)


@dataclass(frozen=True, slots=True)
class Group:
    """The sides of a group, and what any of them is said by."""

    sides: tuple[Side, ...]
    letters: frozenset[str]
    ideas: frozenset[str]

    def meant(self, words: str, standing: frozenset[str], ideas: frozenset[str]) -> tuple[str, ...]:
        """Names of the sides that the words or the ideas of a message speak of, in their order."""
        return tuple([side.name for side in self.sides if side.is_meant(words, standing, ideas)])


class Signs:
    """All signs. Loaded once, room by room as they are asked for."""

    def standing(self, words: str) -> frozenset[str]:
        """Words of sides, troubles and replies whose letters stand somewhere in these, be it within others."""
        return frozenset([word for _, word in _letters().iter(words)])

    def groups(self, standing: frozenset[str], ideas: frozenset[str]) -> frozenset[str]:
        """The groups that such words or ideas may speak of."""
        by_word, by_idea = _groups_of_words()
        found = [by_word[word] for word in standing if word in by_word]
        found += [by_idea[idea] for idea in ideas if idea in by_idea]
        return _NO_GROUP.union(*found)

    def sides(self, group: str, words: str, standing: frozenset[str], ideas: frozenset[str]) -> tuple[str, ...]:
        """Names of a group of signs that the words speak of, in the order of the group; none of an unknown group."""
        return _group(group).meant(words, standing, ideas)

    def placed(self, group: str, words: str, standing: frozenset[str]) -> tuple[str, ...]:
        """Names of a group in the order of the words; where one word is part of a longer one, the longer counts."""
        said = [side for side in _group(group).sides if not side.letters.isdisjoint(standing)]
        found = [(one.start(), -one.end(), side.name) for side in said for one in side.pattern.finditer(words)]
        names, taken = [], 0
        for start, end, name in sorted(found):
            if start >= taken:
                taken = -end
                names.append(name)
        return tuple(dict.fromkeys(names))

    def symptom(self, standing: frozenset[str]) -> str:
        """The place on the path of troubles that the words point to, "" for none."""
        return _symptoms().first_named(standing)

    def error(self, standing: frozenset[str]) -> str:
        """The known message of a program or fault that the words hold, "" for none."""
        return _errors().first_named(standing)

    def reply(self, place: str, standing: frozenset[str]) -> str:
        """The next place that the words answer the question of a place with, "" for none."""
        answers = _replies().get(place)
        return answers.first_named(standing) if answers is not None else ""

    def words(self, words: str) -> tuple[str, ...]:
        """Latin words, numbers and what mixes them, one by one."""
        return tuple(_WORD.findall(words))

    def epochs(self, words: str) -> int | None:
        """How many times data is gone through."""
        return rounds.epochs_of(words)

    def mfu(self, words: str) -> float | None:
        """The share of the peak that training uses."""
        return rounds.mfu_of(words)

    def machine(self, words: str) -> tuple[str, str]:
        """The processor that is named, and kind, speed and channels of the machine's memory; "" for what is not."""
        return hosts.processor_of(words), hosts.memory_of(words)

    def ran_out(self, words: str) -> RanOut | None:
        """The figures of a message that memory ran out."""
        return crashes.ran_out_of(words)

    def batches(self, words: str) -> tuple[int, ...]:
        """Sizes of batches in their order."""
        return batches.batches_of(words)

    def caches(self, words: str) -> tuple[str, ...]:
        """Number formats of the KV cache in their order."""
        return caches.formats_of(words)

    def words_of_weights(self, words: str) -> tuple[str, ...]:
        """Latin words, numbers and what mixes them, but for formats of a cache."""
        return self.words(caches.without(words))

    def steps(self, words: str) -> int | None:
        """A number of steps, as pictures are drawn in."""
        return rounds.steps_of(words)

    def drawn(self, words: str) -> tuple[int, ...]:
        """Numbers that may be those of pictures or clips."""
        return rounds.drawn_of(words)

    def train_tokens(self, words: str) -> float | None:
        """An amount of training tokens."""
        return rounds.tokens_of(words)

    def tokens_per_second(self, words: str) -> float | None:
        """A pace of writing that is said."""
        return rounds.tokens_per_second_of(words)

    def rate(self, words: str) -> tuple[float, str] | None:
        """A rate of work and its unit."""
        return rounds.rate_of(words)

    def numbers(self, words: str) -> tuple[str, ...]:
        """Numbers as written, in their order."""
        return tuple(_NUMBER.findall(words))

    def bare_numbers(self, words: str) -> tuple[str, ...]:
        """Numbers that are no part of a name and have no unit right behind."""
        return tuple(_BARE.findall(words))

    def gbit(self, words: str) -> float | None:
        """Gbit/s of the network that is named, as a rate or by a name such as EDR."""
        found = _GBIT.search(words)
        if found and (rate := figure(found[1])) is not None:
            return rate
        return next((rate for word, rate in _networks() if word in words), None)

    def slot(self, kind: str, words: str) -> frozenset[int]:
        """`lanes` or `generation` of slots, `amps` of circuits that are named."""
        return frozenset(int(found[found.lastindex or 0]) for found in _SLOTS[kind].finditer(words))

    def driver(self, words: str) -> str:
        """Version of a driver that is named, "" for none."""
        found = _DRIVER.search(words)
        return next(filter(None, found.groups()), "") if found else ""

    def capability(self, words: str) -> str:
        """A compute capability that is named as an sm number, "" for none."""
        found = _SM.search(words)
        return f"{found[1]}.{found[2]}" if found else ""


def hear(text: str, reading: Understanding | None = None, asks: Mapping[str, tuple[str, ...]] | None = None) -> Heard:
    """What a message says, for those who answer it; without a reading what its words alone tell.

    Args:
        text: the message.
        reading: what is read in it.
        asks: what the question asked that it goes on with.
    """
    return HeardAgain(text, _SIGNS, reading, asks) if asks else Heard(text, _SIGNS, reading)


_SIGNS: Final = Signs()


@cache
def _group(name: str) -> Group:
    """A group by its name; an unknown one has no sides."""
    sides = tuple(_side(side, words) for side, words in _groups_of_sides().get(name, {}).items())
    letters = frozenset[str]().union(*(one.letters for one in sides))
    return Group(sides, letters, frozenset[str]().union(*(one.ideas for one in sides)))


@cache
def _groups_of_words() -> tuple[GroupsOf, GroupsOf]:
    """The groups that each word is one of, and those that each concept is one of."""
    by_word: dict[str, frozenset[str]] = {}
    by_idea: dict[str, frozenset[str]] = {}
    for name in _groups_of_sides():
        group = _group(name)
        for listed, kept in ((group.letters, by_word), (group.ideas, by_idea)):
            kept.update({one: kept.get(one, _NO_GROUP) | {name} for one in listed})
    return by_word, by_idea


@cache
def _groups_of_sides() -> Mapping[str, Words]:
    """Group -> its sides with their words."""
    problems: list[Problem] = []
    groups: dict[str, Words] = {}
    paths = sorted((lexicon_directory() / "signs").glob("*.yaml"))
    for path, content in load_lexicons(paths, problems, salt="signs").items():
        problems += [Problem(path, 1, f"{group!r} stands in two files") for group in groups.keys() & content.keys()]
        groups.update(content)
    if problems:
        raise BadData(problems)
    return groups


def _side(name: str, words: Iterable[str]) -> Side:
    ideas = frozenset(word.removeprefix(_CONCEPT) for word in words if word.startswith(_CONCEPT))
    said = [word for word in sorted(words, key=lambda one: (-len(one), one)) if not word.startswith(_CONCEPT)]
    stems = frozenset(_plain(word) for word in said if _plain(word) != word.casefold())
    return Side(name, ideas, tuple(said), frozenset(map(_plain, said)), stems)


@cache
def _letters() -> Automaton:
    """The letters of all words that are looked for, found in one pass over a text."""
    automaton = Automaton()
    tables = (_symptoms(), _errors(), *_replies().values())
    groups = map(_group, _groups_of_sides())
    for word in set().union(*(table.words for table in tables), *(group.letters for group in groups)):
        automaton.add_word(word, word)
    automaton.make_automaton()
    return automaton


@cache
def _pattern(said: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(_cue, said)))


def _plain(word: str) -> str:
    """A word without its star, in lower case."""
    return word.removesuffix("*").casefold()


def _counts(word: str, words: str, *, goes_on: bool) -> bool:
    """Whether a word whose letters stand in a message counts somewhere: what `_cue` finds, without compiling it."""
    if not word.isascii():
        return True
    at = words.find(word)
    while at >= 0:
        end = at + len(word)
        is_head = not word[0].isalnum() or words[at - 1 : at] not in _LATIN_AND_DIGITS
        if is_head and (goes_on or not word[-1].isalpha() or words[end : end + 1] not in _LATIN):
            return True
        at = words.find(word, at + 1)
    return False


def _cue(word: str) -> str:
    """A Latin word is no part of a longer one: not at its head, nor at its end unless a star allows it."""
    plain = _plain(word)
    if not plain.isascii():
        return re.escape(plain)
    before = r"(?<![a-z0-9])" if plain[0].isalnum() else ""
    behind = r"(?![a-z])" if plain == word.casefold() and plain[-1].isalpha() else ""
    return f"{before}{re.escape(plain)}{behind}"


@cache
def _symptoms() -> CodeTable:
    return _table("symptoms.yaml")


def known_errors() -> tuple[str, ...]:
    """Names of the errors that are known."""
    return _errors().codes


@cache
def _errors() -> CodeTable:
    return _table("errors.yaml")


def _table(name: str) -> CodeTable:
    content: Mapping[str, Words] = _read(name)
    return CodeTable(tuple((str(code), _groups(words)) for code, words in content.items()))


@cache
def _replies() -> Mapping[str, CodeTable]:
    content: Mapping[str, Mapping[str, Words]] = _read("replies.yaml")
    return {
        str(place): CodeTable(tuple((str(code), _groups(words)) for code, words in answers.items()))
        for place, answers in content.items()
    }


def _groups(words: Words) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(str(group).lower().split()) for lines in words.values() for group in lines)


@cache
def _networks() -> tuple[tuple[str, float], ...]:
    content: Mapping[str, float] = _read("networks.yaml")
    return tuple((word, float(gbit)) for word, gbit in content.items())


def _read(name: str) -> Any:
    """One file of the lexicon. Its form is that which its reader says."""
    problems: list[Problem] = []
    path: Path = lexicon_directory() / name
    content = load_lexicons([path], problems, salt="lexicon").get(str(path), {})
    if problems:
        raise BadData(problems)
    return content
