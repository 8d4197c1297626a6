"""What a model leaves on its cards for the KV cache, and how many tokens of context that holds."""

from __future__ import annotations

from typing import Final

from advisor.memory.estimate import described
from bot.answers.memory.fit_job import Judgement
from bot.answers.memory.kv_size import cache_of
from bot.answers.memory.sizing import is_llm
from bot.core.answers import Answer
from bot.core.line import Figure, Line, Worded, gib
from bot.core.message import fact_of
from bot.core.request import Request

_KILO: Final = 1024


def with_cache_left(request: Request, made: Answer, found: Judgement) -> Answer:
    """An answer that a model fits, with the room that is left for its cache, where the cache is spoken of."""
    head, work = found.head, found.head.figure.workload
    if not request.heard.speaks_of("kv_cache") or not head.fits or not head.runs or not is_llm(work.ml_model):
        return made
    cache, usable = float(cache_of(described(head.figure)).value or 0.0), head.row.usable
    if not cache or not usable or not work.seq_len:
        return made
    left = usable - head.row.need.value + cache
    tokens = left / cache * work.seq_len * (work.batch or 1)
    values: dict[str, Worded] = {
        "left": gib(left),
        "total": gib(left * found.n) if found.n > 1 else None,
        "tokens": Figure(tokens / _KILO, "ktoken"),
    }
    fact = fact_of(name="cache_left", value=left, unit="GiB", basis="usable less all but the cache, each card")
    return made.model_copy(
        update={"lines": (Line("fit.cache_left", values), *made.lines), "facts": (*made.facts, fact)}
    )
