"""Runs, but slowly: a short path of questions, one at a time, that ends at the likely cause and what to do about it.

The path is a code such as `low.idle.hdd`: what GPU utilisation looks like, then what the CPU does, then the disk, then
the batch. Each turn says what is likely so far and asks the next thing; a button adds one part to the code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from advisor.models import MlModel, Step, note_of, step_of
from bot.answers.common import step_fact
from bot.answers.documents.passages import answer_from, chosen, find_passages
from bot.answers.speed.slow_writing import slow_answer
from bot.core.answers import Answer, Outcome, offered_of
from bot.core.line import Depth, Line, Listing
from bot.core.request import Request

_INTENT: Final = "perf_troubleshooting"
_LOW: Final = 0.7
_HIGH: Final = 0.85
"""GPU utilisation below which data are waited for, and from which the card itself is the limit."""
_CLEAR: Final = 0.6
_GENERATION: Final = "generation"
"""The place where a language model writes slowly."""
_WAITS: Final = "generation.low"
"""The place where the card of a language model waits."""
_LOCAL: Final = frozenset({"llama.cpp", "exllama", "ktransformers", "vllm", "sglang"})
"""Programs that run language models."""
_BYTES: Final = {"fp32": 4.0, "fp16": 2.0, "bf16": 2.0, "fp8": 1.0, "int8": 1.0, "int4": 0.55, "fp4": 0.53}
"""Bytes of one stored weight; 4-bit formats carry scales as well."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A place on the path: what to say, which passages back it, what to ask next with which answers."""

    advice: tuple[str, ...]
    """Codes of notes, most likely first."""
    passages: tuple[str, ...]
    question: str = ""
    answers: tuple[str, ...] = ()


PATH: Final[dict[str, Stage]] = {
    "": Stage(
        ("perf_first_look",),
        ("cpu-must-outrun-training",),
        "symptom",
        ("low", "high", "killed", "multi"),
    ),
    "hang": Stage(("perf_hang", "perf_hang_how"), ("try-one-gpu-first",)),
    "on_cpu": Stage(("perf_on_cpu", "perf_on_cpu_how"), ("what-is-cuda-versions",)),
    "spill": Stage(("perf_spill", "perf_spill_how", "perf_spill_error"), ("windows-shared-gpu-memory",)),
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
    _GENERATION: Stage(
        ("perf_gen_bound", "perf_gen_offload", "perf_gen_engine"),
        ("bandwidth-best-indicator-2020", "what-is-memory-bandwidth", "vram-role"),
    ),
    _WAITS: Stage(("perf_gen_waits", "perf_gen_waits_how"), ("ollama-cpu-gpu-split",)),
    "killed": Stage(("perf_killed",), ("ram-limit-kill", "ram-more-on-demand")),
    "multi": Stage(("perf_multi", "perf_multi_data"), ("try-one-gpu-first", "cpu-cores-per-gpu")),
}
_ON_THE_PATH: Final = frozenset(name for stage in PATH.values() for name in stage.passages)


_OF_WRITING: Final = frozenset({"", "low", "high", _GENERATION, _WAITS})
"""Places where a model that writes is slow by its memory, whatever utilisation is seen: no data are loaded for it."""
SHORT_REPLY: Final = 24
"""Characters up to which a message can be a typed answer to the question of the path."""


def handle(request: Request) -> Outcome:
    """Say what is likely at this point of the path and ask the next thing."""
    code = _place(request)
    if code is None:
        hits = find_passages(request, _INTENT)
        return answer_from(request, chosen(hits, request.services.library))
    written = slow_answer(request) if code in _OF_WRITING else None
    return written or _at(request, code)


def _at(request: Request, code: str) -> Answer:
    """What is likely at a place of the path, and what it asks next."""
    stage = PATH[code]
    library = request.services.library
    passages = [library.get(name) for name in stage.passages if name in library.passages]
    answer = answer_from(request, passages)
    asks = offered_of(slot=stage.question, fills="symptom", values=stage.answers) if stage.question else None
    bound = generation_bound(request) if code == _GENERATION else None
    values = {**_values(request), "bound": bound}
    said = tuple(Line("perf.advice", {"said": note_of(advice, values)}) for advice in stage.advice)
    return answer.model_copy(
        update={
            "facts": (*((step_fact(bound, "generation_bound"),) if bound else ()), *answer.facts),
            "trace": (*((bound,) if bound else ()), *answer.trace),
            "template": "",
            "headline": said[:1],
            "lines": said[1:],
            "blocks": (_documents(answer),),
            "asks": asks,
            "conflicts": () if asks else answer.conflicts,
            "notes": (),
            "told": answer.told.model_copy(update={"only_in_full": True}),
        }
    )


