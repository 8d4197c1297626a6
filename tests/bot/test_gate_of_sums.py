"""Which messages may ask for a sum: those with a number of their own, in figures or in words."""

from __future__ import annotations

import pytest

from bot.pipeline import Assistant
from bot.road.start import refreshed
from tests.bot.labelled import NOW, message


def _values(assistant: Assistant, text: str) -> dict[str, float] | None:
    understanding = assistant.understander.understand(text)
    amounts = assistant.sums.read(text, understanding, refreshed(None, message(text), NOW))
    return None if amounts is None else dict(amounts.values)


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("what wattage do two 3090s need, how many watts?", 2),
        ("\u4e24\u5f204090\u8981\u591a\u5c11\u74e6\u7535\u6e90", 2),
        ("\u5169\u5f354090\u8981\u591a\u5c11\u74e6\u96fb\u6e90", 2),
        ("\u53cc3090\u4e00\u5171\u591a\u5c11\u74e6", 2),
        ("how many watts do four 4090s take in all?", 4),
        ("how many watts do 4x 4090 take in all?", 4),
    ],
)
def test_a_number_in_words_beside_a_name_is_read(assistant: Assistant, text: str, cards: int) -> None:
    values = _values(assistant, text)
    assert values is not None
    assert values["cards"] == cards


@pytest.mark.parametrize(
    "text",
    [
        "which is faster, a 3090 or a 4090?",
        "4090\u80fd\u8dd1qwen2.5-14b\u5417",
        "RTX 3060 12GB vs rtx 4060 ti 16gb, how much slower?",
    ],
)
def test_numbers_of_names_ask_for_no_sum(assistant: Assistant, text: str) -> None:
    assert _values(assistant, text) is None
