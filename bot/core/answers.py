"""What templates see: one typed class per shape of answer, all resting on `Answer`.

A handler fills an answer; a template chooses words for it and computes nothing. Result objects of the advisor are
passed through whole (they are typed and frozen), so a template reads `answer.result.total.value`.
"""

from __future__ import annotations

from pydantic import SkipValidation

from advisor.models import Frozen, Note, Step
from advisor.trusted import trusted
from bot.core.line import Block, Line
from bot.core.message import Chart, Choice, Fact, SourceRef
from bot.core.passages import Told


class Assumption(Frozen):
    """A slot value nobody stated: shown with the answer, overridden in one word."""

    slot: str
    value: object


class Offered(Frozen):
    """A missing slot worth naming after the answer, with choices."""

    slot: str
    choices: tuple[Choice, ...] = ()
    fills: str = ""
    """Slot that the values below fill, when it is not `slot` itself (a question that is one step of a longer path)."""
    values: tuple[object, ...] = ()
    """Canonical values to offer, worded by the renderer, when there are no `choices`."""


class Answer(Frozen):
    """Common to all answers. `template` is the folder in templates/ (the intent unless said otherwise)."""

    template: str = ""
    """Empty where the answer is worded by its lines."""
    facts: tuple[Fact, ...] = ()
    trace: tuple[Step, ...] = ()
    """Root steps; `why` unfolds them. Every number a template prints is in `facts` or in a trace."""
    sources: tuple[SourceRef, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    notes: tuple[Note, ...] = ()
    """Remarks in order of weight; templates print them through the `note` filter."""
    conflicts: tuple[str, ...] = ()
    """Ids of the conflict ledger that this answer touches."""
    asks: Offered | None = None
    choices: tuple[Choice, ...] = ()
    suggestions: tuple[str, ...] = ()
    chart: Chart | None = None
    result: object = None
    """The advisor's typed result."""
    headline: tuple[SkipValidation[Line | Note], ...] = ()
    """One line for each asking part. An answer that has it is worded by its lines, not by a template of its own."""
    lines: tuple[SkipValidation[Line | Note], ...] = ()
    """What follows the headline, the weightiest first."""
    blocks: tuple[SkipValidation[Block], ...] = ()
    """Tables and lists below the lines, each from its depth on."""
    more: tuple[SkipValidation[Line | Note], ...] = ()
    """Lines that only the complete form has, at its end."""
    is_talk: bool = False
    """Small talk, said as it is: its first line is no headline."""
    is_whole: bool = False
    """Shown as it is whatever its length: an overview that is asked for as such."""
    names_sources: bool = False
    """Its own lines name the sources: no list of them follows."""
    told: Told = Told()
    """What the documents say in it."""
    second: str = ""
    """The answer to the other question of the message, worded."""
    second_need: str = ""
    """The need that it serves."""
    second_verdict: str = ""
    """fits | tight | no, where it judges whether a job fits."""


class Elicit(Frozen):
    """A handler that cannot go on without one slot returns this instead of an answer."""

    slot: str
    choices: tuple[Choice, ...] = ()
    """Up to six; labels in the user's language come from templates/_shared/choices via the slot's values."""
    values: tuple[object, ...] = ()
    """Canonical values to offer, worded by the renderer."""
    default: object = None
    notes: tuple[Note, ...] = ()


class Decline(Frozen):
    """A handler that found the request unanswerable: unknown names, impossible wishes, unsupported settings."""

    reason: Note
    nearest: tuple[Note, ...] = ()
    """What would work, best first."""
    facts: tuple[Fact, ...] = ()
    trace: tuple[Step, ...] = ()
    sources: tuple[SourceRef, ...] = ()
    choices: tuple[Choice, ...] = ()
    suggestions: tuple[str, ...] = ()


Outcome = Answer | Elicit | Decline

assumption_of, offered_of = trusted(Assumption), trusted(Offered)
answer_with, elicit_of = trusted(Answer), trusted(Elicit)
"""Makers for what a handler has worked out just now."""
