"""Section of the validation page on speed: families of sources, what was left out, bands, faults, limits of trust."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import expm1
from statistics import median
from typing import Final

from advisor.catalog import load_catalog
from advisor.errors import BadData, Problem
from advisor.files import load_yaml_files
from advisor.scoring_throughput import (
    Outcome,
    bandwidth_rule,
    card_from_card,
    percent,
    read_rows,
    scaling_errors,
    score_rows,
    summary,
)
from advisor.speed.bands import BANDS, band_name, band_of, spread_of
from advisor.speed.fitted import CONSTANTS
from advisor.speed.refit import Residual, residuals, without_each
from advisor.validation import CASES

OLD: Final = CASES / "throughput_cases.csv"
NEW: Final = CASES / "throughput_cases_2.csv"
FAMILIES: Final = CASES / "throughput_families.csv"
FAULTS: Final = CASES / "throughput_faults.yaml"
DOMINATING: Final = "lambda"
"""The family that makes up four fifths of the first cases."""
_SUSPICIOUS: Final = "C"

Left = Mapping[str, Sequence[tuple[Residual, float]]]


@dataclass(frozen=True, slots=True)
class Source:
    """One line of throughput_families.csv: a group of cases, the family it belongs to, what it was used for."""

    family: str
    role: str
    """first | build | check | later | last | last held"""


@dataclass(frozen=True, slots=True)
class Evidence:
    """All published cases after prediction."""

    old: list[Outcome]
    new: list[Outcome]
    sources: Mapping[str, Source]
    faults: Mapping[str, str]

    def family(self, one: Outcome) -> str:
        """Whose report it is."""
        return self.sources[one.group].family

    @property
    def usable(self) -> list[Outcome]:
        """Without suspicious reports and faults: what constants may be fitted on."""
        return [
            one
            for one in (*self.old, *self.new)
            if one.case and one.measured and one.quality != _SUSPICIOUS and one.ident not in self.faults
        ]


def _sources() -> dict[str, Source]:
    try:
        with FAMILIES.open(encoding="utf-8", newline="") as handle:
            return {row["group"]: Source(row["family"], row["role"]) for row in csv.DictReader(handle)}
    except (OSError, KeyError) as error:
        raise BadData([Problem(str(FAMILIES), 1, f"cannot be read: {error}")]) from error


@lru_cache(maxsize=1)
def evidence() -> Evidence:
    """Everything that was published and is kept with the tests. Raises BadData when the files are not there."""
    catalog, problems = load_catalog(), list[Problem]()
    faults = load_yaml_files([FAULTS], problems)
    if problems:
        raise BadData(problems)
    old, new = score_rows(read_rows(OLD), catalog), score_rows(read_rows(NEW), catalog)
    return Evidence(old, new, _sources(), {key: str(text) for key, text in faults[str(FAULTS)].items()})


@lru_cache(maxsize=1)
def left_out() -> Left:
    """Errors of each family by constants that were fitted without it."""
    known = evidence()
    return without_each(
        residuals((one.case, known.family(one), one.measured) for one in known.usable if one.case and one.measured)
    )


def coverage(left: Left) -> float:
    """Share of reports inside the band of their kind when their family took no part; every family counts the same."""
    shares = [sum(_inside(row, error) for row, error in members) / len(members) for members in left.values()]
    return sum(shares) / len(shares)


def _inside(row: Residual, error: float) -> bool:
    return abs(error) <= spread_of(row.basis, outside=row.outside)


def median_of_medians(left: Left, kind: str = "") -> float:
    """Median over families of their median relative error when left out; of one kind of estimate if named."""
    found = []
    for members in left.values():
        errors = [abs(expm1(error)) for row, error in members if not kind or band_name(row.basis) == kind]
        if errors:
            found.append(median(errors))
    return median(found)


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of the page."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join("" if cell is None else str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def _part_rows(known: Evidence) -> Iterable[tuple[object, ...]]:
    parts = {
        "first cases": known.old,
        f"first cases without {DOMINATING}": [one for one in known.old if known.family(one) != DOMINATING],
        "cases of 2023 to 2026": known.new,
        "of these, families that constants were built on": _of(known, "build"),
        "of these, families kept for the check": _of(known, "check"),
        "of these, local models looked up afterwards": _of(known, "later"),
        "of these, training, serving and pictures looked up last": _of(known, "last"),
        "of these, families of that search kept for the check": _of(known, "last held"),
    }
    for name, members in parts.items():
        facts = summary(members)
        families = {known.family(one) for one in members}
        medians = [value for value in (_median_of(known, members, family) for family in families) if value is not None]
        yield (
            name,
            facts["cases"],
            facts["unsupported"],
            facts["median_abs_error_pct"],
            round(100 * median(medians), 1),
            facts["in_band_pct"],
        )


def _of(known: Evidence, role: str) -> list[Outcome]:
    return [one for one in known.new if known.sources[one.group].role == role]


def _median_of(known: Evidence, outcomes: Iterable[Outcome], family: str) -> float | None:
    errors = [abs(one.error) for one in outcomes if known.family(one) == family and one.error is not None]
    return median(errors) if errors else None


def _family_rows(known: Evidence, left: Left) -> Iterable[tuple[object, ...]]:
    everything = [*known.old, *known.new]
    for family in sorted({one.family for one in known.sources.values()}):
        members = [one for one in everything if known.family(one) == family]
        within, out = _median_of(known, members, family), left.get(family, ())
        yield (
            family,
            len(members),
            sum(one.prediction is None for one in members) or None,
            None if within is None else round(100 * within),
            *_left_out_figures(out),
        )


def _left_out_figures(out: Sequence[tuple[Residual, float]]) -> tuple[int | None, int | None]:
    """Median error and share in the band of lines that were predicted without their family, in percent."""
    if not out:
        return None, None
    inside = sum(_inside(row, error) for row, error in out)
    return round(100 * median(abs(expm1(error)) for _, error in out)), round(100 * inside / len(out))


def _kind_rows(left: Left) -> Iterable[tuple[object, ...]]:
    for name, band in sorted(BANDS.items()):
        pairs = [pair for members in left.values() for pair in members if band_name(pair[0].basis) == name]
        half = band_of(name).half_width
        yield (
            name,
            band.sources,
            len(pairs),
            round(100 * median_of_medians(left, name)) if pairs else None,
            band.source,
            band.case,
            f"{1 / (1 + expm1(half)):.2f} to {1 + expm1(half):.2f}",
            "" if band.validated else "not validated",
        )


def _worst_rows(known: Evidence) -> Iterable[tuple[object, ...]]:
    measured = [one for one in (*known.old, *known.new) if one.error is not None and one.ident not in known.faults]
    measured.sort(key=lambda one: (-abs(one.error or 0.0), one.ident))
    for one in measured[:12]:
        case, made = one.case, one.prediction
        if case is None or made is None:
            continue
        card = f"{case.n_gpus} x {case.gpu.name}" if case.gpu else "processor"
        error = f"{100 * (one.error or 0.0):+.0f} %"
        yield one.ident, one.group, case.model, card, one.quality, one.measured, f"{made.predicted:.4g}", error


def _unsupported_rows(outcomes: Iterable[Outcome]) -> Iterable[tuple[object, ...]]:
    counted: dict[str, int] = {}
    for one in outcomes:
        if one.prediction is None:
            counted[one.reason] = counted.get(one.reason, 0) + 1
    yield from sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))


_CHECK: Final = """### The check on families that nobody had looked at

