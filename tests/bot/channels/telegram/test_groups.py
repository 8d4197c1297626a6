"""Groups: who is spoken to, what is answered where, and what admins may change."""

from __future__ import annotations

import pytest

from bot.core.message import Reply
from tests.fakes.stage import Script, Stage, answer, echo, on_stage, question
from tests.fakes.telegram_html import utf16
from tests.fakes.telegram_world import BOT_ID, USERNAME, find_entities

GROUP = -1001000000001
ME = f"@{USERNAME}"


@pytest.mark.parametrize(
    ("typed", "heard", "how"),
    [
        (f"{ME} which GPU?", "which GPU?", "mention"),
        (f"which GPU, {ME}?", "which GPU, ?", "mention"),
        (f"\U0001f600\U0001f600 {ME} 4090 能跑吗 \U0001f60a", "\U0001f600\U0001f600 4090 能跑吗 \U0001f60a", "mention"),
        ("@XUANKA_Test_Bot 𠮷 4090", "𠮷 4090", "mention"),
        (f"/ask@{USERNAME} which GPU?", "which GPU?", "command"),
        (f"{ME} /compare 3090 4090", "compare 3090 4090", "mention"),
        (f"/compare@{USERNAME} 3090 4090", "compare 3090 4090", "command"),
        (f"{ME} ask @somebody_else too", "ask @somebody_else too", "mention"),
        ("/decide", "/decide", "command"),
        (f"/decide@{USERNAME}", "/decide", "command"),
    ],
)
async def test_what_addresses_the_bot_is_answered_and_quoted(typed: str, heard: str, how: str) -> None:
    async with on_stage(privacy=False) as stage:
        lin = stage.fake.user(11)
        chat = stage.fake.group(GROUP)
        asked = await stage.fake.say(lin, chat, typed)
        reply = await stage.reply(GROUP)
        assert reply["reply_to_message"]["message_id"] == asked["message_id"]
        assert (stage.road.heard[0].text, stage.road.heard[0].addressed_how) == (heard, how)
        assert stage.road.heard[0].chat_type == "group"


@pytest.mark.parametrize(
    "typed",
    [
        "which GPU for BERT?",
        "/ask which GPU?",
        "/ask@another_bot which GPU?",
        "/decide@another_bot",
        "who wants to /decide",
        "@another_bot which GPU?",
        f"mail me at x{ME}",
        "xuanka_test_bot is nice",
    ],
)
async def test_everything_else_is_met_with_silence(typed: str) -> None:
    async with on_stage(privacy=False) as stage:
        lin = stage.fake.user(11)
        chat = stage.fake.group(GROUP)
        await stage.fake.say(lin, chat, typed)
        await stage.fake.say(lin, chat, f"{ME} the end")
        await stage.reply(GROUP)
        await stage.quiet()
        assert [message.text for message in stage.road.heard] == ["the end"]


async def test_settings_are_shown_in_a_group_without_the_name_behind_the_command() -> None:
    async with on_stage(privacy=False) as stage:
        lin = stage.fake.user(11)
        chat = stage.fake.group(GROUP)
        await stage.fake.say(lin, chat, "/settings")
        shown = await stage.reply(GROUP)
        assert shown["reply_markup"]["inline_keyboard"]
        assert stage.road.heard == []


async def test_a_text_mention_counts_by_id_not_by_name() -> None:
    async with on_stage(privacy=False) as stage:
        lin = stage.fake.user(11)
        chat = stage.fake.group(GROUP)
        me = {"id": BOT_ID, "is_bot": True, "first_name": "Xuanka"}
        text = "\U0001f44b 选卡 3090?"
        other = [{"type": "text_mention", "offset": 3, "length": 2, "user": lin}]
        await stage.fake.say(lin, chat, text, entities=other)
        await stage.fake.say(lin, chat, text, entities=[other[0] | {"user": me}])
        await stage.reply(GROUP)
        await stage.quiet()
        assert [(message.text, message.addressed_how) for message in stage.road.heard] == [
            ("\U0001f44b 3090?", "text_mention")
        ]


