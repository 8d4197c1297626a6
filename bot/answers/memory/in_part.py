"""A language model that ran out of memory: in 4 bits, with a few layers in RAM where those do not quite fit.

Fetching all weights layer by layer saves more, but nobody runs a model that way who can leave a part in RAM.
"""

from __future__ import annotations

from typing import Final

from advisor.errors import AdvisorError
from advisor.memory import TrickPlan, Verdict, estimate_memory, fit_estimate
from advisor.models import Gpu, Method, Precision, Workload
from advisor.speed.offload import offloaded_generation
from bot.answers.common import fact
from bot.answers.memory.sizing import is_llm
from bot.answers.phrases import model_named
from bot.answers.speed.time_lines import told
from bot.core.answers import Answer
from bot.core.line import Figure, Line, Worded, gib

_OFFLOAD: Final = "offload"
_FILE: Final = "q4_k_m"
_GIB_TO_GB: Final = 1.073741824


def with_part_in_ram(made: Answer, plan: TrickPlan, gpu: Gpu | None, vram: float | None) -> Answer:
    """The answer with 4 bits and a part in RAM in place of all weights in RAM; as it is where nothing is offloaded.

    Args:
        made: what the tricks come to.
        plan: the tricks, on the card or the amount of memory.
        gpu: the card, None for an amount of memory alone.
        vram: its memory, where it was stated.
    """
    work = plan.start.workload
    if plan.usable_gib is None or not _is_run_from_ram(plan):
        return made
    four = work.model_copy(update={"precision": Precision.INT4, "quant": _FILE})
    try:
        need = estimate_memory(four)
        verdict = fit_estimate(need, gpu, vram).verdict
    except AdvisorError:
        return made
    values: dict[str, Worded] = {
        "model": model_named(work.ml_model.name),
        "need": gib(plan.start.total),
        "left": gib(need.total),
        "usable": gib(plan.usable_gib),
    }
    if verdict is Verdict.NO:
        over = max(0.0, need.total.value - plan.usable_gib) * _GIB_TO_GB
        values |= {"ram": Figure(over, "GB"), "rate": None, **_shared(four, gpu, vram)}
    code = {Verdict.FITS: "reduce.four", Verdict.TIGHT: "reduce.tight"}.get(verdict, "reduce.part")
    lines = (*made.lines, Line("reduce.all_of_it")) if verdict is Verdict.NO else made.lines
    facts = (fact("vram_needed:q4_k_m", need.total), *made.facts)
    kept = tuple(one for one in made.assumptions if one.slot != "precision")
    changed = {"headline": (Line(code, values),), "lines": lines, "blocks": (), "facts": facts, "assumptions": kept}
    return made.model_copy(update=changed)


def _is_run_from_ram(plan: TrickPlan) -> bool:
    """Whether a language model of which no format was said is only run, and would lie in RAM as a whole."""
    work = plan.start.workload
    runs = work.method is Method.INFERENCE and is_llm(work.ml_model) and not work.quant
    return runs and any(one.code == _OFFLOAD for one in plan.recipe)


def _shared(work: Workload, gpu: Gpu | None, vram: float | None) -> dict[str, Worded]:
    """What of it lies in RAM, and the pace; nothing where no card is named or none can be worked out."""
    if gpu is None:
        return {}
    try:
        shared = offloaded_generation(work, gpu, work.n_gpus, vram_gib=vram)
    except AdvisorError:
        return {}
    return {"ram": Figure(shared.in_ram_gb, "GB"), "rate": told(shared.decode, "token/s")}


__all__ = ["with_part_in_ram"]
