"""Decides whether a message speaks to the bot, and what it says once the mention is gone.

In groups only five things count: an @mention entity of the own name, a text mention of the own id, `/command@name`, a
reply to the bot's message, and a message that begins with a command of ours that other bots hardly have. Offsets of
entities are UTF-16 units and are cut as such.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from telegram import Chat, Message, MessageEntity, User

BARE: Final = frozenset({"decide", "settings"})
"""Commands that address the bot in a group without its name behind them."""

_Mark: TypeAlias = tuple[MessageEntity, str]
"""An entity, and what it means for us."""


@dataclass(frozen=True, slots=True)
class Address:
    """How a message addresses the bot ("" when it does not), and its words without mention and command."""

    how: str
    text: str
    command: str = ""
    """Name of a leading command, lower case, without slash and bot name."""


def read_address(message: Message, me: User) -> Address:
    """Find out whether and how `message` speaks to the bot `me`."""
    raw = message.text or message.caption or ""
    marks = list(_marks(message, me))
    how = _how(message, me, raw, marks)
    if not how:
        return Address("", raw.strip())
    cuts = [entity for entity, kind in marks if kind != "bare"]
    leading = next((mark for mark in marks if _leads(raw, mark, cuts)), None)
    if leading is None:
        return Address(how, _cut(raw, cuts).strip())
    entity, kind = leading
    command = message.parse_entity(entity) if message.text else message.parse_caption_entity(entity)
    said = _cut(raw, [*cuts, entity] if kind == "bare" else cuts).strip()
    return Address(how, said, command[1:].partition("@")[0].lower())


def _how(message: Message, me: User, raw: str, marks: list[_Mark]) -> str:
    """What addresses the bot, "" for nothing."""
    named = next((kind for _, kind in marks if kind != "bare"), "")
    if message.chat.type == Chat.PRIVATE:
        return "private"
    if named:
        return named
    if is_own(message.reply_to_message, me):
        return "reply"
    return "command" if any(_is_ours(raw, entity) for entity, _ in marks) else ""


def _is_ours(raw: str, entity: MessageEntity) -> bool:
    """Whether a message begins with this command, and it is one that means us without our name."""
    return entity.offset == 0 and raw[1 : entity.length].lower() in BARE


def _leads(raw: str, mark: _Mark, cuts: list[MessageEntity]) -> bool:
    """Whether a mark is a command that nothing but mentions stands before."""
    entity, kind = mark
    return kind in {"command", "bare"} and not _cut(raw, cuts, until=entity.offset).strip()


def is_own(message: Message | None, me: User) -> bool:
    """Whether the bot wrote this message. Not the one that opened a topic: every post in the topic points to it."""
    if message is None or message.from_user is None or message.forum_topic_created is not None:
        return False
    return message.from_user.id == me.id


def _marks(message: Message, me: User) -> Iterator[_Mark]:
    """Entities that address the bot, or might, in order, each with what it means for us."""
    kinds: list[str | None] = [MessageEntity.MENTION, MessageEntity.TEXT_MENTION, MessageEntity.BOT_COMMAND]
    try:
        entities = message.parse_entities(kinds) if message.text else message.parse_caption_entities(kinds)
    except UnicodeError:  # an entity that begins or ends within a character marks nothing
        return
    for entity, shown in sorted(entities.items(), key=lambda item: item[0].offset):
        kind = _kind(entity, shown, me)
        if kind:
            yield entity, kind


def _kind(entity: MessageEntity, shown: str, me: User) -> str:
    """What one entity means for us: bare for a command that names no bot, "" for nothing."""
    own = (me.username or "").lower()
    if entity.type == MessageEntity.MENTION:
        return "mention" if shown[1:].lower() == own else ""
    if entity.type == MessageEntity.TEXT_MENTION:
        return "text_mention" if entity.user and entity.user.id == me.id else ""
    _, at, name = shown.partition("@")
    if not at:
        return "bare"
    return "command" if name.lower() == own else ""


def _cut(text: str, cuts: list[MessageEntity], until: int | None = None) -> str:
    """The text (its first `until` UTF-16 units) with these entities replaced by nothing but one space."""
    units = text.encode("utf-16-le")
    found, position = [], 0
    end = len(units) if until is None else 2 * until
    for entity in sorted(cuts, key=lambda item: item.offset):
        if 2 * entity.offset >= end:
            break
        found.append(units[position : 2 * entity.offset].decode("utf-16-le", "replace").rstrip(" "))
        position = 2 * (entity.offset + entity.length)
    found.append(
        units[position:end].decode("utf-16-le", "replace").lstrip(" ") if found else units[:end].decode("utf-16-le")
    )
    return " ".join(found)
