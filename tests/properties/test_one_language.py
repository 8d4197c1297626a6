"""A reply speaks one language: one word put into a talk follows it, and what an earlier answer said is not quoted in another."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import pytest

from tests.properties.test_follow_as_whole import played

if TYPE_CHECKING:
    from bot.pipeline import Assistant

OPENERS: Final = {
    "zh": (
        "4090能跑32b吗",
        "4090和5090跑大模型推理差多少",
        "3000块买什么卡画图",
        "机器墙上600W，一天开8小时，电价7毛，一年电费多少",
    ),
    "en": (
        "can a 4090 run a 32b?",
        "3090 vs 4080 for llms",
        "best card for stable diffusion under $400",
        "my box pulls 700W at the wall, 9 hours a day, 22 cents per kWh. cost per year?",
    ),
}
ONE_WORD: Final = ("why?", "why", "source", "sources?", "ok", "more", "thanks", "5080?", "fp16")
ABOUT: Final = ("为什么", "来源", "谢谢", "依据呢")
HAN: Final = re.compile("[\u4e00-\u9fff]")
ENGLISH: Final = re.compile(r"\b[a-z]{3,}(?: [a-z]{3,})+\b")
NAMES: Final = re.compile(r"https?://\S+|\[[^\]]*\]|`[^`]*`")


@pytest.mark.parametrize("follow", ONE_WORD)
def test_one_word_follows_the_language_of_the_talk(assistant: Assistant, follow: str) -> None:
    for opener in OPENERS["zh"]:
        reply = played(assistant, opener, follow)
        assert reply.language == "zh", (opener, follow, reply.text)
        assert not ENGLISH.search(NAMES.sub("", reply.text)), reply.text


@pytest.mark.parametrize("follow", ABOUT)
def test_what_was_said_in_another_language_is_not_quoted(assistant: Assistant, follow: str) -> None:
    for opener in OPENERS["en"]:
        reply = played(assistant, opener, follow)
        assert reply.language == "zh", (opener, follow, reply.text)
        assert not ENGLISH.search(NAMES.sub("", reply.text)), reply.text


@pytest.mark.parametrize("opener", OPENERS["en"])
def test_an_english_talk_holds_no_chinese(assistant: Assistant, opener: str) -> None:
    for follow in ONE_WORD:
        reply = played(assistant, opener, follow)
        assert reply.language == "en", (follow, reply.text)
        assert not HAN.search(NAMES.sub("", reply.text)), (follow, reply.text)
