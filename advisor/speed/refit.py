"""Fits the constants anew without a source, so that bands rest on what the model does on sources it never saw.

Errors are logarithms of predicted over reported. The fit minimises their capped squares, weighed so that a source with
many lines counts little more than one with few, with a pull of each constant towards `start`. Around the constants in
use every prediction is taken as linear in their logarithms; leaving a source out is then the solution of one small
system of equations, for all constants at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import copysign, exp, log

from advisor.errors import AdvisorError
from advisor.speed.bands import OUTSIDE_SPREAD, Band, band_name
from advisor.speed.cases import Case
from advisor.speed.fitted import CONSTANTS, FITTED, trial
from advisor.speed.predict import unlike_measured, value_of

_STEP = 0.02
"""Change of a constant's logarithm by which slopes are taken."""
_PULL = 0.35
"""Weight of the pull towards `start`, per logarithm."""
_CAP = 0.3
"""Errors beyond this count less and less."""
_CROWD = 0.4
"""A source's lines of one kind share a weight that grows with their number to the power of one less this."""
_FARTHEST = 0.7
"""A constant moves by no more than this in logarithm when a source is left out: slopes hold only nearby."""


@dataclass(frozen=True, slots=True)
class Residual:
    """One line: who published it, what kind of estimate it is, and how far off."""

    ident: str
    family: str
    basis: str
    error: float
    """Logarithm of predicted over reported."""
    slopes: Mapping[str, float]
    """Change of `error` by the logarithm of each constant it depends on."""
    weight: float
    outside: bool = False
    """On a kind of card that few sources measured, for which bands are wider by `bands.OUTSIDE_SPREAD`."""


def _predicted(case: Case) -> tuple[float, str] | None:
    try:
        value, basis = value_of(case)
    except AdvisorError:
        return None
    return (log(value), basis) if value > 0 else None


def residuals(cases: Iterable[tuple[Case, str, float]]) -> list[Residual]:
    """Errors and slopes of all lines that are answered.

    Args:
        cases: each line with its source family and what it reports.
    """
    kept: list[tuple[Case, str, float, float, str]] = []
    for case, family, measured in cases:
        made = _predicted(case)
        if made is not None and measured > 0:
            kept.append((case, family, log(measured), *made))
    slopes: list[dict[str, float]] = [{} for _ in kept]
    for name in CONSTANTS:
        with trial({name: FITTED[name] * exp(_STEP)}):
            for number, (case, _, _, before, _) in enumerate(kept):
                after = _predicted(case)
                if after is not None and after[0] != before:
                    slopes[number][name] = (after[0] - before) / _STEP
    crowd: dict[tuple[str, str], int] = {}
    for _, family, _, _, basis in kept:
        crowd[family, basis] = crowd.get((family, basis), 0) + 1
    return [
        Residual(
            case.case_id,
            family,
            basis,
            before - measured,
            slopes[number],
            crowd[family, basis] ** -_CROWD / max(1.0, abs(before - measured) / _CAP),
            unlike_measured(case, basis),
        )
        for number, (case, family, measured, before, basis) in enumerate(kept)
    ]


def _system(rows: Iterable[Residual], names: Sequence[str]) -> tuple[list[list[float]], list[float]]:
    """Normal equations of some lines."""
    place = {name: number for number, name in enumerate(names)}
    matrix = [[0.0] * len(names) for _ in names]
    right = [0.0] * len(names)
    for row in rows:
        pairs = [(place[name], slope) for name, slope in row.slopes.items()]
        for one, slope in pairs:
            right[one] -= row.weight * slope * row.error
            weighed = row.weight * slope
            line = matrix[one]
            for other, also in pairs:
                line[other] += weighed * also
    return matrix, right


def _solve(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Gaussian elimination with pivots; the pull towards `start` keeps the system regular."""
    size = len(right)
    rows = [[*line, value] for line, value in zip(matrix, right, strict=True)]
    for at in range(size):
        best = max(range(at, size), key=lambda number: abs(rows[number][at]))
        rows[at], rows[best] = rows[best], rows[at]
        for below in range(at + 1, size):
            factor = rows[below][at] / rows[at][at]
            if factor:
                rows[below] = [a - factor * b for a, b in zip(rows[below], rows[at], strict=True)]
    found = [0.0] * size
    for at in range(size - 1, -1, -1):
        rest = sum(rows[at][other] * found[other] for other in range(at + 1, size))
        found[at] = (rows[at][size] - rest) / rows[at][at]
    return found


def without_each(rows: Sequence[Residual]) -> dict[str, list[tuple[Residual, float]]]:
    """For each family its lines with their errors by constants fitted without it."""
    names = list(CONSTANTS)
    matrix, _ = _system(rows, names)  # the constants in use are the optimum of all lines: no gradient is left there
    for number in range(len(names)):
        matrix[number][number] += _PULL**2
    families: dict[str, list[Residual]] = {}
    for row in rows:
        families.setdefault(row.family, []).append(row)
    return {family: _left_out(members, matrix, names) for family, members in sorted(families.items())}


def _left_out(
    members: Sequence[Residual], matrix: list[list[float]], names: Sequence[str]
) -> list[tuple[Residual, float]]:
    """The lines of one family with their errors by constants fitted to all other lines of the `matrix`."""
    own, gradient = _system(members, names)
    less = [[a - b for a, b in zip(line, mine, strict=True)] for line, mine in zip(matrix, own, strict=True)]
    moved = _solve(less, [-part for part in gradient])
    shift = {name: max(-_FARTHEST, min(_FARTHEST, move)) for name, move in zip(names, moved, strict=True)}
    return [(row, row.error + sum(slope * shift[name] for name, slope in row.slopes.items())) for row in members]


def bands_of(left_out: Mapping[str, Sequence[tuple[Residual, float]]]) -> dict[str, Band]:
    """The band of each kind of estimate, from errors of families that were left out (`without_each`).

    The first variance is the mean square of the families' mean errors, their common bias among them; the second the
    mean square of errors around the family's mean. Errors beyond a factor of `_WILDEST` count as that; those on kinds
    of cards whose bands are wider count without what that adds.
    """
    kinds: dict[str, dict[str, list[float]]] = {}
    for family, members in left_out.items():
        for row, error in members:
            own = error - copysign(min(abs(error), OUTSIDE_SPREAD), error) if row.outside else error
            capped = max(-log(_WILDEST), min(log(_WILDEST), own))
            name = band_name(row.basis)
            for counted in (name, *_PART_OF.get(name, ())):
                kinds.setdefault(counted, {}).setdefault(family, []).append(capped)
    made = {}
    for basis, families in kinds.items():
        means = {family: sum(errors) / len(errors) for family, errors in families.items()}
        source = sum(value**2 for value in means.values()) / len(means)
        inner = [
            sum((error - means[family]) ** 2 for error in errors) / len(errors) for family, errors in families.items()
        ]
        made[basis] = Band(round(source**0.5, 3), round((sum(inner) / len(inner)) ** 0.5, 3), len(means))
    return made


_PART_OF: Mapping[str, tuple[str, ...]] = {"shared experts": ("decoder",)}
"""Kinds that too few sources measured to stand alone: their errors still say how far off the wider kind is."""
_WILDEST = 3.5
"""Reports further off than this factor contradict themselves or leave out what decides (VALIDATION.md lists them)."""
