"""Which kind of quantised files to take, GGUF, AWQ, GPTQ, FP8 or NVFP4: by card, program, people and what fits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from advisor.errors import AdvisorError
from advisor.memory import MemoryEstimate, Verdict, estimate_memory, fit_estimate
from advisor.models import Gpu, MlModel
from bot.answers.asked_job import people_of, program_of
from bot.answers.common import fact, models_of, named_gpus, source_refs
from bot.answers.memory.cards import Card, gives
from bot.answers.memory.formats import run_in
from bot.answers.memory.sizing import declined, is_llm, source_ids
from bot.answers.phrases import model_named
from bot.core.answers import Decline, Outcome, answer_with
from bot.core.line import Line, Prose, Worded, gib
from bot.core.message import fact_of
from bot.core.request import Request

_SIDES: Final = 2
_GGUF: Final = "gguf"
_FOUR: Final = ("awq", "gptq")
"""Files of 4 bits that only GPUs read, the better kept one first."""
_KNOWN: Final = frozenset({_GGUF, *_FOUR, "fp8", "nvfp4", "bnb"})
_TRAINED: Final = frozenset({"lora", "qlora", "full", "train"})
_OF_GGUF: Final = "llama.cpp"
_SERVERS: Final = frozenset({"vllm", "sglang"})
_LEAST_GPU: Final = 7.5
"""Compute capability from which vLLM reads AWQ (source by-vllm-quant-hardware)."""
_FP8_FROM: Final = 8.9
_NVFP4_FROM: Final = 10.0
_SOURCES: Final = ("by-vllm-quant-hardware", "by-llamacpp-quantize")


@dataclass(frozen=True, slots=True)
class _Place:
    """A card and what a model takes on it in 4 and in 8 bits, as far as they are named."""

    gpu: Gpu | None
    card: Card | None
    model: MlModel | None = None
    four: MemoryEstimate | None = None
    eight: MemoryEstimate | None = None

    @property
    def capability(self) -> float | None:
        """Compute capability of a card of NVIDIA, 0 of others; None without a card."""
        if self.gpu is None:
            return None
        return float(self.gpu.compute_capability or 0.0) if self.gpu.vendor == "NVIDIA" else 0.0

    def lacks(self, need: MemoryEstimate | None) -> bool:
        """Whether it is known that so much does not fit."""
        return need is not None and self.card is not None and self._verdict(need) is Verdict.NO

    def holds(self, need: MemoryEstimate | None) -> bool:
        """Whether so much surely fits, or nothing is known against it."""
        return need is None or self.card is None or self._verdict(need) is Verdict.FITS

    def _verdict(self, need: MemoryEstimate) -> Verdict:
        return fit_estimate(need, self.gpu, self.card.vram if self.card else None).verdict


def is_asked(request: Request) -> bool:
    """Whether kinds of quantised files are set side by side, for a language model or none in particular."""
    kinds = request.heard.sides("file_kind")
    if len(kinds) < _SIDES or not _KNOWN.issuperset(kinds) or request.heard.speaks_of("out_of_memory"):
        return False
    named = models_of(request)
    drawn = not isinstance(named, Decline) and named.models and not is_llm(named.models[0])
    return not drawn and request.slot("method") not in _TRAINED


def is_run_in_one(request: Request) -> bool:
    """Whether one kind is named that not every card computes, for a language model that is run and not trained."""
    kinds, named = request.heard.sides("file_kind"), models_of(request)
    if kinds not in {("fp8",), ("nvfp4",), ("awq",)} or isinstance(named, Decline) or not named.models:
        return False
    if kinds == ("awq",) and not _is_too_old(request):
        return False
    return is_llm(named.models[0]) and request.slot("method") not in _TRAINED


def _is_too_old(request: Request) -> bool:
    """Whether the card that is named is one of NVIDIA's that is too old for AWQ."""
    cards = named_gpus(request)
    if isinstance(cards, Decline) or not cards:
        return False
    capability = _Place(cards[0].gpu, None).capability
    return capability is not None and 0 < capability < _LEAST_GPU


def handle(request: Request) -> Outcome:
    """The kind to take with its reason, what the model takes, and what else differs."""
    named, cards = models_of(request), named_gpus(request)
    if isinstance(named, Decline):
        return named
    if isinstance(cards, Decline):
        return cards
    try:
        place = _placed(_card(request, cards[0].gpu if cards else None), named.models[0] if named.models else None)
    except AdvisorError as error:
        return declined(error)
    taken, code = _taken(request, place)
    headline, others = _told(request, Line(f"kind.{code}", _values(place, taken)))
    used = [one for one in (place.four, place.eight) if one is not None]
    return answer_with(
        headline=headline,
        lines=(*_paced(code), *_needs(place, code), *others),
        facts=(
            fact_of(name="file_kind", value=taken),
            *(fact(f"vram_needed:{name}", one.total) for name, one in zip(("int4", "int8"), used, strict=False)),
        ),
        trace=tuple(one.total.trace for one in used),
        sources=source_refs(request, (*source_ids(used), *_SOURCES)),
    )


