"""Bands from residuals: what is left between prediction and report when the family that reported takes no part in it.

Two levels: families differ from each other (a program, a counter, a habit of reporting), and cases differ within a
family. A new question comes from a family that nobody has seen, so its band holds both. With few families the spread
between them is itself uncertain, which Student's t adds. Not used when an estimate is made.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median, pvariance
from typing import Final

from advisor.memory.bands import Band, Scatter
from advisor.memory.calibration import CALIBRATION, Calibration
from advisor.memory.figure import region_of
from advisor.memory.job import Metric
from advisor.memory.parts import parts_of
from advisor.memory.refit import Measured, grouped, in_plain_stack, predicted_gib, refit, touched_by
from advisor.memory.results import Region

MOST_OF_A_FAMILY: Final = 40
"""Rows of one family that enter the fit; a sweep of hundreds says no more than these."""
ENOUGH: Final = 10
"""Cases from which a program has a record of its own."""
_T: Final = (6.31, 2.92, 2.35, 2.13, 2.02, 1.94, 1.89, 1.86, 1.83, 1.81)
"""Student's t that holds 90 %, by families less one; 1.72 beyond."""
_T_MANY: Final = 1.72
_T_MOST: Final = 2.92
_ODD: Final = 1.2
"""Logarithm beyond which a report contradicts counting by a factor of three, and is left to the list of faults."""
_LEAST_SIGMA: Final = 0.03


@dataclass(frozen=True, slots=True)
class Trial:
    """One prediction of a case that took no part in the fit."""

    ident: str
    group: str
    region: Region
    program: str
    ratio: float
    """Measured over predicted; 1 where a bound is kept."""
    states: float = 0.0
    """Share of weights, gradients and the optimizer's state in what was predicted."""

    @property
    def error(self) -> float:
        """Relative error of the prediction."""
        return abs(1.0 / self.ratio - 1.0)


def thinned(cases: Iterable[Measured]) -> list[Measured]:
    """At most `MOST_OF_A_FAMILY` cases of each family, evenly taken."""
    kept: list[Measured] = []
    for family in grouped(cases).values():
        every = max(math.ceil(len(family) / MOST_OF_A_FAMILY), 1)
        kept += family[::every]
    return kept


def family_trials(cases: Sequence[Measured], *, plain: bool) -> list[Trial]:
    """Each family predicted with constants that were fitted without it; `plain`: and with its program forgotten."""
    fit_on = thinned(cases)
    touched = touched_by(fit_on)
    trials: list[Trial] = []
    for group, held in grouped(cases).items():
        ids = {id(one) for one in held}
        concerned = {name: members for name, members in touched.items() if not ids.isdisjoint(map(id, members))}
        others = [one for one in fit_on if one.case.group != group]
        calibration = refit(others, sweeps=1, touched=concerned) if concerned else CALIBRATION
        trials += [_trial(one, calibration, plain=plain) for one in (_tellable(held) if plain else held)]
    return trials


def _trial(one: Measured, calibration: Calibration, *, plain: bool) -> Trial:
    """One case predicted; `plain`: with its program forgotten."""
    case = replace(one.case, job=in_plain_stack(one.case.job)) if plain else one.case
    ratio = math.exp(one.off(predicted_gib(case, calibration)))
    region, states = region_of(one.case.job), parts_of(case.job, Metric.DEVICE).states
    return Trial(one.case.ident, one.case.group, region, one.case.job.stack.name, ratio, states)


def _tellable(cases: Iterable[Measured]) -> list[Measured]:
    """Without those whose peak is that of loading before sharding, a habit that a forgotten program cannot tell."""
    return [one for one in cases if not (one.case.job.sharded and one.case.job.stack.loads_before_sharding)]