The cases of 2023 to 2026 were divided by family before anything was fitted (column `role` of
`throughput_families.csv`: within each area families in the order of a hash of their names, every second one built on).
Scored once, in November 2026, with constants of the other half: 122 of 1,812 lines not answered (6.7 %); medians by
family and kind 49 % in the middle: 9 to 23 % for tokens written by local models, 31 to 35 % for prompts, 8 to 15 % for
single-card training, 5 % for serving; but 36 to 72 % where the half that was built on had no family of the kind
(processors, experts in RAM, Whisper, training of image models with quantised weights) and 24 to 48 % for pictures and
videos. The target of 25 % was missed. After that the terms were mended and all families fitted.

The kept half has been read since, class by class, and more terms were mended: lengths that count what stands before a
test, scores that builds of 2024 write out, pieces of a prompt that follow each other over cards, blocks of matrices in
Apple's units, embeddings of each layer, a second socket, products of 8-bit numbers on processors, sums in 16 bits,
4-bit products in training, experts visited one by one.

In November 2026 161 more figures of local models were looked up (role `later`) and scored once before anything was
changed for them: tokens written 8.8 % in the middle (124, nine more than 30 % off), prompts 23 % (37, twelve more than
30 % off). What was wrong was then mended: the time in which a server chooses a token and hands it over, launches by the
card's clock, weights beside 4-bit experts, experts by the tokens that chose them, attention that had been slowed with
them, matrix units that local software leaves alone.

