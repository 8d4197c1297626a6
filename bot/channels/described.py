"""What programs are told beside a reply: its asking parts with their forms, and what became of each mention.

Nothing here decides anything: all of it is derived from the reply after it was made.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from bot.channels.markup import plain_text
from bot.core.intents import Intent
from bot.core.message import Part, Reply, verdict_of
from bot.core.question import Ask, Fate, Form, Mention, Question
from bot.read.asks import FORM_OF

_SURE: Final = 0.5
"""How surely a clause asks for a need to lend it its form."""
_NUMBERING: Final = re.compile(r"^(?:[\u2460-\u2473]|\d\))\s*")
_BESIDE: Final = frozenset({"background", "past", "quoted", "off_topic"})
_NUMBER: Final = re.compile(r"\d[\d,]*(?:\.\d+)?")
_NEAR: Final = 1e-3
"""Relative distance within which two figures are the same one, rounded."""
_SCALES: Final = (
    *(1.0, 100.0, 0.01, 1000.0, 0.001, 1.024, 1e6, 1e-6, 1e9, 1e-9),
    *(60.0, 1 / 60, 3600.0, 1 / 3600, 24.0, 1 / 24),
)
"""Between the unit of a mention and that of a slot or a sum: percent, kilo, mega, giga, 1024 for a thousand; times."""
_LISTS: Final = "exclude"


@dataclass(frozen=True, slots=True)
class Described:
    """What a program reads beside the text of a reply."""

    headline: str
    form: str
    verdict: str | None
    parts: tuple[dict[str, object], ...]
    heard: tuple[dict[str, object], ...]


class Describer:
    """Tells parts and fates of a reply. Holds no state of a conversation."""

    def __init__(self, read: Callable[[str], Question | None], intents: Mapping[str, Intent]) -> None:
        """Take the reader of messages and the needs by name."""
        self._read, self._intents = read, intents

    def __call__(self, text: str, reply: Reply) -> Described:
        """Describe the reply to a message; `text` is empty where a button was pressed."""
        question = self._read(text) if text else None
        asks = question.asks if question is not None else ()
        headline = first_line(reply.text)
        first = Part(need=reply.intent or "", headline=headline, verdict=verdict_of(reply.facts))
        parts = [_shown(part, asks) for part in (first, *reply.others)] if reply.intent else []
        return Described(
            headline=headline,
            form=str(parts[0]["form"]) if parts else Form.OTHER.value,
            verdict=first.verdict or None,
            parts=tuple(parts),
            heard=tuple(
                [mention_object(one, self._fate(one, reply)) for one in (question.mentions if question else ())]
            ),
        )

    def _fate(self, mention: Mention, reply: Reply) -> Fate:
        """What became of a mention, by what the reply rests on, asks for and names."""
        if _asks_about(mention, reply):
            return Fate.ASKED_ABOUT
        if any(mention.text and mention.text in one for one in reply.set_aside):
            return Fate.SET_ASIDE
        if _is_ruled_out(mention, reply) or any(_is_same(mention, value) for value in self._used(reply)):
            return Fate.USED
        if mention.role in _BESIDE:
            return Fate.BACKGROUND
        return Fate.USED if _is_named(mention, reply) else Fate.BACKGROUND

    def _used(self, reply: Reply) -> Iterator[object]:
        """What a reply rests on: values in force that its needs can use, numbers of a sum, what was ruled out."""
        yield from reply.rests_on
        needs = [reply.intent or "", *(part.need for part in reply.others if part.headline)]
        named = {name for need in needs if need in self._intents for name in self._intents[need].used_slots}
        for name, value in reply.slots.items():
            if name in named or name == _LISTS or not named:
                yield from _leaves(value)


def first_line(text: str) -> str:
    """The first line of a reply as plain text, without the number of its part."""
    line = next((one for one in plain_text(text).splitlines() if one.strip()), "")
    return _NUMBERING.sub("", line.strip())


def mention_object(mention: Mention, fate: Fate) -> dict[str, object]:
    """One mention as the documented JSON object."""
    return {
        "text": mention.text,
        "kind": mention.kind,
        "role": mention.role,
        "value": mention.value,
        "unit": mention.unit,
        "of": mention.of,
        "fate": fate.value,
    }


def _shown(part: Part, asks: Iterable[Ask]) -> dict[str, object]:
    """One asking part as the documented JSON object."""
    return {
        "need": part.need,
        "form": _form_of(part.need, asks).value,
        "headline": first_line(part.headline),
        "verdict": part.verdict or None,
    }


def _form_of(need: str, asks: Iterable[Ask]) -> Form:
    """The form in which a need was asked for: by the words, else the one that it usually has."""
    said = [ask for ask in asks if ask.score >= _SURE]
    for ask in said:
        if ask.need == need:
            return ask.form
    return FORM_OF.get(need) or (said[0].form if said else Form.OTHER)


def _asks_about(mention: Mention, reply: Reply) -> bool:
    """Whether the reply asks what a mention means: the currency of its amount, which of its versions."""
    if reply.decision != "ask":
        return False
    money = mention.unit == "" and mention.role in {"budget", "purchase_price", "rent_price", "electricity_price"}
    return ("currency" in reply.asks and money) or mention.kind in reply.asks


def _is_ruled_out(mention: Mention, reply: Reply) -> bool:
    """Whether the reply keeps away from what the mention rules out; a condition stands there by another word."""
    ruled = reply.slots.get(_LISTS)
    return mention.role == "excluded" and mention.kind == "other" and bool(ruled)


def _is_named(mention: Mention, reply: Reply) -> bool:
    """Whether the reply speaks of a mention by its own words."""
    return bool(mention.text) and mention.text.casefold() in plain_text(reply.text).casefold()


def _is_same(mention: Mention, value: object) -> bool:
    """Whether a value in use is that of the mention, in whatever unit."""
    if isinstance(value, bool) or isinstance(mention.value, bool):
        return mention.value == value
    if isinstance(value, (int, float)):
        said = mention.value if isinstance(mention.value, (int, float)) else _number_in(mention)
        return said is not None and any(math.isclose(said * by, value, rel_tol=_NEAR) for by in _SCALES)
    return isinstance(value, str) and str(mention.value).casefold() == value.casefold()


def _number_in(mention: Mention) -> float | None:
    """The first number of a mention's own words."""
    found = _NUMBER.search(mention.text) if mention.kind == "number" else None
    return float(found.group().replace(",", "")) if found else None


def _leaves(value: object) -> Iterator[object]:
    """The single values of a slot."""
    if isinstance(value, Mapping):
        for one in value.values():
            yield from _leaves(one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _leaves(one)
    else:
        yield value
