"""What to do when memory runs out: ways in order, with what each saves for the job at hand or for a typical one."""

from __future__ import annotations

from typing import Final

from advisor.errors import AdvisorError
from advisor.jobs.plan import figure_on
from advisor.memory import Trick, TrickPlan, memory_tricks
from advisor.models import Gpu, Method, Note, Step, step_of
from bot.answers.asked_job import plan_of
from bot.answers.common import Job, Named, fact, job_for, job_of, models_of, named_gpus, source_refs, task_of
from bot.answers.memory.in_part import with_part_in_ram
from bot.answers.memory.ran_out import as_seen
from bot.answers.memory.rows import Split, shared_over, split_for
from bot.answers.memory.sizing import declined, lesser, source_ids, weighty, with_software
from bot.answers.phrases import model_named
from bot.core.answers import Answer, Decline, Outcome, answer_with, assumption_of, offered_of
from bot.core.line import Depth, Label, Line, Listing, Worded, gib
from bot.core.message import Choice, choice_of, fact_of
from bot.core.request import Request

_GUIDE: Final = "seed-002"
_TRICK_ROW: Final = "002-149"
_IMAGE_TASKS: Final = frozenset({"image_generation", "video_generation"})
_VISION_TASKS: Final = frozenset({"image_classification", "object_detection", "segmentation", "cv", "medical_image"})
_EXAMPLE_SIZE: Final = {"batch": 32, "seq_len": 512}
"""Large enough for every trick to show."""
_SHOWN: Final = 5
"""Tricks that a chat is told at once."""
_ENGINES: Final = frozenset({"vllm", "sglang", "tensorrt-llm", "ktransformers", "exllama", "mlx", "llama.cpp"})
"""Programs that run language models and train none."""
_INFERENCE_TASKS: Final = frozenset({"llm_inference", "rag"})


def handle(request: Request) -> Outcome:
    """Ordered tricks for the named job, or for a typical one with the offer to name it."""
    named = models_of(request)
    if isinstance(named, Decline):
        return named
    cards = named_gpus(request)
    if isinstance(cards, Decline):
        return cards
    gpu = cards[0].gpu if cards else None
    stated = request.slot("vram_gb")
    vram = float(stated) if stated and (gpu is None or gpu.vram_gib != stated) else None
    try:
        example = not named.models
        job = _example(request) if example else _job(request, named)
        plan = memory_tricks(with_software(request, job).workload, gpu, vram)
        notes = named.notes + tuple(note for card in cards[:1] if (note := card.note))
        return _told(request, job, plan, notes, gpu, vram, example)
    except AdvisorError as error:
        return declined(error)


def _job(request: Request, named: Named) -> Job:
    model = max(named.models, key=lambda one: one.parameters)
    planned = plan_of(request, model, task=task_of(request))
    # the tricks start from the way that was said, else from the one that needs the most: the lighter ones are tricks
    same = [way for way in planned.ways.all if way.method is planned.usual.method]
    heaviest = max(same, key=lambda way: figure_on(way, 1).value)
    return job_of(request, heaviest, int(request.slot("gpu_count") or 1))


def _example(request: Request) -> Job:
    """A typical job of the kind the question is about, to put numbers on the tricks."""
    catalog = request.services.catalog
    name, way = _typical(_task(request), request.slot("method"))
    job = job_for(request, catalog.get_ml_model(name), way)
    if way is Method.FULL and not request.slot("batch") and not request.slot("seq_len"):
        size = tuple(assumption_of(slot=slot, value=value) for slot, value in _EXAMPLE_SIZE.items())
        kept = tuple(one for one in job.assumptions if one.slot not in _EXAMPLE_SIZE)
        job = Job(job.workload.model_copy(update=_EXAMPLE_SIZE), (*kept, *size))
    model = assumption_of(slot="model", value=job.workload.ml_model.name)
    return Job(job.workload, (model, *(one for one in job.assumptions if one.slot != "checkpointing")))


def _task(request: Request) -> str | None:
    """The task; by the program that answers, or by a context, which only a model that writes has."""
    heard = request.heard
    served = bool(_ENGINES.intersection(heard.sides("programs"))) or heard.shows("job", "context")
    return task_of(request) or ("llm_inference" if served and not request.slot("method") else None)


def _typical(task: object, method: object) -> tuple[str, Method]:
    """Model and method of a typical job of a kind."""
    if task in _IMAGE_TASKS:
        return "stable-diffusion-xl-base-1.0", Method.LORA if method == "lora" else Method.INFERENCE
    if task in _INFERENCE_TASKS or method == Method.INFERENCE.value:
        return "llm-7b", Method.INFERENCE
    if task in ("llm_finetune", "llm_rl") or method in ("lora", "qlora"):
        return "llm-7b", Method.LORA
    return ("yolov8m", Method.TRAIN) if task in _VISION_TASKS else ("bert-large-uncased", Method.FULL)


