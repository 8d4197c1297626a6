"""Whether a card (or a count of cards, or an amount of memory) holds a job; without a job, what it can hold."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

from advisor.errors import AdvisorError
from advisor.jobs.plan import Place
from advisor.jobs.verdict import Verdict as Judged
from advisor.jobs.ways import Way
from advisor.memory import FitResult, Trick, TrickPlan, Verdict
from advisor.memory.estimate import described, notes_of
from advisor.memory.figure import Figure, figure_of
from advisor.memory.fit import Fit, fit_of, fit_result, usable_gib
from advisor.memory.limits import check_vram
from advisor.memory.trace import guide_steps
from advisor.memory.tricks import tricks_from
from advisor.models import Frozen, Gpu, Method, MlModel, Note, Precision, Step, Workload, note_of, step_of
from advisor.trusted import trusted
from bot.answers.asked_job import code_of
from bot.answers.common import (
    Job,
    Named,
    NamedGpu,
    elicit_gpu,
    fact,
    job_for,
    job_of,
    models_of,
    most_of,
    named_gpus,
    source_refs,
    task_of,
)
from bot.answers.machine import processor
from bot.answers.memory import most
from bot.answers.memory.run_notes import how_run
from bot.answers.memory.sizing import (
    Row,
    breakdown,
    card_notes,
    declined,
    elicit_model,
    guide_conflicts,
    guide_notes,
    guide_of_task,
    holding_cards,
    is_llm,
    ladder,
    merged,
    model_of_task,
    open_jobs,
    plan_shown,
    remark_of,
    row_of,
    shared_notes,
    source_ids,
    split_for,
)
from bot.core.answers import Answer, Decline, Outcome, answer_with, elicit_of, offered_of
from bot.core.message import Choice, Fact, choice_of, fact_of
from bot.core.request import Request

if TYPE_CHECKING:
    from advisor.catalog import Catalog

_CAPACITY_FORMAT: Final = {Method.QLORA: "nf4", Method.FULL: "bf16-mixed"}
_INT4: Final = (Precision.INT4, "int4")
_FORMATS: Final[tuple[tuple[Precision, str | None], ...]] = ((Precision.FP16, None), (Precision.INT8, "int8"), _INT4)
_SMALL_JOBS: Final = (
    ("bert-base-uncased", Method.FULL),
    ("resnet50", Method.TRAIN),
    ("yolov8m", Method.TRAIN),
    ("stable-diffusion-xl-base-1-0", Method.INFERENCE),
    ("flux-1-dev", Method.INFERENCE),
)
"""Jobs that people ask about most beside language models; shown for a card when no job was named."""
_MOST_CARDS: Final = 4
_FEW_CARDS: Final = 4
"""Splits over more cards than this, for each that there is, are not offered where one usual card would do."""


@dataclass(frozen=True, slots=True)
class Card:
    """What the job should fit: a card, a bare amount of memory, or the RAM of a machine without a card."""

    gpu: Gpu | None
    vram: float | None
    """Per card, where it was stated or the card has several sizes."""
    note: Note | None = None
    ram_only: bool = False
    named: str = ""
    """How it was named, where that is not the card's own name ("Mac 64 GB")."""

    @property
    def label(self) -> str | None:
        """What to call it; None for a bare amount of memory."""
        return self.named or (self.gpu.name if self.gpu else None)

    @property
    def nominal(self) -> float | None:
        """Memory per card."""
        return self.vram if self.vram is not None else (self.gpu.vram_gib if self.gpu else None)

    @property
    def usable(self) -> float:
        """What a job can get of it, in GiB; 0 when its memory is not known."""
        return usable_gib(self.gpu, self.nominal or 0.0)


class Capacity(Frozen):
    """The largest well-known language models that a card holds in one format."""

    format: str
    model: str = ""
    """Surely fits; empty where none does."""
    tight: str = ""
    """A larger one that may just fit; empty where there is none."""


class Group(Frozen):
    """Capacities of one way to use a model."""

    method: str
    sizes: tuple[Capacity, ...]


