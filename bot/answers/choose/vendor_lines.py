"""What is said of another brand: whether a card holds the job, its software, its cards with their memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from advisor.models import Estimate, Note
from bot.answers.documents.said_lines import told_in_full
from bot.answers.phrases import in_turn, model_named, size_named
from bot.core.line import Block, Depth, Figure, Label, Line, Single, Table, Worded, gib
from bot.core.passages import PassageView

_WEIGHED: Final = frozenset({"rocm", "xpu", "mps"})
"""Stacks with a sentence of their own against CUDA."""
_FEW: Final = 2
"""Cards that are named beside NVIDIA's."""
_SEVERAL: Final = 4
"""Cards that are named where the brand stands alone."""


@dataclass(frozen=True, slots=True)
class VendorCard:
    """One card of the vendor."""

    name: str
    vram_gib: float | None
    options_gib: tuple[float, ...]
    bandwidth: float | None
    year: int | None
    least_gib: float | None
    """The least of its sizes that holds the job, for a machine sold with several."""
    largest: str
    """The largest language model of the usual sizes that it runs in 4 bit."""
    fit: str
    """fits | tight | no | unknown; empty when no job was named."""


_COMMON: Final = "NVIDIA"


@dataclass(frozen=True, slots=True)
class Branded:
    """Everything that is said of a brand."""

    vendor: str
    stack: str
    weighed: bool
    """Against NVIDIA, both named."""
    must: bool
    """Whether it has to be this maker is asked."""
    named: tuple[str, ...]
    model: str
    sizes: tuple[tuple[str, float], ...]
    """Models and the shared memory from which they run comfortably."""
    cards: tuple[VendorCard, ...]
    need: Estimate | None
    """Of each card that takes part."""
    n: int
    """Cards that take part."""
    format: str
    """Number format that the need is of, as a label code; empty where it is trained."""
    documents: tuple[PassageView, ...]
    remarks: tuple[Note, ...]


def headline_of(told: Branded) -> Line:
    """Whether the card holds the job where both are named; else what the brand's software is like."""
    software = Label(told.stack, "stack_verdict")
    if told.weighed:
        return Line("vendor.weighed", {"said": Label(told.stack if told.stack in _WEIGHED else "other", "weigh")})
    if told.must and told.vendor == _COMMON and not told.named:
        return Line("vendor.not_must", {"model": model_named(told.model) if told.model else None})
    if len(told.named) == 1:
        return _of_card(told, software)
    if told.sizes:
        return _sizes(told)
    if told.vendor:
        return Line("vendor.brand", {"vendor": Label(told.vendor, "vendor"), "said": software})
    return Line("vendor.document", {"text": told.documents[0].short, "day": told.documents[0].as_of})


def _of_card(told: Branded, software: Label) -> Line:
    card = told.cards[0]
    if told.need is None or not card.fit or not card.vram_gib:
        return Line("vendor.card", {"name": card.name, "said": software})
    values: dict[str, Worded] = {
        "name": card.name,
        "model": model_named(told.model),
        "need": gib(told.need),
        "memory": Figure(card.vram_gib, "GB"),
        "n": told.n if told.n > 1 else None,
        "format": Label(told.format, "bits") if told.format else None,
    }
    return Line(f"vendor.fit.{card.fit}", values)


def lines_of(told: Branded) -> tuple[Line, ...]:
    """Software, need, sizes and cards, the weightiest first."""
    return tuple(_lines(told))


def _lines(told: Branded) -> Iterator[Line]:
    answered = headline_of(told).say.startswith("vendor.fit.")
    if told.weighed:
        yield Line("vendor.brand", {"vendor": "NVIDIA", "said": Label("cuda", "stack_verdict")})
    if told.weighed or answered or told.sizes:
        yield Line("vendor.brand", {"vendor": Label(told.vendor, "vendor"), "said": Label(told.stack, "stack_verdict")})
    if told.need is not None and not answered:
        yield Line("vendor.need", {"model": model_named(told.model), "need": gib(told.need)})
    yield from map(_card, told.cards[: _FEW if told.weighed else _SEVERAL])
    if told.vendor and told.documents and told.need is None:
        yield Line("vendor.document", {"text": told.documents[0].short, "day": told.documents[0].as_of})
    if told.remarks and not told.weighed:
        yield Line("vendor.remark", {"note": told.remarks[0]})


def _sizes(told: Branded) -> Line:
    return Line("vendor.sizes", {"sizes": in_turn([_size(name, least) for name, least in told.sizes])})


def _size(name: str, least: float) -> Line:
    return Line("vendor.size", {"model": size_named(name), "from": Figure(least, "GB")})


def _card(card: VendorCard) -> Line:
    more = None if card.fit or card.least_gib or not card.largest else size_named(card.largest)
    values: dict[str, Worded] = {
        "name": card.name,
        "memory": _memory(card),
        "bandwidth": Figure(card.bandwidth, "GB/s") if card.bandwidth else None,
        "fit": Label(card.fit, "fit") if card.fit else None,
        "least": Figure(card.least_gib, "GB") if card.least_gib and not card.fit else None,
        "largest": more,
    }
    return Line("vendor.of", values)


def _memory(card: VendorCard) -> Single:
    if card.vram_gib:
        return Figure(card.vram_gib, "GB")
    if card.options_gib:
        return Line("vendor.shared", {"sizes": tuple(Figure(size, "GB") for size in card.options_gib)})
    return Line("vendor.memory_unknown")


def blocks_of(told: Branded) -> tuple[Block, ...]:
    """All cards, and what the documents say."""
    return tuple(_blocks(told))


def _blocks(told: Branded) -> Iterator[Block]:
    if told.cards:
        heads = ("vendor.head.card", "vendor.head.memory", "vendor.head.bandwidth", "vendor.head.year")
        rows = tuple(
            (
                card.name,
                _memory(card),
                Figure(card.bandwidth, "GB/s") if card.bandwidth else None,
                card.year,
                *((Label(card.fit or "unknown", "fit"),) if told.need is not None else ()),
            )
            for card in told.cards
        )
        holds = (Line("vendor.head.holds"),) if told.need is not None else ()
        yield Table((*map(Line, heads), *holds), rows, depth=Depth.DETAILS)
    yield from told_in_full(told.documents, told.remarks[1:] if told.remarks and not told.weighed else told.remarks)
