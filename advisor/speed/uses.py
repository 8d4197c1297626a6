"""Sides that one speed figure cannot rank: what each holds, what only one of them holds, and which to take for what.

Three kinds of pairs need that: cards of different software stacks (specifications say nothing of a stack's speed), one
memory shared by processor and card against a card's own memory, and several cards against fewer.
"""

from __future__ import annotations

from collections.abc import Sequence

from advisor.errors import AdvisorError
from advisor.kept import kept
from advisor.memory import Verdict
from advisor.memory.figure import Figure, figure_of
from advisor.memory.fit import fit_of
from advisor.models import Frozen, Gpu, Method, MlModel, Precision, Workload
from advisor.speed.contest import Side

STACKS = {
    "NVIDIA": "cuda",
    "AMD": "rocm",
    "Intel": "xpu",
    "Apple": "mps",
    "Huawei": "cann",
    "Cambricon": "mlu",
    "Moore Threads": "musa",
    "Google": "xla",
}
"""Software a maker's cards are programmed with."""
_OWN_STACKS = {"Gaudi": "hpu"}
"""Families that have another one than the maker's cards."""
LADDER = ("llm-8b", "llm-14b", "llm-32b", "llm-70b", "llm-120b", "llm-235b", "llm-405b", "llm-671b")
"""Sizes in which open language models come, smallest first; what a side holds is told in them."""
_MORE = 1.1
"""Memory or bandwidth is called more from this factor on."""
_CONTEXT = 2048


class SideUse(Frozen):
    """What one side offers."""

    name: str
    n: int
    stack: str
    unified: bool
    options_gib: tuple[float, ...] = ()
    """Sizes it is sold with, when its memory depends on the machine."""
    total_gib: float | None = None
    bandwidth_gb_per_s: float | None = None
    tflops: float | None = None
    """FP16 with FP32 accumulation, dense, of all cards together."""
    arithmetic_tflops: float | None = None
    """What training is bound by: FP16 of its matrix units, else of its shaders, else FP32, of all cards together."""
    power_w: float | None = None
    nvlink_gb_per_s: float | None = None
    link: str = ""
    """What joins several cards: pcie | bridge (a pair) | pairs (bridges within more than two) | board (all of them)."""
    largest: str = ""
    """The largest rung of the ladder that it runs in 4 bit; empty when it holds none or its memory is unknown."""
    only: tuple[str, ...] = ()
    """Rungs that it holds and the sides it is set against do not."""
    needs_gib: float | None = None
    """What the first of these takes in 4 bit, all cards together."""


class Uses(Frozen):
    """Which side for what. Indices of sides; None where nothing tells them apart."""

    kind: str
    """stacks | unified | counts"""
    sides: tuple[SideUse, ...]
    big: int | None
    """For models that the other side does not hold."""
    rest: int | None
    """For everything else."""
    bandwidth: int | None = None
    """The side with clearly more bandwidth a card."""
    bandwidth_ratio: float | None = None
    """Of that one over the least."""
    compute_ratio: float | None = None
    """FP16 of all cards of the first side over the last one's."""


def kind_of(sides: Sequence[Side]) -> str:
    """Why these sides need more than a speed figure; empty when one figure ranks them."""
    if len({side.gpu.unified_memory for side in sides}) > 1:
        return "unified"
    if len({stack_of(side.gpu) for side in sides}) > 1:
        return "stacks"
    return "counts" if max(side.n for side in sides) > 1 and len({side.gpu.id for side in sides}) > 1 else ""


def stack_of(gpu: Gpu) -> str:
    """Software this card is programmed with; empty when not on record."""
    own = (stack for family, stack in _OWN_STACKS.items() if gpu.name.startswith(family))
    return next(own, STACKS.get(gpu.vendor, ""))


def generation_job(model: MlModel) -> Workload:
    """Running a language model in 4 bit for one person."""
    return Workload(
        ml_model=model, method=Method.INFERENCE, precision=Precision.INT4, quant="q4_k_m", batch=1, seq_len=_CONTEXT
    )


def uses(sides: Sequence[Side], models: Sequence[MlModel]) -> Uses | None:
    """What each side is for; None where a speed figure says it all.

    Args:
        sides: cards with their counts; a machine with shared memory carries its size in `vram_gib`.
        models: the ladder, smallest first, see `LADDER`.
    """
    kind = kind_of(sides)
    if not kind:
        return None
    held = [[_needs(side, model) for model in models] for side in sides]
    made = tuple(_side(number, sides, held, models) for number in range(len(sides)))
    bandwidth, ratio = _most_bandwidth([side.gpu.memory_bandwidth_gb_per_s or 0.0 for side in sides])
    first, last = made[0].tflops, made[-1].tflops
    return Uses(
        kind=kind,
        sides=made,
        big=_big(made, models),
        rest=_rest(kind, made),
        bandwidth=bandwidth,
        bandwidth_ratio=ratio,
        compute_ratio=first / last if first and last else None,
    )


def _most_bandwidth(rates: list[float]) -> tuple[int | None, float | None]:
    """The side with clearly more bandwidth a card, and by how much over the least; a rate of 0 is not known."""
    least, most = min(rates), max(rates)
    if not least or most / least <= _MORE:
        return None, None
    return rates.index(most), most / least


def _rivals(number: int, sides: Sequence[Side]) -> list[int]:
    """What a side is set against: machines with shared memory against the card, not against each other."""
    unified, mixed = sides[number].gpu.unified_memory, kind_of(sides) == "unified"
    others = (index for index in range(len(sides)) if index != number)
    return [index for index in others if not mixed or sides[index].gpu.unified_memory != unified]


