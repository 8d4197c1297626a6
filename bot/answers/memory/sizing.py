"""What the memory intents share: jobs from slots, rows of a sizing table, which common cards hold a job."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from advisor.datafiles import read_data
from advisor.errors import AdvisorError, OutOfRange, UnsupportedCombination
from advisor.jobs.plan import Place, Plan
from advisor.jobs.switches import counted_in
from advisor.jobs.usual import Does
from advisor.machine.age import age_note
from advisor.memory import MemoryEstimate, estimate_memory
from advisor.models import (
    Frozen,
    Gpu,
    Method,
    MlModel,
    Note,
    Precision,
    Step,
    Workload,
    note_of,
    step_of,
)
from advisor.recommend.settings import tasks
from bot.answers.asked_job import plan_of, program_of
from bot.answers.common import Job, Named, decline_error, fact, is_transformer, job_of, models_of, step_sources, task_of
from bot.core.answers import Assumption, Decline, Elicit, Outcome, assumption_of, elicit_of
from bot.core.line import Depth, Listing
from bot.core.message import Fact
from bot.core.request import Request

MODEL_CHOICES: Final = ("llm-7b", "llm-14b", "llm-32b", "llm-70b", "bert-base-uncased", "stable-diffusion-xl-base-1.0")
USUAL_SIZES: Final = ("llm-7b", "llm-14b", "llm-32b", "llm-70b")
LLM_TASKS: Final = frozenset({"llm_finetune", "llm_rl", "llm_inference", "rag"})
_LADDER_FROM: Final = 0.4e9


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
    mixtures: tuple[str, ...]
    """Well-known mixtures of experts that people run with the experts in RAM."""
    on_ram: tuple[str, ...]
    """Models shown for a machine without a card."""
    ram_bandwidth: dict[str, float]
    """GB/s of usual RAM in two channels, by kind."""


@lru_cache(maxsize=1)
def ladder() -> Ladder:
    """The card ladder, read on first use."""
    result: Ladder = read_data("card_ladder.yaml", Ladder)
    return result


def card_of_memory(request: Request) -> Gpu | None:
    """The common card that stands for the one amount of memory that was named; None where there is none."""
    size = request.slot("vram_gb")
    common = (request.services.catalog.gpus[name] for name in ladder().cards)
    return next((gpu for gpu in common if size and gpu.vram_gib == size), None)


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


_ONE_USE: Final = frozenset({"llm_inference", "rag", "llm_finetune", "llm_rl", "nlp_finetune", "pretrain"})
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
    framework = program_of(request)
    if not framework:
        return job
    return Job(job.workload.model_copy(update={"framework": framework}), job.assumptions)


def estimated(request: Request, job: Job) -> MemoryEstimate:
    """The estimate of a job in the software that was named. Raises AdvisorError."""
    return estimate_memory(with_software(request, job).workload)


def format_code(workload: Workload) -> str:
    """Label code of the number format."""
    if workload.method is Method.QLORA:
        return "nf4"
    return workload.quant or (workload.precision.value if workload.precision else "")


_SLOT_OF: Final = {"n_gpus": "gpu_count", "parameters": "model"}

_MOST_REMARKS: Final = 2
_REMARKS: Final = (
    "models_first",
    "closed_model",
    "model_unsure",
    "figure_lone",
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
    "memory_counted_with",
    "memory_moe_all_resident",
    "memory_kv_share",
    "memory_logits_large",
    "memory_whisper_tool",
    "memory_sharded_full_scattered",
    "memory_kv_grows",
    "memory_offload_unvalidated",
    "memory_speech_training_unvalidated",
    "memory_moe_training_unvalidated",
)
"""Notes that are worth a line in a chat, the weightiest first. What the documents of 2020 said is not among them."""


def weighty(notes: Iterable[Note]) -> tuple[Note, ...]:
    """The few remarks that are worth a line in a chat, the weightiest first."""
    return _weighed(notes)[:_MOST_REMARKS]


def lesser(notes: Iterable[Note]) -> tuple[Listing, ...]:
    """The other remarks: of some weight for a private chat, all others for the complete form."""
    notes = tuple(notes)
    some = _weighed(notes)[_MOST_REMARKS:]
    rest = {note.code: note for note in notes if note.code not in _REMARKS}
    blocks = [Listing(some)] if some else []
    return (*blocks, Listing(tuple(rest.values()), depth=Depth.DETAILS)) if rest else tuple(blocks)


def _weighed(notes: Iterable[Note]) -> tuple[Note, ...]:
    found = {note.code: note for note in notes}
    return tuple(found[code] for code in _REMARKS if code in found)


def setting_notes(workloads: Iterable[Workload]) -> tuple[Note, ...]:
    """What a need was counted with because it was said: settings of a program."""
    names = dict.fromkeys(name for one in workloads for name in counted_in(one))
    return (note_of("memory_counted_with", {"settings": list(names)}),) if names else ()


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


def for_first_model(request: Request, answer: Callable[[Request, MlModel], Outcome]) -> Outcome:
    """What `answer` says of the first model that is named; asks for one where none is, declines what is unknown."""
    named = models_of(request)
    if isinstance(named, Decline):
        return named
    if not named.models:
        return elicit_model()
    try:
        return answer(request, named.models[0])
    except AdvisorError as error:
        return declined(error)
