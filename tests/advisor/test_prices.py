"""Prices: the age ladder, what may decide, conversion, and what is told as a record of its time."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.catalog import Catalog
from advisor.errors import NoRate
from advisor.models import Gpu, Offer, PricingModel, Provider, Rate
from advisor.prices import (
    AGEING_DAYS,
    FRESH_DAYS,
    STALE_DAYS,
    Age,
    age_of,
    cheapest_offer,
    price_of,
    provider_ranges,
)
from advisor.recommend.market import market as quotes_of_day
from advisor.standing import newest_of_each
from tests.conftest import shared_catalog

CATALOG = shared_catalog()
TODAY = date(2026, 11, 21)
CARD = Gpu(
    id="x-1",
    name="X 1",
    vendor="NVIDIA",
    family="GeForce",
    architecture="Ada Lovelace",
    msrp_usd=Decimal(999),
    release_date=date(2024, 5, 1),
    sources={"*": "s"},
)


def offer(ident: str = "o", **changes: object) -> Offer:
    fields: dict[str, object] = {
        "id": ident,
        "provider": "p",
        "provider_name": "P",
        "gpu": "x-1",
        "pricing_model": "on_demand",
        "low": "1",
        "high": "1",
        "currency": "USD",
        "unit": "gpu_hour",
        "market": "US",
        "as_of": TODAY,
        "confidence": "B",
        "source": "s",
    }
    return Offer.model_validate(fields | changes)


def market(*offers: Offer) -> Catalog:
    return Catalog(
        gpus=[CARD],
        ml_models=[],
        offers=offers,
        sources=[],
        providers=[Provider(id="p", name="P")],
        rates=[Rate(base="USD", currency="CNY", value=Decimal(7), as_of=date(2026, 1, 1), source="r")],
    )


class TestAgeLadder:
    @pytest.mark.parametrize(
        ("days", "age"),
        [
            (0, Age.FRESH),
            (FRESH_DAYS, Age.FRESH),
            (FRESH_DAYS + 1, Age.AGEING),
            (AGEING_DAYS, Age.AGEING),
            (AGEING_DAYS + 1, Age.STALE),
            (STALE_DAYS, Age.STALE),
            (STALE_DAYS + 1, Age.EXPIRED),
        ],
    )
    def test_each_step_ends_on_its_day(self, days: int, age: Age) -> None:
        assert age_of(offer(as_of=TODAY - timedelta(days=days)), TODAY) is age

    def test_a_record_is_expired_however_young(self) -> None:
        assert age_of(offer(historical=True), TODAY) is Age.EXPIRED

    def test_an_undated_copy_is_stale_at_best(self) -> None:
        assert age_of(offer(as_of_precision="unknown"), TODAY) is Age.STALE

    @given(st.integers(0, 2000), st.integers(0, 2000))
    def test_a_price_never_gets_younger(self, first: int, second: int) -> None:
        order = list(Age)
        early, late = sorted((first, second))
        ages = [age_of(offer(as_of=TODAY - timedelta(days=days)), TODAY) for days in (early, late)]
        assert order.index(ages[0]) <= order.index(ages[1])


class TestWhatDecides:
    def test_the_cheapest_recent_offer_decides(self) -> None:
        held = market(offer("a", low="2", high="2", provider="a"), offer("b", low="1.5", high="1.5", provider="b"))
        best = cheapest_offer(held, CARD, on=TODAY, currency="USD")
        assert best is not None
        assert best.offer.id == "b"

    def test_a_stale_price_yields_to_a_recent_one_even_when_it_is_lower(self) -> None:
        old = offer("old", low="0.1", high="0.1", provider="a", as_of=TODAY - timedelta(days=300))
        best = cheapest_offer(market(old, offer("new", provider="b")), CARD, on=TODAY, currency="USD")
        assert best is not None
        assert best.offer.id == "new"

    def test_an_expired_price_never_decides_alone(self) -> None:
        expired = offer("old", as_of=TODAY - timedelta(days=400))
        held = market(expired)
        assert cheapest_offer(held, CARD, on=TODAY, currency="USD") is None
        assert [one.offer.id for one in price_of(held, [CARD], on=TODAY, currency="USD").records] == ["old"]

    def test_only_the_terms_that_were_asked_for_count(self) -> None:
        held = market(offer("spot", pricing_model="spot", low="0.2", high="0.2"), offer("demand"))
        best = cheapest_offer(held, CARD, on=TODAY, currency="USD")
        assert best is not None
        assert best.offer.id == "demand"
        spot = cheapest_offer(held, CARD, on=TODAY, currency="USD", terms=[PricingModel.SPOT])
        assert spot is not None
        assert spot.offer.id == "spot"

    def test_the_shipped_catalogue_decides_by_prices_of_this_autumn(self) -> None:
        best = cheapest_offer(CATALOG, CATALOG.get_gpu("3090"), on=TODAY, currency="CNY", provider="autodl")
        assert best is not None
        assert (best.offer.tier, best.low.amount) == ("member", Decimal("1.32"))


class TestPriceLists:
    def test_purchase_prices_are_told_as_what_they_are(self) -> None:
        listed = price_of(CATALOG, [CATALOG.get_gpu("RTX 2070")], on=TODAY, currency="USD")
        assert not listed.new
        assert not listed.used
        assert [one.offer.as_of.year for one in listed.launch] == [2018]
        assert sorted(one.low.amount for one in listed.records) == [260, 300, 400]

    def test_a_launch_price_comes_from_the_card_when_no_row_has_it(self) -> None:
        (launch,) = price_of(market(), [CARD], on=TODAY, currency="USD").launch
        assert (launch.low.amount, launch.offer.as_of, launch.age) == (Decimal(999), date(2024, 5, 1), Age.EXPIRED)

    def test_the_past_knows_nothing_of_the_future(self) -> None:
        then = date(2020, 10, 9)
        listed = price_of(CATALOG, [CATALOG.get_gpu("RTX 3090")], on=then, currency="USD")
        assert not listed.rent
        assert all(one.offer.as_of <= then for shelf in (listed.launch, listed.records) for one in shelf)
        assert [one.low.amount for one in listed.launch] == [1499]

    def test_an_earlier_price_of_the_same_terms_is_superseded(self) -> None:
        old = offer("old", as_of=TODAY - timedelta(days=90))
        assert newest_of_each([old, offer("new")]) == newest_of_each([offer("new"), old]) == (offer("new"),)

    def test_a_price_of_all_machines_gives_way_to_newer_ones_by_machine_that_say_the_same(self) -> None:
        whole = offer("whole", low="3", high="4", as_of=TODAY - timedelta(days=90))
        node, single = (
            offer("node", tier="8-gpu-node", low="3", high="3"),
            offer("single", tier="1-gpu", low="4", high="4"),
        )
        assert newest_of_each([whole, node, single]) == (node, single)
        dearer = offer("whole", low="3", high="5", as_of=TODAY - timedelta(days=90))
        assert newest_of_each([dearer, node, single]) == (dearer, node, single)
        assert newest_of_each([whole, node.model_copy(update={"provider": "another"})])[0] == whole

    def test_conversion_says_at_which_rate_of_which_day(self) -> None:
        (rent,) = price_of(market(offer(low="1", high="2")), [CARD], on=TODAY, currency="CNY").rent
        assert (rent.low.amount, rent.high.amount, rent.low.currency) == (7, 14, "CNY")
        assert rent.converted
        assert rent.is_range
        price, rate = rent.trace.inputs
        assert (price.how, rate.how, rate.as_of) == ("price", "rate", date(2026, 1, 1))

    def test_a_currency_without_a_rate_is_refused(self) -> None:
        with pytest.raises(NoRate):
            price_of(market(offer()), [CARD], on=TODAY, currency="XAU")

    def test_market_ranges_and_systems_are_no_offers(self) -> None:
        listed = price_of(CATALOG, CATALOG.gpu_variants("A100"), on=TODAY, currency="USD")
        assert {one.offer.provider for one in listed.ranges} == {"market"}
        assert "market" not in {one.offer.provider for one in listed.rent}
        assert all(one.offer.provider != "lambda-hardware" for one in listed.new)

    def test_ranges_by_provider_are_cheapest_first(self) -> None:
        ranges = provider_ranges(price_of(CATALOG, CATALOG.gpu_variants("4090"), on=TODAY, currency="CNY"))
        solid = [one for one in ranges if one.age.solid and not one.converted]
        assert ranges[: len(solid)] == tuple(solid)  # prices of the asker's own market before converted ones
        assert [one.low.amount for one in solid] == sorted(one.low.amount for one in solid)
        autodl = next(one for one in ranges if one.provider == "autodl")
        assert (autodl.low.amount, autodl.high.amount) == (Decimal("1.88"), Decimal("1.98"))

    @given(
        st.lists(st.tuples(st.integers(1, 500), st.integers(0, 500), st.sampled_from("abcd")), max_size=12),
        st.randoms(use_true_random=False),
    )
    def test_the_order_of_offers_leaves_no_trace(self, rows: list[tuple[int, int, str]], shuffler: Random) -> None:
        offers = [
            offer(
                f"o{index}",
                low=str(cents / 100),
                high=str(cents / 100),
                provider=provider,
                as_of=TODAY - timedelta(days=days),
            )
            for index, (cents, days, provider) in enumerate(rows)
        ]
        shuffled = list(offers)
        shuffler.shuffle(shuffled)
        one, other = (price_of(market(*held), [CARD], on=TODAY, currency="USD") for held in (offers, shuffled))
        assert one == other

    @given(st.lists(st.tuples(st.integers(1, 500), st.integers(0, 900)), min_size=1, max_size=12))
    def test_the_first_rental_is_the_cheapest_of_the_freshest(self, rows: list[tuple[int, int]]) -> None:
        offers = [
            offer(f"o{i}", low=str(cents), high=str(cents), provider=f"p{i}", as_of=TODAY - timedelta(days=days))
            for i, (cents, days) in enumerate(rows)
        ]
        listed = price_of(market(*offers), [CARD], on=TODAY, currency="USD")
        fresh = [one for one in offers if age_of(one, TODAY) is Age.FRESH]
        solid = fresh or [one for one in offers if age_of(one, TODAY).solid]
        if solid:
            assert listed.rent[0].middle == min(one.low for one in solid)
        assert len(listed.rent) + len(listed.records) == len(offers)


@pytest.mark.parametrize("currency", ["USD", "CNY", "EUR"])
def test_a_price_lies_within_its_range_in_every_currency(currency: str) -> None:
    made = quotes_of_day(CATALOG, TODAY, currency)
    quotes = [quote for channel in (made.buy, made.rent) for listed in channel.values() for quote in listed]
    assert len(quotes) > 100
    assert [quote.offer for quote in quotes if not quote.low <= quote.price <= quote.high] == []
