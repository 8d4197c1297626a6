"""What a comparison says: which side for what and by how much, then prices, what speaks for the others, the figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final

from advisor.jobs.verdict import Verdict
from advisor.models import Note
from advisor.speed.contest import Contender, Contest
from advisor.speed.uses import Uses
from bot.answers.choose.compare_figures import Difference, figures_of
from bot.answers.choose.compare_money import BY_MEMORY, of_one_size, runs_as_well
from bot.answers.choose.compare_paces import paces
from bot.answers.choose.compare_sides import Column, is_modified, job_named, price_named, side_named
from bot.answers.choose.side_jobs import SideJob
from bot.answers.choose.use_lines import held_by, use_headline, use_lines
from bot.answers.phrases import in_turn, model_named
from bot.core.claims import Claim, Kind
from bot.core.line import Block, Depth, Figure, Label, Line, Listing, Single, Worded, gib, measured

_AHEAD: Final = 1.15
"""So much faster at another job decides between sides that are even at the first."""
_CLEAR: Final = 1.07
"""Speeds that differ by less are called the same."""
_BESIDES: Final = frozenset({"speed_merit_bf16", "speed_merit_fp8", "speed_merit_nvlink"})
"""What a side has that the headline does not tell."""
_ROOMIER: Final = 1.25
"""So many times the memory decide between sides whose speed may be even."""
_EARLY: Final = frozenset({"contest_qlora", "contest_less_compute", "contest_less_compute_running", "spec_remark"})
"""Remarks that change what one would take."""
_MERITS: Final = 3
_FITS: Final = "fits"
_DEARER: Final = 1.3
"""So much more speed for the money makes price decide between sides that are as fast."""
_NAMED: Final = "yours"
_PRICES: Final = "cmp.prices"
_FOR_MEMORY: Final = "cmp.faster.memory"


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison with everything that is said of it."""

    made: Contest
    jobs: tuple[SideJob, ...]
    columns: tuple[Column, ...]
    use: Uses | None
    purpose: bool
    """Whether what the cards are for was said: then no other use is told first."""
    ranked: bool
    """Whether one order of the sides answers the question."""
    refused: bool
    """Whether the side for everything else does not hold the job that was named."""
    model: str
    gap: tuple[Note, ...]
    """How much dearer one side is, where that was asked."""
    notes: tuple[Note, ...]
    differing: tuple[Difference, ...]
    bandwidths: tuple[float, ...]
    priced: str
    """What value figures divide by: buy | rent | empty."""
    best: Column | None
    """The most speed for the money, where that is clear."""
    loser: Column | None
    """The side that keeps most reasons to exist."""
    trains: bool = False
    """Whether something is to be trained or tuned."""
    draws: bool = False
    """Whether pictures or clips are to be made."""
    usual: tuple[Verdict | None, ...] = ()
    """Of a job that all sides hold in a lighter way, the verdict on each in the usual one."""

    @property
    def winner(self) -> Contender | None:
        """The side to take for the first job."""
        return self.made.sides[self.made.winner] if self.made.winner is not None else None

    @property
    def by_use(self) -> Uses | None:
        """Which side for what, where that is the answer."""
        return None if self.ranked else self.use


def headline_of(told: Compared) -> Line:
    """The gap in price where it was asked for, else the verdict."""
    return Line("cmp.remark", {"note": told.gap[0]}) if told.gap else _verdict(told)


def _verdict(told: Compared) -> Line:
    use = told.by_use
    if use is not None and told.refused:
        return held_by(use, told.made, told.model)
    priced = of_one_size(told) or runs_as_well(told)
    if priced is not None:
        return priced
    if use is None:
        return _ranked(told)
    return use_headline(use, _purpose(told))


def _purpose(told: Compared) -> str:
    """What the sides are for: train | draw | run, "" where nothing was said of it."""
    if not told.purpose:
        return ""
    return "draw" if told.draws else "train" if told.trains else "run"