def two_levels(trials: Iterable[Trial]) -> Band | None:
    """The band that family variance and case variance make, or None without a case."""
    families: dict[str, list[float]] = {}
    for one in trials:
        if abs(math.log(one.ratio)) < _ODD:
            families.setdefault(one.group, []).append(math.log(one.ratio))
    if not families:
        return None
    within = [pvariance(logs) for logs in families.values() if len(logs) > 1]
    case_variance = max(fmean(within) if within else 0.0, _LEAST_SIGMA**2)
    means = [median(logs) for logs in families.values()]
    family_variance = pvariance(means) if len(means) > 1 else case_variance
    degrees = len(means) - 1
    factor = min(_T[max(degrees, 1) - 1] if degrees <= len(_T) else _T_MANY, _T_MOST)
    centre = median(means) * degrees / (degrees + 2.0)  # a shift that few families show is only half believed
    reach = factor * math.sqrt(family_variance + case_variance)
    return Band(round(math.exp(centre - reach), 3), round(math.exp(centre + reach), 3))


def scattered(trials: Iterable[Trial]) -> Scatter | None:
    """How states and the rest scatter, by least squares on squared errors; every family weighs the same."""
    known = [one for one in trials if abs(math.log(one.ratio)) < _ODD]
    crowd = Counter(one.group for one in known)
    rows = [(one.states**2, (1.0 - one.states) ** 2, math.log(one.ratio) ** 2, 1.0 / crowd[one.group]) for one in known]
    ss, sr, rr = (sum(w * row[a] * row[b] for *row, w in rows) for a, b in ((0, 0), (0, 1), (1, 1)))
    se, re = (sum(w * row[a] * row[2] for *row, w in rows) for a in (0, 1))
    whole = ss * rr - sr * sr
    if not whole:
        return None
    squares = ((se * rr - re * sr) / whole, (ss * re - sr * se) / whole)
    return Scatter(*(round(math.sqrt(max(square, _LEAST_SIGMA**2)), 3) for square in squares))


def own_record(trials: Sequence[Trial]) -> Band | None:
    """The band that holds nine of ten of a program's own cases, None below `ENOUGH` of them."""
    logs = [math.log(one.ratio) for one in trials]
    if len(logs) < ENOUGH:
        return None
    centre = median(logs)
    distances = sorted(abs(one - centre) for one in logs)
    reach = max(distances[math.ceil(0.9 * len(distances)) - 1], _T_MANY * _LEAST_SIGMA)
    return Band(round(math.exp(centre - reach), 3), round(math.exp(centre + reach), 3))


def by_region(trials: Iterable[Trial]) -> Mapping[Region, list[Trial]]:
    """Trials by kind of job."""
    found: dict[Region, list[Trial]] = {region: [] for region in Region}
    for one in trials:
        found[one.region].append(one)
    return found


def inside(one: Trial, bands: Mapping[Region, Band], shared: Scatter) -> bool:
    """Whether what was measured lies in its band; `shared` is that of full training over several cards."""
    band = shared.band(one.states) if one.region is Region.MANY_GPUS else bands[one.region]
    return band.low <= one.ratio <= band.high


def coverage(trials: Iterable[Trial], bands: Mapping[Region, Band], shared: Scatter) -> float:
    """Share of cases in their band, each family weighing the same."""
    families: dict[str, list[bool]] = {}
    for one in trials:
        families.setdefault(one.group, []).append(inside(one, bands, shared))
    return fmean(sum(hits) / len(hits) for hits in families.values())


def coverage_left_out(trials: Sequence[Trial], bands: Mapping[Region, Band], shared: Scatter) -> float:
    """The same with each family's band made from the other families only; `bands` where none is left."""
    shares: list[float] = []
    for group in dict.fromkeys(one.group for one in trials):
        others = by_region(one for one in trials if one.group != group)
        made = {region: two_levels(members) or bands[region] for region, members in others.items()}
        spread = scattered(others[Region.MANY_GPUS]) or shared
        own = [inside(one, made, spread) for one in trials if one.group == group]
        shares.append(fmean(own))
    return fmean(shares)
