"""How large a power supply some cards want, with which cables, on which wall socket."""

from __future__ import annotations

from math import ceil
from typing import Final

from advisor.claims import sources_of
from advisor.errors import OutOfRange
from advisor.jobs.draw import draw_of
from advisor.machine.models import CardGroup, Item, Machine, Verdict
from advisor.machine.rules import PowerRules, given, rules
from advisor.models import Frozen, Gpu, Note, Step, note_of, step_of

_BIG_CPU: Final = ("threadripper", "xeon", "epyc", "e5")
_ROUND: Final = 100
_MOST_CARDS: Final = 128
_TRAINING: Final = "training"


class PowerNeed(Frozen):
    """Watts that a machine wants from its supply."""

    cards_w: float
    """Board power of all cards, or their limits."""
    rest_w: float
    floor_w: float
    """Everything at full load, nothing to spare."""
    advised_w: float
    """With headroom for the spikes of the cards."""
    size_w: int
    """Supply to buy: the next usual size, or above the largest one the next hundred."""
    wall_w: float
    """Drawn from the socket at full load."""
    unknown: tuple[str, ...] = ()
    """Cards whose board power is not on record."""
    trace: Step


def power_need(cards: tuple[CardGroup, ...], cpu: str = "") -> PowerNeed:
    """What a supply must give: board powers, 300 W for the rest, and a fifth of the cards' power as headroom.

    The rest is counted once for every eight cards: no usual machine holds more.

    Args:
        cards: the cards; one with a power limit counts with that limit.
        cpu: its name; workstation and server processors get more.

    Raises:
        OutOfRange: more cards than any single machine holds.
    """
    rule = rules().power
    count = sum(group.count for group in cards)
    if count > _MOST_CARDS:
        raise OutOfRange("no machine holds so many cards", name="gpu_count", value=count)
    lines = tuple(_line(group) for group in cards)
    cards_w = sum(float(line.value) for line in lines if isinstance(line.value, (int, float)))
    rest_rule = rule.rest_big_cpu_w if _is_big(cpu) else rule.rest_w
    rest = rest_rule.number * max(1, ceil(count / rules().cluster.cards_per_node))
    floor = cards_w + rest
    headroom = cards_w * rule.card_headroom.number
    advised = floor + headroom
    trace = step_of(
        name="psu_advised",
        value=round(advised),
        unit="W",
        how="board powers + rest of the computer + headroom for spikes",
        inputs=(
            *lines,
            rest_rule.step("rest_of_computer", "W", value=rest),
            rule.card_headroom.step("headroom", "W", value=round(headroom)),
        ),
    )
    return PowerNeed(
        cards_w=cards_w,
        rest_w=rest,
        floor_w=floor,
        advised_w=advised,
        size_w=_size(advised, rule),
        wall_w=floor / rule.efficiency.number,
        unknown=tuple(group.gpu.name for group in cards if watts_of(group) is None),
        trace=trace,
    )


def watts_of(group: CardGroup) -> float | None:
    """Power of one card: its limit when one is set, else the board power, if known."""
    drawn = draw_of(group.gpu, limit_w=group.limit_w)
    return drawn.card_w if drawn is not None else None


def limited(cards: tuple[CardGroup, ...]) -> tuple[CardGroup, ...]:
    """The same cards with a sensible power limit: a measured one where there is one, else 80 % of the board power."""
    return tuple(group.model_copy(update={"limit_w": _lower_limit(group) or group.limit_w}) for group in cards)


def _lower_limit(group: CardGroup) -> float | None:
    """The sensible limit of a card that has none or a higher one; None where it helps nothing."""
    limit = sensible_limit(group.gpu)
    return limit if limit is not None and (group.limit_w is None or group.limit_w > limit) else None


def sensible_limit(gpu: Gpu) -> float | None:
    """Power limit in watts that costs little speed."""
    rule = rules().power
    measured = rule.limits.get(gpu.id)
    if measured is not None and measured.job == _TRAINING:
        return measured.watts
    return None if gpu.board_power_w is None else round(gpu.board_power_w * rule.limit_share.number / 10) * 10


def _psu_verdict(psu_w: float | None, need: PowerNeed) -> tuple[Verdict, str]:
    if psu_w is None:
        return Verdict.OPEN, "machine_psu_need"
    if psu_w >= need.advised_w:
        return Verdict.PASS, "machine_psu_enough"
    return (Verdict.WARN, "machine_psu_tight") if psu_w >= need.floor_w else (Verdict.FAIL, "machine_psu_short")