def handle(request: Request) -> Outcome:
    """Answer for the named card and job; ask for the card when there is none."""
    named = models_of(request)
    if isinstance(named, Decline):
        return named
    found = named_gpus(request)
    if isinstance(found, Decline):
        return found
    try:
        cards = _cards(request, found or _macs(request))
        return _on_cards(request, named, cards) if cards else _no_card(request, named)
    except AdvisorError as error:
        return declined(error)


def _only_llm_task(request: Request) -> bool:
    return request.slot("task") in ("llm_finetune", "llm_inference", "rag")


def _no_card(request: Request, named: Named) -> Outcome:
    if _is_mac(request):
        return elicit_of(slot="ram_gb", values=_MAC_SIZES)
    if processor.without_card(request):
        return processor.answer(request, named)
    return elicit_gpu() if named.models or request.slot("task") else elicit_model()


def _on_cards(request: Request, named: Named, cards: list[Card]) -> Outcome:
    if cards[0].nominal is None:
        return _memory_unknown(cards[0])
    if not named.models and not _only_llm_task(request):
        named = model_of_task(request)
    if not named.models:
        return _capacity(request, cards)
    wanted = most_of(request)
    told = most.answer(request, named, cards[0], wanted) if wanted else None
    if told is not None:
        return told
    if _shares_ram(cards[0]) and not request.slot("method") and task_of(request) != "llm_finetune":
        request = replace(request, slots={**request.slots, "method": Method.INFERENCE.value})
    return _fit(request, named, cards)


def _cards(request: Request, found: list[NamedGpu]) -> list[Card]:
    """Cards of the question. A stated memory beside one card is that card's; unified memory is the machine's RAM."""
    stated, ram = request.slot("vram_gb"), request.slot("ram_gb")
    cards = []
    for one in found[:_MOST_CARDS]:
        vram = None
        if one.gpu.unified_memory:
            vram = ram or stated or _bare_size(request, one.gpu)
        elif stated and len(found) == 1 and stated != one.gpu.vram_gib:
            vram = stated
        mac = one.asked if one.asked.startswith(_MAC) else ""
        cards.append(Card(one.gpu, float(vram) if vram else None, None if mac else one.note, named=mac))
    if not cards and stated:
        cards.append(Card(None, float(stated)))
    if not cards and (request.slot("cpu") or ram) and ram:
        free = max(float(ram) - processor.SYSTEM_RAM, 0.5 * float(ram))
        cards.append(Card(None, free, note_of("memory_cpu_only", {"ram": ram}), ram_only=True))
    for card in cards:
        if card.vram is not None:
            check_vram(card.vram)
    return cards


_MAC: Final = "Mac "
_MAC_SIZES: Final = ("16", "24", "32", "48", "64", "128")
"""Memory that Macs are commonly sold with, in GB."""


def _is_mac(request: Request) -> bool:
    return str(request.slot("gpu_family") or "") == "Apple"


def _macs(request: Request) -> list[NamedGpu]:
    """The chip of a Mac that was named by its memory alone ("a Mac Studio with 512 GB"): one sold with as much.

    Which of several it is makes no difference to what fits. A size that no Mac is sold with is taken as the largest's.
    """
    size = request.slot("ram_gb") or request.slot("vram_gb")
    if not size or not _is_mac(request):
        return []
    chips = [gpu for gpu in request.services.catalog.gpus_of("Apple") if gpu.unified_memory]
    sold = [gpu for gpu in chips if size in gpu.memory_options_gib]
    best = max(sold or chips, key=lambda gpu: (gpu.memory_bandwidth_gb_per_s or 0.0, gpu.id), default=None)
    if best is None:
        return []
    others = tuple(gpu for gpu in sold if gpu is not best)
    return [NamedGpu(f"{_MAC}{size:g} GB", best, others)]


