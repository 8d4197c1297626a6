"""Whole conversations: the real assistant behind both transports."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING

from tests.fakes.wecom_pushes import BOT_NAME
from tests.fakes.wecom_stage import on_callback_stage, on_stage, until

if TYPE_CHECKING:
    from bot.pipeline import Assistant

GROUP = "wr-group-1"
ME = f"@{BOT_NAME}"


async def test_a_group_asks_follows_up_and_quotes(assistant: Assistant) -> None:
    async with on_stage(assistant, default_language="zh") as stage:
        await stage.fake.say("lin", f"{ME} 4090 能跑 7B 微调吗", group=GROUP)
        first = await stage.fake.answer(GROUP)
        assert "4090" in first.text
        assert "GiB" in first.text
        tag = re.search(r"#([2-9A-HJ-NP-Z]{4})", first.text)
        assert tag is not None
        await stage.fake.say("lin", f"{ME}  3090 呢", group=GROUP)
        second = await stage.fake.answer(GROUP, 2)
        assert "3090" in second.text
        # Another member, who never said a word, goes on from the first answer by quoting it.
        await stage.fake.say("wu", f"{ME} 为什么", group=GROUP, quote=first.text)
        why = await stage.fake.answer(GROUP, 3)
        figure = re.search(r"[\d.]+ GiB", first.text)
        assert figure is not None
        assert figure[0] in why.text


async def test_a_missing_slot_is_filled_by_a_button(assistant: Assistant) -> None:
    async with on_stage(assistant, default_language="zh") as stage:
        await stage.fake.say("lin", f"{ME} 微调用什么卡好？", group=GROUP)
        asked = await stage.fake.answer(GROUP)
        labels = [button["text"] for button in asked.card["button_list"]]
        assert "大模型微调" in labels
        key = asked.card["button_list"][labels.index("大模型微调")]["key"]
        await stage.fake.push(stage.fake.pushes.press("lin", asked.card, key, group=GROUP))
        answered = await stage.fake.answer(GROUP, 2)
        assert answered.pushed
        assert answered.text or answered.card
        await stage.fake.until(lambda: stage.fake.updates)
        assert "大模型微调" in stage.fake.updates[0][1]["template_card"]["sub_title_text"]


async def test_english_is_answered_in_english(assistant: Assistant) -> None:
    async with on_stage(assistant, default_language="zh") as stage:
        await stage.fake.say("lin", "RTX 3090 vs RTX 4090")
        shown = await stage.fake.answer("lin")
        assert not re.search(r"[\u4e00-\u9fff]", shown.text.partition("InfoQ")[0])
        assert "RTX 4090" in shown.text


async def test_whatever_people_send_gets_a_kind_line(assistant: Assistant) -> None:
    odd = [
        "",
        "\U0001f600\U0001f600",
        "<script>alert(1)</script>",
        "{{ 7*7 }}",
        "x" * 9000,
        "\u202e4090",
        "@",
        "|" * 50,
    ]
    async with on_stage(assistant, default_language="zh") as stage:
        for count, text in enumerate(odd, start=1):
            await stage.fake.say("lin", text)
            shown = await stage.fake.answer("lin", count)
            assert shown.text or shown.card
            assert "49" not in shown.text.replace("4090", "")


async def test_the_same_over_the_callback(assistant: Assistant) -> None:
    async with on_callback_stage(assistant, default_language="zh") as stage:
        platform = stage.platform
        answered = await platform.push(platform.pushes.text("lin", f"{ME} BERT 微调用什么显卡?", group=GROUP))
        assert "GiB" in answered.text
        assert "#" in answered.text
        asked = await platform.push(platform.pushes.text("wu", f"{ME} 微调用什么卡好？", group=GROUP))
        press = platform.pushes.press("wu", asked.card, asked.card["button_list"][0]["key"], group=GROUP)
        assert (await platform.push(press)).card
        posted = await platform.until_posted()
        assert posted["msgtype"] == "markdown"


async def test_privacy_and_forget_are_heard_in_wecom(assistant: Assistant) -> None:
    from bot.desk import FrontDesk

    async with on_stage(assistant, default_language="zh") as stage:
        stage.replica.delivery._desk = FrontDesk(
            stage.replica.store,
            lambda: assistant,
            lambda _: False,
            data_version=lambda: "v",
            clock=stage.clock.wall,
        )
        await stage.fake.say("lin", f"{ME} /privacy", group=GROUP)
        await stage.fake.answer(GROUP)
        await stage.fake.say("lin", f"{ME} /forget", group=GROUP)
        await stage.fake.answer(GROUP, 2)
        await until(stage.replica.is_idle)


async def test_a_chart_asked_for_in_words_comes_as_a_picture_over_the_connection(assistant: Assistant) -> None:
    async with on_stage(assistant, default_language="zh") as stage:
        await stage.fake.say("lin", f"{ME} Llama-3.1-8B 做 QLoRA 要多少显存", group=GROUP)
        first = await stage.fake.answer(GROUP)
        assert "画图" in first.text, "that it can be drawn is said"
        await stage.fake.say("lin", f"{ME} 画个图", group=GROUP)
        shown = await stage.fake.answer(GROUP, 3)
        assert shown.body["msgtype"] == "image"
        assert stage.fake.media[shown.body["image"]["media_id"]].startswith(b"\x89PNG")
        stage.fake.takes_pictures = False
        await stage.fake.say("lin", f"{ME} 画个图", group=GROUP)
        told = await stage.fake.answer(GROUP, 5)
        assert "权重" in told.text or "weights" in told.text, "else its figures"


async def test_a_chart_asked_for_in_words_stands_in_the_passive_reply(assistant: Assistant) -> None:
    async with on_callback_stage(assistant, default_language="zh") as stage:
        pushes = stage.platform.pushes
        await stage.platform.push(pushes.text("lin", f"{ME} Llama-3.1-8B 做 QLoRA 要多少显存", group=GROUP))
        answered = await stage.platform.push(pushes.text("lin", f"{ME} 画个图", group=GROUP))
        (item,) = answered.body["stream"]["msg_item"]
        assert base64.b64decode(item["image"]["base64"]).startswith(b"\x89PNG")
