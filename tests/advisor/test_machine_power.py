"""Power supplies: sums that can be done by hand, the documents' own cases, and what more cards must never do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.errors import OutOfRange
from advisor.machine import CardGroup, Machine, Verdict
from advisor.machine.plugs import check_circuit, check_connectors, eight_pins, wants_sixteen_pin
from advisor.machine.power import check_power, power_need, sensible_limit
from advisor.machine.power_limit import kept_speed, limit_advice
from tests.conftest import shared_catalog

CATALOG = shared_catalog()
POWERED = sorted(name for name in CATALOG.gpus if CATALOG.get_gpu(name).board_power_w)


def cards(name: str, count: int = 1, limit: float | None = None) -> tuple[CardGroup, ...]:
    return (CardGroup(gpu=CATALOG.get_gpu(name), count=count, limit_w=limit),)


def test_two_4090_want_1200_watts_and_a_1500_watt_supply() -> None:
    need = power_need(cards("RTX 4090", 2))
    assert need.cards_w == 2 * 450
    assert need.floor_w == 2 * 450 + 300
    assert need.advised_w == pytest.approx(900 + 300 + 0.2 * 900)
    assert need.size_w == 1500


@pytest.mark.parametrize(("gpu", "vendor_says"), [("RTX 4090", 850), ("RTX 5090", 1000), ("RTX 3090", 750)])
def test_one_big_card_gets_the_supply_that_its_maker_asks_for(gpu: str, vendor_says: int) -> None:
    assert power_need(cards(gpu)).size_w == vendor_says


def test_four_3090_need_1700_watts_as_the_guide_of_2020_says() -> None:
    need = power_need(cards("RTX 3090", 4))
    assert need.cards_w == 1400
    assert need.floor_w == 1700
    item = check_power(Machine(cards=cards("RTX 3090", 4), psu_w=1600))
    assert item.verdict is Verdict.FAIL
    assert "E53" in item.conflicts


def test_four_3080_run_on_1600_watts_with_little_to_spare() -> None:
    need = power_need(cards("RTX 3080 10GB", 4))
    assert need.cards_w == 1280
    item = check_power(Machine(cards=cards("RTX 3080 10GB", 4), psu_w=1600))
    assert item.verdict is Verdict.WARN


def test_three_3090_fit_1200_watts_only_with_a_power_limit() -> None:
    assert check_power(Machine(cards=cards("RTX 3090", 3), psu_w=1200)).verdict is Verdict.FAIL
    assert power_need(cards("RTX 3090", 3, 280)).floor_w == 3 * 280 + 300
    limited = check_power(Machine(cards=cards("RTX 3090", 3, 280), psu_w=1200))
    assert limited.verdict is Verdict.WARN
    advice = next(n for n in check_power(Machine(cards=cards("RTX 3090", 3), psu_w=1200)).actions)
    assert advice.code == "machine_psu_limit"
    assert advice.values["helps"] is True


def test_the_limit_of_the_3090_is_the_measured_one_and_of_the_4090_a_share() -> None:
    assert sensible_limit(CATALOG.get_gpu("RTX 3090")) == 280
    assert sensible_limit(CATALOG.get_gpu("RTX 4090")) == 360
    assert limit_advice(CATALOG.get_gpu("RTX 4090")).reasons[0].values["games"][0]["watts"] == 300


def test_a_workstation_processor_adds_to_the_rest() -> None:
    assert power_need(cards("RTX 4090"), "threadripper pro 5975wx").rest_w > power_need(cards("RTX 4090")).rest_w


def test_plugs_follow_from_what_each_carries() -> None:
    assert eight_pins(CATALOG.get_gpu("RTX 3090")) == 2  # (350 - 75) / 150, rounded up
    assert eight_pins(CATALOG.get_gpu("RTX 4090")) == 3  # (450 - 75) / 150 is 2.5
    assert wants_sixteen_pin(CATALOG.get_gpu("RTX 4090"))
    assert not wants_sixteen_pin(CATALOG.get_gpu("RTX 3090"))
    assert not wants_sixteen_pin(CATALOG.get_gpu("RTX 4060"))


def test_missing_plugs_fail_and_adapters_are_a_warning() -> None:
    lacking = check_connectors(Machine(cards=cards("RTX 4090", 2), psu_sixteen_pin=1, psu_eight_pin=2))
    adapted = check_connectors(Machine(cards=cards("RTX 4090", 2), psu_sixteen_pin=1, psu_eight_pin=3))
    native = check_connectors(Machine(cards=cards("RTX 4090", 2), psu_sixteen_pin=2, psu_eight_pin=0))
    assert [item.verdict for item in (lacking, adapted, native) if item] == [
        Verdict.FAIL,
        Verdict.WARN,
        Verdict.PASS,
    ]


def test_four_4090_are_too_much_for_an_american_15_amp_circuit_but_not_for_a_chinese_16_amp_one() -> None:
    america = check_circuit(Machine(cards=cards("RTX 4090", 4), region="US"))
    china = check_circuit(Machine(cards=cards("RTX 4090", 4), region="CN"))
    assert america is not None
    assert america.verdict is Verdict.FAIL
    assert china is not None
    assert china.verdict is Verdict.WARN


def test_no_region_no_word_about_sockets() -> None:
    assert check_circuit(Machine(cards=cards("RTX 4090"))) is None


def test_a_thousand_cards_in_one_machine_are_refused() -> None:
    with pytest.raises(OutOfRange):
        power_need(cards("RTX 4090", 1000))


@given(name=st.sampled_from(POWERED), count=st.integers(1, 64), more=st.integers(1, 64))
def test_more_cards_never_need_a_smaller_supply(name: str, count: int, more: int) -> None:
    few, many = power_need(cards(name, count)), power_need(cards(name, count + more))
    assert many.size_w >= few.size_w
    assert many.floor_w > few.floor_w


@given(name=st.sampled_from(POWERED), count=st.integers(1, 16), watts=st.floats(50, 1000))
def test_a_power_limit_never_raises_the_need(name: str, count: int, watts: float) -> None:
    assert power_need(cards(name, count, watts)).floor_w <= power_need(cards(name, count)).floor_w


@given(name=st.sampled_from(POWERED), count=st.integers(1, 16), psu=st.floats(100, 5000), more=st.floats(0, 3000))
def test_a_larger_supply_is_never_judged_worse(name: str, count: int, psu: float, more: float) -> None:
    order = [Verdict.FAIL, Verdict.WARN, Verdict.PASS]
    small = check_power(Machine(cards=cards(name, count), psu_w=psu)).verdict
    large = check_power(Machine(cards=cards(name, count), psu_w=psu + more)).verdict
    assert order.index(large) >= order.index(small)


@given(name=st.sampled_from(POWERED), count=st.integers(1, 64))
def test_the_advised_supply_is_enough(name: str, count: int) -> None:
    need = power_need(cards(name, count))
    assert check_power(Machine(cards=cards(name, count), psu_w=need.size_w)).verdict is Verdict.PASS


def test_speed_at_a_limit_falls_with_it_and_text_loses_less_than_training() -> None:
    shares = [kept_speed(100, watts) for watts in (100, 90, 80, 70)]
    kept = [one for one in shares if one is not None]
    assert len(kept) == len(shares)
    assert [one.training for one in kept] == sorted((one.training for one in kept), reverse=True)
    assert kept[0].training == kept[0].text == 1
    assert all(one.text >= one.training for one in kept)
    assert kept_speed(350, 280) == kept_speed(450, 360)


def test_below_what_was_measured_no_speed_is_told() -> None:
    assert kept_speed(350, 100) is None
    assert limit_advice(CATALOG.get_gpu("RTX 3090"), 100).headline.code == "machine_limit_low"


def test_a_limit_at_board_power_costs_nothing() -> None:
    assert limit_advice(CATALOG.get_gpu("RTX 3090"), 350).headline.code == "machine_limit_none"
