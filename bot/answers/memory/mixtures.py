"""Which mixtures of experts a card runs with the machine's RAM beside it, and how fast each of them writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from advisor.errors import AdvisorError
from advisor.memory.results import Verdict as Word
from advisor.models import Estimate
from advisor.speed import tokens_per_second
from advisor.speed.contest import Side
from bot.answers.common import elicit_gpu, fact, named_gpus, source_refs, step_sources
from bot.answers.memory.run_notes import host_said, in_ram
from bot.answers.memory.sizing import card_of_memory, ladder
from bot.answers.phrases import in_turn, model_named
from bot.answers.speed.pace import counts_of, plan_on
from bot.answers.speed.time_lines import told
from bot.core.answers import Answer, Assumption, Decline, Outcome, answer_with, assumption_of
from bot.core.line import Figure, Line, Worded
from bot.core.message import fact_of
from bot.core.request import Request

_FOR_SYSTEM: Final = 8.0
"""GB of RAM that the system and its programs keep."""
_USUAL_RAM: Final = 64.0
"""GB of RAM where none is said, the usual size beside such a card."""
_MOST: Final = 4


@dataclass(frozen=True, slots=True)
class _Mixture:
    """A mixture of experts as the machine runs it."""

    model: str
    rate: Estimate
    in_ram: float
    """GB of its experts that lie in RAM; 0 where all of it is on the card."""


def is_asked(request: Request) -> bool:
    """Whether mixtures of experts are asked for, none is named and a card or its memory is."""
    if request.slot("model") or not (request.slot("gpu") or request.slot("vram_gb")):
        return False
    return request.heard.shows("technique", "moe") and not request.slot("budget")


def handle(request: Request) -> Outcome:
    """The largest that RAM and card hold together, then smaller ones, each with its pace."""
    cards = named_gpus(request)
    if isinstance(cards, Decline):
        return cards
    if cards:
        return _answer(request, Side(cards[0].gpu, counts_of(request, cards)[0]), ())
    usual = card_of_memory(request)
    if usual is None:
        return elicit_gpu()
    return _answer(request, Side(usual), (assumption_of(slot="gpu", value=usual.name),))


def _answer(request: Request, side: Side, assumed: tuple[Assumption, ...]) -> Answer:
    """The same for one machine."""
    said = request.slot("ram_gb")
    ram = float(said or _USUAL_RAM)
    assumed = assumed if said else (*assumed, assumption_of(slot="ram_gb", value=f"{ram:g} GB"))
    found = _held(request, side, ram)
    values: dict[str, Worded] = {"card": side.gpu.name, "ram": Figure(ram, "GB")}
    if not found:
        return answer_with(headline=(Line("moe.none", values),), assumptions=assumed)
    first, others = found[0], found[1:_MOST]
    head = Line("moe.largest" if first.in_ram else "moe.on_card", {**values, **_values(first)})
    return answer_with(
        headline=(head,),
        lines=(*_others(others), Line("moe.why")),
        facts=(
            fact_of(name="largest_mixture", value=first.model),
            *(fact(f"tokens_per_second:{one.model}", one.rate) for one in found),
        ),
        trace=tuple(one.rate.trace for one in found[:_MOST]),
        sources=source_refs(request, step_sources(*(one.rate.trace for one in found[:_MOST]))),
        assumptions=(*assumed, assumption_of(slot="precision", value="int4")),
    )


def _held(request: Request, side: Side, ram: float) -> list[_Mixture]:
    """The mixtures that card and RAM hold together, the largest first."""
    catalog = request.services.catalog
    models = [catalog.ml_models[name] for name in ladder().mixtures]
    ordered = sorted(models, key=lambda model: -model.parameters)
    made = (_run(request, side, model.name, ram) for model in ordered)
    return [one for one in made if one is not None]


def _run(request: Request, side: Side, name: str, ram: float) -> _Mixture | None:
    """A mixture as it is run here; None where it does not fit, or nothing can be worked out."""
    model = request.services.catalog.get_ml_model(name)
    try:
        planned = plan_on(request, model, [side])
        chosen = planned.chosen[0]
        if chosen.verdict.word is not Word.NO:
            return _Mixture(model.name, tokens_per_second(chosen.way.workload, side.gpu, side.n).decode, 0.0)
    except AdvisorError:
        return None
    made = in_ram(chosen.verdict, chosen.way, host_said(request, chosen.verdict))
    if made is None or made.in_ram_gb > ram - _FOR_SYSTEM:
        return None
    return _Mixture(model.name, made.decode, made.in_ram_gb)


def _values(one: _Mixture) -> dict[str, Worded]:
    """What is told of one."""
    held = Figure(one.in_ram, "GB") if one.in_ram else None
    return {"model": model_named(one.model), "rate": told(one.rate, "token/s"), "held": held}


def _others(found: list[_Mixture]) -> tuple[Line, ...]:
    """Smaller ones."""
    listed = [Line("moe.one" if one.in_ram else "moe.one_on_card", _values(one)) for one in found]
    return (Line("moe.others", {"others": in_turn(listed)}),) if listed else ()
