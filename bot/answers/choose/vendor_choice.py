"""Another brand than NVIDIA: which of its cards are on record, whether they hold the job, what the documents say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, TypedDict

from advisor.errors import AdvisorError
from advisor.memory import Verdict
from advisor.memory.figure import figure_of
from advisor.memory.fit import fit_of
from advisor.models import Estimate, Gpu, Method, MlModel, Note, Precision, Step, note_of, step_of
from advisor.recommend.estimates import memory_on
from advisor.recommend.vendors import VendorRule, rule_for
from advisor.speed.uses import LADDER, STACKS, largest_held, sizes_for, stack_of
from bot.answers import premise
from bot.answers.choose.makers import vendors_of
from bot.answers.choose.vendor_lines import Branded, VendorCard, blocks_of, headline_of, lines_of
from bot.answers.common import (
    Job,
    NamedGpu,
    decline_error,
    fact,
    job_for,
    models_of,
    named_gpus,
    source_refs,
    step_sources,
)
from bot.answers.documents.passages import OLD_AFTER_YEARS
from bot.answers.documents.said import Said, said
from bot.answers.memory.sizing import format_code
from bot.core.answers import Answer, Decline, Outcome, answer_with, assumption_of, elicit_of
from bot.core.line import Line
from bot.core.message import Fact, fact_of
from bot.core.passages import PassageView, Told
from bot.core.request import Request

FAMILY_CHOICES: Final = ("AMD", "Intel", "Apple", "Ascend", "TPU")
_SHOWN: Final = 6
_USABLE: Final = frozenset({"cuda", "rocm", "mps", "xpu", "cann"})
"""Stacks that PyTorch runs on."""
_NUMBERS: Final = re.compile(r"\d+")


class _Shared(TypedDict):
    n: int
    format: str


def handle(request: Request) -> Outcome:
    """Say what a brand is good for; ask which brand when none was named."""
    found = named_gpus(request)
    if isinstance(found, Decline):
        return found
    named = cards_meant(request, found)
    vendors = tuple(dict.fromkeys((*(one.gpu.vendor for one in named), *vendors_of(request))))
    others = tuple(vendor for vendor in vendors if vendor != "NVIDIA") or vendors
    newest = max((one.gpu.release_date.year for one in named if one.gpu.release_date), default=0)
    docs = said(request, "vendor_choice", 2, hint=_hint(others), since=newest)
    if not others and not docs.views:
        return elicit_of(slot="gpu_family", values=FAMILY_CHOICES)
    try:
        weighed = "NVIDIA" in vendors and len(others) == 1 and others[0] != "NVIDIA"
        return _answer(request, named, others, docs, weighed=weighed)
    except AdvisorError as error:
        return decline_error(error)


def _newer_first(request: Request, views: tuple[PassageView, ...]) -> list[PassageView]:
    """Passages with those of other years behind, as stacks change by the year; not where the question names a time."""
    if request.slot("duration"):
        return list(views)
    return sorted(views, key=lambda view: int(view.as_of[:4]) < request.now.year - OLD_AFTER_YEARS)


def _is_a_must(request: Request) -> bool:
    """Whether it is asked if it has to be this maker."""
    return request.heard.speaks_of("must_nvidia") or request.heard.shows("wish", "have_to")


def cards_meant(request: Request, found: list[NamedGpu]) -> list[NamedGpu]:
    """The cards that the question is about: those spoken of before are not, where another brand is named now."""
    return [one for one in found if not _of_before(request, one)]


def _of_before(request: Request, card: NamedGpu) -> bool:
    """A card spoken of before, of another brand than the one that this message names."""
    if request.heard.wished("gpu") or not request.heard.wished("gpu_family"):
        return False
    return card.gpu.vendor not in vendors_of(request)


def _hint(vendors: tuple[str, ...]) -> str:
    """What the passages about the first of these brands speak of."""
    vendor = vendors[0] if vendors else ""
    return f"{vendor} {STACKS.get(vendor, '')}".strip()


def _answer(
    request: Request, named: list[NamedGpu], vendors: tuple[str, ...], docs: Said, *, weighed: bool = False
) -> Outcome:
    vendor = vendors[0] if vendors else ""
    meant = models_of(request)
    if isinstance(meant, Decline):
        return meant
    ram = request.slot("ram_gb") or request.slot("vram_gb")
    gpus = ([one.gpu for one in named] or _cards_of(request, vendor))[:_SHOWN]
    ladder = [request.services.catalog.get_ml_model(name) for name in LADDER]
    job = _job(request, meant.models[0], gpus, ram) if meant.models else None
    need = memory_on(job.workload, job.workload.n_gpus).total if job else None
    rule = rule_for(vendor, gpus[0] if gpus else None)
    cards = [_card(gpu, need, _size(gpu, ram), ladder) for gpu in gpus]
    free = not (named or ram or job)
    told = Branded(
        vendor=vendor,
        stack=stack_of(named[0].gpu) if named else STACKS.get(vendor, ""),
        weighed=weighed,
        must=_is_a_must(request),
        named=tuple(one.gpu.name for one in named),
        model=job.workload.ml_model.name if job else "",
        sizes=tuple(sizes_for(gpus, ladder)) if free and _shares_memory(gpus) else (),
        cards=tuple(cards),
        need=need,
        **_shared(job),
        documents=tuple(_newer_first(request, docs.views)),
        remarks=_notes(vendor, named, cards, rule, request.slot("method")),
    )
    return _answered(request, told, docs, rule, gpus, job)


def _answered(
    request: Request, told: Branded, docs: Said, rule: VendorRule | None, gpus: list[Gpu], job: Job | None
) -> Answer:
    cards, need = list(told.cards), told.need
    return answer_with(
        headline=(_refused(request, told),),
        lines=lines_of(told),
        blocks=blocks_of(told),
        facts=tuple(_facts(told.vendor, cards, need)),
        trace=(_step(told.vendor, cards, rule), *((need.trace,) if need else ()), *docs.steps),
        sources=(*docs.sources, *source_refs(request, _sources(gpus, need, rule))),
        assumptions=job.assumptions if job else (),
        conflicts=tuple(dict.fromkeys((*docs.conflicts, *(rule.conflicts if rule else ())))),
        told=Told(passages=docs.ids, only_in_full=bool(told.vendor)),
    )


def _refused(request: Request, told: Branded) -> Line:
    """The first line, behind a no where a brand whose software runs the usual code is called good for nothing."""
    first = headline_of(told)
    called = request.heard.shows("claim", "useless") and request.heard.shows("form", "confirm")
    usable = called and told.stack in _USABLE and not first.say.startswith("vendor.fit.")
    return premise.told(request, False, first) if usable else first


def _facts(vendor: str, cards: list[VendorCard], need: Estimate | None) -> Iterator[Fact]:
    if vendor:
        yield fact_of(name="vendor", value=vendor)
    yield from (
        fact_of(name="vram", value=card.vram_gib, unit="GiB", basis=card.name) for card in cards if card.vram_gib
    )
    if need is not None:
        yield fact("vram_needed", need)


def _sources(gpus: list[Gpu], need: Estimate | None, rule: VendorRule | None) -> list[str]:
    ids = [rule.source] if rule else []
    ids += [source for gpu in gpus for source in gpu.sources.values()]
    return [*ids, *(step_sources(need.trace) if need else ())]


def _size(gpu: Gpu, ram: object) -> float | None:
    """The memory of a machine whose processor and GPU share it, where that was said."""
    return float(str(ram)) if ram and gpu.unified_memory else None


def _cards_of(request: Request, vendor: str) -> list[Gpu]:
    """The vendor's cards: those that go into a desk computer first, most memory first."""
    cards = [
        gpu for gpu in request.services.catalog.gpus.values() if gpu.vendor == vendor and gpu.form_factor != "laptop"
    ]
    if vendor == "NVIDIA":
        cards = [gpu for gpu in cards if gpu.family == "GeForce"]
    if _shares_memory(cards):
        return _newest_of_each(cards)

    def key(gpu: Gpu) -> tuple[bool, float, int, str]:
        size = gpu.vram_gib or max(gpu.memory_options_gib, default=0.0)
        desk = gpu.form_factor == "PCIe" or gpu.unified_memory
        return (not desk, -size, -(gpu.release_date.year if gpu.release_date else 0), gpu.id)

    return sorted(cards, key=key)


