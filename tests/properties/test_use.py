"""Hours, cards and power scale as they must, over the whole road and in both languages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from advisor.jobs.draw import draw_of
from advisor.machine import CardGroup
from advisor.machine.power import power_need
from tests.bot.labelled import NOW, message
from tests.conftest import shared_catalog

if TYPE_CHECKING:
    from bot.pipeline import Assistant

CATALOG: Final = shared_catalog()


def _fact(assistant: Assistant, text: str, name: str) -> float:
    reply = assistant.respond(message(text), None, NOW)[0]
    found = {fact.name: fact.value for fact in reply.facts}
    assert name in found, f"{text}: {reply.intent}, {sorted(found)}"
    return float(str(found[name]))


@pytest.mark.parametrize(
    ("whole", "part", "share"),
    [
        ("rent a 4090 for a month, cost?", "rent a 4090 for a month at 15% utilisation, cost?", 0.15),
        ("租 4090 一个月要多少钱", "租 4090 一个月，利用率 15%，要多少钱", 0.15),
        ("rent a 4090 for 30 days, cost?", "rent a 4090 for 30 days at 0% utilization, cost?", 0.0),
        ("租 4090 30 天要花多少", "租 4090 30 天，利用率 0%，要花多少", 0.0),
        ("rent a 4090 for 30 days, cost?", "rent a 4090 for 30 days, 6 hours a day, cost?", 0.25),
        ("rent 4 4090s for a week, cost?", "rent a 4090 for a week, cost?", 0.25),
        ("租 4 张 4090 一周多少钱", "租 1 张 4090 一周多少钱", 0.25),
        ("rent a 4090 for 7 days, cost?", "rent a 4090 for a week, cost?", 1.0),
    ],
)
def test_a_bill_scales_with_its_hours_and_cards(assistant: Assistant, whole: str, part: str, share: float) -> None:
    cost = _fact(assistant, whole, "rental_cost")
    assert cost > 0
    assert _fact(assistant, part, "rental_cost") == pytest.approx(cost * share, rel=2e-3, abs=0.006)


@pytest.mark.parametrize(
    ("name", "one", "other", "times"),
    [
        ("energy", "electricity of a 3090 for 100 hours", "electricity of a 3090 for 200 hours", 2.0),
        ("carbon", "carbon footprint of a 3090 for 100 hours", "carbon footprint of a 3090 for 300 hours", 3.0),
        ("carbon", "3090 跑 100 小时的碳排放", "3090 跑 300 小时的碳排放", 3.0),
    ],
)
def test_energy_and_carbon_scale_with_the_hours(
    assistant: Assistant, name: str, one: str, other: str, times: float
) -> None:
    assert _fact(assistant, other, name) == pytest.approx(times * _fact(assistant, one, name), rel=2e-3)


def test_the_bill_and_the_footprint_rest_on_the_same_energy(assistant: Assistant) -> None:
    bill = _fact(assistant, "electricity of a 3090 for 100 hours", "energy")
    assert _fact(assistant, "carbon footprint of a 3090 for 100 hours", "energy") == pytest.approx(bill)


def test_what_is_never_used_never_pays_back(assistant: Assistant) -> None:
    reply = assistant.respond(message("rent or buy a 4090 at 0% utilisation"), None, NOW)[0]
    assert "never used never pays off" in reply.text
    assert _fact(assistant, "rent or buy a 4090 at 0% utilisation", "cost_rent") == 0.0


@pytest.mark.parametrize("name", ["RTX 3090", "RTX 4090", "A100 80GB PCIe"])
def test_a_limit_lowers_the_supply_and_the_draw_alike(name: str) -> None:
    gpu = CATALOG.get_gpu(name)
    free, capped = draw_of(gpu, 2), draw_of(gpu, 2, limit_w=250)
    assert free is not None
    assert capped is not None
    assert capped.full_w == min(2 * 250, free.full_w)
    assert capped.cards.high <= free.cards.high
    need = power_need((CardGroup(gpu=gpu, count=2, limit_w=250),))
    assert need.cards_w == capped.full_w
    assert power_need((CardGroup(gpu=gpu, count=2),)).cards_w == free.full_w


def test_a_figure_from_the_socket_is_the_whole_machine() -> None:
    drawn = draw_of(CATALOG.get_gpu("RTX 3090"), wall_w=480)
    assert drawn is not None
    assert float(drawn.machine.value) == 480.0