async def test_a_reply_to_the_bot_carries_the_context_of_that_answer() -> None:
    road = Script({"first": answer("24 GiB", "why", case="AAA2"), "second": answer("48 GiB", case="BBB3")})
    async with on_stage(road) as stage:
        lin, wu = stage.fake.user(11), stage.fake.user(12, "Wu")
        chat = stage.fake.group(GROUP)
        await stage.fake.say(lin, chat, f"{ME} first")
        first = await stage.reply(GROUP)
        await stage.fake.say(lin, chat, f"{ME} second")
        second = await stage.reply(GROUP, 2)
        assert first["text"].endswith("#AAA2")
        await stage.fake.say(wu, chat, "and two of them?", reply_to=first)
        await stage.fake.say(wu, chat, "what does it cost?", reply_to=second)
        await stage.reply(GROUP, 4)
        follow_ups = [message for message in stage.road.heard if message.user_id == "12"]
        assert [(item.reply_to.own, item.reply_to.case) for item in follow_ups if item.reply_to] == [
            (True, "AAA2"),
            (True, "BBB3"),
        ]
        assert follow_ups[0].addressed_how == "reply"


async def test_mentioning_the_bot_under_somebodys_question_answers_that_question() -> None:
    async with on_stage() as stage:
        lin, wu = stage.fake.user(11), stage.fake.user(12, "Wu")
        chat = stage.fake.group(GROUP)
        asked = await stage.fake.say(lin, chat, "which GPU for BERT?")
        await stage.fake.say(wu, chat, ME, reply_to=asked)
        await stage.reply(GROUP)
        assert stage.road.heard[0].text == "which GPU for BERT?"


async def test_two_people_asking_at_once_both_get_their_answer() -> None:
    async with on_stage() as stage:
        people = [stage.fake.user(11 + number, f"P{number}") for number in range(6)]
        chat = stage.fake.group(GROUP)
        asked = [await stage.fake.say(person, chat, f"{ME} question {person['id']}") for person in people]
        await stage.reply(GROUP, 6)
        for message in stage.fake.said_by_bot(GROUP):
            assert message["text"].endswith(str(message["reply_to_message"]["from"]["id"]))
        assert len({message["reply_to_message"]["message_id"] for message in stage.fake.said_by_bot(GROUP)}) == len(
            asked
        )


async def test_answers_stay_in_their_topic() -> None:
    async with on_stage() as stage:
        lin = stage.fake.user(11)
        chat = stage.fake.group(GROUP, forum=True)
        chat.topics = {7, 8}
        await stage.fake.say(lin, chat, f"{ME} here", thread=8)
        reply = await stage.reply(GROUP)
        assert reply["message_thread_id"] == 8
        assert stage.road.heard[0].thread_id == "8"


async def test_a_post_in_a_topic_that_the_bot_opened_is_no_reply_to_it() -> None:
    async with on_stage(privacy=False) as stage:
        lin = stage.fake.user(11)
        chat = stage.fake.group(GROUP, forum=True)
        chat.topics = {7}
        opening = {
            "message_id": 7,
            "date": 1,
            "chat": chat.brief(),
            "from": {"id": BOT_ID, "is_bot": True, "first_name": "Xuanka"},
            "forum_topic_created": {"name": "GPUs", "icon_color": 1},
        }
        await stage.fake.say(lin, chat, "just talking", thread=7, reply_to=opening)
        await stage.fake.say(lin, chat, f"{ME} the end", thread=7, reply_to=opening)
        await stage.reply(GROUP)
        await stage.quiet()
        assert [message.text for message in stage.road.heard] == ["the end"]
        assert stage.road.heard[0].reply_to is None


