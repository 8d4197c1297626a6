"""How fast a job runs, or how long it takes: tokens per second, hours of training."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from advisor.errors import AdvisorError, UnsupportedCombination
from advisor.jobs.plan import Plan
from advisor.jobs.usual import Does
from advisor.jobs.verdict import Verdict
from advisor.jobs.ways import Way
from advisor.memory.results import Verdict as Word
from advisor.models import MlModel, Note, Workload, note_of
from advisor.speed import Dataset, find_dataset, tokens_per_second
from advisor.speed.contest import Side
from advisor.speed.rate import generates
from advisor.speed.results import GenerationEstimate
from bot.answers.asked_job import plan_facts, usage_for
from bot.answers.boards import on_board
from bot.answers.common import (
    NamedGpu,
    decline_error,
    elicit_gpu,
    fact,
    job_of,
    models_of,
    named_gpus,
    source_refs,
    step_sources,
)
from bot.answers.documents.passages import passage_answer
from bot.answers.memory.run_notes import host_said, in_ram
from bot.answers.memory.sizing import card_of_memory, elicit_model, model_of_task
from bot.answers.speed.amounts import dataset_named, with_usual_data
from bot.answers.speed.lent import Lent
from bot.answers.speed.measured_run import measured_elsewhere
from bot.answers.speed.pace import (
    counts_of,
    filled,
    plan_on,
    variant_notes,
    with_memory,
)
from bot.answers.speed.pictures import context_chart
from bot.answers.speed.reading_pace import asked_first, bearable
from bot.answers.speed.said_data import FROM_SCRATCH_TOKENS, Said, is_from_scratch, stated, with_usual
from bot.answers.speed.served_pace import served_run, without_batch
from bot.answers.speed.time_lines import Data, Run, blocks, headline, lines
from bot.answers.speed.training_pace import epochs_of, epochs_stated, fit_notes, many_enough, smaller_run, training_run
from bot.answers.witness import COMPUTING, GENERATING, witness_notes
from bot.core.answers import Answer, Assumption, Decline, Outcome, answer_with, assumption_of, offered_of
from bot.core.message import Fact
from bot.core.request import Request

_MOST_CARDS: Final = 4
MODEL_OF_DATA: Final = {
    "ImageNet-1k": "resnet50",
    "CIFAR-10": "resnet18",
    "MNIST": "resnet18",
    "COCO": "YOLOv8m",
    "Pascal VOC": "YOLOv8m",
    "SQuAD v1.1": "bert-base-uncased",
    "MRPC": "bert-base-uncased",
    "SST-2": "bert-base-uncased",
    "MNLI": "bert-base-uncased",
    "Alpaca-52k": "llm-7b",
    "Alpaca-2k": "llm-7b",
}
"""What is usually trained on a data set, when no model was named."""
_TRAINING: Final = frozenset({"train", "full", "lora", "qlora", "pretrain", "ptuning"})
_MOST_REMARKS: Final = 2
_CLEAR: Final = 0.6
"""A passage is shown instead of asking back only when it matches this well."""


def handle(request: Request) -> Outcome:
    """Speed of the named job on the named cards; asks for what decides it."""
    cards = _cards(request)
    if isinstance(cards, Decline):
        return cards
    dataset = dataset_named(request)
    named = models_of(without_datasets(request))
    if isinstance(named, Decline):
        return named
    notes: tuple[Note, ...] = named.notes
    models, assumed = named.models, named.assumptions
    if not models:
        models, assumed = guessed_model(request, dataset)
    elsewhere = measured_elsewhere(request, cards, named.models, models)
    if elsewhere is not None:
        return elsewhere
    if not models:
        return _without_model(request)
    if not cards:
        return _on_usual(request)
    dataset, assumed = with_usual_data(request, models[0], dataset, assumed)
    try:
        told = _pictures(request, models[0], cards[:_MOST_CARDS], notes)
        return told or _answer(request, cards[:_MOST_CARDS], models[0], dataset, (*assumed,), notes)
    except UnsupportedCombination:
        return _unsupported(request, models[0], cards[:_MOST_CARDS])
    except AdvisorError as error:
        return decline_error(error)


def _on_usual(request: Request) -> Outcome:
    """The same on the card that stands for the memory that was named, which is said; else asks for the card."""
    card = card_of_memory(request)
    if card is None:
        return elicit_gpu()
    found = handle(replace(request, slots={**request.slots, "gpu": [card.name]}))
    if not isinstance(found, Answer):
        return found
    return found.model_copy(
        update={"assumptions": (assumption_of(slot="gpu", value=card.name), *found.assumptions), "asks": None}
    )


def _cards(request: Request) -> list[NamedGpu] | Decline:
    """The cards that are named; of one in two sizes, which are as fast, that which holds more."""
    named = named_gpus(request)
    return named if isinstance(named, Decline) else [one.with_most_memory for one in named]


def without_datasets(request: Request) -> Request:
    """The request with data sets struck from its models."""
    models = request.slot("model") or []
    kept = [name for name in models if find_dataset(str(name)) is None]
    return request if len(kept) == len(models) else replace(request, slots={**request.slots, "model": kept})


def _without_model(request: Request) -> Outcome:
    return passage_answer(request, "estimate_time", floor=_CLEAR, only=True) or elicit_model()


def guessed_model(request: Request, dataset: Dataset | None) -> tuple[tuple[MlModel, ...], tuple[Assumption, ...]]:
    """The model that usually goes with a data set or a task, said as an assumption."""
    catalog = request.services.catalog
    if dataset is not None:
        model = catalog.find_ml_model(MODEL_OF_DATA.get(dataset.name, ""))
        if model is not None:
            return (model,), (assumption_of(slot="model", value=model.name),)
    named = model_of_task(request)
    return named.models, named.assumptions


def _pictures(request: Request, model: MlModel, cards: list[NamedGpu], notes: tuple[Note, ...]) -> Answer | None:
    """The pace of drawing or listening, where that is what the model is asked for; of a pile of work all of it."""
    from bot.answers.speed.picture_pace import draws, picture_answer  # only for models that draw
    from bot.answers.speed.speech_pace import listens, speech_answer  # only for models that listen
    from bot.answers.speed.whole_work import whole_work, work_answer

    sides = [Side(card.gpu, n) for card, n in zip(cards, counts_of(request, cards), strict=True)]
    work, said = whole_work(request, model), (*variant_notes(cards), *notes)
    told = work_answer(request, model, sides, work, said) if work else None
    if told is not None:
        return told
    if listens(request, model):
        return speech_answer(request, model, sides, said)
    if not draws(request, model):
        return None
    return picture_answer(request, model, sides, said)


def _unsupported(request: Request, model: MlModel, cards: list[NamedGpu]) -> Outcome:
    sides = [Side(card.gpu, n) for card, n in zip(cards, counts_of(request, cards), strict=True)]
    from bot.answers.speed.speech_pace import learns_speech  # only for what has no pace

    facts, learns = plan_facts(plan_on(request, model, sides)), learns_speech(request, model)
    answer = None if learns else passage_answer(request, "estimate_time", floor=_CLEAR, only=True)
    if answer is not None:
        return answer.model_copy(update={"facts": (*facts, *answer.facts)})
    code = "speed_speech_training" if learns else "speed_image_unsupported"
    return Decline(reason=note_of(code, {"model": model.name}), facts=facts)


def _plan(request: Request, model: MlModel, sides: list[Side], tokens: float | None, *, data: bool) -> Plan:
    """The plan of the slots; data that were named mean training, so many tokens that it is training from scratch."""
    runs = request.slot("method") or request.slot("task") in {"llm_inference", "rag"}
    does = Does.SCRATCH if (tokens or 0.0) >= FROM_SCRATCH_TOKENS else does_with_data(model)
    return plan_on(request, model, sides, does=does if data and not runs else None)


def does_with_data(model: MlModel) -> Does:
    """What is done with a model where data of one's own are named."""
    return Does.TRAIN if model.modality == "vision" else Does.TUNE


