"""Says what can be asked, with counts from the catalogue, so that new data shows up here by itself."""

from __future__ import annotations

from bot.core.answers import Outcome, answer_with
from bot.core.line import Figure, Line
from bot.core.message import fact_of
from bot.core.request import Request


def handle(request: Request) -> Outcome:
    """The overview: what it answers, from how much data, how fresh."""
    catalog = request.services.catalog
    newest = max((offer.as_of for offer in catalog.offers), default=None)
    released = [gpu for gpu in catalog.gpus.values() if gpu.release_date]
    latest = sorted(released, key=lambda gpu: (gpu.release_date, gpu.name))[-3:]
    counts = {
        "gpus": len(catalog.gpus),
        "ml_models": len(catalog.ml_models),
        "offers": len(catalog.offers),
        "providers": len({offer.provider for offer in catalog.offers}),
    }
    facts = tuple(fact_of(name=name, value=value, basis="count", as_of=newest) for name, value in counts.items())
    values = {name: Figure(count) for name, count in counts.items()}
    return answer_with(
        headline=(Line("help.what"),),
        lines=(Line("help.ask"), Line("help.held", {**values, "newest": newest})),
        more=(Line("help.latest", {"latest": tuple(gpu.name for gpu in reversed(latest))}),),
        facts=facts,
        is_talk=True,
        is_whole=True,
    )