async def test_a_reply_thread_of_an_ordinary_group_is_no_topic() -> None:
    async with on_stage() as stage:
        lin = stage.fake.user(11)
        chat = stage.fake.group(GROUP)
        await stage.fake.say(lin, chat, f"{ME} here", message_thread_id=55)
        reply = await stage.reply(GROUP)
        assert "message_thread_id" not in reply
        assert stage.road.heard[0].thread_id == ""


async def test_a_deleted_topic_does_not_lose_the_answer() -> None:
    async with on_stage() as stage:
        lin = stage.fake.user(11)
        chat = stage.fake.group(GROUP, forum=True)
        await stage.fake.say(lin, chat, f"{ME} here", thread=9)
        assert (await stage.reply(GROUP))["text"] == "You said: here"


async def test_a_deleted_question_does_not_lose_the_answer() -> None:
    async with on_stage() as stage:
        lin = stage.fake.user(11)
        chat = stage.fake.group(GROUP)
        asked = await stage.fake.say(lin, chat, f"{ME} here")
        del chat.messages[asked["message_id"]]
        reply = await stage.reply(GROUP)
        assert "reply_to_message" not in reply


async def test_a_group_that_moves_keeps_its_answer_its_settings_and_its_buttons() -> None:
    road = Script({"q": question("Which model?", "model", "bert"), "set:model=bert": answer("A T4.")})
    async with on_stage(road) as stage:
        lin = stage.fake.user(11)
        chat = stage.fake.group(-500, admins=(11,))
        await stage.fake.say(lin, chat, f"/settings@{USERNAME}")
        await press(stage, lin, -500, "language.zh")
        await stage.fake.say(lin, chat, f"{ME} q")
        asked = await stage.reply(-500, 2)
        await stage.quiet()
        new = await stage.fake.migrate(chat, GROUP)
        moved = asked | {"chat": new.brief()}
        new.messages[asked["message_id"]] = moved
        await stage.fake.press(lin, moved, "bert")
        await stage.fake.until(lambda: stage.fake.said_by_bot(new)[0]["text"].startswith("A T4."))
        assert stage.road.heard[-1].language == "zh"


async def test_an_answer_on_its_way_follows_a_group_that_moves() -> None:
    async with on_stage() as stage:
        lin = stage.fake.user(11)
        chat = stage.fake.group(-500)
        new = stage.fake.group(GROUP)
        chat.migrated_to = GROUP
        await stage.fake.say(lin, chat, f"{ME} still here?")
        await stage.fake.until(lambda: stage.fake.said_by_bot(new))
        assert stage.fake.said_by_bot(new)[0]["text"] == "You said: still here?"


async def test_an_edited_question_changes_its_answer_and_an_unaddressed_edit_does_not() -> None:
    async with on_stage() as stage:
        lin = stage.fake.user(11)
        chat = stage.fake.group(GROUP)
        asked = await stage.fake.say(lin, chat, f"{ME} 3090")
        await stage.reply(GROUP)
        await stage.quiet()
        await stage.fake.edit(asked, f"{ME} 4090")
        await stage.fake.until(lambda: stage.fake.said_by_bot(GROUP)[0]["text"] == "You said: 4090")
        await stage.fake.edit(asked, "never mind")
        await stage.quiet()
        assert len(stage.road.heard) == 2
        assert len(stage.fake.said_by_bot(GROUP)) == 1


async def test_a_mention_added_by_an_edit_is_answered() -> None:
    async with on_stage() as stage:
        lin = stage.fake.user(11)
        chat = stage.fake.group(GROUP)
        asked = await stage.fake.say(lin, chat, "3090?")
        await stage.fake.edit(asked, f"{ME} 3090?")
        assert (await stage.reply(GROUP))["text"] == "You said: 3090?"