def _bare_size(request: Request, gpu: Gpu) -> float | None:
    """Memory said as a number alone beside a chip ("M3 Ultra 512"): one of the sizes that it is sold with."""
    tokens = request.heard.tokens
    sizes = {f"{size:g}": size for size in gpu.memory_options_gib}
    claimed = {str(value) for name, value in request.slots.items() if name != "gpu" and not isinstance(value, list)}
    return next((sizes[token] for token in tokens if token in sizes and token not in claimed), None)


def is_mac_of_known_size(request: Request) -> bool:
    """Whether a Mac whose memory is known is asked about for running models."""
    if request.slot("method") not in (None, Method.INFERENCE.value) or task_of(request) in _TRAINING_TASKS:
        return False
    found = named_gpus(request)
    if isinstance(found, Decline) or len(found) > 1 or any(not one.gpu.unified_memory for one in found):
        return False
    macs = found or _macs(request)
    return bool(macs and (request.slot("ram_gb") or request.slot("vram_gb") or _bare_size(request, macs[0].gpu)))


_TRAINING_TASKS: Final = frozenset({"llm_finetune", "pretrain"})


def _memory_unknown(card: Card) -> Outcome:
    """A card whose memory comes in sizes: ask which."""
    gpu = card.gpu
    sizes = gpu.memory_options_gib if gpu else ()
    slot = "ram_gb" if gpu and gpu.unified_memory else "vram_gb"
    if not sizes:
        return Decline(reason=note_of("memory_of_card_unknown", {"gpu": gpu.name if gpu else ""}))
    choices = tuple(choice_of(label=f"{size:g} GB", key=f"set:{slot}={size:g}") for size in sizes[:6])
    return answer_with(
        template="check_fit",
        notes=(note_of("memory_of_card_varies", {"gpu": gpu.name if gpu else "", "sizes": list(sizes)}),),
        choices=choices,
        extra={"mode": "unknown"},
    )


# --- a card and a job ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Tried:
    job: Job
    fit: Fit
    figure: Figure
    card: Card
    way: Way
    verdict: Judged
    meant: bool = False
    """The way that the answer speaks of."""


def _tried(request: Request, model: MlModel, cards: list[Card]) -> list[_Tried]:
    """Every way of one model on every card, the one that is meant marked."""
    own = _own_way(request, model)
    n = int(request.slot("gpu_count") or 1)
    places = [Place(card.gpu, n, card.vram) for card in cards]
    planned = plan_shown(own, model, places)
    found = []
    for card, chosen in zip(cards, planned.chosen, strict=True):
        rows = planned.table(chosen.place) or ((chosen.way, chosen.verdict),)
        for way, verdict in rows:
            job = job_of(own, way, n)
            found.append(_Tried(job, verdict.as_fit, verdict.figure, card, way, verdict, way is chosen.way))
    return found


def _own_way(request: Request, model: MlModel) -> Request:
    """The request without a way of use that was said of a later model only ("run llama3 8b and train BERT")."""
    found = request.heard.values
    ways = [one.span.start for one in found if one.slot == "method" and not one.negated]
    starts = {str(one.value): one.span.start for one in found if one.slot == "model"}
    own = starts.get(model.name)
    if len(starts) < 2 or len(ways) != 1 or own is None or own > ways[0]:
        return request
    if not any(start > ways[0] for start in starts.values()):
        return request
    return replace(request, slots={name: value for name, value in request.slots.items() if name != "method"})


