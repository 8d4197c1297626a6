"""What comes in from a channel and what goes out to it, alike for console, Telegram, WeCom and HTTP.

A channel turns its update into an `IncomingMessage`, and a `Reply` into its own markup. Reply texts are neutral
Markdown (bot/channels/markup.py names the few constructs): nothing in here knows HTML or cards.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, datetime
from typing import Final, Literal

from pydantic import Field

from advisor.models import Frozen
from advisor.trusted import trusted
from bot.core.quotes import ChatQuote
from bot.core.text import Kept, Name

ChatType = Literal["private", "group"]
Language = Literal["zh", "en"]
DecisionKind = Literal["answer", "ask", "clarify", "fallback", "cancel", "ignore"]


def key_part(text: str) -> str:
    """A name as part of a key: parts are joined by colons, so no name may hold one."""
    return text.replace("%", "%25").replace(":", "%3A") if "%" in text or ":" in text else text


def owner_key(channel: str, bot_id: str, user_id: str) -> str:
    """Whose data something is; inline and guest messages belong to the user of their platform."""
    return f"{key_part(channel.partition('-')[0])}:{key_part(bot_id)}:{key_part(user_id)}"


class ReplyTo(Frozen):
    """The message that the user answered or quoted."""

    own: bool
    """The bot wrote it."""
    text: Kept = ""
    message_id: Name = ""
    case: str = ""
    """Case tag of the bot's answer when the channel knows it (or finds `#K7QK` in the text)."""


class IncomingMessage(Frozen):
    """One thing a user said or pressed."""

    channel: Name
    bot_id: Name = ""
    event_id: Name
    """Unique per channel and bot: update id, msgid."""
    chat_id: Name
    chat_type: ChatType = "private"
    thread_id: Name = ""
    user_id: Name
    verified: bool = False
    """The channel vouches for chat and user: a platform named them, or a caller who has a key. Only then do operators,
    allow-lists and deny-lists look at them."""
    user_name: Name = ""
    """How the chat calls the user; shown on a group's board only."""
    text: Kept
    """What was said, mention and quoted block stripped."""
    addressed: bool = True
    """False: overheard in a group; the bot stays silent unless the chat's settings say otherwise."""
    addressed_how: str = ""
    reply_to: ReplyTo | None = None
    action: Name = ""
    """Key of the pressed choice, already verified by the channel. Empty for typed messages."""
    edits: str = ""
    """message_id of the message this one replaces, when the user edited it: its answer is to be replaced, too."""
    message_id: Name = ""
    """The channel's id of the user's message, for replying to it."""
    received_at: datetime
    lang_hint: Name = ""
    language: str = ""
    """Language that the chat's admins fixed for replies; goes before the language of the words."""
    full: bool = False
    """The chat prefers full answers to short ones."""
    page: bool = False
    """It is read on a page, which lays out wide tables and lists the sources itself."""
    as_of: date | None = None
    """Answer as on this day: later prices are left out, ages counted from it. For answers that were shared then."""
    quotes: tuple[ChatQuote, ...] = ()
    """Prices that the chat's members told; attached when it is answered, never stored with it."""

    @property
    def bot_key(self) -> str:
        """The bot that was spoken to: two bots never answer for each other, whatever they share."""
        return f"{key_part(self.channel)}:{key_part(self.bot_id)}"

    @property
    def chat_key(self) -> str:
        """The chat as this bot knows it."""
        return f"{self.bot_key}:{key_part(self.chat_id)}"

    @property
    def conversation_key(self) -> str:
        """Turns with the same key share slots and are handled in order."""
        return f"{self.chat_key}:{key_part(self.thread_id)}:{key_part(self.user_id)}"

    @property
    def owner_key(self) -> str:
        """Whose data this is: the user as this bot knows him, in chats, inline and as a guest alike."""
        return owner_key(self.channel, self.bot_id, self.user_id)


class Choice(Frozen):
    """A button. `key` comes back as `IncomingMessage.action`; it is at most 40 ASCII bytes and names its case."""

    label: str
    key: str


class Fact(Frozen):
    """One number that the reply shows, for programs."""

    name: str
    value: float | int | str | bool | None
    low: float | None = None
    high: float | None = None
    unit: str = ""
    basis: str = ""
    sources: tuple[str, ...] = ()
    as_of: date | None = None


