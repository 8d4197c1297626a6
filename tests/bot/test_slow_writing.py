"""Why a language model writes slowly on a card, with the pace that was seen judged by the one that can be expected."""

from __future__ import annotations

import pytest

from bot.pipeline import Assistant
from tests.conftest import NOW, make_message

SEEN = [
    ("为什么我 4090 跑 70B 只有 2 token/s", "因为放不下", "是正常的"),
    ("why does llama 70b only do 2 tokens per second on my 4090", "Because it does not fit", "is normal"),
    ("5090 上 qwen3 32b 只有 8 t/s 正常吗", "不正常", "你只有每秒 8 个 token"),
    ("my 3090 does 12 tok/s on a 14b q4, should be faster, why?", "Not normal", "you get 12 tokens/s"),
    ("3060 跑 qwen3 8b 每秒才 40 个字，慢吗", "正常", "每秒 40 个 token 在范围里"),
    ("ollama 跑 qwen3 14b 很慢，4070 12g", "该有约", "CPU"),
]


@pytest.mark.parametrize(("text", "opens", "told"), SEEN, ids=[text for text, _, _ in SEEN])
def test_the_first_line_gives_the_reason_and_judges_what_was_seen(
    assistant: Assistant, text: str, opens: str, told: str
) -> None:
    first = assistant.respond(make_message(text, chat_type="group"), None, NOW)[0].text.split("\n")[0]
    assert opens in first
    assert told in first


def test_a_pace_is_normal_within_the_band_and_not_below_it(assistant: Assistant) -> None:
    def opening(pace: float) -> str:
        text = f"qwen3 8b on my 3060 12gb only does {pace:g} tok/s, why so slow"
        return assistant.respond(make_message(text, chat_type="group"), None, NOW)[0].text

    asked = "how many tok/s does qwen3 8b do on a 3060 12gb"
    reply = assistant.respond(make_message(asked, chat_type="group"), None, NOW)[0]
    rate = next(fact for fact in reply.facts if fact.name.startswith("throughput:"))
    assert rate.low is not None
    assert opening(round(rate.low * 0.5)).lstrip("*").startswith("Not normal")
    assert opening(round(rate.low * 1.2)).lstrip("*").startswith("Normal")
