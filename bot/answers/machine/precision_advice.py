"""Number formats: what a card has, what to train and run in, what quantising costs."""

from __future__ import annotations

from typing import Final

from advisor.machine.models import Item, Verdict
from advisor.machine.precision import check_precision, flash_attention
from advisor.models import Gpu, Note, note_of
from bot.answers.common import NamedGpu
from bot.answers.documents.passages import answer_from, passage_answer
from bot.answers.machine.rig import OFFER_CARD, answer_of, cards_of, reworded, topic_of, variant_notes
from bot.core.answers import Answer, Decline, Outcome
from bot.core.line import Line, Prose
from bot.core.request import Request

_RUN: Final = "inference"
_TRAINING: Final = "machine_format_train"
"""What to train in, which nobody asks who only runs a model."""
_NARROW: Final = frozenset({"fp8", "int8", "fp4", "int4", "nf4"})
_SIXTEEN: Final = frozenset({"bf16", "fp16"})
_GENERAL = "mixed-precision-speedup"
_COMPARED = (
    ({"bf16", "fp16"}, ("bf16-stability-2020", _GENERAL)),
    ({"bf16", "mixed"}, ("bf16-stability-2020", _GENERAL)),
    ({"tf32", "fp16"}, ("tf32-2020", _GENERAL)),
    ({"fp32", "fp16"}, (_GENERAL, "why-not-fp32-2020")),
    ({"fp32", "mixed"}, (_GENERAL, "why-not-fp32-2020")),
)
"""Formats that are often compared, and the passages that compare them."""


def handle(request: Request) -> Outcome:
    """Yes or no for a format on a card; without a card the passage about the formats named."""
    named = cards_of(request)
    if isinstance(named, Decline):
        return named
    gpu = named[0].gpu if named else _of_family(request)
    if gpu is None:
        return _from_documents(request)
    stated = request.slot("precision")
    several = isinstance(stated, list) and len(stated) > 1  # which of them is asked, and not whether one is there
    wanted = "" if several else str(request.first("precision") or "")
    item = _judged([one.gpu for one in named] or [gpu], wanted)
    item = _picked(item, stated)
    if topic_of(request) == "flash":
        item = _of_flash(request, item, gpu)
    made = answer_of(request, _of_use(request, item), notes=_notes(named), beyond=True)
    return _with_memory(request, made, wanted)


def _picked(item: Item, stated: object) -> Item:
    """The item with what to train in as its first line, where the two formats of 16 bits are weighed."""
    chosen = next((one for one in item.actions if one.code == _TRAINING), None)
    if chosen is None or not isinstance(stated, list) or set(stated) != _SIXTEEN:
        return item
    kept = tuple(one for one in item.actions if one is not chosen)
    pick = note_of("machine_format_pick", dict(chosen.values))
    return item.model_copy(update={"headline": pick, "reasons": (), "actions": kept})


def _of_use(request: Request, item: Item) -> Item:
    """The item without what to train in, where a model is only run."""
    if request.slot("method") != _RUN:
        return item
    return item.model_copy(update={"actions": tuple(one for one in item.actions if one.code != _TRAINING)})


def _with_memory(request: Request, made: Answer, wanted: str) -> Answer:
    """What fewer bits save, where memory is spoken of beside whether the card has the format."""
    if wanted not in _NARROW or not request.heard.shows("effect", "memory"):
        return made
    rows = request.services.library.technique_rows
    found = next((one for one in rows if (one.technique, one.effect) == ("quantization", "memory")), None)
    if found is None:
        return made
    line = Line("technique.said", {"text": Prose(found.told(request.language, why=False))})
    return made.model_copy(update={"lines": (line, *made.lines)})


def _of_flash(request: Request, item: Item, gpu: Gpu) -> Item:
    """Whether FlashAttention runs on a card: the third where that one is named, else the newest that does."""
    values = {"gpu": gpu.name, "flash": flash_attention(gpu)}
    third = values["flash"] == "v2" and request.heard.shows("flash_version", "v3")
    code = "machine_flash_third" if third else "machine_flash_card"
    return reworded(item, note_of(code, values), reasons=() if third else (note_of("machine_flash", values),))


def _judged(gpus: list[Gpu], wanted: str) -> Item:
    """The verdict on the card that is worst off, the others in a line each."""
    items = [check_precision(gpu, wanted) for gpu in {gpu.id: gpu for gpu in gpus}.values()]
    worst = next((item for item in items if item.verdict is Verdict.FAIL), items[0])
    others = tuple(item.headline for item in items if item is not worst)
    return reworded(worst, first=others)


def _notes(named: list[NamedGpu]) -> tuple[Note, ...]:
    return variant_notes(named[:1])


def _of_family(request: Request) -> Gpu | None:
    """A card that stands for a named family; None when its members differ in their formats."""
    family = request.slot("gpu_family")
    gpus = request.services.catalog.gpus_of(str(family)) if family else ()
    kinds = {gpu.compute_capability for gpu in gpus}
    return gpus[0] if len(kinds) == 1 and None not in kinds else None


def _from_documents(request: Request) -> Outcome:
    stated = request.slot("precision")
    formats = set(stated) if isinstance(stated, list) else set()
    for pair, names in _COMPARED:
        if pair <= formats:
            library = request.services.library
            compared = answer_from(request, [library.get(name) for name in names])
            return compared.model_copy(update={"asks": OFFER_CARD})
    found = passage_answer(request, "precision_advice", only=True)
    answer = found or answer_from(request, [request.services.library.get(_GENERAL)])
    return answer.model_copy(update={"asks": OFFER_CARD})
