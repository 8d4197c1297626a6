"""Which cards a wish may use at all, before its job and its money are looked at.

The same for every job of a wish, so the search for what would change a verdict shares it, and it is kept beside the
quotes of the day: most wishes exclude nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date
from math import inf
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from advisor.models import Gpu, PricingModel
from advisor.recommend.home import for_home
from advisor.recommend.market import market, quotes_for, view_key
from advisor.recommend.models import Channel, Need, Prospect, Quote
from advisor.recommend.need import COUNTS, plainly

if TYPE_CHECKING:
    from advisor.catalog import Catalog

_KEPT: Final = 32
_COMMON: Final = "NVIDIA"
"""Maker whose cards common software is written for."""
SLOT_W: Final = 75.0
"""Watts that a card may draw from its slot alone, by the PCI Express card specification."""
_TOGETHER_W: Final = 250.0
"""Watts above which several of a card are more than a case, a board and a supply at home take."""
_LARGE_GIB: Final = 24.0
_NEEDS_SERVER_AIR: Final = "passive"
_SERVER_PEOPLE: Final = frozenset({"lab", "startup", "company", "researcher"})


_CARDS: WeakKeyDictionary[Catalog, dict[Callable[[Gpu], float], tuple[Stock, ...]]] = WeakKeyDictionary()
"""Cards of each catalogue as `_cards` has them."""

Group = tuple[bool, bool, int]
"""Whether cards are rented, whether they are legacy ones, firmness of the prices: options of one group compete."""


Fitted = tuple[int, bool, bool]
"""Number of cards that holds the job, whether surely, and whether the guide is met too."""


@dataclass(frozen=True, slots=True)
class Stock:
    """A card that suits the wish, with the prices it can be had for."""

    gpu: Gpu
    legacy: bool
    most: int
    """Cards of this kind that are put together without being asked for."""
    size: tuple[float, float, int]
    """Memory, what of it a job can get, and `most`: cards alike in these hold the same jobs."""
    quotes: tuple[tuple[Group, float, Quote], ...]
    """Price of one card as a float beside each quote; none where no price is known."""
    offered: dict[Fitted, tuple[tuple[Group, Prospect], ...]] = field(default_factory=dict, compare=False, repr=False)
    """What a need is offered of it, by how many of it hold the job: the same for all needs."""


@dataclass(frozen=True, slots=True)
class Alike:
    """Cards with a price that hold the same jobs: what holds for one of them is asked once for all."""

    stocks: tuple[Stock, ...]
    ids: frozenset[str]
    offered: dict[Fitted, tuple[tuple[Group, tuple[Prospect, ...]], ...]] = field(
        default_factory=dict, compare=False, repr=False
    )
    """What a need is offered of all of them, as for one."""


@dataclass(frozen=True, slots=True)
class Ground:
    """All cards, sorted by whether a wish may use them."""

    suited: tuple[Stock, ...]
    """Best known first."""
    priced: tuple[Stock, ...]
    """Those of them that have a price."""
    alike: tuple[Alike, ...]
    """The same by what they hold."""
    out: dict[str, tuple[str, ...]]
    """Names of the others by reason, best known first."""


def ground_for(catalog: Catalog, today: date, need: Need, usable: Callable[[Gpu], float]) -> Ground:
    """The cards of a day as far as they do not depend on job, budget, hours and objective.

    `usable`: memory of a card that a job can get.
    """
    kept = market(catalog, today, need.currency).grounds
    key = (
        usable,
        view_key(need),
        _has_servers(need),
        need.vendors,
        need.families,
        need.excluded_vendors,
        need.excluded_gpus,
        need.owned,
        need.max_power_w,
        need.max_length_mm,
        need.max_slots,
        need.unplugged,
        need.home,
        need.several,
    )
    found = kept.get(key)
    if found is None:
        if len(kept) >= _KEPT:
            kept.clear()
        found = kept[key] = _sorted(catalog, today, need, usable)
    return found


def _sorted(catalog: Catalog, today: date, need: Need, usable: Callable[[Gpu], float]) -> Ground:
    shelf, plain = _shelf(catalog, today, need, usable), plainly(need)
    if plain is not None:
        # what leaves cards out asks neither for prices nor for a count
        known, stocks = ground_for(catalog, today, plain, usable), {stock.gpu.id: stock for stock in shelf}
        return _ground([stocks[one.gpu.id] for one in known.suited], known.out)
    tests = [(reason, holds) for reason, may_hold, holds in _UNSUITABLE if may_hold(need)]
    suited: list[Stock] = []
    out: dict[str, list[str]] = {}
    for stock in shelf:
        for reason, holds in tests:
            if holds(stock.gpu, need, today):
                out.setdefault(reason, []).append(stock.gpu.name)
                break
        else:
            suited.append(stock)
    return _ground(suited, {reason: tuple(names) for reason, names in out.items()})


def _ground(suited: Iterable[Stock], out: dict[str, tuple[str, ...]]) -> Ground:
    """Cards that suit a wish, and the names of the others."""
    listed = tuple(suited)
    priced = tuple([stock for stock in listed if stock.quotes])
    return Ground(listed, priced, _alike(priced), out)


def _alike(stocks: Iterable[Stock]) -> tuple[Alike, ...]:
    """Cards by what they hold, legacy ones apart."""
    found: dict[tuple[bool, tuple[float, float, int]], list[Stock]] = {}
    for stock in stocks:
        found.setdefault((stock.legacy, stock.size), []).append(stock)
    return tuple(Alike(tuple(listed), frozenset(one.gpu.id for one in listed)) for listed in found.values())


def _shelf(catalog: Catalog, today: date, need: Need, usable: Callable[[Gpu], float]) -> tuple[Stock, ...]:
    """Every card with the prices that a wish may use, best known first: the same whatever cards it leaves out."""
    kept = market(catalog, today, need.currency).shelves
    servers = _has_servers(need)
    key = (usable, view_key(need), servers, need.home, need.several)
    found = kept.get(key)
    if found is None:
        if len(kept) >= _KEPT:
            kept.clear()
        plain, quotes = plainly(need), quotes_for(catalog, today, need)
        before = _cards(catalog, usable) if plain is None else _shelf(catalog, today, plain, usable)
        known = {} if plain is None else quotes_for(catalog, today, plain)
        found = kept[key] = tuple(
            stock
            if quotes.get(stock.gpu.id) is known.get(stock.gpu.id)
            else _priced(stock, _usable_quotes(stock.gpu, quotes.get(stock.gpu.id, ()), need, servers=servers))
            for stock in before
        )
    return found


def _cards(catalog: Catalog, usable: Callable[[Gpu], float]) -> tuple[Stock, ...]:
    """Every card without any price, best known first: the same on every day and for every wish."""
    kept = _CARDS.setdefault(catalog, {})
    found = kept.get(usable)
    if found is None:
        if len(kept) >= _KEPT:
            kept.clear()
        cards = sorted(catalog.gpus.values(), key=_fame)
        found = kept[usable] = tuple(_stock(gpu, usable) for gpu in cards)
    return found


def _usable_quotes(gpu: Gpu, quotes: tuple[Quote, ...], need: Need, *, servers: bool) -> Iterable[Quote]:
    """Quotes by which the card can be used where the wish comes from: at home what no home can run is only rented.

    The same goes for what draws too much for several in one computer, where several are meant.
    """
    rented_only = (need.home and not for_home(gpu)) or (need.several and _is_crowding(gpu))
    bare_too = servers or is_legacy(gpu)
    return (
        quote
        for quote in quotes
        if (bare_too or not is_bare(gpu, quote)) and (not rented_only or quote.channel is Channel.RENT)
    )


def _is_crowding(gpu: Gpu) -> bool:
    """Whether three or four of a small card draw too much; of a large one two do, and they are taken as ever."""
    return (gpu.vram_gib or 0.0) < _LARGE_GIB and (gpu.board_power_w or 0.0) > _TOGETHER_W


def _stock(gpu: Gpu, usable: Callable[[Gpu], float]) -> Stock:
    legacy, most = is_legacy(gpu), _most_of(gpu)
    return Stock(gpu, legacy, most, (gpu.vram_gib or 0.0, usable(gpu), most), ())


def _priced(stock: Stock, quotes: Iterable[Quote]) -> Stock:
    """A card with the prices it can be had for."""
    gpu = stock.gpu
    grouped = tuple(
        ((quote.channel is Channel.RENT, is_past(gpu, quote.channel), quote.firmness), float(quote.price), quote)
        for quote in quotes
    )
    return Stock(gpu, stock.legacy, stock.most, stock.size, grouped)


def _has_servers(need: Need) -> bool:
    """Whether a wish comes from where servers stand, or names its cards."""
    return need.persona in _SERVER_PEOPLE or bool(need.families)


def is_bare(gpu: Gpu, quote: Quote) -> bool:
    """A second-hand board that needs the air of a server: at home it does not run."""
    return quote.terms == PricingModel.PURCHASE_USED.value and gpu.mount == _NEEDS_SERVER_AIR


def is_legacy(gpu: Gpu) -> bool:
    """An NVIDIA card without Tensor Cores."""
    return gpu.tensor_core_gen is None and gpu.vendor == "NVIDIA" and not gpu.bf16_supported


def is_past(gpu: Gpu, channel: Channel) -> bool:
    """A card that is no first choice: a legacy one, or to buy one whose last CUDA is past; rented it works as it is."""
    return is_legacy(gpu) or (channel is Channel.BUY and gpu.last_cuda is not None)


def _most_of(gpu: Gpu) -> int:
    """Cards of a kind that are put together without being asked for.

    More than four GeForce cards lose much to the exchange between them (E08), and several old cards are no way out.
    """
    return 1 if is_legacy(gpu) else 4 if gpu.family == "GeForce" else max(COUNTS)


def _wrong_stack(gpu: Gpu, need: Need) -> bool:
    """Of a maker that was not asked for: common software is for NVIDIA, unless that is not wanted."""
    return gpu.vendor != _COMMON and not {gpu.vendor, _COMMON}.intersection(need.excluded_vendors)


def _too_much_power(gpu: Gpu, need: Need) -> bool:
    return 0.0 < (need.max_power_w or 0.0) < (gpu.board_power_w or 0.0)


def _is_bounded(need: Need) -> bool:
    return bool(need.max_length_mm or need.max_slots or need.unplugged)


def _too_large(gpu: Gpu, need: Need) -> bool:
    """Longer or thicker than the case takes, or with a plug of its own; a size that is not on record counts as that."""
    long = need.max_length_mm is not None and (gpu.length_mm or inf) > need.max_length_mm
    thick = need.max_slots is not None and (gpu.slots or inf) > need.max_slots
    return long or thick or (need.unplugged and (gpu.board_power_w or inf) > SLOT_W)


def _leaves_out(need: Need) -> bool:
    return bool(need.excluded_gpus or need.excluded_vendors)


def _left_out(gpu: Gpu, need: Need) -> bool:
    return gpu.id in need.excluded_gpus or gpu.vendor in need.excluded_vendors


_UNSUITABLE: Final[tuple[tuple[str, Callable[[Need], object], Callable[[Gpu, Need, date], object]], ...]] = (
    ("laptop", lambda need: True, lambda gpu, need, today: gpu.form_factor == "laptop"),
    ("other_vendor", lambda need: need.vendors, lambda gpu, need, today: gpu.vendor not in need.vendors),
    ("other_stack", lambda need: not need.vendors, lambda gpu, need, today: _wrong_stack(gpu, need)),
    (
        "excluded",
        lambda need: need.excluded_gpus or need.excluded_vendors,
        lambda gpu, need, today: _left_out(gpu, need),
    ),
    ("owned", lambda need: need.owned, lambda gpu, need, today: gpu.id in need.owned),
    ("not_released", lambda need: True, lambda gpu, need, today: gpu.known_on and gpu.known_on > today),
    ("other_family", lambda need: need.families, lambda gpu, need, today: not _in_family(gpu, need.families)),
    ("memory_unknown", lambda need: True, lambda gpu, need, today: gpu.vram_gib is None),
    ("too_large", _is_bounded, lambda gpu, need, today: _too_large(gpu, need)),
    ("too_much_power", lambda need: need.max_power_w, lambda gpu, need, today: _too_much_power(gpu, need)),
)
"""Why a card is out before memory and money are looked at: what of a wish may leave cards out, and the first that holds
of a card."""


def _in_family(gpu: Gpu, families: tuple[str, ...]) -> bool:
    names = {gpu.family.lower(), gpu.series.lower(), gpu.architecture.lower(), gpu.vendor.lower()}
    return any(family.lower() in names for family in families)


def _fame(gpu: Gpu) -> tuple[int, int, float, str]:
    """Recent consumer and data-centre cards first: those are the ones people ask about."""
    year = gpu.release_date.year if gpu.release_date else 0
    return (0 if gpu.vendor == "NVIDIA" else 1, -year, -(gpu.vram_gib or 0.0), gpu.id)