def _trace(plan: TrickPlan) -> tuple[Step, ...]:
    steps = [plan.start.total.trace]
    for trick in plan.tricks:
        steps.append(
            step_of(
                name=f"after_{trick.code}",
                value=trick.need.value,
                unit="GiB",
                how=f"- {trick.saves_gib:.2f} GiB",
                inputs=trick.need.trace.inputs,
            )
        )
    return (
        *steps,
        step_of(name="guide_tricks", value=10, unit="GB", how="passage", sources=(_GUIDE,), rows=(_TRICK_ROW,)),
    )


def _told(
    request: Request,
    job: Job,
    plan: TrickPlan,
    notes: tuple[Note, ...],
    gpu: Gpu | None,
    vram: float | None,
    example: bool,
) -> Answer:
    """What a program said counts before what a typical job would take."""
    seen = as_seen(request, plan, _choices(plan, example)) if example else None
    made = seen or _answer(request, job, plan, notes, gpu, vram, example)
    return made if example else with_part_in_ram(made, plan, gpu, vram)


def _answer(
    request: Request,
    job: Job,
    plan: TrickPlan,
    notes: tuple[Note, ...],
    gpu: Gpu | None,
    vram: float | None,
    example: bool,
) -> Answer:
    split = None
    if plan.usable_gib is not None and plan.first_that_fits is None and not plan.fits_already and not example:
        split = split_for(request, plan.start.workload, [gpu] if gpu else ())
    facts = [fact("vram_needed", plan.start.total)]
    facts += [
        fact_of(name=f"saves_{one.code}", value=one.saves_gib, unit="GiB", basis=plan.start.total.basis)
        for one in plan.tricks
    ]
    told = notes + plan.start.notes
    return answer_with(
        headline=(_headline(plan, split, example=example),),
        blocks=(*_steps(plan), *lesser(told)),
        facts=tuple(facts),
        trace=_trace(plan),
        sources=source_refs(request, (*source_ids([plan.start]), _GUIDE)),
        assumptions=job.assumptions,
        notes=weighty(told),
        asks=offered_of(slot="model") if example else (None if gpu or vram else offered_of(slot="gpu")),
        choices=_choices(plan, example),
        result=plan,
    )


# --- what is said ----------------------------------------------------------------------------------------------------


def _headline(plan: TrickPlan, split: Split | None, *, example: bool) -> Line:
    """What to try first, or why nothing helps."""
    first = plan.tricks[0].costs if plan.tricks else None
    values: dict[str, Worded] = {"model": model_named(plan.start.workload.ml_model.name), "need": gib(plan.start.total)}
    if first is None:
        return Line("reduce.nothing", values)
    if example:
        return Line("reduce.example", {**values, "first": first})
    if plan.usable_gib is None:
        return Line("reduce.open", {**values, "first": first})
    values["usable"] = gib(plan.usable_gib)
    if plan.fits_already:
        return Line("reduce.fits", values)
    if plan.recipe:
        steps = tuple(Label(one.code, "trick") for one in plan.recipe)
        return Line("reduce.saved", {**values, "steps": steps, "left": gib(plan.recipe[-1].need)})
    return _all_of_them(plan, values) or Line(
        "reduce.hopeless", {**values, "split": shared_over(split) if split else None}
    )


def _all_of_them(plan: TrickPlan, values: dict[str, Worded]) -> Line | None:
    """That all tricks together may just do; None where even they do not by their figures."""
    lowest = min(plan.tricks, key=lambda one: one.need.value).need
    if plan.usable_gib is None or lowest.value > plan.usable_gib:
        return None
    return Line("reduce.barely", {**values, "left": gib(lowest)})


def _steps(plan: TrickPlan) -> tuple[Listing, ...]:
    """The steps that are needed, or as many tricks as a chat holds; all of them and two free checks below."""
    if plan.recipe:
        needed = tuple(_step(one, enough=one is plan.recipe[-1]) for one in plan.recipe)
        others = tuple(_step(one, enough=False) for one in plan.tricks)
        listed = Listing(needed, depth=Depth.GROUP)
        return (listed, Listing((*others, Line("reduce.checks")), Line("reduce.all")))
    steps = tuple(_step(one, enough=False) for one in plan.tricks)
    shown, rest = steps[:_SHOWN], steps[_SHOWN:]
    listed_first = (Listing(shown, depth=Depth.GROUP),) if shown else ()
    return (*listed_first, Listing((*rest, Line("reduce.checks"))))


def _step(trick: Trick, *, enough: bool) -> Line:
    if not trick.saves_gib:
        return Line("reduce.alone", {"costs": trick.costs, "saves": gib(trick.alone_gib)})
    values: dict[str, Worded] = {
        "costs": trick.costs,
        "saves": gib(trick.saves_gib),
        "left": gib(trick.need),
        "fits": Line("fit.trick_enough") if enough else None,
    }
    return Line("fit.trick", values)


def _choices(plan: TrickPlan, example: bool) -> tuple[Choice, ...]:
    """The model to compute for when it was left open, else the ways that change the job."""
    if example:
        return tuple(choice_of(label=one.upper(), key=f"set:model=llm-{one}") for one in ("7b", "14b", "32b", "70b"))
    labels = {"qlora": "QLoRA", "lora": "LoRA"}
    return tuple(
        choice_of(label=labels[one.code], key=f"set:method={one.code}") for one in plan.tricks if one.code in labels
    )
