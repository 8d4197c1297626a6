"""What all functions of the API work with: the data, the day, names to records, trails to sources."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final

from advisor.catalog import Catalog
from advisor.models import Banded, Gpu, MlModel, Step, Workload
from advisor.money import Span
from advisor.recommend.models import Quote
from bot.channels.web.api.inputs import Job
from bot.channels.web.api.outputs import Figure, Price, Settings, SourceOut
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

    def workload(self, job: Job, cards: int = 1) -> Workload:
        """The job in the terms of the advisor. Raises UnknownName."""
        return Workload(
            ml_model=self.model(job.model),
            method=job.method,
            precision=job.precision,
            quant=job.quant,
            optimizer=job.optimizer,
            batch=job.batch,
            seq_len=job.context,
            checkpointing=job.checkpointing,
            lora_rank=job.lora_rank,
            users=job.users,
            n_gpus=cards,
        )

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


def figure(found: Banded | Span, unit: str, scale: float = 1.0) -> Figure:
    """A figure as it goes out, rounded to what its band can bear; `scale` multiplies all three."""
    value, low, high = (round_to(float(one) * scale) for one in (found.value, found.low, found.high))
    return Figure(value=value, low=low, high=high, unit=unit)


def round_to(value: float, digits: int = 4) -> float:
    """The value with so many significant digits."""
    if not value or not math.isfinite(value):
        return value
    return round(value, digits - 1 - math.floor(math.log10(abs(value))))


def settings_of(work: Workload, assumed: Iterable[str]) -> Settings:
    """The filled-in job, and what was not given."""
    called = {"seq_len": "context", "ml_model": "model"}
    return Settings(
        model=work.ml_model.called,
        method=work.method.value,
        precision=work.precision.value if work.precision else None,
        quant=work.quant,
        batch=work.batch,
        context=work.seq_len,
        assumed=[called.get(one, one) for one in assumed],
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
