"""aiogram as oracle of what the bot sends, and as a second client of the fake server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bot.core.message import Chart
from tests.fakes.stage import Script, answer, on_stage, question
from tests.fakes.telegram import TOKEN, FakeTelegram
from tests.fakes.telegram_world import BOT_ID, USERNAME
from tests.peers.peer import run_peer

pytestmark = pytest.mark.peer
HERE = Path(__file__).parent
GROUP = -1001000000001


async def test_everything_the_bot_sends_and_the_fake_tells_fits_aiograms_models() -> None:
    chart = Chart(kind="bars", title="Price", series=(("a", (("RTX 4090", 2.0), ("T4", 1.0))),))
    road = Script(
        {
            "q": question("Which model?", "model", "bert"),
            "set:model=bert": answer("**A T4.**", "why", "chart", chart=chart),
            "do:chart": answer("Price by card", chart=chart),
        }
    )
    async with on_stage(road) as stage:
        fake = stage.fake
        lin = fake.user(11)
        chat = fake.group(GROUP, admins=(11,), forum=True)
        chat.topics = {7}
        await fake.bot_status(chat, lin, "left", "member")
        await stage.reply(GROUP)
        asked = await fake.say(lin, chat, f"@{USERNAME} q", thread=7)
        question_message = await stage.reply(GROUP, 2)
        await fake.press(lin, question_message, "bert")
        await fake.until(lambda: "A T4." in fake.said_by_bot(GROUP)[1]["text"])
        answered = fake.said_by_bot(GROUP)[1]
        await fake.press(lin, answered, "Chart")
        await stage.reply(GROUP, 3)
        await fake.press(lin, answered, "\U0001f44d")
        await fake.say(lin, chat, f"/settings@{USERNAME}")
        panel = await stage.reply(GROUP, 4)
        await fake.press(lin, panel, "\u2192 Language: Chinese")
        await fake.until(lambda: stage.calls("getChatMember"))
        await stage.quiet()
        await fake.edit(asked, f"@{USERNAME} another question")
        await fake.inline(lin, "3090 vs 4090")
        await fake.until(lambda: fake.inline_answers)
        await stage.quiet()
        calls = [[call.method, jsonable(call.fields)] for call in fake.calls]
        used = {method for method, _ in calls}
        updates = fake.history
        results = [["Message", message] for place in fake.chats.values() for message in place.messages.values()]
    assert used >= {
        "getMe", "setMyCommands", "setMyDescription", "setMyShortDescription", "deleteWebhook", "sendMessage",
        "sendPhoto", "editMessageText", "editMessageReplyMarkup", "answerCallbackQuery", "answerInlineQuery",
        "getChatMember",
    }  # fmt: skip
    record = {"calls": calls, "updates": updates, "results": results}
    report = await run_peer(HERE / "aiogram_oracle.py", stdin=json.dumps(record))
    assert report == {"findings": [], "calls": len(calls), "updates": len(updates)}


async def test_the_fake_serves_aiogram_and_refuses_it_what_telegram_refuses() -> None:
    async with FakeTelegram() as fake:
        lin, wu, blocked = fake.user(11), fake.user(13), fake.user(12)
        fake.user(14)
        fake.chats[12].bot_gone = True
        fake.group(-500).migrated_to = -1001
        fake.group(-1001, admins=(11,))
        inner = fake.methods.call

        def trouble(method: str, fields: dict[str, Any]) -> Any:
            if fields.get("chat_id") == 13 and method == "sendMessage":
                fake.fail("sendMessage", 500, "Internal Server Error")
                raise fake.flood_error(7)
            return inner(method, fields)

        fake.methods.call = trouble
        asked = await fake.say(lin, None, "/ask hello")
        await fake.edit(asked, "hello again")
        button = {"inline_keyboard": [[{"text": "go", "callback_data": "pressed"}]]}
        me = {"id": BOT_ID, "is_bot": True, "first_name": "Xuanka"}
        shown = {"message_id": 50, "date": 1, "chat": fake.chats[11].brief(), "from": me, "reply_markup": button}
        await fake.press(wu, shown | {"text": "?"}, "go")
        await fake.bot_status(fake.chats[12], blocked, "member", "kicked")
        await fake.inline(lin, "3090")
        report = await run_peer(HERE / "aiogram_client.py", fake.url, TOKEN)
        assert report["me"] == USERNAME
        assert report["sent"] == ["hello", "bold"]
        assert report["edited"] == ["changed", True]
        assert report["photo"] == ["c", "italic"]
        assert report["member"] == "creator"
        assert sorted(report["heard"]) == [
            ["edited", "hello again", ""],
            ["inline", "3090", ""],
            ["member", "kicked", ""],
            ["message", "/ask hello", "bot_command"],
            ["press", "pressed", ""],
        ]
        assert {name: error.partition(":")[0] for name, error in report["errors"].items()} == {
            **dict.fromkeys(
                ("html", "unclosed", "empty", "long", "chat", "target", "thread", "data", "same"), "TelegramBadRequest"
            ),
            "gone": "TelegramForbiddenError",
            "moved": "TelegramMigrateToChat",
            "flood": "TelegramRetryAfter",
            "server": "TelegramServerError",
            "token": "TelegramUnauthorizedError",
        }
        assert fake.findings == []
        assert fake.callback_answers
        assert fake.inline_answers


def jsonable(fields: dict[str, Any]) -> dict[str, Any]:
    """Fields with files replaced by an id."""
    return {name: "file_id" if isinstance(value, bytes) else value for name, value in fields.items()}