def _total(figure: float | None, n: int) -> float | None:
    """Of so many cards together."""
    return figure * n if figure else None


def _held_alone(number: int, sides: Sequence[Side], held: Sequence[Sequence[float | None]]) -> list[tuple[int, float]]:
    """Rungs that this side holds and the sides it is set against do not, with what they need; none where a side's
    memory is not known."""
    unknown = any(row and row[0] is None for row in held)
    if unknown and not sides[number].gpu.vram_gib:
        return []
    rivals = [held[index] for index in _rivals(number, sides)]
    return [(rung, need) for rung, need in enumerate(held[number]) if need and not any(row[rung] for row in rivals)]


def _side(
    number: int, sides: Sequence[Side], held: Sequence[Sequence[float | None]], models: Sequence[MlModel]
) -> SideUse:
    side, gpu = sides[number], sides[number].gpu
    alone = _held_alone(number, sides, held)
    rungs = [model.name for model, need in zip(models, held[number], strict=True) if need]
    return SideUse(
        name=gpu.name if side.n == 1 else f"{side.n} x {gpu.name}",
        n=side.n,
        stack=stack_of(gpu),
        unified=gpu.unified_memory,
        options_gib=gpu.memory_options_gib,
        total_gib=_total(gpu.vram_gib, side.n),
        bandwidth_gb_per_s=gpu.memory_bandwidth_gb_per_s,
        tflops=_total(gpu.fp16_tensor_fp32acc_tflops, side.n),
        arithmetic_tflops=_total(
            gpu.fp16_tensor_fp32acc_tflops or gpu.fp16_nontensor_tflops or gpu.fp32_tflops, side.n
        ),
        power_w=_total(gpu.board_power_w, side.n),
        nvlink_gb_per_s=gpu.nvlink_gb_per_s,
        link=_link(side),
        largest=rungs[-1] if rungs else "",
        only=tuple(models[rung].name for rung, _ in alone),
        needs_gib=alone[0][1] if alone else None,
    )


def _link(side: Side) -> str:
    if side.n == 1:
        return ""
    if not side.gpu.nvlink_gb_per_s:
        return "pcie"
    if (side.gpu.form_factor or "").upper().startswith(("SXM", "OAM")):
        return "board"
    return "bridge" if side.n == 2 else "pairs"


def _needs(side: Side, model: MlModel) -> float | None:
    """Memory over all cards that this model takes in 4 bit; None when the side does not hold it."""
    try:
        figure = _figures(model).on(side.n)
        fit = fit_of(figure, side.gpu)
    except AdvisorError:
        return None
    return figure.value * side.n if fit.verdict in (Verdict.FITS, Verdict.TIGHT) else None


class _Figures:
    """What generating with one model takes on each of n cards, every count worked out once."""

    def __init__(self, model: MlModel) -> None:
        self._job = generation_job(model)
        self._known: dict[int, Figure] = {}

    def on(self, n: int) -> Figure:
        """The need on each of `n` cards. Raises AdvisorError where no estimate is supported."""
        found = self._known.get(n)
        if found is None:
            found = self._known[n] = figure_of(self._job.model_copy(update={"n_gpus": n}))
        return found


_figures = kept(most=64)(_Figures)


def largest_held(gpu: Gpu, models: Sequence[MlModel]) -> str:
    """The largest of these models that one card runs in 4 bit, at the most memory it is sold with; empty for none."""
    size = gpu.vram_gib or max(gpu.memory_options_gib, default=None)
    side = Side(gpu.model_copy(update={"vram_gib": size}) if size else gpu)
    return next((model.name for model in reversed(models) if _needs(side, model)), "")


def sizes_for(gpus: Sequence[Gpu], models: Sequence[MlModel]) -> tuple[tuple[str, float], ...]:
    """For each model the least memory, of the sizes these machines are sold with, that runs it in 4 bit for sure."""
    offered = sorted({(size, gpu.id): gpu for gpu in gpus for size in gpu.memory_options_gib}.items())
    found = []
    for model in models:
        need = _figures(model).on(1)
        fitting = (size for (size, _), gpu in offered if fit_of(need, gpu, size).verdict is Verdict.FITS)
        least = next(fitting, None)
        if least is not None:
            found.append((model.name, least))
    return tuple(found)


def _big(made: Sequence[SideUse], models: Sequence[MlModel]) -> int | None:
    """The side that holds a larger model than all others, or clearly more memory of the same rung."""
    rungs = {model.name: number + 1 for number, model in enumerate(models)}
    if any(one.total_gib is None for one in made):
        return None
    held = [(rungs.get(one.largest, 0), one.total_gib or 0.0) for one in made]
    order = sorted(range(len(made)), key=held.__getitem__, reverse=True)
    first, second = made[order[0]], made[order[1]]
    clear = (first.total_gib or 0) > _MORE * (second.total_gib or 0)
    return order[0] if first.only or clear else None


def _rest(kind: str, made: Sequence[SideUse]) -> int | None:
    """The side for what both hold: CUDA before another stack, own memory before shared, fewer cards before many."""
    if kind == "stacks":
        cuda = [number for number, one in enumerate(made) if one.stack == "cuda"]
        return max(cuda, key=lambda i: (made[i].total_gib or 0, made[i].bandwidth_gb_per_s or 0), default=None)
    fewest = min(side.n for side in made)
    meant = [(one.n == fewest) if kind == "counts" else (not one.unified) for one in made]
    return meant.index(True) if sum(meant) == 1 else None
