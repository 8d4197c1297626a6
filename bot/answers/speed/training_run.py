"""The training run that a question about money stands for: how much data, how many cards, how many hours.

What nobody said is taken as usual and named: 20 tokens for each parameter of a language model trained from scratch,
ten thousand samples three times over for tuning one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil
from typing import Final

from advisor.errors import AdvisorError
from advisor.jobs.plan import Plan
from advisor.jobs.verdict import Verdict
from advisor.memory.results import Verdict as Word
from advisor.models import Estimate, Gpu, Method, MlModel, Note, Workload, note_of
from advisor.periods import DAYS_A_MONTH
from advisor.speed import Dataset, estimate_time
from advisor.speed.clusters import divided_over
from advisor.speed.contest import Side
from bot.answers.asked_job import plan_facts
from bot.answers.common import job_of, models_of
from bot.answers.speed.amounts import amount_of, dataset_named, tokens_of, with_usual_data
from bot.answers.speed.estimate_time import does_with_data, without_datasets
from bot.answers.speed.pace import filled, plan_on
from bot.answers.speed.picture_pace import draws
from bot.answers.speed.training_pace import lesser_way
from bot.answers.speed.usual_steps import usual_steps
from bot.core.answers import Assumption, Decline, assumption_of
from bot.core.message import Fact
from bot.core.request import Request

TOKENS_PER_PARAMETER: Final = 20.0
"""Chinchilla, arXiv 2203.15556."""
USUAL_SAMPLES, USUAL_EPOCHS = 10_000.0, 3.0
NODE: Final = 8
_MORE: Final = (2, 4, NODE, 2 * NODE, 4 * NODE, 8 * NODE)
"""Numbers of cards that a run is spread over which fewer do not hold."""
LONG_DAYS: Final = DAYS_A_MONTH
"""A run that takes longer on the cards at hand is spread over a node of eight."""
_SCRATCH: Final = (Method.TRAIN, Method.PRETRAIN)
_TUNES: Final = frozenset({"llm_finetune", "llm_rl", "nlp_finetune"})
_TRAINS: Final = frozenset({"train", "full", "lora", "qlora", "pretrain", "ptuning"})


@dataclass(frozen=True, slots=True)
class Run:
    """A training run on some cards."""

    work: Workload
    n: int
    wall: Estimate
    """Hours on all cards together."""
    tokens: float | None
    samples: float | None
    epochs: float
    scratch: bool
    assumptions: tuple[Assumption, ...]
    too_big: bool = False
    """The cards do not hold it, in no way that was tried and on no usual number of them."""
    notes: tuple[Note, ...] = ()
    facts: tuple[Fact, ...] = ()
    """Way, need and verdict as it was asked for."""

    @property
    def days(self) -> float:
        """Days without a break."""
        return self.wall.value / 24

    @property
    def cards_for_a_month(self) -> int:
        """Cards that would end it within thirty days, if they scaled without loss."""
        return ceil(self.wall.value * self.n / (LONG_DAYS * 24))


@dataclass(frozen=True, slots=True)
class _Data:
    """What a run goes through, one of the three, and how often."""

    dataset: Dataset | None = None
    tokens: float | None = None
    samples: float | None = None
    rounds: float = 0.0
    assumed: tuple[Assumption, ...] = ()


def is_training(request: Request) -> bool:
    """Whether the question is about training or tuning a model."""
    task = request.slot("task")
    if task in _TUNES or task == "pretrain" or request.slot("method") in _TRAINS:
        return True
    return bool(request.slot("dataset")) and not _is_drawn(request)


def _is_drawn(request: Request) -> bool:
    """Whether so many pictures are what a model is to draw: nothing is said of training it."""
    if request.heard.speaks_of("finetuning", "training", "pretraining") or not request.heard.drawn:
        return False
    found = models_of(request)
    return not isinstance(found, Decline) and bool(found.models) and found.models[0].modality == "image-gen"


def run_of(request: Request, gpu: Gpu, n: int) -> Run | None:
    """The run of the question on these cards; None for no model, no training, or nothing that can be timed."""
    model = _trained(request)
    if model is None:
        return None
    planned = _plan(request, model, gpu, n)
    work = job_of(request, planned.way).workload
    scratch = work.method in _SCRATCH and model.modality == "text-decoder"
    data = _of_pictures(request, work) or _data_of(request, work, n, scratch=scratch)
    if data is None:
        return None
    said = float(request.slot("epochs") or request.heard.epochs or 0)
    held = _held(request, model, Side(gpu, n), planned, None if scratch else work.method)
    try:
        run = _timed(held, replace(data, rounds=said or data.rounds), scratch)
    except AdvisorError:
        return None
    changed = _changed(planned.chosen[0].verdict, work.method, run)
    return replace(run, facts=plan_facts(planned), notes=() if changed is None else (changed,))


@dataclass(frozen=True, slots=True)
class _Held:
    """A question with the plan of its job, and the cards that it is planned on."""

    request: Request
    planned: Plan
    side: Side

    @property
    def fits(self) -> bool:
        """Whether the cards hold it."""
        return self.planned.chosen[0].verdict.word is not Word.NO


def _held(request: Request, model: MlModel, side: Side, planned: Plan, method: Method | None) -> _Held:
    """The run as it was asked for; where its cards do not hold it, in a lesser way or on more cards, else as asked for.

    A way that this very message names is kept and gets more cards; one that stands from before, or that nobody
    named, gives way first, as the time that was told before does. Cards that were counted stay as many. No way is
    less than training from scratch: `method` is None there.
    """
    asked = _Held(request, planned, side)
    if asked.fits:
        return asked
    lesser = lesser_way(request, model, [side], method.value) if method is not None else None
    less = _Held(*lesser, side) if lesser is not None else None
    more = None if request.slot("gpu_count") else _on_more(request, model, side)
    named = bool(request.heard.wished("method"))
    return ((more or less) if named else (less or more)) or asked


def _on_more(request: Request, model: MlModel, side: Side) -> _Held | None:
    """The same on the fewest cards that hold it; None where no usual number does."""
    for n in _MORE:
        shared = Side(side.gpu, n)
        found = _Held(request, _plan(request, model, side.gpu, n), shared)
        if n > side.n and found.fits:
            return found
    return None


def _changed(verdict: Verdict, method: Method, run: Run) -> Note | None:
    """That a run which does not fit as it was asked for is counted in another way, or on more cards."""
    if verdict.word is not Word.NO or verdict.gpu is None or run.too_big:
        return None
    values = {"gpu": verdict.gpu.name, "n": verdict.n, "need": verdict.need, "method": method.value}
    if run.n != verdict.n:
        return note_of("cost_more_cards", {**values, "more": run.n})
    return note_of("cost_lesser_way", {**values, "other": run.work.method.value})


def _trained(request: Request) -> MlModel | None:
    """The model that is trained or tuned, if one is: pictures that are to be made are no data."""
    named = models_of(without_datasets(request))
    if isinstance(named, Decline) or not named.models or not is_training(request):
        return None
    model = named.models[0]
    return None if request.heard.drawn and draws(request, model) else model


def _said(request: Request, model: MlModel, work: Workload, n: int) -> _Data | None:
    """What a run goes through by the question: a data set, tokens, steps or samples."""
    dataset, assumed = with_usual_data(request, model, dataset_named(request), ())
    if dataset is not None:
        return _Data(dataset=dataset, assumed=assumed)
    tokens = tokens_of(request) if model.modality.startswith("text") else None
    if tokens is not None:
        return _Data(tokens=tokens)
    samples = _of_steps(request, work, n) or _samples(request)
    return _Data(samples=samples) if samples is not None else None


def _data_of(request: Request, work: Workload, n: int, *, scratch: bool) -> _Data | None:
    """What was said that a run goes through, else what is usual."""
    return _said(request, work.ml_model, work, n) or _usual(work.ml_model, scratch=scratch)


def _of_pictures(request: Request, work: Workload) -> _Data | None:
    """The usual steps of a LoRA of pictures, where neither steps nor rounds are said."""
    steps = usual_steps(request, work, _samples(request))
    if steps is None:
        return None
    assumed = assumption_of(slot="train_steps", value=int(steps))
    return _Data(samples=steps * (work.batch or 1), assumed=(assumed,))


def _usual(model: MlModel, *, scratch: bool) -> _Data | None:
    """What a run goes through where nobody said it, as an assumption; None where there is no usual amount."""
    if scratch:
        tokens = TOKENS_PER_PARAMETER * model.parameters
        assumed = assumption_of(slot="train_tokens", value=f"{tokens / 1e9:.3g}B")
        return _Data(tokens=tokens, assumed=(assumed,))
    if not model.modality.startswith("text"):
        return None
    assumed = assumption_of(slot="train_samples", value=f"{USUAL_SAMPLES:,.0f} x {USUAL_EPOCHS:g}")
    return _Data(samples=USUAL_SAMPLES, rounds=USUAL_EPOCHS, assumed=(assumed,))


def spread(request: Request, run: Run, gpu: Gpu) -> Run:
    """The same run on a node of eight cards where fewer would take longer than a month and nobody said how many."""
    if request.slot("gpu_count") or run.n >= NODE or run.days <= LONG_DAYS:
        return run
    wider = run_of(request, gpu, NODE)
    if wider is None:
        return run
    return replace(wider, notes=(note_of("cost_run_spread", {"n": run.n, "more": wider.n}), *wider.notes))


def _timed(held: _Held, data: _Data, scratch: bool) -> Run:
    dataset, request, gpu, n = data.dataset, held.request, held.side.gpu, held.side.n
    job = filled(request, job_of(request, held.planned.way), [held.side])
    work = divided_over(job.workload, n)
    epochs = data.rounds or (float(dataset.usual_epochs) if dataset is not None else 1.0)
    wall = estimate_time(work, gpu, n, samples=data.samples, tokens=data.tokens, dataset=dataset, epochs=epochs).hours
    return Run(
        work=work,
        n=n,
        wall=wall,
        tokens=data.tokens,
        samples=data.samples if dataset is None else float(dataset.samples),
        epochs=epochs,
        scratch=scratch,
        assumptions=(*data.assumed, *job.assumptions),
        too_big=not held.fits,
    )


def _plan(request: Request, model: MlModel, gpu: Gpu, n: int) -> Plan:
    """The plan of the slots; data alone mean training on data of one's own."""
    said = request.slot("method") or request.slot("task") in {*_TUNES, "pretrain"}
    return plan_on(request, model, [Side(gpu, n)], does=None if said else does_with_data(model))


def _samples(request: Request) -> float | None:
    stated = request.slot("dataset")
    return amount_of(str(stated)) if stated else None


def _of_steps(request: Request, work: Workload, n: int) -> float | None:
    """Samples of as many steps as were said, on cards that step together."""
    steps = request.slot("train_steps")
    return float(steps) * (work.batch or 1) * n if steps else None