def _answer(
    request: Request,
    cards: list[NamedGpu],
    model: MlModel,
    dataset: Dataset | None,
    assumed: tuple[Assumption, ...],
    notes: tuple[Note, ...],
) -> Answer:
    counts = counts_of(request, cards)
    cards = [with_memory(request, on_board(card, n)) for card, n in zip(cards, counts, strict=True)]
    sides = [Side(card.gpu, n) for card, n in zip(cards, counts, strict=True)]
    said = stated(request, dataset)
    laid = _laid_out(request, model, sides, said)
    planned, sides = laid.planned, laid.sides
    job = filled(request, job_of(request, planned.way), sides)
    work = job.workload
    said, usual = with_usual(request, said, work)
    said = said.counted(work, sides[0].n)
    runs = _runs(request, work, sides, planned, dataset, said.samples)
    instead = None if laid.scratch else smaller_run(request, model, sides, runs[0], dataset, said.samples)
    smaller, job = instead or (None, job)
    paced = runs if smaller is None else [smaller, *runs[1:]]
    data = _data(request, said, work)
    lone = witness_notes([one.gpu for one in cards], GENERATING if generates(work) else COMPUTING)
    known = (*variant_notes(cards), *notes, *lone, *_data_notes(request, dataset, said.samples))
    remarks = _distinct((*known, *_about_said(request, [note for one in paced for note in one.notes])))
    traces = tuple(one.trace for one in runs)
    first = headline(runs, data, request.language, smaller, by_cards=laid.counted)
    prompts = asked_first(request, runs[0])
    return answer_with(
        headline=(prompts or first,),
        lines=(
            *((first,) if prompts else ()),
            *bearable(request, runs[0]),
            *lines(runs, data, request.language, read=bool(prompts)),
        ),
        blocks=blocks(runs, data, remarks[_MOST_REMARKS:]),
        facts=(*plan_facts(planned), *_facts(runs)),
        trace=traces,
        sources=source_refs(request, step_sources(*traces)),
        assumptions=(*assumed, *without_batch(job.assumptions, runs[0]), *usual, *_epochs_assumed(request, dataset)),
        notes=remarks[:_MOST_REMARKS],
        asks=None if generates(work) or data.samples is not None else offered_of(slot="dataset"),
        chart=context_chart(work, sides) if generates(work) and int(request.slot("users") or 1) == 1 else None,
        result=runs[0],
    )


