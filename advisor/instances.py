"""The machines by which clouds let cards, read from the notes of offers."""

from __future__ import annotations

import re
from decimal import Decimal

from advisor.models import Frozen, Offer


class Instance(Frozen):
    """The machine by which a cloud lets a card, as its price list calls it."""

    name: str
    hourly: Decimal | None = None
    """Of the whole machine, in the currency of the offer."""
    gpus: int = 0

    @property
    def family(self) -> str:
        """The name without its size: p5 of p5.48xlarge."""
        return self.name.partition(".")[0]


_INSTANCE = re.compile(
    r"(?P<name>[A-Za-z]{1,4}\d\w*(?:\.\w+)?)(?:; instance (?P<hourly>[\d.]+) [A-Z]{3}/h, (?P<gpus>\d+) GPU|;|$)"
)


def instance_of(offer: Offer) -> Instance | None:
    """The machine that the note of an offer begins with; None where it names none."""
    found = _INSTANCE.match(offer.note)
    if found is None:
        return None
    hourly = Decimal(found["hourly"]) if found["hourly"] else None
    return Instance(name=found["name"], hourly=hourly, gpus=int(found["gpus"] or 0))
