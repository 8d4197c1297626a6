"""Every price of a first line has a day, a market and an address; over all labelled questions, both languages."""

from __future__ import annotations

import re
from datetime import date

import pytest

from advisor.catalog import Catalog
from advisor.models import Offer
from bot.channels.markup import plain_text
from tests.conftest import shared_catalog
from tests.every_question.asked import said

CATALOG: Catalog = shared_catalog()
PRICED = frozenset({"price_lookup", "recommend_gpu", "used_or_cheap", "compare_gpus", "rent_or_buy", "estimate_cost"})
MONEY = re.compile(r"[\u00a5$\u20ac\u00a3]\s?\d")
DAY = re.compile(r"\b(20\d\d)(?:-(\d\d)(?:-(\d\d))?)?")
OWN = re.compile(
    "your price|you were asked for|your quote|\u4f60\u7684\u62a5\u4ef7|\u4f60\u770b\u5230\u7684|\u4f60\u8bf4\u7684\u4ef7"
)
"""The asker's own price is shown as such."""
UNDATED = ("undated", "\u65e5\u671f\u4e0d\u660e")
CONVERTED = re.compile("converted|\u6298\u7b97")
HOME = {"\u00a5": "CNY", "$": "USD", "\u20ac": "EUR", "\u00a3": "GBP"}
SUMS = re.compile("kWh|\u5ea6|in all|\u4e00\u5171|electricity|\u7535\u8d39", re.IGNORECASE)
"""What is computed from amounts that the asker gave."""
DATED_BELOW = frozenset({"rent_or_buy", "compare_gpus"})
"""Needs whose first line judges by prices that stand with their days in the lines below; a passage (nothing was computed)
has those of its sources there.
"""
MARKETS = re.compile(
    r"\b(US|EU|UK|international|China)\b|\ba (US|Chinese|European|UK|international) price"
    "|\u7f8e\u56fd|\u56fd\u5185|\u6b27\u6d32|\u82f1\u56fd|\u56fd\u5916"
)
SELLERS = tuple(
    {
        name
        for one in CATALOG.providers.values()
        if one.kind not in {"shop", "market"}
        for name in (one.name, one.name_zh)
    }
    - {"", None}
)
LAUNCH = re.compile("launch price|MSRP|\u9996\u53d1|\u53d1\u5e03\u4ef7")
UNNAMED = 0
"""Dated dollar prices of a first line without a market: dollars are asked in many. May only fall."""
ASKING = re.compile(r"\?|\uff1f")


def first_lines(texts: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """Question, need and first line of what is answered with money; with the prices that sums over a time rest on."""
    found = []
    for text in texts:
        reply = said(text)
        lines = plain_text(reply.text).splitlines() if reply.text else []
        own = bool(reply.facts) and all(fact.basis == "given" for fact in reply.facts)  # a sum of the asker's figures
        if lines and not own and reply.intent in PRICED and MONEY.search(lines[0]):
            below = reply.intent in DATED_BELOW or {fact.name for fact in reply.facts} == {"passage"}
            rests_on = [line for line in lines[1:] if DAY.search(line)] if below else []
            found.append((text, reply.intent, "\n".join((lines[0], *rests_on))))
    return found


@pytest.fixture(scope="session")
def told(texts: tuple[str, ...]) -> list[tuple[str, str, str]]:
    return first_lines(texts)


def test_every_price_of_a_first_line_has_its_day(told: list[tuple[str, str, str]]) -> None:
    bare = [
        one
        for one in told
        if not (DAY.search(one[2]) or OWN.search(one[2]) or SUMS.search(one[2]) or ASKING.search(one[2]))
        and not any(word in one[2] for word in UNDATED)
        and not MONEY.search(one[0])
    ]
    assert len(told) > 25
    assert bare == []


def test_a_price_in_another_market_s_money_says_so(told: list[tuple[str, str, str]]) -> None:
    wrong = []
    tried = 0
    for text, need, line in told:
        offers = _of_cards_in(line)
        days = {found[0] for found in DAY.finditer(line)}
        dated = [one for one in offers if any(_on(one, day) for day in days)]
        for sign in set(re.findall("[\u00a5$]", line)):
            if dated and not CONVERTED.search(line) and HOME[sign] not in {one.currency for one in dated}:
                wrong.append((text, need, line))
            tried += bool(dated)
    assert tried > 25
    assert wrong == []


def test_a_price_in_dollars_names_its_market_or_its_seller(texts: tuple[str, ...]) -> None:
    """Yuan, euros and pounds are of one market; one that is converted says so (above)."""
    bare, tried = [], 0
    for text in texts:
        reply = said(text)
        line = (plain_text(reply.text).splitlines() or [""])[0]
        if {fact.name for fact in reply.facts} == {"passage"} or not ("$" in line and DAY.search(line)):
            continue
        tried += 1
        told = MARKETS.search(line) or OWN.search(line) or LAUNCH.search(line) or any(one in line for one in SELLERS)
        bare += [] if told else [(text, line)]
    assert tried > 15
    assert len(bare) <= UNNAMED, bare


def test_every_price_on_record_has_an_address_a_market_and_a_day() -> None:
    bare = [one.id for one in CATALOG.offers if not (CATALOG.sources[one.source].url and one.market and one.as_of)]
    assert bare == []


def _of_cards_in(line: str) -> list[Offer]:
    """Prices of the cards that a line names."""
    named = {gpu.id for gpu in CATALOG.gpus.values() if gpu.name in line}
    return [one for one in CATALOG.offers if one.gpu in named]


def _on(offer: Offer, day: str) -> bool:
    """Whether a price is of a day, month or year as told."""
    return isinstance(offer.as_of, date) and offer.as_of.isoformat().startswith(day)