async def test_only_the_asker_may_press() -> None:
    road = Script({"q": question("Which model?", "model", "bert"), "set:model=bert": answer("A T4.")})
    async with on_stage(road) as stage:
        lin, wu = stage.fake.user(11), stage.fake.user(12, "Wu")
        chat = stage.fake.group(GROUP)
        await stage.fake.say(lin, chat, f"{ME} q")
        asked = await stage.reply(GROUP)
        refused = await stage.fake.press(wu, asked, "bert")
        await stage.fake.until(lambda: refused in stage.fake.callback_answers)
        assert "Only whoever asked" in stage.fake.callback_answers[refused]["text"]
        assert len(stage.road.heard) == 1
        await stage.fake.press(lin, asked, "bert")
        await stage.fake.until(lambda: stage.fake.said_by_bot(GROUP)[0]["text"].startswith("A T4."))


async def test_a_shared_question_may_be_pressed_by_anybody() -> None:
    road = Script({"q": question("Vote", "gpu", "T4").model_copy(update={"shared": True})})
    async with on_stage(road) as stage:
        lin, wu = stage.fake.user(11), stage.fake.user(12, "Wu")
        chat = stage.fake.group(GROUP)
        await stage.fake.say(lin, chat, f"{ME} q")
        await stage.fake.press(wu, await stage.reply(GROUP), "T4")
        await stage.quiet()
        assert [(message.user_id, message.action) for message in stage.road.heard[1:]] == [("12", "set:gpu=T4#K7QK")]


async def test_forged_and_foreign_keys_are_refused() -> None:
    road = Script({"q": question("Which model?", "model", "bert")})
    async with on_stage(road) as stage:
        lin = stage.fake.user(11)
        chat, other = stage.fake.group(GROUP), stage.fake.group(-1001000000002)
        await stage.fake.say(lin, chat, f"{ME} q")
        asked = await stage.reply(GROUP)
        good = asked["reply_markup"]["inline_keyboard"][0][0]["callback_data"]
        forged = [
            good.replace("bert", "gpt2"),
            good.replace(":M", ":G"),
            "A" + good[1:],
            good.replace(".B:", ".C:"),
            "set:model=bert",
            "....:::",
            "\u9009" * 20,
        ]
        numbers = [await stage.fake.press(lin, asked, data=data) for data in forged]
        there = asked | {"chat": other.brief()}
        numbers.append(await stage.fake.press(lin, there, data=good))
        await stage.fake.until(lambda: all(number in stage.fake.callback_answers for number in numbers))
        assert {stage.fake.callback_answers[number]["text"] for number in numbers} == {
            "This button no longer works. Please ask again."
        }
        assert len(stage.road.heard) == 1


async def test_buttons_survive_a_restart_with_the_same_key() -> None:
    road = Script({"q": question("Which model?", "model", "bert"), "set:model=bert": answer("A T4.")})
    async with on_stage(road) as first:
        lin = first.fake.user(11)
        await first.fake.say(lin, None, "q")
        asked = await first.reply(lin)
    async with on_stage(road) as second:
        lin = second.fake.user(11)
        second.fake.chats[11].messages[asked["message_id"]] = asked
        await second.fake.press(lin, asked, "bert")
        await second.fake.until(lambda: second.fake.said_by_bot(11)[0]["text"].startswith("A T4."))


# --- settings --------------------------------------------------------------------------------------------------------


async def press(stage: Stage, user: dict[str, object], chat: int, switch: str) -> str:
    """Press the button of a settings panel that leads to a state such as `language.zh`."""
    panel = await stage.reply(chat)
    language = "zh" if "设置" in panel["text"] else "en"
    words = stage.channel._words
    before = panel["text"]
    number = await stage.fake.press(user, panel, f"\u2192 {words(f'settings.{switch}', language)}")
    await stage.fake.until(lambda: number in stage.fake.callback_answers)
    if stage.fake.callback_answers[number].get("text") in {"Saved", "已保存"}:
        await stage.fake.until(lambda: stage.fake.said_by_bot(chat)[-1]["text"] != before)
    return number