def _documents(answer: Answer) -> Listing:
    """What the documents say of this place, in the complete form."""
    parts = ([answer.told.lead] if answer.told.lead is not None else []) + list(answer.told.also)
    lines = tuple(Line("perf.document", {"said": part.short}) for part in parts)
    return Listing(lines, Line("perf.documents"), Depth.DETAILS)


def _place(request: Request) -> str | None:
    """Where on the path the request stands; None when one passage answers it better than the path."""
    said = request.slot("symptom")
    if isinstance(said, str) and said in PATH:
        return said
    if _is_at_rest(request):
        return None
    if _writes(request):
        return _of_writing(request)
    used = _utilization(request)
    if used is not None:
        return "high" if used >= _HIGH else "low" if used < _LOW else ""
    return _replied(request) or request.heard.symptom or _without_signs(request)


def _is_at_rest(request: Request) -> bool:
    """Whether watts at rest are told, which are no matter of pace, and a passage is about them."""
    told = request.heard.watts and request.heard.shows("bill", "idle")
    return bool(told) and bool(find_passages(request, _INTENT, 1))


def _writes(request: Request) -> bool:
    """Whether a language model is run and nothing trained."""
    method = request.slot("method")
    local = not _LOCAL.isdisjoint(request.heard.sides("programs"))
    return method == "inference" or (not method and (local or request.slot("task") == "llm_inference"))


def _of_writing(request: Request) -> str:
    """The place of a language model that runs: what is told of its card or of the trouble, else where it writes."""
    return _WAITS if _is_low(request) else _replied(request) or request.heard.symptom or _GENERATION


def _is_low(request: Request) -> bool:
    """Whether little use of the card is told."""
    used = request.slot("utilization")
    return request.heard.symptom == "low" or (isinstance(used, (int, float)) and used < _LOW)


def _utilization(request: Request) -> float | None:
    """The share that was said in this message, where it says no symptom."""
    used = request.slot("utilization")
    said_now = request.subject is None or bool(request.heard.named("utilization"))
    return float(used) if isinstance(used, (int, float)) and said_now and not request.heard.symptom else None


def _without_signs(request: Request) -> str | None:
    """The beginning of the path; None where a passage that is not on it answers clearly."""
    hits = find_passages(request, _INTENT, 1)
    if not hits or hits[0].score < _CLEAR:
        return ""
    lead = hits[0].passage
    return None if _INTENT in lead.intents and lead.id not in _ON_THE_PATH else ""


def _replied(request: Request) -> str:
    """The next place, when a short message answers the question asked at the place before."""
    before = request.subject
    if before is None or before.intent != _INTENT or not request.heard.is_within(SHORT_REPLY):
        return ""
    been = [code for code, stage in PATH.items() if before.passages[: len(stage.passages)] == stage.passages]
    if not been:
        return ""
    place = max(been, key=lambda code: len(PATH[code].passages))
    return request.heard.reply_at(place)


def generation_bound(request: Request) -> Step:
    """Most tokens per second that one user can get: memory bandwidth over the bytes of all weights read per token.

    For the card and model named, else for the example of an RTX 3090 and a 7B model; 16-bit weights unless a
    precision was said.
    """
    catalog = request.services.catalog
    gpu = next((variant for name in request.slot("gpu") or () for variant in catalog.gpu_variants(name)), None)
    if gpu is None or not gpu.memory_bandwidth_gb_per_s:
        gpu = catalog.get_gpu("RTX 3090")
    model = catalog.find_ml_model(request.first("model") or "llm-7b") or catalog.get_ml_model("llm-7b")
    said = str(request.first("precision") or "fp16")
    size = _BYTES.get(said, 2.0)
    active = model.active_parameters or model.parameters
    weights = step_of(
        name="weights_read",
        value=round(active * size / 1e9, 2),
        unit="GB",
        how=f"active parameters x {size:g} bytes ({said})",
        inputs=(step_of(name="parameters", value=active, how="claim", sources=tuple(model.sources.values())[:1]),),
    )
    bandwidth = step_of(
        name=f"memory bandwidth of {gpu.name}",
        value=gpu.memory_bandwidth_gb_per_s,
        unit="GB/s",
        how="claim",
        sources=tuple(filter(None, (gpu.sources.get("memory_bandwidth_gb_per_s", gpu.sources.get("*")),))),
    )
    return step_of(
        name="generation_bound",
        value=round(float(bandwidth.value or 0) / float(weights.value or 1), 1),
        unit="tokens/s",
        how=f"{gpu.name}, {_called(model)}: memory bandwidth / weights read per token",
        inputs=(bandwidth, weights),
        rows=("002-049",),
    )


def _called(model: MlModel) -> str:
    """A model by its name, or by its size where that is all that was said."""
    return model.called


def _values(request: Request) -> dict[str, object]:
    count = request.slot("gpu_count")
    cards = count if isinstance(count, int) and count > 0 else 1
    return {"utilization": request.slot("utilization"), "cores_low": 4 * cards, "cores_high": 8 * cards, "gpus": cards}
