"""How fast a language model writes for many at once: an engine that joins requests, as many as their caches fit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from advisor.errors import AdvisorError
from advisor.jobs.verdict import Verdict
from advisor.models import Workload
from advisor.speed.contest import Side
from advisor.speed.serving import serving_throughput
from bot.answers.speed.time_lines import Run
from bot.core.answers import Assumption
from bot.core.request import Request

PROMPT: Final = 1000
OUTPUT: Final = 300
"""Tokens of a request and of its answer, where nobody said them."""
_COUNTED: Final = frozenset({"batch", "seq_len"})
"""What the requests at once and their lengths stand for."""


def served_run(request: Request, work: Workload, side: Side, verdict: Verdict, users: int) -> Run | None:
    """The pace of so many requests at once; None where not even the weights fit, or no figure is known.

    Requests whose caches find no room wait their turn, so that only the weights decide whether it runs.
    """
    prompt, output = int(request.slot("tokens_in") or PROMPT), int(request.slot("tokens_out") or OUTPUT)
    alone = work.model_copy(update={"batch": 1})
    try:
        made = serving_throughput(alone, side.gpu, side.n, users=users, prompt_tokens=prompt, output_tokens=output)
    except AdvisorError:
        return None
    return Run(
        gpu=side.gpu.name,
        n=side.n,
        model=work.ml_model.name,
        method=work.method.value,
        format=work.quant or (work.precision.value if work.precision else ""),
        kind="generate",
        rate=made.output,
        unit="tok",
        users=users,
        per_user=made.per_user,
        lengths=(prompt, output),
        bound=made.bound,
        fits="fits" if verdict.word.value == "no" else verdict.word.value,
        trace=made.output.trace,
        notes=made.notes,
    )


def without_batch(assumed: Iterable[Assumption], run: Run) -> tuple[Assumption, ...]:
    """What was assumed, without the batch and the length that the requests at once take the place of."""
    return tuple(one for one in assumed if run.lengths is None or one.slot not in _COUNTED)
