"""How many times faster than real time a card recognises speech, with an engine of compiled kernels and without."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from advisor.errors import UnsupportedCombination
from advisor.models import Method, MlModel, Note, Precision, Workload
from advisor.speed import speech_real_time
from advisor.speed.contest import Side
from advisor.speed.results import SpeechEstimate
from bot.answers.common import fact, source_refs, step_sources
from bot.answers.speed.time_lines import short, told
from bot.core.answers import Answer, answer_with, assumption_of
from bot.core.line import Figure, Line, Listing, Worded
from bot.core.request import Request

_ORIGINAL: Final = "openai"
"""The makers' own program, which holds no weights in 8 bits."""


def listens(request: Request, model: MlModel) -> bool:
    """Whether recognising speech is asked for, and not the training of such a model."""
    return model.modality == "speech" and not _is_trained(request)


def learns_speech(request: Request, model: MlModel) -> bool:
    """Whether the training of a model that recognises speech is asked about."""
    return model.modality == "speech" and _is_trained(request)


def _is_trained(request: Request) -> bool:
    stated = request.slot("method")
    if stated is not None:
        return bool(stated != Method.INFERENCE.value)
    return request.heard.speaks_of(*_LEARNING) or request.heard.shows("job", "tuning")


_LEARNING: Final = ("finetuning", "training", "pretraining")
"""Ideas of work in which a model learns."""


def speech_answer(request: Request, model: MlModel, sides: Sequence[Side], notes: tuple[Note, ...]) -> Answer | None:
    """Times real time on each card; None where no pace can be worked out on any."""
    stated = _format(request)
    work = Workload(ml_model=model, method=Method.INFERENCE, precision=_PRECISIONS[stated] if stated else None)
    cards = {side.gpu.id: side.gpu for side in sides}
    lines: list[SpeechEstimate] = []
    for gpu in cards.values():
        try:
            lines.append(speech_real_time(work, gpu))
            lines.append(speech_real_time(_as_published(work), gpu, engine=_ORIGINAL))
        except UnsupportedCombination:
            continue
    if not lines:
        return None
    traces = tuple(line.times_real_time.trace for line in lines)
    return answer_with(
        headline=(_headline(lines[0], live=request.heard.shows("asked", "real_time")),),
        lines=tuple(_other(line) for line in lines[1:]),
        blocks=(Listing((Line("speech.in_turn"),)),),
        facts=tuple(fact(f"real_time:{line.gpu}:{line.engine}", line.times_real_time) for line in lines),
        trace=traces,
        sources=source_refs(request, (*step_sources(*traces), "speed-faster-whisper")),
        assumptions=(
            *(() if stated else (assumption_of(slot="precision", value="fp16"),)),
            assumption_of(slot="batch", value=1),
        ),
        notes=notes,
        result=tuple(lines),
    )


_PRECISIONS: Final = {"int8": Precision.INT8, "fp16": Precision.FP16, "bf16": Precision.FP16, "fp32": Precision.FP32}
"""Formats in which engines hold such weights."""


def _format(request: Request) -> str:
    """The format of the weights that was said, "" for none that such engines have."""
    said = request.slot("precision")
    first = said[0] if isinstance(said, list) and said else said
    return str(first) if first in _PRECISIONS else ""


def _as_published(work: Workload) -> Workload:
    return work.model_copy(update={"precision": None}) if work.precision is Precision.INT8 else work


def _headline(line: SpeechEstimate, *, live: bool) -> Line:
    """The pace; `live`: whether it keeps up with speech is asked, so the verdict stands first."""
    minutes = Figure(short(line.minutes_per_hour), "minute")
    rate = told(line.times_real_time, "times")
    values: dict[str, Worded] = {"rate": rate, "model": line.model, "card": line.gpu, "minutes": minutes}
    if not live:
        return Line("speech.pace", values)
    times = line.times_real_time
    return Line("speech.live" if times.low >= 1 else "speech.live_tight" if times.value >= 1 else "speech.late", values)


def _other(line: SpeechEstimate) -> Line:
    values: dict[str, Worded] = {"card": line.gpu, "rate": told(line.times_real_time, "times")}
    return Line("speech.compiled" if line.engine != _ORIGINAL else "speech.original", values)
