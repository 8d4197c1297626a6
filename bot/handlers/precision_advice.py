"""Number formats: what a card has, what to train and run in, what quantising costs."""

from __future__ import annotations

from advisor.machine.precision import check_precision, flash_attention
from advisor.models import Gpu, Note
from bot.core.answers import Decline, Offered, Outcome
from bot.core.request import Request
from bot.handlers.common import NamedGpu
from bot.handlers.passages import answer_from, passage_answer
from bot.handlers.rig import answer_of, cards_of, reworded, topic_of, variant_notes

_GENERAL = "mixed-precision-speedup"


def handle(request: Request) -> Outcome:
    """Yes or no for a format on a card; without a card the passage about the formats named."""
    named = cards_of(request)
    if isinstance(named, Decline):
        return named
    gpu = named[0].gpu if named else _of_family(request)
    if gpu is None:
        return _from_documents(request)
    wanted = str(request.first("precision") or "")
    item = check_precision(gpu, wanted)
    if topic_of(request) == "flash":
        values = {"gpu": gpu.name, "flash": flash_attention(gpu)}
        item = reworded(item, Note("machine_flash_card", values), reasons=(Note("machine_flash", values),))
    return answer_of(request, item, notes=_notes(named), beyond=True)


def _notes(named: list[NamedGpu]) -> tuple[Note, ...]:
    return variant_notes(named[:1])


def _of_family(request: Request) -> Gpu | None:
    """A card that stands for a named family; None when its members differ in their formats."""
    family = request.slot("gpu_family")
    gpus = request.services.catalog.gpus_of(str(family)) if family else ()
    kinds = {gpu.compute_capability for gpu in gpus}
    return gpus[0] if len(kinds) == 1 and None not in kinds else None


def _from_documents(request: Request) -> Outcome:
    answer = passage_answer(request, "precision_advice", only=True)
    answer = answer or answer_from(request, [request.services.library.get(_GENERAL)])
    return answer.model_copy(update={"asks": Offered(slot="gpu")})
