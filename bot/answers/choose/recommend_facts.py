"""What a recommendation holds to be true, where it is from, and the picture of price against speed."""

from __future__ import annotations

from advisor.jobs.plan import Place, judged
from advisor.recommend import Recommendation
from bot.answers.asked_job import verdict_facts
from bot.answers.choose.offers import Shown, price_fact
from bot.answers.choose.wishes import Wish
from bot.answers.common import fact, step_sources
from bot.core.message import Chart, Fact, fact_of
from bot.core.pictures import choice_chart


def facts_of(wish: Wish, found: Recommendation, views: list[Shown], other: Shown | None) -> tuple[Fact, ...]:
    """The need, each pick with its price, the other way, what would change the pick, what was left out, the verdict."""
    need = found.requirement
    if need.estimate is not None:
        needed = fact("vram_needed", need.estimate)
    else:
        needed = fact_of(name="vram_needed", value=need.gib, unit="GiB", basis=need.basis)
    return (
        needed,
        *(one for place, view in enumerate(views) for one in _pick_facts(place, view)),
        *_other_facts(other),
        *_flip_facts(found),
        *(fact_of(name=group.reason.code, value=group.count, unit="cards") for group in found.ruled_out),
        *_way_facts(wish, found),
    )


def _pick_facts(place: int, view: Shown) -> list[Fact]:
    name = "pick" if place == 0 else f"runner_up_{place}"
    facts = [
        fact_of(name=name, value=view.name, basis=view.channel),
        fact_of(name=f"{name}_count", value=view.n),
        fact_of(name=f"{name}_vram", value=view.vram_gib, unit="GiB"),
        price_fact(f"{name}_price", view),
    ]
    if place and view.speed_ratio is not None:
        ratio = round(view.speed_ratio, 3)
        facts.append(fact_of(name=f"{name}_speed", value=ratio, unit="x", basis="against the pick"))
    return facts


def _other_facts(other: Shown | None) -> list[Fact]:
    if other is None:
        return []
    return [
        fact_of(name="other_way", value=other.name, basis=other.channel),
        price_fact("other_way_price", other),
        fact_of(name="other_way_vram", value=other.vram_gib, unit="GiB"),
    ]


def _flip_facts(found: Recommendation) -> list[Fact]:
    return [
        fact_of(
            name=f"flip_{flip.axis}_{flip.direction}",
            value=flip.at,
            low=flip.last,
            unit=flip.unit,
            basis=flip.winner or "nothing",
        )
        for flip in found.flips
    ]


def _way_facts(wish: Wish, found: Recommendation) -> list[Fact]:
    """The way that cards were judged by, and the verdict on the pick."""
    if wish.way is None or found.winner is None:
        return []
    verdict = judged(wish.way, Place(found.winner.option.gpu, found.winner.option.n))
    if verdict is None:
        return []
    return [one for one in verdict_facts(verdict, wish.way) if one.name != "vram_needed"]


def sources_of(found: Recommendation, views: list[Shown], other: Shown | None) -> list[str]:
    """Ids of what it rests on: the pick's price first."""
    ids = [view.source for view in views[:1]]
    ids += step_sources(found.trace)
    ids += [view.source for view in (*views[1:], *((other,) if other else ()))]
    if found.requirement.guide_rows:
        ids.append("seed-002")
    return [source for source in ids if source]


def chart_of(found: Recommendation) -> Chart | None:
    """Price against speed of what was ranked; None with fewer than two speeds."""
    work, winner = found.need.workload, found.winner
    job = work.ml_model.called if work is not None else ""
    return choice_chart(found.ranked, winner.option if winner else None, found.need.currency, job)
