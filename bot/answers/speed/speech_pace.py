"""How many times faster than real time a card recognises speech, with an engine of compiled kernels and without."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from advisor.errors import UnsupportedCombination
from advisor.models import Method, MlModel, Note, Workload
from advisor.speed import speech_real_time
from advisor.speed.contest import Side
from advisor.speed.results import SpeechEstimate
from bot.answers.common import fact, source_refs, step_sources
from bot.answers.speed.time_lines import short, told
from bot.core.answers import Answer, answer_with, assumption_of
from bot.core.line import Figure, Line, Listing, Worded
from bot.core.request import Request

_ENGINES: Final = ("faster-whisper", "openai")


def listens(request: Request, model: MlModel) -> bool:
    """Whether recognising speech is asked for, and not the training of such a model."""
    return model.modality == "speech" and request.slot("method") in (None, Method.INFERENCE.value)


def speech_answer(request: Request, model: MlModel, sides: Sequence[Side], notes: tuple[Note, ...]) -> Answer | None:
    """Times real time on each card; None where no pace can be worked out on any."""
    work = Workload(ml_model=model, method=Method.INFERENCE)
    cards = {side.gpu.id: side.gpu for side in sides}
    lines: list[SpeechEstimate] = []
    for gpu in cards.values():
        try:
            lines += [speech_real_time(work, gpu, engine=engine) for engine in _ENGINES]
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
        assumptions=(assumption_of(slot="precision", value="fp16"), assumption_of(slot="batch", value=1)),
        notes=notes,
        result=tuple(lines),
    )


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
    return Line("speech.compiled" if line.engine == _ENGINES[0] else "speech.original", values)
