"""What a question in words is answered: the members of `bot batch`, described."""

from __future__ import annotations

from datetime import date

from pydantic import Field

from bot.channels.web.api.outputs import Made


class HeardOut(Made):
    """A thing that a message names."""

    text: str
    """As it was said"""
    kind: str
    """What it is"""
    role: str
    """What it is named for"""
    value: object
    """In canonical form"""
    unit: str | None
    """Of an amount"""
    of: str | None
    """What it belongs to"""
    fate: str
    """What became of it"""


class CandidateOut(Made):
    """A reading of a question."""

    intent: str
    """Kind of question"""
    score: float
    """How likely"""


class ChoiceOut(Made):
    """A button: send its key as `action` with the same chat and user."""

    label: str
    """Words on it"""
    key: str
    """What to send"""


class FactOut(Made):
    """A number of the answer."""

    name: str
    """What it is"""
    value: float | int | str | bool | None
    """The number"""
    low: float | None = None
    """Lower end of its band"""
    high: float | None = None
    """Upper end of its band"""
    unit: str = ""
    """Unit"""
    basis: str = ""
    """What it rests on"""
    sources: list[str] = Field(default=[])
    """Ids of sources"""
    as_of: date | None = None
    """Day it holds for"""


class CitedOut(Made):
    """A source that an answer in words names."""

    id: str
    """Stable name"""
    title: str
    """Title"""
    section: str
    """Place in it"""
    as_of: str
    """ISO date, or a year"""
    url: str = ""
    """Address of the page"""


class PartOut(Made):
    """One asking part of a message."""

    need: str
    """Kind of question"""
    form: str
    """What kind of answer was asked for"""
    headline: str
    """First line as plain text; empty where it is offered and not answered"""
    verdict: str | None
    """fits | tight | no, where it was judged whether a job fits"""


class AskOut(Made):
    """An answer in words."""

    id: str | int
    """As it was sent"""
    decision: str
    """answer | ask | clarify | fallback | cancel | ignore"""
    language: str
    """zh | en"""
    intent: str | None
    """Kind of question"""
    form: str
    """What kind of answer was asked for: whether, which, how_much_memory, how_much_money, how_long, compare, why ..."""
    headline: str
    """First line as plain text"""
    verdict: str | None
    """fits | tight | no, where it was judged whether a job fits"""
    candidates: list[CandidateOut]
    """Readings, the likeliest first"""
    slots: dict[str, object]
    """Values in force"""
    asks: list[str]
    """What the bot would like to know"""
    text: str
    """The answer as plain text"""
    markdown: str = ""
    """The answer as Markdown"""
    parts: list[PartOut]
    """All that was asked, in order; the fields above are those of the first"""
    choices: list[ChoiceOut]
    """Buttons"""
    facts: list[FactOut]
    """Numbers of the answer"""
    sources: list[CitedOut]
    """Where they come from"""
    heard: list[HeardOut]
    """What the message names"""
    elapsed_ms: float
    """Time it took"""
