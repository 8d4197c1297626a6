"""Schema of `bot/languages/*.yaml`: numerals, units, particles and small words of each language."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, ValidationError

from advisor.errors import BadData, Problem
from advisor.models import Frozen
from bot.lexicons import load_lexicons
from bot.resources import languages_directory


class Bounds(Frozen):
    """Words that turn a number into a limit."""

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


class Exclusions(Frozen):
    """Words that rule out a card, a maker, a provider or a condition."""

    before: tuple[str, ...] = ()
    """... what follows: "minus"."""
    behind: tuple[str, ...] = ()
    """... what stands before: "excluded"."""
    around: tuple[tuple[str, str], ...] = ()
    """... what stands between: "leave ... out"."""
    nots: tuple[str, ...] = ()
    """Words of denial that rule out together with each of `deeds`: "won't" and "buy"."""
    deeds: tuple[str, ...] = ()
    """What is done with a thing that is wished."""
    kept: tuple[tuple[str, str], ...] = ()
    """Pairs that look like such words and demand what stands between."""
    asked: tuple[str, ...] = ()
    """Phrases that end like such a word and ask: "should i skip"."""
    why: tuple[str, ...] = ()
    """Words that ask for the reason of what stands behind them in their clause."""
    particles: tuple[str, ...] = ()
    """What behind such a word makes a question of it."""
    closing: str = ""
    """Characters that may close a clause behind it."""
    lead: tuple[str, ...] = ()
    """Words that may stand between a word of exclusion and what follows."""
    tail: tuple[str, ...] = ()
    """Words that may stand between a thing and a word of exclusion behind it."""
    joins: tuple[str, ...] = ()
    """Words between two things that are ruled out together."""


class LanguageWords(Frozen):
    """Small closed word classes of one language. Words are lower-case and simplified."""

    code: str
    digits: dict[str, float] = Field(default_factory=dict)
    """Number words by value: one -> 1."""
    scales: dict[str, float] = Field(default_factory=dict)
    """Multipliers: thousand -> 1000."""
    count_only: tuple[str, ...] = ()
    """Digits that count things and never money or time ("single", "dual")."""
    vague: tuple[str, ...] = ()
    """Words for an unknown small number, such as "several"."""
    units: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Unit kind -> its spellings, such as hour -> (hours, hrs, h)."""
    money_after: tuple[str, ...] = ()
    """Words after a figure and a k that stands apart: "5 k yuan" is five thousand."""
    measure_words: tuple[str, ...] = ()
    """Words that show a figure to be a count of its own, not the lower place of the number before it."""
    no_numbers: tuple[str, ...] = ()
    """Names of days and the like that begin like a number."""
    watts_near: tuple[str, ...] = ()
    """Words near which a w behind a figure is watts."""
    coins: tuple[str, ...] = ()
    """Units of money behind which a single digit is a tenth of them, as in "two yuan two"."""
    no_coin_digit: tuple[str, ...] = ()
    """What behind such a digit makes it the beginning of another word."""
    digit_words: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """What makes a digit right before it a word of its own ("second-hand"), and the words that may not begin there."""
    per: tuple[str, ...] = ()
    """Words that make a rate: "per", "a", "each"."""
    approximate: Bounds = Bounds()
    at_most: Bounds = Bounds()
    at_least: Bounds = Bounds()
    range_words: tuple[str, ...] = ()
    negators: Bounds = Bounds()
    """Words before or after a value that exclude it."""
    no_negators: tuple[str, ...] = ()
    """Phrases that end like a negator and are a question ("why not the ...")."""
    exclusions: Exclusions = Exclusions()
    corrections: tuple[str, ...] = ()
    """Phrases after which what was said before is taken back."""
    attributive: tuple[str, ...] = ()
    """Glue between a quality and its noun ("of", the Chinese attributive particle)."""
    particles: tuple[str, ...] = ()
    """Words at the end of a sentence that carry no meaning here."""
    plain_words: tuple[str, ...] = ()
    """Everyday words that say nothing about the subject and stand in no other list that the speller knows."""
    short_forms: dict[str, str] = Field(default_factory=dict)
    """Chat spelling -> the words meant ("u" -> "you")."""
    right_words: tuple[str, ...] = ()
    """Words of everyday life that resemble a word of the subject and are never mended towards it.

    Those of another list are not repeated."""
    marks: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Dialogue acts: yes, no, correction, restart, more."""


class Script(Frozen):
    """Pairs of characters: the n-th of `source` is written as the n-th of `target`."""

    source: str
    target: str


def read_languages(directory: Path, problems: list[Problem]) -> tuple[LanguageWords, ...]:
    """All languages in order of their code; faults go to `problems`."""
    found: list[LanguageWords] = []
    files = sorted(directory.glob("??.yaml"))
    for path, content in load_lexicons(files, problems, salt="languages").items():
        try:
            found.append(LanguageWords.model_validate(content))
        except ValidationError as error:
            problems += [Problem(path, 1, f"{'.'.join(map(str, e['loc']))}: {e['msg']}") for e in error.errors()]
    return tuple(sorted(found, key=lambda one: one.code))


def load_languages() -> tuple[LanguageWords, ...]:
    """The languages of the project. Raises BadData with every fault."""
    problems: list[Problem] = []
    languages = read_languages(languages_directory(), problems)
    if problems:
        raise BadData(problems)
    return languages
