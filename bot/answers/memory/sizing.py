"""What the memory intents share: jobs from slots, rows of a sizing table, which common cards hold a job."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from math import floor
from typing import Final

from advisor.datafiles import read_data
from advisor.errors import AdvisorError, OutOfRange, UnsupportedCombination
from advisor.jobs.plan import Place, Plan
from advisor.jobs.usual import Does, usual_tokens
from advisor.machine.age import age_note
from advisor.memory import FitResult, MemoryEstimate, Verdict, estimate_memory
from advisor.memory.estimate import brief
from advisor.memory.figure import Figure, figure_of
from advisor.memory.fit import BY_A_HAIR, Fit, fit_of
from advisor.models import (
    Banded,
    Estimate,
    Frozen,
    Gpu,
    Method,
    MlModel,
    Note,
    Parallel,
    Precision,
    Step,
    Workload,
    note_of,
    step_of,
)
from advisor.recommend.settings import tasks
from advisor.trusted import trusted
from bot.answers.asked_job import plan_of
from bot.answers.common import Job, Named, decline_error, fact, is_transformer, job_of, step_sources, task_of
from bot.core.answers import Assumption, Decline, Elicit, assumption_of, elicit_of
from bot.core.message import Fact
from bot.core.request import Request

MODEL_CHOICES: Final = ("llm-7b", "llm-14b", "llm-32b", "llm-70b", "bert-base-uncased", "stable-diffusion-xl-base-1.0")
USUAL_SIZES: Final = ("llm-7b", "llm-14b", "llm-32b", "llm-70b")
LLM_TASKS: Final = frozenset({"llm_finetune", "llm_inference", "rag"})
_LADDER_FROM: Final = 0.4e9
_SHOWN_CARDS: Final = 3
_LIKELY: Final = 0.75
"""Probability from which a split over cards is named: its bands are wide."""
_ROOMY: Final = 0.92
"""Share of a card that each part of a split may take to be named for its expected need alone (as in `gpu_count`)."""


class Ladder(Frozen):
    """Cards that are named beside a need, from data/card_ladder.yaml."""

    cards: tuple[str, ...]
    large: tuple[str, ...]
    """Cards of servers beyond the usual ones."""
    split_over: tuple[str, ...]
    counts: tuple[int, ...]
    own_counts: tuple[int, ...]
    """Counts to try of the cards that somebody has, who may add one card at a time."""
    models: tuple[str, ...]
    """Well-known models by which it is told what a card holds, smallest first."""
    on_ram: tuple[str, ...]
    """Models shown for a machine without a card."""
    ram_bandwidth: dict[str, float]
    """GB/s of usual RAM in two channels, by kind."""


@lru_cache(maxsize=1)
def ladder() -> Ladder:
    """The card ladder, read on first use."""
    result: Ladder = read_data("card_ladder.yaml", Ladder)
    return result


class Split(Frozen):
    """The fewest cards of a kind that share a job."""

    n: int
    gpu: str
    need: Estimate
    """On each card."""


class Part(Frozen):
    """One line of a breakdown, rounded so that all lines add up to the total as shown."""

    name: str
    value: float
    """GiB."""
    how: str = ""


_ALWAYS: Final[tuple[str, ...]] = ("weights", "gradients", "optimizer", "activations", "framework")
_INFERENCE_PARTS: Final[tuple[str, ...]] = ("weights", "kv_cache", "activations", "framework")
_GATHERED: Final = {"step": "optimizer", "allocator": "framework", "loading": "framework", "gathered": "weights"}
"""Small parts that the short form adds to a larger one."""


def breakdown(estimate: MemoryEstimate, *, short: bool = False) -> tuple[Part, ...]:
    """The components of an estimate, in the order people read them, as numbers that add up to the total shown.

    The short form has five or six lines at most; training always names gradients and optimizer, even at nothing.
    """
    sizes: dict[str, float] = {}
    hows: dict[str, str] = {}
    training = estimate.workload.method is not Method.INFERENCE
    if short:
        sizes = dict.fromkeys(_ALWAYS if training else ("weights", "activations", "framework"), 0.0)
    elif training:
        sizes = dict.fromkeys(_ALWAYS[:3], 0.0)
    for step in estimate.components:
        name = _GATHERED.get(step.name, step.name) if short else step.name
        sizes[name] = sizes.get(name, 0.0) + float(step.value or 0.0)
        hows.setdefault(name, step.how)
    order = [name for name in (*_ALWAYS[:3], "kv_cache", "activations", "logits") if name in sizes]
    order += [name for name in sizes if name not in order and name != "framework"]
    order += ["framework"] if "framework" in sizes else []
    rounded = added_up([sizes[name] for name in order], estimate.total.value)
    return tuple(_part(name=name, value=gib, how=hows.get(name, "")) for name, gib in zip(order, rounded, strict=True))


def added_up(values: Sequence[float], total: float) -> list[float]:
    """Values rounded to the precision at which the total is shown, the largest remainders rounded up."""
    decimals = 3 if total < 1 else 2 if total < 10 else 1 if total < 100 else 0
    unit = 10.0**-decimals
    floors = [floor(value / unit + 1e-9) for value in values]
    missing = round(total / unit) - sum(floors)
    rest = sorted(range(len(values)), key=lambda place: floors[place] - values[place] / unit)
    for place in rest[: max(missing, 0)]:
        floors[place] += 1
    return [round(count * unit, decimals) for count in floors]


class Row(Frozen):
    """One line of a sizing table."""

    model: str
    method: str
    format: str
    """Number format as a label code: fp16, int8, q4_k_m, nf4 ..."""
    by_turns: bool = False
    """Parts of a drawing pipeline come to the card one after the other (model offload)."""
    cached: bool = False
    """Outputs of text encoders were worked out before."""
    length: int | None = None
    """Tokens of a sample, where a way is told apart by them."""
    batch: int | None = None
    seq_len: int | None = None
    need: Estimate
    verdict: str = ""
    """On the user's card, empty without one."""
    usable: float | None = None
    margin: float | None = None
    lacking: float | None = None
    """What is short, as a positive number."""
    cards: tuple[str, ...] = ()
    """Common cards that surely hold it, smallest first."""
    split: Split | None = None
    """When no single common card holds it."""
    large: str = ""
    """A card of servers that holds it alone, when no common one does."""


