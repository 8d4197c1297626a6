"""What all functions of the API work with: the data, the day, names to records, trails to sources."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final

from advisor.catalog import Catalog
from advisor.models import Gpu, MlModel, Step
from advisor.named.values import PriceRow, Range, Source
from advisor.recommend.models import Quote
from bot.channels.web.api.outputs import Figure, Price, SourceOut
from knowledge.store import Library

_MOST_STEPS: Final = 2000


@dataclass(frozen=True, slots=True)
class Shelf:
    """The rooms that an answer is computed from, on a day."""

    catalog: Catalog
    library: Library
    today: date

    def gpu(self, name: str) -> Gpu:
        """The card of a name. Raises UnknownName."""
        return self.catalog.get_gpu(name)

    def model(self, name: str) -> MlModel:
        """The model of a name. Raises UnknownName."""
        return self.catalog.get_ml_model(name)

    def currency(self, code: str) -> str:
        """The code of a currency that has a rate. Raises NoRate."""
        if code != "USD":
            self.catalog.rate("USD", code, self.today)
        return code

    def sources(self, ids: Iterable[str]) -> list[SourceOut]:
        """The records of sources, each once; ids without a record are left out."""
        known = self.catalog.sources
        return [SourceOut.of(known[one]) for one in dict.fromkeys(ids) if one in known]


def named_in(*steps: Step) -> Iterator[str]:
    """Ids of the sources in a trail, outermost first."""
    waiting = list(steps)
    for _ in range(_MOST_STEPS):
        if not waiting:
            return
        step = waiting.pop(0)
        yield from step.sources
        waiting.extend(step.inputs)


def figure(found: Range) -> Figure:
    """A figure as it goes out, rounded to what its band can bear."""
    return Figure(value=round_to(found.value), low=round_to(found.low), high=round_to(found.high), unit=found.unit)


def round_to(value: float, digits: int = 4) -> float:
    """The value with so many significant digits."""
    if not value or not math.isfinite(value):
        return value
    return round(value, digits - 1 - math.floor(math.log10(abs(value))))


def cited(sources: Iterable[Source]) -> list[SourceOut]:
    """The sources of a named function's result."""
    return [SourceOut(id=one.id, title=one.title, url=one.url, as_of=one.as_of) for one in sources]


def offer_of(one: PriceRow) -> Price:
    """A price of a named function's result; the tier within the terms is not told."""
    return Price(
        value=round(one.amount.value, 4),
        low=round(one.amount.low, 4),
        high=round(one.amount.high, 4),
        currency=one.amount.unit.removesuffix("/h"),
        as_of=one.as_of,
        terms=one.terms.partition(",")[0],
        provider=one.provider,
        source=one.source,
    )


def price_of(quote: Quote) -> Price:
    """A price of the market."""
    return Price(
        value=float(round(quote.price, 4)),
        low=float(round(quote.low, 4)),
        high=float(round(quote.high, 4)),
        currency=quote.currency,
        as_of=quote.as_of,
        terms=quote.terms,
        provider=quote.provider_name,
        source=quote.source,
    )
