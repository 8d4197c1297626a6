"""Whether a card is worth it when nobody says for what: what it holds, what it costs to buy and to rent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.errors import AdvisorError, NoRate
from advisor.memory import Verdict
from advisor.memory.fit import fit_on
from advisor.models import Frozen, Gpu, Method, Money, Note, Precision, PricingModel, Workload
from advisor.prices import PricedOffer, price_of
from bot.answers.money.marks import mark_of_offer
from bot.core.request import Request

if TYPE_CHECKING:
    from advisor.catalog import Catalog

_SIZES = (1, 3, 7, 14, 32, 70, 120, 235)
"""Billions of parameters that models usually come in."""
_NEW = frozenset({PricingModel.PURCHASE_NEW})
_SHARED = ("desktop system", "SoC unified memory")
_SERVER = frozenset({"sxm", "oam", "superchip"})
"""How what only servers take is mounted."""
_RUN_LENGTH, _TUNE_LENGTH = 4096, 2048


class Holds(Frozen):
    """Largest usual language models that a card holds, in billions of parameters; 0 for none."""

    run: int
    """In 4 bits, 4096 tokens."""
    tune: int
    """With QLoRA, 2048 tokens."""


class Cost(Frozen):
    """A price with where it is from."""

    low: Money
    high: Money
    provider: str
    dated: str
    """Day of a price of today, year of an older one, empty for an undated copy."""
    source: str
    mark: Note | None = None
    """What has to be said beside the price."""


def with_own_memory(gpu: Gpu) -> Gpu:
    """A machine with unified memory at its only, or largest, size."""
    if gpu.vram_gib or not gpu.memory_options_gib:
        return gpu
    return gpu.model_copy(update={"vram_gib": float(max(gpu.memory_options_gib))})


def is_shared(gpu: Gpu) -> bool:
    """Whether processor and GPU share one large, slow memory."""
    return (gpu.form_factor or "").startswith(_SHARED)


def is_server(gpu: Gpu) -> bool:
    """Whether it is a module that only servers take."""
    return gpu.mount in _SERVER


def holds(catalog: Catalog, gpu: Gpu) -> Holds:
    """What fits into the card's memory, alone."""
    return Holds(
        run=_largest(catalog, gpu, Method.INFERENCE, Precision.INT4, "q4_k_m", _RUN_LENGTH),
        tune=_largest(catalog, gpu, Method.QLORA, Precision.INT4, "nf4", _TUNE_LENGTH),
    )


def _largest(catalog: Catalog, gpu: Gpu, method: Method, precision: Precision, quant: str, length: int) -> int:
    best = 0
    for size in _SIZES:
        work = Workload(
            ml_model=catalog.generic_ml_model(size * 1e9),
            method=method,
            precision=precision,
            quant=quant,
            batch=1,
            seq_len=length,
            checkpointing=True if method is Method.QLORA else None,
        )
        try:
            fit, _ = fit_on(work, gpu, 1)
        except AdvisorError:
            break
        # what answers one person may be a tight fit; a training run needs room
        if fit.verdict is Verdict.NO or (method is Method.QLORA and fit.verdict is not Verdict.FITS):
            break
        best = size
    return best


def costs(request: Request, gpu: Gpu, currency: str) -> tuple[Cost | None, Cost | None]:
    """The newest price of a new card, however old, and the cheapest hour of rent; None where nothing is held."""
    catalog = request.services.catalog
    try:
        listed = price_of(catalog, (gpu,), on=request.now.date(), currency=currency)
    except NoRate:
        return None, None
    old = (one for one in listed.records if one.offer.unit == "card" and one.offer.pricing_model in _NEW)
    bought = next(iter((*listed.new, *listed.machines, *old)), None)
    rented = next((one for one in listed.rent if one.offer.tier != "minimum"), next(iter(listed.rent), None))
    return _cost(request, bought), _cost(request, rented)


def _cost(request: Request, one: PricedOffer | None) -> Cost | None:
    if one is None:
        return None
    record = request.services.catalog.providers.get(one.offer.provider)
    shop = record is None or record.kind == "shop"
    name = "" if shop or record is None else record.name_zh if request.language == "zh" else record.name
    offer = one.offer
    dated = offer.day if one.age.solid else offer.day[:4]
    return Cost(low=one.low, high=one.high, provider=name, dated=dated, source=offer.source, mark=mark_of_offer(one))
