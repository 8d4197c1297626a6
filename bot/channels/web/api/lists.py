"""What is on record: cards, models, passages; and cards side by side."""

from __future__ import annotations

from advisor.named.comparing import compare as compare_named
from advisor.named.results import Compared
from advisor.names import name_key
from bot.channels.web.api.inputs import CompareIn, GpusQuery, ModelsQuery, PassagesQuery
from bot.channels.web.api.outputs import CompareOut, SideOut, SourceOut
from bot.channels.web.api.records import GpuOut, GpusOut, ModelOut, ModelsOut, PassageOut, PassagesOut
from bot.channels.web.api.shelf import Shelf, cited, figure, offer_of, round_to
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
    found = compare_named(
        *asked.gpus,
        model=asked.model,
        currency=asked.currency,
        on=shelf.today,
        catalog=shelf.catalog,
        method=asked.method.value if asked.method else None,
        precision=asked.quant,
        seq_len=asked.context,
    )
    return CompareOut(
        data_version=shelf.catalog.version,
        sources=cited(found.sources),
        sides=[_side(one) for one in found.sides],
        way=found.way or None,
        winner=found.winner or None,
        reason=found.reason,
        margin=figure(found.margin) if found.margin else None,
    )


def _side(one: Compared) -> SideOut:
    offers = {offer.kind == "rent": offer_of(offer) for offer in one.offers}
    return SideOut(
        gpu=one.gpu,
        vram_gib=one.vram_gib,
        bandwidth_gb_per_s=one.bandwidth_gb_per_s,
        fp16_tflops=one.fp16_tflops,
        board_power_w=one.power_w,
        rent=offers.get(True),
        buy=offers.get(False),
        fit=one.fits or None,
        margin_gib=None if one.margin_gib is None else round_to(one.margin_gib),
        speed=figure(one.rate) if one.rate else None,
        cards=one.gpus,
        times=dict(one.speeds),
    )


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
