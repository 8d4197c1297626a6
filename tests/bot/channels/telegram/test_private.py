"""Private chats, end to end through the real library."""

from __future__ import annotations

import pytest

from bot.channels.telegram.commands import encode_question
from bot.core.message import Chart
from bot.core.ports import Accepted
from tests.fakes.stage import Script, answer, echo, on_stage, question

HOSTILE = "<b>bold</b> & <script>alert(1)</script> **x** `y` [z](http://evil.example) </pre> &lt; \U0001f600"


async def test_a_question_is_answered_in_private_without_quoting_it() -> None:
    async with on_stage() as stage:
        lin = stage.fake.user(11)
        await stage.fake.say(lin, None, "which GPU for BERT?")
        reply = await stage.reply(lin)
        assert reply["text"] == "You said: which GPU for BERT?"
        assert "reply_to_message" not in reply
        heard = stage.road.heard[0]
        assert (heard.channel, heard.chat_type, heard.user_id, heard.lang_hint) == ("telegram", "private", "11", "en")
        assert heard.event_id == "100000001"


async def test_what_a_user_typed_cannot_break_the_markup() -> None:
    async with on_stage() as stage:
        lin = stage.fake.user(11)
        await stage.fake.say(lin, None, HOSTILE)
        reply = await stage.reply(lin)
        assert reply["text"] == f"You said: {HOSTILE}"
        assert "entities" not in reply


@pytest.mark.parametrize("offset", [0, 1, -5, 10**9])
async def test_half_a_character_and_marks_that_point_nowhere_cost_nobody_an_answer(offset: int) -> None:
    async with on_stage() as stage:
        lin = stage.fake.user(11)
        raw = {
            "message_id": 5,
            "date": int(stage.clock.time()),
            "chat": {"id": 11, "type": "private"},
            "from": {**lin, "first_name": "\udc00"},
            "text": "\U0001f600 4090 \ud800",
            "entities": [{"type": "bot_command", "offset": offset, "length": 1}],
        }
        assert await stage.channel.take({"update_id": 1, "message": raw}) is Accepted.STORED
        await stage.reply(lin)
        assert "4090" in stage.road.heard[0].text


async def test_a_long_answer_comes_in_parts_with_the_buttons_under_the_last() -> None:
    text = "\n\n".join(f"**Part {number}** " + "word " * 300 for number in range(6))
    async with on_stage(Script({"long": answer(text, "why")})) as stage:
        lin = stage.fake.user(11)
        await stage.fake.say(lin, None, "long")
        await stage.reply(lin, 3)
        await stage.quiet()
        parts = stage.fake.said_by_bot(11)
        assert "".join(part["text"] for part in parts).count("Part") == 6
        assert [bool(part.get("reply_markup")) for part in parts] == [False] * (len(parts) - 1) + [True]


async def test_a_pressed_option_turns_the_question_into_the_answer() -> None:
    road = Script({"which GPU?": question("Which model?", "model", "bert", "llama"), "set:model=bert": answer("A T4.")})
    async with on_stage(road) as stage:
        lin = stage.fake.user(11)
        await stage.fake.say(lin, None, "which GPU?")
        asked = await stage.reply(lin)
        query = await stage.fake.press(lin, asked, "bert")
        await stage.fake.until(lambda: stage.fake.said_by_bot(11)[0]["text"].startswith("A T4."))
        await stage.quiet()
        assert query in stage.fake.callback_answers
        assert len(stage.fake.said_by_bot(11)) == 1
        pressed = stage.road.heard[1]
        assert pressed.action == "set:model=bert#K7QK"
        assert pressed.reply_to is not None
        assert pressed.reply_to.case == "K7QK"


async def test_why_comes_as_a_new_message_that_quotes_the_answer() -> None:
    road = Script({"q": answer("9.8 GiB", "why", "sources"), "do:why": answer("4 + 5.8")})
    async with on_stage(road) as stage:
        lin = stage.fake.user(11)
        await stage.fake.say(lin, None, "q")
        first = await stage.reply(lin)
        await stage.fake.press(lin, first, "Why")
        second = await stage.reply(lin, 2)
        assert second["reply_to_message"]["message_id"] == first["message_id"]


