"""A passage says the same in both languages: a figure with a decimal point in one stands in the other as well."""

from __future__ import annotations

import re
from typing import Final

import pytest

from knowledge.store import Library
from tests.conftest import shared_library

_DECIMAL: Final = re.compile(r"(?<![\d.])\d[\d,]*\.\d+(?![\d.])")
_NUMBER: Final = re.compile(r"\d[\d,]*(?:\.\d+)?")
_SCALES: Final = (1.0, 1e4, 1e8, 1e-4, 1e-8, 1e2, 1e-2, 1e3, 1e-3, 1e-6, 1e6, 1e5, 1e-5)
"""Ten thousands and hundred millions in Chinese, thousands and millions in English, shares and percent."""


@pytest.fixture(scope="module")
def library() -> Library:
    return shared_library()


def values(text: str, pattern: re.Pattern[str]) -> set[float]:
    return {float(found.replace(",", "")) for found in pattern.findall(text)}


def lacking(text: str, other: str) -> set[float]:
    """Decimal figures of a text that stand in the other in no scale."""
    known = values(other, _NUMBER)
    return {
        value
        for value in values(text, _DECIMAL)
        if not any(abs(value * scale - one) <= 0.006 * abs(one) for scale in _SCALES for one in known)
    }


# one language writes factors (1.01 to 1.03), the other the percentages that they add
_OTHERWISE: Final = frozenset({"ampere-theory-speedup-2020"})


@pytest.mark.parametrize("part", ["short", "full", "today"])
def test_a_decimal_figure_stands_in_both_languages(library: Library, part: str) -> None:
    apart = {}
    for name in library.ids:
        texts = [getattr(library.get(name).texts(language), part) or "" for language in ("zh", "en")]
        missing = lacking(*texts) | lacking(*reversed(texts))
        if missing and name not in _OTHERWISE:
            apart[name] = missing
    assert apart == {}
