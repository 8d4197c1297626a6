"""Scores the speed model on a file of published cases: one JSON line per case, then one per group.

The predictor sees the describing columns only (`advisor.speed.cases.DESCRIBING`); what was measured is read here, after
all predictions are made, for the summaries. Besides the error of each case they hold the two questions people ask: how
well one card is predicted from another on the same job, and several cards from one.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from advisor.catalog import Catalog, load_catalog
from advisor.errors import AdvisorError, BadData, Problem
from advisor.speed.cases import DESCRIBING, PLAIN, Case, read_case
from advisor.speed.predict import Prediction, predict

_OPTIONAL = frozenset({"notes", "software"})
_SETTING = ("group", "kind", "model", "task", "precision", "seq_len", "image_res")
"""What two lines must share to be the same job on different cards."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A prediction beside what was reported. `reason` stands when nothing was predicted."""

    ident: str
    group: str
    kind: str
    case: Case | None
    prediction: Prediction | None
    reason: str
    measured: float | None
    quality: str
    setting: tuple[str, ...]

    @property
    def error(self) -> float | None:
        """Relative error, positive when too much was predicted."""
        if self.prediction is None or not self.measured:
            return None
        return self.prediction.predicted / self.measured - 1.0

    @property
    def in_band(self) -> bool | None:
        """Whether the report lies in the 90 % band."""
        if self.prediction is None or self.measured is None:
            return None
        return self.prediction.low <= self.measured <= self.prediction.high

    def line(self) -> str:
        """The case as one line of JSON."""
        if self.prediction is None:
            return json.dumps({"case_id": self.ident, "unsupported": self.reason, "verdict": "unsupported"})
        made = self.prediction
        record = {
            "case_id": self.ident,
            "predicted": _rounded(made.predicted),
            "low": _rounded(made.low),
            "high": _rounded(made.high),
            "unit": made.unit,
            "verdict": "predicted",
        }
        return json.dumps(record)


def _rounded(value: float) -> float:
    return float(f"{value:.6g}")


