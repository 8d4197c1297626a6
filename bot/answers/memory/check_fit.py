"""Whether a card (or a count of cards, or an amount of memory) holds a job; without a job, what it can hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from advisor.errors import AdvisorError
from advisor.memory.limits import check_vram
from advisor.models import Gpu, Method, MlModel, note_of
from bot.answers.asked_job import people_of
from bot.answers.common import Named, NamedGpu, counts_beside, elicit_gpu, models_of, most_of, named_gpus, task_of
from bot.answers.machine import processor
from bot.answers.memory import capacity, methods, most
from bot.answers.memory.at_once import in_own_format, with_all
from bot.answers.memory.cache_left import with_cache_left
from bot.answers.memory.cards import Card
from bot.answers.memory.fit_job import answer, judged, shown_of, tried_on
from bot.answers.memory.fit_lines import told
from bot.answers.memory.on_card import with_layers, with_ram
from bot.answers.memory.on_ram import with_pace
from bot.answers.memory.people import with_people
from bot.answers.memory.sizing import declined, elicit_model, model_of_task
from bot.core.answers import Answer, Decline, Outcome, answer_with, elicit_of
from bot.core.line import Line, Worded, measured
from bot.core.message import choice_of, verdict_of
from bot.core.request import Request

_MOST_CARDS: Final = 4
_SEVERAL: Final = 2


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
    return request.slot("task") in ("llm_finetune", "llm_rl", "llm_inference", "rag")


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
        return capacity.answer(request, cards)
    wanted = most_of(request)
    largest = most.answer(request, named, cards[0], wanted) if wanted else None
    if largest is not None and not _holds_nothing(largest):
        return largest
    made = _for_fewer(request, named, cards, _in_numbers(_on_own_ram(request, cards[0]), named, cards))
    return made.model_copy(update={"lines": (*largest.headline, *made.lines)}) if largest is not None else made


def _for_fewer(request: Request, named: Named, cards: list[Card], made: Answer) -> Answer:
    """For more people at once than there is room for: how many there is room for, in place of what all would take."""
    people = people_of(request) or 0
    if people < _SEVERAL or verdict_of(made.facts) != "no":
        return made
    alone = replace(request, slots={name: value for name, value in request.slots.items() if name != "users"})
    largest = most.answer(alone, named, cards[0], "requests")
    if largest is None or _holds_nothing(largest):
        return made
    head = Line("fit.fewer", {"n": people, "told": largest.headline[0]})
    return largest.model_copy(update={"headline": (head,), "facts": (*made.facts, *largest.facts)})


def _on_own_ram(request: Request, card: Card) -> Request:
    """A machine whose card shares its RAM runs models, where nobody says that it should train."""
    if not card.shares_ram or request.slot("method") or task_of(request) in _TRAINING_TASKS:
        return request
    return _with(request, method=Method.INFERENCE.value)


def _holds_nothing(largest: Answer) -> bool:
    """Whether there is no room for any of it, so that whether it runs at all comes first."""
    return any(isinstance(one, Line) and one.say.endswith(".none") for one in largest.headline)


def _in_numbers(request: Request, named: Named, cards: list[Card]) -> Answer:
    """Each kind of card in its number, or one kind in each number that is named; else what was asked as it stands."""
    counts = counts_beside(request)
    if len(cards) > 1 < len(counts):
        return _each_number(request, named, cards, counts)
    numbers = _numbers(request)
    if len(cards) == 1 < len(numbers):
        return _together([_fit(_with(request, gpu_count=n), named, cards) for n in numbers])
    return _fit(request, named, cards)


def _with(request: Request, **slots: object) -> Request:
    return replace(request, slots={**request.slots, **slots})


def _numbers(request: Request) -> list[int]:
    """The numbers of one card that are asked about one after the other, the smallest first."""
    return sorted({int(n) for n in request.heard.amounts_of("card") if 0 < n <= _MOST_TOGETHER})[:_MOST_NUMBERS]


def _each_number(request: Request, named: Named, cards: list[Card], counts: Mapping[str, int]) -> Answer:
    """Each kind of card in the number that stands beside it."""
    asked = [str(name) for name in request.slot("gpu") or []]
    return _together(
        [
            _fit(_with(request, gpu=[name], gpu_count=counts.get(name, 1)), named, [card])
            for name, card in zip(asked, cards, strict=False)
        ]
    )


def _together(made: list[Answer]) -> Answer:
    """The first answer with the headlines of the others below its own."""
    first, *others = made
    return first.model_copy(
        update={
            "lines": (*(one.headline[0] for one in others), *first.lines),
            "facts": (*first.facts, *(fact for one in others for fact in one.facts)),
            "trace": (*first.trace, *(step for one in others for step in one.trace)),
        }
    )


def _cards(request: Request, found: list[NamedGpu]) -> list[Card]:
    """Cards of the question; without one a stated amount of memory, or the RAM of a machine that was named."""
    cards = [_card(request, one, alone=len(found) == 1) for one in _each_size(found)[:_MOST_CARDS]]
    cards = cards or _without_gpu(request)
    for card in cards:
        if card.vram is not None:
            check_vram(card.vram)
    return cards


def _each_size(found: list[NamedGpu]) -> list[NamedGpu]:
    """The cards; one whose name leaves open which of two sizes it has in both, the larger first."""
    if len(found) != 1 or not found[0].is_open_size:
        return found
    return [NamedGpu(gpu.name, gpu) for gpu in found[0].with_most_memory.forms]


def _card(request: Request, one: NamedGpu, *, alone: bool) -> Card:
    """A card. A stated memory beside one card is that card's; unified memory is the machine's RAM."""
    stated, vram = request.slot("vram_gb"), None
    if one.gpu.unified_memory:
        vram = request.slot("ram_gb") or stated or _bare_size(request, one.gpu)
    elif alone and stated and stated not in _own_sizes(request, one.gpu) and _may_have(one.gpu, float(stated)):
        vram = stated
    mac = one.asked if one.asked.startswith(_MAC) else ""
    return Card(one.gpu, float(vram) if vram else None, None if mac else one.note, named=mac)


def _may_have(gpu: Gpu, stated: float) -> bool:
    """Whether a card may have so much memory: the largest that are rebuilt have twice what they came with."""
    return not gpu.vram_gib or stated <= _REBUILT * gpu.vram_gib


def _own_sizes(request: Request, gpu: Gpu) -> tuple[float | None, float]:
    """The memory of a card, and that of all cards together: neither makes it another card."""
    return gpu.vram_gib, (gpu.vram_gib or 0.0) * int(request.slot("gpu_count") or 1)


def _without_gpu(request: Request) -> list[Card]:
    stated, ram = request.slot("vram_gb"), request.slot("ram_gb")
    if (
        not (stated or ram) and len(request.heard.gigabytes) == _SIDES
    ):  # set against each other, so that none is the one
        stated = min(request.heard.gigabytes)
    if stated:
        return [Card(None, size) for size in _sizes(request, float(stated))]
    if not ram:
        return []
    free = max(float(ram) - processor.SYSTEM_RAM, 0.5 * float(ram))
    return [Card(None, free, note_of("memory_cpu_only", {"ram": ram}), ram_only=True)]


_REBUILT: Final = 2.0
_MOST_TOGETHER: Final = 16
_MOST_NUMBERS: Final = 3
_USUAL_SIZES: Final = frozenset({"6", "8", "10", "11", "12", "16", "20", "24", "32", "40", "48", "80", "96"})
"""GB of cards, as they are named without a unit beside another one."""
_SIDES: Final = 2


def _sizes(request: Request, stated: float) -> tuple[float, ...]:
    """The memory that is asked about; where two amounts are set against each other both, the smaller first."""
    heard = request.heard
    if not heard.speaks_of("or_word"):
        return (stated,)
    bare = {float(number) for number in heard.bare_numbers if number in _USUAL_SIZES}
    sizes = sorted({stated, *heard.gigabytes, *bare})
    return tuple(sizes) if len(sizes) == _SIDES else (stated,)


_MAC: Final = "Mac "
_MAC_SIZES: Final = ("16", "24", "32", "48", "64", "128")
"""Memory that Macs are commonly sold with, in GB."""


def _is_mac(request: Request) -> bool:
    return str(request.slot("gpu_family") or "") == "Apple"


def _macs(request: Request) -> list[NamedGpu]:
    """The chip of a Mac that was named by its memory alone: one sold with as much.

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


