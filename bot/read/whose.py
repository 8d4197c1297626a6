"""Whose a card or an amount is, where its clause names somebody else who has it, or says that it is gone.

Weights tell the part of a mention by all that stands around it, and are unsure of wordings they have not met. Whoever
is the subject of a clause has what it names: that holds whatever else the message speaks of.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from bot.read.candidates import Candidate

if TYPE_CHECKING:
    from bot.read.clauses import Part
    from bot.read.reader import Read

_QUOTED, _PAST = "quoted", "past"
_WANTED, _COMPARED = "wanted", "compared"
_CERTAIN: Final = 0.9
"""How sure such a part is."""
_LIKELY: Final = 0.5
"""Probability below which a card is surely compared with none."""
_BEFORE: Final = 90
"""Characters of a sentence that are looked at before a mention."""
_BEFORE_HAN: Final = 36
"""The same of Chinese, where no pattern is longer."""
_TAIL: Final = 40
"""Characters looked at behind one."""
_FREE: Final = frozenset({"own", "wanted", "quoted", "past", "background", "none", "off_topic", "", "count"})
"""Parts that give way: what is compared, ruled out or priced is so whoever has it."""
_FREE_NUMBERS: Final = _FREE - {"none"}
_FREE_MONEY: Final = _FREE - {"own", "wanted", "count"}
_FREE_MODELS: Final = _FREE | {"job"}
_ASIDE: Final = frozenset({"quoted", "past", "background"})
_CARD: Final = "gpu"
_MODEL: Final = "model"
_NAMED: Final = frozenset({_CARD, _MODEL})
_MONEY: Final = "n:money"
_HAN: Final = "zh"
_CURLY: Final = "\u2019"
_COUNTS: Final = frozenset({"n:card", "n:"})
_AMOUNTS: Final = frozenset({"n:memory", "n:card", "n:core"})
"""Numbers that belong to whoever has a machine."""
_SUPPLY: Final = "psu_w"
_CHOOSING: Final = frozenset(
    {"recommend_gpu", "compare_gpus", "upgrade_or_not", "used_or_cheap", "vendor_choice", "check_fit", "price_lookup"}
)
_PRICED: Final = frozenset({"price", "budget"})
"""Slots of money."""
_TOUCHING: Final = 2
"""Characters between a number of cards and their name."""


class _Patterns(NamedTuple):
    """What is looked for in the texts of one language."""

    someone: re.Pattern[str]
    of_someone: re.Pattern[str] | None
    not_held: re.Pattern[str]
    gone: re.Pattern[str]
    left: re.Pattern[str]
    shown: re.Pattern[str]
    joined: re.Pattern[str]
    offered: re.Pattern[str]
    asked: re.Pattern[str]
    planned: re.Pattern[str]


class Whose:
    """Patterns of `lexicon/whose.yaml`, ready to be looked for. Holds no state."""

    def __init__(self, words: Mapping[str, Mapping[str, str]]) -> None:
        """`words`: patterns by what they say and by language."""
        en, zh = ({name: listed.get(tongue, "") for name, listed in words.items()} for tongue in ("en", "zh"))
        held = rf"(?:(?!{en['not_held']})[^.;:?!]){{0,40}}"
        self._by_language = {
            "en": _patterns(en, rf"\b{en['someone']}\b{held}?\b{en['holds']}\b{held}$"),
            _HAN: _patterns(zh, rf"{zh['someone']}(?:(?!{zh['not_held']})[^,;?!]){{0,14}}$"),
        }

    def settled(self, read: Read, roles: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
        """The same roles; what somebody else has is quoted, what is gone is past."""
        known = self._by_language[_HAN if read.analysis.reading.language == _HAN else "en"]
        if not any(one.kind == _CARD for one in read.candidates):
            return list(roles)
        told = [_WANTED if role == _COMPARED and chance < _LIKELY else role for role, chance in roles]
        parts = [_part(known, read, one, role) for one, role in zip(read.candidates, told, strict=True)]
        _listed(known, read, parts)
        _worked_on(read.candidates, parts)
        _counted(read.candidates, roles, parts)
        return [(part, _CERTAIN) if part else role for part, role in zip(parts, roles, strict=True)]


def _patterns(words: Mapping[str, str], someone: str) -> _Patterns:
    of_someone = re.compile(words["of_someone"]) if words["of_someone"] else None
    rest = (re.compile(words[name]) for name in _Patterns._fields[2:])
    return _Patterns(re.compile(someone), of_someone, *rest)


def _part(known: _Patterns, read: Read, one: Candidate, role: str) -> str:
    """The part of one mention by its clause, "" where the clause says nothing of it."""
    if role not in _free_parts(one):
        return ""
    clause, (begin, end) = _clauses_of(read, one)
    own = _written(read, clause.start, one.start).rstrip()
    behind = _written(read, one.end, min(end, one.end + _TAIL))
    reach = _BEFORE_HAN if read.analysis.reading.language == _HAN else _BEFORE
    before = _written(read, max(begin, one.start - reach), one.start)
    if known.offered.search(before) and not _may_be_chosen(read, one):
        return _aside(role, _QUOTED)
    if _is_of_another(known, own, before, behind):
        return "" if known.asked.search(behind) or _is_offered(read, one, end) else _aside(role, _QUOTED)
    gone = one.kind in _NAMED and not clause.asked and _is_gone(known, own, behind)
    return _aside(role, _PAST) if gone else ""


def _may_be_chosen(read: Read, one: Candidate) -> bool:
    """Whether a card is looked for, so that the one that a seller names may be it."""
    ranking = read.analysis.understanding.ranking
    return one.kind == _CARD and (not ranking or ranking[0].intent in _CHOOSING)


def _free_parts(one: Candidate) -> frozenset[str]:
    """The parts of a mention that give way to whose it is; none of one that belongs to nobody."""
    if one.kind == _CARD:
        return _FREE
    if one.kind == _MODEL:
        return _FREE_MODELS
    if one.base == _MONEY or one.slot in _PRICED:
        return _FREE_MONEY
    return _FREE_NUMBERS if one.base in _AMOUNTS or one.slot == _SUPPLY else frozenset()


def _listed(known: _Patterns, read: Read, parts: list[str]) -> None:
    """A card in a list with one of somebody else's is somebody's too: "everybody has a 3090 or an A100"."""
    cards = [at for at, one in enumerate(read.candidates) if one.kind == _CARD]
    for first, second in pairwise(cards):
        one, other = read.candidates[first], read.candidates[second]
        if (
            parts[first] == _QUOTED
            and not parts[second]
            and known.joined.fullmatch(_written(read, one.end, other.start))
        ):
            parts[second] = _QUOTED


def _worked_on(candidates: Sequence[Candidate], parts: list[str]) -> None:
    """A model that somebody else runs, or that was run, is set aside only where another one is the job."""
    models = [at for at, one in enumerate(candidates) if one.kind == _MODEL]
    others = {str(candidates[at].value) for at in models if not parts[at]}
    for at in models:
        if not others - {str(candidates[at].value)}:
            parts[at] = ""


def _is_of_another(known: _Patterns, own: str, before: str, behind: str) -> bool:
    """Whether what stands before a mention in its clause or its sentence, or right behind it, names who has it."""
    if known.shown.search(behind):
        return True
    of_someone = known.of_someone is not None and known.of_someone.search(own)
    return bool((of_someone and not known.not_held.search(own)) or known.someone.search(before))


def _is_gone(known: _Patterns, own: str, behind: str) -> bool:
    """Whether what stands around a card says that it is gone, and not that it may go."""
    return bool((known.gone.search(own) or known.left.search(behind)) and not known.planned.search(own))


def _written(read: Read, start: int, end: int) -> str:
    """A stretch of a message: of English as it was typed, since a rare word is mended to a frequent one."""
    reading = read.analysis.reading
    if reading.language == _HAN or start >= end:
        return reading.text[start:end]
    last = reading.offsets[end] if end < len(reading.offsets) else len(reading.raw)
    return reading.raw[reading.offsets[start] : last].lower().replace(_CURLY, "'")


def _aside(role: str, part: str) -> str:
    """The part beside the point that was learned, else the one that the clause tells."""
    return role if role in _ASIDE else part


def _is_offered(read: Read, card: Candidate, end: int) -> bool:
    """Whether a mention is a card and a price follows: who names one sells it."""
    if card.kind != _CARD:
        return False
    near = min(end, card.end + _TAIL)
    return any(one.base == "n:money" or one.slot == "price" for one in read.candidates if card.end <= one.start < near)


def _clauses_of(read: Read, one: Candidate) -> tuple[Part, tuple[int, int]]:
    """The clause that a mention stands in, and where its sentence begins and ends."""
    clause = next((part for part in reversed(read.parts) if part.start <= one.start), read.parts[0])
    sentence = [part for part in read.parts if part.sentence == clause.sentence]
    return clause, (sentence[0].start, sentence[-1].end)


def _counted(candidates: Sequence[Candidate], roles: Sequence[tuple[str, float]], parts: list[str]) -> None:
    """A number right before a card is of whoever has the card."""
    for at in range(len(candidates) - 1):
        one, card = candidates[at], candidates[at + 1]
        if card.kind == _CARD and one.base in _COUNTS and 0 <= card.start - one.end <= _TOUCHING and parts[at + 1]:
            parts[at] = parts[at + 1] if roles[at][0] in _FREE else ""
