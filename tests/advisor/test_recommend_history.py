"""The documents' advice, replayed with the cards and prices of its day."""

from __future__ import annotations

from datetime import date

import pytest

from advisor.recommend.history import Advice, advice_by_year, find_advice, recommend_as_of, replay
from advisor.recommend.models import Channel, Need
from tests.conftest import shared_catalog

CATALOG = shared_catalog()
REPLAYED = [entry for entry in advice_by_year() if entry.replay is not None]


@pytest.mark.parametrize("entry", REPLAYED, ids=lambda entry: entry.id)
def test_the_advisor_of_that_day_agrees_or_the_difference_is_explained(entry: Advice):
    found = replay(entry, CATALOG)
    assert found.agrees != bool(entry.differs), f"gives {found.picks}, the document {entry.advises}"


def test_most_of_the_advice_is_reproduced():
    agreed = [entry.id for entry in REPLAYED if replay(entry, CATALOG).agrees]
    assert len(agreed) >= 0.7 * len(REPLAYED)


def test_every_advice_names_known_cards_rows_and_a_source():
    for entry in advice_by_year():
        assert entry.rows
        assert entry.source in CATALOG.sources
        for name in entry.advises:
            assert CATALOG.find_gpu(name) is not None, name


def test_a_past_day_knows_no_later_card():
    found = recommend_as_of(date(2020, 10, 9), Need(vram_gib=8, deploy=Channel.BUY), CATALOG)
    assert all(o.gpu.known_on and o.gpu.known_on <= date(2020, 10, 9) for o in found.ranked)
    assert all(o.quote.as_of is None or o.quote.as_of <= date(2020, 10, 9) for o in found.ranked)


def test_advice_is_found_by_situation_year_and_card():
    assert {entry.as_of.year for entry in find_advice(who="kaggle")} == {2019, 2020}
    assert all(entry.as_of.year == 2019 for entry in find_advice(year=2019))
    assert any(entry.id == "avoid-2020" for entry in find_advice(gpu="TITAN RTX"))
