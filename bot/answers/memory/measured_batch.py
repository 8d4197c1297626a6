"""What another batch takes, from what one batch was seen to take: bounds that hold whatever the model is."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import Final

from advisor.memory.fit import usable_gib
from bot.answers.common import named_gpus
from bot.core.answers import Answer, Decline, Outcome, answer_with, elicit_of
from bot.core.line import Figure, Line, Worded, gib
from bot.core.message import fact_of
from bot.core.request import Request

_SIDES: Final = 2
_MOSTLY: Final = 0.75
"""Share of what was seen that would have to stay as it is, from which it is unlikely that the larger batch fits."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One batch as it was seen, and the one that is asked about. Memory in GiB."""

    batch: int
    took: float
    wanted: int
    usable: float | None
    """What a job can get of the card; None where no card is named."""

    @property
    def most(self) -> float:
        """If all of it grew with the batch."""
        return self.took * self.wanted / self.batch

    @property
    def must_stay(self) -> float | None:
        """How much of it must not grow for the wanted batch to fit; None without a card."""
        if self.usable is None:
            return None
        ratio = self.wanted / self.batch
        return (self.took * ratio - self.usable) / (ratio - 1)

    @property
    def safe(self) -> int | None:
        """The largest batch that fits even if all of it grows."""
        return floor(self.batch * self.usable / self.took) if self.usable is not None else None


def seen_of(request: Request) -> Seen | None:
    """The batch and memory that were seen, and the larger batch that is asked about; None without all three."""
    sizes = sorted(set(request.heard.gigabytes))
    batches = request.heard.batches if sizes else ()
    if len(batches) != _SIDES or batches[0] >= batches[1]:
        return None
    nominal = _nominal(request, sizes)
    took = sizes[0]
    return Seen(batches[0], took, batches[1], usable_gib(None, nominal) if nominal is not None else None)


def is_asked(request: Request) -> bool:
    """Whether what was seen at one batch is to say what a larger one takes."""
    return seen_of(request) is not None


def handle(request: Request) -> Outcome:
    """Whether the larger batch fits, or the bounds of what it takes."""
    seen = seen_of(request)
    return _answer(seen) if seen is not None else elicit_of(slot="batch")


def _answer(seen: Seen) -> Answer:
    values: dict[str, Worded] = {
        "batch": seen.batch,
        "wanted": seen.wanted,
        "took": gib(seen.took),
        "most": gib(seen.most),
        "usable": gib(seen.usable) if seen.usable is not None else None,
        "stay": gib(max(seen.must_stay, 0.0)) if seen.must_stay is not None else None,
        "safe": seen.safe,
        "each": Figure(seen.took / seen.batch, "GiB"),
    }
    facts = [fact_of(name="vram_needed", value=seen.most, low=seen.took, high=seen.most, unit="GiB", basis="as seen")]
    if seen.safe is not None:
        facts.append(fact_of(name="safe_batch", value=seen.safe, basis="if all of it grows with the batch"))
    return answer_with(
        headline=(Line(_code(seen), values),),
        lines=(Line("measured_batch.why", values),),
        facts=tuple(facts),
    )


def _code(seen: Seen) -> str:
    """By how much of what was seen would have to stay as it is."""
    if seen.usable is None or seen.must_stay is None:
        return "measured_batch.bounds"
    if seen.most <= seen.usable:
        return "measured_batch.fits"
    if seen.must_stay >= seen.took:
        return "measured_batch.no"
    return "measured_batch.unlikely" if seen.must_stay > _MOSTLY * seen.took else "measured_batch.open"


def _nominal(request: Request, sizes: list[float]) -> float | None:
    """The memory of the card: that of the one that is named, else the larger of two amounts."""
    cards = named_gpus(request)
    if not isinstance(cards, Decline) and cards and cards[0].gpu.vram_gib:
        return float(cards[0].gpu.vram_gib)
    return sizes[-1] if len(sizes) == _SIDES else None
