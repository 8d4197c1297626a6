"""What handlers share: slots to cards, models and workloads; estimates to facts; ids to source references."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Protocol

from advisor.errors import AdvisorError, UnknownName
from advisor.jobs.ways import Way
from advisor.kept import kept
from advisor.models import (
    ClosedModel,
    Estimate,
    Gpu,
    Method,
    MlModel,
    Note,
    Step,
    Workload,
    note_of,
)
from bot.answers.asked_job import assumptions_of, plan_of
from bot.answers.boards import on_board
from bot.answers.named_models import of_one_size, record_taken, sized_elsewhere
from bot.answers.open_sizes import other_sizes, without_size
from bot.core.answers import Assumption, Decline, Elicit, assumption_of, elicit_of
from bot.core.message import Fact, SourceRef, fact_of
from bot.core.request import Request

# --- sources and facts -----------------------------------------------------------------------------------------------


class Titled(Protocol):
    """A source of either room."""

    @property
    def id(self) -> str:
        """As steps and passages name it."""

    @property
    def title(self) -> str:
        """In English, or as published."""


def source_refs(request: Request, ids: Iterable[str]) -> tuple[SourceRef, ...]:
    """References for source ids, in the given order, each once; ids that neither room knows are left out."""
    refs: dict[str, SourceRef] = {}
    catalog_sources = request.services.catalog.sources
    for source_id in ids:
        if source_id in refs:
            continue
        record: Titled | None = catalog_sources.get(source_id) or request.services.library.sources.get(source_id)
        if record is None:
            continue
        refs[source_id] = _REFS[request.language == "zh"](record)
    return tuple(refs.values())


@kept(most=1024)
def _ref(record: Titled) -> SourceRef:
    return _reference(record, record.title)


@kept(most=1024)
def _ref_zh(record: Titled) -> SourceRef:
    return _reference(record, getattr(record, "title_zh", None) or record.title)


_REFS: Final = {False: _ref, True: _ref_zh}


def _reference(record: Titled, title: str) -> SourceRef:
    dated = getattr(record, "as_of", None) or getattr(record, "read_on", None)
    url = getattr(record, "url", None) or ""
    return SourceRef(id=record.id, title=title, as_of=str(dated) if dated else "", url=url)


def step_sources(*steps: Step) -> tuple[str, ...]:
    """Source ids of steps and all their inputs, in order of appearance, each once."""
    found: dict[str, None] = {}

    def walk(step: Step) -> None:
        for source in step.sources:
            found[source] = None
        for part in step.inputs:
            walk(part)

    for step in steps:
        walk(step)
    return tuple(found)


def fact(name: str, estimate: Estimate, sources: tuple[str, ...] | None = None) -> Fact:
    """An estimate as a fact of the reply; `sources` where they are known and need not be gathered from its trail."""
    return fact_of(
        name=name,
        value=estimate.value,
        low=estimate.low,
        high=estimate.high,
        unit=estimate.unit,
        basis=estimate.basis,
        sources=step_sources(estimate.trace) if sources is None else sources,
        as_of=estimate.trace.as_of,
    )


def step_fact(step: Step, name: str = "") -> Fact:
    """A looked-up or computed step as a fact of the reply."""
    value = step.value
    if value is not None and not isinstance(value, (bool, int, float, str)):
        value = float(value)
    return fact_of(
        name=name or step.name,
        value=value,
        unit=step.unit,
        basis=step.how,
        sources=step_sources(step),
        as_of=step.as_of,
    )


# --- declining -------------------------------------------------------------------------------------------------------


def decline_error(error: AdvisorError) -> Decline:
    """An advisor's typed error as a sentence for the user (note code `error_<code>`)."""
    return Decline(reason=note_of(f"error_{error.code}", dict(error.values)))


def unknown(request: Request, kind: str, name: str) -> Decline:
    """Say that nothing has this name, with the nearest names as choices to press."""
    catalog = request.services.catalog
    try:
        if kind == "gpu":
            catalog.get_gpu(name)
        else:
            catalog.get_ml_model(name)
        near: tuple[str, ...] = ()
    except UnknownName as error:
        near = error.suggestions
    return Decline(reason=note_of(f"unknown_{kind}", {"name": name, "near": list(near)}))