async def test_admins_change_settings_and_others_do_not() -> None:
    async with on_stage() as stage:
        lin, wu = stage.fake.user(11), stage.fake.user(12, "Wu")
        chat = stage.fake.group(GROUP, admins=(11,))
        await stage.fake.say(wu, chat, f"/settings@{USERNAME}")
        refused = await press(stage, wu, GROUP, "language.zh")
        assert stage.fake.callback_answers[refused]["text"] == "Only admins of this group can change that."
        await press(stage, lin, GROUP, "language.zh")
        await press(stage, lin, GROUP, "length.full")
        assert "完整版" in stage.fake.said_by_bot(GROUP)[-1]["text"]
        await stage.fake.say(wu, chat, f"{ME} 3090")
        await stage.reply(GROUP, 2)
        assert (stage.road.heard[0].language, stage.road.heard[0].full) == ("zh", True)
        assert len(stage.calls("getChatMember")) == 2


async def test_a_chat_that_is_off_hears_only_settings() -> None:
    async with on_stage() as stage:
        lin = stage.fake.user(11)
        chat = stage.fake.group(GROUP, admins=(11,))
        await stage.fake.say(lin, chat, f"/settings@{USERNAME}")
        await press(stage, lin, GROUP, "off.off")
        await stage.fake.say(lin, chat, f"{ME} 3090")
        await stage.quiet()
        assert stage.road.heard == []
        await stage.fake.say(lin, chat, f"/settings@{USERNAME}")
        await stage.reply(GROUP, 2)
        await press(stage, lin, GROUP, "off.on")
        await stage.fake.say(lin, chat, f"{ME} 3090")
        await stage.reply(GROUP, 3)


async def test_questions_too_answers_what_was_overheard_only_when_it_has_an_answer() -> None:
    chatter = Reply(decision="fallback", language="en", text="I did not get that")
    road = Script({"lunch?": chatter, "which GPU for BERT?": answer("A T4.", "why")})
    async with on_stage(road, privacy=False) as stage:
        lin = stage.fake.user(11)
        chat = stage.fake.group(GROUP, admins=(11,))
        await stage.fake.say(lin, chat, f"/settings@{USERNAME}")
        await press(stage, lin, GROUP, "hearing.questions")
        await stage.fake.say(lin, chat, "lunch?")
        await stage.fake.say(lin, chat, "which GPU for BERT?")
        await stage.reply(GROUP, 2)
        await stage.quiet()
        assert [message.addressed_how for message in stage.road.heard] == ["overheard", "overheard"]
        assert len(stage.fake.said_by_bot(GROUP)) == 2


async def test_the_bot_introduces_itself_once_when_it_is_added() -> None:
    async with on_stage() as stage:
        lin = stage.fake.user(11, language="zh-hans")
        chat = stage.fake.group(GROUP)
        await stage.fake.bot_status(chat, lin, "left", "member")
        await stage.fake.bot_status(chat, lin, "member", "administrator")
        await stage.fake.bot_status(chat, lin, "left", "member")
        welcome = await stage.reply(GROUP)
        await stage.quiet()
        assert len(stage.fake.said_by_bot(GROUP)) == 1
        assert "/settings" in welcome["text"]
        assert "选" in welcome["text"] or "显卡" in welcome["text"]


async def test_a_group_that_threw_the_bot_out_is_remembered() -> None:
    async with on_stage() as stage:
        lin = stage.fake.user(11)
        chat = stage.fake.group(GROUP)
        await stage.fake.say(lin, chat, f"{ME} 3090")
        chat.bot_gone = True
        await stage.fake.until(lambda: any(call.error == 403 for call in stage.fake.calls))
        await stage.quiet()
        assert await stage.store.get(f"telegram:{BOT_ID}:inactive:{GROUP}") is True
        assert len(stage.calls("sendMessage")) == 1


