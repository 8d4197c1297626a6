"""Facts about cards in lines: the figure that was asked, a sheet, cards side by side, families, lists by memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from advisor.models import Money
from advisor.specs import SHEET, SpecTable, SpecValue
from bot.answers.choose.spec_values import UNKNOWN, apart, value_of
from bot.core.line import Block, Depth, Figure, Label, Line, Single, Table, Worded

_LISTED: Final = 16
"""Members of a family whose figures are told in the complete form."""
_SERIES: Final = 6
_MEMBERS: Final = 14
_OF_ONE: Final = 8
"""Attributes that are told in one line."""
Mode = Literal["fact", "sheet", "table"]


@dataclass(frozen=True, slots=True)
class Specs:
    """Figures of one or several cards."""

    mode: Mode
    title: str
    table: SpecTable
    """What was asked, or everything."""
    brief: SpecTable
    """What is told at a glance."""


@dataclass(frozen=True, slots=True)
class Series:
    """A series within a family and its cards."""

    name: str
    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Family:
    """A family of cards."""

    name: str
    count: int
    series: tuple[Series, ...]


def _named(cell: SpecValue) -> Line:
    return Line("spec.named", {"what": Label(cell.attribute, "attr"), "value": value_of(cell)})


# --- one card, several cards -----------------------------------------------------------------------------------------


def headline_of(told: Specs) -> Line:
    """The figure that was asked; else the card with its memory."""
    known = told.table.known
    if told.mode == "sheet":
        return _sheet(told)
    rows = known if told.mode == "fact" else told.brief.known
    if not rows:
        return Line("spec.no_data", {"name": told.title, "what": Label(told.table.attributes[0], "attr")})
    if len(told.table.names) > 1:
        return _side_by_side(told, rows)
    more = tuple(_named(row[0]) for row in rows[1:_OF_ONE])
    values: dict[str, Worded] = {
        "name": told.title,
        "what": Label(rows[0][0].attribute, "attr"),
        "value": value_of(rows[0][0]),
        "more": more or None,
    }
    return Line("spec.fact", values)


def _side_by_side(told: Specs, rows: tuple[tuple[SpecValue, ...], ...]) -> Line:
    if len(rows) > 1:
        return _of_card(told.table.names[0], [row[0] for row in rows])
    difference = apart(told.table.names, rows[0])
    if difference is not None:
        return difference
    each = tuple(
        Line("spec.each", {"name": name, "value": value_of(cell)})
        for name, cell in zip(told.table.names, rows[0], strict=True)
    )
    return Line("spec.compared", {"what": Label(rows[0][0].attribute, "attr"), "each": each})


def _of_card(name: str, cells: Sequence[SpecValue]) -> Line:
    return Line("spec.card", {"name": name, "figures": tuple(_named(cell) for cell in cells)})


def lines_of(told: Specs) -> tuple[Line, ...]:
    """The rest of a sheet, or the other cards."""
    if told.mode == "sheet":
        return tuple(_rest(_cells(told.table)))
    rows = told.table.known if told.mode == "fact" else told.brief.known
    if len(rows) < 2 or len(told.table.names) < 2:
        return ()
    return tuple(_of_card(name, [row[place] for row in rows]) for place, name in enumerate(told.table.names) if place)


def _cells(table: SpecTable) -> Mapping[str, SpecValue]:
    """Known figures of the first card by attribute."""
    return {row[0].attribute: row[0] for row in table.rows if row[0].value not in UNKNOWN and row[0].attribute in SHEET}


def _part(cells: Mapping[str, SpecValue], name: str) -> Single:
    return value_of(cells[name]) if name in cells else None


def _sheet(told: Specs) -> Line:
    cells = _cells(told.table)
    shared = "vram_gib" not in cells and "memory_options_gib" in cells
    born = cells.get("release_date")
    values: dict[str, Worded] = {
        "name": told.title,
        "architecture": _part(cells, "architecture"),
        "born": str(born.value)[:7] if born is not None else None,
        "memory": _part(cells, "memory_options_gib" if shared else "vram_gib") or Label("unknown", "spec"),
        "kind": _part(cells, "memory_type"),
        "bandwidth": _part(cells, "memory_bandwidth_gb_per_s"),
    }
    return Line("spec.sheet.shared" if shared else "spec.sheet", values)


def _rest(cells: Mapping[str, SpecValue]) -> Iterator[Line]:
    tensor, plain = _part(cells, "fp16_tensor_fp32acc_tflops"), _part(cells, "fp16_nontensor_tflops")
    compute: tuple[Single, ...] = (
        Line("spec.fp32", {"value": _part(cells, "fp32_tflops")}) if "fp32_tflops" in cells else None,
        Line("spec.fp16", {"value": tensor})
        if tensor
        else Line("spec.fp16.plain", {"value": plain})
        if plain
        else None,
    )
    if any(compute):
        yield Line("spec.compute", {"each": tuple(one for one in compute if one is not None)})
    if "board_power_w" in cells or "nvlink_gb_per_s" in cells:
        power = _part(cells, "board_power_w")
        slots = Line("spec.slots", {"n": _part(cells, "slots")}) if "slots" in cells else None
        link = Line("spec.link", {"rate": _part(cells, "nvlink_gb_per_s")}) if _linked(cells) else None
        each = [Line("spec.power", {"value": power}) if power else None, slots, link]
        yield Line("spec.board", {"each": tuple(one for one in each if one is not None)})
    if "compute_capability" in cells:
        yield Line("spec.software", _software(cells))


def _linked(cells: Mapping[str, SpecValue]) -> bool:
    return "nvlink_gb_per_s" in cells and cells["nvlink_gb_per_s"].value != 0


def _software(cells: Mapping[str, SpecValue]) -> dict[str, Worded]:
    born = cells.get("release_date")
    return {
        "capability": str(cells["compute_capability"].value),
        "first": _part(cells, "min_cuda"),
        "last": _part(cells, "last_cuda"),
        "price": _part(cells, "msrp_usd"),
        "year": str(born.value)[:4] if born is not None and "msrp_usd" in cells else None,
    }


def blocks_of(told: Specs) -> tuple[Block, ...]:
    """All figures, card by card where there are several."""
    rows = told.table.known
    if told.mode == "fact" and len(rows) < 2:
        return ()
    if told.mode == "fact" and len(told.table.names) == 1:
        return ()
    return (grid(told.table),)


def grid(table: SpecTable, depth: Depth = Depth.DETAILS) -> Table:
    """Attributes by card."""
    rows = tuple((Label(row[0].attribute, "attr"), *map(value_of, row)) for row in table.known)
    return Table((Line("spec.what"), *table.names), rows, depth=depth)


# --- families --------------------------------------------------------------------------------------------------------


def family_headline(family: Family) -> Line:
    """How many cards a family has, and which, where it has one series."""
    values: dict[str, Worded] = {"name": family.name, "count": family.count}
    if len(family.series) == 1:
        return Line("spec.family.one", {**values, "cards": _members(family.series[0])})
    return Line("spec.family", values)


def family_lines(families: Sequence[Family]) -> tuple[Line, ...]:
    """The series of the first family, then the others."""
    return tuple(line for place, one in enumerate(families) for line in _of_family(one, headed=place == 0))


def _of_family(family: Family, *, headed: bool) -> Iterator[Line]:
    if not headed:
        yield family_headline(family)
    if len(family.series) == 1:
        return
    for series in family.series[:_SERIES]:
        yield Line("spec.series", {"name": series.name, "cards": _members(series)})
    if family.series[_SERIES:]:
        yield Line("spec.also", {"names": tuple(one.name for one in family.series[_SERIES:])})


def _members(series: Series) -> Line:
    more = len(series.cards) - _MEMBERS
    return Line("spec.members", {"cards": series.cards[:_MEMBERS], "more": more if more > 0 else None})


def family_blocks(table: SpecTable) -> tuple[Block, ...]:
    """Figures of the members, where they are few."""
    return (grid(table),) if len(table.names) <= _LISTED else ()


# --- lists by memory -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ListedCard:
    """One card of a list."""

    name: str
    vram_gib: float
    year: int | None
    price: Money | None = None
    renting: bool = False
    dated: str = ""
    market: str = ""
    """Whose price it is, where it is converted."""
    used: bool = False


@dataclass(frozen=True, slots=True)
class CardList:
    """Cards of a size, or those with the most memory."""

    groups: tuple[tuple[str, tuple[ListedCard, ...]], ...]
    """Kind and cards; one group where the most memory was asked for."""
    count: int
    size: float
    """0 where the most memory was asked for."""
    least: bool
    consumer: bool
    limit: Money | None
    apart: tuple[str, ...]
    """Versions for the Chinese market."""

    @property
    def sized(self) -> bool:
        """Whether memory has to be told card by card."""
        return self.least or not self.size


_SHOWN: Final = 8
_APART: Final = 6


def list_headline(told: CardList) -> Line:
    """The card with the most memory, or how many have the size."""
    if told.size:
        values: dict[str, Worded] = {"size": Figure(told.size, "GB"), "count": told.count}
        return Line("list.from" if told.least else "list.size", values)
    first = told.groups[0][1][0]
    limit = Figure(float(told.limit.amount), "money", told.limit.currency) if told.limit is not None else None
    most: dict[str, Worded] = {"name": first.name, "vram": Figure(first.vram_gib, "GB"), "limit": limit}
    return Line("list.most.consumer" if told.consumer else "list.most", most)


def list_lines(told: CardList) -> tuple[Line, ...]:
    """The cards by kind, and what was left out."""
    return tuple(_list_lines(told))


def _list_lines(told: CardList) -> Iterator[Line]:
    for kind, cards in told.groups:
        more = len(cards) - _SHOWN
        values: dict[str, Worded] = {
            "kind": Label(kind, "kind") if kind != "most" else None,
            "cards": tuple(_listed(card, sized=told.sized) for card in cards[:_SHOWN]),
            "more": more if more > 0 else None,
        }
        yield Line("list.all" if kind == "most" else "list.kind", values)
    if told.apart:
        yield Line("list.apart", {"names": told.apart[:_APART]})
    yield Line("list.left_out")


def _listed(card: ListedCard, *, sized: bool) -> Line:
    price = None
    if card.price is not None:
        per = "money/hour" if card.renting else "money"
        price = Line(
            "list.price.used" if card.used else "list.price.rent" if card.renting else "list.price",
            {
                "price": Figure(float(card.price.amount), per, card.price.currency),
                "month": card.dated[:7],
                "market": Label(card.market, "market") if card.market else None,
            },
        )
    values: dict[str, Worded] = {
        "name": card.name,
        "vram": Figure(card.vram_gib, "GB") if sized else None,
        "year": card.year,
        "price": price,
    }
    return Line("list.card", values)
