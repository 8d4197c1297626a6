"""The world behind the fake Bot API: users, chats, messages and the updates that follow from what users do."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.telegram_html import utf16

BOT_ID = 7000000001
USERNAME = "xuanka_test_bot"
_MENTION = re.compile(r"(?<!\w)@([A-Za-z]\w{4,31})")
_COMMAND = re.compile(r"(?<![\w/@])/([a-z0-9_]{1,32})(?:@(\w+))?(?!\w)")


@dataclass
class Chat:
    """One chat with everything said in it."""

    id: int
    type: str
    title: str = ""
    is_forum: bool = False
    topics: set[int] = field(default_factory=set)
    messages: dict[int, dict[str, Any]] = field(default_factory=dict)
    edits: dict[int, int] = field(default_factory=dict)
    admins: set[int] = field(default_factory=set)
    bot_gone: bool = False
    migrated_to: int = 0
    next_id: int = 0

    def brief(self) -> dict[str, Any]:
        """The chat as it stands in messages."""
        if self.type == "private":
            return {"id": self.id, "type": "private", "first_name": self.title}
        return {"id": self.id, "type": self.type, "title": self.title} | ({"is_forum": True} if self.is_forum else {})

    def take_id(self) -> int:
        """The next message id."""
        self.next_id += 1
        return self.next_id


class World:
    """What users do, and what the bot is told of it."""

    def __init__(self, *, privacy: bool = True, clock: Callable[[], float] = time.time) -> None:
        self.privacy, self.clock = privacy, clock
        self.chats: dict[int, Chat] = {}
        self.users: dict[int, dict[str, Any]] = {}
        self.updates: list[dict[str, Any]] = []
        """Not confirmed yet."""
        self.history: list[dict[str, Any]] = []
        self.next_update = 100000001
        self.changed = asyncio.Condition()
        self.queries: dict[str, str] = {}
        """Callback and inline queries still open, by id."""
        self.inline_answers: dict[str, dict[str, Any]] = {}
        self.callback_answers: dict[str, dict[str, Any]] = {}
        self.bot = {
            "id": BOT_ID,
            "is_bot": True,
            "first_name": "Xuanka",
            "username": USERNAME,
            "can_join_groups": True,
            "can_read_all_group_messages": not privacy,
            "supports_inline_queries": True,
        }

    # --- people and places -------------------------------------------------------------------------------------------

    def user(self, user_id: int, name: str = "Lin", language: str = "en") -> dict[str, Any]:
        """A person; the private chat with the bot comes with it."""
        person = {"id": user_id, "is_bot": False, "first_name": name, "language_code": language}
        self.users[user_id] = person
        self.chats.setdefault(user_id, Chat(user_id, "private", name))
        return person

    def group(
        self, chat_id: int, title: str = "GPU talk", *, admins: tuple[int, ...] = (), forum: bool = False
    ) -> Chat:
        """A group that the bot is in."""
        chat = Chat(chat_id, "supergroup" if str(chat_id).startswith("-100") else "group", title, is_forum=forum)
        chat.admins |= set(admins)
        self.chats[chat_id] = chat
        return chat

    # --- what people do ----------------------------------------------------------------------------------------------

    async def say(
        self,
        user: dict[str, Any],
        chat: Chat | None,
        text: str,
        *,
        reply_to: dict[str, Any] | None = None,
        thread: int = 0,
        entities: list[dict[str, Any]] | None = None,
        age_s: float = 0,
        **more: Any,
    ) -> dict[str, Any]:
        """A user writes; the bot hears of it if Telegram would tell it."""
        place = chat or self.chats[user["id"]]
        found = entities if entities is not None else find_entities(text)
        message: dict[str, Any] = {
            "message_id": place.take_id(),
            "date": int(self.clock() - age_s),
            "chat": place.brief(),
            "from": user,
            "text": text,
        }
        if found:
            message["entities"] = found
        if reply_to is not None:
            message["reply_to_message"] = {name: item for name, item in reply_to.items() if name != "reply_to_message"}
        if thread:
            message |= {"message_thread_id": thread, "is_topic_message": True}
        message |= more
        place.messages[message["message_id"]] = message
        if self._hears(place, message):
            await self.update("message", message)
        return message

    async def edit(self, message: dict[str, Any], text: str) -> dict[str, Any]:
        """A user edits what was written."""
        place = self.chats[message["chat"]["id"]]
        edited = message | {"text": text, "edit_date": int(self.clock())}
        edited["entities"] = find_entities(text)
        place.messages[message["message_id"]] = edited
        if self._hears(place, edited):
            await self.update("edited_message", edited)
        return edited

    async def press(self, user: dict[str, Any], message: dict[str, Any], label: str = "", data: str = "") -> str:
        """A user presses a button, found by its label; `data` sends something of one's own. Gives the query's id."""
        for row in message.get("reply_markup", {}).get("inline_keyboard", []):
            for button in row:
                if label and button["text"] == label:
                    data = button["callback_data"]
        assert data, f"no button {label!r}"
        number = f"q{self.next_update}"
        self.queries[number] = "callback"
        query = {"id": number, "from": user, "message": message, "chat_instance": "1", "data": data}
        await self.update("callback_query", query)
        return number

    async def inline(self, user: dict[str, Any], text: str) -> str:
        """A user types after the bot's name in any chat. Gives the query's id."""
        number = f"i{self.next_update}"
        self.queries[number] = "inline"
        await self.update("inline_query", {"id": number, "from": user, "query": text, "offset": ""})
        return number

    async def bot_status(self, chat: Chat, by: dict[str, Any], old: str, new: str) -> None:
        """Somebody adds the bot to a chat or throws it out."""
        chat.bot_gone = new in {"left", "kicked"}
        await self.update(
            "my_chat_member",
            {
                "chat": chat.brief(),
                "from": by,
                "date": int(self.clock()),
                "old_chat_member": _member(old, self.bot),
                "new_chat_member": _member(new, self.bot),
            },
        )

    async def migrate(self, chat: Chat, new_id: int) -> Chat:
        """A group becomes a supergroup under another id."""
        new = self.group(new_id, chat.title, admins=tuple(chat.admins))
        chat.migrated_to = new_id
        message = {
            "message_id": chat.take_id(),
            "date": int(self.clock()),
            "chat": chat.brief(),
            "from": next(iter(self.users.values())),
            "migrate_to_chat_id": new_id,
        }
        await self.update("message", message)
        return new

    async def update(self, kind: str, content: dict[str, Any]) -> dict[str, Any]:
        """Queue an update."""
        update = {"update_id": self.next_update, kind: content}
        self.next_update += 1
        await self.queue(update)
        return update

    async def queue(self, update: dict[str, Any]) -> None:
        """Queue a ready update, also a repeated or a malformed one."""
        self.updates.append(update)
        self.history.append(update)
        await self.notify()

    # --- waiting -----------------------------------------------------------------------------------------------------

    async def notify(self) -> None:
        """Wake everybody who waits for something to have happened."""
        async with self.changed:
            self.changed.notify_all()

    async def until(self, condition: Callable[[], Any], timeout_s: float = 10.0) -> Any:
        """Wait for something to come true, and give it."""
        async with self.changed:
            await asyncio.wait_for(self.changed.wait_for(lambda: bool(condition())), timeout_s)
        return condition()

    def said_by_bot(self, chat: Chat | int) -> list[dict[str, Any]]:
        """The bot's messages in a chat, oldest first."""
        place = self.chats[chat] if isinstance(chat, int) else chat
        return [message for message in place.messages.values() if message.get("from", {}).get("id") == BOT_ID]

    # --- helpers -----------------------------------------------------------------------------------------------------

    def _hears(self, chat: Chat, message: dict[str, Any]) -> bool:
        """Privacy mode: in groups only commands, mentions and replies reach the bot."""
        if chat.type == "private" or not self.privacy or self.bot["id"] in chat.admins:
            return True
        if message.get("reply_to_message", {}).get("from", {}).get("id") == BOT_ID:
            return True
        units = message.get("text", "").encode("utf-16-le")
        for entity in message.get("entities", []):
            shown = units[2 * entity["offset"] : 2 * (entity["offset"] + entity["length"])].decode("utf-16-le")
            if entity["type"] == "mention" and shown.lower() == f"@{USERNAME}":
                return True
            if entity["type"] == "text_mention" and entity["user"]["id"] == BOT_ID:
                return True
            if entity["type"] == "bot_command" and ("@" not in shown or shown.lower().endswith(f"@{USERNAME}")):
                return True
        return False


def find_entities(text: str) -> list[dict[str, Any]]:
    """Mentions and commands, as Telegram marks them."""
    found = []
    for kind, pattern in (("mention", _MENTION), ("bot_command", _COMMAND)):
        for match in pattern.finditer(text):
            found.append({"type": kind, "offset": utf16(text[: match.start()]), "length": utf16(match[0])})
    commands = [entity for entity in found if entity["type"] == "bot_command"]
    inside = [
        entity
        for entity in found
        if entity["type"] == "mention"
        and any(c["offset"] <= entity["offset"] < c["offset"] + c["length"] for c in commands)
    ]
    return sorted((entity for entity in found if entity not in inside), key=lambda entity: entity["offset"])


def _member(status: str, user: dict[str, Any]) -> dict[str, Any]:
    person = {name: user[name] for name in ("id", "is_bot", "first_name", "username") if name in user}
    extra: dict[str, Any] = {"until_date": 0} if status == "kicked" else {}
    return {"status": status, "user": person} | extra