async def test_very_long_answers_go_on_in_private() -> None:
    text = "\n\n".join("word " * 700 for _ in range(5))
    async with on_stage(Script({"long": echo("x").model_copy(update={"text": text})})) as stage:
        lin = stage.fake.user(11)
        chat = stage.fake.group(GROUP)
        await stage.fake.say(lin, chat, f"{ME} long")
        await stage.reply(GROUP, 3)
        await stage.quiet()
        parts = stage.fake.said_by_bot(GROUP)
        assert len(parts) == 3
        assert parts[-1]["reply_markup"]["inline_keyboard"][-1][0]["url"].startswith(f"https://t.me/{USERNAME}?start=")
        assert max(utf16(part["text"]) for part in parts) <= 4096


async def test_posts_of_bots_channels_and_our_own_inline_results_are_ignored() -> None:
    async with on_stage(privacy=False) as stage:
        lin = stage.fake.user(11)
        robot = {"id": 99, "is_bot": True, "first_name": "R", "username": "other_bot"}
        chat = stage.fake.group(GROUP)
        me = {"id": BOT_ID, "is_bot": True, "first_name": "Xuanka", "username": USERNAME}
        await stage.fake.say(robot, chat, f"{ME} 3090")
        await stage.fake.say(lin, chat, f"{ME} 3090", via_bot=me)
        await stage.fake.say(lin, chat, f"{ME} 3090", is_automatic_forward=True)
        await stage.fake.say(lin, chat, f"{ME} the end")
        await stage.reply(GROUP)
        await stage.quiet()
        assert [message.text for message in stage.road.heard] == ["the end"]


async def test_an_anonymous_admin_may_ask_press_and_set() -> None:
    road = Script({"q": question("Which model?", "model", "bert"), "set:model=bert": answer("A T4.")})
    async with on_stage(road) as stage:
        ghost = {"id": 1087968824, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}
        lin = stage.fake.user(11)
        chat = stage.fake.group(GROUP, admins=(11,))
        await stage.fake.say(ghost, chat, f"{ME} q", sender_chat=chat.brief())
        await stage.fake.press(lin, await stage.reply(GROUP), "bert")
        await stage.fake.until(lambda: stage.fake.said_by_bot(GROUP)[0]["text"].startswith("A T4."))
        assert stage.road.heard[0].user_id == str(GROUP)


async def test_a_quoted_passage_is_what_the_reply_is_about() -> None:
    async with on_stage(Script({"first": answer("24 GiB\n\nand more", "why", case="AAA2")})) as stage:
        lin = stage.fake.user(11)
        chat = stage.fake.group(GROUP)
        await stage.fake.say(lin, chat, f"{ME} first")
        first = await stage.reply(GROUP)
        await stage.fake.say(lin, chat, "why?", reply_to=first, quote={"text": "24 GiB", "position": 0})
        await stage.reply(GROUP, 2)
        heard = stage.road.heard[1].reply_to
        assert heard is not None
        assert (heard.text, heard.case) == ("24 GiB", "AAA2")


@pytest.mark.parametrize("switched_on", [True, False])
async def test_guests_are_answered_only_where_guest_mode_is_on(switched_on: bool) -> None:
    async with on_stage(telegram_guests=switched_on) as stage:
        lin = stage.fake.user(11)
        elsewhere = {"id": -1009, "type": "supergroup", "title": "Somewhere"}
        text = f"{ME} 3090?"
        message = {"message_id": 3, "date": int(stage.clock.time()), "chat": elsewhere, "from": lin, "text": text}
        message |= {"entities": find_entities(text), "guest_query_id": "g9"}
        stage.fake.queries["g9"] = "guest"
        await stage.fake.update("guest_message", message)
        await stage.fake.say(lin, None, "hello")
        await stage.reply(lin)
        await stage.channel._door.close(5.0)
        given = stage.fake.inline_answers.get("g9")
        assert (given is not None) == switched_on
        if given:
            assert given["result"]["input_message_content"]["message_text"] == "You said: 3090?"
