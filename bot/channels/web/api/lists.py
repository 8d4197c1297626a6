"""What is on record: cards, models, passages; and cards side by side."""

from __future__ import annotations

from advisor.errors import AdvisorError
from advisor.memory import check_fit
from advisor.memory.results import FitResult
from advisor.models import Gpu
from advisor.names import name_key
from advisor.recommend import Need
from advisor.recommend.market import market, rent_quote
from bot.channels.web.api.inputs import CompareIn, GpusQuery, ModelsQuery, PassagesQuery, SpeedIn
from bot.channels.web.api.market import purchase
from bot.channels.web.api.outputs import CompareOut, Figure, SideOut, SourceOut
from bot.channels.web.api.records import GpuOut, GpusOut, ModelOut, ModelsOut, PassageOut, PassagesOut
from bot.channels.web.api.shelf import Shelf, price_of, round_to
from bot.channels.web.api.sums import speed
from knowledge.models import Passage


def gpus(shelf: Shelf, asked: GpusQuery) -> GpusOut:
    """Cards on record, by name."""
    wanted, vendor = name_key(asked.q), asked.vendor.casefold()
    found = [
        gpu
        for gpu in sorted(shelf.catalog.gpus.values(), key=lambda gpu: (gpu.vendor, gpu.name))
        if wanted in name_key(gpu.name)
        and vendor in ("", gpu.vendor.casefold())
        and max(gpu.vram_gib or 0, *gpu.memory_options_gib, 0) >= asked.min_vram_gib
    ]
    part = found[asked.offset : asked.offset + asked.limit]
    ids = [source for gpu in part for source in gpu.sources.values()]
    return GpusOut(
        data_version=shelf.catalog.version,
        sources=shelf.sources(ids),
        total=len(found),
        gpus=[GpuOut.of(gpu) for gpu in part],
    )


def models(shelf: Shelf, asked: ModelsQuery) -> ModelsOut:
    """Models on record, by name."""
    wanted = name_key(asked.q)
    found = [
        model
        for model in sorted(shelf.catalog.ml_models.values(), key=lambda model: model.name.casefold())
        if wanted in name_key(model.name) and asked.modality in ("", model.modality)
    ]
    part = found[asked.offset : asked.offset + asked.limit]
    ids = [source for model in part for source in model.sources.values()]
    return ModelsOut(
        data_version=shelf.catalog.version,
        sources=shelf.sources(ids),
        total=len(found),
        models=[ModelOut.of(model) for model in part],
    )


def compare(shelf: Shelf, asked: CompareIn) -> CompareOut:
    """Cards side by side, in the order they were named. Raises UnknownName."""
    currency = shelf.currency(asked.currency)
    cards = [shelf.gpu(name) for name in asked.gpus]
    sides = [_side(shelf, asked, gpu, currency) for gpu in cards]
    ids = [source for gpu in cards for source in gpu.sources.values()]
    ids += [price.source for side in sides for price in (side.rent, side.buy) if price]
    return CompareOut(data_version=shelf.catalog.version, sources=shelf.sources(ids), sides=sides)


def _side(shelf: Shelf, asked: CompareIn, gpu: Gpu, currency: str) -> SideOut:
    rent = rent_quote(market(shelf.catalog, shelf.today, currency), gpu, Need(currency=currency))
    buy = purchase(shelf, gpu, currency)
    fit, pace = _job_on(shelf, asked, gpu)
    return SideOut(
        gpu=gpu.name,
        vram_gib=gpu.vram_gib,
        bandwidth_gb_per_s=gpu.memory_bandwidth_gb_per_s,
        fp16_tflops=gpu.fp16_tensor_fp32acc_tflops,
        board_power_w=gpu.board_power_w,
        rent=price_of(rent) if rent else None,
        buy=price_of(buy) if buy else None,
        fit=fit.verdict.value if fit else None,
        margin_gib=round_to(fit.margin_gib) if fit and fit.margin_gib is not None else None,
        speed=pace,
    )


def _job_on(shelf: Shelf, asked: CompareIn, gpu: Gpu) -> tuple[FitResult | None, Figure | None]:
    """Whether the named job fits on a card, and its speed where one can be estimated."""
    if asked.model is None:
        return None, None
    job = SpeedIn(model=asked.model, method=asked.method, quant=asked.quant, context=asked.context, gpu=gpu.name)
    fit = check_fit(shelf.workload(job), gpu)
    try:
        return fit, speed(shelf, job).rate
    except AdvisorError as error:
        if error.code == "unknown_name":
            raise
        return fit, None


def passages(shelf: Shelf, asked: PassagesQuery) -> PassagesOut:
    """Passages that answer a question."""
    hits = shelf.library.search(asked.q, asked.language, limit=asked.limit)
    found = [hit.passage for hit in hits]
    cited = {one.id: one for passage in found for one in _cited(shelf, passage)}
    return PassagesOut(
        data_version=shelf.catalog.version,
        sources=list(cited.values()),
        passages=[
            PassageOut(
                id=hit.passage.id,
                title=hit.passage.title.get(asked.language),
                text=hit.passage.texts(asked.language).full,
                as_of=hit.passage.as_of.date,
                score=hit.score,
            )
            for hit in hits
        ],
    )


def _cited(shelf: Shelf, passage: Passage) -> list[SourceOut]:
    found: list[SourceOut] = []
    for source in passage.sources:
        record = shelf.library.sources.get(source) if isinstance(source, str) else source
        if record is not None:
            found.append(SourceOut(id=record.id, title=record.title, url=record.url or None))
    return found