def _only_size(gpu: Gpu) -> float | None:
    """The memory of a machine that is sold with one size."""
    return gpu.memory_options_gib[0] if len(gpu.memory_options_gib) == 1 else None


def _bare_size(request: Request, gpu: Gpu) -> float | None:
    """Memory said as a number alone beside a chip: one of the sizes that it is sold with; the only one unsaid."""
    tokens = request.heard.tokens
    sizes = {f"{size:g}": size for size in gpu.memory_options_gib}
    claimed = {str(value) for name, value in request.slots.items() if name != "gpu" and not isinstance(value, list)}
    said = next((sizes[token] for token in tokens if token in sizes and token not in claimed), None)
    return said or _only_size(gpu)


def is_mac_of_known_size(request: Request) -> bool:
    """Whether a Mac whose memory is known is asked about for running models."""
    if request.slot("method") not in (None, Method.INFERENCE.value) or task_of(request) in _TRAINING_TASKS:
        return False
    found = named_gpus(request)
    if isinstance(found, Decline) or len(found) > 1 or any(not one.gpu.unified_memory for one in found):
        return False
    macs = found or _macs(request)
    return bool(macs and (request.slot("ram_gb") or request.slot("vram_gb") or _bare_size(request, macs[0].gpu)))


_TRAINING_TASKS: Final = frozenset({"llm_finetune", "llm_rl", "pretrain"})


