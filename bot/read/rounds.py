"""Amounts of training data and rounds as people write them (bot/lexicon/rounds.yaml)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from advisor.errors import BadData, Problem
from advisor.files import load_yaml_files
from bot.core.numbers import figure
from bot.resources import lexicon_directory

_FEWEST_TOKENS: Final = 1e6
_PACE: Final = re.compile(
    r"(?<![\d.])(\d+(?:\.\d+)?)\s*(?:tokens?|toks?|t)\s*(?:/|per|a)\s*(?:s(?:ec(?:ond)?)?)(?![a-z])"
    r"|(?:\u6bcf\u79d2|\u4e00\u79d2)\D{0,4}?(\d+(?:\.\d+)?)\s*\u4e2a?\s*(?:tokens?|toks?|\u5b57)"
    r"|(\d+(?:\.\d+)?)\s*(?:tokens?|toks?|\u4e2a?\u5b57)\s*(?:\u6bcf\u79d2|\u4e00\u79d2)",
    re.IGNORECASE,
)
"""Tokens or characters a second, in either order."""
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
    numerals: dict[str, int]


@cache
def _words() -> _Words:
    problems: list[Problem] = []
    path = lexicon_directory() / "rounds.yaml"
    content = load_yaml_files([path], problems, salt="lexicon").get(str(path), {})
    if problems:
        raise BadData(problems)
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
        numerals=numerals,
    )


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


def tokens_per_second_of(text: str) -> float | None:
    """A pace of writing that is said ("12 tok/s", "2.5 tokens per second"); None where there is none."""
    found = _PACE.search(text)
    return figure(next(filter(None, found.groups()))) if found else None


def epochs_of(text: str) -> int | None:
    """How many times the data is gone through, when a number of rounds is said."""
    words = _words()
    found = words.epochs.search(text.lower())
    if found is None:
        return None
    said = found[1]
    return int(said) if said.isdecimal() else words.numerals[said]


def channels_of(text: str) -> int | None:
    """Channels of memory in Chinese words; those in English are the advisor's to read."""
    found = _words().channels.search(text)
    if found is None:
        return None
    return int(found[2]) if found[2] else _words().channel_counts[found[1]]


def has_two_sockets(text: str) -> bool:
    """Whether a machine with two processors is spoken of in Chinese; English words are the advisor's to read."""
    return any(word in text for word in _words().two_sockets)
