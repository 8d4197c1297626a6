"""How many cards answer a group's questions to a language model at a bearable pace."""

from __future__ import annotations

from math import ceil

from advisor.errors import AdvisorError, OutOfRange
from advisor.machine.rules import rules
from advisor.memory import Verdict as Fit
from advisor.memory.fit import fit_on
from advisor.models import Frozen, Gpu, Step, Workload, step_of
from advisor.speed import tokens_per_second

_COUNTS = (1, 2, 4, 8, 16)
_STREAMS = (1, 2, 4, 8, 16, 32, 64)
_MOST_PEOPLE = 10_000_000


class ServePlan(Frozen):
    """Cards for a group that asks one model."""

    gpu: str
    people: int
    at_once: bool
    busy: int
    """Requests in work at once."""
    per_replica: int
    """Cards that hold one copy of the model."""
    streams: int
    """Requests that one copy serves at the wanted pace."""
    tokens: float
    """Tokens a second of one copy with that many requests."""
    replicas: int
    n_gpus: int
    trace: Step


def serve_plan(workload: Workload, gpu: Gpu, people: int, *, at_once: bool = False) -> ServePlan | None:
    """Copies of the model for the group; None when not even 16 cards hold it.

    Args:
        workload: the model as it is served (format, context).
        gpu: the card.
        people: members of the group.
        at_once: they all ask at the same time ("100 concurrent"), instead of the usual share.

    Raises:
        OutOfRange: not a number of people.
        UnsupportedCombination: nothing is known about generating with this model or card.
    """
    if not 1 <= people <= _MOST_PEOPLE:
        raise OutOfRange("not a number of people", name="users", value=people)
    rule = rules().cluster
    busy = people if at_once else max(1, ceil(people * rule.active_share.number))
    held = _smallest(workload, gpu)
    if held is None:
        return None
    streams, tokens = _streams(workload, gpu, held, rule.pace_tokens.number)
    replicas = ceil(busy / streams)
    trace = step_of(
        name="serving_cards",
        value=replicas * held,
        unit="cards",
        how="requests at once / requests of one copy x cards of one copy",
        inputs=(
            step_of(name="people", value=people, how="given"),
            *(() if at_once else (rule.active_share.step("active_share"),)),
            step_of(name="requests_at_once", value=busy, how="people x share that asks at once"),
            step_of(name="cards_of_one_copy", value=held, how="fewest that hold weights and cache"),
            step_of(name="tokens_of_one_copy", value=round(tokens), unit="tok/s", how="bandwidth over bytes read"),
            rule.pace_tokens.step("pace", "tok/s"),
        ),
        sources=("speed-llamacpp", "speed-qwen"),
    )
    return ServePlan(
        gpu=gpu.name,
        people=people,
        at_once=at_once,
        busy=busy,
        per_replica=held,
        streams=streams,
        tokens=tokens,
        replicas=replicas,
        n_gpus=replicas * held,
        trace=trace,
    )


def _smallest(workload: Workload, gpu: Gpu) -> int | None:
    for n in _COUNTS:
        try:
            fit, _ = fit_on(workload, gpu, n)
        except AdvisorError:
            return None
        if fit.verdict is Fit.FITS:
            return n
    return None


def _streams(workload: Workload, gpu: Gpu, n_gpus: int, pace: float) -> tuple[int, float]:
    """Most requests at once that each still get the wanted pace and whose cache fits, with the rate of them all."""
    best = (1, 0.0)
    for users in _STREAMS:
        made = tokens_per_second(workload, gpu, n_gpus, users=users, split="tensor" if n_gpus > 1 else "layers")
        if users > 1:
            if made.per_user < pace:
                break
            try:
                fits, _ = fit_on(workload.model_copy(update={"users": users, "batch": None}), gpu, n_gpus)
            except AdvisorError:
                break
            if fits.verdict not in {Fit.FITS, Fit.TIGHT}:  # a full cache makes requests wait, it breaks nothing
                break
        best = (users, made.decode.value)
    return best