def _fit(request: Request, named: Named, cards: list[Card]) -> Answer:
    tried = [one for model in named.models for one in _tried(request, model, cards)]
    head = _headline(tried)
    rows = [_row(request, one) for one in tried]
    head_row = next(row for row, one in zip(rows, tried, strict=True) if one is head)
    shown = fit_result(head.fit, described(head.figure), head.card.gpu)
    work, estimate = head.figure.workload, shown.estimate
    plan = _plan(head)
    split = None
    if head.fit.verdict is not Verdict.FITS and not _shares_ram(head.card):
        own = [head.card.gpu] if head.card.gpu else []
        split = split_for(request, work, own, shown.n_gpus) or split_for(request, work)
        if split and split.n > _FEW_CARDS * shown.n_gpus and holding_cards(request, head.figure):
            split = None
    notes = named.notes + tuple(card.note for card in cards if card.note)
    notes += how_run(head.verdict, head.way) + card_notes(head.card.gpu, [work])
    if head.card.ram_only and is_llm(work.ml_model):
        notes += (processor.pace_note(work.ml_model),)
    if head.fit.verdict is not Verdict.FITS and _draws(work) and len(tried) == 1:
        notes += (note_of("memory_diffusion_offload", {}),)
    notes += shown.notes + shared_notes(notes_of(one.figure) for one in tried)
    notes += guide_notes(guide_steps(tried[0].figure.job), guide_of_task(request))
    impossible = head.fit.verdict is Verdict.NO and plan is not None and plan.first_that_fits is None
    return answer_with(
        template="check_fit",
        facts=_facts(shown, head.way),
        trace=_trace(head, shown) + estimate.guide + guide_of_task(request),
        conflicts=guide_conflicts([estimate], head.card.nominal),
        sources=source_refs(request, source_ids([estimate])),
        assumptions=merged([one.job for one in tried], named.assumptions),
        notes=notes,
        choices=_choices(head, plan),
        result=shown,
        extra={
            "mode": "fit",
            "rows": rows,
            "head": head_row,
            "ladder": len(tried) > 1,
            "several_cards": len(cards) > 1,
            "heads": _heads(request, named.models, cards[0], tried),
            "best": _best_of_ladder(tried, head),
            "works": _row(request, works) if (works := _works(tried, head)) else None,
            "plan": plan,
            "table": breakdown(estimate),
            "recipe": _told(plan),
            "draws": _draws(work),
            "trick": plan.recipe[-1] if plan and plan.recipe else None,
            "from_full": work.method is Method.FULL,
            "split": split,
            "gpu": head.card.label,
            "nominal": head.card.nominal,
            "n": shown.n_gpus,
            "ram_only": head.card.ram_only,
            "impossible": impossible,
            "nearest": _nearest(request, head) if impossible else None,
            "largest_here": _largest_here(request, head) if head.fit.verdict is Verdict.NO else None,
            "remark": remark_of(notes),
            # other cards are named only beside a doubt or a no
            "holds": head_row
            if head.fit.verdict is Verdict.FITS or _shares_ram(head.card)
            else _row(request, head, with_cards=True),
        },
    )


def _heads(request: Request, models: tuple[MlModel, ...], card: Card, tried: list[_Tried]) -> list[Any]:
    """The headline of each of several models on the first card; empty for a single one."""
    if len(models) < 2:
        return []
    groups = ([one for one in tried if one.card is card and one.job.workload.ml_model == model] for model in models)
    return [_row(request, _headline(group)) for group in groups]


def _draws(job: Workload) -> bool:
    return job.method is Method.INFERENCE and job.ml_model.modality == "image-gen"


def _row(request: Request, one: _Tried, *, with_cards: bool = False) -> Any:
    row = row_of(request, one.figure, one.fit, with_cards=with_cards)
    return _tagged(row=row, card=one.card.label or "")


class Tagged(Frozen):
    """A row with the card it is about."""

    row: Row
    card: str


_tagged, _group, _capacity_in = trusted(Tagged), trusted(Group), trusted(Capacity)


def _headline(tried: list[_Tried]) -> _Tried:
    """What the first line speaks of: the way that is meant, on the first card."""
    return next(one for one in tried if one.meant)


def _works(tried: list[_Tried], head: _Tried) -> _Tried | None:
    """A way of the same model on the same card that fits, where the one that is meant does not."""
    if head.fit.verdict is Verdict.FITS:
        return None
    same = [one for one in tried if one.card is head.card and one.job.workload.ml_model is head.job.workload.ml_model]
    return next((one for one in same if one.fit.verdict is Verdict.FITS), None)