def read_rows(path: Path) -> list[dict[str, str]]:
    """Rows of a case file. Raises BadData when it is no such file."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as handle:
            reader = csv.DictReader(handle)
            rows = [{key: value or "" for key, value in row.items() if key} for row in reader]
            missing = [name for name in PLAIN if name not in (reader.fieldnames or ()) and name not in _OPTIONAL]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadData([Problem(str(path), 1, f"cannot be read as CSV: {error}")]) from error
    if missing:
        raise BadData([Problem(str(path), 1, f"columns missing: {', '.join(missing)}")])
    return rows


def _predict(row: Mapping[str, str], catalog: Catalog) -> tuple[Case | None, Prediction | None, str]:
    seen = {name: row.get(name, "") for name in DESCRIBING}
    try:
        case = read_case(seen, catalog)
        return case, predict(case), ""
    except (AdvisorError, ValueError) as error:
        return None, None, str(error)


def _measured(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def score_rows(rows: Iterable[Mapping[str, str]], catalog: Catalog) -> list[Outcome]:
    """Predictions first, reports joined afterwards."""
    rows = list(rows)
    predictions = [_predict(row, catalog) for row in rows]
    return [
        Outcome(
            ident=row.get("case_id", ""),
            group=row.get("group", ""),
            kind=row.get("kind", ""),
            case=case,
            prediction=made,
            reason=reason,
            measured=_measured(row.get("value", "")),
            quality=row.get("quality", ""),
            setting=tuple(row.get(name, "") for name in _SETTING),
        )
        for row, (case, made, reason) in zip(rows, predictions, strict=True)
    ]


Known = tuple[Case, float, float]
"""A case with its prediction and its report."""


def _known(outcomes: Iterable[Outcome]) -> dict[tuple[str, ...], list[Known]]:
    found: dict[tuple[str, ...], list[Known]] = {}
    for one in outcomes:
        if one.case and one.prediction and one.measured:
            found.setdefault(one.setting, []).append((one.case, one.prediction.predicted, one.measured))
    return found


def _id(case: Case) -> str:
    return case.gpu.id if case.gpu else ""


def _card_pairs(outcomes: Iterable[Outcome]) -> Iterator[tuple[Known, Known]]:
    for members in _known(outcomes).values():
        single = [one for one in members if one[0].n_gpus == 1]
        yield from ((a, b) for a in single for b in single if _id(a[0]) != _id(b[0]))


def _scaling_pairs(outcomes: Iterable[Outcome]) -> Iterator[tuple[Known, Known]]:
    for members in _known(outcomes).values():
        single = [one for one in members if one[0].n_gpus == 1]
        many = [one for one in members if one[0].n_gpus > 1]
        yield from ((a, b) for a in many for b in single if _id(a[0]) == _id(b[0]))


def _ratio_errors(
    pairs: Iterable[tuple[Known, Known]], predicted: Callable[[Known, Known], float | None]
) -> list[float]:
    errors = []
    for one, other in pairs:
        guess = predicted(one, other)
        if guess is not None:
            errors.append(abs(guess / (one[2] / other[2]) - 1.0))
    return errors


def card_from_card(outcomes: Iterable[Outcome]) -> list[float]:
    """Errors of the ratio of two different single cards on the same job, over all pairs in both directions."""
    return _ratio_errors(_card_pairs(outcomes), lambda one, other: one[1] / other[1])


def bandwidth_rule(outcomes: Iterable[Outcome]) -> list[float]:
    """The same pairs by the simple rule that speed goes as memory bandwidth."""

    def by_bandwidth(one: Known, other: Known) -> float | None:
        first, second = (known[0].gpu and known[0].gpu.memory_bandwidth_gb_per_s for known in (one, other))
        return first / second if first and second else None

    return _ratio_errors(_card_pairs(outcomes), by_bandwidth)


def scaling_errors(outcomes: Iterable[Outcome]) -> list[float]:
    """Errors of the speed-up of several cards over one of the same kind on the same job."""
    return _ratio_errors(_scaling_pairs(outcomes), lambda one, other: one[1] / other[1])


def percent(values: list[float]) -> float | None:
    """Median in percent, None for nothing."""
    return round(100 * median(values), 1) if values else None


def summary(outcomes: Iterable[Outcome]) -> dict[str, object]:
    """Counts, median errors and coverage of the band of some outcomes."""
    outcomes = list(outcomes)
    errors = [one.error for one in outcomes if one.error is not None]
    bands = [one.in_band for one in outcomes if one.in_band is not None]
    pairs, scaled = card_from_card(outcomes), scaling_errors(outcomes)
    return {
        "cases": len(outcomes),
        "unsupported": sum(one.prediction is None for one in outcomes),
        "measured": len(errors),
        "median_abs_error_pct": percent([abs(error) for error in errors]),
        "median_error_pct": percent(errors),
        "in_band_pct": round(100 * sum(bands) / len(bands), 1) if bands else None,
        "card_from_card_pct": percent(pairs),
        "card_pairs": len(pairs),
        "scaling_pct": percent(scaled),
        "scaling_pairs": len(scaled),
    }


def groups_of(outcomes: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    """Outcomes by kind, then by source family and kind, then all together."""
    found: dict[str, list[Outcome]] = {}
    outcomes = list(outcomes)
    for one in sorted(outcomes, key=lambda o: o.kind):
        found.setdefault(f"kind:{one.kind}", []).append(one)
    for one in sorted(outcomes, key=lambda o: (o.group, o.kind)):
        found.setdefault(f"group:{one.group} {one.kind}", []).append(one)
    found["all"] = outcomes
    return found


def score_file(path: Path, catalog: Catalog | None = None) -> Iterable[str]:
    """Lines to print for a case file: cases in the order of the file, then summaries."""
    outcomes = score_rows(read_rows(path), catalog or load_catalog())
    yield from (one.line() for one in outcomes)
    for name, members in groups_of(outcomes).items():
        yield json.dumps({"summary": name, **summary(members)})
