"""A job on cards: every way of it judged, the one that is meant marked, and what would make it fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from advisor.jobs.plan import Place
from advisor.jobs.verdict import Verdict as Judged
from advisor.jobs.ways import Way
from advisor.memory import FitResult, Trick, TrickPlan, Verdict
from advisor.memory.estimate import described, notes_of
from advisor.memory.figure import Figure, figure_of
from advisor.memory.fit import Fit, fit_result
from advisor.memory.trace import guide_steps
from advisor.memory.tricks import tricks_from
from advisor.models import Method, MlModel, Note, Precision, Step, Workload, note_of
from bot.answers.asked_job import code_of
from bot.answers.common import Job, Named, fact, job_of, source_refs
from bot.answers.machine import processor
from bot.answers.memory.capacity import Capacity, largest
from bot.answers.memory.cards import Card, usable_step
from bot.answers.memory.pictures import memory_chart
from bot.answers.memory.rows import Row, Split, holding_cards, row_of, split_for
from bot.answers.memory.run_notes import host_said, how_run
from bot.answers.memory.sizing import (
    card_notes,
    guide_conflicts,
    guide_notes,
    guide_of_task,
    is_llm,
    ladder,
    lesser,
    merged,
    plan_shown,
    setting_notes,
    shared_notes,
    source_ids,
    weighty,
)
from bot.answers.witness import MEMORY, witness_notes
from bot.core.answers import Answer, answer_with
from bot.core.message import Choice, Fact, choice_of, fact_of
from bot.core.request import Request

_FEW_CARDS: Final = 4
"""Splits over more cards than this, for each that there is, are not offered where one usual card would do."""
_LABELS: Final = {"lora": "LoRA", "qlora": "QLoRA"}
_MOST_CHOICES: Final = 4


@dataclass(frozen=True, slots=True)
class Tried:
    """One way of one model on one card."""

    job: Job
    fit: Fit
    figure: Figure
    card: Card
    way: Way
    verdict: Judged
    row: Row
    meant: bool = False
    """The way that the answer speaks of."""

    @property
    def fits(self) -> bool:
        """Whether it surely fits."""
        return self.fit.verdict is Verdict.FITS

    @property
    def runs(self) -> bool:
        """Whether the model is used as it is, not trained."""
        return self.job.workload.method is Method.INFERENCE

    @property
    def draws(self) -> bool:
        """Whether pictures or clips are made."""
        return self.runs and self.job.workload.ml_model.modality == "image-gen"

    def beside(self, other: Tried) -> bool:
        """Whether another is a way of the same model on the same card."""
        return self.card is other.card and self.job.workload.ml_model is other.job.workload.ml_model


@dataclass(frozen=True, slots=True)
class Judgement:
    """What was found out about a job: all ways, the one that is meant, what else would do."""

    tried: tuple[Tried, ...]
    head: Tried
    n: int
    plan: TrickPlan | None = None
    """Ways to make it fit, where it does not surely do."""
    split: Split | None = None
    nearest: Row | None = None
    """QLoRA of the same model, for a training that is out of reach."""
    largest: Capacity | None = None
    """The largest language model that the card holds, where this one does not fit."""
    cards: tuple[str, ...] = ()
    """Usual cards that hold it, smallest first, where this one does not surely."""
    instead: Row | None = None
    """The way of the same use that fits, where the format that was named does not."""

    @property
    def heads(self) -> tuple[Tried, ...]:
        """What is meant of each model on the first card; of the only model on each card."""
        meant = [one for one in self.tried if one.meant]
        several = len({one.job.workload.ml_model.id for one in meant}) > 1
        return tuple(one for one in meant if not several or one.card is self.head.card)

    @property
    def works(self) -> Tried | None:
        """A way that fits where the one that is meant does not."""
        if self.head.fits:
            return None
        return next((one for one in self.tried if one.fits and one.beside(self.head)), None)

    @property
    def rest(self) -> tuple[Tried, ...]:
        """Other ways of the same kind of use, of the model and card that the headline speaks of."""
        return tuple(one for one in self._others if one.runs == self.head.runs)

    @property
    def other_uses(self) -> tuple[Tried, ...]:
        """Ways of the other kind, where the question left open what is done with the model."""
        return tuple(one for one in self._others if one.runs != self.head.runs)

    @property
    def _others(self) -> list[Tried]:
        told = (self.head, self.works)
        return [one for one in self.tried if one.beside(self.head) and one not in told]

    @property
    def hopeless(self) -> bool:
        """Whether nothing that can be computed makes it fit on this card."""
        no = self.head.fit.verdict is Verdict.NO
        return no and self.plan is not None and self.plan.first_that_fits is None

    @property
    def recipe(self) -> tuple[Trick, ...]:
        """The steps that make it fit, as people name them: who takes QLoRA is not told of LoRA first."""
        steps = self.plan.recipe if self.plan else ()
        named = any(step.code == "qlora" for step in steps)
        return tuple(step for step in steps if not (named and step.code == "lora"))


def tried_on(request: Request, model: MlModel, cards: Sequence[Card]) -> list[Tried]:
    """Every way of one model on every card, the one that is meant marked."""
    n = int(request.slot("gpu_count") or 1)
    planned = plan_shown(request, model, [Place(card.gpu, n, card.vram) for card in cards])
    found = []
    for card, chosen in zip(cards, planned.chosen, strict=True):
        for way, verdict in planned.table(chosen.place) or ((chosen.way, chosen.verdict),):
            job, fit = job_of(request, way, n), verdict.as_fit
            row = row_of(request, verdict.figure, fit, with_cards=False)
            found.append(Tried(job, fit, verdict.figure, card, way, verdict, row, way is chosen.way))
    return found


def judged(request: Request, tried: Sequence[Tried]) -> Judgement:
    """What follows from the ways that were tried: what makes the first one that is meant fit."""
    head = next(one for one in tried if one.meant)
    work, n = head.figure.workload, head.figure.n_gpus
    if head.fits:
        return Judgement(tuple(tried), head, n)
    plan = tricks_from(head.figure, head.card.gpu, head.card.vram, trails=False) if head.card.nominal else None
    cards = () if head.card.shares_ram or n > 1 else holding_cards(request, head.figure)
    found = Judgement(tuple(tried), head, n, plan, _split(request, head, n), cards=cards)
    nearest = _nearest(request, work) if found.hopeless else None
    held = _largest(request, head) if head.fit.verdict is Verdict.NO else None
    return Judgement(found.tried, head, n, plan, found.split, nearest, held, cards, _in_another_format(request, found))


def _in_another_format(request: Request, found: Judgement) -> Row | None:
    """The best way of the same model and use that fits, where a format was named that does not."""
    head = found.head
    if not request.slot("precision") or found.works is not None or head.fit.verdict is not Verdict.NO:
        return None
    slots = {name: value for name, value in request.slots.items() if name != "precision"}
    opened = replace(request, slots=slots, heard=request.heard.unread)
    model = head.job.workload.ml_model
    others = [one for one in tried_on(opened, model, [head.card]) if one.fits and one.runs == head.runs]
    return max(others, key=lambda one: one.row.need.value).row if others else None


def _split(request: Request, head: Tried, n: int) -> Split | None:
    """The fewest cards that share it: of the user's own first, none where one usual card would do instead of many."""
    if head.card.shares_ram:
        return None
    work, own = head.figure.workload, [head.card.gpu] if head.card.gpu else []
    split = split_for(request, work, own, n) or split_for(request, work)
    if split and split.n > _FEW_CARDS * n and holding_cards(request, head.figure):
        return None
    return split


