"""How much system memory some cards want; killed processes; memory on rented machines."""

from __future__ import annotations

from advisor.machine.cpu import check_cpu
from advisor.machine.models import Item, Machine, Verdict
from advisor.machine.ram import check_loading, check_ram
from advisor.models import note_of
from advisor.speed.hosts import host_of
from bot.answers.asked_job import program_of
from bot.answers.common import models_of
from bot.answers.machine.rig import (
    OFFER_CARD,
    answer_of,
    card_groups,
    cards_of,
    machine_of,
    reworded,
    topic_of,
    variant_notes,
)
from bot.answers.memory.sizing import is_llm
from bot.core.answers import Answer, Decline, Outcome, answer_with
from bot.core.line import Figure, Line, Worded
from bot.core.message import fact_of
from bot.core.request import Request

_READS_FILES = frozenset({"llama.cpp", "ollama", "lm-studio", "koboldcpp", "ktransformers", "exllama"})
"""Programs that read weights in the few bits that they are kept in."""
_FEW_BITS = frozenset({"int4", "int8", "fp8", "fp4"})
_WORDED = {"ratio": "machine_ram_ratio", "data": "machine_ram_data"}


def handle(request: Request) -> Outcome:
    """Verdict on the stated memory or the amount to buy; without a card the rule."""
    named = cards_of(request)
    if isinstance(named, Decline):
        return named
    groups, assumed = card_groups(request, named) if named else ((), ())
    topic = topic_of(request)
    if topic == "speed" and _lies_in_ram(request):
        return _paced()
    machine = machine_of(request, groups)
    item = check_ram(
        machine,
        request.slot("gpu_count"),
        killed=topic == "killed",
        speed=topic == "speed",
    )
    loading = _loading(request, machine)
    if loading is not None and (loading.verdict is Verdict.FAIL or topic == "killed"):
        item = reworded(loading, steps=item.steps)
    elif topic == "killed" and not named:
        item = reworded(item, reasons=())
    if topic in _WORDED and not request.slot("ram_gb"):
        first = (item.headline,) if named else ()
        item = reworded(item, note_of(_WORDED[topic], item.headline.values), first=first)
    if topic == "data":
        item = reworded(item, actions=(note_of("machine_ram_killed"),))
    asks = None if named else OFFER_CARD
    also = (check_cpu(machine, request.slot("gpu_count") or machine.n_cards or 1),) if _asks_cpu(request) else ()
    return answer_of(request, item, also=also, notes=variant_notes(named), assumptions=assumed, asks=asks)


def _lies_in_ram(request: Request) -> bool:
    """Whether weights that lie in RAM are spoken of: their pace is that of the RAM."""
    heard = request.heard
    return any(heard.shows("technique", name) for name in ("offload", "moe")) or heard.speaks_of("no_gpu")


def _paced() -> Answer:
    """How much faster what lies in RAM is read from the newer kind, two channels of each."""
    old, new = host_of("", "ddr4-3200"), host_of("", "ddr5-6000")
    times = new.memory_gb_per_s / old.memory_gb_per_s
    values: dict[str, Worded] = {
        "old": old.memory,
        "new": new.memory,
        "slow": Figure(old.memory_gb_per_s, "GB/s"),
        "fast": Figure(new.memory_gb_per_s, "GB/s"),
        "times": Figure(times, "times"),
    }
    return answer_with(
        headline=(Line("ram.paced", values),),
        lines=(Line("ram.paced.channels"),),
        facts=(fact_of(name="ram_times", value=times, basis="bandwidth of two channels"),),
    )


def _asks_cpu(request: Request) -> bool:
    """Whether the processor is asked about as well, and none is named."""
    return request.heard.speaks_of("cpu_question") and not request.slot("cpu")


def _loading(request: Request, machine: Machine) -> Item | None:
    """The verdict on loading the stated language model in 16 bits; None for a file that is read as it is."""
    if program_of(request) in _READS_FILES or request.slot("precision") in _FEW_BITS:
        return None
    named = models_of(request)
    if isinstance(named, Decline) or not named.models or not is_llm(named.models[0]):
        return None
    return check_loading(machine, named.models[0])