async def test_details_unfold_in_place() -> None:
    road = Script({"q": answer("short", "details"), "do:details": answer("short and the rest", "why")})
    async with on_stage(road) as stage:
        lin = stage.fake.user(11)
        await stage.fake.say(lin, None, "q")
        await stage.fake.press(lin, await stage.reply(lin), "Details")
        await stage.fake.until(lambda: stage.fake.said_by_bot(11)[0]["text"] == "short and the rest")
        assert len(stage.fake.said_by_bot(11)) == 1


async def test_feedback_is_thanked_for_and_asked_no_more() -> None:
    async with on_stage(Script({"q": answer("9.8 GiB", "why")})) as stage:
        lin = stage.fake.user(11)
        await stage.fake.say(lin, None, "q")
        first = await stage.reply(lin)
        query = await stage.fake.press(lin, first, "\U0001f44d")
        await stage.fake.until(lambda: stage.fake.chats[11].edits)
        await stage.quiet()
        assert stage.fake.callback_answers[query]["text"] == "Thanks!"
        labels = [button["text"] for row in first_keyboard(stage, 11) for button in row]
        assert labels == ["Why"]
        assert stage.road.heard[1].action == "do:good#K7QK"
        assert len(stage.fake.said_by_bot(11)) == 1


async def test_a_chart_comes_as_a_photo_with_its_caption() -> None:
    chart = Chart(kind="bars", title="Price", series=(("a", (("RTX 4090", 2.0), ("T4", 1.0))),))
    drawn = answer("**Price** by card", chart=chart)
    road = Script({"q": answer("here", "chart", chart=chart), "do:chart": drawn, "draw it": drawn})
    async with on_stage(road) as stage:
        lin = stage.fake.user(11)
        await stage.fake.say(lin, None, "q")
        await stage.fake.press(lin, await stage.reply(lin), "Chart")
        photo = await stage.reply(lin, 2)
        assert photo["caption"].startswith("Price by card")
        await stage.fake.say(lin, None, "draw it")
        assert (await stage.reply(lin, 3))["caption"].startswith("Price by card"), "asked for in words, too"
        assert photo["photo"][0]["file_size"] > 5000


async def test_a_chart_that_cannot_be_sent_comes_as_words() -> None:
    chart = Chart(kind="bars", title="Price", series=(("CNY", (("RTX 4090", 2.0), ("T4", 1.0))),))
    road = Script({"q": answer("here", "chart", chart=chart), "do:chart": answer("By card", chart=chart)})
    async with on_stage(road) as stage:
        lin = stage.fake.user(11)
        await stage.fake.say(lin, None, "q")
        shown = await stage.reply(lin)
        stage.fake.fail("sendPhoto", 400, "Bad Request: PHOTO_INVALID_DIMENSIONS")
        await stage.fake.press(lin, shown, "Chart")
        words = await stage.reply(lin, 2)
        assert "RTX 4090" in words["text"]
        assert {entity["type"] for entity in words["entities"]} == {"pre"}


async def test_a_chart_without_points_comes_as_words() -> None:
    chart = Chart(kind="lines", title="Nothing")
    road = Script({"q": answer("here", "chart", chart=chart), "do:chart": answer("No points", chart=chart)})
    async with on_stage(road) as stage:
        lin = stage.fake.user(11)
        await stage.fake.say(lin, None, "q")
        await stage.fake.press(lin, await stage.reply(lin), "Chart")
        assert "No points" in (await stage.reply(lin, 2))["text"]


@pytest.mark.parametrize(
    ("typed", "language", "heard"),
    [
        ("/compare 3090 4090", "en", "compare 3090 4090"),
        ("/compare 3090 4090", "zh-hans", "对比 3090 4090"),
        ("/price 昇腾910B", "en", "价格 昇腾910B"),
        ("/ask which card?", "en", "which card?"),
        ("/help", "zh-hans", "帮助"),
        ("/start", "en", "hello"),
        (f"/start {encode_question('4090 能跑 7B 吗')}", "en", "4090 能跑 7B 吗"),
        ("/start not-base64!", "en", "hello"),
        ("/unknown thing", "en", "/unknown thing"),
        ("/privacy", "en", "/privacy"),
        ("/forget@xuanka_test_bot", "en", "/forget"),
        ("/fit@xuanka_test_bot 4090 llama", "en", "will it fit 4090 llama"),
    ],
)
async def test_commands_are_words(typed: str, language: str, heard: str) -> None:
    async with on_stage() as stage:
        lin = stage.fake.user(11, language=language)
        await stage.fake.say(lin, None, typed)
        await stage.reply(lin)
        assert stage.road.heard[0].text == heard


