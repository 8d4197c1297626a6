"""What a message asks, read once: asking parts, sides, job, means, and each mention with its role.

After reading nobody sees the text again: answers, routes and plans read this.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from advisor.jobs.spoken import Means, Side, Spoken
from bot.core.understanding import Span


class Form(StrEnum):
    """What kind of answer an asking part wants."""

    WHETHER = "whether"
    WHICH = "which"
    HOW_MUCH_MEMORY = "how_much_memory"
    HOW_MUCH_MONEY = "how_much_money"
    HOW_FAST = "how_fast"
    HOW_LONG = "how_long"
    HOW_MANY = "how_many"
    COMPARE = "compare"
    WHY = "why"
    HOW_TO = "how_to"
    WHAT_IS = "what_is"
    CONFIRM = "confirm"
    FIX = "fix"
    OTHER = "other"


class Operation(StrEnum):
    """What a message does to what was said before."""

    NEW = "new"
    SET = "set"
    REPLACE = "replace"
    ADD = "add"
    REMOVE = "remove"
    INCREMENT = "increment"
    EXCLUDE = "exclude"
    RETURN = "return"
    POINT = "point"
    CONFIRM = "confirm"
    CANCEL = "cancel"


class Fate(StrEnum):
    """What became of a mention; derived after the answer from what it used, never declared by who reads."""

    USED = "used"
    SET_ASIDE = "set_aside"
    ASKED_ABOUT = "asked_about"
    BACKGROUND = "background"


MONEY: Final = frozenset({"estimate_cost", "price_lookup"})
"""Needs that ask what something costs: beside a run what it comes to, else what a card does."""


@dataclass(frozen=True, slots=True)
class Mention:
    """One name, number or qualifier of a message, with the part it plays."""

    span: Span
    text: str
    kind: str
    """gpu | model | provider | vendor | number | hardware | software | other"""
    value: object
    """Canonical: a catalogue name, a number in `unit`, or a word."""
    unit: str = ""
    role: str = "background"
    """own wanted compared excluded past quoted background off_topic | job setting | measured limit budget |
    purchase_price rent_price electricity_price resale_value | deadline usage span | total per_card count people |
    card_power wall_power rate"""
    of: str = ""
    """Id of the card entry, job or machine it belongs to."""
    id: str = ""
    evidence: tuple[str, ...] = ()
    """Why it has this role, strongest first; for `bot explain`."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a message, and how likely it is that it asks something."""

    span: Span
    asking: float
    signs: tuple[str, ...] = ()
    kind: str = "prose"
    """prose | log | table | code | quote | social"""


@dataclass(frozen=True, slots=True)
class Ask:
    """One asking part: what is needed, in which form, and where it stands."""

    need: str
    form: Form
    span: Span
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class Subject:
    """What a how-to, term, trouble or version question is about. `terms` are for search only and never stored."""

    concepts: tuple[str, ...] = ()
    software: str = ""
    version: str = ""
    symptoms: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, read once."""

    language: str
    asks: tuple[Ask, ...] = ()
    sides: tuple[Side, ...] = ()
    job: Spoken = field(default_factory=Spoken)
    means: Means = field(default_factory=Means)
    subject: Subject = field(default_factory=Subject)
    operations: tuple[Operation, ...] = ()
    mentions: tuple[Mention, ...] = ()
    clauses: tuple[Clause, ...] = ()
    ours: float = 1.0
    """Probability that this is for us, from a model of its own."""