def _best_of_ladder(tried: list[_Tried], head: _Tried) -> str:
    """How a table stands to its headline: all | some | other | tight | none | one (no table)."""
    rows = [one for one in tried if one.card is head.card]
    if len(rows) == 1:
        return "one"
    if head.fit.verdict is Verdict.FITS:
        return "all" if all(one.fit.verdict is Verdict.FITS for one in rows) else "some"
    if _works(tried, head) is not None:
        return "other"
    return "tight" if head.fit.verdict is Verdict.TIGHT else "none"


def _plan(head: _Tried) -> TrickPlan | None:
    """Ways to make it fit when it does not surely do."""
    if head.fit.verdict is Verdict.FITS or head.card.nominal is None:
        return None
    return tricks_from(head.figure, head.card.gpu, head.card.vram, trails=False)


def _told(plan: TrickPlan | None) -> tuple[Trick, ...]:
    """The steps that make it fit, as people name them: who takes QLoRA is not told of LoRA first."""
    steps = plan.recipe if plan else ()
    if any(step.code == "qlora" for step in steps):
        return tuple(step for step in steps if step.code != "lora")
    return steps


def _nearest(request: Request, head: _Tried) -> Row | None:
    """QLoRA of the same model on a card that holds it, for a full or LoRA training that is out of reach."""
    job = head.figure.workload
    if not is_llm(job.ml_model) or job.method in (Method.QLORA, Method.INFERENCE):
        return None
    changed = {"method": Method.QLORA, "precision": Precision.INT4, "quant": "nf4", "optimizer": None, "n_gpus": 1}
    return row_of(request, figure_of(job.model_copy(update={**changed, "parallel": None})))


def _largest_here(request: Request, head: _Tried) -> Capacity | None:
    """The largest language model that the card holds in the least demanding form of the same kind of work."""
    job, card = head.figure.workload, head.card
    if not is_llm(job.ml_model) or card.nominal is None:
        return None
    method = Method.INFERENCE if job.method is Method.INFERENCE else Method.QLORA
    precision, quant = _INT4 if method is Method.INFERENCE else (None, None)
    plain = replace(request, slots=_said_of_all(request), heard=request.heard.unread)
    key = ("held", card.usable, method, precision, quant, job.n_gpus, *sorted(plain.slots.items()))
    held = _once(request.services.catalog, key, lambda: _held(plain, card, method, precision, quant, job.n_gpus))
    return _capacity_in(format=quant or "nf4", model=held.model, tight=held.tight)


def _facts(fit: FitResult, way: Way) -> tuple[Fact, ...]:
    facts = [fact("vram_needed", fit.need), fact_of(name="way", value=code_of(way), basis="plan")]
    if fit.usable_gib is not None and fit.margin_gib is not None:
        facts.append(fact_of(name="vram_usable", value=fit.usable_gib, unit="GiB", basis="nominal less reserve"))
        facts.append(fact_of(name="vram_margin", value=fit.margin_gib, unit="GiB", basis="usable minus needed"))
    facts.append(fact_of(name="verdict", value=fit.verdict.value, basis="90 % band"))
    return tuple(facts)


def _trace(head: _Tried, fit: FitResult) -> tuple[Step, ...]:
    if fit.usable_gib is None or fit.nominal_gib is None:
        return (fit.need.trace,)
    return (fit.need.trace, _usable_step(head.card, fit.usable_gib))


def _usable_step(card: Card, usable: float) -> Step:
    nominal = step_of(
        name="vram_nominal",
        value=card.nominal,
        unit="GiB",
        how="claim" if card.vram is None else "given",
        sources=_gpu_sources(card.gpu),
    )
    how = "nominal - driver, ECC, desktop"
    return step_of(name="vram_usable", value=usable, unit="GiB", how=how, inputs=(nominal,))


def _gpu_sources(gpu: Gpu | None) -> tuple[str, ...]:
    if gpu is None:
        return ()
    source = gpu.sources.get("vram_gib") or gpu.sources.get("*")
    return (source,) if source else ()


