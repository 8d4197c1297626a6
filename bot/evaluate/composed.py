"""Messages put together from the labelled clauses of `bot/corpus/clauses`, with names and numbers drawn from lists.

They teach which part a name or a number plays and which clause asks. The same seed gives the same messages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final, TypedDict

from advisor.errors import BadData, Problem
from advisor.files import load_yaml_files
from bot.evaluate.corpus import corpus_directory

TELLS, ASKS, OFF = "tells", "asks", "off"
_HOLE = re.compile(r"\[([a-z_]+)(:|=)([^\]]+)\]")
_ROUNDS: Final = 8
"""How often each clause is used."""
_OFF_ROUNDS: Final = 12
_MOST_TOLD: Final = 4
_ASIDE, _TOLD_ASIDE = 0.3, 0.7
"""How often something stands behind the question, and how often that asks nothing."""
_CHOICE = re.compile(r"\{([^{}]+)\}")
_RANGE = re.compile(r"(\d+)\.\.(\d+)(?:\*(\d+))?")
_Fillers = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Labelled:
    """A stretch of a text and what it is labelled with."""

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class Composed:
    """One message with the roles of its mentions and the places of its asking parts."""

    text: str
    mentions: tuple[Labelled, ...]
    asking: tuple[tuple[int, int], ...]
    ours: bool = True


@dataclass(frozen=True, slots=True)
class Clause:
    """A line of `bot/corpus/clauses`."""

    kind: str
    text: str


def clause_files() -> list[Path]:
    """The files of labelled clauses, one a language."""
    return sorted((corpus_directory() / "clauses").glob("*.txt"))


class Fillers(TypedDict):
    """What `fillers.yaml` holds: patterns for the holes, of both languages and of each; joints and ends of clauses."""

    both: dict[str, list[object]]
    zh: dict[str, list[object]]
    en: dict[str, list[object]]
    joints: dict[str, list[str]]
    ends: dict[str, list[str]]


def read_fillers() -> Fillers:
    """What stands in the holes of clauses, by language. Raises BadData naming every fault."""
    path = corpus_directory() / "clauses" / "fillers.yaml"
    problems: list[Problem] = []
    content = load_yaml_files([path], problems, salt="fillers")
    if problems:
        raise BadData(problems)
    found: Fillers = content[str(path)]
    return found


def fillers_of(content: Fillers, language: str) -> dict[str, list[str]]:
    """The patterns of each kind of hole in one language."""
    own = content["zh"] if language == "zh" else content["en"]
    return {kind: [str(word) for word in words] for kind, words in {**content["both"], **own}.items()}


def read_clauses(path: Path, fillers: _Fillers) -> list[Clause]:
    """The clauses of a file. Raises BadData naming each faulty line."""
    found: list[Clause] = []
    problems: list[Problem] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        kind, _, text = line.partition("\t")
        fault = _fault(kind, text, fillers)
        if fault:
            problems.append(Problem(str(path), number, fault))
        else:
            found.append(Clause(kind, text))
    if problems:
        raise BadData(problems)
    return found


def _fault(kind: str, text: str, fillers: _Fillers) -> str:
    if kind not in {TELLS, ASKS, OFF} or not text:
        return f"{kind!r} is none of tells, asks, off, or nothing follows"
    unknown = [name for _, sign, name in _HOLE.findall(text) if sign == ":" and name not in fillers]
    return f"nothing stands for {unknown[0]!r} in fillers.yaml" if unknown else ""


class Composer:
    """Puts messages of one language together. The same seed gives the same messages."""

    def __init__(self, content: Fillers, language: str, seed: int = 1) -> None:
        """`content` is what `read_fillers` gave."""
        self._random = Random(f"{language}{seed}")  # noqa: S311 - draws examples, keeps no secret
        self._fillers = fillers_of(content, language)
        self._joints, self._ends = content["joints"][language], content["ends"][language]

    def compose(self, clauses: Sequence[Clause]) -> list[Composed]:
        """Messages of these clauses: some that tell, one that asks, sometimes one behind it."""
        random = self._random
        tells = [clause for clause in clauses if clause.kind == TELLS]
        asks = [clause for clause in clauses if clause.kind == ASKS]
        messages: list[Composed] = []
        for _ in range(_ROUNDS):
            queue = random.sample(tells, len(tells))
            while queue:
                told, queue = queue[: random.randrange(_MOST_TOLD + 1)], queue[random.randrange(1, _MOST_TOLD + 1) :]
                messages.append(self._join([*told, random.choice(asks), *self._aside(tells, asks)]))
        for _ in range(_OFF_ROUNDS):
            messages += [self._join([clause]) for clause in clauses if clause.kind == OFF]
        return messages

    def _aside(self, tells: Sequence[Clause], asks: Sequence[Clause]) -> list[Clause]:
        """What sometimes stands behind the question."""
        random = self._random
        if random.random() >= _ASIDE:
            return []
        return [random.choice(tells if random.random() < _TOLD_ASIDE else asks)]

    def _join(self, clauses: Sequence[Clause]) -> Composed:
        text = ""
        mentions: list[Labelled] = []
        asking: list[tuple[int, int]] = []
        for number, clause in enumerate(clauses):
            if number:
                text += self._random.choice(self._joints)
            start = len(text)
            for piece, label in self._filled(clause.text):
                if label:
                    mentions.append(Labelled(len(text), len(text) + len(piece), label))
                text += piece
            if clause.kind != TELLS:
                asking.append((start, len(text)))
                text += self._random.choice(self._ends) if number + 1 == len(clauses) else ""
        return Composed(text, tuple(mentions), tuple(asking), clauses[0].kind != OFF)

    def _filled(self, text: str) -> list[tuple[str, str]]:
        """Pieces of a clause with their labels; "" for words that are none."""
        pieces: list[tuple[str, str]] = []
        done = 0
        for hole in _HOLE.finditer(text):
            pieces.append((text[done : hole.start()], ""))
            role, sign, what = hole.groups()
            pieces.append((what if sign == "=" else self._expand(self._random.choice(self._fillers[what])), role))
            done = hole.end()
        pieces.append((text[done:], ""))
        return [piece for piece in pieces if piece[0]]

    def _expand(self, pattern: str) -> str:
        return _CHOICE.sub(lambda found: self._one_of(found[1]), pattern)

    def _one_of(self, listed: str) -> str:
        numbers = _RANGE.fullmatch(listed)
        if numbers is None:
            return self._random.choice(listed.split("|"))
        low, high, times = numbers.groups()
        return str(self._random.randint(int(low), int(high)) * int(times or 1))


def composed_messages(seed: int = 1) -> list[Composed]:
    """All composed messages, of both languages."""
    content = read_fillers()
    return [
        message
        for path in clause_files()
        for message in Composer(content, path.stem, seed).compose(read_clauses(path, fillers_of(content, path.stem)))
    ]