Then 90 figures of training, serving, pictures, clips and Macs from 19 sources were looked up, divided by source in the
order of a hash of their names (roles `last` and `last held`), and scored once before anything was changed: training of
decoders 17 % in the middle (too slow where kernels are fused), of pictures 33 %, clips 63 %, serving 14 %, tokens of
Macs 5 %. On the half that was built on these terms were found: chips whose tensor units run below the rate they are
built for feed them more easily (GeForce, L20, H20), attention loses nothing there, U-Nets move memory in other layers
than those that wait for launches, weights that are stored in few bits cost their widening and not a factor, casts to
8 bits that are part of other kernels, recipes that recompute, cards without tensor units. The kept half then stood at
11 % (training of decoders 11 %, before 14 %), by constants made without it. No family is unseen now: the figures below
are those of families left out one by one from the fit, not from thought.

Later terms, each kept because families left out of the fit were met better with it: scales that are found from Python
before each narrow product, 4-bit kernels made for single tokens, requests that reserve room for a whole answer, stages
that read the weights once for each part of a batch, iterations captured as one graph, launches one by one before
Ampere, prompts of 2048 tokens in one piece. Tried and left out, as they did not carry: another share of attention on
cards of other makers, launches of served prompts from Python. Lines that leave out what decides (which processor, which
size of the network, how many cards, how experts in RAM are stored) are refused since."""

_TRUST: Final = """### Where not to trust it

- Kinds marked "not validated" rest on fewer than three families; answers carry a band of a factor of about three.
- Processors reading prompts, and weights in RAM: which kernels a build has decides, and reports differ twofold.
- Pictures and videos where steps, size or frames are not said: the pipeline's usual ones are assumed, and stated.
- Training of picture models: five sources, whose programs differ by a factor of two in what they launch.
- Training on many cards: what hides behind computing differs between programs; distillation, reinforcement learning and
  training with weights in the machine's memory are not estimated.
- Several cards without NVLink at small batches: reports of the same machine differ by a factor of two.
- Depthwise networks, Transformer-XL and LSTMs rest on one or two families of 2020 to 2024."""


def section() -> str:
    """The speed section. Raises BadData when the cases are not there."""
    known, left = evidence(), left_out()
    everything = [*known.old, *known.new]
    blocks = [
        "## Speed",
        f"{len(known.old)} cases of the first collection and {len(known.new)} of 2023 to 2026 (at most 32 lines of a "
        f"source). {len(CONSTANTS)} constants are fitted, none of them of one source, card or model. "
        f"Left out, the median over {len(left)} families is {100 * median_of_medians(left):.0f} %, and "
        f"{100 * coverage(left):.0f} % of the reports of a family lie in the band. "
        "One card from another on the same job: "
        f"{percent(card_from_card(known.old))} % (by bandwidth alone {percent(bandwidth_rule(known.old))} %); several "
        f"cards from one: {percent(scaling_errors(known.old))} %.",
        table(
            ("cases", "lines", "not answered", "median error %", "median of families' medians %", "in band %"),
            _part_rows(known),
        ),
        _CHECK,
        "### Families",
        "Median errors in percent with all families in the fit, and with constants fitted anew without the family.",
        table(
            ("family", "lines", "not answered", "fitted", "left out", "in band % when left out"),
            _family_rows(known, left),
        ),
        "### Kinds of estimates and their bands",
        "Bands come from two variances of the logarithm of the errors of families left out: of families' means, and of "
        "cases around them (`advisor/speed/bands.py`).",
        table(
            ("kind", "families", "lines", "left out, median of families %", "family", "case", "90 % band", ""),
            _kind_rows(left),
        ),
        "### Faults in the cases",
        "Reported, never fitted: lines that contradict themselves or their own source.",
        table(("case", "why"), sorted(known.faults.items())),
        "### Worst cases",
        table(("case", "group", "model", "cards", "quality", "reported", "predicted", "error"), _worst_rows(known)),
        "### Not answered",
        table(("reason", "lines"), _unsupported_rows(everything)),
        _TRUST,
        "### Fitted constants",
        table(
            ("constant", "value", "start of the fit", "meaning"),
            ((name, one.value, one.start, one.meaning) for name, one in CONSTANTS.items()),
        ),
    ]
    return "\n\n".join(blocks) + "\n"