# --- cards -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NamedGpu:
    """A card as the user named it: the variant taken, and the others the name may mean."""

    asked: str
    gpu: Gpu
    others: tuple[Gpu, ...] = ()
    settled: bool = False
    """Whether the conversation is on this variant already, so that no answer takes another one."""
    named: bool = False
    """Whether somebody said this very variant before; not even a box of several cards means another one then."""
    spoken_of: str = ""
    """The variant that the conversation is on, where another one had to stand for it."""

    @property
    def forms(self) -> tuple[Gpu, ...]:
        """The variants that an answer may take, the one taken first."""
        return (self.gpu,) if self.settled else (self.gpu, *self.others)

    @property
    def is_open_size(self) -> bool:
        """Whether the name leaves open which of two sizes of one card is meant, and nothing has settled it."""
        return bool(self.others) and self.asked == self.gpu.name and not self.settled

    @property
    def with_most_memory(self) -> NamedGpu:
        """The card in the larger of two sizes that its name leaves open: as fast, and more jobs fit it."""
        if not self.is_open_size:
            return self
        largest, *rest = sorted(self.forms, key=lambda gpu: -(gpu.vram_gib or 0.0))
        return NamedGpu(without_size(largest.name), largest, tuple(rest))

    @property
    def note(self) -> Note | None:
        """Which variant was taken, when the name left it open and nothing has settled it."""
        if self.spoken_of:
            return note_of("gpu_variant_instead", {"spoken_of": self.spoken_of, "taken": self.gpu.name})
        if self.settled or not self.others:
            return None
        asked = without_size(self.asked) if self.is_open_size else self.asked
        return note_of("gpu_variant", {"asked": asked, "taken": self.gpu.name, "others": [o.name for o in self.others]})


def named_gpus(request: Request) -> list[NamedGpu] | Decline:
    """The cards of slot `gpu`, in the user's order; Decline when one of them is not in the catalogue.

    What a name leaves open is what the conversation is on, else the usual version, in a box of several its board.
    """
    named: list[NamedGpu] = []
    names, counts = request.slot("gpu") or [], counts_beside(request)
    in_all = (request.slot("gpu_count") or 1) if len(names) == 1 else 1
    for asked in names:
        variants = request.services.catalog.gpu_variants(asked)
        if not variants:
            return unknown(request, "gpu", asked)
        others = tuple(variants[1:]) or other_sizes(request, asked, variants[0])
        card = _on_the_version_spoken_of(request, NamedGpu(asked, variants[0], others))
        named.append(on_board(card, counts.get(asked) or in_all))
    return named


def _on_the_version_spoken_of(request: Request, card: NamedGpu) -> NamedGpu:
    """The card as the variant that the conversation is on: what was judged is what is billed."""
    open_to = {gpu.id: gpu for gpu in (card.gpu, *card.others)}
    known = next((one for one in request.versions if one.gpu in open_to), None)
    if known is None or not card.others:
        return card
    others = tuple(gpu for ident, gpu in open_to.items() if ident != known.gpu)
    return NamedGpu(card.asked, open_to[known.gpu], others, settled=True, named=known.named)


def counts_beside(request: Request) -> dict[str, int]:
    """Card as it was named -> the count beside it, said now or with the cards that are spoken of."""
    return {**(request.slot("card_counts") or {}), **request.heard.counts_of("gpu")}


# --- models and workloads --------------------------------------------------------------------------------------------

MODEL_CHOICES: Final = ("llm-7b", "llm-14b", "llm-32b", "llm-70b", "bert-base-uncased", "stable-diffusion-xl-base-1.0")


def elicit_model() -> Elicit:
    """Ask which model, with the usual sizes as choices."""
    return elicit_of(slot="model", values=MODEL_CHOICES)


def elicit_gpu() -> Elicit:
    """Ask which card, with the most asked ones as choices."""
    return elicit_of(slot="gpu", values=("RTX 3060 12GB", "RTX 3090", "RTX 4090", "RTX 5090", "A100 80GB", "H20 96GB"))


MOST_MODELS: Final = 8
"""Models of one question that are looked at, in the user's order: each is planned for every card that is named."""


@dataclass(frozen=True, slots=True)
class Named:
    """Models of the question and what has to be said about how they were taken."""

    models: tuple[MlModel, ...]
    notes: tuple[Note, ...] = ()
    assumptions: tuple[Assumption, ...] = ()


