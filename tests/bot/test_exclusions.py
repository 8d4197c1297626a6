"""What is ruled out stays out, in whatever wording and at whatever turn; what only sounds like it rules out nothing."""

from __future__ import annotations

import pytest

from bot.core.conversation import Conversation
from bot.pipeline import Assistant
from bot.read.reader import Reader
from tests.conftest import NOW, make_message, shared_assistant

RULED_OUT = [
    ("minus AMD, which card runs 14B at $900?", {"AMD"}),
    ("leave the 3090 out: a card for SDXL, $1000", {"RTX 3090"}),
    ("no AMD or Intel, 24 GB for a lora, $1500", {"AMD", "Intel"}),
    ("a card that isn't a 4080 for flux, $1200", {"RTX 4080"}),
    ("second-hand stuff aside, what do $700 get for whisper?", {"used"}),
    ("pre-owned is out of the question, $700 for a 7B", {"used"}),
    ("don't show me anything by Intel, $300 for yolo", {"Intel"}),
    ("which cloud for an A100 with runpod off the list?", {"runpod"}),
    ("跑14B，非A卡，六千块", {"AMD"}),
    ("除了I卡都行，三千跑whisper", {"Intel"}),
    ("4080和3090除外，一万块跑flux", {"RTX 4080", "RTX 3090"}),
    ("把5080去掉，跑32B买哪张", {"RTX 5080"}),
    ("二手一概不收，预算七千跑sdxl", {"used"}),
    ("英特尔就算了，两千块入门", {"Intel"}),
    ("autodl跳过，租4090去哪家", {"autodl"}),
    ("只要不是A卡就行，五千跑14B", {"AMD"}),
]
RULES_NOTHING_OUT = [
    "why not a 4090 instead of two 3090s?",
    "should I skip the 5090 and wait?",
    "how far is a 4090 ahead when set against a 3090?",
    "can I run whisper without a GPU on Intel?",
    "price of a 4090 minus the price of a 3090?",
    "非4090不可吗",
    "除非4090降价，否则我用3090",
    "为什么大家不推荐4080",
    "该不该买5090",
]


@pytest.fixture(scope="module")
def reader() -> Reader:
    found = shared_assistant().understander
    assert isinstance(found, Reader)
    return found


def ruled_out(reader: Reader, text: str) -> set[str]:
    read = reader.understand(text)
    return {str(one.value) for one in read.slots if one.negated} | {name for _, name in read.said.ruled_out}


@pytest.mark.parametrize(("text", "names"), RULED_OUT)
def test_words_of_exclusion_hold_for_cards_makers_providers_and_conditions(
    reader: Reader, text: str, names: set[str]
) -> None:
    assert ruled_out(reader, text) == names


@pytest.mark.parametrize("text", RULES_NOTHING_OUT)
def test_what_asks_or_compares_rules_nothing_out(reader: Reader, text: str) -> None:
    assert ruled_out(reader, text) == set()


def second_line(assistant: Assistant, first: str, then: str) -> tuple[str, str]:
    """The first lines of the two answers."""
    state: Conversation | None = None
    said = []
    for text in (first, then):
        reply, state = assistant.respond(make_message(text), state, NOW)
        said.append(reply.text.split("\n")[0])
    return said[0], said[1]


@pytest.mark.parametrize("then", ["not the 5080", "leave the 5080 out", "the 5080 is off the table", "5080 excluded"])
def test_a_card_that_is_ruled_out_later_is_no_amount_of_money(assistant: Assistant, then: str) -> None:
    before, after = second_line(assistant, "recommend a card for SDXL, $1500", then)
    assert "RTX 5080" in before
    assert "RTX 5080" not in after
    assert "RTX 5090" not in after


@pytest.mark.parametrize("then", ["把5080去掉", "5080除外", "5080跳过", "不要5080"])
def test_the_same_in_chinese(assistant: Assistant, then: str) -> None:
    before, after = second_line(assistant, "跑sdxl买哪张卡，预算一万", then)
    assert "RTX 5080" in before
    assert "买" in after
    assert "RTX 5080" not in after
    assert "RTX 5090" not in after


@pytest.mark.parametrize(
    ("first", "then", "name"),
    [("哪里租4090便宜", "autodl跳过", "AutoDL"), ("where do I rent an A100?", "vast aside", "vast.ai")],
)
def test_a_place_that_is_ruled_out_later_does_not_end_the_talk(
    assistant: Assistant, first: str, then: str, name: str
) -> None:
    before, after = second_line(assistant, first, then)
    assert name in before
    assert name not in after
    assert "/小时" in after or "an hour" in after
