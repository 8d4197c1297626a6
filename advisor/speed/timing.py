"""How long a training job takes, and how many cards bring it under a deadline."""

from __future__ import annotations

from math import isfinite

from advisor.errors import OutOfRange, UnsupportedCombination
from advisor.models import Gpu, Note, Workload, note_of, step_of
from advisor.speed.bands import banded, spread_of
from advisor.speed.datasets import Dataset
from advisor.speed.estimate import basis_of, speed_estimate
from advisor.speed.published import cards_by_day_rule
from advisor.speed.rate import generates, rate_of
from advisor.speed.results import CountEstimate, SpeedEstimate, TimeEstimate

_LONGEST_HOURS = 1e7
COUNTS = (1, 2, 4, 8)
_RULE = "smallest of 1, 2, 4, 8 with hours / speed-up within the deadline"
_CLUSTER_RULE = "smallest of 1, 2, 4, 8, 16, 24 ... with hours / speed-up within the deadline"
_CLUSTERS = (16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 4096)
"""Cards of several machines of eight, as pre-training is counted."""


def _positive(name: str, value: float, most: float = 1e16) -> float:
    if not isfinite(value) or not 0 < value <= most:
        raise OutOfRange(f"{name} must be above zero and finite", name=name, value=value)
    return float(value)


def units_to_do(
    workload: Workload,
    unit: str,
    *,
    samples: float | None = None,
    tokens: float | None = None,
    epochs: float = 1.0,
    dataset: Dataset | None = None,
) -> float:
    """Samples, sequences or tokens that pass through the network in all epochs, in the unit of the job's rate.

    Raises:
        OutOfRange: an amount that is not above zero.
        UnsupportedCombination: neither an amount nor a data set was named.
    """
    repeat = _positive("epochs", epochs, 1e6)
    if tokens is not None:
        per_unit = 1.0 if unit == "tok" else float(workload.seq_len or 128)
        return _positive("tokens", tokens) * repeat / per_unit
    amount = samples if samples is not None else (float(dataset.samples) if dataset else None)
    if amount is None:
        raise UnsupportedCombination("an amount of training data is needed", missing="dataset")
    length = (dataset.tokens_per_sample if dataset else None) or workload.seq_len or 512
    return _positive("samples", amount) * repeat * (length if unit == "tok" else 1.0)


def estimate_time(
    workload: Workload,
    gpu: Gpu,
    n_gpus: int = 1,
    *,
    samples: float | None = None,
    tokens: float | None = None,
    epochs: float | None = None,
    dataset: Dataset | None = None,
    link: str = "",
    nodes: int | None = None,
    network: str = "",
    loader_per_s: float | None = None,
) -> TimeEstimate:
    """How long a training run takes.

    Args:
        workload: the job; `seq_len` falls back to the data set's mean length.
        gpu: the card.
        n_gpus: all cards together.
        samples: training samples of one epoch; or
        tokens: training tokens of one epoch; or
        dataset: a data set whose size is known.
        epochs: the data set's usual number when None, else 1.
        link: see `estimate_throughput`.
        nodes: machines; as many as such cards usually fill when None.
        network: between machines.
        loader_per_s: samples a second that the host can hand over, see `data_loading_bound`.

    Raises:
        UnsupportedCombination: text generation, no amount of data, or see `estimate_throughput`.
        OutOfRange: amounts, counts or results that no job has.
    """
    if generates(workload):
        raise UnsupportedCombination(
            "generation has no epochs; ask for tokens per second", model=workload.ml_model.name
        )
    if workload.seq_len is None and dataset and dataset.tokens_per_sample:
        workload = workload.model_copy(update={"seq_len": dataset.tokens_per_sample})
    rounds = epochs if epochs is not None else float(dataset.usual_epochs) if dataset else 1.0
    rate = rate_of(workload, gpu, n_gpus, link=link, nodes=nodes, network=network)
    amount = units_to_do(workload, rate.unit, samples=samples, tokens=tokens, epochs=rounds, dataset=dataset)
    speed = speed_estimate(rate)
    per_second, limited = rate.per_second, False
    if loader_per_s is not None and _positive("loader_per_s", loader_per_s) < per_second and rate.unit == "img":
        per_second, limited = loader_per_s, True
    hours = amount / per_second / 3600.0
    if hours > _LONGEST_HOURS:
        raise OutOfRange("this job would take more than a thousand years", name="hours", value=hours)
    spread = max(
        spread_of(f"time:{basis_of(rate).split(':')[-1]}", outside=rate.card.outside),
        spread_of(basis_of(rate), outside=rate.card.outside),
    )
    trace = step_of(
        name="hours",
        value=hours,
        unit="h",
        how="samples x epochs / throughput",
        inputs=(
            step_of(name="training_amount", value=amount, unit=rate.unit, how="given"),
            step_of(name="epochs", value=rounds, how="given"),
            speed.rate.trace,
        ),
    )
    return TimeEstimate(
        gpu=gpu.name,
        n_gpus=n_gpus,
        model=workload.ml_model.name,
        hours=banded(hours, spread, "h", "calibrated throughput", trace),
        gpu_hours=hours * n_gpus,
        samples=amount,
        unit=rate.unit,
        epochs=rounds,
        speed=speed,
        limited_by_loading=limited,
        notes=_time_notes(speed, hours, limited),
    )