@dataclass(frozen=True, slots=True)
class _LaidOut:
    """The plan of a job on what was named, or on as many cards as it takes."""

    planned: Plan
    sides: list[Side]
    scratch: bool
    """Training from the first token on: no tuning stands in for it."""
    counted: bool = False
    """The number of cards is ours, nobody said one."""


def _laid_out(request: Request, model: MlModel, sides: list[Side], said: Said) -> _LaidOut:
    """The plan on the cards that were named; of a training from scratch on as many of them as hold it."""

    def plan_for(on: list[Side]) -> Plan:
        return _plan(request, model, on, said.tokens, data=said.known)

    planned = plan_for(sides)
    if not said.from_scratch or not is_from_scratch(job_of(request, planned.way).workload):
        return _LaidOut(planned, sides, scratch=False)
    more = many_enough(request, sides, planned, plan_for)
    return _LaidOut(planned if more is sides else plan_for(more), more, scratch=True, counted=more is not sides)


def _runs(
    request: Request, work: Workload, sides: list[Side], planned: Plan, dataset: Dataset | None, samples: float | None
) -> list[Run]:
    """Each set-up at writing, or at training on the data that are known."""
    pairs = list(zip(sides, planned.chosen, strict=True))
    if generates(work):
        return [_generation(request, work, side, chosen.verdict, chosen.way) for side, chosen in pairs]
    return [training_run(request, work, side, chosen.verdict, dataset, samples) for side, chosen in pairs]


def _data(request: Request, said: Said, work: Workload) -> Data:
    dataset, deadline = said.dataset, request.slot("deadline_hours")
    epochs = epochs_of(request, dataset)
    if dataset is None:
        length = work.seq_len if work.ml_model.modality.startswith("text") else None
        took = usage_for(request).period if request.heard.shows("asked", "normal") else None
        return Data("", said.samples, epochs, said.tokens, work.batch, length, deadline, said.steps, took)
    n = said.samples or float(dataset.samples)
    return Data(dataset.name, n, epochs, said.tokens, work.batch, deadline=deadline)


def _about_said(request: Request, remarks: list[Note]) -> list[Note]:
    """Remarks without the advice on a batch that nobody stated."""
    return [note for note in remarks if note.code != "speed_launch_bound" or request.slot("batch")]


def _epochs_assumed(request: Request, dataset: Dataset | None) -> tuple[Assumption, ...]:
    if dataset is None or epochs_stated(request):
        return ()
    return (assumption_of(slot="epochs", value=dataset.usual_epochs),)


def _data_notes(request: Request, dataset: Dataset | None, samples: float | None) -> tuple[Note, ...]:
    stated = request.slot("dataset")
    if stated and dataset is None and samples is None:
        return (note_of("speed_dataset_unknown", {"name": str(stated)}),)
    return ()


def _generation(request: Request, work: Workload, side: Side, verdict: Verdict, way: Way) -> Run:
    users = int(request.slot("users") or 1)
    if users > 1 and (served := served_run(request, work, side, verdict, users)) is not None:
        return served
    made: GenerationEstimate = tokens_per_second(work, side.gpu, side.n, users=users)
    notes = [*fit_notes(verdict), *made.notes]
    lends = verdict.word is Word.NO and users == 1
    shared = in_ram(verdict, way, host_said(request, verdict)) if lends else None
    if shared is not None:  # what does not fit is not written at the card's pace
        notes = []
        bound = "ram" if shared.bound == "ram" else "memory"
        made = made.model_copy(update={"decode": shared.decode, "prefill": shared.prompt, "bound": bound})
    return Run(
        gpu=side.gpu.name,
        n=side.n,
        model=work.ml_model.name,
        method=work.method.value,
        format=work.quant or (work.precision.value if work.precision else ""),
        kind="generate",
        rate=made.decode,
        unit="tok",
        prefill=made.prefill,
        bound=made.bound,
        fits=verdict.word.value,
        lent=Lent.of(shared, request.slot("ram_gb"), work.ml_model.parameters) if shared is not None else None,
        trace=made.decode.trace,
        notes=tuple(notes),
    )


def _distinct(notes: Iterable[Note]) -> tuple[Note, ...]:
    kept: list[Note] = []
    for note in notes:
        if note not in kept:
            kept.append(note)
    return tuple(kept)


def _facts(runs: list[Run]) -> tuple[Fact, ...]:
    facts: list[Fact] = []
    for run in runs:
        if run.lent is not None and run.lent.short:
            continue  # what cannot be run has no pace
        name = run.gpu if run.n == 1 else f"{run.n} x {run.gpu}"
        facts.append(fact(f"throughput:{name}", run.rate))
        if run.hours:
            facts.append(fact(f"hours:{name}", run.hours))
        if run.prefill:
            facts.append(fact(f"prefill:{name}", run.prefill))
    return tuple(facts)
