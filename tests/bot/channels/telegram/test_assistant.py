"""The shipped assistant in Telegram: real questions, real answers, real buttons."""

from __future__ import annotations

from bot.pipeline import Assistant
from tests.fakes.stage import on_stage
from tests.fakes.telegram_world import USERNAME

GROUP = -1001000000001
ME = f"@{USERNAME}"


async def test_a_group_asks_in_two_languages_and_presses_buttons(assistant: Assistant) -> None:
    async with on_stage(assistant) as stage:
        lin, wu = stage.fake.user(11), stage.fake.user(12, "Wu", "zh-hans")
        chat = stage.fake.group(GROUP)
        await stage.fake.say(lin, chat, f"{ME} RTX 4090 vs RTX 3090, which is faster?")
        english = await stage.reply(GROUP, timeout_s=30)
        assert "4090" in english["text"]
        await stage.fake.say(wu, chat, f"{ME} 4090 显存多大")
        chinese = await stage.reply(GROUP, 2, timeout_s=30)
        assert "24" in chinese["text"]
        assert any("\u4e00" <= char <= "\u9fff" for char in chinese["text"])
        labels = {button["text"]: row for row in english["reply_markup"]["inline_keyboard"] for button in row}
        assert labels
        await stage.fake.press(lin, english, "Sources")
        sources = await stage.reply(GROUP, 3, timeout_s=30)
        assert sources["reply_to_message"]["message_id"] == english["message_id"]


async def test_a_missing_model_is_asked_for_and_the_press_answers(assistant: Assistant) -> None:
    async with on_stage(assistant) as stage:
        lin = stage.fake.user(11)
        await stage.fake.say(lin, None, "推荐一张显卡")
        first = await stage.reply(lin, timeout_s=30)
        buttons = [button for row in first["reply_markup"]["inline_keyboard"] for button in row]
        assert buttons
        await stage.fake.press(lin, first, data=buttons[0]["callback_data"])
        await stage.fake.until(lambda: stage.fake.chats[11].edits or len(stage.fake.said_by_bot(11)) > 1, 30)
        await stage.quiet()
        assert stage.fake.said_by_bot(11)[-1]["text"] != first["text"]


async def test_inline_answers_are_finished_answers(assistant: Assistant) -> None:
    async with on_stage(assistant) as stage:
        lin = stage.fake.user(11)
        for text in ("3090 vs 4090", "a100 价格", ""):
            query = await stage.fake.inline(lin, text)
            await stage.fake.until(lambda query=query: query in stage.fake.inline_answers, 30)
            results = stage.fake.inline_answers[query]["results"]
            assert 1 <= len(results) <= 10
            assert all(len(result["input_message_content"]["message_text"]) > 20 for result in results)


async def test_hostile_words_get_an_answer_that_parses(assistant: Assistant) -> None:
    hostile = [
        "<b>4090</b> & <script>alert(1)</script>",
        "**4090** `x` [y](http://evil.example) vs ~~3090~~ ||spoiler||",
        "{{ 7*7 }} {% raw %} 4090",
        "\u202e4090 \u0000 \ufffd " + "\u0301" * 2000,
        "x" * 4096,
        "<unknown-card-9999> vs <tg-spoiler>",
    ]
    async with on_stage(assistant) as stage:
        lin = stage.fake.user(11)
        for number, text in enumerate(hostile):
            await stage.fake.say(lin, None, text)
            await stage.reply(lin, number + 1, timeout_s=30)
        await stage.quiet()
        assert not [call for call in stage.fake.calls if call.method == "sendMessage" and call.error]