def _ranked(told: Compared) -> Line:
    reason = told.made.reason
    if reason in BY_MEMORY:
        return _held(told)
    if reason == "faster":
        return _faster(told)
    values: dict[str, Worded] = {
        "job": job_named(told.jobs[0]),
        "winner": side_named(told.winner) if told.winner is not None else None,
    }
    cheaper = _cheaper_of_even(told)
    if cheaper is not None:
        return Line("cmp.even.cheaper", {**values, "winner": side_named(cheaper.side)})
    if reason == "even":
        return _ahead_elsewhere(told, values) or Line("cmp.even.differing" if told.differing else "cmp.even", values)
    return Line(f"cmp.{reason}", values)


def _ahead_elsewhere(told: Compared, values: dict[str, Worded]) -> Line | None:
    """Of sides that are as fast at the first job, the one that is clearly ahead at the next."""
    leader, lead = _leader(told.made, 1) if len(told.jobs) > 1 else (None, 1.0)
    if leader is None or lead < _AHEAD:
        return None
    values = {**values, "winner": side_named(leader), "next": job_named(told.jobs[1]), "lead": Figure(lead, "times")}
    return Line("cmp.even.next", values)


def _cheaper_of_even(told: Compared) -> Column | None:
    """Of sides that all hold the job that was named, and are as fast at it, the one that clearly costs less."""
    named = told.jobs[0].code == _NAMED and told.made.reason.startswith("even")
    held = all(side.results and side.results[0].fits == _FITS for side in told.made.sides)
    return told.best if named and held and told.best is not None and (told.best.value or 0.0) >= _DEARER else None


def _held(told: Compared) -> Line:
    side = told.winner or told.made.sides[0]
    need = side.results[0].need_gib
    values: dict[str, Worded] = {
        "winner": side_named(told.winner) if told.winner is not None else None,
        "model": model_named(told.model),
        "need": gib(need) if need is not None else None,
    }
    if told.made.reason == "none_fits":
        return Line("cmp.none_fits", values)
    return Line("cmp.only_one_fits.each" if side.n > 1 else "cmp.only_one_fits", values)


def _faster(told: Compared) -> Line:
    """The first job's winner with its lead; where another side leads at the second job, that one for it."""
    made, winner = told.made, told.winner
    if winner is None or made.margin is None:
        return Line("cmp.unknown")
    unsure = Line("cmp.unsure") if float(made.margin.low) < 1 else None
    values: dict[str, Worded] = {
        "job": job_named(told.jobs[0]),
        "winner": side_named(winner),
        "other": side_named(_second(made)),
        "margin": measured(made.margin, "times"),
        "unsure": unsure,
    }
    leader, lead = (None, 1.0) if told.purpose else _leader(made, 1)
    rooms = _rooms_apart(winner, _second(made)) if unsure is not None else None
    if rooms is not None:
        return Line(_FOR_MEMORY, {**values, **rooms})
    if leader is None:
        return Line("cmp.faster.yours" if told.jobs[0].code == _NAMED else "cmp.faster", values)
    values |= {"next": job_named(told.jobs[1]), "leader": side_named(leader), "lead": Figure(lead, "times")}
    return Line("cmp.faster.both" if leader.name == winner.name else "cmp.faster.split", values)


def _rooms_apart(winner: Contender, other: Contender) -> dict[str, Worded] | None:
    """Memory of the faster side and of the other, where the first has clearly more: more than a doubtful speed."""
    more, less = winner.vram_gib or 0.0, other.vram_gib or 0.0
    if not less or more < _ROOMIER * less or winner.n != other.n:
        return None
    return {"more": Figure(more, "GB"), "less": Figure(less, "GB")}


def _second(made: Contest) -> Contender:
    """The fastest of the others at the first job."""
    others = [side for index, side in enumerate(made.sides) if index != made.winner]
    return max(others, key=lambda side: _factor(side, 0))


def _factor(side: Contender, row: int) -> float:
    found = side.results[row].factor if row < len(side.results) else None
    return float(found.value) if found is not None else 0.0


