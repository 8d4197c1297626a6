"""How much memory one number format takes beside another, for the model that is named or for usual sizes."""

from __future__ import annotations

from typing import Final

from advisor.errors import AdvisorError
from advisor.memory import MemoryEstimate, Verdict, estimate_memory, fit_estimate
from advisor.memory.formats import GGUF
from advisor.models import Method, MlModel, Precision, Workload
from bot.answers.asked_job import gguf_of
from bot.answers.common import models_of, named_gpus, source_refs
from bot.answers.memory import quality
from bot.answers.memory.cards import Card, gives
from bot.answers.memory.sizing import declined, source_ids
from bot.answers.phrases import model_named
from bot.core.answers import Answer, Decline, Outcome, answer_with
from bot.core.line import Figure, Label, Line, Prose, Single, Worded, gib
from bot.core.message import fact_of
from bot.core.request import Request

_FORMATS: Final[dict[str, tuple[Precision, str | None]]] = {
    "fp32": (Precision.FP32, None),
    "bf16": (Precision.BF16, None),
    "fp16": (Precision.FP16, None),
    "fp8": (Precision.FP8, None),
    "int8": (Precision.INT8, "int8"),
    "int4": (Precision.INT4, "int4"),
    "fp4": (Precision.INT4, "mxfp4"),
}
_EXAMPLES: Final = ("llm-7b", "llm-70b")
"""A usual model and a large one, where none is named."""
_OF_FILES: Final = {"int8": "q8", "int4": "q4"}
"""How files of the same bits begin."""
_ALIKE: Final = 0.01
_LENGTH: Final = 4096
_SIXTEEN: Final = frozenset({"fp16", "bf16"})
_SIDES: Final = 2
_OF_MEMORY: Final = ("vram", "vram_amount", "memory", "save_memory")


def is_asked(request: Request) -> bool:
    """Whether two formats are set side by side by the memory that they take, or for what a card holds."""
    heard = request.heard
    if len(formats_named(request)) != _SIDES:
        return False
    if heard.shows("asked", "time") or heard.shows("effect", "speed"):
        return False
    if (heard.wished("gpu") or heard.wished("vram_gb")) and heard.wished("model"):
        return "open" in heard.sides("form") or heard.speaks_of("worth", "compare", "or_word")
    return heard.speaks_of(*_OF_MEMORY) or heard.shows("effect", "memory") or _is_quality_weighed(request)


def _is_quality_weighed(request: Request) -> bool:
    """Whether quality is weighed of formats that differ in bits: two of 16 bits are chosen by the card."""
    return quality.is_weighed(request) and not set(formats_named(request)) <= _SIXTEEN


def handle(request: Request) -> Outcome:
    """The difference first, then what it is for a large model, and what it costs in quality where that is asked."""
    named = models_of(request)
    if isinstance(named, Decline):
        return named
    catalog = request.services.catalog
    models = named.models[:1] or tuple(found for one in _EXAMPLES if (found := catalog.find_ml_model(one)))
    card = _card(request)
    if isinstance(card, Decline):
        return card
    try:
        return _pick(request, models[0], card) if card is not None else _answer(request, models)
    except AdvisorError as error:
        return declined(error)


def _card(request: Request) -> Card | Decline | None:
    """The card or the amount of memory that is named."""
    cards, stated = named_gpus(request), request.slot("vram_gb")
    if isinstance(cards, Decline):
        return cards
    gpu = cards[0].gpu if cards else None
    if not request.slot("model"):
        return None
    return Card(gpu, float(stated) if stated else None) if gpu or stated else None


def _answer(request: Request, models: tuple[MlModel, ...]) -> Answer:
    wide, narrow = sorted(formats_named(request), key=lambda name: -_need(models[0], name).total.value)
    first, *others = (_told(model, wide, narrow) for model in models)
    same = first.say == "formats.same"
    worse = () if same else _quality(request, models[0], wide, narrow)
    leads = bool(worse) and not request.heard.speaks_of(*_OF_MEMORY)
    used = [_need(models[0], name) for name in (wide, narrow)]
    also = () if same else tuple(Line("formats.other", one.values) for one in others)
    return answer_with(
        headline=worse if leads else (first,),
        lines=(*_second(leads, first, worse), *also, *_beside(models[0], same=same)),
        facts=tuple(
            fact_of(name=f"vram_needed:{name}", value=one.total.value, unit="GiB", basis=one.total.basis)
            for name, one in zip((wide, narrow), used, strict=True)
        ),
        trace=tuple(one.total.trace for one in used),
        sources=source_refs(request, (*source_ids(used), *((quality.SOURCE,) if worse else ()))),
    )


def _second(leads: bool, first: Line, worse: tuple[Line, ...]) -> tuple[Line, ...]:
    """What follows the headline: memory where quality leads, else quality."""
    return (first,) if leads else worse


