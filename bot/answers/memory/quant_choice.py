"""Which of a model's quantised files to take: the widest that the memory surely holds, and what the next one lacks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from advisor.errors import AdvisorError
from advisor.memory import MemoryEstimate, Verdict, estimate_memory, fit_estimate
from advisor.models import Method, MlModel, Workload
from advisor.speed import tokens_per_second
from advisor.speed.hosts import host_of
from advisor.speed.offload import offloaded_generation
from advisor.speed.results import OffloadEstimate
from bot.answers.asked_job import people_of
from bot.answers.common import fact, source_refs
from bot.answers.machine.processor import SYSTEM_RAM
from bot.answers.memory.cards import Card, for_model_and_card, gives
from bot.answers.memory.formats import label_of, run_in
from bot.answers.memory.sizing import elicit_model, is_llm, source_ids
from bot.answers.phrases import cards_named, model_named
from bot.answers.speed.time_lines import told
from bot.core.answers import Answer, Outcome, answer_with, assumption_of, elicit_of
from bot.core.line import Figure, Line, Worded, gib
from bot.core.message import fact_of
from bot.core.request import Request

_WHOLE: Final = "bf16"
_FILES: Final = (_WHOLE, "q8_0", "q6_k", "q5_k_m", "q4_k_m", "q3_k_m", "q2_k")
"""Files that models usually come in, the widest first."""
_GOOD: Final = "q4_k_m"
"""The narrowest that loses little (llama.cpp, quantize README: perplexity of Q4_K_M within about a hundredth)."""

_EASE: Final = 16.0
"""GB of RAM that a machine works with at ease beside a model."""


@dataclass(frozen=True, slots=True)
class _Tried:
    """One file on the card."""

    name: str
    need: MemoryEstimate
    work: Workload
    verdict: Verdict


def is_asked(request: Request) -> bool:
    """Whether a quantisation is to be chosen for a model and a memory that are named, and none is put up."""
    heard = request.heard
    if request.slot("precision") or not (_spoken_of(request) or heard.shows("asked", "which_quant")):
        return False
    runs = request.slot("method") in (None, Method.INFERENCE.value)
    placed = request.slot("gpu") or request.slot("vram_gb")
    return runs and bool(request.slot("model") and placed) and not heard.shows("effect", "quality")


def _spoken_of(request: Request) -> bool:
    """Whether quantising is the subject of an open question and no pace is asked for."""
    heard = request.heard
    open_asked = heard.speaks_of("quantization") and heard.shows("form", "open")
    return open_asked and heard.is_few_words and not heard.shows("asked", "time")


def handle(request: Request) -> Outcome:
    """The file to take on the card, its pace, and the others with what they need."""
    return for_model_and_card(request, _answer)


def _answer(request: Request, model: MlModel, card: Card) -> Outcome:
    if not is_llm(model):
        return elicit_model()
    if card.gpu is None and not card.vram:
        return elicit_of(slot="gpu")
    tried = list(_tried(request, model, card))
    taken = _taken(tried)
    lent = _lent(request, tried, taken, card)
    if lent is not None:
        return lent
    best = taken or tried[-1]
    n = best.work.n_gpus
    return answer_with(
        headline=(_headline(tried, taken, card, n),),
        lines=(*_pace(taken, card, n), *_others(tried, best), *_warned(taken)),
        facts=(
            fact_of(name="format", value=taken.name if taken else ""),
            *(fact(f"vram_needed:{one.name}", one.need.total) for one in tried),
        ),
        trace=tuple(one.need.total.trace for one in tried),
        sources=source_refs(request, source_ids([one.need for one in tried])),
        assumptions=() if request.slot("seq_len") else (assumption_of(slot="seq_len", value=best.work.seq_len),),
    )


def _tried(request: Request, model: MlModel, card: Card) -> Iterator[_Tried]:
    """Every file on the card, with the length, people and number of cards that were said."""
    said = {"seq_len": request.slot("seq_len"), "users": people_of(request), "n_gpus": request.slot("gpu_count")}
    changed = {name: int(value) for name, value in said.items() if value}
    for name in _FILES:
        work = run_in(model, name).model_copy(update=changed)
        need = estimate_memory(work)
        yield _Tried(name, need, work, fit_estimate(need, card.gpu, card.vram).verdict)


def _taken(tried: Sequence[_Tried]) -> _Tried | None:
    """The widest that surely fits; a good one that is tight before a poor one that is not; None where none fits."""
    good = [one for one in tried if _FILES.index(one.name) <= _FILES.index(_GOOD)]
    pools = ((good, Verdict.FITS), (good[-1:], Verdict.TIGHT), (tried, Verdict.FITS), (tried, Verdict.TIGHT))
    for pool, verdict in pools:
        found = next((one for one in pool if one.verdict is verdict), None)
        if found is not None:
            return found
    return None


def _lent(request: Request, tried: Sequence[_Tried], taken: _Tried | None, card: Card) -> Answer | None:
    """The file to take where the RAM that was said holds the rest; None without RAM, or where a good one fits alone.

    The narrowest good one comes first: what lies in RAM is read slowly, so wider files cost more pace than they are
    worth; where it has no room the widest that has.
    """
    ram, good = request.slot("ram_gb"), _FILES.index(_GOOD)
    if not ram or card.gpu is None or card.gpu.unified_memory:
        return None
    if taken is not None and _FILES.index(taken.name) <= good:
        return None
    for one in tried[good:]:
        made = _in_ram(request, one, card)
        if made is None or made.in_ram_gb + SYSTEM_RAM > float(ram):
            continue
        return _told_lent(request, tried, one, made, card)
    return None


def _in_ram(request: Request, one: _Tried, card: Card) -> OffloadEstimate | None:
    """The file with what the cards do not hold in RAM; None where nothing can be worked out."""
    if card.gpu is None:
        return None
    processor, memory = request.heard.machine
    host = host_of(processor, memory) if processor or memory else None
    try:
        return offloaded_generation(one.work, card.gpu, one.work.n_gpus, host=host, vram_gib=card.nominal)
    except AdvisorError:
        return None


def _told_lent(request: Request, tried: Sequence[_Tried], one: _Tried, made: OffloadEstimate, card: Card) -> Answer:
    wider = tried[tried.index(one) - 1]
    values: dict[str, Worded] = {
        "format": label_of(one.name),
        "model": model_named(one.work.ml_model.name),
        "on": Figure(made.on_card_gb, "GB"),
        "in_ram": Figure(made.in_ram_gb, "GB"),
        "said": Figure(float(request.slot("ram_gb")), "GB"),
        "card": cards_named(card.gpu.name if card.gpu else "", one.work.n_gpus),
        "rate": told(made.decode, "token/s"),
        "wider": label_of(wider.name),
    }
    narrower = tried[tried.index(one) + 1 :]
    if narrower and float(request.slot("ram_gb")) - made.in_ram_gb < _EASE:
        values["narrower"] = label_of(narrower[0].name)
    rest = Line("quant.lent_rest" if one.name == _GOOD else "quant.lent_most", values)
    rate = made.decode
    return answer_with(
        headline=(Line("quant.lent", values),),
        lines=(*((Line("quant.lent_tight", values),) if "narrower" in values else ()), rest),
        facts=(
            fact_of(name="format", value=one.name),
            fact_of(name="tokens_per_second", value=rate.value, low=rate.low, high=rate.high, unit="token/s"),
        ),
        trace=(one.need.total.trace, rate.trace),
        sources=source_refs(request, source_ids([one.need])),
        assumptions=() if request.slot("seq_len") else (assumption_of(slot="seq_len", value=one.work.seq_len),),
    )


def _headline(tried: Sequence[_Tried], taken: _Tried | None, card: Card, n: int) -> Line:
    best = taken or tried[-1]
    values: dict[str, Worded] = {
        "format": label_of(best.name),
        "model": model_named(best.work.ml_model.name),
        "need": gib(best.need.total.value),
        "gives": gives(card, n),
    }
    if taken is None:
        return Line("quant.none", values)
    if taken.verdict is not Verdict.FITS:
        return Line("quant.tight", values)
    if taken.name == _WHOLE:
        return Line("quant.whole", values)
    wider = tried[tried.index(taken) - 1]
    return Line("quant.best", {**values, "wider": label_of(wider.name), "more": gib(wider.need.total.value)})


def _pace(taken: _Tried | None, card: Card, n: int) -> tuple[Line, ...]:
    """How fast it writes on the card."""
    if taken is None or card.gpu is None:
        return ()
    try:
        made = tokens_per_second(taken.work, card.gpu, n, users=taken.work.users or 1)
    except AdvisorError:
        return ()
    return (Line("quant.pace", {"card": cards_named(card.gpu.name, n), "rate": told(made.decode, "token/s")}),)


def _others(tried: Sequence[_Tried], best: _Tried) -> tuple[Line, ...]:
    each = tuple(
        Line("quant.need", {"format": label_of(one.name), "need": gib(one.need.total.value)})
        for one in tried
        if one is not best
    )
    return (Line("quant.others", {"each": each}),)


def _warned(taken: _Tried | None) -> tuple[Line, ...]:
    """What less than four bits cost."""
    poor = taken is None or _FILES.index(taken.name) > _FILES.index(_GOOD)
    return (Line("quant.poor"),) if poor else ()