def _told(request: Request, pick: Line) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
    """The kind to take and what tells them apart, what is asked for first."""
    apart = _apart(request)
    return (apart, (pick,)) if apart and request.heard.shows("form", "differs") else ((pick,), apart)


def _card(request: Request, gpu: Gpu | None) -> Card | None:
    """The card or the amount of memory that is named."""
    stated = request.slot("vram_gb")
    return Card(gpu, float(stated) if stated else None) if gpu or stated else None


def _placed(card: Card | None, model: MlModel | None) -> _Place:
    gpu = card.gpu if card else None
    if model is None:
        return _Place(gpu, card)
    four, eight = (estimate_memory(run_in(model, name)) for name in ("int4", "int8"))
    return _Place(gpu, card, model, four, eight)


def _taken(request: Request, place: _Place) -> tuple[str, str]:
    """The kind to take and the reason, the one that leaves no choice first."""
    kinds = request.heard.sides("file_kind")
    four = next((one for one in _FOUR if one in kinds), "awq" if "bnb" in kinds else "")
    program = program_of(request)
    if _GGUF in kinds:
        forced = _forced(place, program)
        if forced:
            return _GGUF, forced
        if _is_pace_asked(request):
            return _GGUF, "as_fast"
        if program not in _SERVERS and (people_of(request) or 1) < _SIDES:
            return _GGUF, "alone"
    return _of_gpus(kinds, place, four)


def _is_pace_asked(request: Request) -> bool:
    return request.heard.shows("effect", "speed") and "fp8" not in request.heard.sides("file_kind")


def _forced(place: _Place, program: str | None) -> str:
    """Why nothing but GGUF will do; "" where others do too."""
    capability = place.capability
    if program == _OF_GGUF:
        return "program"
    if capability is not None and capability < _LEAST_GPU:
        return "old_card"
    return "spills" if place.lacks(place.four) else ""


def _of_gpus(kinds: tuple[str, ...], place: _Place, four: str) -> tuple[str, str]:
    """Of files that only GPUs read the one for the card."""
    if "nvfp4" in kinds and (place.capability or 0.0) >= _NVFP4_FROM:
        return "nvfp4", "nvfp4"
    if kinds in _ALONE:
        return _ALONE[kinds]
    if "fp8" in kinds:
        return _with_fp8(place, four)
    return four or "awq", "alike" if set(kinds) <= set(_FOUR) else "served"


def _with_fp8(place: _Place, four: str) -> tuple[str, str]:
    """FP8 where the card computes it and holds the model, else files of 4 bits."""
    if not place.holds(place.eight):
        return four or "awq", "eight_too_large"
    capability = place.capability
    if capability is not None and capability < _FP8_FROM:
        return (four, "no_fp8") if four else ("fp8", "fp8_weights")
    return "fp8", "fp8" if place.model is None or place.card is None else "fp8_fits"


def _values(place: _Place, taken: str) -> dict[str, Worded]:
    values: dict[str, Worded] = {"taken": Prose(taken.upper())}
    if place.gpu is not None:
        values["card"] = place.gpu.name
    if place.model is not None and place.four is not None and place.eight is not None:
        values |= {
            "model": model_named(place.model.name),
            "four": gib(place.four.total.value),
            "eight": gib(place.eight.total.value),
        }
    if place.card is not None:
        values["gives"] = gives(place.card)
    return values


_ALONE: Final = {("nvfp4",): ("awq", "no_nvfp4"), ("awq",): ("gptq", "no_awq")}
"""What to say where the one kind that is named does not run on the card."""
_OF_FP8: Final = frozenset({"fp8", "fp8_fits"})
_WITH_NEEDS: Final = frozenset({"spills", "eight_too_large"})
"""Reasons that tell what the model takes."""


def _paced(code: str) -> tuple[Line, ...]:
    """Which is faster, where 8 bits are taken."""
    return (Line("kind.pace"),) if code in _OF_FP8 else ()


def _needs(place: _Place, code: str) -> tuple[Line, ...]:
    """What the model takes in 4 and in 8 bits beside what there is."""
    values = _values(place, "")
    return (Line("kind.needs", values),) if "model" in values and code not in _WITH_NEEDS else ()


def _apart(request: Request) -> tuple[Line, ...]:
    """What else tells files of llama.cpp from those of GPUs."""
    return (Line("kind.apart"),) if _GGUF in request.heard.sides("file_kind") else ()
