"""How much more memory a training takes with one setting than with another: method, rank, batch, length, optimizer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from advisor.memory import MemoryEstimate, estimate_memory
from advisor.models import Method, MlModel, Optimizer, Workload
from bot.answers.common import Job, job_for, source_refs
from bot.answers.memory.breakdown import breakdown
from bot.answers.memory.methods import is_chosen, methods_named
from bot.answers.memory.sizing import for_first_model, is_llm, merged, source_ids
from bot.answers.phrases import model_named
from bot.core.answers import Outcome, answer_with
from bot.core.line import Label, Line, Prose, Single, Worded, gib
from bot.core.message import fact_of
from bot.core.request import Request

_SIDES: Final = 2
_RANKS: Final = (1, 1024)
_LENGTHS: Final = (512, 262_144)
_PIXELS: Final = (128, 4096)
_BATCHES: Final = (1, 1024)
_NEEDS: Final = frozenset({"estimate_memory", "reduce_memory"})
_OF_MEMORY: Final = ("vram", "vram_amount", "memory", "save_memory")
_OF_COMPARING: Final = ("compare", "differs", "exceeds", "or_word")
_TRAINED: Final = frozenset({"lora", "qlora", "full", "train"})
_LEAST_PART: Final = 0.05
"""GiB from which the difference of one part is told."""
_PARTS: Final = 3
_DRAWN: Final = frozenset({"image-gen", "vision", "detection", "segmentation"})


@dataclass(frozen=True, slots=True)
class Setting:
    """One value of a setting: how it is named, and a job with it."""

    name: Single
    apply: Callable[[Request, Job], Job]
    slot: str = ""
    """What is set, which is then no assumption."""


@dataclass(frozen=True, slots=True)
class Counted:
    """What a training takes with one value of the setting."""

    setting: Setting
    job: Job
    need: MemoryEstimate


def is_asked(request: Request) -> bool:
    """Whether two values of one setting of a training are set side by side by the memory that they take."""
    heard = request.heard
    if not request.slot("model") or _is_on_card(request) or heard.speaks_of("out_of_memory"):
        return False
    if (heard.shows("effect", "speed") and not _is_switched(request)) or heard.shows("asked", "time"):
        return False
    about = request.intent in _NEEDS or heard.speaks_of(*_OF_MEMORY) or heard.shows("effect", "memory")
    return about and _is_compared(request) and bool(settings_of(request))


def _is_on_card(request: Request) -> bool:
    """Whether it is asked what to take on a card, or in an amount of memory."""
    heard = request.heard
    return bool(heard.wished("gpu") or (heard.wished("vram_gb") and is_chosen(request)))


def handle(request: Request) -> Outcome:
    """The difference first, then the parts of memory that make it."""
    return for_first_model(request, _answer)


def _is_switched(request: Request) -> bool:
    """Whether it is asked how much one setting that is on or off saves."""
    heard = request.heard
    one = bool({"checkpointing", "adam8bit"} & set(heard.sides("technique")))
    return one and (heard.shows("job", "apart") or (heard.speaks_of("save_memory") and heard.shows("form", "how_much")))


def _is_compared(request: Request) -> bool:
    heard = request.heard
    if _is_switched(request):
        return True
    return heard.speaks_of(*_OF_COMPARING) or heard.shows("job", "apart") or len(_methods(request)) > _SIDES


def _answer(request: Request, model: MlModel) -> Outcome:
    job = _base(request, model)
    counted = [_counted(request, one, job) for one in settings_of(request)]
    if len(counted) > _SIDES:
        return _each(request, model, counted)
    less, more = sorted(counted, key=lambda one: one.need.total.value)
    by = more.need.total.value - less.need.total.value
    values: dict[str, Worded] = {
        "model": model_named(model.name),
        "way": Label(more.job.workload.done, "method"),
        "wide": more.setting.name,
        "narrow": less.setting.name,
        "by": gib(by),
        "more": gib(more.need.total.value),
        "less": gib(less.need.total.value),
    }
    apart = more.job.workload.method is not less.job.workload.method
    code = "settings.methods" if apart else "settings.differ" if by >= _LEAST_PART else "settings.same"
    return answer_with(
        headline=(Line(code, values),),
        lines=(*_parts(less.need, more.need), *_slower(request)),
        facts=(
            fact_of(name="difference", value=by, unit="GiB", basis="difference of two estimates"),
            *(
                fact_of(name=f"vram_needed:{place}", value=one.need.total.value, unit="GiB", basis=one.need.total.basis)
                for place, one in (("more", more), ("less", less))
            ),
        ),
        trace=(more.need.total.trace, less.need.total.trace),
        sources=source_refs(request, source_ids([more.need, less.need])),
        assumptions=merged([more.job, less.job], leave=(more.setting.slot,)),
    )


def _each(request: Request, model: MlModel, counted: Sequence[Counted]) -> Outcome:
    """What each of several takes, the most first."""
    ordered = sorted(counted, key=lambda one: -one.need.total.value)
    each = tuple(Line("settings.one", {"name": one.setting.name, "need": gib(one.need.total)}) for one in ordered)
    return answer_with(
        headline=(Line("settings.each", {"model": model_named(model.name), "each": each}),),
        lines=(),
        facts=tuple(
            fact_of(name=f"vram_needed:{place}", value=one.need.total.value, unit="GiB", basis=one.need.total.basis)
            for place, one in enumerate(ordered, 1)
        ),
        trace=tuple(one.need.total.trace for one in ordered),
        sources=source_refs(request, source_ids([one.need for one in ordered])),
        assumptions=merged([one.job for one in ordered]),
    )


def _slower(request: Request) -> tuple[Line, ...]:
    """What the setting does to speed, where that is asked as well."""
    if not request.heard.shows("effect", "speed"):
        return ()
    said = set(request.heard.sides("technique"))
    rows = request.services.library.technique_rows
    found = next((row for row in rows if row.technique in said and row.effect == "speed"), None)
    return (Line("technique.said", {"text": Prose(found.told(request.language, why=False))}),) if found else ()


def _base(request: Request, model: MlModel) -> Job:
    """The training that both are settings of: as said, else LoRA of a language model, else the usual one."""
    stated = str(request.slot("method") or "")
    return job_for(request, model, None if stated in _TRAINED or not is_llm(model) else Method.LORA)


def _counted(request: Request, setting: Setting, job: Job) -> Counted:
    made = setting.apply(request, job)
    return Counted(setting, made, estimate_memory(made.workload))


def _parts(less: MemoryEstimate, more: MemoryEstimate) -> tuple[Line, ...]:
    """Where the difference lies, the largest part first."""
    before = {one.name: one.value for one in breakdown(less)}
    gaps = [(one.name, one.value - before.get(one.name, 0.0)) for one in breakdown(more)]
    told = sorted((one for one in gaps if one[1] >= _LEAST_PART), key=lambda one: -one[1])[:_PARTS]
    if not told:
        return ()
    parts = tuple(
        Line("settings.part", {"part": Label(name, "step"), "by": gib(round(value, 2))}) for name, value in told
    )
    return (Line("settings.parts", {"parts": parts}),)


# --- the two settings -------------------------------------------------------------------------------------------------


def settings_of(request: Request) -> tuple[Setting, ...]:
    """The two values that are named, of the first setting that has two; empty without."""
    for find in _KINDS:
        found = find(request)
        if len(found) == _SIDES or (find is _methods and len(found) > _SIDES):
            return found
    return ()


def _methods(request: Request) -> tuple[Setting, ...]:
    return tuple(Setting(Label(name, "method"), _with_method(Method(name))) for name in methods_named(request))


def _with_method(method: Method) -> Callable[[Request, Job], Job]:
    return lambda request, job: job_for(request, job.workload.ml_model, method)


def _ranks(request: Request) -> tuple[Setting, ...]:
    if not request.heard.shows("technique", "rank"):
        return ()
    return tuple(
        Setting(Line("settings.rank", {"n": one}), _with({"lora_rank": one})) for one in _pair(request, *_RANKS)
    )


def _optimizers(request: Request) -> tuple[Setting, ...]:
    """Adam in 32 and in 8 bits: both are meant where the smaller one is compared."""
    if not request.heard.shows("technique", "adam8bit"):
        return ()
    return (
        Setting(Line("settings.adam"), _with({"optimizer": Optimizer.ADAM})),
        Setting(Line("settings.adam8bit"), _with({"optimizer": Optimizer.ADAM_8BIT})),
    )


def _checkpoints(request: Request) -> tuple[Setting, ...]:
    """Checkpointing on and off, where nothing else is compared."""
    if not request.heard.shows("technique", "checkpointing"):
        return ()
    return (
        Setting(Line("settings.kept"), _with({"checkpointing": False}), "checkpointing"),
        Setting(Line("settings.recomputed"), _with({"checkpointing": True}), "checkpointing"),
    )


def _batches(request: Request) -> tuple[Setting, ...]:
    if not request.heard.speaks_of("batch_size"):
        return ()
    named = request.heard.batches
    sizes = named if len(named) == _SIDES else _pair(request, *_BATCHES)
    return tuple(Setting(Line("settings.batch", {"n": one}), _with({"batch": one}), "batch") for one in sizes)


def _lengths(request: Request) -> tuple[Setting, ...]:
    """Lengths of samples; those of running a model are contexts, whose cache is told elsewhere."""
    model = request.services.catalog.find_ml_model(str(request.first("model")))
    if request.slot("method") not in _TRAINED or model is None or not is_llm(model):
        return ()
    named = tuple(dict.fromkeys(request.heard.lengths))
    sizes = named if len(named) == _SIDES else _pair(request, *_LENGTHS)
    return tuple(Setting(Line("settings.length", {"n": one}), _with({"seq_len": one}), "seq_len") for one in sizes)


def _squares(request: Request) -> tuple[Setting, ...]:
    """Sides of square pictures."""
    model = request.services.catalog.find_ml_model(str(request.first("model")))
    if model is None or model.modality not in _DRAWN:
        return ()
    return tuple(
        Setting(Line("settings.side", {"n": one}), _with({"resolution": (one, one)}), "resolution")
        for one in _pair(request, *_PIXELS)
    )


def _pair(request: Request, least: int, most: int) -> tuple[int, ...]:
    """The two whole numbers without a unit that lie within what the setting can be; empty where there are not two."""
    whole = [int(one) for one in request.heard.bare_numbers if one.isdigit() and least <= int(one) <= most]
    return tuple(dict.fromkeys(whole)) if len(set(whole)) == _SIDES else ()


def _with(update: Mapping[str, object]) -> Callable[[Request, Job], Job]:
    def applied(_: Request, job: Job) -> Job:
        return Job(_updated(job.workload, update), job.assumptions)

    return applied


def _updated(work: Workload, update: Mapping[str, object]) -> Workload:
    return work.model_copy(update=update)


_KINDS: Final = (_ranks, _methods, _optimizers, _batches, _lengths, _squares, _checkpoints)
"""In the order in which two values are looked for: a rank names its method too."""
