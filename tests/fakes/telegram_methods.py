"""The methods of the fake Bot API: each checks what Telegram checks, then changes the world."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from tests.fakes.telegram_html import MarkupError, parse_html, utf16
from tests.fakes.telegram_spec import specification
from tests.fakes.telegram_world import Chat, World

_PNG, _JPEG = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"
_COMMAND_NAME = re.compile(r"[a-z0-9_]{1,32}\Z")
_START = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
_SECRET = re.compile(r"[A-Za-z0-9_-]{1,256}\Z")
_LANGUAGE = re.compile(r"([a-z]{2})?\Z")
_MAX_ENTITIES = 100


class ApiError(Exception):
    """An answer with `ok: false`."""

    def __init__(self, status: int, description: str, **parameters: Any) -> None:
        super().__init__(description)
        self.status, self.description, self.parameters = status, description, parameters


def _bad(reason: str) -> ApiError:
    return ApiError(400, f"Bad Request: {reason}")


class Methods:
    """Everything the bot may call."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.commands: dict[tuple[str, str], list[dict[str, Any]]] = {}
        self.descriptions: dict[tuple[str, str], str] = {}
        self.inline_answers: dict[str, dict[str, Any]] = {}
        self._by_name: dict[str, str] = {name.lower(): name for name in specification()["methods"]}

    def find(self, name: str) -> str | None:
        """The method's proper name; names are blind to case."""
        return self._by_name.get(name.lower())

    def call(self, method: str, fields: dict[str, Any]) -> Any:
        """Carry out one call.

        Raises:
            ApiError: refused.
        """
        do: Callable[[dict[str, Any]], Any] = getattr(self, f"_{method}")
        return do(fields)

    # --- the bot itself ----------------------------------------------------------------------------------------------

    def _getMe(self, _: dict[str, Any]) -> Any:
        return self.world.bot

    def _setMyCommands(self, fields: dict[str, Any]) -> bool:
        commands = fields["commands"]
        if not 0 < len(commands) <= 100:
            raise _bad("BOT_COMMANDS_TOO_MUCH")
        for command in commands:
            if not _COMMAND_NAME.match(command["command"]):
                raise _bad("BOT_COMMAND_INVALID")
            if not 0 < len(command["description"]) <= 256:
                raise _bad("BOT_COMMAND_DESCRIPTION_INVALID")
        scope = fields.get("scope", {"type": "default"})["type"]
        self.commands[scope, _language(fields)] = commands
        return True

    def _setMyDescription(self, fields: dict[str, Any]) -> bool:
        return self._describe("long", fields, fields.get("description", ""), 512)

    def _setMyShortDescription(self, fields: dict[str, Any]) -> bool:
        return self._describe("short", fields, fields.get("short_description", ""), 120)

    def _describe(self, kind: str, fields: dict[str, Any], text: str, limit: int) -> bool:
        if len(text) > limit:
            raise _bad("description is too long")
        self.descriptions[kind, _language(fields)] = text
        return True

    def _setWebhook(self, fields: dict[str, Any]) -> bool:
        secret = fields.get("secret_token")
        if secret is not None and not _SECRET.match(secret):
            raise _bad("secret token contains unallowed characters")
        if not 1 <= fields.get("max_connections", 40) <= 100:
            raise _bad("max_connections is out of range")
        self.world.webhook = dict(fields)  # the server's, which is the world
        return True

    def _deleteWebhook(self, fields: dict[str, Any]) -> bool:
        self.world.webhook = {"url": ""}
        if fields.get("drop_pending_updates"):
            self.world.updates.clear()
        return True

    def _getWebhookInfo(self, _: dict[str, Any]) -> Any:
        url = self.world.webhook["url"]
        return {"url": url, "has_custom_certificate": False, "pending_update_count": len(self.world.updates)}

    # --- chats -------------------------------------------------------------------------------------------------------

    def _chat(self, fields: dict[str, Any]) -> Chat:
        chat = self.world.chats.get(fields["chat_id"])
        if chat is None:
            raise _bad("chat not found")
        if chat.migrated_to:
            error = _bad("group chat was upgraded to a supergroup chat")
            error.parameters = {"migrate_to_chat_id": chat.migrated_to}
            raise error
        if chat.bot_gone:
            reason = (
                "bot was blocked by the user" if chat.type == "private" else f"bot was kicked from the {chat.type} chat"
            )
            raise ApiError(403, f"Forbidden: {reason}")
        return chat

    def _getChat(self, fields: dict[str, Any]) -> Any:
        accepted = {
            "unlimited_gifts": False,
            "limited_gifts": False,
            "unique_gifts": False,
            "premium_subscription": False,
        }
        accepted["gifts_from_channels"] = False
        return self._chat(fields).brief() | {
            "accent_color_id": 0,
            "max_reaction_count": 11,
            "accepted_gift_types": accepted,
        }

    def _getChatMember(self, fields: dict[str, Any]) -> Any:
        chat = self._chat(fields)
        user = self.world.users.get(fields["user_id"])
        if user is None:
            raise _bad("user not found")
        if user["id"] not in chat.admins:
            return {"status": "member", "user": user}
        return {"status": "creator", "user": user, "is_anonymous": False}

    def _sendChatAction(self, fields: dict[str, Any]) -> bool:
        self._chat(fields)
        return True

    # --- messages ----------------------------------------------------------------------------------------------------

    def _sendMessage(self, fields: dict[str, Any]) -> Any:
        text, entities = self._text(fields, "text", 4096)
        if not text:
            raise _bad("message text is empty")
        return self._post(fields, {"text": text} | ({"entities": entities} if entities else {}))

    def _sendPhoto(self, fields: dict[str, Any]) -> Any:
        photo = fields["photo"]
        if not isinstance(photo, bytes) or not photo.startswith((_PNG, _JPEG)):
            raise _bad("IMAGE_PROCESS_FAILED")
        content: dict[str, Any] = {
            "photo": [{"file_id": "p1", "file_unique_id": "u1", "width": 1080, "height": 660, "file_size": len(photo)}]
        }
        caption, entities = self._text(fields, "caption", 1024)
        if caption:
            content |= {"caption": caption} | ({"caption_entities": entities} if entities else {})
        return self._post(fields, content)

    def _post(self, fields: dict[str, Any], content: dict[str, Any]) -> Any:
        chat = self._chat(fields)
        message: dict[str, Any] = {
            "message_id": 0,
            "date": int(self.world.clock()),
            "chat": chat.brief(),
            "from": {name: self.world.bot[name] for name in ("id", "is_bot", "first_name", "username")},
            **content,
        }
        thread = fields.get("message_thread_id")
        if thread is not None:
            if thread not in chat.topics:
                raise _bad("message thread not found")
            message |= {"message_thread_id": thread, "is_topic_message": True}
        target = fields.get("reply_parameters")
        if target is not None:
            quoted = chat.messages.get(target["message_id"])
            if quoted is None and not target.get("allow_sending_without_reply"):
                raise _bad("message to be replied not found")
            if quoted is not None:
                message["reply_to_message"] = {key: item for key, item in quoted.items() if key != "reply_to_message"}
        if "reply_markup" in fields:
            message["reply_markup"] = _keyboard(fields["reply_markup"])
        message["message_id"] = chat.take_id()
        chat.messages[message["message_id"]] = message
        return message

    def _editMessageText(self, fields: dict[str, Any]) -> Any:
        text, entities = self._text(fields, "text", 4096)
        if not text:
            raise _bad("message text is empty")
        chat, message = self._own(fields)
        if "text" not in message:
            raise _bad("there is no text in the message to edit")
        fresh = {name: item for name, item in message.items() if name not in {"text", "entities", "reply_markup"}}
        fresh |= {"text": text} | ({"entities": entities} if entities else {})
        return self._replace(chat, message, fresh, fields)

    def _editMessageReplyMarkup(self, fields: dict[str, Any]) -> Any:
        chat, message = self._own(fields)
        fresh = {name: item for name, item in message.items() if name != "reply_markup"}
        return self._replace(chat, message, fresh, fields)

    def _replace(self, chat: Chat, old: dict[str, Any], fresh: dict[str, Any], fields: dict[str, Any]) -> Any:
        keyboard = _keyboard(fields["reply_markup"]) if "reply_markup" in fields else None
        if keyboard and keyboard["inline_keyboard"]:
            fresh["reply_markup"] = keyboard
        if {**fresh, "edit_date": 0} == {**old, "edit_date": 0}:
            raise _bad(
                "message is not modified: specified new message content and reply markup are exactly the same as a "
                "current content and reply markup of the message"
            )
        fresh["edit_date"] = int(self.world.clock())
        chat.messages[old["message_id"]] = fresh
        chat.edits[old["message_id"]] = chat.edits.get(old["message_id"], 0) + 1
        return fresh

    def _deleteMessage(self, fields: dict[str, Any]) -> bool:
        chat, message = self._own(fields)
        del chat.messages[message["message_id"]]
        return True

    def _own(self, fields: dict[str, Any]) -> tuple[Chat, dict[str, Any]]:
        chat = self._chat(fields)
        message = chat.messages.get(fields["message_id"])
        if message is None:
            raise _bad("message to edit not found")
        if message.get("from", {}).get("id") != self.world.bot["id"]:
            raise _bad("message can't be edited")
        return chat, message

    def _text(self, fields: dict[str, Any], name: str, limit: int) -> tuple[str, list[dict[str, Any]]]:
        raw = fields.get(name, "")
        return read_text(raw, fields.get("parse_mode"), limit, name)

    # --- queries -----------------------------------------------------------------------------------------------------

    def _close(self, number: str, kind: str) -> None:
        if self.world.queries.pop(number, None) != kind:
            raise _bad("query is too old and response timeout expired or query ID is invalid")

    def _answerCallbackQuery(self, fields: dict[str, Any]) -> bool:
        if utf16(fields.get("text", "")) > 200:
            raise _bad("MESSAGE_TOO_LONG")
        self._close(fields["callback_query_id"], "callback")
        self.world.callback_answers[fields["callback_query_id"]] = fields
        return True

    def _answerInlineQuery(self, fields: dict[str, Any]) -> bool:
        results = fields["results"]
        if len(results) > 50:
            raise _bad("RESULTS_TOO_MUCH")
        ids = [result["id"] for result in results]
        if len(set(ids)) != len(ids):
            raise _bad("RESULT_ID_DUPLICATE")
        for result in results:
            _check_result(result)
        button = fields.get("button")
        if button and "start_parameter" in button and not _START.match(button["start_parameter"]):
            raise _bad("START_PARAM_INVALID")
        self._close(fields["inline_query_id"], "inline")
        self.world.inline_answers[fields["inline_query_id"]] = fields
        return True

    def _answerGuestQuery(self, fields: dict[str, Any]) -> Any:
        _check_result(fields["result"])
        self._close(fields["guest_query_id"], "guest")
        self.world.inline_answers[fields["guest_query_id"]] = fields
        return {"inline_message_id": "g1"}