def models_of(request: Request) -> Named | Decline:
    """The models of slot `model`, in the user's order; Decline when one has neither a record nor a size.

    An unknown one with a size in its name is taken as a generic decoder, and that is said. So is which one of a family
    was taken, when a name leaves it open.
    """
    catalog = request.services.catalog
    models: dict[str, MlModel] = {}
    notes: list[Note] = []
    assumed: list[Assumption] = []
    stated = of_one_size(request, request.slot("model") or [])
    stated = sized_elsewhere(request, stated, notes)
    asked = [name for name in stated if catalog.find_ml_model(name) or not _served(request, name)]
    closed = [record for name in stated if name not in asked and (record := _served(request, name))]
    if closed and not asked and _sizes_it(request):
        return Decline(reason=closed_note(request, closed[0]))
    notes += [closed_note(request, one) for one in closed if _sizes_it(request)]
    if len(asked) > MOST_MODELS:
        notes.append(note_of("models_first", {"count": MOST_MODELS, "left": len(asked) - MOST_MODELS}))
    for name in asked[:MOST_MODELS]:
        found = record_taken(request, name, notes, assumed)
        if found is None:
            return unknown(request, "ml_model", name)
        models.setdefault(found.name, found)
    return Named(tuple(models.values()), tuple(notes), tuple(assumed))


_ON_THE_CARD: Final = frozenset(
    {"check_fit", "estimate_memory", "reduce_memory", "ram_sizing", "gpu_count", "estimate_time"}
)
_FOR_THE_MODEL: Final = frozenset({"recommend_gpu", "vendor_choice"})


def _served(request: Request, name: str) -> ClosedModel | None:
    return request.services.catalog.closed_model(name)


def _sizes_it(request: Request) -> bool:
    """Whether the model is what should run; elsewhere, or beside a card that is weighed, a service may just advise."""
    return request.intent in _ON_THE_CARD or (request.intent in _FOR_THE_MODEL and not request.slot("gpu"))


def closed_note(request: Request, model: ClosedModel) -> Note:
    """That a model's weights are not published, with the open ones that people take instead."""
    known = request.services.catalog.ml_models
    nearest = [known[ident].name for ident in model.nearest if ident in known]
    return note_of("closed_model", {"name": model.name, "maker": model.maker, "nearest": nearest})


def most_of(request: Request) -> str:
    """What the words want the most of, a batch, requests or a context; "" where none or a number is named."""
    if not request.heard.is_read:
        return ""
    sides = {*request.heard.sides("job")}
    said = (
        ("requests", "served" in sides and request.slot("batch") is None and _runs(request)),
        ("batch", "batch" in sides),
        ("context", {"context", "most"} <= sides),
        (str(request.slot("most") or ""), True),
    )
    return next((name for name, wanted in said if wanted and name and request.slot(_MOST_OF[name]) is None), "")


_MOST_OF: Final = {"requests": "users", "batch": "batch", "context": "seq_len"}
"""What is wanted the most of, and the slot that names a number of it."""


def _runs(request: Request) -> bool:
    """Whether a model is run, as far as the question says."""
    return request.slot("method") in (None, Method.INFERENCE.value)


def task_of(request: Request) -> str | None:
    """The task of the question; by its words, or its people, when neither task nor method was read from it."""
    stated: str | None = request.slot("task")
    if stated or request.slot("method") or not request.heard.is_read:
        return stated
    if request.heard.shows("job", "tuning") or _TRAINERS.intersection(request.heard.sides("programs")):
        return "llm_finetune"
    # several people use a model at the same time only when it answers them
    return "llm_inference" if (request.slot("users") or 1) > 1 and request.intent in _ONE_JOB else None


_TRAINERS: Final = frozenset({"unsloth", "axolotl", "llama-factory", "ms-swift", "torchtune", "litgpt"})
"""Programs in which language models are adapted, and nothing else is done."""
_ONE_JOB: Final = frozenset({"check_fit", "estimate_memory", "gpu_count", "estimate_time"})
"""Intents whose people share one running model; those of a cluster may as well train, each their own."""


@dataclass(frozen=True, slots=True)
class Job:
    """A workload made from slots, with what was assumed on the way."""

    workload: Workload
    assumptions: tuple[Assumption, ...]


def job_for(request: Request, model: MlModel, method: Method | None = None, n_gpus: int | None = None) -> Job:
    """The usual way to do what the slots say with one model, each unstated value that matters assumed and named.

    `method` overrides the slot (for tables over several methods).
    """
    planned = plan_of(request, model, method=method, task=task_of(request))
    return job_of(request, planned.usual, n_gpus or request.slot("gpu_count") or 1)


def job_of(request: Request, way: Way, n_gpus: int = 1) -> Job:
    """One way of a plan on so many cards, with what was assumed on the way."""
    assumed = assumptions_of(way)
    people = request.slot("users")
    if people and way.workload.users and people != way.workload.users:
        assumed = (*assumed, assumption_of(slot="batch", value=way.workload.batch))
    return Job(way.on(int(n_gpus)), assumed)


def is_transformer(job: Workload | None) -> bool:
    """Whether a job is about a pretrained language encoder like BERT, which the dispute is about."""
    return job is not None and job.ml_model.modality == "text-encoder"
