"""Over the long connection: what people say and what they get."""

from __future__ import annotations

import pytest

from bot.core.message import Reply
from tests.fakes.wecom_pushes import BOT_NAME
from tests.fakes.wecom_stage import Script, answer, on_stage

GROUP = "wr-group-1"


async def test_a_question_in_private_gets_one_finished_stream() -> None:
    async with on_stage() as stage:
        req_id = await stage.fake.say("lin", "which GPU?")
        shown = await stage.fake.answer("lin")
        assert (shown.req_id, shown.text, shown.pushed) == (req_id, "You said: which GPU?", False)
        assert shown.body["stream"]["finish"] is True


@pytest.mark.parametrize(
    ("typed", "heard"),
    [
        (f"@{BOT_NAME} BERT 微调用什么显卡?", "BERT 微调用什么显卡?"),
        (f"@{BOT_NAME}  4090 @张三 说不够", "4090 @张三 说不够"),
        (f"@{BOT_NAME}4090?", "4090?"),
        ("@别的名字 4090?", "4090?"),
        ("@GPU Helper Bot  4090?", "4090?"),
        (f"@李四 @{BOT_NAME} 4090?", "4090?"),
        ("4090 比 @谁 的好?", "4090 比 @谁 的好?"),
    ],
)
async def test_the_mention_in_front_is_stripped_and_no_other(typed: str, heard: str) -> None:
    async with on_stage() as stage:
        await stage.fake.say("lin", typed, group=GROUP)
        await stage.fake.answer(GROUP)
        message = stage.road.heard[0]
        assert (message.text, message.chat_type, message.chat_id, message.user_id) == (heard, "group", GROUP, "lin")


async def test_a_leading_at_in_private_is_no_mention() -> None:
    async with on_stage() as stage:
        await stage.fake.say("lin", "@home which GPU?")
        await stage.fake.answer("lin")
        assert stage.road.heard[0].text == "@home which GPU?"


async def test_words_of_mixed_and_spoken_messages_are_heard() -> None:
    async with on_stage() as stage:
        fake = stage.fake
        await fake.push(fake.pushes.mixed("lin", f"@{BOT_NAME} 这张卡", "够吗", group=GROUP))
        await fake.push(fake.pushes.voice("wu", "四零九零够吗"))
        await fake.answer(GROUP)
        await fake.answer("wu")
        assert sorted(message.text for message in stage.road.heard) == ["四零九零够吗", "这张卡\n够吗"]


async def test_a_picture_in_private_is_handed_on_without_words() -> None:
    async with on_stage() as stage:
        await stage.fake.push(stage.fake.pushes.image("lin"))
        await stage.fake.answer("lin")
        assert stage.road.heard[0].text == ""


async def test_a_quoted_answer_of_ours_is_known_by_its_case_tag() -> None:
    road = Script({"first": answer("24 GiB", "why", "sources")})
    async with on_stage(road) as stage:
        await stage.fake.say("lin", f"@{BOT_NAME} first", group=GROUP)
        shown = await stage.fake.answer(GROUP)
        assert "#K7QK" in shown.text
        assert shown.text.endswith("why / sources")
        await stage.fake.say("wu", f"@{BOT_NAME} and two?", group=GROUP, quote=shown.text)
        await stage.fake.answer(GROUP, 2)
        reply_to = stage.road.heard[1].reply_to
        assert reply_to is not None
        assert (reply_to.own, reply_to.case) == (True, "K7QK")


async def test_mentioning_the_bot_under_somebodys_question_answers_that_question() -> None:
    async with on_stage() as stage:
        await stage.fake.say("wu", f"@{BOT_NAME} ", group=GROUP, quote="which GPU for BERT?")
        await stage.fake.answer(GROUP)
        assert stage.road.heard[0].text == "which GPU for BERT?"
        assert stage.road.heard[0].reply_to is not None
        assert stage.road.heard[0].reply_to.own is False


