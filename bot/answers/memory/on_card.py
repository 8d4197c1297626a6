"""What stays on a card that does not hold all of a language model: a shorter context, or so many of its layers."""

from __future__ import annotations

from math import floor
from typing import Final

from advisor.memory import Verdict, largest_seq
from advisor.memory.estimate import described
from advisor.models import Precision
from bot.answers.memory.fit_job import Judgement, Tried
from bot.answers.memory.run_notes import host_said, in_ram
from bot.answers.memory.sizing import is_llm
from bot.answers.phrases import model_named, used_way
from bot.core.answers import Answer
from bot.core.line import Figure, Line, Worded
from bot.core.message import fact_of
from bot.core.request import Request

_LONG: Final = 8_192
"""Context from which a shorter one is worth naming."""
_USEFUL: Final = 4_096
"""Nobody shortens it below this."""
_SHORTEST: Final = 640
"""Samples shorter than this are no answer to somebody who wants long ones."""
_LIKELY: Final = 0.7
"""Certainty of a context that is worth a try; what surely fits is told where the most is asked."""
_BEYOND: Final = 0.25
"""Share of the upper half of the band that is left free for a bare amount of memory."""
_KILO: Final = 1024
_SYSTEM: Final = 8.0
"""GB that system and programs want beside a model."""
_SIZES: Final = (16, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
"""GB of RAM that machines are commonly fitted with."""
_WEIGHTS: Final = "weights"
_GB: Final = 1.073741824
"""GB of a GiB."""


def context_line(head: Tried) -> Line | None:
    """The least change that keeps all of it on the card: an 8-bit cache, else a shorter context; None without them."""
    work = head.figure.workload
    asked = work.seq_len or 0
    if head.fits or asked < _LONG or not _has_cache(head):
        return None
    eighth = work.model_copy(update={"kv_precision": Precision.INT8})
    short, cached = (largest_seq(one, head.card.gpu, head.card.vram, certainty=_LIKELY) for one in (work, eighth))
    plain = _thousands(short) if short >= _USEFUL else None
    if cached >= asked:
        return Line("fit.cache", {"asked": _thousands(asked), "short": plain})
    return Line("fit.shorter", {"cached": _thousands(cached), "short": plain}) if cached >= _USEFUL else None


def _has_cache(head: Tried) -> bool:
    """Whether a language model writes on a card of known memory, its cache in 16 bits."""
    work = head.figure.workload
    return head.runs and is_llm(work.ml_model) and head.card.nominal is not None and work.kv_precision is None


def length_line(head: Tried) -> Line | None:
    """The longest samples that a training most likely holds; None where they are too short to be of use."""
    work = head.figure.workload
    if head.runs or not is_llm(work.ml_model) or head.card.nominal is None:
        return None
    most = largest_seq(work, head.card.gpu, head.card.vram, certainty=_LIKELY)
    return Line("fit.length", {"n": Figure(float(most), "token")}) if _SHORTEST <= most < (work.seq_len or 0) else None


def _thousands(tokens: int) -> Figure:
    return Figure(float(floor(tokens / _KILO)), "ktoken")


def with_layers(request: Request, made: Answer, found: Judgement) -> Answer:
    """An answer that opens with how many layers go onto the card, where that is asked and known."""
    head = found.head
    layers = head.figure.workload.ml_model.layers
    if not request.heard.shows("job", "layers") or not layers or not head.runs:
        return made
    on = _layers_on(request, head, layers)
    if on is None:
        return made
    values: dict[str, Worded] = {
        "on": on,
        "layers": layers,
        "model": model_named(head.figure.workload.ml_model.name),
        "way": used_way(head.row),
    }
    line = Line("fit.layers_all" if on == layers else "fit.layers_on", values)
    fact = fact_of(name="layers_on_card", value=on, unit="layer", basis="share of the weights that the card holds")
    return made.model_copy(
        update={"headline": (line,), "lines": (*made.headline, *made.lines), "facts": (fact, *made.facts)}
    )


def with_ram(request: Request, made: Answer, found: Judgement) -> Answer:
    """An answer that opens with the RAM to have for what the card does not hold, where RAM was asked about."""
    head = found.head
    lent = in_ram(head.verdict, head.way, host_said(request, head.verdict)) if head.runs else None
    if request.intent != "ram_sizing" or request.slot("ram_gb") or lent is None or head.fit.verdict is not Verdict.NO:
        return made
    needed = lent.in_ram_gb + _SYSTEM
    size = next((one for one in _SIZES if one >= needed), None)
    if size is None:
        return made
    values: dict[str, Worded] = {
        "size": Figure(float(size), "GB"),
        "part": Figure(lent.in_ram_gb, "GB"),
        "system": Figure(_SYSTEM, "GB"),
        "card": head.card.label,
        "model": model_named(head.figure.workload.ml_model.name),
        "way": used_way(head.row),
    }
    fact = fact_of(name="ram_gb", value=size, unit="GB", basis="what the card does not hold and the system")
    lines = (*made.headline, *made.lines)
    return made.model_copy(
        update={"headline": (Line("fit.ram_for", values),), "lines": lines, "facts": (fact, *made.facts)}
    )


def _layers_on(request: Request, head: Tried, layers: int) -> int | None:
    """Layers that the card holds; all where the model fits, None where no share can be worked out."""
    if head.fit.verdict is not Verdict.NO:
        return layers
    made = in_ram(head.verdict, head.way, host_said(request, head.verdict))
    parts = {one.name: float(one.value or 0.0) for one in described(head.figure).components}
    weights = parts.get(_WEIGHTS, 0.0) * _GB
    outside = made.in_ram_gb if made is not None else _beyond(head)
    if not weights or outside is None or outside >= weights:
        return None
    return floor(layers * (1 - outside / weights))


def _beyond(head: Tried) -> float | None:
    """GB of the need that a bare amount of memory lacks."""
    usable, need = head.row.usable, head.row.need
    if not usable:
        return None
    return (need.value + _BEYOND * (need.high - need.value) - float(usable)) * _GB
