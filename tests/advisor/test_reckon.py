"""Sums of anything that is counted and measured, by their units and nouns alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.calculators.joined import joined
from advisor.calculators.reckon import Stated, Units, Wanted, reckoned

HOURS: Units = {"hour": 1}
DATA: Units = {"gigabyte": 1}
SIZES = st.floats(min_value=1.5, max_value=900.0).map(lambda value: round(value, 3))


def of(value: float, mark: str = "", **unit: int) -> Stated:
    return Stated(value, unit, mark=mark)


@given(SIZES, SIZES, SIZES)
def test_so_many_of_so_many_of_each_take_so_long_each(products: float, variants: float, hours: float) -> None:
    said = [of(products, product=1), of(variants, variant=1, product=-1), of(hours, hour=1, item=-1)]
    found = reckoned(Wanted(HOURS), said)
    assert found is not None
    assert found.value == pytest.approx(products * variants * hours)


@given(SIZES, SIZES, st.permutations([0, 1, 2]))
def test_the_order_in_which_values_are_said_changes_nothing(cameras: float, days: float, order: list[int]) -> None:
    said = [of(cameras, camera=1), of(0.5, gigabyte=1, hour=-1, camera=-1), of(days, day=1)]
    found = reckoned(Wanted(DATA), [said[at] for at in order])
    assert found is not None
    assert found.value == pytest.approx(cameras * 0.5 * days * 24)


def test_what_works_side_by_side_takes_less_time() -> None:
    found = reckoned(Wanted(HOURS), [of(5, fold=1), of(0.5, hour=1, fold=-1), of(2, card=1)])
    assert found is not None
    assert found.value == pytest.approx(1.25)


def test_two_ways_to_different_values_are_none() -> None:
    assert reckoned(Wanted(HOURS), [of(3, hour=1), of(5, hour=1), of(2)]) is None


def test_another_unit_than_the_one_asked_for_is_none() -> None:
    assert reckoned(Wanted({"money": 1}), [of(8, camera=1), of(30, day=1)]) is None


def test_what_comes_on_top_is_added_to_the_product_before_it() -> None:
    said = [of(50, step=1), of(0.09, hour=1, step=-1), of(1.1, "+", hour=1)]
    parts = joined(said)
    assert parts is not None
    assert [part.stated.value for part in parts] == [pytest.approx(5.6)]


def test_what_is_taken_comes_off_the_whole() -> None:
    parts = joined([of(22.5, gigabyte=1), of(7.9, "-", gigabyte=1), of(0.46, gigabyte=1, item=-1)])
    assert parts is not None
    assert [part.stated.value for part in parts] == [pytest.approx(14.6), 0.46]


def test_what_comes_on_top_of_nothing_makes_no_sum() -> None:
    assert joined([of(3, card=1), of(5, "+", hour=1)]) is None
