"""How fast a processor alone writes, where a model lies in the machine's RAM."""

from __future__ import annotations

from advisor.errors import AdvisorError
from advisor.models import Estimate
from advisor.speed.hosts import Host, host_of, is_server
from advisor.speed.offload import processor_generation
from bot.answers.memory.fit_job import Judgement
from bot.answers.memory.sizing import is_llm
from bot.answers.phrases import model_named, used_way
from bot.answers.speed.time_lines import told
from bot.core.answers import Answer
from bot.core.line import Figure, Line, Worded, gib
from bot.core.message import fact_of
from bot.core.request import Request

_ROUGH = "memory_cpu_pace"


def with_pace(request: Request, made: Answer, found: Judgement) -> Answer:
    """An answer on RAM alone with the pace of the memory that was named, or of usual one; first where it is asked."""
    head, work = found.head, found.head.figure.workload
    host = host_of(*request.heard.machine, server=is_server(None, found.head.figure.value))
    pace = _pace(found, host)
    if pace is None:
        return made
    values: dict[str, Worded] = {
        "pace": told(pace, "token/s"),
        "memory": _memory(host),
        "model": model_named(work.ml_model.name),
        "way": used_way(head.row),
        "need": gib(head.row.need),
    }
    asked = request.heard.shows("asked", "time") or request.heard.shows("asked", "work_a_second")
    line = Line("fit.on_ram" if asked else "fit.on_ram_beside", values)
    lines = (*made.headline, *made.lines) if asked else (line, *made.lines)
    fact = fact_of(name="tokens_per_second", value=pace.value, low=pace.low, high=pace.high, unit="token/s")
    changed: dict[str, object] = {"headline": (line,) if asked else made.headline, "lines": lines}
    changed["notes"] = tuple(one for one in made.notes if one.code != _ROUGH)
    return made.model_copy(update={**changed, "facts": (*made.facts, fact), "trace": (*made.trace, pace.trace)})


def _pace(found: Judgement, host: Host) -> Estimate | None:
    """Tokens a second; None where a card is there, nothing is written, or no sizes are known."""
    head, work = found.head, found.head.figure.workload
    if not head.card.ram_only or not head.runs or not is_llm(work.ml_model):
        return None
    try:
        return processor_generation(work, host)
    except AdvisorError:
        return None


def _memory(host: Host) -> Line:
    values: dict[str, Worded] = {
        "kind": host.memory or None,
        "channels": Figure(float(host.channels * host.sockets), ""),
        "rate": Figure(host.memory_gb_per_s, "GB/s"),
    }
    return Line("fit.memory" if host.stated else "fit.memory_assumed", values)
