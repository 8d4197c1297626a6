"""Inline keyboards from the choices of a reply, their keys signed for one chat and one asker."""

from __future__ import annotations

import logging

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

    def buttons(row: list[Choice]) -> list[InlineKeyboardButton]:
        signed = [(choice, signer.sign(choice.key, chat_id=message.chat_id, asker=asker)) for choice in row]
        return [InlineKeyboardButton(choice.label[:64], callback_data=data) for choice, data in signed if _fits(data)]

    usable = [choice for choice in reply.choices if choice.label.strip() and choice.key.isascii()]
    options = [choice for choice in usable if not choice.key.startswith("do:")]
    actions = [choice for choice in usable if choice.key.startswith("do:")]
    rows = [*_rows(options), *_rows(actions)]
    if actions and reply.case and reply.decision == "answer" and not _has_feedback(actions):
        label = {name: words(f"do.{name}", reply.language) for name in _FEEDBACK}
        rows.append([Choice(label=label[name], key=f"do:{name}#{reply.case}") for name in _FEEDBACK])
    markup = [found for row in rows if (found := buttons(row))]
    markup += [[InlineKeyboardButton(label, url=url)] for label, url in extra]
    return InlineKeyboardMarkup(markup) if markup else None


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