_row, _part, _split = trusted(Row), trusted(Part), trusted(Split)


def model_of_task(request: Request) -> Named:
    """The model people usually mean by a task, assumed and said; nothing without a task."""
    task = request.slot("task")
    usual = tasks().get(task) if task else None
    model = request.services.catalog.find_ml_model(usual.model) if usual else None
    if model is None:
        return Named(())
    return Named((model,), assumptions=(assumption_of(slot="model", value=model.name),))


def elicit_model() -> Elicit:
    """Ask which model, with the usual sizes as choices."""
    return elicit_of(slot="model", values=MODEL_CHOICES)


def is_llm(model: MlModel) -> bool:
    """Whether number formats and adapters are the usual way to make it fit."""
    return model.modality in ("text-decoder", "multimodal") and model.parameters >= _LADDER_FROM


def plan_shown(request: Request, model: MlModel, places: Sequence[Place] = ()) -> Plan:
    """The plan of a question, with the ways that are told beside its ladder where the way of use was left open."""
    planned = plan_of(request, model, places, task=task_of(request))
    if request.slot("method") or request.slot("precision") or task_of(request) in _ONE_USE:
        return planned
    more = [plan_of(request, model, does=does).ways for does in _BESIDE.get(model.modality, ())]
    known = {way.code for way in planned.ways.all}
    beside = [way for ways in more for way in ways.all if way.code not in known]
    return replace(planned, ways=replace(planned.ways, beside=(*planned.ways.beside, *beside)))


_ONE_USE: Final = frozenset({"llm_inference", "rag", "llm_finetune", "nlp_finetune", "pretrain"})
"""Tasks that say what is done with a model."""
_BESIDE: Final[dict[str, tuple[Does, ...]]] = {
    "text-decoder": (Does.TUNE,),
    "multimodal": (Does.TUNE,),
    "image-gen": (Does.TUNE,),
    "speech": (Does.TUNE,),
    "vision": (Does.RUN,),
}
"""What else people do with such models, when they do not say what."""


def open_jobs(request: Request, model: MlModel) -> list[Job] | None:
    """All ways of use where the question leaves the way open, lightest first; None where it does not."""
    ways = plan_shown(request, model).ways.all
    return [job_of(request, way, request.slot("gpu_count") or 1) for way in ways] if len(ways) > 1 else None


def with_software(request: Request, job: Job) -> Job:
    """The same job with the framework that the user named."""
    framework = request.slot("framework")
    if not framework:
        return job
    return Job(job.workload.model_copy(update={"framework": str(framework)}), job.assumptions)


def estimated(request: Request, job: Job) -> MemoryEstimate:
    """The estimate of a job in the software that was named. Raises AdvisorError."""
    return estimate_memory(with_software(request, job).workload)


def format_code(workload: Workload) -> str:
    """Label code of the number format."""
    if workload.method is Method.QLORA:
        return "nf4"
    return workload.quant or (workload.precision.value if workload.precision else "")


def holding_cards(request: Request, need: Banded) -> tuple[str, ...]:
    """Common cards that surely hold a one-card job, smallest first."""
    return _holding(request, need, ladder().cards, _SHOWN_CARDS)


