"""A whole machine judged: cards with supply, processor, RAM and disk as far as they are named, the worst first."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from advisor.errors import AdvisorError
from advisor.machine import Item, MachineReport, Verdict, check_machine
from advisor.memory import Verdict as Fits
from bot.answers.common import NamedGpu, decline_error, models_of, named_gpus, source_refs, step_fact, step_sources
from bot.answers.machine.rig import card_groups, machine_of, variant_notes
from bot.answers.memory.cards import Card
from bot.answers.memory.fit_job import Judgement, facts_of, judged, shown_of, tried_on
from bot.answers.memory.fit_lines import headline_of
from bot.answers.phrases import cards_named
from bot.core.answers import Answer, Decline, Outcome, answer_with
from bot.core.line import Depth, Line, Listing
from bot.core.request import Request

_HEADLINES: Final = {Verdict.FAIL: "whole.fail", Verdict.WARN: "whole.warn", Verdict.PASS: "whole.pass"}
_SUPPLY: Final = "power"
_BRIEFLY: Final = 4
"""Parts that a group is told of."""


def handle(request: Request) -> Outcome:
    """Whether everything that is named goes together; what is not named is told as what it takes."""
    named = named_gpus(request)
    if isinstance(named, Decline):
        return named
    try:
        groups, assumed = card_groups(request, named)
        report = check_machine(machine_of(request, groups))
    except AdvisorError as error:
        return decline_error(error)
    steps = tuple(step for item in report.items for step in item.steps)
    first = groups[0]
    head, job = _headline(report, cards_named(first.gpu.name, first.count)), _job(request, named, first.count)
    short = job is not None and job.head.fit.verdict is Fits.NO
    answer: Answer = answer_with(
        headline=(headline_of(job) if job is not None and short else head,),
        lines=(head,) if short else (headline_of(job),) if job is not None else (),
        blocks=_blocks(report),
        result=report,
        facts=(
            *(step_fact(item.steps[0]) for item in report.items if item.steps),
            *(facts_of(shown_of(job), job.head.way) if job is not None else ()),
        ),
        trace=steps,
        sources=source_refs(request, step_sources(*steps)),
        assumptions=assumed,
        notes=variant_notes(named),
    )
    return answer


def _job(request: Request, named: list[NamedGpu], count: int) -> Judgement | None:
    """Whether the first card, in its number, holds the model that is named; None where none is."""
    models = models_of(request)
    if isinstance(models, Decline) or not models.models:
        return None
    asked = replace(request, slots={**request.slots, "gpu_count": count})
    return judged(asked, tried_on(asked, models.models[0], [Card(named[0].gpu, None)]))


def _headline(report: MachineReport, cards: Line) -> Line:
    return Line(_HEADLINES[report.verdict], {"cards": cards, "first": _weightiest(report).headline})


def _weightiest(report: MachineReport) -> Item:
    """The worst part; where nothing is wrong the supply, whose watts are the sum that matters."""
    supply = next((item for item in report.items if item.name == _SUPPLY and item.verdict is Verdict.PASS), None)
    return supply if supply is not None and report.verdict is Verdict.PASS else report.items[0]


def _blocks(report: MachineReport) -> tuple[Listing, ...]:
    """What to do about the worst, then part by part; a group hears of what was named."""
    worst = [item for item in report.items if item.verdict in (Verdict.FAIL, Verdict.WARN)]
    actions = tuple(action for item in worst for action in item.actions)
    first = _weightiest(report)
    told = [item.headline for item in report.items if item.verdict is not Verdict.OPEN and item is not first]
    found = (
        Listing((*actions[:1], *told[:_BRIEFLY]), depth=Depth.GROUP, last=Depth.GROUP),
        Listing(tuple(item.headline for item in report.items)),
        Listing(actions, title=Line("machine.do")),
    )
    return tuple(block for block in found if block.lines)
