"""Money: the documents' worked sums, by hand calculation, and what must hold for every bill."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.errors import NoRate, OutOfRange, UnknownName
from advisor.models import Money, PricingModel
from advisor.money import (
    Ownership,
    Span,
    break_even,
    budget_split,
    carbon_of,
    card_power,
    document_example,
    electricity_bill,
    energy_used,
    price_gap,
    price_of_several,
    rental_bill,
    subscription,
    value_for_money,
    value_gain,
)
from advisor.money.energy import find_region, price_of_region
from tests.advisor.recommend_market import TODAY, card, catalog, dollars, offer
from tests.conftest import shared_catalog

CATALOG = shared_catalog()


def owned(card_price: float = 1600, host: float = 700, watts: float = 450, kwh: float = 0.12) -> Ownership:
    return Ownership(
        card=Span.of(card_price),
        host=Span.of(host),
        resale=Span.of(0),
        power_w=Span.of(watts),
        kwh_price=Span.of(kwh),
        currency="USD",
    )


# --- the documents' sums ---


@pytest.mark.parametrize(
    ("share", "days"), [("0.15", "293.0"), ("0.10", "439.4"), ("0.35", "125.6"), ("0.60", "73.2"), ("0.05", "878.9")]
)
def test_break_even_of_the_2020_example_by_utilization(share, days):
    exact = document_example(Decimal(share)).exact
    assert exact.days is not None
    assert exact.days.value.quantize(Decimal("0.1")) == Decimal(days)


def test_the_2020_example_as_printed():
    example = document_example()
    assert example.kwh_per_year == Decimal("591.3")  # (350 + 100) W x 0.15 x 8760 h
    assert round(example.power_per_year) == 71
    assert round(example.rent_300_days) == 2311
    assert round(example.own_first_year) == 2271  # the article prints 2270
    assert example.exact.hours is not None
    assert example.exact.hours.value.quantize(Decimal("0.1")) == Decimal("1054.7")
    assert round(example.shortcut_days) == 295  # a whole year of electricity charged: "about 300"


def test_break_even_names_the_rows_it_applies():
    step = document_example().exact.trace
    rows = {row for part in (step, *step.inputs, *step.inputs[0].inputs) for row in part.rows}
    assert {"002-224", "002-225", "002-226", "002-227", "002-229"} <= rows


def test_electricity_of_a_card_and_its_computer():
    energy = energy_used(Span.of(350), Decimal("1314"))
    assert energy.kwh.value == Decimal("591.3")
    bill = electricity_bill(energy, Span.of(Decimal("0.12")), "USD")
    assert bill.cost.value.quantize(Decimal("0.01")) == Decimal("70.96")
    assert "002-225" in bill.trace.rows


def test_value_gain_of_the_3090_over_the_2080_ti():
    assert value_gain(1.57, 1.15).value == pytest.approx(1.365, abs=0.001)
    assert value_gain(1.5, 1.15).value == pytest.approx(1.304, abs=0.001)


def test_value_counts_the_whole_computer():
    assert value_for_money(100, 700, 300, 1).value == pytest.approx(0.1)
    assert value_for_money(100, 700, 300, 4).value == pytest.approx(100 / 1900)


def test_price_gap_and_price_of_several():
    assert price_gap(dollars(699), dollars(499)).value == 200
    assert price_of_several(dollars(15000), 8).value == 120000
    assert subscription(dollars(10), 3).value == 30


def test_budget_split_by_money_and_by_machines():
    prototype, scale = budget_split(dollars(10000)).parts
    assert (prototype.amount.low, prototype.amount.high) == (Decimal("6600.00"), Decimal("8000.00"))
    assert (scale.amount.low, scale.amount.high) == (Decimal("2000.00"), Decimal("3300.00"))
    machines = budget_split(dollars(10000), "machines").parts
    assert machines[0].amount.value == Decimal("6600.00")


# --- rent or buy ---


def test_no_break_even_when_rent_is_no_dearer_than_electricity():
    found = break_even(owned(), rent=Decimal("0.05"), utilization=Decimal("0.5"))
    assert found.hours is None
    assert found.days is None
    assert found.verdict == "rent"


def test_the_verdict_turns_where_the_days_say():
    at_150 = break_even(owned(), Decimal("0.8"), Decimal("1"), 10)
    days = at_150.days
    assert days is not None
    before = break_even(owned(), Decimal("0.8"), Decimal("1"), days.value - 1)
    after = break_even(owned(), Decimal("0.8"), Decimal("1"), days.value + 1)
    assert (before.verdict, after.verdict) == ("rent", "buy")


def test_ranges_of_prices_give_ranges_of_days():
    found = break_even(owned(), Span.between(Decimal("0.5"), Decimal("1")), Decimal("0.5"))
    assert found.days is not None
    assert found.days.low < found.days.value < found.days.high


def test_resale_shortens_the_way():
    plain = break_even(owned(), 1, 0.5).days
    sold = break_even(owned().model_copy(update={"resale": Span.of(500)}), 1, 0.5).days
    assert plain is not None
    assert sold is not None
    assert sold.value < plain.value


@given(st.floats(0.01, 1), st.floats(0.01, 1))
def test_more_use_never_makes_owning_pay_later(one, other):
    low, high = sorted((one, other))
    slow, fast = break_even(owned(), 1, low).days, break_even(owned(), 1, high).days
    assert slow is not None
    assert fast is not None
    assert fast.value <= slow.value


@pytest.mark.parametrize("share", [-0.1, 1.5, float("nan"), float("inf")])
def test_utilization_must_be_a_share(share):
    with pytest.raises(OutOfRange):
        break_even(owned(), 1, share)


# --- rental bills ---


def market():
    gpus = [card("A", 24, 10)]
    offers = [
        offer("a", 1.0),
        offer("a", 0.6, PricingModel.SPOT),
        offer("a", 0.9, as_of=date(2024, 1, 1), provider="lambda"),
    ]
    return catalog(gpus, offers)


def test_a_bill_is_price_times_cards_times_hours():
    bill = rental_bill(market(), market().gpus["a"], 24, today=TODAY, currency="USD", n=4)
    assert bill.gpu_hours == 96
    assert bill.best is not None
    assert bill.best.total.value == 96
    assert bill.best.terms == "on_demand"


def test_an_expired_price_never_comes_first():
    bill = rental_bill(market(), market().gpus["a"], 1, today=TODAY, currency="USD")
    assert [line.provider for line in bill.lines] == ["runpod", "runpod", "lambda"]


def test_the_users_price_replaces_all_offers():
    bill = rental_bill(market(), market().gpus["a"], 10, today=TODAY, currency="USD", own_price=dollars(0.49))
    assert [line.total.value for line in bill.lines] == [Decimal("4.90")]


def test_data_disk_is_added_to_every_line():
    bill = rental_bill(market(), market().gpus["a"], 10, today=TODAY, currency="USD", storage=dollars(4))
    assert bill.best is not None
    assert bill.best.total.value == 14
    assert any("001-005" in step.rows for step in bill.best.trace.inputs)


@given(st.integers(1, 10_000), st.integers(1, 64))
def test_bills_are_linear_in_gpu_hours(hours, n):
    one = rental_bill(market(), market().gpus["a"], 1, today=TODAY, currency="USD").best
    many = rental_bill(market(), market().gpus["a"], hours, today=TODAY, currency="USD", n=n).best
    assert one is not None
    assert many is not None
    assert many.total.value == one.total.value * hours * n


@pytest.mark.parametrize("hours", [-5, float("nan"), 1e9])
def test_hours_must_be_real(hours):
    with pytest.raises(OutOfRange):
        rental_bill(market(), market().gpus["a"], hours, today=TODAY, currency="USD")


def test_a_currency_without_a_rate_is_refused():
    with pytest.raises(NoRate):
        rental_bill(
            market(),
            market().gpus["a"],
            1,
            today=TODAY,
            currency="USD",
            own_price=Money(amount=Decimal(1), currency="XAU"),
        )


# --- energy and carbon ---


def test_a_card_of_unknown_power_has_no_bill():
    assert card_power(card("A", 24, 10, board_power_w=None)) is None
    measured = card_power(card("A", 24, 10, board_power_w=None), watts=200)
    assert measured is not None
    assert measured.value == 200


def test_china_has_three_factors_and_follows_the_newest_official_one():
    energy = energy_used(Span.of(900), 1, host_w=100)
    found = carbon_of(energy, "中国")
    assert found.kg.value == Decimal("0.5306")
    assert [(factor.g_per_kwh, kg.value) for factor, kg in found.others] == [
        (Decimal("536.6"), Decimal("0.5366")),
        (Decimal("582"), Decimal("0.5820")),
    ]


def test_regions_are_found_by_their_names():
    assert find_region("Germany") == "DE"
    assert find_region("四川") == "CN-SOUTHWEST"
    assert price_of_region("CN-SOUTHWEST") == price_of_region("CN")
    with pytest.raises(UnknownName):
        carbon_of(energy_used(Span.of(100), 1), "Atlantis")


def test_every_energy_source_is_on_record():
    from advisor.money.energy import energy_data

    for region in energy_data().regions.values():
        for factor in region.factors:
            assert factor.source in CATALOG.sources
        if region.price:
            assert region.price.source in CATALOG.sources


@given(st.decimals("0.1", "1000", places=2), st.decimals("0.1", "1000", places=2), st.decimals("0.1", "10", places=2))
def test_spans_keep_their_order(one, other, factor):
    span = Span.between(one, other).times(factor).plus(one)
    assert span.low <= span.value <= span.high
    assert span.minus(span.high).low == 0