def _time_notes(speed: SpeedEstimate, hours: float, limited: bool) -> tuple[Note, ...]:
    notes = [note_of("speed_loader_bound")] if limited else []
    if hours > 24 * 90:
        notes.append(note_of("speed_not_practical", {"days": hours / 24}))
    return (*notes, *speed.notes)


def gpus_needed(
    workload: Workload,
    gpu: Gpu,
    *,
    one_card_hours: float | None = None,
    deadline_hours: float = 24.0,
    samples: float | None = None,
    tokens: float | None = None,
    epochs: float | None = None,
    dataset: Dataset | None = None,
    link: str = "",
    least: int = 1,
    clusters: bool = False,
) -> CountEstimate:
    """How many cards of 1, 2, 4, 8 finish a run by the deadline, calibrated, beside the documents' linear rule.

    `one_card_hours` is the user's own measurement; without it the time is estimated from the amount of data.
    `least` cards are what the memory takes; with `clusters` several machines of eight are counted too.

    Raises:
        UnsupportedCombination: neither hours nor an amount of data.
        OutOfRange: hours that are not above zero.
    """
    deadline = _positive("deadline_hours", deadline_hours, _LONGEST_HOURS)
    one = rate_of(workload, gpu)
    if one_card_hours is None:
        single = estimate_time(workload, gpu, samples=samples, tokens=tokens, epochs=epochs, dataset=dataset)
        hours, origin = single.hours.value, single.hours.trace
    else:
        hours = _positive("one_card_hours", one_card_hours, _LONGEST_HOURS)
        origin = step_of(name="one_card_hours", value=hours, unit="h", how="given")
    counts = (*COUNTS, *_CLUSTERS) if clusters else COUNTS
    table = tuple((n, hours * one.per_second / rate_of(workload, gpu, n, link=link).per_second) for n in counts)
    fitting = next((row for row in table if row[1] <= deadline and row[0] >= least), None)
    by_rule = cards_by_day_rule(hours, deadline)
    trace = step_of(
        name="gpus_needed",
        value=fitting[0] if fitting else None,
        how=_CLUSTER_RULE if clusters else _RULE,
        inputs=(origin, step_of(name="deadline", value=deadline, unit="h", how="given")),
        sources=("seed-000", "seed-001"),
        rows=("000-040", "000-041", "001-062"),
    )
    return CountEstimate(
        gpu=gpu.name,
        n_gpus=fitting[0] if fitting else None,
        one_card_hours=hours,
        deadline_hours=deadline,
        hours=fitting[1] if fitting else table[-1][1],
        by_rule=by_rule,
        table=table,
        trace=trace,
    )