def _holding(request: Request, need: Banded, idents: tuple[str, ...], most: int) -> tuple[str, ...]:
    catalog, found = request.services.catalog, []
    for ident in idents:
        gpu = catalog.gpus.get(ident)
        if gpu is None or gpu.vram_gib is None:
            continue
        if fit_of(need, gpu).verdict is Verdict.FITS:
            found.append(gpu.name)
        if len(found) == most:
            break
    return tuple(found)


def split_for(request: Request, workload: Workload, gpus: Iterable[Gpu] = (), more_than: int = 1) -> Split | None:
    """Fewest cards that share a job, more than the user has of the given ones, or else of the usual large ones."""
    if workload.ml_model.modality == "image-gen" and workload.method is Method.INFERENCE:
        return None  # a picture is made on one card
    catalog = request.services.catalog
    options = list(gpus) or [catalog.gpus[one] for one in ladder().split_over if one in catalog.gpus]
    for count in ladder().own_counts if gpus else ladder().counts:
        if gpus and count <= more_than:
            continue
        try:
            figure = figure_of(workload.model_copy(update={"n_gpus": count, "parallel": None}))
        except AdvisorError:
            return None
        if figure.job.parallel is Parallel.DATA:  # every card holds all of it: more cards do not help
            return None
        for gpu in options:
            fit = fit_of(figure, gpu)
            if fit.probability is None or fit.usable_gib is None:
                continue
            if fit.probability >= _LIKELY or figure.value <= _ROOMY * fit.usable_gib:
                return _split(n=count, gpu=gpu.name, need=brief(figure))
    return None


def _verdict(fit: FitResult | Fit | None) -> str:
    """Label code of a verdict; "over" for what lacks next to nothing."""
    if fit is None:
        return ""
    if fit.verdict is Verdict.NO and (fit.probability or 0.0) >= BY_A_HAIR:
        return "over"
    return fit.verdict.value


def row_of(
    request: Request,
    estimate: MemoryEstimate | Figure,
    fit: FitResult | Fit | None = None,
    *,
    with_cards: bool = True,
) -> Row:
    """One line of a table from an estimate, with the verdict on the user's card where there is one."""
    job = estimate.workload
    need = brief(estimate) if isinstance(estimate, Figure) else estimate.total
    cards = holding_cards(request, need) if with_cards and estimate.n_gpus == 1 else ()
    split, large = None, ""
    if with_cards and not cards and estimate.n_gpus == 1:
        split = split_for(request, job)
        large = next(iter(_holding(request, need, ladder().large, 1)), "")
    known = fit is not None and fit.margin_gib is not None
    return _row(
        model=job.ml_model.name,
        method=job.method.value,
        format=format_code(job),
        by_turns=job.offload and job.ml_model.modality == "image-gen" and job.method is Method.INFERENCE,
        cached=job.cached_text,
        length=_length(request, job),
        batch=job.batch,
        seq_len=job.seq_len,
        need=need,
        verdict=_verdict(fit),
        usable=fit.usable_gib if fit else None,
        margin=fit.margin_gib if fit and known and fit.verdict is not Verdict.NO else None,
        lacking=max(-(fit.margin_gib or 0.0), 0.0) if fit and known and fit.verdict is Verdict.NO else None,
        cards=cards,
        split=split,
        large=large,
    )


def _length(request: Request, job: Workload) -> int | None:
    """The length of a way that is shorter than usual, where nobody said one."""
    shorter = job.method is Method.QLORA and (job.seq_len or 0) < (usual_tokens(job.ml_model, job.method) or 0)
    return job.seq_len if shorter and request.slot("seq_len") is None else None


_SLOT_OF: Final = {"n_gpus": "gpu_count", "parameters": "model"}

_REMARKS: Final = (
    "closed_model",
    "plan_in_ram",
    "plan_block_swap",
    "plan_clip",
    "plan_picture",
    "memory_diffusion_offload",
    "memory_model_stand_in",
    "memory_cpu_pace",
    "memory_cpu_only",
    "machine_old_card",
    "memory_most_sure",
    "gpu_variant",
    "memory_published",
    "memory_other_stack",
    "memory_metal",
    "memory_native",
    "memory_moe_all_resident",
    "memory_kv_share",
    "memory_logits_large",
    "memory_whisper_tool",
    "memory_sharded_full_scattered",
    "memory_kv_grows",
    "memory_guide_2020",
    "memory_offload_unvalidated",
    "memory_speech_training_unvalidated",
    "memory_moe_training_unvalidated",
)
"""Notes that are worth a line in a group, the weightiest first."""


def remark_of(notes: Iterable[Note]) -> Note | None:
    """The one note to show in the short form."""
    found = {note.code: note for note in notes}
    return next((found[code] for code in _REMARKS if code in found), None)


