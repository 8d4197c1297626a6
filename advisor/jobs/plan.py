"""The plan of a job: its ways, and the one that is meant on each side. Nowhere else is a job completed.

The way that is meant is the one that was said; else the one a conversation is on, for the same job; else the first of
the ladder of its kind of work (data/usual.yaml) that fits; else the first that is tight; else the usual one, which then
does not fit. Sides that are weighed against each other share one way: the first that fits all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from advisor.errors import AdvisorError, UnknownName
from advisor.jobs.spoken import Means, Side, SideKind, Spoken
from advisor.jobs.usage import Usage, usage_of
from advisor.jobs.usual import Does
from advisor.jobs.verdict import Verdict, judge
from advisor.jobs.ways import Way, Ways, ways_of
from advisor.memory.figure import Figure, figure_of
from advisor.memory.results import Verdict as Word
from advisor.models import Gpu, MlModel

if TYPE_CHECKING:
    from advisor.catalog import Catalog


@dataclass(frozen=True, slots=True)
class Place:
    """What a way is judged on: so many of a card, or an amount of memory."""

    gpu: Gpu | None
    n: int = 1
    vram_gib: float | None = None
    """Of each card, where it was stated or the card is sold with several sizes."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The way that is meant on one side, and how it goes there."""

    place: Place
    way: Way
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Plan:
    """One job in all its ways, with the one that is meant on each side."""

    model: MlModel
    ways: Ways
    chosen: tuple[Chosen, ...]
    """One a side, in their order; empty without sides."""
    usage: Usage
    shared: bool = False
    """Several sides are weighed, and one way was chosen for all of them."""

    @property
    def usual(self) -> Way:
        """The way of somebody who names neither card nor way."""
        return self.ways.ladder[0]

    @property
    def way(self) -> Way:
        """The way that answers speak of: that of the first side."""
        return self.chosen[0].way if self.chosen else self.usual

    @property
    def without(self) -> tuple[Chosen, ...]:
        """Sides that the way does not fit."""
        return tuple(one for one in self.chosen if one.verdict.word is Word.NO)

    def table(self, place: Place) -> tuple[tuple[Way, Verdict], ...]:
        """Every way on one side; ways that no estimate supports are left out."""
        found = []
        for way in self.ways.all:
            verdict = judged(way, place)
            if verdict is not None:
                found.append((way, verdict))
        return tuple(found)


def plan(
    job: Spoken, sides: Sequence[Side], means: Means, catalog: Catalog, prefer: str | None = None
) -> tuple[Plan, ...]:
    """The plans of what was said, one for each model that was named.

    Args:
        job: what was said of the job; at least one model.
        sides: what it would run on; none for how much it takes.
        means: hours, money, limits.
        catalog: cards and models.
        prefer: code of the way that a conversation is on, for the same job.

    Raises:
        UnknownName: a card or model that the catalogue does not hold.
        LookupError: a kind of work without a usual way.
    """
    places = [place_of(side, catalog) for side in sides]
    usage = usage_of(means, cards=sum(place.n for place in places) or 1)
    models = [catalog.get_ml_model(name) for name in job.models]
    return tuple([plan_for(job, model, places, usage=usage, prefer=prefer) for model in models])


def plan_for(
    job: Spoken,
    model: MlModel,
    places: Sequence[Place] = (),
    *,
    usage: Usage | None = None,
    prefer: str | None = None,
    does: Does | None = None,
) -> Plan:
    """`plan` for one model and cards that were looked up."""
    ways = ways_of(job, model, does)
    preferred = next((way for way in ways.all if way.code == prefer), None)
    if preferred is not None:
        ways = replace(ways, ladder=(preferred,), beside=tuple(way for way in ways.all if way is not preferred))
    return Plan(model, ways, chosen_on(ways.ladder, places), usage or usage_of(Means()), len(places) > 1)


def place_of(side: Side, catalog: Catalog) -> Place:
    """A side as what a way is judged on. Raises UnknownName."""
    count, memory = side.count or 1, side.memory_gb
    if memory is None and side.memory_total_gb is not None:
        memory = side.memory_total_gb / count
    if side.kind is SideKind.MEMORY or not side.name:
        return Place(None, count, memory)
    variants = catalog.gpu_variants(side.name)
    if not variants:
        raise UnknownName(f"no card is called {side.name!r}", name=side.name)
    gpu = variants[0]
    return Place(gpu, count, memory if memory != gpu.vram_gib else None)


# --- the one rule ----------------------------------------------------------------------------------------------------


def chosen_on(ladder: Sequence[Way], places: Sequence[Place]) -> tuple[Chosen, ...]:
    """The first way that fits every place, else the first that may be tried on every one, else the first of all."""
    if not places or not ladder:
        return ()
    known: dict[tuple[int, int], Verdict | None] = {}

    def on(way: int, place: int) -> Verdict | None:
        key = (way, place)
        if key not in known:
            known[key] = judged(ladder[way], places[place])
        return known[key]

    at = _first(len(ladder), len(places), on)
    found = []
    for number, place in enumerate(places):
        verdict = on(at, number)
        if verdict is None:
            verdict = Verdict(Word.UNKNOWN, None, figure_of(ladder[at].on(place.n)), None, None, place.gpu, place.n)
        found.append(Chosen(place, ladder[at], verdict))
    return tuple(found)


def _first(ways: int, places: int, on: Callable[[int, int], Verdict | None]) -> int:
    for wanted in ((Word.FITS,), (Word.FITS, Word.TIGHT)):
        for way in range(ways):
            verdicts = [on(way, place) for place in range(places)]
            if all(one is not None and one.word in wanted for one in verdicts):
                return way
    return 0


def judged(way: Way, place: Place) -> Verdict | None:
    """A way on a place; None where no estimate supports it there."""
    try:
        return judge(figure_on(way, place.n), place.gpu, place.n, place.vram_gib)
    except AdvisorError:
        return None


def figure_on(way: Way, n: int) -> Figure:
    """What a way needs on each of `n` cards. Raises AdvisorError where no estimate is supported."""
    return figure_of(way.on(n))


def fewest(way: Way, gpu: Gpu, counts: Sequence[int]) -> tuple[Verdict | None, Verdict | None]:
    """The verdicts on the fewest of these cards that surely hold a way, and on the fewest that may."""
    tight: Verdict | None = None
    for n in counts:
        verdict = judged(way, Place(gpu, n))
        if verdict is None:
            break
        if verdict.word is Word.FITS:
            return verdict, tight
        if verdict.word is Word.TIGHT and tight is None:
            tight = verdict
    return None, tight
