"""Section of the validation page on memory: families of sources, what was left out, bands, faults, constants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from statistics import median
from typing import Final

from advisor.catalog import load_catalog
from advisor.errors import Problem
from advisor.files import load_yaml_files
from advisor.memory.bands import BANDS, FAMILIES, PLAIN_BANDS, RECORDS, SHARED, SHARED_PLAIN, USUAL_SHARE
from advisor.memory.calibration import CALIBRATION, MEANING
from advisor.memory.refit import FITTED, Measured
from advisor.memory.residuals import Trial, by_region, coverage, coverage_left_out, family_trials, scattered, two_levels
from advisor.memory.results import Region
from advisor.memory.runtimes import GGML
from advisor.scoring_memory import Outcome, groups_of, read_rows, score_rows, summary
from advisor.validation import CASES

OLD: Final = CASES / "memory_cases.csv"
NEW: Final = CASES / "memory_cases_2.csv"
OWN: Final = CASES / "memory_cases_own.csv"
"""Published tables that were looked up for programs without a case in the other files; built on."""
SPLIT: Final = CASES / "memory_split.yaml"
FAULTS: Final = CASES / "memory_faults.yaml"
_SUSPICIOUS: Final = "C"
_TARGETS: Final = {"inference": 10, "LoRA": 12, "QLoRA": 12, "full training": 15}


@dataclass(frozen=True, slots=True)
class Evidence:
    """All published cases after prediction, by how they may be used."""

    old: list[Outcome]
    build: list[Outcome]
    held: list[Outcome]
    faults: Mapping[str, str]
    usable: list[Measured]
    """Of all files, without suspicious reports, faults, local runs that do not state their context, and measurements
    of a part (a cache, a loss, bare layers)."""


def _document(path: object) -> dict[str, object]:
    problems: list[Problem] = []
    content = load_yaml_files([CASES / str(path)], problems)
    return dict(content[str(CASES / str(path))])


@lru_cache(maxsize=1)
def evidence() -> Evidence:
    """Everything that was published and is kept with the tests. Raises BadData when the files are not there."""
    catalog = load_catalog()
    old_rows, new_rows = read_rows(OLD), [*read_rows(NEW), *read_rows(OWN)]
    split, faults = _document(SPLIT.name), {key: str(text) for key, text in _document(FAULTS.name).items()}
    rows = {row["case_id"]: row for row in (*old_rows, *new_rows) if row["case_id"] not in faults}
    old, new = score_rows(old_rows, catalog), score_rows(new_rows, catalog)
    measured = (_measured(one, rows[one.scored.ident]) for one in (*old, *new) if one.scored.ident in rows)
    held_back = split["held"]
    assert isinstance(held_back, list)
    sides: dict[bool, list[Outcome]] = {True: [], False: []}
    for one in new:
        sides[one.scored.group in held_back].append(one)
    return Evidence(old, sides[False], sides[True], faults, list(filter(None, measured)))


def _measured(one: Outcome, row: Mapping[str, str]) -> Measured | None:
    """A report that a fit may use; None for a part, a suspicious one, and a local run without its context."""
    case = one.scored.case
    if not case or case.only or not one.measured or row.get("quality", "") == _SUSPICIOUS:
        return None
    told = row["seq_len"] or case.job.stack.runtime is not GGML
    return Measured(case, one.measured, one.side) if told else None


@lru_cache(maxsize=2)
def left_out(*, plain: bool) -> tuple[Trial, ...]:
    """Every case predicted with constants fitted without its family; `plain`: and with its program forgotten."""
    return tuple(family_trials(evidence().usable, plain=plain))


def family_medians(outcomes: Iterable[Outcome]) -> dict[str, float]:
    """Median absolute error of each family that reports a size."""
    families: dict[str, list[float]] = {}
    for one in outcomes:
        if one.error is not None:
            families.setdefault(one.scored.group, []).append(abs(one.error))
    return {group: median(errors) for group, errors in families.items()}


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join("" if cell is None else str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def _group_rows(outcomes: list[Outcome]) -> Iterable[tuple[object, ...]]:
    for name, members in groups_of(outcomes).items():
        facts = summary(members)
        decisions = f"{facts['decisions_right']}/{facts['decisions']}" if facts["decisions"] else ""
        yield (
            name.replace("task:", "**").replace("group:", "") + ("**" if name.startswith("task:") else ""),
            facts["cases"],
            facts["unsupported"] or "",
            facts["measured"],
            facts["median_abs_error_pct"],
            facts["median_error_pct"],
            facts["in_band_pct"],
            decisions,
        )


_HEAD: Final = (
    "group",
    "cases",
    "refused",
    "measured",
    "median abs. error %",
    "bias %",
    "in band %",
    "decisions right",
)


def _percent(share: float) -> float:
    return round(100 * share, 1)


def _whole_rows(found: Evidence) -> Iterable[tuple[object, ...]]:
    """One line for each set: families weigh the same."""
    sets = (
        ("2017 to 2024", found.old),
        ("2024 to 2026", [*found.build, *found.held]),
        ("of these, built on", found.build),
        ("of these, held", found.held),
    )
    for name, outcomes in sets:
        clean = [one for one in outcomes if one.scored.ident not in found.faults]
        cells: list[object] = [name, len(family_medians(clean)), len(outcomes), len(outcomes) - len(clean)]
        for members in (clean, outcomes):
            refused = sum(one.scored.band is None for one in members)
            cells += [
                _percent(refused / len(members)),
                _percent(median(family_medians(members).values())),
                _percent(families_in_band(members)),
            ]
        yield tuple(cells)


def families_in_band(outcomes: Iterable[Outcome]) -> float:
    """Share of reports in their bands, each family weighing the same."""
    covered: dict[str, list[bool]] = {}
    for one in outcomes:
        if one.in_band is not None:
            covered.setdefault(one.scored.group, []).append(one.in_band)
    shares = [sum(hits) / len(hits) for hits in covered.values()]
    return sum(shares) / len(shares)


def _region_rows() -> Iterable[tuple[object, ...]]:
    named, plain = by_region(left_out(plain=False)), by_region(left_out(plain=True))
    for region in Region:
        members = named[region]
        errors = [one.error for one in members]
        apart = scattered(members) if region is Region.MANY_GPUS else None
        computed = apart.band(USUAL_SHARE) if apart else two_levels(members)
        yield (
            region.value,
            FAMILIES[region],
            len(members),
            _percent(median(errors)) if errors else "",
            _percent(median(one.error for one in plain[region])) if errors else "",
            f"{BANDS[region].low} to {BANDS[region].high}" + ("" if FAMILIES[region] > 1 else " (not validated)"),
            f"{computed.low} to {computed.high}" if computed else "",
            f"{PLAIN_BANDS[region].low} to {PLAIN_BANDS[region].high}",
        )


def _record_rows() -> Iterable[tuple[object, ...]]:
    for region, programs in RECORDS.items():
        for program, band in programs.items():
            yield region.value, program, f"{band.low} to {band.high}"


def _worst_rows(outcomes: Sequence[Outcome], faults: Mapping[str, str]) -> Iterable[tuple[object, ...]]:
    measured = [one for one in outcomes if one.error is not None and one.scored.ident not in faults and not one.in_band]
    measured.sort(key=lambda one: (-abs(one.error or 0.0), one.scored.ident))
    for one in measured[:12]:
        case = one.scored.case
        assert case is not None
        job = case.job
        yield (
            one.scored.ident,
            one.scored.group,
            job.model.name,
            one.task,
            f"b{job.batch} s{job.seq_len}" if job.seq_len > 1 else f"b{job.batch}",
            one.measured,
            round(one.scored.predicted, 2),
            f"{100 * (one.error or 0.0):+.0f} %",
        )


def _fault_rows(found: Evidence) -> Iterable[tuple[object, ...]]:
    """Faults by what is wrong, with the rows that share it."""
    groups: dict[tuple[str, str], list[str]] = {}
    for one in (*found.old, *found.build, *found.held):
        reason = found.faults.get(one.scored.ident)
        if reason:
            groups.setdefault((one.scored.group, reason), []).append(one.scored.ident)
    for (group, reason), idents in groups.items():
        shown = ", ".join(idents[:6]) + (f" and {len(idents) - 6} more" if len(idents) > 6 else "")
        yield group, reason, shown


FILLED: Final = frozenset({"bert-oom", "llm-foundry", "nvidia-dle", "yolov5"})
"""Sources whose tables give the largest batch of each card: their cards are full on purpose."""


def decisions(*, filled: bool) -> tuple[int, int]:
    """Reports of a job that fits or runs out of memory that are told right, and all of them, faults left out.

    `filled`: with those of sources that fill cards on purpose.
    """
    found = evidence()
    told = [
        one.right
        for one in (*found.old, *found.build, *found.held)
        if one.right is not None and one.scored.ident not in found.faults and (filled or one.scored.group not in FILLED)
    ]
    return sum(told), len(told)


def _decided() -> str:
    (right, of), (alone, of_alone) = decisions(filled=True), decisions(filled=False)
    return (
        f"Whether a job fits or runs out of memory is told right in {right} of {of} reports "
        f"({_percent(right / of)} %), and in {alone} of {of_alone} ({_percent(alone / of_alone)} %) without the "
        f"sources that fill cards on purpose ({', '.join(sorted(FILLED))})."
    )


def _constant_rows() -> Iterable[tuple[object, ...]]:
    for one in fields(CALIBRATION):
        meaning, fitted_on = MEANING[one.name]
        yield one.name, getattr(CALIBRATION, one.name), "yes" if one.name in FITTED else "", meaning, fitted_on


_FIRST_READING: Final = (
    "The held families were read once with constants and bands made without them (2026-11-22): median of family "
    "medians 26.8 %, 70.5 % in band, 6.1 % of rows refused. What was wrong there for reasons of reading or of counting "
    "was mended afterwards (experts cut over cards, masters of ZeRO-1, decoders of the GPT-2 kind, blocks that a "
    "drawing pipeline keeps, usual batches and contexts, losses that are compiled or stand alone, gradients in 16 bits "
    "and those of the block at work), and the bands in force are made from all families. The "
    "figures of the table are of today, so the held half is no longer unseen."
)
_TRUST: Final = """### Where not to trust it

