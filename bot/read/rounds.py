"""Amounts of training data and rounds as people write them (bot/lexicon/rounds.yaml)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Final

from advisor.errors import BadData, Problem
from bot.core.languages import load_languages
from bot.core.numbers import figure
from bot.lexicons import load_lexicons
from bot.resources import lexicon_directory

_FEWEST_TOKENS: Final = 1e6
_PACE: Final = "token/s"
_FIGURE: Final = r"(\d[\d,]*(?:\.\d+)?)"
_CHANNEL_LETTERS: Final = 2
"""Of the word for a channel, behind its number."""


@dataclass(frozen=True, slots=True)
class _Words:
    amount: re.Pattern[str]
    scales: dict[str, float]
    tokens: re.Pattern[str]
    token_scales: dict[str, float]
    mfu: re.Pattern[str]
    epochs: re.Pattern[str]
    channels: re.Pattern[str]
    channel_counts: dict[str, int]
    two_sockets: tuple[str, ...]
    steps: re.Pattern[str]
    drawn: re.Pattern[str]
    numerals: dict[str, int]
    rates: tuple[tuple[str, re.Pattern[str]], ...]
    wished_before: tuple[str, ...]
    """Before a rate these make it one that is wished, not measured."""
    wished_after: tuple[str, ...]


@cache
def _words() -> _Words:
    problems: list[Problem] = []
    paths = [lexicon_directory() / name for name in ("rounds.yaml", "reports.yaml", "units.yaml")]
    loaded = load_lexicons(paths, problems, salt="lexicon")
    if problems:
        raise BadData(problems)
    content, measured, units = (loaded[str(path)] for path in paths)
    limits = [one.at_least for one in load_languages()]
    scales = {str(word): float(size) for word, size in content["scales"].items()}
    numerals = {str(word): int(value) for word, value in content["numerals"].items()}
    token_scales = {str(word): float(size) for word, size in content["tokens"].items()}
    large = "|".join(sorted(map(re.escape, token_scales), key=len, reverse=True))
    scale = "|".join(sorted(map(re.escape, scales), key=len, reverse=True))
    number = "|".join(sorted(map(re.escape, numerals), key=len, reverse=True))
    channels = {str(word): int(count) for word, count in content["channels"].items()}
    behind = next(iter(channels))[-_CHANNEL_LETTERS:]
    share = r"\d{1,2}(?:\.\d+)?"
    shares = "|".join(sorted(map(re.escape, content["mfu"]), key=len, reverse=True))
    rounds = "|".join(sorted(map(re.escape, content["epochs"]), key=len, reverse=True))
    return _Words(
        amount=re.compile(rf"(\d[\d,]*(?:\.\d+)?)\s*({scale})?", re.IGNORECASE),
        scales=scales,
        tokens=re.compile(rf"(\d[\d,]*(?:\.\d+)?)\s*({large})?\s*(?:\S\s*)?tokens?\b(?!\s*(?:/|per))", re.IGNORECASE),
        token_scales=token_scales,
        mfu=re.compile(rf"({share})\s*%?\s*(?:{shares})|(?:{shares})[^\d,，。]{{0,8}}({share})\s*%", re.IGNORECASE),
        epochs=re.compile(rf"(?<![\d.])(\d{{1,4}}|{number})\s*(?:{rounds})", re.IGNORECASE),
        channels=re.compile(rf"({'|'.join(sorted(channels, key=len, reverse=True))})|(\d{{1,2}}) ?{behind}"),
        channel_counts=channels,
        two_sockets=tuple(map(str, content["two_sockets"])),
        steps=re.compile(rf"(?<![\d.])(\d{{1,3}})[ -]?(?:{_one_of(content['steps'])})(?![a-z])", re.IGNORECASE),
        drawn=_drawn(content["drawn"], content["counted"], scales),
        numerals=numerals,
        rates=_rates(measured["rate"], content["each_second"], _spelt(content["rates_between"], units)),
        wished_before=tuple(chain.from_iterable(one.before for one in limits)),
        wished_after=tuple(chain.from_iterable(one.after for one in limits)),
    )


def _rates(
    behind: Mapping[str, Sequence[str]], firsts: Sequence[str], seconds: Mapping[str, Sequence[str]]
) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Units of rates with how each is told: behind its number, or with the number between two words."""
    return tuple((rate, _rate(spellings, firsts, seconds.get(rate, ()))) for rate, spellings in behind.items())


