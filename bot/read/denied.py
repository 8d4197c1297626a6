"""Who is ruled out by the words right beside: "nothing from vast", "not on runpod or lambda", "autodl is out".

Weights tell which part a mention plays by all that stands around it. For whom one rents from there is no doubt where a
word of denial touches the name: it holds whatever else the message speaks of, and is used up by that name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from bot.read.candidates import Candidate
from bot.read.features import DENIALS

if TYPE_CHECKING:
    from bot.core.understanding import RankedIntent
    from bot.read.reader import Read

_FROM: Final = "provider"
_BEFORE, _BEHIND = "deny", "denied"
_EXCLUDED: Final = ("excluded", 1.0)
_CERTAIN: Final = 0.9
"""How sure a part is that nothing in its clause tells."""
_ASKED: Final = "question"
_CANCEL: Final = "cancel"
_WORDS: Final = 3
"""Words, or characters of Chinese, that may stand between a denial and the name: "without ever using"."""
_HAN_MORE: Final = 1
_FAR: Final = 120
"""Characters that so few words never fill: what stands farther away is not looked at."""
_JOINED: Final = 2
"""Words between two names of one list."""
_Span = tuple[int, int]


def denied(read: Read, roles: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    """The same roles; what a word of exclusion takes in, and whom a denial touches, is ruled out for sure.

    Beside what such a word takes in, nothing is ruled out by a clause without a word of denial, unless surely.
    """
    out = {*_ruled(read), *dict(_touched(read))}
    told = [_EXCLUDED if number in out else role for number, role in enumerate(roles)]
    if not read.analysis.reading.ruled:
        return told
    return [
        ("none", role[1]) if role[0] == "excluded" and role[1] < _CERTAIN and not _is_denied(read, one) else role
        for one, role in zip(read.candidates, told, strict=True)
    ]


def _is_denied(read: Read, one: Candidate) -> bool:
    """Whether a word of denial stands in the clause of a mention."""
    clause = next((part for part in reversed(read.parts) if part.start <= one.start), None)
    return clause is None or any(
        name in DENIALS and clause.start <= start < clause.end for start, _, name in read.marks.places
    )


def _ruled(read: Read) -> Iterator[int]:
    """Numbers of the candidates in the scope of a word of exclusion."""
    for start, end in read.analysis.reading.ruled:
        yield from (number for number, one in enumerate(read.candidates) if one.start < end and start < one.end)


def used_up(read: Read) -> list[_Span]:
    """The places of the denials that a name beside them has taken: they deny nothing else."""
    return sorted({span for _, span in _touched(read)})


def takes_denials(read: Read) -> bool:
    """Whether something is ruled out that takes the words of denial of a message."""
    return bool(read.analysis.reading.ruled) or bool(used_up(read))


def without_cancel(ranking: tuple[RankedIntent, ...]) -> tuple[RankedIntent, ...]:
    """The needs where a name has taken the denial: what is off is that one, not the whole talk."""
    if not ranking or ranking[0].intent != _CANCEL or len(ranking) < 2:
        return ranking
    first, *rest = ranking
    left = sum(item.score for item in rest) or 1.0
    return (*(item._replace(score=item.score / left) for item in rest), first._replace(score=0.0))


def _touched(read: Read) -> Iterator[tuple[int, _Span]]:
    """Numbers of the candidates that are ruled out by what stands beside them, each with the denial that does it."""
    marks = [place for place in read.marks.places if place[2] in DENIALS]
    before: _Span | None = None
    for number, one in enumerate(read.candidates) if marks else ():
        before = _taken(read, number, marks, before) if one.slot == _FROM else None
        if before is not None:
            yield number, before


def _taken(read: Read, number: int, marks: Sequence[tuple[int, int, str]], before: _Span | None) -> _Span | None:
    """The denial that a name takes: its own, else that of the name before it in a list."""
    one = read.candidates[number]
    found = _denial_of(read, one, marks)
    if found is None and before is not None and _goes_on(read, read.candidates[number - 1], one):
        return before
    return found


def _denial_of(read: Read, one: Candidate, marks: Sequence[tuple[int, int, str]]) -> _Span | None:
    """The denial that touches a name: before it with hardly a word between, or right behind it."""
    near = [mark for mark in marks if one.start - mark[1] <= _FAR and mark[0] - one.end <= _FAR]
    return next(((start, end) for start, end, name in near if _touches(read, one, (start, end), name)), None)


def _touches(read: Read, one: Candidate, denial: _Span, name: str) -> bool:
    """Whether a denial is said of a name, and does not ask."""
    start, end = denial
    if name == _BEFORE and end <= one.start and _is_near(read, end, one.start) and not _asks(read, one):
        return True
    return name == _BEHIND and start >= one.end and _follows(read, one, start) and not _asks(read, one, end)


def _follows(read: Read, one: Candidate, start: int) -> bool:
    """Whether a denial stands right behind a name, in its clause."""
    return _between(read, one.end, start) <= 1 and not _is_cut(read, one.end, start)


def _is_near(read: Read, start: int, end: int) -> bool:
    """Whether so little stands between a denial and a name that it is said of it: no other sign, no end of a clause."""
    many = _between(read, start, end)
    han = any(token.kind == "h" for token in read.analysis.reading.tokens if start <= token.start < end)
    if many > _WORDS + (_HAN_MORE if han else 0) or _is_cut(read, start, end):
        return False
    compared = {"compare", "own", "past"}
    return not any(start <= first and last <= end and name in compared for first, last, name in read.marks.places)


def _between(read: Read, start: int, end: int) -> int:
    """How many words stand between two places."""
    return sum(start <= token.start < end for token in read.analysis.reading.tokens)


def _is_cut(read: Read, start: int, end: int) -> bool:
    """Whether a clause begins or another mention stands between two places."""
    return any(start < part.start <= end for part in read.parts) or any(
        start <= one.start < end and one.slot != "deploy" for one in read.candidates
    )


def _goes_on(read: Read, before: Candidate, one: Candidate) -> bool:
    """Whether two names are of one list: "neither vast nor runpod", "vast or runpod"."""
    if _between(read, before.end, one.start) > _JOINED or _is_cut(read, before.end, one.start):
        return False
    wishes = {"wanted", "own"}
    return not any(
        before.end <= start and end <= one.start and name in wishes for start, end, name in read.marks.places
    )


def _asks(read: Read, one: Candidate, end: int | None = None) -> bool:
    """Whether a question word right behind the name, or behind what denies it, makes a question of it in Chinese."""
    at = one.end if end is None else end
    return any(
        name == _ASKED and one.end <= start <= at and not read.analysis.reading.text[start].isascii()
        for start, _, name in read.marks.places
    )
