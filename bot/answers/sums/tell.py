"""A chosen sum as an answer: headline, working, what was left out, facts and trail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf, isfinite
from typing import Final

from advisor.calculators import QUANTITIES, Given, Solution, solve
from advisor.calculators.solve import Node
from advisor.money.energy import energy_data
from bot.answers.sums.apiece import apiece
from bot.answers.sums.at_once import PAYS_BACK, is_at_once, pays, told_once
from bot.answers.sums.choose import Chosen
from bot.answers.sums.held import ENOUGH, both_sides
from bot.answers.sums.left import left_out, weighs
from bot.answers.sums.of_deals import FREE, OF_DEALS, TURNED
from bot.answers.sums.of_record import Records, from_records
from bot.answers.sums.of_workload import OF_WORKLOAD
from bot.answers.sums.sides import added_up, against, in_span, is_product
from bot.core.answers import Answer
from bot.core.line import Figure, Line, Sum, Worded
from bot.core.message import Fact, fact_of
from bot.read.measured_units import Measure
from bot.read.placed import Amounts, Placed
from bot.words.figures import readable, without

TELLS: Final[Mapping[str, tuple[str, ...]]] = {
    **OF_WORKLOAD,
    **OF_DEALS,
    "bill": ("bill", "hours_total", "hourly_rate"),
    "power_cost": ("power_cost", "kwh"),
    "break_even_days": ("break_even_days", "break_even_hours"),
    "hours_a_day_to_break_even": ("hours_a_day_to_break_even", "break_even_hours"),
    "person_share": ("person_share",),
    "discounted": ("discounted", "discount"),
    "useful_hour_price": ("useful_hour_price", "hourly_rate"),
    "wasted": ("wasted", "utilization"),
    "upgrade_net": ("upgrade_net", "purchase", "resale"),
    "price_change": ("price_change", "price_before", "price_after"),
    "price_gap": ("price_gap", "price_before", "price_after"),
    "api_pays_months": ("api_pays_months", "api_month"),
    "item_cost": ("item_cost",),
    "plan_hours": ("plan_hours", "plan_hours_day"),
    "plan_hours_day": ("plan_hours_day", "plan_hours"),
    "share_to_break_even": ("share_to_break_even", "hours_a_day_to_break_even"),
    "at_once": ("purchase", "resale"),
    "never": ("power_cost_hour", "hourly_rate"),
    "hours_on_n": ("hours_on_n", "days_on_n"),
    "one_card_hours": ("one_card_hours", "days_on_one"),
    "whole_hours": ("whole_hours", "hours_left"),
    "hours_left": ("hours_left", "whole_hours"),
    "faster_pays": ("job_cost_ratio", "price_ratio", "speedup"),
    "buy_pays": ("saved_per_hour",),
    "buy_saves": ("buy_saves", "buy_total", "bill"),
    "budget_enough": ("bill", "budget", "budget_left"),
    "budget_left": ("budget_left", "bill"),
    "buy_total": ("buy_total", "net_price", "power_cost"),
    "cards_for_runs": ("cards_for_runs", "run_hours", "runs_behind"),
    "cards_needed": ("cards_needed", "one_card_hours", "deadline_hours"),
    "psu_enough": ("full_load_w", "supply_w", "supply_left_w"),
    "outlet_enough": ("outlet_w", "full_load_w"),
    "kg": ("kg", "kwh"),
    "fits": ("need_gb", "card_gb"),
    "disk_enough": ("disk_need_mb_s", "disk_mb_s"),
    "ram_enough": ("ram_used_gb", "ram_gb"),
    "sparse": ("fewest_zeros",),
}
"""What the sentence of an unknown tells; of the others only the value itself."""
SIGNED: Final = frozenset({"buy_saves", "capped_saved_kwh"})
"""What is saved, which may be less than nothing: then it costs more, and another sentence says so."""
_WHOLE_DAY: Final = {"hours_a_day_affordable": 24.0, "mfu_reached": 1.0}
"""Hours a day that are all of it, and a share of the peak that is more than all."""
_JUDGED: Final = frozenset({"budget_enough", "budget_left"})
_FORMATS: Final = frozenset({"in_fp16", "in_bf16"})
_POOLED: Final = frozenset({"total_gb", "cards"})
"""What is set aside in words where somebody adds up the memory of cards."""
_POWER_SUMS: Final = frozenset({"power_cost", "power_cost_hour", "kwh"})
_OF_CARDS: Final = frozenset({"card_w", "card_limit_w"})
_OF_MACHINE: Final = frozenset({"rest_w", "cpu_w", "wall_w", "kwh_metered"})
_BOUGHT: Final = frozenset(
    {"break_even_hours", "break_even_days", "hours_a_day_to_break_even", "share_to_break_even", "buy_saves"}
)
_POWER: Final = frozenset({"kwh_price", "power_cost", "power_cost_hour"})
_USUAL_EFFICIENCY: Final = 0.9
"""Of data parallel training on a few cards without NVLink (DDP scaling figures of the fact list, 0.9 to 0.97)."""
_TOLD_FLAGS: Final = frozenset({"gratis", "evenly"})
"""What is said of how a sum was meant."""
_IN_WORDS: Final = "span_days"
_BY_HOURS: Final = frozenset({"utilization", "idle_share", "days", "weeks"})
_NOUNLESS: Final = frozenset({"", "/s"})
_STEPS: Final = 4
_UNCLEAR: Final = 2
"""Other values of one quantity beside which the first is no surer than they are."""
_OTHERS: Final = 3
"""Other values of one quantity that a sum is worked out for as well."""
_TRIVIAL: Final = frozenset(
    {
        "{wall_w}",
        "{peak_gb}",
        "{weights_gb}",
        "{measured_hours}",
        "{span_days}",
        "{kwh_metered}",
        "{load_w}",
        "{saved_per_hour}",
    }
)
"""Patterns that only hand a value on."""


@dataclass(frozen=True, slots=True)
class Told:
    """An answer and what the conversation keeps of it."""

    answer: Answer
    verdict: str
    """yes | no | "" of the first sum."""


def tell(chosen: Chosen, amounts: Amounts, currency: str, records: Records, *, language: str = "en") -> Told:
    """The answer to a message whose sums were found.

    Args:
        chosen: the sums, and every value they rest on.
        amounts: the message's own values, for what was left out.
        currency: of all money in it.
        records: what was taken from records.
        language: of the names of places.
    """
    heads, lines = _heads(chosen, amounts, currency)
    heads += apiece(chosen, amounts, currency)
    lines += (*_with_loss(chosen, amounts), *_without(chosen))
    lines += [Line(f"sum.{flag}") for flag in sorted(amounts.flags & _TOLD_FLAGS)]
    lines += from_records(chosen, records, currency, language)
    pooled = chosen.solutions[0].name == "fits" and any(one.quantity == "total_gb" for one in amounts.placed)
    if pooled:
        lines.insert(0, Line("sum.per_card"))
    instead = _instead(chosen, amounts, currency)
    lines += [line for _, line in instead]
    left = left_out(chosen, amounts, _POOLED if pooled else frozenset(), [one for one, _ in instead])
    opening, unused = _with_left(heads, [*left, *_rivals(instead)], chosen)
    answer = Answer(
        headline=opening,
        lines=(*lines, *unused),
        facts=tuple(fact for one in chosen.solutions for fact in _facts(one, currency)),
        trace=tuple(one.step() for one in (*chosen.solutions, *_told_beside(chosen))),
    )
    return Told(answer, _verdict(chosen.solutions[0]))


def _told_beside(chosen: Chosen) -> list[Solution]:
    """What the sentences of sums of a kind of their own tell, and they do not rest on."""
    parts = ((one, part) for one in chosen.solutions for part in OF_DEALS.get(one.name, ()) if part not in one.nodes)
    found = [solve(part, _worked_from(one, chosen.given)) for one, part in parts]
    return [one for one in found if one is not None]


def _rivals(instead: list[tuple[Placed, Line]]) -> list[Measure]:
    """Values that might as well have been taken: where there are several, none of them is surely meant."""
    return [one.measure for one, _ in instead] if len(instead) >= _UNCLEAR else []


def _with_left(heads: list[Line], left: list[Measure], chosen: Chosen) -> tuple[tuple[Line, ...], list[Line]]:
    """The first lines and what names the numbers that no sum used: in the first line itself where they weigh much."""
    named: dict[str, Worded] = {"named": tuple(one.text for one in left)}
    if weighs(left, chosen):
        return (Line("sum.partly", {**named, "told": heads[0]}), *heads[1:]), []
    return tuple(heads), [Line("sum.unused", named)] if left else []


def _heads(chosen: Chosen, amounts: Amounts, currency: str) -> tuple[list[Line], list[Line]]:
    """First lines and the arithmetic behind each: of every sum, or of the two that were compared."""
    if chosen.added:
        sums = chosen.added
        heads = [added_up(chosen.solutions[0], chosen.added, currency, chosen.called)]
    elif chosen.versus is None:
        sums = told_once(chosen.solutions)
        nouns = chosen.called or ("",) * len(sums)
        heads = [_of_noun(_headline(one, chosen.given, currency), noun) for one, noun in zip(sums, nouns, strict=False)]
    else:
        sums = tuple(side.total for side in chosen.versus.sides if side.total is not None)
        heads = [against(chosen.versus, amounts, currency)]
    worked = [_working(one, currency) for one in sums if not is_at_once(one)]
    return [in_span(head, amounts.span) for head in heads], [line for line in worked if line is not None]


def _of_noun(line: Line, noun: str) -> Line:
    """A first line of what is counted with the noun that was typed for it."""
    figure = line.values.get("figure")
    if not noun or not isinstance(figure, Figure) or figure.unit not in _NOUNLESS:
        return line
    return Line(f"{line.say}.{'paced' if figure.unit else 'of'}", {**line.values, "noun": noun})


def _instead(chosen: Chosen, amounts: Amounts, currency: str) -> list[tuple[Placed, Line]]:
    """What the first sum comes to with the other values that were said of one of its quantities."""
    first = chosen.solutions[0]
    told: list[tuple[Placed, Line]] = []
    for other in amounts.others[: 0 if chosen.added or chosen.counted else _OTHERS]:
        node = first.nodes.get(other.quantity)
        if other.quantity not in first.node.said or node is None or node.value == other.value:
            continue
        given = (*chosen.given, Given(other.quantity, other.value))
        found = solve(first.name, given)
        if found is not None:
            named = _figure(Node(other.quantity, other.value), currency)
            told.append((other, Line("sum.instead", {"named": named, "told": _headline(found, given, currency)})))
    return told


def _with_loss(chosen: Chosen, amounts: Amounts) -> list[Line]:
    """Where nobody spoke of efficiency: how many cards it takes when several lose a little."""
    counted = next((one for one in chosen.solutions if one.name == "cards_needed"), None)
    if counted is None or "efficiency" not in counted.node.assumed or "linear" in amounts.flags:
        return []
    lossy = solve("cards_needed", (*chosen.given, Given("efficiency", _USUAL_EFFICIENCY)))
    if lossy is None or lossy.value == counted.value:
        return [Line("sum.linear")]
    values: dict[str, Worded] = {
        "cards_needed": Figure(lossy.value, "card"),
        "efficiency": Figure(_USUAL_EFFICIENCY, "share"),
    }
    return [Line("sum.lossy", values)]


def _without(chosen: Chosen) -> list[Line]:
    """What a sum of electricity or of buying leaves out, because nobody said it."""
    said = frozenset().union(*(one.node.said for one in chosen.solutions))
    names = {one.name for one in chosen.solutions}
    found = []
    if names & _POWER_SUMS and said & _OF_CARDS and not said & _OF_MACHINE:
        found.append(Line("sum.cards_alone", {"rest": Figure(float(energy_data().power.host_w), "W")}))
    if names & _BOUGHT and not said & _POWER:
        found.append(Line("sum.without_power"))
    return found


def odd(amounts: Amounts, currency: str) -> Answer:
    """A value that cannot be: named and asked about, nothing computed with it."""
    first = amounts.odd[0]
    quantity = QUANTITIES[first.quantity]
    named = Figure(first.value, quantity.unit, currency)
    if quantity.positive and first.value == 0:
        return Answer(headline=(Line("sum.zero", {"named": named}),))
    most = Figure(quantity.high, quantity.unit, currency)
    return Answer(headline=(Line("sum.odd", {"named": named, "most": most}),))


def _verdict(solution: Solution) -> str:
    if QUANTITIES[solution.name].unit != "yes":
        return ""
    return "yes" if solution.value else "no"


def _headline(solution: Solution, given: tuple[Given, ...], currency: str) -> Line:
    name = solution.name
    if name in PAYS_BACK and (told := _paid_back(solution, given, currency)) is not None:
        return told
    if is_product(solution) or _is_of_a_span(solution):
        return Line("sum.comes_to", {"figure": _figure(solution.node, currency)})
    code = f"sum.{name}"
    if name in SIGNED:
        values = _values(name, solution, given, currency)
        values[name] = _figure(replace(solution.node, value=abs(solution.value)), currency)
        return Line(f"{code}.{'more' if solution.value > 0 else 'less'}", values)
    if name in TURNED:
        values = _values(name, solution, given, currency)
        values[name] = Figure(abs(solution.value), QUANTITIES[name].unit, currency)
        return Line(code + _suffix(solution), values)
    if name in _FORMATS:
        inner = next(node for node in solution.node.inputs)
        return Line(f"{code}.{_verdict(solution)}", {"figure": _figure(inner, currency)})
    return Line(code + _suffix(solution), _values(name, solution, given, currency))


def _is_of_a_span(solution: Solution) -> bool:
    """Whether a bill is of what is paid by the month or year: nobody spoke of hours, so none are told."""
    said = solution.node.said
    told = solution.name == "bill" and "hours_total" in solution.nodes
    return told and _IN_WORDS in said and not any("hour" in one or one in _BY_HOURS for one in said)


def _suffix(solution: Solution) -> str:
    """Which sentence of an unknown it is: by its verdict, or where it is all that there is of a day."""
    if QUANTITIES[solution.name].unit == "yes":
        return f".{_verdict(solution)}"
    if solution.name in TURNED:
        return ".more" if solution.value > 0 else ".less"
    if solution.name in FREE and not solution.value:
        return ".none"
    return ".whole" if solution.value >= _WHOLE_DAY.get(solution.name, inf) else ""


def _paid_back(solution: Solution, given: tuple[Given, ...], currency: str) -> Line | None:
    """That it pays at once or never; None where it pays after a time."""
    if is_at_once(solution):
        return Line("sum.at_once", _values("at_once", solution, given, currency))
    return None if pays(solution) else _never(solution, given, currency)


def _never(solution: Solution, given: tuple[Given, ...], currency: str) -> Line | None:
    """What stands in the way of breaking even; None where a plain "no" says all."""
    if "saved_per_hour" in solution.nodes:
        return Line("sum.never", _values("never", solution, given, currency))
    return None if isfinite(solution.value) else Line("sum.nothing_saved")


def _values(name: str, solution: Solution, given: tuple[Given, ...], currency: str) -> dict[str, Worded]:
    """The values that a sentence tells: of the sum itself, else worked out beside it."""
    if name == ENOUGH:
        return {name: _figure(one, currency) for name, one in both_sides(solution).items()}
    found: dict[str, Worded] = {}
    for part in TELLS.get(name, (name,)):
        node = solution.nodes.get(part) or _beside(part, solution, given) or _spent(part, solution)
        if node is not None:
            found[part] = _figure(node, currency)
    return found


def _spent(part: str, solution: Solution) -> Node | None:
    """What the money goes for, where it is no bill of hours."""
    inputs = solution.node.inputs if part == "bill" and solution.name in _JUDGED else ()
    return next((node for node in inputs if node.name != "budget"), None)


def _beside(part: str, solution: Solution, given: tuple[Given, ...]) -> Node | None:
    """A value that the sum itself did not need: worked out of what was given and found, else as it was given."""
    more = _worked_from(solution, given)
    beside = solve(part, more)
    if beside is not None:
        return beside.node
    return next((Node(one.name, one.value) for one in more if one.name == part), None)


def _worked_from(solution: Solution, given: tuple[Given, ...]) -> list[Given]:
    """What was given, and what a sum found or took for granted."""
    nodes = solution.nodes.values()
    more = [*given, *(Given(one.name, one.value) for one in nodes if one.formula is None)]
    known = {one.name for one in more}
    return [*more, *(Given(one.name, one.value) for one in nodes if one.name not in known)]


def _figure(node: Node, currency: str) -> Figure:
    """A value in the unit that people would say, so that what is shown is what the answer holds."""
    unit = QUANTITIES[node.name].unit
    if unit.startswith("money") or not isfinite(node.value):
        return Figure(node.value, unit, currency if unit.startswith("money") else "")
    return Figure(*readable(node.value, unit))


def _working(solution: Solution, currency: str) -> Line | None:
    """The arithmetic, formula by formula, the first one first."""
    sums: list[Sum] = []

    def walk(node: Node) -> None:
        for part in node.inputs:
            walk(part)
        if node.formula is None or not isfinite(node.value):
            return
        pattern = without(node.formula.working, frozenset(part.name for part in node.inputs if _silent(part)))
        if pattern in _TRIVIAL or any(pattern == "{" + part.name + "}" for part in node.inputs):
            return
        if QUANTITIES[node.name].unit == "yes":
            return  # the headline says both sides
        result = _figure(node, currency)
        sums.append(Sum(pattern, {part.name: _figure(part, currency) for part in node.inputs}, result))

    walk(solution.node)
    unique = tuple(dict.fromkeys(_key(one) for one in sums))
    kept = [next(one for one in sums if _key(one) == key) for key in unique]
    return Line("sum.working", {"steps": tuple(kept[-_STEPS:])}) if kept else None


def _key(line: Sum) -> tuple[str, float]:
    return line.pattern, line.result.value if line.result is not None else 0.0


def _silent(part: Node) -> bool:
    """A default that changes nothing: times one, plus nothing."""
    return bool(part.assumed) and part.formula is None


def _facts(solution: Solution, currency: str) -> tuple[Fact, ...]:
    found = []
    beside = (solution.nodes[name] for name in TELLS.get(solution.name, ()) if name in solution.nodes)
    for node in (solution.node, *beside):
        unit = QUANTITIES[node.name].unit
        value: float | bool | None = bool(node.value) if unit == "yes" else node.value
        if isinstance(value, float) and not isfinite(value):
            value = None
        shown = currency + unit.removeprefix("money") if unit.startswith("money") else "" if unit == "yes" else unit
        found.append(fact_of(name=node.name, value=value, unit=shown, basis="given"))
    return tuple({fact.name: fact for fact in found}.values())