async def test_members_of_a_group_have_conversations_of_their_own() -> None:
    async with on_stage() as stage:
        for number in range(6):
            await stage.fake.say(f"user{number}", f"@{BOT_NAME} question {number}", group=GROUP)
        await stage.fake.answer(GROUP, 6)
        keys = {message.conversation_key for message in stage.road.heard}
        assert keys == {f"wecom:aib-test:{GROUP}::user{number}" for number in range(6)}
        assert sorted(shown.text for shown in stage.fake.shown) == [f"You said: question {n}" for n in range(6)]


async def test_turns_of_one_member_are_answered_in_order() -> None:
    async with on_stage() as stage:
        asked = [await stage.fake.say("lin", f"turn {number}") for number in range(8)]
        await stage.fake.answer("lin", 8)
        assert [shown.req_id for shown in stage.fake.shown] == asked


async def test_a_repeated_message_is_answered_once() -> None:
    async with on_stage() as stage:
        push = stage.fake.pushes.text("lin", "which GPU?")
        await stage.fake.push(push)
        await stage.fake.answer("lin")
        await stage.fake.push(push)
        await stage.fake.say("lin", "the end")
        await stage.fake.answer("lin", 2)
        assert [message.text for message in stage.road.heard] == ["which GPU?", "the end"]


async def test_entering_the_chat_is_welcomed_at_once() -> None:
    async with on_stage() as stage:
        await stage.fake.push(stage.fake.pushes.enter("lin"))
        await stage.fake.until(lambda: stage.fake.welcomes)
        assert stage.fake.welcomes[0]["msgtype"] == "text"
        assert "GPU" in stage.fake.welcomes[0]["text"]["content"]


async def test_long_answers_are_split_at_borders_and_rest_follows_as_pushes() -> None:
    text = "\n\n".join("显存" * 700 for _ in range(10))
    road = Script({"long": Reply(decision="answer", language="zh", text=text)})
    async with on_stage(road) as stage:
        await stage.fake.say("lin", "long")
        await stage.fake.answer("lin", 3)
        await stage.quiet()
        parts = stage.fake.in_chat("lin")
        assert [part.pushed for part in parts] == [False, True, True]
        assert all(len(part.text.encode()) <= 20480 for part in parts)
        assert "".join(part.text for part in parts).replace("\n", "") == text.replace("\n", "")


async def test_no_tag_of_a_user_survives() -> None:
    async with on_stage() as stage:
        await stage.fake.say("lin", "<think>x</think> <@all> <font color='red'>4090</font> | a | **b**")
        shown = await stage.fake.answer("lin")
        assert "<think" not in shown.text
        assert "<@" not in shown.text
        assert "<font" not in shown.text


async def test_tables_are_native() -> None:
    table = "| card | GiB |\n|---|---|\n| 4090 | 24 |\n| 3090 | 24 |"
    road = Script({"table": Reply(decision="answer", language="en", text=table)})
    async with on_stage(road) as stage:
        await stage.fake.say("lin", "table")
        shown = await stage.fake.answer("lin")
        assert shown.text.splitlines() == ["| card | GiB |", "| --- | --- |", "| 4090 | 24 |", "| 3090 | 24 |"]


async def test_pushes_of_unknown_shape_disturb_nobody(caplog: pytest.LogCaptureFixture) -> None:
    async with on_stage() as stage:
        fake = stage.fake
        for strange in (
            {"msgtype": "text", "from": {"userid": "lin"}},
            {"msgtype": "text", "msgid": "x", "from": {"userid": 7}, "text": {"content": "a secret word"}},
            {"msgtype": "hologram", "msgid": "y", "from": {"userid": "lin"}},
            fake.pushes.event("lin", "brand_new_event"),
            fake.pushes.text("lin", "fine") | {"text": ["a secret word"]},
        ):
            await fake.push({"msgtype": "?", "from": {"userid": "lin"}} | strange)
        await fake.say("lin", "still there?")
        await fake.answer("lin")
        assert [message.text for message in stage.road.heard] == ["still there?"]
        assert "secret word" not in caplog.text
