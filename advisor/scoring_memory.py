"""Scores the memory model on a file of published cases: one JSON line per case, then one per group.

The predictor sees the describing columns only (`advisor.memory.cases.DESCRIBING`); what was measured is read here,
after all predictions are made, for the summary.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Final

from advisor.catalog import Catalog, load_catalog
from advisor.errors import AdvisorError, BadData, Problem, UnsupportedCombination
from advisor.memory.bands import LEFT_OPEN, Band
from advisor.memory.cases import DESCRIBING, OPTIONAL, Case, read_case
from advisor.memory.figure import band_of, doubts_of
from advisor.memory.fit import usable_gib
from advisor.memory.job import Metric
from advisor.memory.parts import parts_of
from advisor.memory.refit import Side, predicted_gib
from advisor.models import Gpu
from advisor.speed.case_names import find_gpu

_OPTIONAL = frozenset(OPTIONAL)


@dataclass(frozen=True, slots=True)
class Scored:
    """One case after prediction. `reason` stands when nothing was predicted."""

    ident: str
    group: str
    case: Case | None = None
    predicted: float = 0.0
    band: Band | None = None
    verdict: str = ""
    reason: str = ""

    def line(self) -> str:
        """The case as one line of JSON."""
        if self.band is None:
            return json.dumps({"case_id": self.ident, "unsupported": self.reason, "verdict": "unsupported"})
        record = {
            "case_id": self.ident,
            "predicted": round(self.predicted, 3),
            "low": round(self.predicted * self.band.low, 3),
            "high": round(self.predicted * self.band.high, 3),
            "unit": "GiB",
            "verdict": self.verdict,
        }
        return json.dumps(record)


def read_rows(path: Path) -> list[dict[str, str]]:
    """Rows of a case file. Raises BadData when it is no such file."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as handle:
            reader = csv.DictReader(handle)
            rows = [{key: value or "" for key, value in row.items() if key} for row in reader]
            missing = [name for name in DESCRIBING if name not in (reader.fieldnames or ()) and name not in _OPTIONAL]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadData([Problem(str(path), 1, f"cannot be read as CSV: {error}")]) from error
    if missing:
        raise BadData([Problem(str(path), 1, f"columns missing: {', '.join(missing)}")])
    return rows


def _verdict(case: Case, catalog: Catalog, gpu_name: str) -> str:
    """Whether the job fits the card a row names: fits, oom, or empty when no memory size is given."""
    if case.device_gib is None:
        return ""
    gpu = _card(catalog, gpu_name)
    need = parts_of(case.job, Metric.DEVICE).total
    return "fits" if need <= usable_gib(gpu, case.device_gib) else "oom"


def _card(catalog: Catalog, name: str) -> Gpu | None:
    """The card of a row, whatever its table adds to the name; None for one that the catalogue does not have."""
    try:
        return find_gpu(catalog, name) if name else None
    except UnsupportedCombination:
        return None


def predict(row: Mapping[str, str], catalog: Catalog) -> Scored:
    """Predict one row from its describing columns; anything that cannot be made out becomes `unsupported`."""
    ident, group = row.get("case_id", ""), row.get("group", "")
    seen = {name: row.get(name, "") for name in DESCRIBING}
    try:
        case = read_case(seen, catalog)
        value = predicted_gib(case)
    except (AdvisorError, ValueError) as error:
        return Scored(ident, group, reason=str(error))
    guessed = tuple(code for code in doubts_of(case.job) if code == "memory_shape_guessed")
    band = band_of(case.job, guessed, parts_of(case.job, Metric.DEVICE))
    if case.open:
        band = band.widened(LEFT_OPEN)
    return Scored(ident, group, case, value, band, _verdict(case, catalog, seen["gpu"]))