VERDICTS: Final = ("fits", "tight", "no")
"""What a job may be on a card."""


def verdict_of(facts: Iterable[Fact]) -> str:
    """What the first verdict among facts says, "" where nothing was judged."""
    found = next((str(fact.value) for fact in facts if fact.name == "verdict"), "")
    return found if found in VERDICTS else ""


fact_of, choice_of = trusted(Fact), trusted(Choice)
"""Makers for what the program itself has worked out just now."""


class SourceRef(Frozen):
    """A source as shown to people."""

    id: str
    title: str
    section: str = ""
    as_of: str = ""
    """ISO date, or a year when only that is known."""
    url: str = ""


class Candidate(Frozen):
    """An intent and its score."""

    intent: str
    score: float


class Part(Frozen):
    """One asking part of a message and what was said to it, for programs."""

    need: str
    headline: str = ""
    """Its first line, neutral Markdown; empty where it is offered and not answered."""
    verdict: str = ""
    """fits | tight | no, where its answer judges whether a job fits."""


class Mark(Frozen):
    """A limit that a chart draws as a line across the values."""

    label: str
    at: float


class Chart(Frozen):
    """What a picture would show; drawn by a channel that can send pictures. Labels are English: a channel says them."""

    kind: Literal["bars", "lines", "stack", "scatter"]
    title: str
    x_label: str = ""
    y_label: str = ""
    series: tuple[tuple[str, tuple[tuple[float | str, float], ...]], ...] = ()
    """(name, ((x, y), ...)) each."""
    marks: tuple[Mark, ...] = ()
    """Limits, such as what a card has, in the unit of the values."""
    bands: tuple[tuple[str, tuple[tuple[float | str, float, float], ...]], ...] = ()
    """(name of a series, ((x, low, high), ...)) each; of a stack the name of a bar and the ends of its sum."""


class Reply(Frozen):
    """What the bot says to one message."""

    decision: DecisionKind
    language: Language
    intent: str | None = None
    candidates: tuple[Candidate, ...] = ()
    slots: dict[str, object] = Field(default_factory=dict)
    """Values in force after the turn, canonical forms of the slot taxonomy."""
    asks: tuple[str, ...] = ()
    text: str = ""
    """Neutral Markdown, the form to show first."""
    details: str = ""
    """The complete form, when `text` is the short one."""
    choices: tuple[Choice, ...] = ()
    """Options that fill a slot, settle an intent, or act on the answer (why, sources, details, chart)."""
    facts: tuple[Fact, ...] = ()
    sources: tuple[SourceRef, ...] = ()
    chart: Chart | None = None
    shows_chart: bool = False
    """The picture of `chart` is what was asked for: a channel that can sends it."""
    suggestions: tuple[str, ...] = ()
    """Questions the user may ask next, in his language."""
    case: str = ""
    """Short tag of this answer, such as K7QK."""
    gap: str = ""
    """Shape of a question that was not answered: slots and concepts, no words of the user."""
    others: tuple[Part, ...] = ()
    """What else the message asked, in its order: answered below the first, or offered."""
    rests_on: tuple[float, ...] = ()
    """Numbers that the answer begins with, in the units of its quantities."""
    set_aside: tuple[str, ...] = ()
    """What of the message it names as not counted with, in the user's words."""
    alone: bool = False
    """Nothing that was said before is needed to come to it: the message alone would be answered so."""
    shared: bool = False
    """Every member of the chat may press the choices, not only the one who asked."""


_HAN: Final = re.compile("[\u3400-\u9fff]")
_LATIN: Final = re.compile(r"(?<!\S)[^\sA-Za-z0-9]*[A-Za-z0-9]")
"""The beginning of a word that holds a letter or a figure."""


def words_in(text: str) -> int:
    """Words of a message, each Han character counting for half of one."""
    return len(_HAN.findall(text)) // 2 + len(_LATIN.findall(text))


FEW_WORDS: Final = 4


def says_little(text: str) -> bool:
    """Whether a message is a few words without any number: "best gpu?"."""
    return words_in(text) <= FEW_WORDS and not any(map(str.isnumeric, text))
