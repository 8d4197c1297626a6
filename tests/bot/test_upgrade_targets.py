"""Who names the card at hand and two for its place hears of both, and of no third way that nobody spoke of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.conftest import NOW, make_message

if TYPE_CHECKING:
    from bot.pipeline import Assistant


@pytest.mark.parametrize(
    ("text", "both"),
    [
        ("想从 2080ti 升级，换 4070 super 还是 5070 划算", ["RTX 4070 Super（速度约", "RTX 5070（速度约"]),
        (
            "I have a 3070, should I upgrade to a 4070 super or a 5070 ti?",
            ["RTX 4070 Super (1.42x the speed, 12 GB)", "RTX 5070 Ti (2.09x the speed, 16 GB)"],
        ),
    ],
)
def test_each_card_that_may_take_its_place_is_told(assistant: Assistant, text: str, both: list[str]) -> None:
    reply, _ = assistant.respond(make_message(text, chat_type="group"), None, NOW)
    assert all(one in reply.text for one in both), reply.text
    assert "留着" not in reply.text


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("3060 12g 微调 llama3 8b 用 lora 还是 qlora", "用 QLoRA，偏紧"),
        ("lora or qlora for a 13b on a 3090?", "Take QLoRA"),
        ("24g 显存微调 14b 用lora还是qlora好", "用 QLoRA：14B"),
        ("qwen2.5 7b 全参、lora、qlora 各要多少显存", "全量微调约 133 GiB"),
        ("5060ti跑qwen3 14b行不行，量化的那种", "RTX 5060 Ti 16GB 可用 15.5 GiB"),
    ],
)
def test_the_first_line_takes_one_of_what_is_named(assistant: Assistant, text: str, first: str) -> None:
    reply, _ = assistant.respond(make_message(text, chat_type="group"), None, NOW)
    assert first in reply.text.partition("\n")[0], reply.text