@dataclass(frozen=True, slots=True)
class Outcome:
    """A prediction beside what was reported."""

    scored: Scored
    task: str
    measured: float | None
    reported: str
    """measured | fits | oom"""
    side: Side = Side.EXACT

    @property
    def error(self) -> float | None:
        """Relative error, positive when too much was predicted."""
        if self.measured is None or self.scored.band is None:
            return None
        return self.scored.predicted / self.measured - 1.0

    @property
    def in_band(self) -> bool | None:
        """Whether the report lies in the 90 % band; of a bound, whether the band reaches its open side."""
        if self.measured is None or self.scored.band is None:
            return None
        band, value = self.scored.band, self.scored.predicted
        above = value * band.low <= self.measured or self.side is Side.AT_LEAST
        below = self.measured <= value * band.high or self.side is Side.AT_MOST
        return above and below

    @property
    def right(self) -> bool | None:
        """Whether fit or out-of-memory was told right; None where neither was reported."""
        if self.reported not in ("fits", "oom") or not self.scored.verdict:
            return None
        return self.scored.verdict == self.reported


_AT_MOST: Final = re.compile(r"\bunder\b|\bwithin\b|\bup to\b|\bless than\b|\"<|^<")
_AT_LEAST: Final = re.compile(r"\blower bound\b|\bat least\b|\bmore than\b")
_FILLED: Final = 0.93
"""Share of a card from which on a report of what it showed says that it was filled, not what was needed."""


def side_of(row: Mapping[str, str], measured: float | None) -> Side:
    """Whether a report is a size or a bound: by its words, or because it is the whole card."""
    words = f"{row.get('metric', '')}; {row.get('notes', '')}".lower()
    if _AT_LEAST.search(words):
        return Side.AT_LEAST
    device = row.get("device_gb", "")
    filled = bool(device and measured) and (measured or 0.0) >= _FILLED * float(device)
    return Side.AT_MOST if filled or _AT_MOST.search(words) else Side.EXACT


_TASKS = {
    "train-full": "full training",
    "lora": "LoRA",
    "qlora": "QLoRA",
    "inference": "inference",
    "load": "inference",
}


def score_rows(rows: Iterable[Mapping[str, str]], catalog: Catalog) -> list[Outcome]:
    """Predictions first, reports joined afterwards."""
    rows = list(rows)
    predictions = [predict(row, catalog) for row in rows]
    outcomes = []
    for row, scored in zip(rows, predictions, strict=True):
        text = row.get("measured_gib", "")
        measured = float(text) if text else None
        task = _TASKS.get(row.get("task", ""), row.get("task", ""))
        outcomes.append(Outcome(scored, task, measured, row.get("verdict", ""), side_of(row, measured)))
    return outcomes


def summary(outcomes: Iterable[Outcome]) -> dict[str, object]:
    """Counts, median absolute error, coverage of the band and decisions of some outcomes."""
    outcomes = list(outcomes)
    errors = [one.error for one in outcomes if one.error is not None]
    bands = [one.in_band for one in outcomes if one.in_band is not None]
    right = [one.right for one in outcomes if one.right is not None]
    return {
        "cases": len(outcomes),
        "unsupported": sum(one.scored.band is None for one in outcomes),
        "measured": len(errors),
        "median_abs_error_pct": _percent(median, [abs(error) for error in errors]),
        "median_error_pct": _percent(median, errors),
        "in_band_pct": _percent(fmean, bands),
        "decisions": len(right),
        "decisions_right": sum(right),
    }


def _percent(middle: Callable[[list[float]], float], values: Sequence[float]) -> float | None:
    """The middle of some values in percent; None for nothing."""
    return round(100 * middle(list(values)), 1) if values else None


def groups_of(outcomes: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    """Outcomes by kind of task, then by source family, then all together."""
    found: dict[str, list[Outcome]] = {}
    outcomes = list(outcomes)
    for key in ("task", "group"):
        for one in sorted(outcomes, key=lambda o: o.task if key == "task" else o.scored.group):
            name = one.task if key == "task" else one.scored.group
            found.setdefault(f"{key}:{name}", []).append(one)
    found["all"] = outcomes
    return found


def score_file(path: Path, catalog: Catalog | None = None) -> Iterable[str]:
    """Lines to print for a case file: cases in the order of the file, then summaries."""
    outcomes = score_rows(read_rows(path), catalog or load_catalog())
    yield from (one.scored.line() for one in outcomes)
    for name, members in groups_of(outcomes).items():
        yield json.dumps({"summary": name, **summary(members)})
