"""What is said of how fast a job runs or how long it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from advisor.models import Estimate, Note, Step
from bot.answers.phrases import cards_named, model_named, used_way, way_named
from bot.answers.speed.lent import Lent
from bot.answers.speed.pace import Span, span_of
from bot.core.line import Block, Depth, Figure, Label, Line, Listing, Single, Table, Worded
from bot.core.message import Language

ROUND_SAMPLES: Final = 10_000
"""What a pace is told by where nobody said how much data there is."""
ROUND_STEPS: Final = 1_000
"""The same where pictures or clips are trained on, which people count in steps."""
_DIGITS: Final = 2
_TWO: Final = 2
_CLEAR: Final = 1.07
"""Speeds that differ by less are called the same."""


@dataclass(frozen=True, slots=True)
class Run:
    """One set-up: a card, or several of a kind, on the job."""

    gpu: str
    n: int
    model: str
    method: str
    format: str
    kind: str
    """generate | train"""
    rate: Estimate
    unit: str
    """img | seq | tok, a second."""
    bound: str
    fits: str
    trace: Step
    notes: tuple[Note, ...] = ()
    users: int = 1
    per_user: float | None = None
    lengths: tuple[int, int] | None = None
    """Tokens that each of many requests is read with and answered with."""
    prefill: Estimate | None = None
    hours: Estimate | None = None
    """Of the whole run, when the amount of data is known."""
    round_hours: Estimate | None = None
    """Of so many samples, when it is not."""
    in_steps: bool = False
    """Its round is one of steps."""
    lent: Lent | None = None
    """What of it lies in the machine's RAM, where it is told at that pace."""
    by_turns: bool = False
    cached: bool = False
    length: int | None = None

    @property
    def card(self) -> Line:
        """The card, or so many of it."""
        return cards_named(self.gpu, self.n)

    @property
    def too_big(self) -> bool:
        """Whether it does not fit, and is not told at the pace of a part in RAM."""
        return self.fits == "no" and self.lent is None


@dataclass(frozen=True, slots=True)
class Data:
    """What is trained on, and how often."""

    name: str
    samples: float | None
    epochs: float
    tokens: float | None
    batch: int | None
    length: int | None = None
    """Tokens that a sample of one's own is counted with."""
    deadline: float | None = None
    """Hours that there are."""
    steps: float | None = None
    """Optimizer steps, where the amount was said in them."""
    took: float | None = None
    """Hours that a run of an unknown amount took, where it is asked whether that is as it should be."""


def headline(
    runs: Sequence[Run], data: Data, language: Language, smaller: Run | None = None, *, by_cards: bool = False
) -> Line:
    """The figure of the first set-up with what it rests on; of one that does not fit that of the way that does.

    `by_cards`: nobody said how many cards there are, so the hours of all cards together come first.
    """
    if by_cards and runs[0].hours is not None and not runs[0].too_big:
        return _card_hours(runs[0], runs[0].hours, data, language)
    if smaller is not None:
        return _instead(runs[0], smaller, data, language)
    return _apart(runs, data) or _headline(runs[0], data, language)


def _apart(runs: Sequence[Run], data: Data) -> Line | None:
    """How far two set-ups are apart, the faster one first; None where they are not two, or do not do the same."""
    if len(runs) != _TWO or data.deadline is not None or any(not _compares(run) for run in runs):
        return None
    fast, slow = sorted(runs, key=lambda run: -run.rate.value)
    if fast.card == slow.card or (fast.format, fast.length) != (slow.format, slow.length):
        return None
    values: dict[str, Worded] = {"fast": fast.card, "slow": slow.card}
    times = fast.rate.value / slow.rate.value
    if times < _CLEAR:
        return Line("time.apart.even", values)
    values["times"] = Figure(short(times), "times")
    if fast.hours is None or slow.hours is None:
        rates = {"rate": told(fast.rate, f"{fast.unit}/s"), "less": told(slow.rate, f"{slow.unit}/s")}
        return Line("time.apart.pace", {**values, **rates})
    return Line("time.apart", {**values, "hours": hours_told(fast.hours), "more": hours_told(slow.hours)})


def _compares(run: Run) -> bool:
    """Whether a set-up holds the job by itself and serves one at a time."""
    return not run.too_big and run.lent is None and run.lengths is None


def lines(runs: Sequence[Run], data: Data, language: Language, *, read: bool = False) -> tuple[Line, ...]:
    """The figures of the other set-ups; what limits a single one that writes. `read`: its prompts are told already."""
    first = runs[0]
    if len(runs) > 1:
        told_first = () if _apart(runs, data) is None else runs[:1]
        return tuple(_headline(run, data, language) for run in (*told_first, *runs[1:]))
    if first.lent is not None and first.lent.short:
        return first.lent.holds
    if first.kind != "generate" or first.too_big:
        return ()
    prefill = told(first.prefill, "token/s") if first.prefill and not read else None
    return (Line("time.limit", {"prefill": prefill, "bound": Label(first.bound, "bound")}),)


def blocks(runs: Sequence[Run], data: Data, remarks: Sequence[Note]) -> tuple[Block, ...]:
    """What the figures count, further remarks, and all set-ups in a table."""
    counted = Line("time.engines") if runs[0].kind == "generate" else _counted(data)
    return (Listing((counted, *remarks)), _table(runs))


def told(value: Estimate, unit: str) -> Figure:
    """An estimate of speed as people say it: two digits."""
    return Figure(short(value.value), unit, low=short(value.low), high=short(value.high))


def span_told(span: Span) -> Figure:
    """A duration in its own unit."""
    low, high = (None, None) if span.low == span.high else (short(span.low), short(span.high))
    return Figure(short(span.value), span.unit, low=low, high=high)