def _shares_memory(gpus: list[Gpu]) -> bool:
    return bool(gpus) and all(gpu.unified_memory for gpu in gpus)


def _newest_of_each(chips: list[Gpu]) -> list[Gpu]:
    """Of chips named by a generation's number (M3 Ultra, M4 Max ...) the newest of each kind, most memory first."""
    newest: dict[str, Gpu] = {}
    for chip in sorted((one for one in chips if one.memory_options_gib), key=lambda gpu: gpu.name):
        newest[_NUMBERS.sub("", chip.name)] = chip
    return sorted(newest.values(), key=lambda gpu: (-max(gpu.memory_options_gib), gpu.id))


def _shared(job: Job | None) -> _Shared:
    """Over how many cards a job is shared, and in which format it runs there."""
    if job is None:
        return {"n": 1, "format": ""}
    runs = job.workload.method is Method.INFERENCE
    return {"n": job.workload.n_gpus, "format": format_code(job.workload) if runs else ""}


def _least(gpu: Gpu, need: Estimate) -> float | None:
    """The least memory this chip is sold with that holds the need for sure."""
    return next((size for size in gpu.memory_options_gib if fit_of(need, gpu, size).verdict is Verdict.FITS), None)


def _with_size(gpu: Gpu, size: float | None) -> Gpu:
    return gpu.model_copy(update={"vram_gib": size}) if size else gpu