def _spelt(between: Mapping[str, str], units: Mapping[str, Mapping[str, Sequence[str]]]) -> dict[str, tuple[str, ...]]:
    """The spellings of the unit that each rate counts."""
    return {rate: (*units[name].get("zh", ()), *units[name].get("en", ())) for rate, name in between.items()}


def _rate(spellings: Sequence[str], firsts: Sequence[str], seconds: Sequence[str]) -> re.Pattern[str]:
    """A number before one of its units, or between a word for each second, a few letters aside, and what is counted."""
    ways = [rf"{_FIGURE}\s*(?:{_one_of(spellings)})(?![a-z])"]
    ways += [rf"(?:{_one_of(firsts)})\D{{0,3}}?{_FIGURE}\s*(?:{_one_of(seconds)})"] if seconds else []
    return re.compile("|".join(ways), re.IGNORECASE)


def _drawn(names: Sequence[str], counted: Sequence[str], scales: Iterable[str]) -> re.Pattern[str]:
    """A number of pictures or clips: before a word that counts them, or before their name, a word or two between."""
    between = r"(?:\s(?!sec|min|step|gb)[a-z][\w.-]*){0,2}"
    figures = rf"(?<![a-z0-9.])(\d[\d,]*(?:\.\d+)?)\s?({_one_of(scales)})?"
    return re.compile(rf"{figures}\s?(?:{_one_of(counted)})|{figures}{between}\s(?:{_one_of(names)})(?![a-z])")


def _one_of(words: Iterable[str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


def amount_of(text: str) -> float | None:
    """The first number of a text with its scale: "100,000 images" gives 100000, "5w" 50000; None without one."""
    words = _words()
    found = words.amount.search(text)
    if found is None:
        return None
    value = figure(found[1])
    return None if value is None else value * words.scales.get((found[2] or "").lower(), 1.0)


def tokens_of(text: str) -> float | None:
    """An amount of training tokens ("100B tokens"), from a million on; a rate or a context length is none."""
    words = _words()
    found = words.tokens.search(text)
    if found is None:
        return None
    amount = (figure(found[1]) or 0.0) * words.token_scales.get((found[2] or "").lower(), 1.0)
    return amount if amount >= _FEWEST_TOKENS else None


def mfu_of(text: str) -> float | None:
    """The share of the peak that training is said to use ("40% MFU"), 0 to 1."""
    found = _words().mfu.search(text)
    value = figure(found[1] or found[2]) if found else None
    return value / 100.0 if value else None


def rate_of(text: str) -> tuple[float, str] | None:
    """A rate that was measured, and its unit: token/s, image/s or it/s; None without one, or for one that is wished."""
    words = _words()
    for unit, pattern in words.rates:
        found = pattern.search(text)
        value = figure(next(filter(None, found.groups()), "")) if found else None
        if found is not None and value:
            before, after = text[: found.start()].rstrip(), text[found.end() :].lstrip()
            wished = before.endswith(words.wished_before) or after.startswith(words.wished_after)
            return None if wished else (value, unit)
    return None


def tokens_per_second_of(text: str) -> float | None:
    """A pace of writing that was seen ("12 tok/s", "2.5 tokens per second"); None where there is none."""
    found = rate_of(text)
    return found[0] if found is not None and found[1] == _PACE else None


def epochs_of(text: str) -> int | None:
    """How many times the data is gone through, when a number of rounds is said."""
    words = _words()
    said = [one[1] for one in words.epochs.finditer(text.lower())]
    counts = [int(one) if one.isdecimal() else words.numerals[one] for one in said]
    # how long one round takes stands beside how many there are
    return next((count for count in counts if count > 1), counts[0] if counts else None)


def channels_of(text: str) -> int | None:
    """Channels of memory in Chinese words; those in English are the advisor's to read."""
    found = _words().channels.search(text)
    if found is None:
        return None
    return int(found[2]) if found[2] else _words().channel_counts[found[1]]


def has_two_sockets(text: str) -> bool:
    """Whether a machine with two processors is spoken of in Chinese; English words are the advisor's to read."""
    return any(word in text for word in _words().two_sockets)


def steps_of(text: str) -> int | None:
    """A number of steps, as pictures are drawn in."""
    found = _words().steps.search(text)
    return int(found[1]) or None if found else None


def drawn_of(text: str) -> tuple[int, ...]:
    """Numbers that may be those of pictures or clips, in their order. `text` in lower case."""
    words = _words()
    found = ((figure(one[1] or one[3]), one[2] or one[4] or "") for one in words.drawn.finditer(text))
    return tuple(round(value * words.scales.get(scale, 1.0)) for value, scale in found if value)