def hours_told(hours: Estimate) -> Figure:
    """A duration in the unit that people would use."""
    return span_told(span_of(hours))


def short(value: float) -> float:
    """A number to two digits, to three from a thousand on."""
    size = abs(value)
    if size < 10**_DIGITS:
        return float(f"{value:.{_DIGITS}g}")
    return float(f"{value:.3g}") if size >= 1000 else float(round(value))


def _headline(run: Run, data: Data, language: Language) -> Line:
    values: dict[str, Worded] = {"card": run.card, "model": model_named(run.model), "way": used_way(run)}
    rate = told(run.rate, f"{run.unit}/s")
    if run.too_big:
        return Line("time.no_fit", {**values, "pace": hours_told(run.hours) if run.hours else rate})
    if run.lent is not None:
        return run.lent.line({**values, "rate": rate})
    if run.kind == "generate" and run.lengths is not None:
        each = Figure(short(run.per_user or 0.0), "token/s")
        told_of = {"users": run.users, "prompt": run.lengths[0], "output": run.lengths[1]}
        return Line("time.serves", {**values, **told_of, "rate": rate, "each": each})
    if run.kind == "generate":
        return Line("time.writes", {**values, "rate": rate})
    if run.hours is not None:
        values |= {"hours": hours_told(run.hours), "data": _amount(data, language), "rate": rate}
        if data.deadline is None:
            return Line("time.takes", values)
        return Line(_in_time(run.hours, data.deadline), {**values, "deadline": Figure(data.deadline, "hour")})
    return _paced(run, data, values)


def _paced(run: Run, data: Data, values: dict[str, Worded]) -> Line:
    """The pace of a training of which the amount is not known."""
    if data.took and run.round_hours is not None:
        return _took(run, run.round_hours, data.took, values)
    rate, span = told(run.rate, f"{run.unit}/s"), hours_told(run.round_hours) if run.round_hours else None
    return Line("time.pace", {**values, "rate": rate, "round": span, "samples": _round_named(run)})


def _took(run: Run, span: Estimate, took: float, values: dict[str, Worded]) -> Line:
    """How much a run of so many hours does at the pace that is usual: what was trained on tells whether it is slow."""
    per = ROUND_STEPS if run.in_steps else ROUND_SAMPLES
    done = Figure(short(took / span.value * per), "step" if run.in_steps else "item")
    hours = Figure(took, "hour")
    return Line(
        "time.took", {**values, "took": hours, "done": done, "round": hours_told(span), "per": _round_named(run)}
    )


def _card_hours(run: Run, hours: Estimate, data: Data, language: Language) -> Line:
    """Hours of all cards together, and how long so many cards take."""
    low, high = (None, None) if hours.low == hours.high else (short(hours.low * run.n), short(hours.high * run.n))
    values: dict[str, Worded] = {
        "gpu_hours": Figure(short(hours.value * run.n), low=low, high=high),
        "model": model_named(run.model),
        "way": used_way(run),
        "data": _amount(data, language),
        "card": run.card,
        "hours": hours_told(hours),
    }
    return Line("time.card_hours", values)


def _round_named(run: Run) -> Figure:
    """What a pace is told by."""
    return Figure(ROUND_STEPS, "step") if run.in_steps else Figure(ROUND_SAMPLES, "item")


def _in_time(hours: Estimate, deadline: float) -> str:
    """Whether so long a run ends within a time: surely, likely, or not."""
    verdict = "yes" if hours.high <= deadline else "no" if hours.value > deadline else "likely"
    return f"time.in_time.{verdict}"


def _instead(run: Run, smaller: Run, data: Data, language: Language) -> Line:
    """What does not fit, and how long the way takes that does."""
    values = {"model": model_named(run.model), "card": run.card, "way": used_way(run), "other": used_way(smaller)}
    if smaller.hours is None:
        rate = told(smaller.rate, f"{smaller.unit}/s")
        span = hours_told(smaller.round_hours) if smaller.round_hours else None
        paced = {**values, "rate": rate, "round": span, "samples": _round_named(smaller)}
        return Line("time.instead.pace", paced)
    return Line("time.instead", {**values, "hours": hours_told(smaller.hours), "data": _amount(data, language)})


def _amount(data: Data, language: Language) -> Line:
    if data.steps:
        return Line("time.steps", {"n": Figure(data.steps, "step"), "batch": data.batch})
    if data.tokens:
        size = data.tokens / (1e8 if language == "zh" else 1e9)
        return Line("time.tokens", {"name": data.name or None, "n": Figure(size)})
    values: dict[str, Worded] = {
        "name": data.name or None,
        "samples": Figure(data.samples or 0.0, "item"),
        "length": Figure(data.length, "token") if data.length else None,
        "epochs": Figure(data.epochs, "epoch"),
    }
    return Line("time.samples", values)


def _counted(data: Data) -> Line:
    return Line("time.counted" if data.samples else "time.batch", {"batch": data.batch})


def _table(runs: Sequence[Run]) -> Table:
    columns = (
        Line("column.setup"),
        Line("column.speed"),
        Line("column.time"),
        Line("column.limit"),
        Line("column.fits"),
    )
    return Table(columns, tuple(_cells(run) for run in runs), depth=Depth.DETAILS)


def _cells(run: Run) -> tuple[Single, ...]:
    whole = run.hours or run.round_hours
    setup = Line("time.setup", {"card": run.card, "model": model_named(run.model), "way": way_named(run)})
    return (
        setup,
        _band(told(run.rate, f"{run.unit}/s")),
        _band(hours_told(whole)) if whole else None,
        Label(run.bound, "bound"),
        Label(run.fits, "verdict"),
    )


def _band(figure: Figure) -> Line:
    return Line("time.band", {"figure": figure})