def _job(request: Request, model: MlModel, gpus: list[Gpu], ram: float | None) -> Job:
    """The job of the slots; a language model whose format nobody named is run in 4 bits when 16 bits fit nowhere."""
    job = job_for(request, model)
    work = job.workload
    if work.method is not Method.INFERENCE or request.slot("precision") or model.modality != "text-decoder":
        return job
    whole = figure_of(work)
    for gpu in gpus:
        size = float(ram) if ram and gpu.unified_memory else None
        if (gpu.vram_gib or size) and fit_of(whole, gpu, size).verdict is not Verdict.NO:
            return job
    smaller = work.model_copy(update={"precision": Precision.INT4, "quant": "q4_k_m"})
    kept = tuple(one for one in job.assumptions if one.slot != "precision")
    return Job(smaller, (*kept, assumption_of(slot="precision", value=Precision.INT4.value)))


def _card(gpu: Gpu, need: Estimate | None, size: float | None, ladder: list[MlModel]) -> VendorCard:
    memory = gpu.vram_gib or size
    fit = fit_of(need, gpu, size).verdict.value if need is not None and memory else ""
    return VendorCard(
        name=gpu.name,
        vram_gib=memory,
        options_gib=gpu.memory_options_gib,
        bandwidth=gpu.memory_bandwidth_gb_per_s,
        year=gpu.release_date.year if gpu.release_date else None,
        least_gib=_least(gpu, need) if need is not None and not fit else None,
        largest=largest_held(_with_size(gpu, size), ladder),
        fit=fit,
    )


def _step(vendor: str, cards: list[VendorCard], rule: VendorRule | None) -> Step:
    known = tuple(step_of(name=card.name, value=card.vram_gib, unit="GiB", how="claim") for card in cards)
    return step_of(
        name="vendor",
        value=vendor or None,
        how="cards on record",
        inputs=(*known, *((rule.step(),) if rule else ())),
    )


def _notes(
    vendor: str, named: list[NamedGpu], cards: list[VendorCard], rule: VendorRule | None, method: str | None
) -> tuple[Note, ...]:
    notes = [one.note for one in named if one.note is not None]
    if rule is not None:
        trains = method is not None and method != "inference"
        code = "vendor_no_training" if trains and not rule.training else "vendor_rule"
        values = {"year": rule.as_of.year, "training": rule.training, "software": rule.software, "needs": rule.needs}
        notes.append(note_of(code, values))
    if any(card.fit in {Verdict.FITS.value, Verdict.TIGHT.value} for card in cards):
        notes.append(note_of("vendor_fits_is_memory", {}))
    if vendor and vendor != "NVIDIA":
        notes.append(note_of("vendor_default", {}))
    return tuple(notes)
