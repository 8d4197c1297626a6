"""How a price of a past day stands: one rule, fitted on pairs of prices."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from math import log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.ageing import AGEING_DAYS, FRESH_DAYS, ageing, fit, pairs, spread, stands
from advisor.models import Offer, PricingModel
from tests.conftest import shared_catalog

CATALOG = shared_catalog()
TODAY = date(2026, 11, 22)
CARD = CATALOG.get_gpu("RTX 3090")


def used(days: int, confidence: str = "B", low: str = "1000", **more: object) -> Offer:
    """A second-hand price of so many days ago."""
    fields: dict[str, object] = {
        "id": f"o{days}{confidence}",
        "provider": "purchase",
        "provider_name": "",
        "gpu": CARD.id,
        "pricing_model": PricingModel.PURCHASE_USED,
        "low": low,
        "high": low,
        "currency": "USD",
        "unit": "card",
        "market": "US",
        "as_of": TODAY - timedelta(days=days),
        "confidence": confidence,
        "source": "s",
    }
    return Offer.model_validate(fields | more)


def test_the_spreads_in_the_file_are_the_fit_of_the_pairs() -> None:
    known = ageing().segments
    fitted = fit(pairs(), known)
    assert fitted.keys() == known.keys()
    for name, segment in known.items():
        assert (segment.monthly, segment.reading) == pytest.approx(fitted[name], abs=0.0006), name


def test_a_range_goes_no_further_than_pairs_of_its_market_lie_apart() -> None:
    """What no pair on record did in half a year, no old price is said to have done."""
    for name in ageing().segments:
        apart = [abs(log(one.after / one.before)) for one in pairs() if one.segment == name]
        drift = max((one.square / one.months for one in pairs() if one.segment == name), default=0.0)
        most = max([*apart, sqrt(drift * AGEING_DAYS / 30.4)], default=0.0)
        segment = ageing().segments[name]
        if not (segment.floor or segment.like):
            assert log(spread(name, 400)) <= most + 1e-6, name


def test_a_board_of_a_data_centre_stays_of_its_order_of_price() -> None:
    """Used A100 80GB PCIe, 8,000 to 15,000 dollars in May: no 40,000 and no 3,000."""
    card = CATALOG.get_gpu("A100 80GB PCIe")
    (may,) = [
        one
        for one in CATALOG.offers_for(card.id)
        if one.pricing_model is PricingModel.PURCHASE_USED and one.low == 8000
    ]
    held = stands(may, card, TODAY)
    assert held.low > 5500
    assert held.high < 21_000


def test_a_wide_statement_is_widened_less_than_a_narrow_one() -> None:
    narrow, wide = stands(used(150), CARD, TODAY), stands(used(150, high="2000"), CARD, TODAY)
    assert wide.factor < narrow.factor
    assert wide.low < 1000 < 2000 < wide.high


def test_every_pair_has_a_source_with_an_address_and_a_segment_that_is_used() -> None:
    assert len(pairs()) >= 50
    assert {pair.segment for pair in pairs()} <= set(ageing().segments)


def test_two_months_stand_then_a_range_then_it_has_to_be_checked() -> None:
    at = {days: stands(used(days), CARD, TODAY) for days in (FRESH_DAYS, FRESH_DAYS + 1, AGEING_DAYS, AGEING_DAYS + 1)}
    assert [one.widened for one in at.values()] == [False, True, True, True]
    assert [one.check_first for one in at.values()] == [False, False, False, True]
    assert at[61].low < 1000 < at[61].high
    assert at[61].value == 1000


def test_one_report_is_a_range_from_its_first_day() -> None:
    held = stands(used(3, "C"), CARD, TODAY)
    assert held.widened
    assert held.one_report
    assert held.low < Decimal(1000) < held.high
    assert not held.check_first


def test_a_record_of_its_time_is_told_as_it_was() -> None:
    held = stands(used(900), CARD, TODAY)
    assert (held.low, held.high, held.widened) == (1000, 1000, False)


def test_two_reports_of_one_seller_bracket_what_it_asks() -> None:
    (october,) = [one for one in CATALOG.offers_for("h20-96gb") if one.low == Decimal("10.50")]
    held = stands(october, CATALOG.get_gpu("H20"), TODAY, CATALOG.offers_for("h20-96gb"))
    assert (held.low, held.high) == (Decimal("7.58"), Decimal("10.50"))
    assert held.since is not None
    assert held.since.month == 8
    assert held.one_report


def test_an_hourly_list_price_of_a_home_card_hardly_moves_and_a_second_hand_card_does() -> None:
    assert spread("rent_list_consumer", 120) < 1.07
    assert spread("resale_quiet", 120) < 1.06
    assert spread("resale_current", 60) > 1.25
    assert spread("rent_server_month", 60) > spread("rent_list_consumer", 60)


@given(st.integers(0, 360), st.integers(0, 360), st.sampled_from("ABC"))
def test_a_range_never_narrows_with_age_and_always_holds_what_was_stated(first: int, second: int, grade: str) -> None:
    newer, older = sorted((first, second))
    young, old = stands(used(newer, grade), CARD, TODAY), stands(used(older, grade), CARD, TODAY)
    assert old.low <= young.low <= young.value <= young.high <= old.high


def test_every_price_has_an_address_a_market_and_a_day() -> None:
    for offer in CATALOG.offers:
        assert CATALOG.sources[offer.source].url, offer.id
        assert offer.market in {"CN", "US", "EU", "UK", "INTL"}
        assert offer.as_of <= TODAY


def test_a_share_of_a_machine_is_no_price_of_a_card() -> None:
    shares = [one for one in CATALOG.offers if one.provider == "lambda-hardware"]
    assert shares
    assert {one.unit for one in shares} == {"system_share"}


def test_prices_of_the_spring_of_runpod_keep_their_tier() -> None:
    autumn = [
        one
        for one in CATALOG.offers
        if one.provider == "runpod" and one.as_of == date(2026, 10, 4) and one.low in {Decimal("1.39"), Decimal("2.69")}
    ]
    assert {one.tier for one in autumn} == {"community"}