def _beside(model: MlModel, *, same: bool) -> tuple[Line, ...]:
    """What else differs, or stays; a picture has neither context nor cache."""
    if same:
        return (Line("formats.range"),)
    return (Line("formats.cache"),) if model.modality.startswith("text") else ()


_NARROW: Final = {Verdict.FITS: "pick_narrow", Verdict.TIGHT: "pick_tight"}


def label_of(name: str) -> Single:
    """A format by the name of its files, or in words."""
    return Prose(name.upper()) if name in GGUF or name.startswith("fp") else Label(name, "bits")


def _pick(request: Request, model: MlModel, card: Card) -> Answer:
    """Which of two formats to take on a card: the wider one that surely fits."""
    wide, narrow = sorted(formats_named(request), key=lambda name: -_need(model, name).total.value)
    used = {name: _need(model, name) for name in (wide, narrow)}
    fits = {name: fit_estimate(one, card.gpu, card.vram).verdict for name, one in used.items()}
    taken = wide if fits[wide] is Verdict.FITS else narrow
    values: dict[str, Worded] = {
        "taken": label_of(taken),
        "wide": label_of(wide),
        "narrow": label_of(narrow),
        "model": model_named(model.name),
        "more": gib(used[wide].total.value),
        "less": gib(used[narrow].total.value),
        "by": gib(used[wide].total.value - used[narrow].total.value),
        "gives": gives(card),
    }
    code = "pick_wide" if taken == wide else _NARROW.get(fits[narrow], "pick_none")
    return answer_with(
        headline=(Line(f"formats.{code}", values),),
        lines=(*_quality(request, model, wide, narrow), *_beside(model, same=False)),
        facts=tuple(
            fact_of(name=f"vram_needed:{name}", value=one.total.value, unit="GiB", basis=one.total.basis)
            for name, one in used.items()
        ),
        trace=tuple(one.total.trace for one in used.values()),
        sources=source_refs(request, source_ids(list(used.values()))),
    )


def _told(model: MlModel, wide: str, narrow: str) -> Line:
    more, less = _need(model, wide).total.value, _need(model, narrow).total.value
    values: dict[str, Worded] = {
        "model": model_named(model.name),
        "wide": label_of(wide),
        "narrow": label_of(narrow),
        "more": gib(more),
        "less": gib(less),
    }
    if more - less <= _ALIKE * more:
        return Line("formats.same", values)
    return Line("formats.differ", {**values, "by": gib(more - less), "times": Figure(more / less, "times")})


def run_in(model: MlModel, name: str) -> Workload:
    """One request of a model in a format, at a usual length."""
    precision, quant = _FORMATS.get(name) or (Precision.INT4, name)
    length = min(_LENGTH, model.max_seq or _LENGTH) if model.modality.startswith("text") else None
    return Workload(ml_model=model, method=Method.INFERENCE, precision=precision, quant=quant, batch=1, seq_len=length)


def _need(model: MlModel, name: str) -> MemoryEstimate:
    """What one request at a usual length takes in a format."""
    return estimate_memory(run_in(model, name))


def _quality(request: Request, model: MlModel, wide: str, narrow: str) -> tuple[Line, ...]:
    """What fewer bits cost, where it is asked: by what was measured, else in general."""
    if not quality.is_weighed(request):
        return ()
    return quality_told(request, model, wide, narrow)


def quality_told(request: Request, model: MlModel, wide: str, narrow: str) -> tuple[Line, ...]:
    """What fewer bits cost in quality: by what was measured, else in general."""
    measured = quality.verdict(model, wide, narrow, (label_of(wide), label_of(narrow)))
    if measured is not None:
        return (measured,)
    rows = request.services.library.technique_rows
    found = next((one for one in rows if (one.technique, one.effect) == ("quantization", "quality")), None)
    return (Line("technique.said", {"text": Prose(found.told(request.language, why=False))}),) if found else ()


def _draws(request: Request) -> bool:
    """Whether pictures are made: there a file holds the denoiser alone."""
    model = request.services.catalog.find_ml_model(str(request.first("model")))
    return model is not None and model.modality == "image-gen"


def formats_named(request: Request) -> tuple[str, ...]:
    """Formats that are named, as far as weights come in them."""
    files = gguf_of(request)
    if len(files) == _SIDES:
        return files
    stated = request.slot("precision")
    names = [str(one) for one in stated if one in _FORMATS] if isinstance(stated, list) else []
    if len(files) == 1 and not _draws(request):  # a file, which was read as a number format too
        names = [files[0] if name in _OF_FILES and _OF_FILES[name] == files[0][:2] else name for name in names]
    return tuple(dict.fromkeys(names))
