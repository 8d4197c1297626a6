"""The batch that servers for a budget are held against: a smaller one than usual where nobody named one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from advisor.models import MlModel, Workload
from advisor.recommend.servers import Servers
from bot.answers.choose.for_a_sum import in_batch, smaller_batches
from bot.answers.choose.wishes import Wish
from bot.core.request import Request

_SURE: Final = "yes"
"""What plans do that surely hold the job."""


def verdict_of(found: Servers, model: MlModel | None) -> str:
    """The best that any plan does with the named model: yes | tight | no; empty when none is named."""
    if model is None:
        return ""
    held = {one for plan in found.plans for one in plan.holds}
    return next((word for word in ("yes", "tight") if word in held), "no")


def in_less(
    request: Request,
    wish: Wish,
    model: MlModel | None,
    jobs: list[tuple[str, str, Workload]],
    found: Servers,
    plans: Callable[[Sequence[Workload]], Servers],
) -> tuple[Wish, list[tuple[str, str, Workload]], Servers]:
    """The same in the largest batch that the money surely holds, where nobody named one and the usual one is too large.

    Args:
        request: the question.
        wish: what is wished for, with its job.
        model: the network, None where none is named.
        jobs: way, model and workload of what plans are held against.
        found: the plans for the usual batch.
        plans: gives the plans for other workloads.
    """
    if verdict_of(found, model) in {"", _SURE}:
        return wish, jobs, found
    for batch, way in smaller_batches(request, wish):
        less = plans([way.workload])
        if verdict_of(less, model) == _SURE:
            return in_batch(wish, batch, way), [(name, of, way.workload) for name, of, _ in jobs[:1]], less
    return wish, jobs, found
