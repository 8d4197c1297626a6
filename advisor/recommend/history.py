"""The documents' advice by year, and what the advisor gives when it knows only the cards and prices of that day.

Each piece of advice names the rows it comes from. Where the replay gives another card, the entry says why; a test
holds both kinds to what really happens.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING

from advisor.datafiles import read_data
from advisor.models import Frozen, Money
from advisor.recommend.core import recommend
from advisor.recommend.models import Channel, Need, Objective, Recommendation
from advisor.recommend.need import Models

if TYPE_CHECKING:
    from advisor.catalog import Catalog


class Replay(Frozen):
    """The wish that stands for a piece of advice."""

    task: str | None = None
    vram_gib: float | None = None
    budget_usd: Decimal | None = None
    gpu_count: int | None = None
    objective: Objective = Objective.BALANCED
    excluded_terms: tuple[str, ...] = ()
    excluded_gpus: tuple[str, ...] = ()
    max_power_w: float | None = None


class Advice(Frozen):
    """What a document advised to whom, in which year."""

    id: str
    rows: tuple[str, ...]
    as_of: date
    source: str
    who: str
    """Code of the situation, worded in templates/_shared/words/recommend.*.yaml as advice_for.<who>."""
    advises: tuple[str, ...] = ()
    avoids: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    replay: Replay | None = None
    differs: str = ""
    """Code of the reason when the replay gives another card; empty when it must agree."""


class Replayed(Frozen):
    """A piece of advice beside what the advisor gives with the data of that day."""

    advice: Advice
    recommendation: Recommendation | None
    picks: tuple[str, ...]
    agrees: bool | None
    """The winner is among the advised cards; None when there is nothing to replay."""


@lru_cache(maxsize=1)
def advice_by_year() -> tuple[Advice, ...]:
    """All advice of the documents, oldest first."""
    entries: tuple[Advice, ...] = read_data("advice_by_year.yaml", tuple[Advice, ...])
    return tuple(sorted(entries, key=lambda entry: (entry.as_of, entry.id)))


def find_advice(*, who: str | None = None, year: int | None = None, gpu: str | None = None) -> tuple[Advice, ...]:
    """Advice for a situation, of a year, or about a card (by catalogue name)."""
    return tuple(
        entry
        for entry in advice_by_year()
        if (who is None or entry.who == who)
        and (year is None or entry.as_of.year == year)
        and (gpu is None or gpu in entry.advises or gpu in entry.avoids)
    )


def recommend_as_of(day: date, need: Need, catalog: Catalog, models: Models | None = None) -> Recommendation:
    """The recommendation of a past day: only cards that were out and prices that were known then."""
    return recommend(need, catalog, day, models, with_flips=False)


def replay(advice: Advice, catalog: Catalog, models: Models | None = None) -> Replayed:
    """Ask today's advisor for the wish behind old advice, with the data of that day."""
    wish = advice.replay
    if wish is None:
        return Replayed(advice=advice, recommendation=None, picks=(), agrees=None)
    need = Need(
        task=wish.task,
        vram_gib=wish.vram_gib,
        budget=Money(amount=wish.budget_usd, currency="USD") if wish.budget_usd else None,
        gpu_count=wish.gpu_count,
        objective=wish.objective,
        excluded_terms=wish.excluded_terms,
        excluded_gpus=wish.excluded_gpus,
        max_power_w=wish.max_power_w,
        deploy=Channel.BUY,
    )
    found = recommend_as_of(advice.as_of, need, catalog, models)
    picks = tuple(pick.option.gpu.name for pick in found.picks)
    return Replayed(advice=advice, recommendation=found, picks=picks, agrees=bool(picks) and picks[0] in advice.advises)