def _leader(made: Contest, row: int) -> tuple[Contender | None, float]:
    """The side that is clearly the fastest at a job, and its speed over the next one's."""
    ordered = sorted(made.sides, key=lambda side: -_factor(side, row))
    best, rest = _factor(ordered[0], row), _factor(ordered[1], row)
    if not best or not rest or best < _CLEAR * rest:
        return None, 1.0
    return ordered[0], best / rest


def remarks_of(told: Compared) -> tuple[Note, ...]:
    """Remarks that are no lines of their own."""
    return tuple(note for note in told.notes if note.code not in _EARLY)


# --- below the headline ----------------------------------------------------------------------------------------------


def lines_of(told: Compared, *, of_money: bool = False) -> tuple[Line, ...]:
    """What follows, the weightiest first; `of_money`: the headline tells of money, so the prices lead."""
    lines = tuple(_lines(told))
    if not of_money:
        return lines
    return (*_prices(told), *(line for line in lines if line.say != _PRICES))


def _lines(told: Compared) -> Iterator[Line]:
    yield from (Line("cmp.remark", {"note": note}) for note in told.gap[1:])
    if told.gap:
        yield _verdict(told)
    yield from (Line("cmp.remark", {"note": note}) for note in told.notes if note.code in _EARLY)
    yield from paces(told.jobs, told.made.sides)
    if told.use is not None:
        yield from use_lines(told.use, rated=told.made.margin is not None, writes=not told.draws)
        yield from _fit_of_each(told)
    yield from _differing(told)
    yield from _rooms(told)
    yield from _rebuilt(told)
    yield from _besides(told)
    yield from _prices(told)
    yield from _ratios(told)
    yield from _others(told)


def _fit_of_each(told: Compared) -> Iterator[Line]:
    """What a named model needs and which side holds it, where the headline tells by use."""
    first = told.made.sides[0].results[0] if told.made.sides[0].results else None
    if not told.model or told.made.reason in BY_MEMORY or first is None or first.need_gib is None:
        return
    each = tuple(
        Line("cmp.held", {"side": side_named(side), "fits": Label(side.results[0].fits, "verdict")})
        for side in told.made.sides
    )
    yield Line("cmp.need", {"model": model_named(told.model), "need": gib(first.need_gib), "each": each})


def _differing(told: Compared) -> Iterator[Line]:
    if told.use is None and told.differing:
        yield Line("cmp.differing", {"what": in_turn([one.said() for one in told.differing])})


def _rooms(told: Compared) -> Iterator[Line]:
    """The memory of each side, where neither the headline nor the uses have told it."""
    sizes = [side.vram_gib for side in told.made.sides]
    known = [size for size in sizes if size]
    if told.use is not None or told.made.reason in BY_MEMORY or len(known) < len(sizes):
        return
    if _verdict(told).say == _FOR_MEMORY:
        return
    if len(set(known)) == 1:
        yield Line("cmp.room.same", {"vram": Figure(known[0], "GB")})
        return
    each = [
        Line("cmp.room", {"side": side_named(side), "vram": Figure(size, "GB")})
        for side, size in zip(told.made.sides, known, strict=True)
    ]
    yield Line("cmp.rooms", {"each": in_turn(each)})


def _rebuilt(told: Compared) -> Iterator[Line]:
    """What is known of sides whose memory somebody changed."""
    names = tuple(side_named(side) for side in told.made.sides if is_modified(side))
    if names:
        yield Line("cmp.rebuilt", {"sides": names})


def _besides(told: Compared) -> Iterator[Line]:
    """What the faster side has beside its speed."""
    merits = next((one.side.merits for one in told.columns if one.side is told.winner), ())
    if told.use is None and told.winner is not None and told.made.reason == "faster":
        more = tuple(note for note in merits if note.code in _BESIDES)
        if more:
            yield Line("cmp.besides", {"side": side_named(told.winner), "merits": more})