def card_notes(gpu: Gpu | None, workloads: Iterable[Workload]) -> tuple[Note, ...]:
    """What a card's maker or age adds: memory alone does not make a job run."""
    if gpu is None:
        return ()
    workloads = list(workloads)
    notes = []
    if gpu.unified_memory and all(one.method is Method.INFERENCE and is_llm(one.ml_model) for one in workloads):
        notes.append(note_of("memory_metal"))
    elif gpu.vendor != "NVIDIA":
        notes.append(note_of("memory_other_stack", {"vendor": gpu.vendor}))
    bf16 = (Precision.BF16, Precision.BF16_MIXED)
    if gpu.bf16_supported is False and any(one.precision in bf16 for one in workloads):
        notes.append(note_of("memory_no_bf16", {"gpu": gpu.name}))
    old = age_note(gpu)
    return (*notes, old) if old is not None else tuple(notes)


def declined(error: AdvisorError) -> Decline:
    """A typed error in words that fit questions of memory: which number, which pair of settings."""
    if isinstance(error, OutOfRange) and error.values.get("name"):
        name = _SLOT_OF.get(str(error.values["name"]), error.values["name"])
        return Decline(reason=note_of("memory_out_of_range", {**error.values, "name": name}))
    if isinstance(error, UnsupportedCombination) and error.values.get("setting"):
        return Decline(reason=note_of(f"memory_refused_{error.values['setting']}", dict(error.values)))
    return decline_error(error)


def need_facts(estimates: Iterable[MemoryEstimate], name: str = "vram_needed") -> tuple[Fact, ...]:
    """Headline numbers for programs; the first one carries the plain name."""
    facts: list[Fact] = []
    for number, estimate in enumerate(estimates):
        job = estimate.workload
        suffix = "" if number == 0 else f"_{job.ml_model.id}_{job.method.value}_{format_code(job)}"
        facts.append(fact(f"{name}{suffix}", estimate.total))
    return tuple(facts)


def source_ids(estimates: Iterable[MemoryEstimate]) -> tuple[str, ...]:
    """Sources behind estimates: the model's figures, the published cases, the guide where it is quoted."""
    estimates = tuple(estimates)
    steps: list[Step] = [estimate.total.trace for estimate in estimates]
    steps += [step for estimate in estimates for step in estimate.guide]
    return (*step_sources(*steps), "memory-cases")


def shared_notes(said: Iterable[tuple[Note, ...]]) -> tuple[Note, ...]:
    """Notes of several estimates, each code once."""
    seen: dict[str, Note] = {}
    for notes in said:
        for note in notes:
            seen.setdefault(note.code, note)
    return tuple(seen.values())


def guide_of_task(request: Request) -> tuple[Step, ...]:
    """What the guide of 2020 asks for a task that was named ("Kaggle": 8 GB)."""
    task = request.slot("task")
    usual = tasks().get(task) if task else None
    if usual is None or usual.guide_gib is None:
        return ()
    step = step_of(
        name=f"guide_{task}", value=usual.guide_gib, unit="GB", how="passage", sources=("seed-002",), rows=usual.rows
    )
    return (step,)


def guide_notes(guide: Iterable[Step], task: tuple[Step, ...] = ()) -> tuple[Note, ...]:
    """What the guide of 2020 said of the jobs, once; about the task where one was named."""
    for step in (*task, *guide):
        return (note_of("memory_guide_2020", {"kind": step.name, "gb": step.value}),)
    return ()


_DISPUTED: Final = (8.0, 12.0)
"""GiB, least and most, that the dispute about transformers on 10 GB touches."""


def guide_conflicts(estimates: Iterable[MemoryEstimate], vram_gib: float | None = None) -> tuple[str, ...]:
    """The documents disagree about transformers on 10 GB; named where their guide is quoted about memory near it.

    `vram_gib`: memory of the card in question; None when the question is how much it takes.
    """
    if vram_gib is not None and not _DISPUTED[0] <= vram_gib <= _DISPUTED[1]:
        return ()
    quoted = [one for one in estimates if any(step.name == "guide_transformers" for step in one.guide)]
    near = any(is_transformer(one.workload) and one.total.value <= _DISPUTED[1] for one in quoted)
    return ("E43",) if near else ()


def merged(jobs: Iterable[Job], more: Iterable[Assumption] = (), leave: Iterable[str] = ()) -> tuple[Assumption, ...]:
    """Assumptions that hold for all jobs, each once; a slot assumed differently by two of them is left out."""
    found: dict[str, Assumption] = {one.slot: one for one in more}
    left = set(leave)
    for job in jobs:
        for one in job.assumptions:
            if one.slot in found and found[one.slot].value != one.value:
                left.add(one.slot)
            found.setdefault(one.slot, one)
    return tuple(one for slot, one in found.items() if slot not in left)