def _choices(head: _Tried, plan: TrickPlan | None) -> tuple[Choice, ...]:
    """The nearest ways to a yes, one press away."""
    if plan is None:
        return ()
    keys: dict[str, Choice] = {}
    for trick in plan.tricks:
        if trick.code in ("lora", "qlora"):
            keys[trick.code] = choice_of(
                label=trick.code.replace("lora", "LoRA").replace("q", "Q"), key=f"set:method={trick.code}"
            )
        elif trick.code in ("int8", "int4"):
            keys[trick.code] = choice_of(label=trick.code.upper(), key=f"set:precision={trick.code}")
        elif trick.code == "batch":
            keys["batch"] = choice_of(label="batch 1", key="set:batch=1")
    if head.figure.n_gpus == 1 and head.card.gpu is not None:
        keys["two"] = choice_of(label="x2", key="set:gpu_count=2")
    return tuple(keys.values())[:4]


# --- a card without a job --------------------------------------------------------------------------------------------


def _capacity(request: Request, cards: list[Card]) -> Answer:
    """What the card can hold, when nobody said which job."""
    card = cards[0]
    n_gpus = request.slot("gpu_count") or 1
    sizes = _sizes(request, card, n_gpus)
    small = _small_jobs(request, card) if n_gpus == 1 and not _shares_ram(card) else ()
    usable = card.usable
    return answer_with(
        template="check_fit",
        facts=(
            fact_of(name="vram_usable", value=usable, unit="GiB", basis="nominal less reserve"),
            *sizes.facts,
        ),
        trace=(_usable_step(card, usable),),
        sources=source_refs(request, (*_gpu_sources(card.gpu), "memory-cases")),
        notes=tuple(one.note for one in cards if one.note),
        asks=offered_of(slot="model"),
        choices=tuple(choice_of(label=one.upper(), key=f"set:model=llm-{one}") for one in ("7b", "14b", "32b", "70b")),
        extra={
            "mode": "capacity",
            "gpu": card.label,
            "nominal": card.nominal,
            "usable": usable,
            "n": n_gpus,
            "groups": sizes.groups,
            "jobs": small,
            "ram_only": card.ram_only,
        },
    )


class _Sizes(NamedTuple):
    """Largest well-known models per method and format, with the facts behind them."""

    groups: tuple[Group, ...]
    facts: tuple[Fact, ...]


def _sizes(request: Request, card: Card, n_gpus: int) -> _Sizes:
    """The same objects for the same memory and wishes, so that what is said of them is put into words once."""
    stated = request.slot("method")
    methods = [Method(stated)] if isinstance(stated, str) and stated in ("lora", "qlora", "full", "inference") else []
    if stated == Method.TRAIN.value:
        methods = [Method.QLORA, Method.LORA, Method.FULL]
    methods = methods or ([Method.INFERENCE] if _shares_ram(card) else list(_METHODS))
    said = _said_of_all(request)
    key = (card.usable, n_gpus, *sorted(said.items()))
    catalog = request.services.catalog

    def worked_out() -> _Sizes:
        plain = replace(request, slots=said, heard=request.heard.unread)
        # each way by itself, as questions name one or several of them
        found = [
            _once(catalog, ("sizes", method, *key), partial(_sizes_by, plain, card, method, n_gpus))
            for method in methods
        ]
        return _Sizes(
            tuple([one for each in found for one in each.groups]),
            tuple([fact for each in found for fact in each.facts]),
        )

    return _once(catalog, ("sizes", tuple(methods), *key), worked_out)


def _sizes_by(request: Request, card: Card, method: Method, n_gpus: int) -> _Sizes:
    """Those of one way to use a model."""
    sizes: list[Capacity] = []
    facts: list[Fact] = []
    for precision, quant in _FORMATS if method is Method.INFERENCE else ((None, None),):
        code = _CAPACITY_FORMAT.get(method) or quant or (precision.value if precision else "bf16")
        held = _held(request, card, method, precision, quant, n_gpus)
        sizes.append(_capacity_in(format=code, model=held.model, tight=held.tight))
        facts.append(fact_of(name=f"largest_{method.value}_{code}", value=held.model, basis="largest that fits"))
    return _Sizes((_group(method=method.value, sizes=tuple(sizes)),), tuple(facts))


