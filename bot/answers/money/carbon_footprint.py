"""Energy and carbon of some GPU work: by card, hours and grid, with the year of the factor and other figures."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Final

from advisor.errors import AdvisorError
from advisor.jobs.draw import draw_of
from advisor.models import Note, note_of, step_of
from advisor.money import Carbon, Span, carbon_of, energy_used
from advisor.money.bill import HOURS
from advisor.money.energy import energy_data
from bot.answers.asked_job import usage_for
from bot.answers.choose.wishes import providers_of
from bot.answers.common import decline_error, elicit_gpu, named_gpus, source_refs
from bot.answers.documents.passages import passage_answer
from bot.answers.money.bills import region_key, span_fact
from bot.answers.phrases import cards_named
from bot.core.answers import Assumption, Decline, Outcome, answer_with, assumption_of, elicit_of, offered_of
from bot.core.line import Figure, Label, Line, Listing
from bot.core.message import fact_of
from bot.core.request import Request

_TOLD: Final = 0.6
"""Search score from which a passage answers a question that names no card."""

GREENER: Final = step_of(
    name="greener",
    value="green electricity, else offsets, spread over several",
    how="passage",
    sources=("seed-002",),
    as_of=date(2020, 10, 9),
    rows=("002-200",),
)


def handle(request: Request) -> Outcome:
    """Emissions of cards over some hours; the card is asked for, hours and grid are assumed."""
    try:
        return _footprint(request)
    except AdvisorError as error:
        return decline_error(error)


def _footprint(request: Request) -> Outcome:
    named = named_gpus(request)
    if isinstance(named, Decline):
        return named
    if not named:
        told = passage_answer(request, "carbon_footprint", floor=_TOLD, only=True)
        return told or elicit_of(slot="gpu", values=elicit_gpu().values, notes=(note_of("carbon_greener", {}),))
    gpu, n = named[0].gpu, request.slot("gpu_count") or 1
    drawn = draw_of(gpu, n, request.slot("limit_w"))
    if drawn is None:
        return Decline(reason=note_of("cost_no_power", {"name": gpu.name}))
    hours, assumed = _hours(request)
    key, stated = region_key(request)
    rented = bool(providers_of(request)) or request.slot("deploy") == "rent"
    defaults = energy_data().power
    pue = defaults.pue_datacentre if rented else defaults.pue
    board = gpu.sources.get("board_power_w") or gpu.sources.get("*", "")
    energy = energy_used(drawn.cards, hours, host_w=drawn.host, pue=pue, source=board)
    found = carbon_of(energy, key)
    region = energy_data().regions[key]
    if not stated:
        assumed = (*assumed, assumption_of(slot="region", value=region.name[request.language]))
    facts = [
        span_fact("energy", energy.kwh, "kWh", "(card + host) x hours x PUE"),
        span_fact("carbon", found.kg, "kg CO2", f"{found.factor.year}", (found.factor.source,)),
        fact_of(
            name="carbon_intensity", value=float(found.factor.g_per_kwh), unit="g/kWh", basis=str(found.factor.year)
        ),
    ]
    facts += [
        fact_of(name="carbon_intensity_other", value=float(factor.g_per_kwh), unit="g/kWh", basis=f"{factor.source}")
        for factor, _ in found.others
    ]
    sources = [found.factor.source, *(factor.source for factor, _ in found.others), board, "seed-002"]
    variant = named[0].note
    return answer_with(
        facts=tuple(facts),
        trace=(found.trace, GREENER),
        sources=source_refs(request, [source for source in sources if source]),
        assumptions=assumed,
        notes=(*((variant,) if variant else ()), *_notes(request, found, stated, rented)),
        asks=None if not any(one.value == "24 h" for one in assumed) else offered_of(slot="duration"),
        result=found,
        headline=(_headline(found, cards_named(gpu.name, n), hours, region.name[request.language]),),
        blocks=(_parts(found, hours),),
    )


def _headline(found: Carbon, cards: Line, hours: float, region: str) -> Line:
    return Line(
        "carbon.total",
        {
            "kg": _span(found.kg, "kg"),
            "cards": cards,
            "hours": Figure(hours, "hour"),
            "kwh": _span(found.energy.kwh, "kWh"),
            "g": Figure(float(found.factor.g_per_kwh), "g/kWh"),
            "region": region,
            "year": str(found.factor.year),
        },
    )


def _parts(found: Carbon, hours: float) -> Listing:
    """Watts, the kind of figure, what other figures give, a whole year."""
    energy = found.energy
    watts = {"card": _span(energy.card_w, "W"), "host": Figure(float(energy.host_w), "W")}
    lines = [
        Line("carbon.watts", {**watts, "hours": Figure(hours, "hour"), "kwh": _span(energy.kwh, "kWh")}),
        Line("carbon.scope", {"scope": Label(found.factor.scope, "scope")}),
    ]
    lines += [
        Line(
            "carbon.other",
            {
                "g": Figure(float(factor.g_per_kwh), "g/kWh"),
                "year": str(factor.year),
                "scope": Label(factor.scope, "scope"),
                "kg": _span(kg, "kg"),
            },
        )
        for factor, kg in found.others
    ]
    return Listing((*lines, Line("carbon.yearly", {"kg": Figure(float(_yearly(found, hours)), "kg")})))


def _span(span: Span, unit: str) -> Figure:
    return Figure(float(span.value), unit, low=float(span.low), high=float(span.high))


def _hours(request: Request) -> tuple[float, tuple[Assumption, ...]]:
    usage = usage_for(request)
    if usage.hours is not None:
        return usage.hours, ()
    yearly = usage.hours_over(float(energy_data().power.hours_per_year))
    if yearly is not None:
        return yearly, (assumption_of(slot="duration", value="52 weeks"),)
    return float(HOURS["day"]), (assumption_of(slot="duration", value="24 h"),)


def _yearly(found: Carbon, hours: float) -> Decimal:
    """kg of a whole year without a break."""
    per_hour = found.kg.value / Decimal(str(hours)) if hours else Decimal(0)
    return per_hour * energy_data().power.hours_per_year


def _notes(request: Request, found: Carbon, stated: bool, rented: bool) -> tuple[Note, ...]:
    notes = []
    if request.slot("region") and not stated:
        notes.append(note_of("carbon_region_unknown", {"region": str(request.slot("region"))}))
    if len({factor.g_per_kwh for factor, _ in found.others} | {found.factor.g_per_kwh}) > 1:
        figures = [
            {"g": float(f.g_per_kwh), "year": f.year, "scope": f.scope}
            for f, _ in ((found.factor, None), *found.others)
        ]
        notes.append(note_of("carbon_two_figures", {"figures": figures}))
    if rented:
        notes.append(note_of("carbon_pue", {"pue": float(energy_data().power.pue_datacentre)}))
    notes.append(note_of("carbon_greener", {}))
    return tuple(notes)