def _nearest(request: Request, job: Workload) -> Row | None:
    """QLoRA of the same model on a card that holds it, for a full or LoRA training that is out of reach."""
    if not is_llm(job.ml_model) or job.method in (Method.QLORA, Method.INFERENCE):
        return None
    changed = {"method": Method.QLORA, "precision": Precision.INT4, "quant": "nf4", "optimizer": None, "n_gpus": 1}
    return row_of(request, figure_of(job.model_copy(update={**changed, "parallel": None})))


def _largest(request: Request, head: Tried) -> Capacity | None:
    """The largest language model that the card holds in the least demanding form of the same kind of work."""
    job, card = head.figure.workload, head.card
    if not is_llm(job.ml_model) or card.nominal is None:
        return None
    method = Method.INFERENCE if job.method is Method.INFERENCE else Method.QLORA
    return largest(request, card, method, job.n_gpus)


# --- the answer, but for its lines -----------------------------------------------------------------------------------


def shown_of(found: Judgement) -> FitResult:
    """The one that is meant, with the trail of its figures."""
    head = found.head
    return fit_result(head.fit, described(head.figure), head.card.gpu)


def answer(request: Request, found: Judgement, named: Named, shown: FitResult) -> Answer:
    """Facts, trail, sources, assumptions and remarks of a judgement; what it says is put in by `fit_lines`."""
    head = found.head
    estimate, guide = shown.estimate, guide_of_task(request)
    notes = _notes(request, found, named, shown)
    return answer_with(
        facts=facts_of(shown, head.way),
        trace=(*_trace(head, shown), *estimate.guide, *guide),
        conflicts=guide_conflicts([estimate], head.card.nominal),
        sources=source_refs(request, source_ids([estimate])),
        assumptions=merged([one.job for one in _same_use(found)], named.assumptions),
        notes=weighty(notes),
        blocks=lesser(notes),
        choices=_choices(found),
        chart=memory_chart(estimate, head.card),
        result=shown,
    )


