"""Servers that a budget buys: a few sensible ways to fill them with cards, and what each of them can do.

A share of the money is kept for the machines around the cards. Pure, like the rest of the room: prices and cards come
from the catalogue, and the day is an argument.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Final

from advisor.errors import AdvisorError
from advisor.models import Gpu, Method, Precision, PricingModel, Workload
from advisor.recommend.estimates import default_models, speed_on
from advisor.recommend.ground import Stock, ground_for, is_past
from advisor.recommend.models import Channel, Need, Quote, Standing
from advisor.recommend.need import Models
from advisor.recommend.settings import settings

if TYPE_CHECKING:
    from advisor.catalog import Catalog

_FILLINGS = (8, 6, 4, 2, 1)
"""Cards in one machine."""
_MOST_PLANS = 3
_TAKEN = (1, 2, 4, 8, 16)
"""Cards among which the fewest that hold a job are looked for when no plan does."""


@dataclass(frozen=True, slots=True)
class ServerPlan:
    """One way to spend the money for cards."""

    role: str
    """roomiest | fastest | largest | new"""
    gpu: Gpu
    servers: int
    n: int
    """Cards in each server."""
    quote: Quote
    cost: float
    """All cards together."""
    holds: tuple[str, ...]
    """yes | tight | no for each job that was asked about, on the cards of one server."""
    rate: float = 0.0
    """Images a second that one card trains on; 0 where no published figure supports it."""

    @property
    def cards(self) -> int:
        """Cards in all."""
        return self.n * self.servers

    @property
    def total_gib(self) -> float:
        """Memory of all cards."""
        return self.cards * (self.gpu.vram_gib or 0.0)

    @property
    def speed(self) -> float:
        """Images a second that all cards train on, each for itself."""
        return self.cards * self.rate


@dataclass(frozen=True, slots=True)
class Taken:
    """The cheapest set of cards that holds a job, whatever the budget."""

    gpu: Gpu
    n: int
    quote: Quote
    cost: float


@dataclass(frozen=True, slots=True)
class Servers:
    """What a budget for servers buys."""

    for_cards: float
    for_hosts: float
    plans: tuple[ServerPlan, ...]


def server_plans(
    need: Need,
    catalog: Catalog,
    today: date,
    jobs: Sequence[Workload] = (),
    *,
    only: Iterable[str] = (),
    servers: int = 1,
    models: Models | None = None,
) -> Servers:
    """Up to three ways to fill servers for the one-off budget of a need.

    Args:
        need: its budget, currency, region, vendors and excluded terms are looked at.
        catalog: cards and offers.
        today: decides which prices exist and how old they are.
        jobs: each plan says which of them the cards of one of its servers hold.
        only: Gpu.id of the cards that may be used; empty for all.
        servers: the most full machines that are of use.
        models: memory estimates, the advisor's own unless given.
    """
    rule, used = settings().server, models or default_models()
    money = float(need.budget.amount) if need.budget is not None else 0.0
    for_cards = money * (1 - rule.host_share)
    allowed = frozenset(only)
    work = _yardstick(catalog)
    drafts = [
        draft
        for stock in _stocks(need, catalog, today, used)
        if (not allowed or stock.gpu.id in allowed)
        for quote, price in _bought(stock)
        if (draft := _filled(stock.gpu, (quote, price), for_cards, servers, work)) is not None
    ]
    plans = tuple(
        ServerPlan(
            role, d.gpu, d.servers, d.n, d.quote, d.cost, tuple(_holds(job, d.gpu, d.n, used) for job in jobs), d.rate
        )
        for role, d in _chosen(drafts)
    )
    return Servers(for_cards, money - for_cards, plans)


def cheapest_that_holds(
    need: Need, catalog: Catalog, today: date, job: Workload, models: Models | None = None
) -> Taken | None:
    """The least money that buys cards for a job, beyond any budget; None when sixteen of nothing hold it."""
    used = models or default_models()
    best: Taken | None = None
    for stock in _sold(need, catalog, today, used):
        n = next((n for n in _TAKEN if _holds(job, stock.gpu, n, used) != "no"), None)
        for quote, price in _bought(stock) if n else ():
            taken = Taken(stock.gpu, n or 1, quote, price * (n or 1))
            if best is None or (taken.cost, taken.gpu.id) < (best.cost, best.gpu.id):
                best = taken
    return best


@dataclass(frozen=True, slots=True)
class _Draft:
    gpu: Gpu
    servers: int
    n: int
    quote: Quote
    cost: float
    rate: float

    @property
    def total_gib(self) -> float:
        return self.n * self.servers * (self.gpu.vram_gib or 0.0)

    @property
    def speed(self) -> float:
        return self.n * self.servers * self.rate


def _stocks(need: Need, catalog: Catalog, today: date, models: Models) -> Iterable[Stock]:
    """Cards that go into servers."""
    least = settings().server.least_gib
    sold = _sold(need.model_copy(update={"home": False}), catalog, today, models)
    return (stock for stock in sold if (stock.gpu.vram_gib or 0.0) >= least)


def _sold(need: Need, catalog: Catalog, today: date, models: Models) -> Iterable[Stock]:
    """Cards with a price that software still supports; for a home those alone that run there."""
    ground = ground_for(catalog, today, need, models.usable)
    return (stock for stock in ground.priced if not is_past(stock.gpu, Channel.BUY))


def _bought(stock: Stock) -> list[tuple[Quote, float]]:
    """Purchase prices; a list price of the day a card came out buys nothing, no modified card goes into a server."""
    return [
        (quote, price)
        for _, price, quote in stock.quotes
        if quote.channel is Channel.BUY and quote.standing is not Standing.LAUNCH and quote.firmness != 1 and price > 0
    ]


def _yardstick(catalog: Catalog) -> Workload:
    """What cards are told apart by in speed: peak TFLOPS put an A30 far before cards that train as fast."""
    model = catalog.get_ml_model("resnet50")
    return Workload(ml_model=model, method=Method.TRAIN, precision=Precision.BF16_MIXED, batch=64)


def _filled(gpu: Gpu, bought: tuple[Quote, float], money: float, most_servers: int, work: Workload) -> _Draft | None:
    rule, (quote, price) = settings().server, bought
    most = int(money // price)
    n = next((n for n in _FILLINGS if n <= min(most, rule.most_cards)), None)
    if n is None:
        return None
    servers = min(most_servers, most // n) if n == rule.most_cards else 1
    return _Draft(gpu, servers, n, quote, n * servers * price, speed_on(work, gpu, 1) or 0.0)


@dataclass(frozen=True, slots=True)
class _Role:
    """What a plan may be good for: which drafts stand for it, and the figures they are compared by."""

    name: str
    merit: Callable[[_Draft], tuple[float, ...]]
    stands: Callable[[_Draft, float], bool] = lambda draft, most_gib: True
    solid: bool = True
    """Only at prices of today."""
    always: bool = False
    """Also where a plan that was taken before is as good at it."""

    def best(self, drafts: list[_Draft]) -> _Draft:
        """The draft that is best at it."""
        return max(drafts, key=lambda draft: (*self.merit(draft), draft.gpu.id))

    def adds(self, best: _Draft, found: list[tuple[str, _Draft]]) -> bool:
        """Whether a plan is better at its role than all that were taken before."""
        return self.always or all(self.merit(best)[0] > self.merit(kept)[0] for _, kept in found)


_ROOMIEST: Final = _Role("roomiest", lambda d: (d.total_gib, d.speed, -d.cost), solid=False)
_ROLES: Final = (
    _Role("fastest", lambda d: (d.speed, d.total_gib, -d.cost)),
    _Role("largest", lambda d: (d.gpu.vram_gib or 0.0, d.total_gib, d.speed), solid=False),
    _Role("cheapest", lambda d: (-d.cost, d.total_gib, d.speed), lambda d, most_gib: d.total_gib >= most_gib / 2),
    _Role(
        "new",
        lambda d: (0.0, d.total_gib, d.speed),
        lambda d, _: d.quote.terms == PricingModel.PURCHASE_NEW.value,
        always=True,
    ),
)


def _chosen(drafts: list[_Draft]) -> list[tuple[str, _Draft]]:
    """Plans that differ in what they are good for, each card once; old prices only tell what memory could be had."""
    if not drafts:
        return []
    roomiest = _ROOMIEST.best(drafts)
    found = [(_ROOMIEST.name, roomiest)]
    for role in _ROLES:
        taken = {kept.gpu.id for _, kept in found}
        pool = [draft for draft in _standing_for(role, drafts, roomiest) if draft.gpu.id not in taken]
        if pool and len(found) < _MOST_PLANS and role.adds(role.best(pool), found):
            found.append((role.name, role.best(pool)))
    return found


def _standing_for(role: _Role, drafts: list[_Draft], roomiest: _Draft) -> Iterable[_Draft]:
    """Drafts that may stand for a role: at prices of today, where there are any, unless old ones will do."""
    solid = [draft for draft in drafts if draft.quote.standing.solid] if role.solid else []
    return (draft for draft in solid or drafts if role.stands(draft, roomiest.total_gib))


def _holds(job: Workload, gpu: Gpu, n: int, models: Models) -> str:
    try:
        need = models.figure(job, n) if models.figure is not None else models.memory(job, n).total
    except AdvisorError:
        return "no"
    usable = models.usable(gpu)
    if usable < need.value:
        return "no"
    return "yes" if models.sure(need, usable) else "tight"