async def test_why_and_sources_act_on_the_last_answer() -> None:
    async with on_stage() as stage:
        lin = stage.fake.user(11)
        await stage.fake.say(lin, None, "/why")
        await stage.fake.say(lin, None, "/sources")
        await stage.reply(lin, 2)
        assert [heard.action for heard in stage.road.heard] == ["do:why", "do:sources"]


async def test_an_edited_question_changes_its_answer() -> None:
    async with on_stage() as stage:
        lin = stage.fake.user(11)
        asked = await stage.fake.say(lin, None, "3090?")
        await stage.reply(lin)
        await stage.quiet()
        await stage.fake.edit(asked, "4090?")
        await stage.fake.until(lambda: stage.fake.said_by_bot(11)[0]["text"] == "You said: 4090?")
        assert len(stage.fake.said_by_bot(11)) == 1


async def test_an_edit_that_changes_nothing_is_fine() -> None:
    async with on_stage() as stage:
        lin = stage.fake.user(11)
        asked = await stage.fake.say(lin, None, "3090?")
        await stage.reply(lin)
        await stage.quiet()
        await stage.fake.edit(asked, "3090?")
        await stage.quiet()
        assert [message["text"] for message in stage.fake.said_by_bot(11)] == ["You said: 3090?"]
        assert len(stage.calls("editMessageText")) == 1


async def test_an_answer_that_became_shorter_leaves_nothing_behind() -> None:
    long = "\n\n".join("word " * 500 for _ in range(3))
    async with on_stage(Script({"long": echo("x").model_copy(update={"text": long})})) as stage:
        lin = stage.fake.user(11)
        asked = await stage.fake.say(lin, None, "long")
        await stage.reply(lin, 2)
        await stage.quiet()
        await stage.fake.edit(asked, "short")
        await stage.fake.until(lambda: len(stage.fake.said_by_bot(11)) == 1)
        assert stage.fake.said_by_bot(11)[0]["text"] == "You said: short"


async def test_a_stale_question_gets_one_short_note() -> None:
    async with on_stage() as stage:
        lin = stage.fake.user(11)
        await stage.fake.say(lin, None, "3090?", age_s=1200)
        await stage.fake.say(lin, None, "4090?", age_s=1100)
        await stage.reply(lin)
        await stage.quiet()
        assert len(stage.fake.said_by_bot(11)) == 1
        assert stage.road.heard == []


async def test_a_date_beyond_what_telegram_keeps_is_no_evidence() -> None:
    async with on_stage() as stage:
        lin = stage.fake.user(11)
        await stage.fake.say(lin, None, "3090?", age_s=400 * 86_400)
        assert (await stage.reply(lin))["text"] == "You said: 3090?"


async def test_a_repeated_update_is_answered_once() -> None:
    async with on_stage() as stage:
        lin = stage.fake.user(11)
        await stage.fake.say(lin, None, "3090?")
        again = stage.fake.updates[0]
        await stage.reply(lin)
        stage.fake.confirmed = 0
        await stage.fake.queue(again)
        await stage.fake.say(lin, None, "4090?")
        await stage.reply(lin, 2)
        await stage.quiet()
        assert [heard.text for heard in stage.road.heard] == ["3090?", "4090?"]


async def test_a_photo_without_words_gets_a_kind_line() -> None:
    async with on_stage() as stage:
        lin = stage.fake.user(11)
        photo = [{"file_id": "p", "file_unique_id": "u", "width": 1, "height": 1}]
        message = {"message_id": 9, "date": int(stage.clock.time()), "chat": stage.fake.chats[11].brief(), "from": lin}
        await stage.fake.update("message", message | {"photo": photo})
        await stage.reply(lin)
        assert stage.road.heard[0].text == ""


def first_keyboard(stage: object, chat: int) -> list[list[dict[str, str]]]:
    """The keyboard under the bot's first message."""
    keyboard: list[list[dict[str, str]]] = stage.fake.said_by_bot(chat)[0]["reply_markup"]["inline_keyboard"]
    return keyboard
