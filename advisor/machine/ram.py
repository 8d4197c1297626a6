"""How much system memory some cards want, and how rental platforms hand it out."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from advisor.claims import sources_of
from advisor.machine.models import CardGroup, Item, Machine, Verdict
from advisor.machine.rules import given, rules
from advisor.models import Frozen, MlModel, Note, Step, note_of, step_of

_WEIGHT_BYTES = 2


class RamNeed(Frozen):
    """System memory in GiB."""

    floor_gib: float
    """The memory of the largest card."""
    comfortable_gib: float
    """The memory of all cards plus the system: every process can hold what its card holds."""
    floor_size: int
    """Usual size that holds the floor and the system."""
    size: int
    """Usual size that holds the comfortable amount."""
    largest: str
    trace: Step


def ram_need(cards: tuple[CardGroup, ...]) -> RamNeed | None:
    """Floor and comfortable amount; None when no card's memory is known.

    More cards need no more by the documents' rule (the floor goes by the largest one); the comfortable amount counts
    one full copy for each card, since data-parallel training starts a process for each.
    """
    rule = rules().ram
    known = [(group.gpu, group.count) for group in cards if group.gpu.vram_gib]
    if not known:
        return None
    largest = max((gpu for gpu, _ in known), key=lambda gpu: gpu.vram_gib or 0)
    floor = float(largest.vram_gib or 0)
    total = sum(float(gpu.vram_gib or 0) * count for gpu, count in known)
    comfortable = total + rule.system_gib.number
    trace = step_of(
        name="ram_floor",
        value=floor,
        unit="GiB",
        how="at least the memory of the largest card",
        inputs=(
            step_of(name=largest.name, value=floor, unit="GiB", how="claim", sources=sources_of(largest, "vram_gib")),
            rule.floor.step("ram_at_least_vram"),
            rule.system_gib.step("system", "GiB"),
            step_of(name="ram_comfortable", value=comfortable, unit="GiB", how="memory of all cards + system"),
        ),
        rows=("001-038", "001-039"),
    )
    return RamNeed(
        floor_gib=floor,
        comfortable_gib=comfortable,
        floor_size=_size(floor + rule.system_gib.number, rule.sizes_gib),
        size=_size(comfortable, rule.sizes_gib),
        largest=largest.name,
        trace=trace,
    )


def allocation(per_gpu: float, n_gpus: int, unit: str) -> Step:
    """What a rented instance gets: the value of one card times the cards.

    Args:
        per_gpu: GiB of memory, or cores, that the platform's page shows for one card.
        n_gpus: cards rented.
        unit: "GiB" or "cores".
    """
    return step_of(
        name="allocation",
        value=per_gpu * n_gpus,
        unit=unit,
        how="value of one card x cards",
        inputs=(given("per_card", per_gpu, unit), given("cards", n_gpus), rules().ram.proportional.step("rule")),
        rows=("000-003",),
    )


def check_loading(machine: Machine, ml_model: MlModel) -> Item | None:
    """Verdict on loading a language model's 16-bit weights through RAM; None when no memory is stated.

    A loader that reads the whole file holds 2 bytes a parameter before anything reaches the card, quantised or not.
    """
    if machine.ram_gib is None:
        return None
    need = ml_model.parameters * _WEIGHT_BYTES / 2**30
    total = need + rules().ram.system_gib.number
    values = {"model": ml_model.name, "need": need, "total": total, "ram": machine.ram_gib}
    short = machine.ram_gib < total
    step = step_of(
        name="weights_in_ram",
        value=round(need, 1),
        unit="GiB",
        how="parameters x 2 bytes",
        inputs=(given("parameters", ml_model.parameters), rules().ram.system_gib.step("system", "GiB")),
        sources=("seed-000",),
    )
    return Item(
        name="loading",
        verdict=Verdict.FAIL if short else Verdict.PASS,
        headline=note_of("machine_ram_load_short" if short else "machine_ram_load_fits", values),
        actions=(note_of("machine_ram_load_how"), note_of("machine_ram_killed")),
        steps=(step,),
    )


@dataclass(frozen=True, slots=True)
class _Judged:
    """Verdict on stated memory, or the need, before it is told."""

    verdict: Verdict
    code: str
    values: dict[str, object]
    steps: tuple[Step, ...]


def _by_count(machine: Machine, count: int | None) -> _Judged:
    """Of cards that are not known: what the stated memory would hold of each."""
    rule = rules().ram
    left = (machine.ram_gib - rule.system_gib.number) / (count or 1) if machine.ram_gib else 0.0
    holds = left if left > 0 else None
    code = "machine_ram_holds" if holds else "machine_ram_rule"
    return _Judged(Verdict.OPEN, code, {"holds": holds}, (rule.floor.step("ram_at_least_vram"),))


def _by_need(machine: Machine, need: RamNeed) -> _Judged:
    """Of known cards: the stated memory against what they want."""
    values: dict[str, object] = {
        "floor": need.floor_gib,
        "comfortable": need.comfortable_gib,
        "floor_size": need.floor_size,
        "size": need.size,
        "largest": need.largest,
    }
    verdict, code = _verdict(machine.ram_gib, need)
    return _Judged(verdict, code, values, (need.trace,))


def check_ram(machine: Machine, count: int | None = None, *, killed: bool = False, speed: bool = False) -> Item:
    """Verdict on stated memory, or the need.

    Args:
        machine: cards, memory, whether it is rented.
        count: cards, when they are counted but not named.
        killed: a process was killed for its memory: what to do comes first.
        speed: the clock of the memory was asked about.
    """
    rule, need = rules().ram, ram_need(machine.cards)
    judged = _by_count(machine, count) if need is None else _by_need(machine, need)
    values = {"ram": machine.ram_gib, "n": machine.n_cards or count or 1, **judged.values}
    headline = note_of(judged.code, values)
    told: tuple[Note, ...] = ()
    if killed:
        told = (headline,) if machine.ram_gib is not None else ()
        headline = note_of("machine_ram_was_killed", values)
    elif speed and machine.ram_gib is None:
        headline = note_of("machine_ram_clock", values)
    return Item(
        name="ram",
        verdict=judged.verdict,
        headline=headline,
        reasons=(*told, note_of("machine_ram_why", values), *(note_of("machine_ram_rented"),) * machine.rented),
        actions=_actions(killed=killed, speed=speed),
        steps=(
            *judged.steps,
            *(rule.proportional.step("in_proportion_to_cards"),) * machine.rented,
            rule.killed.step("killed_above_the_limit"),
            rule.more.step("more_cards_more_memory"),
            rule.monitor.step("watch_the_monitor"),
        ),
        conflicts=("E26",) if speed else ("E25",),
    )


def _actions(*, killed: bool, speed: bool) -> tuple[Note, ...]:
    if speed:
        return (note_of("machine_ram_speed"),)
    return (
        (note_of("machine_ram_killed"), note_of("machine_ram_workers")) if killed else (note_of("machine_ram_workers"),)
    )


def _verdict(ram: float | None, need: RamNeed) -> tuple[Verdict, str]:
    if ram is None:
        return Verdict.OPEN, "machine_ram_need"
    if ram >= need.comfortable_gib:
        return Verdict.PASS, "machine_ram_ample"
    if ram >= need.floor_gib:
        return Verdict.PASS, "machine_ram_enough"
    return Verdict.FAIL, "machine_ram_short"


def _size(gib: float, sizes: tuple[int, ...]) -> int:
    return next((size for size in sizes if size >= gib), ceil(gib / 256) * 256)
