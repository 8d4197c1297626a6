"""Who asks what a card costs, and says what it is for, is not told what it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from advisor.prices import price_of
from tests.bot.labelled import NOW, message

if TYPE_CHECKING:
    from bot.pipeline import Assistant

_CARDS = ("3090", "4090", "2080 Ti", "RTX 3060 12GB", "A100 80GB", "5070 Ti", "V100")
_ENGLISH = (
    "how much is a {} for deep learning",
    "{} price for training",
    "what does a {} cost these days for deep learning",
    "used {} for deep learning, what do they go for",
    "going rate of a second hand {} for training",
    "{} for stable diffusion, price?",
)
_CHINESE = (
    "{} 多少钱 跑深度学习",
    "{} 现在什么价 想训练用",
    "二手 {} 炼丹 多少钱能收",
    "{} 跑大模型 价格多少",
    "收一张 {} 做深度学习要多少钱",
)


@pytest.mark.parametrize("words", _ENGLISH + _CHINESE)
def test_a_price_with_a_purpose_is_a_question_of_price(assistant: Assistant, words: str) -> None:
    told = {card: assistant.respond(message(words.format(card)), None, NOW)[0] for card in _CARDS}
    assert [card for card, reply in told.items() if reply.intent == "check_fit"] == []


def test_a_price_of_today_goes_before_a_record_of_another_kind(assistant: Assistant) -> None:
    """Of every card with a purchase price that still counts: the first line tells one, however old a new one is."""
    tried, catalog = 0, assistant.services.catalog
    for gpu in catalog.gpus.values():
        held = price_of(catalog, (gpu,), on=NOW.date(), currency="USD")
        if held.rent or not (held.new or held.used) or "(" in gpu.name:
            continue
        tried += 1
        first = assistant.respond(message(f"how much is a {gpu.name}"), None, NOW)[0].text.split("\n")[0]
        newest = max(one.offer.as_of.year for one in (*held.new, *held.used))
        assert str(newest) in first, first
    assert tried > 20