def _memory_unknown(card: Card) -> Outcome:
    """A card whose memory comes in sizes: ask which."""
    gpu = card.gpu
    sizes = gpu.memory_options_gib if gpu else ()
    slot = "ram_gb" if gpu and gpu.unified_memory else "vram_gb"
    if not sizes:
        return Decline(reason=note_of("memory_of_card_unknown", {"gpu": gpu.name if gpu else ""}))
    choices = tuple(choice_of(label=f"{size:g} GB", key=f"set:{slot}={size:g}") for size in sizes[:6])
    values: dict[str, Worded] = {"gpu": gpu.name if gpu else "", "sizes": tuple(measured(size, "GB") for size in sizes)}
    return answer_with(headline=(Line("fit.which_memory", values),), choices=choices)


def _own_way(request: Request, model: MlModel) -> Request:
    """The request without a way of use that was said of a later model only."""
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
    """The judgement of the job; where several ways to train it are named, of the one to take."""
    chosen = methods.taken(request, named.models[0], cards)
    if chosen is None:
        return _as_said(request, named, cards)
    asked, headline = chosen
    made = _as_said(asked, named, cards)
    return made.model_copy(update={"headline": (headline,)})


def _as_said(request: Request, named: Named, cards: list[Card]) -> Answer:
    asked = ((in_own_format(_own_way(request, model), model), model) for model in named.models)
    tried = [one for own, model in asked for one in tried_on(own, model, cards)]
    if (
        len(cards) > 1
        and not any(card.gpu for card in cards)
        and len({one.fit.verdict for one in tried if one.meant}) == 1
    ):
        return _fit(request, named, cards[:1])  # what holds for the smaller amount says all there is to say
    found = judged(request, tried)
    shown = shown_of(found)
    made = told(answer(request, found, named, shown), found, shown.estimate, request.slot("ram_gb"))
    for added in (with_cache_left, with_people, with_layers, with_ram, with_pace, with_all):
        made = added(request, made, found)
    return made