def _said_of_all(request: Request) -> dict[str, Any]:
    """The slots that hold for every model."""
    return {name: value for name, value in request.slots.items() if name in ("seq_len", "batch")}


_METHODS: Final = (Method.INFERENCE, Method.QLORA, Method.LORA, Method.FULL)


def _shares_ram(card: Card) -> bool:
    """Whether it is a machine that people run language models on and hardly train with."""
    return card.ram_only or (card.gpu is not None and card.gpu.unified_memory)


class _Held(NamedTuple):
    """Names of the largest well-known model that fits, and of a larger one that is tight."""

    model: str
    tight: str


def _held(
    request: Request, card: Card, method: Method, precision: Precision | None, quant: str | None, n_gpus: int
) -> _Held:
    """The largest well-known model that the card holds, by the sum that answers a question about it alone.

    `request`: with no slots but those that hold for every model.
    """
    catalog = request.services.catalog
    tight = ""
    for ident in reversed(ladder().models):
        model = catalog.ml_models.get(ident)
        if model is None:
            continue
        work = job_for(request, model, method, n_gpus).workload
        if precision is not None:
            work = work.model_copy(update={"precision": precision, "quant": quant})
        verdict = fit_of(figure_of(work), card.gpu, card.vram).verdict
        if verdict is Verdict.FITS:
            return _Held(model.name, tight)
        if verdict is Verdict.TIGHT:
            tight = tight or model.name
    return _Held("", tight)


def _small_figures(request: Request) -> tuple[tuple[Figure, ...], ...]:
    """What the usual small jobs need, with what is assumed for each when it is asked about alone.

    Pictures are drawn in one of several formats, the best one first.
    """
    plain, catalog = replace(request, slots={}, heard=request.heard.unread), request.services.catalog
    figures = []
    for ident, method in _SMALL_JOBS:
        model = catalog.ml_models.get(ident)
        if model is None:
            continue
        ways = open_jobs(plain, model) if model.modality == "image-gen" else None
        jobs = [job for job in ways or () if job.workload.method is method] or [job_for(plain, model, method)]
        figures.append(tuple(figure_of(job.workload) for job in jobs))
    return tuple(figures)


def _small_jobs(request: Request, card: Card) -> tuple[Tagged, ...]:
    """Verdicts on the jobs people ask about most: the same on all cards of one usable memory."""
    catalog = request.services.catalog

    def judged() -> tuple[Tagged, ...]:
        rows = []
        for ways in _once(catalog, "small jobs", lambda: _small_figures(request)):
            fits = [(figure, fit_of(figure, card.gpu, card.vram)) for figure in ways]
            shown = min(fits, key=lambda one: _RANK[one[1].verdict])
            rows.append(_tagged(row=row_of(request, *shown, with_cards=False), card=""))
        return tuple(rows)

    return _once(catalog, ("small jobs", card.usable), judged)


_RANK: Final = {Verdict.FITS: 0, Verdict.TIGHT: 1, Verdict.NO: 2, Verdict.UNKNOWN: 3}
_WORKED_OUT: Final[WeakKeyDictionary[Catalog, dict[Hashable, Any]]] = WeakKeyDictionary()
_MOST_WORKED_OUT: Final = 1024
_Made = TypeVar("_Made")


def _once(catalog: Catalog, key: Hashable, make: Callable[[], _Made]) -> _Made:
    """What follows from a catalogue and the key alone: worked out once, the newest kept."""
    known = _WORKED_OUT.setdefault(catalog, {})
    if key not in known:
        if len(known) >= _MOST_WORKED_OUT:
            known.clear()
        known[key] = make()
    made: _Made = known[key]
    return made
