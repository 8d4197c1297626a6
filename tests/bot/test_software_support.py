"""Whether a program runs on a card: the first line says so, for the maker, the system and the age of the card."""

from __future__ import annotations

import pytest

from bot.pipeline import Assistant
from tests.conftest import NOW, make_message

ASKED = [
    ("mac m3 max 能用 bitsandbytes 吗", "0.50 起官方支持苹果芯片"),
    ("昇腾 910B 上能直接跑 pip 装的 torch 代码不", "不能直接跑"),
    ("V100 还能装新版 vllm 吗", "新版不行"),
    ("V100 装 vllm 最新版行不行", "新版不行"),
    ("4090 能用 vllm 吗", "能用"),
    ("a卡能用 flash attention 吗", "看卡"),
    ("910B 支持 deepspeed 吗", "能用"),
    ("does unsloth work on a V100?", "Yes"),
    ("does vllm run on a mac?", "vLLM-Metal"),
    ("can a 7900 xtx run ollama on windows", "Yes, on Windows"),
    ("does flash attention run on a Mac?", "No"),
    ("rx 9070 xt pytorch on windows works?", "RX 7000 and 9000"),
]


@pytest.mark.parametrize(("text", "told"), ASKED, ids=[text for text, _ in ASKED])
def test_the_first_line_says_whether_it_runs(assistant: Assistant, text: str, told: str) -> None:
    reply, _ = assistant.respond(make_message(text, chat_type="group"), None, NOW)
    assert told in reply.text.split("\n")[0]
    assert any(fact.name == "works" for fact in reply.facts)


def test_two_programs_get_a_line_each_for_the_system_that_was_said(assistant: Assistant) -> None:
    text = "can I use bitsandbytes and flash attention on a 7900 xtx under windows?"
    lines = [
        line for line in assistant.respond(make_message(text, chat_type="group"), None, NOW)[0].text.split("\n") if line
    ]
    assert "bitsandbytes" in lines[0]
    assert "FlashAttention" in lines[1]
    assert "Windows" in lines[1]


def test_a_card_below_the_bound_of_a_program_is_told_so_and_one_above_is_not(assistant: Assistant) -> None:
    rows = [row for row in assistant.services.library.software_rows if row.least]
    assert rows
    for row in rows:
        said = [row.told(language, below=True) for language in ("zh", "en")]
        assert all(said), row.software
        assert not set(said) & {row.zh, row.en}, row.software


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("5090 该装 torch 哪个版本，2.5 行吗", "不能用：PyTorch 2.5"),
        ("which cuda version for a 5070 with pytorch", "For the RTX 5070 take PyTorch"),
        ("5070 装哪个版本的 pytorch", "RTX 5070 装 PyTorch"),
    ],
)
def test_a_release_that_is_named_is_judged_and_one_is_named_where_that_is_asked(
    assistant: Assistant, text: str, told: str
) -> None:
    assert told in assistant.respond(make_message(text, chat_type="group"), None, NOW)[0].text.split("\n")[0]
