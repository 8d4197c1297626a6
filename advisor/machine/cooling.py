"""Whether some cards fit side by side and stay cool, and what to do when they do not."""

from __future__ import annotations

from math import ceil

from advisor.claims import sources_of
from advisor.machine.models import Item, Machine, Verdict
from advisor.machine.power import watts_of
from advisor.machine.rules import rules
from advisor.models import Frozen, Gpu, Note, Step, note_of, step_of

_PASSIVE_FAMILIES = ("Tesla", "data center")
_WIDE = 2.5
_LARGE_HEAT_W = 1000


class Layout(Frozen):
    """Slot places that cards take in a row."""

    n_cards: int
    widest: float | None
    bare: float
    """Cards touching each other."""
    gapped: float
    """With one free place between neighbours."""
    heat_w: float
    trace: Step


def layout(machine: Machine) -> Layout:
    """Slot places and heat of the cards. A card of unknown width counts as two."""
    rule = rules().cooling
    widths = [(group.gpu.slots or 2.0, group.count) for group in machine.cards]
    count = sum(number for _, number in widths)
    bare = sum(ceil(width) * number for width, number in widths)
    heat = sum((watts_of(group) or 0) * group.count for group in machine.cards)
    gapped = bare + max(0, count - 1) * rule.gap_slots.number
    trace = step_of(
        name="slot_places",
        value=gapped,
        how="width of the cards + one free place between neighbours",
        inputs=(
            *(
                step_of(
                    name=group.gpu.name,
                    value=group.gpu.slots,
                    unit="slots",
                    how="claim" if group.gpu.slots else "assumption",
                    sources=sources_of(group.gpu, "slots"),
                )
                for group in machine.cards
            ),
            rule.gap_slots.step("free_place_between_cards"),
        ),
        rows=rule.gap_slots.rows,
    )
    widest = max((group.gpu.slots for group in machine.cards if group.gpu.slots), default=None)
    return Layout(n_cards=count, widest=widest, bare=bare, gapped=gapped, heat_w=heat, trace=trace)


def is_passive(gpu: Gpu) -> bool:
    """Whether its usual form has no fan of its own: cards for servers."""
    return gpu.form_factor == "PCIe" and any(word in gpu.family for word in _PASSIVE_FAMILIES)


def check_cooling(machine: Machine, count: int | None = None) -> Item:
    """Verdict on putting these cards into one case with air alone. `count`: cards, when they are not named."""
    rule = rules().cooling
    plan = layout(machine)
    if not machine.cards and count:
        plan = plan.model_copy(update={"n_cards": count})
    places = machine.board_slots or rule.board_slots.number
    gap = machine.gap_slots
    values = {
        "n": plan.n_cards,
        "cards": [{"name": group.gpu.name, "count": group.count} for group in machine.cards],
        "widest": plan.widest,
        "bare": plan.bare,
        "gapped": plan.gapped,
        "places": places,
        "heat": plan.heat_w,
        "gap": gap,
        "gap_low": rule.gap_c.low,
        "gap_high": rule.gap_c.high,
        "case_low": rule.case_c.low,
        "case_high": rule.case_c.high,
        **_temperatures(machine.cards[0].gpu if machine.cards else None),
    }
    verdict, code = _verdict(plan, places, gap)
    passive = [group.gpu.name for group in machine.cards if is_passive(group.gpu)]
    reasons = [*_between(machine, plan, values), note_of("machine_cool_normal", values)]
    if passive:
        reasons.insert(0, note_of("machine_cool_passive", {"cards": passive}))
    return Item(
        name="cooling",
        verdict=verdict,
        headline=note_of(code, values),
        reasons=tuple(reasons),
        actions=_actions(plan, verdict),
        steps=(
            plan.trace,
            rule.gap_c.step("gain_of_a_gap", "C"),
            rule.case_c.step("gain_of_a_case", "C"),
            rule.easy_cards.step("cards_that_are_easy"),
            rule.tight.step("three_and_more_wide_cards"),
            rule.water.step("water"),
            rule.extenders.step("extenders"),
            rule.target_c.step("target_temperature", "C"),
            rule.limit_c.step("throttling_from", "C"),
            *(
                (step_of(name="passive", value=", ".join(passive), how="claim", sources=(rule.passive_source,)),)
                * bool(passive)
            ),
        ),
    )