Answers in these regions carry a note that says so, or a band that shows it.

- Kinds of jobs behind which a single family stands are marked "not validated"; their bands are set wide.
- Full training sharded over several cards: programs differ in what they gather and keep, a third off is common.
- Recomputation that a report does not state is taken so that the card named could hold the run.
- Streaming the layers of a language model from RAM, training of speech models: counted, no case at hand.
- Reinforcement learning: what generation holds beside training is a share of the card that its program takes.
- Detectors beyond the measured ones: activations follow a power law of operations anchored on two batch sizes.
- Image training in programs that quantise inputs on the way (dynamic fp8): one family, one factor.
- Cards that were filled on purpose and figures like "under 5 GB" are bounds: only their closed side counts.
"""


def section() -> str:
    """The memory section. Raises BadData when the cases are not there."""
    found = evidence()
    named, plain = left_out(plain=False), left_out(plain=True)
    blocks = [
        "## Memory",
        f"{len(found.old)} published cases up to 2024 and {len(found.build) + len(found.held)} of 2024 to 2026. A "
        "family is a source; all families weigh the same, however many rows they have. Of the newer families half were "
        "built on and half held (`tests/evaluation/memory_split.yaml`, fixed beforehand). Faults are the rows listed "
        "below that contradict themselves or do not describe their job; the last three columns hold them, too. Of a "
        "report of training that does not say its batch the band is squared: an answer names the batch it took, a "
        "report may have meant any.",
        _table(
            (
                *("cases", "families", "rows", "faults", "refused %", "median of family medians %", "in band %"),
                *("with faults: refused %", "median %", "in band %"),
            ),
            _whole_rows(found),
        ),
        _decided(),
        _FIRST_READING,
        "### Families left out",
        "Each family predicted with constants fitted without it. In the bands in force "
        f"{_percent(coverage(named, BANDS, SHARED))} % of what was reported lies inside; with bands made from the "
        f"other families only {_percent(coverage_left_out(named, BANDS, SHARED))} %, and "
        f"{_percent(coverage_left_out(plain, PLAIN_BANDS, SHARED_PLAIN))} % where the program is forgotten, too.",
        _table(
            (
                *("kind of job", "families", "cases", "median error %", "program forgotten %"),
                *("band", "computed anew", "band, program unknown"),
            ),
            _region_rows(),
        ),
        f"Full training over several cards ({Region.MANY_GPUS.value}) has two spreads: of states, which are counted, "
        "and of all else. The band above is of a need that is seven tenths states; with 95 % of them it is "
        f"{SHARED.band(0.95).low} to {SHARED.band(0.95).high} ({SHARED_PLAIN.band(0.95).low} to "
        f"{SHARED_PLAIN.band(0.95).high} where the program is unknown), with 20 % {SHARED.band(0.2).low} to "
        f"{SHARED.band(0.2).high} ({SHARED_PLAIN.band(0.2).low} to {SHARED_PLAIN.band(0.2).high}).",
        "Programs with ten cases or more of a kind have a record of their own:",
        _table(("kind of job", "program", "band"), _record_rows()),
        "### Cases up to 2024",
        f"Bold rows are kinds of work (targets: {', '.join(f'{task} {most} %' for task, most in _TARGETS.items())}), "
        "the others source families.",
        _table(_HEAD, _group_rows(found.old)),
        "### Cases of 2024 to 2026, built on",
        _table(_HEAD, _group_rows(found.build)),
        "### Cases of 2024 to 2026, held",
        _table(_HEAD, _group_rows(found.held)),
        "### Worst cases outside their bands",
        _table(
            ("case", "group", "model", "work", "size", "reported GiB", "predicted GiB", "error"),
            _worst_rows((*found.old, *found.build, *found.held), found.faults),
        ),
        "### Faults in the cases",
        "Reported, not fitted.",
        _table(("group", "what is wrong", "rows"), _fault_rows(found)),
        _TRUST.strip(),
        "### Calibrated constants",
        "Constants that all programs share. Those marked were fitted, the others counted or set by one observation. "
        "Beside them stand contexts and allocator slack of seven runtimes (`memory/runtimes.py`).",
        _table(("constant", "value", "fitted", "meaning", "set by"), _constant_rows()),
    ]
    return "\n\n".join(blocks) + "\n"