def _same_use(found: Judgement) -> list[Tried]:
    """The ways that are told beside the one that is meant: what only others rest on is not assumed here."""
    methods = {one.job.workload.method for one in found.heads}
    return [one for one in found.tried if one.job.workload.method in methods]


def _notes(request: Request, found: Judgement, named: Named, shown: FitResult) -> tuple[Note, ...]:
    head, work = found.head, found.head.figure.workload
    notes = [*named.notes, *(one.card.note for one in found.heads if one.card.note)]
    notes += [*_run_notes(request, head), *setting_notes([work]), *card_notes(head.card.gpu, [work])]
    notes += witness_notes([one.card.gpu for one in found.heads], MEMORY)
    if head.card.ram_only and is_llm(work.ml_model):
        notes.append(processor.pace_note(work.ml_model))
    if _all_resident(head) and not head.fits and len(found.tried) == 1:
        notes.append(note_of("memory_diffusion_offload", {}))
    notes += [*shown.notes, *shared_notes(notes_of(one.figure) for one in _same_use(found))]
    return (*notes, *guide_notes(guide_steps(found.tried[0].figure.job), guide_of_task(request)))


def _all_resident(head: Tried) -> bool:
    """Whether all parts of a pipeline were counted together, though some of them could wait in RAM."""
    work = head.figure.workload
    return head.draws and not (work.offload or work.offloads)


def _run_notes(request: Request, head: Tried) -> tuple[Note, ...]:
    """How it is run; a bare amount of memory writes text as fast as a usual card that has as much."""
    if not _is_bare(head):
        return how_run(head.verdict, head.way, host_said(request, head.verdict))
    catalog, size = request.services.catalog, head.card.nominal or 0.0
    usual = (catalog.gpus[one] for one in ladder().cards)
    like = next((gpu for gpu in usual if (gpu.vram_gib or 0.0) >= size), None)
    made = how_run(replace(head.verdict, gpu=like), head.way, host_said(request, head.verdict))
    return (*made, note_of("plan_like_card", {"gpu": like.name})) if like is not None and made else made


def _is_bare(head: Tried) -> bool:
    """Whether a language or picture model is to run in an amount of memory, whatever card has it."""
    bare = head.card.gpu is None and not head.card.ram_only
    return bare and (is_llm(head.job.workload.ml_model) or head.draws)


def facts_of(fit: FitResult, way: Way) -> tuple[Fact, ...]:
    """Need, way and verdict of one way on one card, for programs."""
    facts = [fact("vram_needed", fit.need), fact_of(name="way", value=code_of(way), basis="plan")]
    if fit.usable_gib is not None and fit.margin_gib is not None:
        facts.append(fact_of(name="vram_usable", value=fit.usable_gib, unit="GiB", basis="nominal less reserve"))
        facts.append(fact_of(name="vram_margin", value=fit.margin_gib, unit="GiB", basis="usable minus needed"))
    facts.append(fact_of(name="verdict", value=fit.verdict.value, basis="90 % band"))
    return tuple(facts)


def _trace(head: Tried, fit: FitResult) -> tuple[Step, ...]:
    if fit.usable_gib is None or fit.nominal_gib is None:
        return (fit.need.trace,)
    return (fit.need.trace, usable_step(head.card, fit.usable_gib))


def _choices(found: Judgement) -> tuple[Choice, ...]:
    """The nearest ways to a yes, one press away."""
    if found.plan is None:
        return ()
    keys = [choice for trick in found.plan.tricks if (choice := _choice(trick.code)) is not None]
    if found.n == 1 and found.head.card.gpu is not None:
        keys.append(choice_of(label="x2", key="set:gpu_count=2"))
    return tuple(keys[:_MOST_CHOICES])


def _choice(code: str) -> Choice | None:
    if code in _LABELS:
        return choice_of(label=_LABELS[code], key=f"set:method={code}")
    if code in ("int8", "int4"):
        return choice_of(label=code.upper(), key=f"set:precision={code}")
    return choice_of(label="batch 1", key="set:batch=1") if code == "batch" else None