def _between(machine: Machine, plan: Layout, values: dict[str, object]) -> list[Note]:
    """What is to be said of the room between cards: nothing of one card alone."""
    if not machine.cards:
        return [note_of("machine_cool_gap", values)]
    if plan.n_cards == 1:
        return []
    return [note_of("machine_cool_space", values), note_of("machine_cool_gap", values)]


def _temperatures(gpu: Gpu | None) -> dict[str, object]:
    """Limits of the card's series where they are known, else the usual ones."""
    rule = rules().cooling
    series = gpu.series if gpu and gpu.series in rule.series_limit_c else ""
    return {
        "gpu": gpu.name if gpu else "",
        "series": series,
        "series_limit": rule.series_limit_c.get(series, rule.limit_c.number),
        "limits": dict(rule.series_limit_c),
        "target": rule.target_c.number,
    }


def temperature_limit(gpu: Gpu | None = None) -> Item:
    """Which temperatures are normal: of the card's series where its limit is known, else of all."""
    rule, values = rules().cooling, _temperatures(gpu)
    return Item(
        name="temperature",
        verdict=Verdict.OPEN,
        headline=note_of("machine_cool_temperature", values),
        reasons=(note_of("machine_cool_limits", values), note_of("machine_cool_watch")),
        steps=(
            step_of(
                name="limit",
                value=rule.series_limit_c.get(str(values["series"]), rule.limit_c.number),
                unit="C",
                how="claim",
                sources=(rule.series_source,),
            ),
            rule.target_c.step("target_temperature", "C"),
        ),
    )


def memory_heat() -> Item:
    """How hot GDDR6X memory may get, as estimated in 2020."""
    rule = rules().cooling.memory_limit_c
    return Item(
        name="memory_heat",
        verdict=Verdict.OPEN,
        headline=note_of("machine_cool_memory", {"low": rule.low, "high": rule.high}),
        reasons=(note_of("machine_cool_memory_why"),),
        actions=(note_of("machine_cool_memory_how"), note_of("machine_cool_limit")),
        steps=(rule.step("memory_limit", "C"),),
    )


def check_space(machine: Machine) -> Item | None:
    """Slot places alone, for a whole-machine report; None without cards that sit in slots, or for one that does."""
    if not machine.cards or any(group.gpu.form_factor != "PCIe" for group in machine.cards):
        return None
    plan = layout(machine)
    places = machine.board_slots or rules().cooling.board_slots.number
    verdict = Verdict.FAIL if plan.bare > places else Verdict.WARN if plan.gapped > places else Verdict.PASS
    if plan.n_cards == 1 and verdict is Verdict.PASS:
        return None  # a single card that goes in leaves nothing to say
    values = {"n": plan.n_cards, "bare": plan.bare, "gapped": plan.gapped, "places": places, "widest": plan.widest}
    return Item(name="slots", verdict=verdict, headline=note_of("machine_cool_space", values), steps=(plan.trace,))


def _verdict(plan: Layout, places: float, gap: float | None) -> tuple[Verdict, str]:
    if plan.n_cards == 0 or (plan.n_cards == 1 and plan.bare == 0):
        return Verdict.OPEN, "machine_cool_rule"
    if plan.n_cards == 1:
        return Verdict.PASS, "machine_cool_one"
    if gap is not None and gap >= rules().cooling.gap_slots.number:
        return Verdict.PASS, "machine_cool_gapped"
    if plan.bare > places:
        return Verdict.FAIL, "machine_cool_no_room"
    if plan.gapped <= places and plan.n_cards <= rules().cooling.easy_cards.number:
        return Verdict.PASS, "machine_cool_easy"
    return Verdict.WARN, "machine_cool_tight"


def _actions(plan: Layout, verdict: Verdict) -> tuple[Note, ...]:
    notes: list[Note] = []
    if verdict in {Verdict.WARN, Verdict.FAIL, Verdict.OPEN} or plan.n_cards >= 3:
        wide = bool(plan.widest and plan.widest >= _WIDE)
        notes += [note_of("machine_cool_ways", {"wide": wide}), note_of("machine_cool_limit")]
    elif plan.n_cards == 1:
        notes.append(note_of("machine_cool_limit"))
    if plan.heat_w >= _LARGE_HEAT_W:
        notes.append(note_of("machine_cool_room", {"heat": plan.heat_w}))
    return tuple(notes)