def check_power(machine: Machine) -> Item:
    """Verdict on a stated supply, or the size to buy."""
    rule = rules().power
    need = power_need(machine.cards, machine.cpu)
    with_limit = power_need(limited(machine.cards), machine.cpu)
    drawn = [(group.gpu.name, group.count, watts_of(group)) for group in machine.cards]
    values = {
        "cards": [{"name": name, "count": count, "watts": watts} for name, count, watts in drawn if watts is not None],
        "cards_w": need.cards_w,
        "rest_w": need.rest_w,
        "floor": need.floor_w,
        "advised": need.advised_w,
        "size": need.size_w,
        "psu": machine.psu_w,
    }
    verdict, code = _psu_verdict(machine.psu_w, need)
    steps = [need.trace]
    reasons = [note_of("machine_psu_sum", values), *_spike_notes(machine, rule)]
    if machine.psu_w is not None:
        steps.append(given("psu", machine.psu_w, "W"))
        left, guide = machine.psu_w - need.cards_w, rule.comfortable_rest_w
        if verdict is Verdict.WARN and left >= guide.number:
            reasons.append(note_of("machine_psu_guide", {"left": left, "guide": guide.number}))
            steps.append(guide.step("left_for_the_rest", "W"))
    actions = _actions(machine, need, with_limit, verdict)
    if any(note.code == "machine_psu_limit" for note in actions):
        steps += _limit_steps(machine, with_limit)
    return Item(
        name="power",
        verdict=verdict,
        headline=note_of(code, values),
        reasons=tuple(reasons),
        actions=actions,
        steps=tuple(steps),
        conflicts=("E53",) if max(need.size_w, machine.psu_w or 0) > rule.largest_w.number else (),
    )


# --- parts -----------------------------------------------------------------------------------------------------------


def _line(group: CardGroup) -> Step:
    watts = watts_of(group)
    return step_of(
        name=group.gpu.name,
        value=None if watts is None else watts * group.count,
        unit="W",
        how=f"{group.count} × {watts:g} W" if watts is not None else "board power not on record",
        sources=sources_of(group.gpu, "board_power_w"),
    )


def _is_big(cpu: str) -> bool:
    return any(word in cpu.lower() for word in _BIG_CPU)


def _size(watts: float, rule: PowerRules) -> int:
    return next((size for size in rule.sizes_w if size >= watts), ceil(watts / _ROUND) * _ROUND)


def _spike_notes(machine: Machine, rule: PowerRules) -> list[Note]:
    strongest = max((watts_of(group) or 0 for group in machine.cards), default=0)
    if strongest < rule.sixteen_pin_from_w:
        return []
    return [note_of("machine_psu_spike", {"factor": rule.spike.number, "atx3": rule.spike_atx3.number})]


def _limit_steps(machine: Machine, with_limit: PowerNeed) -> list[Step]:
    measured = [(group.gpu, rules().power.limits.get(group.gpu.id)) for group in machine.cards]
    return [
        step_of(
            name="power_limit",
            value=limit.watts,
            unit="W",
            how="measured",
            inputs=(with_limit.trace,),
            sources=(limit.source,),
            as_of=limit.as_of,
        )
        for gpu, limit in measured
        if limit is not None and limit.job == _TRAINING
    ]


def _actions(machine: Machine, need: PowerNeed, with_limit: PowerNeed, verdict: Verdict) -> tuple[Note, ...]:
    rule = rules().power
    notes: list[Note] = []
    psu = machine.psu_w if machine.psu_w is not None else rule.largest_w.number
    if verdict in {Verdict.WARN, Verdict.FAIL} or need.size_w > rule.largest_w.number:
        limits = [
            {
                "name": group.gpu.name,
                "watts": sensible_limit(group.gpu),
                "measured": sensible_limit(group.gpu) == getattr(rule.limits.get(group.gpu.id), "watts", None),
            }
            for group in machine.cards
            if _lower_limit(group) is not None
        ]
        if limits:
            helps = psu >= with_limit.floor_w
            values = {"limits": limits, "floor": with_limit.floor_w, "psu": psu, "helps": helps, "keeps": 95}
            notes.append(note_of("machine_psu_limit", values))
    if need.size_w > rule.largest_w.number:
        notes.append(note_of("machine_psu_two", {"size": need.size_w, "largest": rule.largest_w.number}))
    elif verdict is Verdict.FAIL:
        notes.append(note_of("machine_psu_buy", {"size": need.size_w}))
    return tuple(notes)