def _prices(told: Compared) -> Iterator[Line]:
    if told.gap or not any(one.shown for one in told.columns):
        return
    each = [
        Line("cmp.price", {"side": side_named(one.side), "price": price_named(one.shown)})
        if one.shown is not None
        else Line("cmp.price.none", {"side": side_named(one.side)})
        for one in told.columns
    ]
    yield Line(_PRICES, {"each": in_turn(each)})


def _ratios(told: Compared) -> Iterator[Line]:
    """Speeds of all sides by job, those left out that the headline has told."""
    for row, job in enumerate(told.jobs):
        if _told(told, row) or not any(_factor(side, row) for side in told.made.sides):
            continue
        bandwidth = _colons([Figure(one) for one in told.bandwidths]) if told.bandwidths else None
        yield Line(
            "cmp.ratio",
            {
                "job": job_named(job),
                "speeds": _colons([_rated(side, row) for side in told.made.sides]),
                "bandwidth": bandwidth if job.code == "generate" else None,
            },
        )


def _told(told: Compared, row: int) -> bool:
    """Whether the headline tells this row: of two sides, one that is ahead, or the only one that does it."""
    if told.by_use is not None or len(told.made.sides) > 2:
        return False
    if told.made.reason == "only_one_fits":
        return row == 0
    return told.made.reason == "faster" and (row == 0 or _leader(told.made, row)[0] is not None)


def _rated(side: Contender, row: int) -> Single:
    factor = _factor(side, row)
    return Line("cmp.rated", {"side": side_named(side), "times": Figure(factor) if factor else None})


def _colons(values: Sequence[Single]) -> Single:
    return reduce(lambda left, right: Line("cmp.colon", {"left": left, "right": right}), values)


def _others(told: Compared) -> Iterator[Line]:
    """The most speed for the money, and what speaks for a side that was not taken."""
    value = value_named(told)
    if value is not None and (told.winner is None or told.best is None or told.best.side.name != told.winner.name):
        yield value
    if told.use is not None:
        return
    if told.winner is None:
        yield from (_merits("cmp.merits", one) for one in told.columns if one.side.merits)
    elif told.loser is not None:
        yield _merits("cmp.anyway", told.loser)


def value_named(told: Compared) -> Line | None:
    """The side with the most speed for the money; None where prices or speeds do not tell."""
    if told.best is None:
        return None
    rest = tuple(one.value for one in told.columns if one is not told.best and one.value is not None)
    claim = Claim(Kind.MOST, told.best.value or 0.0, rest)
    values: dict[str, Worded] = {"side": side_named(told.best.side)}
    return Line("cmp.value.buy" if told.priced == "buy" else "cmp.value.rent", values, claim)


def _merits(code: str, one: Column) -> Line:
    values: dict[str, Worded] = {"side": side_named(one.side), "merits": one.side.merits[:_MERITS]}
    return Line("cmp.anyway" if code == "cmp.anyway" else "cmp.merits", values)


# --- figures ---------------------------------------------------------------------------------------------------------


def blocks_of(told: Compared) -> tuple[Block, ...]:
    """Figures card by card, speeds, and what the documents say."""
    return tuple(_blocks(told))


def _blocks(told: Compared) -> Iterator[Block]:
    yield from figures_of(told.made, told.columns, told.jobs, brief=told.use is None)
    merits = tuple(_merits("cmp.merits", one) for one in told.columns if one.side.merits)
    if merits and told.winner is not None:
        yield Listing(merits, depth=Depth.DETAILS)
    if told.made.published:
        each = tuple(_published(one.code, one.low, one.value, one.high) for one in told.made.published)
        yield Listing(
            (Line("cmp.published", {"year": told.made.published[0].year, "each": each}),), depth=Depth.DETAILS
        )


def _published(code: str, low: float | None, value: float, high: float | None) -> Line:
    figure = Figure(value, "times", low=low, high=high)
    return Line("cmp.figure", {"what": Label(code, "figure"), "times": figure})
