"""Inline keyboards from the choices of a reply, their keys signed for one chat and one asker."""

from __future__ import annotations

import logging
from typing import Literal

from telegram import InlineKeyboardButton, InlineKeyboardMarkup, Message

from bot.channels.markup.tables import display_width
from bot.channels.signing import Signer, case_of_key, peek_key
from bot.channels.words import ChannelWords
from bot.core.message import Choice, IncomingMessage, Reply

_LOG = logging.getLogger("xuanka.telegram")
_ROW_COLUMNS = 34  # what a phone held upright shows of a row before it cuts labels off
_MAX_PER_ROW = 3
_MOST_DATA = 64
_FEEDBACK = ("good", "bad")


def keyboard(
    reply: Reply, message: IncomingMessage, words: ChannelWords, signer: Signer, extra: tuple[tuple[str, str], ...] = ()
) -> InlineKeyboardMarkup | None:
    """Buttons under a reply: options first, what can be done with the answer next, feedback last, links of `extra`."""
    asker = "" if reply.shared or not message.user_id.isdigit() else message.user_id
    rows = [*_rows(_usable(reply, "options")), *_rows(_usable(reply, "actions")), _feedback(reply, words)]
    markup = [found for row in rows if (found := _signed(row, signer, message.chat_id, asker))]
    markup += [[InlineKeyboardButton(label, url=url)] for label, url in extra]
    return InlineKeyboardMarkup(markup) if markup else None


def _usable(reply: Reply, kind: Literal["options", "actions"]) -> list[Choice]:
    """The choices of a reply that can be buttons: options, or what can be done with the answer."""
    usable = [choice for choice in reply.choices if choice.label.strip() and choice.key.isascii()]
    return [choice for choice in usable if choice.key.startswith("do:") == (kind == "actions")]


def _feedback(reply: Reply, words: ChannelWords) -> list[Choice]:
    """Good and bad, under an answer with a case that something else can be done with, unless it offers them itself."""
    actions = _usable(reply, "actions")
    if not actions or not reply.case or reply.decision != "answer" or _has_feedback(actions):
        return []
    return [Choice(label=words(f"do.{name}", reply.language), key=f"do:{name}#{reply.case}") for name in _FEEDBACK]


def _signed(row: list[Choice], signer: Signer, chat_id: str, asker: str) -> list[InlineKeyboardButton]:
    """The buttons of one row, their keys signed."""
    signed = [(choice, signer.sign(choice.key, chat_id=chat_id, asker=asker)) for choice in row]
    return [InlineKeyboardButton(choice.label[:64], callback_data=data) for choice, data in signed if _fits(data)]


def without_feedback(message: Message) -> InlineKeyboardMarkup | None:
    """The keyboard of a message without its feedback buttons, once one of them was pressed."""
    if message.reply_markup is None:
        return None
    rows = [
        row
        for row in message.reply_markup.inline_keyboard
        if not any(_key(button).startswith(("do:good", "do:bad")) for button in row)
    ]
    return InlineKeyboardMarkup(rows)


def case_of(message: Message) -> str:
    """Case tag carried by the buttons of a message, or nothing."""
    if message.reply_markup is None:
        return ""
    for row in message.reply_markup.inline_keyboard:
        for button in row:
            found = case_of_key(_key(button))
            if found:
                return found
    return ""


def _key(button: InlineKeyboardButton) -> str:
    return peek_key(str(button.callback_data or ""))


def _fits(data: str) -> bool:
    """A key longer than the contract allows loses its button, not the answer."""
    if len(data) > _MOST_DATA:
        _LOG.error("a button is left out: its key %r is too long", peek_key(data))
    return len(data) <= _MOST_DATA


def _has_feedback(actions: list[Choice]) -> bool:
    return any(choice.key.partition("#")[0] in {"do:good", "do:bad"} for choice in actions)


def _rows(choices: list[Choice]) -> list[list[Choice]]:
    """Choices side by side as long as their labels fit a phone."""
    rows: list[list[Choice]] = []
    room = 0
    for choice in choices:
        width = display_width(choice.label) + 4
        if not rows or width > room or len(rows[-1]) == _MAX_PER_ROW:
            rows.append([])
            room = _ROW_COLUMNS
        rows[-1].append(choice)
        room -= width
    return rows
