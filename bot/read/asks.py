"""The asking parts of a message, each with its need: "is a 3090 enough for a 13B, and what does renting one cost".

A clause that likely asks is a part; one that asks twice falls apart where a word joins the two. Each is weighed for
itself, beside the name that another one gives it. Parts of one need are one, what only offers the other way round
("or should I rent") belongs to the one before.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from bot.core.question import MONEY, Ask, Form
from bot.core.understanding import RankedIntent, Span
from bot.read.clauses import Part
from bot.read.features import Marks
from bot.read.scope import FOREIGN, SOCIAL
from bot.understand.slots.found import Reading, Value

if TYPE_CHECKING:
    from bot.read.reader import Read

_ASKS: Final = "question"
"""The sign word of roles.yaml that a part holds which asks."""
_LIKELY, _HARDLY = 0.5, 0.1
"""Chance from which on a clause with a word of asking asks, and may ask where its need is surer than else."""
_PLAINLY: Final = 0.9
"""Chance from which on a clause of Chinese asks whatever its words: asking words there are many, at its end most."""
_PROSE: Final = "prose"
_SURE, _SURER = 0.55, 0.8
"""Score from which on a part asks for its need beside another one, and that of a clause that hardly asks."""
_MOST: Final = 4
"""Parts that are weighed."""
_LEAST: Final = 2
"""Tokens of a part that can ask something."""
_REACH: Final = 14
"""Characters behind a joining word within which a question of words begins; of Han characters wherever it is."""
_CARD: Final = "gpu"
_POINTS: Final = "this"
_SEVERAL: Final = 2
_STOPS: Final = frozenset({",", "?", ";", "."})
_NAMES: Final = frozenset({_CARD, "model"})
_TOLD_APART: Final = frozenset({"platform_howto", "concept_explain"})
"""Needs of which two parts of one message ask for two things."""
FORM_OF: Final = {
    "recommend_gpu": Form.WHICH,
    "compare_gpus": Form.COMPARE,
    "gpu_specs": Form.WHAT_IS,
    "upgrade_or_not": Form.WHETHER,
    "vendor_choice": Form.WHETHER,
    "used_or_cheap": Form.WHETHER,
    "gpu_count": Form.HOW_MANY,
    "check_fit": Form.WHETHER,
    "estimate_memory": Form.HOW_MUCH_MEMORY,
    "reduce_memory": Form.FIX,
    "estimate_time": Form.HOW_LONG,
    "estimate_cost": Form.HOW_MUCH_MONEY,
    "price_lookup": Form.HOW_MUCH_MONEY,
    "rent_or_buy": Form.WHICH,
    "mixed_gpu_types": Form.WHETHER,
    "perf_troubleshooting": Form.WHY,
    "concept_explain": Form.WHAT_IS,
    "platform_choice": Form.WHICH,
    "platform_howto": Form.HOW_TO,
    "cuda_compat": Form.WHICH,
}
"""The form of an answer that a need has where the words say no other."""


class Joins(NamedTuple):
    """Words between two questions, and words before the other way round of one."""

    joining: re.Pattern[str]
    offering: re.Pattern[str]
    amounts: re.Pattern[str]
    """What is asked for without a word of asking: price, how big."""
    closing: frozenset[str]
    """What makes a question of the Chinese words before it where nothing but a space or the end follows."""


def joins_of(content: Mapping[str, Mapping[str, Iterable[object]]]) -> Joins:
    """The words of the lexicon of roles, evened."""
    listed = content["clauses"]
    joins, offers, amounts = (_either(listed[kind]) for kind in ("joins", "offers", "amounts"))
    closing = frozenset(map(str, listed["closes"]))
    return Joins(re.compile(joins), re.compile(rf"[,;\s]*(?:{offers})"), re.compile(amounts), closing)


def _either(words: Iterable[object]) -> str:
    """Any of some words; those of letters stand apart from others."""
    listed = sorted({str(word) for word in words}, key=lambda word: (-len(word), word))
    return "|".join(rf"\b{re.escape(word)}\b" if word.isascii() else re.escape(word) for word in listed)


def may_ask_twice(reading: Reading, marks: Marks, joins: Joins) -> bool:
    """Whether a message may ask two things: by two words of asking; in Chinese one and a comma or a space do."""
    words = words_of_asking(reading, marks, joins)
    return len(words) >= _SEVERAL or bool(words and reading.han and ("," in reading.flat or any(_gaps(reading))))


def words_of_asking(reading: Reading, marks: Marks, joins: Joins) -> list[tuple[int, int]]:
    """Where words of asking stand."""
    asked = {(start, end) for start, end, name in marks.places if name == _ASKS}
    closed = {
        (token.start, token.end)
        for index, token in enumerate(reading.tokens)
        if token.text in joins.closing and _is_last(reading, index)
    }
    return sorted(asked | closed | {found.span() for found in joins.amounts.finditer(reading.flat)})


def _is_last(reading: Reading, index: int) -> bool:
    """Whether a token ends the message, or a space or a stop follows it."""
    tokens = reading.tokens
    return index + 1 == len(tokens) or tokens[index + 1].text in _STOPS or reading.is_apart(index + 1)


def _gaps(reading: Reading) -> Iterator[int]:
    """The tokens before which a space stands behind a Chinese word."""
    yield from (
        index
        for index in range(1, len(reading.tokens))
        if reading.tokens[index - 1].kind == "h" and reading.is_apart(index)
    )


def parts_that_ask(
    reading: Reading,
    parts: Sequence[Part],
    asking: Sequence[float],
    asked: Sequence[tuple[int, int]],
    joins: Joins,
) -> list[tuple[int, int, float]]:
    """Where each asking part stands in the even text, and how likely it asks.

    Args:
        reading: the message.
        parts: its clauses.
        asking: how likely each of them asks.
        asked: where words of asking stand.
        joins: words between two questions.
    """
    found: list[tuple[int, int, float]] = []
    sentence = -1
    for part, chance in zip(parts, asking, strict=True):
        asks = chance >= _HARDLY and _holds(part, asked)
        offers = joins.offering.match(reading.flat, part.start, part.end) is not None
        if asks and _stands_alone(part, offers=bool(found) and offers):
            found += [(*piece, chance) for piece in _pieces(reading, part, asked, joins)]
            sentence = part.sentence
        elif found and ((asks and offers) or part.sentence == sentence):
            # what is told behind a question within its sentence is a part of it: "which is better, a 4090 or a 5090"
            found[-1] = (found[-1][0], part.end, found[-1][2])
    return found[:_MOST]


def _without_words(
    reading: Reading, parts: Sequence[Part], asking: Sequence[float], asked: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """The ends of Chinese clauses that plainly ask, without a word of asking."""
    for part, chance in zip(parts, asking, strict=True):
        if reading.han and chance >= _PLAINLY and not _holds(part, asked):
            yield part.end - 1, part.end


def _holds(part: Part, asked: Sequence[tuple[int, int]]) -> bool:
    """Whether a word of asking stands in a clause."""
    return any(part.start <= start < part.end for start, _ in asked)


def _stands_alone(part: Part, *, offers: bool) -> bool:
    """Whether a clause is a question of its own: prose of some words, and not the other way round of one before."""
    return not offers and part.kind == _PROSE and part.last - part.first >= _LEAST


def _pieces(reading: Reading, part: Part, asked: Sequence[tuple[int, int]], joins: Joins) -> list[tuple[int, int]]:
    """A clause cut at each joining word and at each space behind a Chinese word, where both sides ask."""
    found: list[tuple[int, int]] = []
    first = part.start
    for start, end, reach in sorted((*_joined(reading, part, joins), *_apart(reading, part))):
        before = any(first <= at and until <= start for at, until in asked)
        behind = any(end <= at < reach for at, _ in asked)
        if before and behind:
            found.append((first, start))
            first = end
    return [*found, (first, part.end)]


def _joined(reading: Reading, part: Part, joins: Joins) -> Iterator[tuple[int, int, int]]:
    """Start and end of each joining word, and until where a question behind it begins."""
    for join in joins.joining.finditer(reading.flat, part.start, part.end):
        reach = part.end if not join[0].isascii() else min(part.end, join.end() + _REACH)
        yield join.start(), join.end(), reach


def _apart(reading: Reading, part: Part) -> Iterator[tuple[int, int, int]]:
    """The same of each space behind a Chinese word."""
    for index in _gaps(reading) if reading.han else ():
        if part.first < index < part.last:
            yield reading.tokens[index].start, reading.tokens[index].start, part.end


def asks_of(read: Read, joins: Joins, weigh: Callable[[str], tuple[RankedIntent, ...]]) -> tuple[Ask, ...]:
    """The asking parts in the order of the text, where two or more surely ask for needs of their own; else none.

    Args:
        read: the message, cut into clauses.
        joins: words between two questions.
        weigh: gives the needs of a text.
    """
    normalised, reading = read.analysis.normalised, read.analysis.reading
    words = words_of_asking(reading, read.marks, joins)
    asked = [*words, *_without_words(reading, read.parts, read.asking, words)]
    places = parts_that_ask(reading, read.parts, read.asking, asked, joins)
    found: dict[tuple[str, int], Ask] = {}
    for left, (start, end, chance) in zip(range(len(places), 0, -1), places, strict=True):
        if len(found) + left < _SEVERAL:
            return ()
        span = Span(*normalised.raw_span(start, end))
        best = _need(weigh(named(read, start, end)), _SURE if chance >= _LIKELY else _SURER)
        if best is not None:
            # of what the documents tell, each part may ask for another passage
            key = (best.intent, start if best.intent in _TOLD_APART else 0)
            found.setdefault(key, Ask(best.intent, FORM_OF.get(best.intent, Form.OTHER), span, best.score))
    return tuple(found.values()) if len(found) >= _SEVERAL else ()


def in_front(ranking: Sequence[RankedIntent], asks: Sequence[Ask]) -> tuple[RankedIntent, ...]:
    """The needs of a message that asks several things: where the likeliest is none of them, they come before it.

    Two questions together may read like a third one, which nobody asked.
    """
    needs = {ask.need for ask in asks}
    if not needs or not ranking or ranking[0].score >= _SURE or ranking[0].intent in needs:
        return tuple(ranking)
    by_need = {item.intent: item for item in ranking}
    front = [by_need.get(ask.need, ranking[0])._replace(intent=ask.need, score=ask.score / len(asks)) for ask in asks]
    left = 1.0 - math.fsum(item.score for item in front)
    rest = (item._replace(score=item.score * left) for item in ranking if item.intent not in needs)
    return (*front, *rest)


def named(read: Read, start: int, end: int) -> str:
    """A part of a message as it stands, behind the card or model that another part names for it."""
    normalised = read.analysis.normalised
    first, last = normalised.raw_span(start, end)
    text = normalised.raw[first:last]
    name = _name_for(read, start, end)
    if name is None:
        return text
    begin, stop = normalised.raw_span(name.start, name.end)
    return f"{normalised.raw[begin:stop]} {text}"


def _name_for(read: Read, start: int, end: int) -> Value | None:
    """The card or model of another part that a part is about; beside a model of its own only a card it points to."""
    names = [value for value in read.analysis.reading.values if value.slot in _NAMES and not value.negated]
    its = {value.slot for value in names if start <= value.start < end}
    wanted = _NAMES
    if its:
        wanted = frozenset({_CARD}) - its if _points(read, start, end) else frozenset()
    return next((value for value in names if value.slot in wanted), None)


def _points(read: Read, start: int, end: int) -> bool:
    """Whether a part points to what another one names."""
    return any(name == _POINTS and start <= at < end for at, _, name in read.marks.acts)


def _need(ranking: Sequence[RankedIntent], least: float) -> RankedIntent | None:
    """The need that a part surely asks for; small talk and another subject are none."""
    best = ranking[0] if ranking else None
    if best is None or best.intent in SOCIAL or best.intent == FOREIGN:
        return None
    score = math.fsum(
        item.score for item in ranking[:_SEVERAL] if item.intent == best.intent or _is_of_money(best, item)
    )
    return best._replace(score=score) if score >= least else None


def _is_of_money(best: RankedIntent, other: RankedIntent) -> bool:
    """Whether two needs ask for an amount of money, so that what a part asks for is sure between them."""
    return {best.intent, other.intent} <= MONEY


def of_all(read: Read, ranking: Sequence[RankedIntent]) -> tuple[Ask, ...]:
    """The need of the whole message as its only question."""
    if not ranking:
        return ()
    best = ranking[0]
    span = Span(0, len(read.analysis.normalised.raw))
    return (Ask(best.intent, FORM_OF.get(best.intent, Form.OTHER), span, best.score),)
