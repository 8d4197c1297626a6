"""A machine without a graphics card: what a language model needs of its RAM, and about how fast a processor writes."""

from __future__ import annotations

from advisor.memory.estimate import described, traced
from advisor.memory.figure import figure_of
from advisor.models import Frozen, Method, MlModel, Note, Precision, Step, Workload, note_of, step_of
from bot.answers.common import Job, Named, fact, job_for, source_refs, step_sources, task_of
from bot.answers.memory.rows import row_of
from bot.answers.memory.sizing import is_llm, ladder, merged, source_ids
from bot.answers.phrases import model_named
from bot.core.answers import Answer, answer_with
from bot.core.line import Figure, Line, Worded, gib, measured
from bot.core.message import choice_of, fact_of
from bot.core.request import Request

SYSTEM_RAM = 4.0
"""GiB of RAM that an operating system with a desktop keeps."""
_RAM_SIZES = (8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
_SPARE = 1.03
"""A size of RAM is recommended only with some of it left: what files are read through is RAM, too."""
_FORMAT = (Precision.INT4, "q4_k_m")
_BITS = 4.85
_SOURCE = "ram-channels"
_READS = {"text-encoder": 7e8, "vision": 1e7}
"""Modality -> parameters of the largest models of it that people run on a processor."""
_TRAINS = frozenset({"llm_finetune", "llm_rl", "pretrain"})


class Pace(Frozen):
    """Tokens a second at most with each kind of RAM, when every weight in use is read once a token."""

    ddr4: float
    ddr5: float


class OnRam(Frozen):
    """One model on a processor."""

    model: str
    need: float
    """GiB of RAM beside the system's."""
    ram: int
    """The usual size of RAM that leaves room for the system."""
    pace: Pace


def without_card(request: Request) -> bool:
    """Whether the message says that there is no graphics card, or one that shares the computer's RAM only."""
    if request.slot("gpu") or request.slot("vram_gb") or request.slot("gpu_family"):
        return False
    return request.heard.speaks_of("no_gpu") or bool(request.slot("cpu"))


def pace_of(model: MlModel) -> Pace:
    """How fast RAM alone lets a processor generate with 4-bit weights; experts at rest are not read."""
    gigabytes = (model.active_parameters or model.parameters) * _BITS / 8e9
    bandwidth = ladder().ram_bandwidth
    return Pace(ddr4=bandwidth["ddr4"] / gigabytes, ddr5=bandwidth["ddr5"] / gigabytes)


def pace_note(model: MlModel) -> Note:
    """The same as a remark."""
    pace = pace_of(model)
    return note_of("memory_cpu_pace", {"ddr4": pace.ddr4, "ddr5": pace.ddr5})


def answer(request: Request, named: Named) -> Answer:
    """What the models need of RAM and how fast they are; without a model, what the usual ones need."""
    catalog = request.services.catalog
    models = [model for model in named.models if is_llm(model)]
    if named.models and not models:
        return _made_for_a_card(request, named)
    assumptions = named.assumptions
    if not models:
        models = [catalog.ml_models[ident] for ident in ladder().on_ram if ident in catalog.ml_models]
    jobs = [_job(request, model) for model in models]
    rows = [_row(job.workload) for job in jobs]
    trail = tuple(_trail(job.workload, row) for job, row in zip(jobs, rows, strict=True))
    trains = task_of(request) in _TRAINS or request.slot("method") not in (None, Method.INFERENCE.value)
    return answer_with(
        headline=(_headline(rows, single=bool(named.models)),),
        lines=(*_rows_said(rows, single=bool(named.models)), Line("processor.rough", {"trains": _no_training(trains)})),
        facts=tuple(
            one
            for row in rows
            for one in (
                fact_of(name=f"ram_needed_{row.model}", value=row.need, unit="GiB", basis="4-bit weights"),
                fact_of(name=f"tokens_per_second_{row.model}", value=row.pace.ddr4, unit="1/s", basis="DDR4, at most"),
            )
        ),
        trace=trail,
        sources=source_refs(request, (*step_sources(*trail), "memory-cases")),
        assumptions=merged(jobs, assumptions, leave=("method", "precision", "batch")),
        notes=named.notes,
        choices=tuple(choice_of(label=f"{size} GB", key=f"set:ram_gb={size}") for size in (8, 16, 32, 64)),
    )


def _headline(rows: list[OnRam], *, single: bool) -> Line:
    return Line("processor.runs", _values(rows[0])) if single else Line("processor.any")


def _rows_said(rows: list[OnRam], *, single: bool) -> list[Line]:
    return [Line("processor.row", _values(row)) for row in (rows[1:] if single else rows)]


def _values(row: OnRam) -> dict[str, Worded]:
    return {
        "model": model_named(row.model),
        "need": gib(row.need),
        "ram": measured(row.ram, "GB"),
        "ddr4": Figure(row.pace.ddr4, "token/s"),
        "ddr5": Figure(row.pace.ddr5, "token/s"),
    }


def _no_training(trains: bool) -> Line | None:
    return Line("processor.no_training") if trains else None


def _made_for_a_card(request: Request, named: Named) -> Answer:
    """For pictures, speech and training without a card there is no figure: the card that holds it is named."""
    job = job_for(request, named.models[0])
    estimate = described(figure_of(job.workload))
    cards = row_of(request, estimate).cards
    if _is_light(job.workload):
        light: dict[str, Worded] = {"model": model_named(job.workload.ml_model.name), "need": gib(estimate.total)}
        headline = Line("processor.light", light)
    else:
        values: dict[str, Worded] = {
            "model": model_named(job.workload.ml_model.name),
            "card": cards[0] if cards else None,
        }
        headline = Line("processor.made_for_a_card", values)
    return answer_with(
        headline=(headline,),
        facts=(fact("vram_needed", estimate.total),),
        trace=(estimate.total.trace,),
        sources=source_refs(request, source_ids([estimate])),
        assumptions=merged([job], named.assumptions),
        notes=named.notes,
    )


def _is_light(work: Workload) -> bool:
    """Whether a model is so small that people run it on a processor: it reads text or pictures, and is not trained."""
    most = _READS.get(work.ml_model.modality, 0.0)
    return work.ml_model.parameters <= most and work.method is Method.INFERENCE


def _job(request: Request, model: MlModel) -> Job:
    base = job_for(request, model, Method.INFERENCE, n_gpus=1)
    precision, quant = _FORMAT
    return Job(base.workload.model_copy(update={"precision": precision, "quant": quant}), base.assumptions)


def _row(work: Workload) -> OnRam:
    need = figure_of(work).value
    ram = next((size for size in _RAM_SIZES if size >= need * _SPARE + SYSTEM_RAM), _RAM_SIZES[-1])
    return OnRam(model=work.ml_model.name, need=need, ram=ram, pace=pace_of(work.ml_model))


def _trail(work: Workload, row: OnRam) -> Step:
    bandwidth = step_of(
        name="ram_bandwidth", value=ladder().ram_bandwidth["ddr4"], unit="GB/s", how="assumption", sources=(_SOURCE,)
    )
    return step_of(
        name="tokens_per_second",
        value=row.pace.ddr4,
        unit="1/s",
        how="bandwidth / weights read per token",
        inputs=(bandwidth, traced(figure_of(work)).trace),
    )
