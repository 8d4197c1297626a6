"""Laws of a conversation over the whole road: limits are used, kinds never cross, what was ruled out stays out."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

import pytest

from tests.conftest import NOW, make_message, shared_catalog

if TYPE_CHECKING:
    from bot.core.message import Reply
    from bot.pipeline import Assistant
    from bot.road.turn import Explained

CATALOG: Final = shared_catalog()


def talk(assistant: Assistant, *lines: str) -> list[Explained]:
    """What each line of one conversation comes to."""
    state, told = None, []
    for number, line in enumerate(lines):
        found = assistant.explain(make_message(line, chat_type="group", event_id=str(number)), state, NOW)
        told.append(found)
        state = found.conversation
    return told


def figure(reply: Reply, name: str) -> float:
    """One figure of an answer."""
    found = {fact.name: fact.value for fact in reply.facts}
    assert name in found, (reply.intent, sorted(found), reply.text[:200])
    return float(str(found[name]))


# --- what was ruled out stays out ------------------------------------------------------------------------------------

WISHES: Final = (
    "budget $1500 to buy a card for a 14b model",
    "which gpu to buy for sdxl under $900",
    "预算 8000 买张卡跑 14B",
    "预算 6000 买卡微调 bert",
)
NO_USED: Final = ("no used cards", "not second-hand please", "不要二手", "二手不要")
LATER: Final = ("$2000", "12000 呢", "cheaper?", "and for flux?", "便宜点的")


def bought_used(reply: Reply) -> bool:
    """Whether the first line sells a used card."""
    first = reply.text.partition("\n")[0]
    return "second-hand" in first or "二手" in first


@pytest.mark.parametrize(("wish", "rule_out"), list(product(WISHES, NO_USED)))
def test_a_used_card_that_is_ruled_out_never_comes_back(assistant: Assistant, wish: str, rule_out: str) -> None:
    for later in LATER:
        _, *told = talk(assistant, wish, rule_out, later)
        for found in told:
            assert not bought_used(found.reply), (wish, rule_out, later, found.reply.text[:160])
    assert not bought_used(talk(assistant, f"{wish}, {rule_out}")[0].reply)


@pytest.mark.parametrize("wish", WISHES)
@pytest.mark.parametrize("rule_out", ["anything but AMD", "not AMD", "不要 A 卡", "不要AMD"])
def test_a_maker_that_is_ruled_out_is_neither_pick_nor_runner_up(
    assistant: Assistant, wish: str, rule_out: str
) -> None:
    for found in (talk(assistant, wish, rule_out)[-1], talk(assistant, wish, rule_out, "$2500")[-1]):
        named = [str(fact.value) for fact in found.reply.facts if fact.name.startswith(("pick", "runner_up"))]
        cards = [CATALOG.find_gpu(name) for name in named]
        assert all(card is None or card.vendor != "AMD" for card in cards), named


@pytest.mark.parametrize("wish", WISHES)
def test_a_card_that_is_ruled_out_gives_way_to_another(assistant: Assistant, wish: str) -> None:
    first = talk(assistant, wish)[0].reply
    pick = next(str(fact.value) for fact in first.facts if fact.name == "pick")
    for line in (f"not the {pick}", f"不要 {pick}"):
        told = talk(assistant, wish, line)[-1].reply
        assert pick not in {str(fact.value) for fact in told.facts if fact.name == "pick"}, (wish, line)


# --- a user's last value wins ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("opener", "changes", "name", "alone"),
    [
        (
            "electricity of a 3090, 8 hours a day for a month",
            ("make it 4 hours a day",),
            "energy",
            "electricity of a 3090, 4 hours a day for a month",
        ),
        ("3090 每天8小时 一个月电费", ("改成每天4小时",), "energy", "3090 每天4小时 一个月电费"),
        ("rent a 4090 for 100 hours, cost?", ("200 hours",), "rental_cost", "rent a 4090 for 200 hours, cost?"),
        ("租 4090 100 小时多少钱", ("200 小时", "换成 50 小时"), "rental_cost", "租 4090 50 小时多少钱"),
        ("3090 100 hours electricity", ("and a 4090?",), "energy", "4090 100 hours electricity"),
        (
            "can a 3090 run qwen2.5-14b in 4 bit",
            ("32b?", "and the 7b?"),
            "vram_needed",
            "can a 3090 run qwen2.5-7b in 4 bit",
        ),
    ],
)
def test_the_last_value_wins(
    assistant: Assistant, opener: str, changes: tuple[str, ...], name: str, alone: str
) -> None:
    after = talk(assistant, opener, *changes)[-1].reply
    assert figure(after, name) == pytest.approx(figure(talk(assistant, alone)[0].reply, name), rel=2e-3)


# --- kinds never cross -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [15, 35, 60])
@pytest.mark.parametrize(
    ("opener", "line"),
    [
        ("rent a 4090 for a month, cost?", "and at {}%?"),
        ("租 4090 一个月多少钱", "利用率 {}% 呢"),
        ("租 4090 一个月多少钱", "{}% 呢"),
    ],
)
def test_percent_never_becomes_money(assistant: Assistant, share: int, opener: str, line: str) -> None:
    before, after = talk(assistant, opener, line.format(share))
    assert figure(after.reply, "rental_cost") == pytest.approx(
        figure(before.reply, "rental_cost") * share / 100, rel=2e-3
    )
    assert "budget" not in after.reply.slots


@pytest.mark.parametrize("watts", [200, 250, 300])
@pytest.mark.parametrize(
    ("opener", "line"),
    [
        ("electricity of a 3090, 8 hours a day for a month", "limited to {} W"),
        ("electricity of a 4090, 8 hours a day for a month", "power limit it to {}W"),
        ("3090 每天8小时 一个月电费", "限到 {}W"),
        ("4090 每天8小时 一个月电费", "改成限 {} 瓦呢"),
    ],
)
def test_a_limit_of_watts_lowers_the_bill(assistant: Assistant, watts: int, opener: str, line: str) -> None:
    before, after = talk(assistant, opener, line.format(watts))
    assert 0 < figure(after.reply, "energy") < figure(before.reply, "energy")
    assert str(watts) in after.reply.text


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("V100", "A100", "my training took {} hours on a {}. how long on a {}?"),
        ("RTX 3090", "RTX 4090", "I trained {} hours on a {}, how long on a {}?"),
        ("RTX 3090", "RTX 4090", "跑了 {} 小时，用的 {}，换 {} 要多久"),
    ],
)
def test_a_measured_time_is_no_usage(assistant: Assistant, old: str, new: str, text: str) -> None:
    told = {hours: talk(assistant, text.format(hours, old, new))[0].reply for hours in (10, 20)}
    assert figure(told[20], "hours") == pytest.approx(2 * figure(told[10], "hours"), rel=1e-6)
    assert figure(told[10], "hours") < 10


def test_tokens_and_bits_are_neither_cards_nor_people(assistant: Assistant) -> None:
    billions = talk(assistant, "can I train a 1.5b model on 8x H100", "cost for 30B tokens")[-1].reply
    assert billions.slots["gpu_count"] == 8
    bits = talk(assistant, "4090 跑 qwen2.5 32b 多快", "8位呢")[-1].reply
    assert bits.slots["precision"] == "int8"
    assert "users" not in bits.slots


# --- the headline and the verdict ------------------------------------------------------------------------------------

AGREE: Final = {
    "fits": ("fit.fits", "fit.other.fits"),
    "tight": ("fit.tight", "fit.other.tight"),
    "no": ("fit.no", "fit.over", "fit.none", "fit.other.no", "fit.swapped", "fit.in_ram", "fit.ram_short"),
}
"""Verdict -> lines that may open an answer with it."""


@pytest.mark.parametrize("card", ["RTX 3060 12GB", "RTX 4090", "A100 80GB PCIe", "RTX 4060 Laptop"])
@pytest.mark.parametrize("model", ["qwen2.5-7b", "qwen2.5-32b", "llama-3.3-70b", "gpt-oss-20b"])
@pytest.mark.parametrize(
    "text", ["can a {} run {}?", "{} 能 lora 微调 {} 吗", "{} 能 qlora 微调 {} 吗", "{} with 64 GB RAM, {}?"]
)
def test_the_first_line_carries_the_verdict(assistant: Assistant, card: str, model: str, text: str) -> None:
    found = talk(assistant, text.format(card, model))[0]
    verdict = next((str(fact.value) for fact in found.reply.facts if fact.name == "verdict"), None)
    headline = getattr(found.outcome, "headline", ())
    assert verdict in AGREE, found.reply.text[:160]
    assert headline[0].say.startswith(AGREE[str(verdict)]), (verdict, headline[0].say)


# --- the asker's own prices ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("hourly", "card"), [(0.4, 2200), (0.55, 1650), (1.25, 3100)])
@pytest.mark.parametrize(
    "words",
    [
        "buy a 4090 for ${card} or rent at ${hourly}/h, 6 hours a day?",
        "4090: rent at ${hourly} an hour or buy for ${card}? 6 hours a day",
        "花 {card} 美元买 4090 还是 {hourly} 美元一小时租，每天 6 小时",
        "4090 每天用 6 小时，{hourly} 美元一小时租还是 {card} 美元买",
    ],
)
def test_what_the_asker_pays_is_what_is_reckoned_with(
    assistant: Assistant, words: str, hourly: float, card: int
) -> None:
    told = talk(assistant, words.format(hourly=hourly, card=card))[0].reply
    assert figure(told, "rent_per_hour") == pytest.approx(hourly, rel=1e-6), told.text[:200]
    assert figure(told, "cost_rent") == pytest.approx(hourly * 6 * 365, rel=2e-3)
    assert figure(told, "capital") >= card
    assert figure(told, "capital") < card + 1000


# --- back to what was said before --------------------------------------------------------------------------------------

BACK: Final = (
    ("can a 3090 run qwen2.5-14b in 4 bit", "and a 3060?", "back to the 3090"),
    ("rent a 4090 for 100 hours, cost?", "and an A100?", "back to the 4090"),
    ("which gpu to buy for sdxl under $900?", "and under $1500?", "back to $900"),
    ("how long is lora of a 7b on a 4090 for 10k samples", "and on a 3090?", "back to the 4090"),
    ("3090 能跑 qwen2.5-32b 吗", "3060 呢", "回到 3090"),
    ("租 4090 100 小时多少钱", "200 小时呢", "还是按 100 小时"),
    ("3090 一个月电费多少", "4090 呢", "回到 3090"),
)


def first_line(reply: Reply) -> str:
    """What is read first."""
    return reply.text.partition("\n")[0]


@pytest.mark.parametrize(("opener", "change", "back"), BACK)
def test_back_to_a_value_gives_its_answer_again(assistant: Assistant, opener: str, change: str, back: str) -> None:
    first, changed, last = (found.reply for found in talk(assistant, opener, change, back))
    assert first_line(changed) != first_line(first), (opener, change)
    assert first_line(last) == first_line(first), (back, last.text[:200])