def _check_result(result: dict[str, Any]) -> None:
    if not 0 < len(result["id"].encode()) <= 64:
        raise _bad("RESULT_ID_INVALID")
    content = result["input_message_content"]
    text, _ = read_text(content["message_text"], content.get("parse_mode"), 4096, "text")
    if not text:
        raise _bad("MESSAGE_EMPTY")


def read_text(raw: str, mode: str | None, limit: int, name: str) -> tuple[str, list[dict[str, Any]]]:
    """Text and entities of a request.

    Raises:
        ApiError: it does not parse, or is too long.
    """
    entities: list[dict[str, Any]] = []
    text = raw.strip()
    if mode == "HTML":
        try:
            text, entities = parse_html(raw)
        except MarkupError as error:
            raise _bad(f"can't parse entities: {error}") from None
    elif mode:
        raise _bad("unsupported parse_mode")
    if utf16(text) > limit:
        raise _bad("message is too long" if name == "text" else "message caption is too long")
    if len(entities) > _MAX_ENTITIES:
        raise _bad("too many entities: Telegram would drop the rest")
    return text, entities


def _keyboard(markup: dict[str, Any]) -> dict[str, Any]:
    for row in markup["inline_keyboard"]:
        for button in row:
            if not button["text"].strip():
                raise _bad("BUTTON_TEXT_INVALID")
            if "callback_data" in button and not 1 <= len(button["callback_data"].encode()) <= 64:
                raise _bad("BUTTON_DATA_INVALID")
            if "url" in button and not button["url"].startswith(("https://", "http://", "tg://")):
                raise _bad("BUTTON_URL_INVALID")
            if ("url" in button) + ("callback_data" in button) != 1:
                raise _bad("BUTTON_TYPE_INVALID")
    return json.loads(json.dumps(markup))


def _language(fields: dict[str, Any]) -> str:
    code = str(fields.get("language_code", ""))
    if not _LANGUAGE.match(code):
        raise _bad("language_code is invalid")
    return code
