"""Runs, but slowly: a short path of questions, one at a time, that ends at the likely cause and what to do about it.

The path is a code such as `low.idle.hdd`: what GPU utilisation looks like, then what the CPU does, then the disk, then
the batch. Each turn says what is likely so far and asks the next thing; a button adds one part to the code.
"""

from __future__ import annotations

from dataclasses import dataclass

from advisor.models import Note
from bot.core.answers import Answer, Offered, Outcome
from bot.core.request import Request
from bot.handlers.passages import answer_from, chosen, find_passages

_INTENT = "perf_troubleshooting"
_LOW, _HIGH = 0.7, 0.85
"""GPU utilisation below which data are waited for, and from which the card itself is the limit."""
_CLEAR = 0.45


@dataclass(frozen=True, slots=True)
class Stage:
    """A place on the path: what to say, which passages back it, what to ask next with which answers."""

    advice: tuple[str, ...]
    """Codes of notes, most likely first."""
    passages: tuple[str, ...]
    question: str = ""
    answers: tuple[str, ...] = ()


PATH: dict[str, Stage] = {
    "": Stage(
        ("perf_first_look",),
        ("cpu-must-outrun-training",),
        "symptom",
        ("low", "high", "killed", "multi"),
    ),
    "low": Stage(
        ("perf_low",),
        ("cpu-must-outrun-training", "dataloader-dali"),
        "symptom_cpu",
        ("low.full", "low.idle"),
    ),
    "low.full": Stage(
        ("perf_cpu_workers", "perf_cpu_dali", "perf_cpu_offline", "perf_cpu_cores"),
        ("dataloader-dali", "cpu-cores-per-gpu", "num-workers"),
    ),
    "low.idle": Stage(
        ("perf_idle",),
        ("disk-bottleneck", "num-workers"),
        "symptom_disk",
        ("low.idle.slow", "low.idle.fast"),
    ),
    "low.idle.slow": Stage(
        ("perf_disk_move", "perf_disk_pack", "perf_disk_ram"),
        ("disk-bottleneck", "disk-speeds"),
    ),
    "low.idle.fast": Stage(
        ("perf_fast_disk",),
        ("num-workers",),
        "symptom_batch",
        ("low.idle.fast.small", "low.idle.fast.large"),
    ),
    "low.idle.fast.small": Stage(("perf_batch_up", "perf_workers_up"), ("num-workers",)),
    "low.idle.fast.large": Stage(("perf_workers_up", "perf_sync", "perf_profile"), ("num-workers",)),
    "high": Stage(("perf_high", "perf_precision", "perf_heat"), ("mixed-precision-speedup",)),
    "killed": Stage(("perf_killed",), ("ram-limit-kill", "ram-more-on-demand")),
    "multi": Stage(("perf_multi", "perf_multi_data"), ("try-one-gpu-first", "cpu-cores-per-gpu")),
}
STARTS: dict[str, str] = {
    "ram-limit-kill": "killed",
    "ram-more-on-demand": "killed",
    "dataloader-dali": "low.full",
    "num-workers": "low.full",
    "cpu-must-outrun-training": "low",
    "cpu-clock-and-cores": "low.full",
    "server-vs-desktop-cpu": "low.full",
    "disk-bottleneck": "low.idle.slow",
    "disk-speeds": "low.idle.slow",
    "try-one-gpu-first": "multi",
    "geforce-many-cards": "multi",
    "eight-gpu-scaling-2020": "multi",
}
"""Where a question about the subject of a passage enters the path."""


def handle(request: Request) -> Outcome:
    """Say what is likely at this point of the path and ask the next thing."""
    code = _place(request)
    if code is None:
        hits = find_passages(request, _INTENT)
        return answer_from(request, chosen(hits, request.services.library))
    stage = PATH[code]
    library = request.services.library
    passages = [library.get(name) for name in stage.passages if name in library.passages]
    answer = answer_from(request, passages)
    asks = Offered(slot=stage.question, fills="symptom", values=stage.answers) if stage.question else None
    return answer.model_copy(
        update={
            "template": _INTENT,
            "asks": asks,
            "conflicts": () if asks else answer.conflicts,
            "notes": tuple(Note(advice, _values(request)) for advice in stage.advice),
            "extra": {**answer.extra, "code": code, "final": not stage.question},
        }
    )


def _place(request: Request) -> str | None:
    """Where on the path the request stands; None when one passage answers it better than the path."""
    said = request.slot("symptom")
    if isinstance(said, str) and said in PATH:
        return said
    used = request.slot("utilization")
    if isinstance(used, (int, float)):
        return "high" if used >= _HIGH else "low" if used < _LOW else ""
    hits = find_passages(request, _INTENT, 1)
    if not hits or hits[0].score < _CLEAR:
        return ""
    lead = hits[0].passage.id
    if lead in STARTS:
        return STARTS[lead]
    return None if _INTENT in hits[0].passage.intents else ""


def _values(request: Request) -> dict[str, object]:
    count = request.slot("gpu_count")
    cards = count if isinstance(count, int) and count > 0 else 1
    return {"utilization": request.slot("utilization"), "cores_low": 4 * cards, "cores_high": 8 * cards, "gpus": cards}
