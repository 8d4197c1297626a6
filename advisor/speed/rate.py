"""Samples or tokens per second of a job on one or several cards, as plain numbers: the fast path of everything else."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Final, NamedTuple

from advisor.errors import OutOfRange
from advisor.models import Gpu, Method, MlModel, Workload
from advisor.speed import calibration
from advisor.speed.card import CardRates, card_rates, compute_rates
from advisor.speed.decode import DecodeTime, decode_time
from advisor.speed.demand import Demand, asked, workload_class
from advisor.speed.denoise import StepSeconds, around_seconds, denoise_step, denoiser_of, guided_passes, train_step
from advisor.speed.network import across_nodes, machines_of, usual_network
from advisor.speed.step import StepTime, exchange_rate, several, step_time
from advisor.speed.vision import engine_step, in_an_engine

MOST_GPUS = 100_000
_EXCHANGES: Final = 8.0
"""A layer and step: two in the forward pass, two in the backward, each as gather and scatter (Megatron-LM, sequence
parallel)."""
_SHOWN: Final = 0.5
"""Share of them that does not hide behind products."""


class Drawing(NamedTuple):
    """How a model of pictures or clips is run or trained."""

    basis: str
    """image | video | image-training"""
    steps: int
    """Denoising steps of a picture; one where it is trained."""
    seconds: StepSeconds
    """Of one of them, for a batch."""
    tokens: float


class Rate(NamedTuple):
    """One job on n cards. `seconds` is one step (training, image or encoder inference), one token (generation), or one
    picture.
    """

    card: CardRates
    workload: Workload
    n_gpus: int
    unit: str
    per_second: float
    seconds: float
    one_card_seconds: float
    demand: Demand | None
    step: StepTime | None
    decode: DecodeTime | None
    drawing: Drawing | None = None

    @property
    def bound(self) -> str:
        """What most of the time goes to."""
        if self.drawing is not None:
            return self.drawing.seconds.bound
        part = self.step or self.decode
        if part is None or (self.step and self.seconds > 1.5 * self.one_card_seconds):
            return "exchange"
        return part.bound


def check_count(name: str, value: float, most: float) -> None:
    """Refuse counts that no machine has.

    Raises:
        OutOfRange: not finite, below one, or above `most`.
    """
    if not isfinite(value) or not 1 <= value <= most:
        raise OutOfRange(f"{name} must lie between 1 and {most:,.0f}", name=name, value=value)


_ENGINE: Final = ("megatron", "nemo", "transformer engine")
_COMPILED: Final = ("torchtitan", "foundry", "composer")
_TUNED: Final = ("unsloth", "torchtune", "axolotl", "liger")


def training_stack(workload: Workload) -> str:
    """Behaviour of the software that a job is run with, a key of calibration.STACKS.

    As it is named; decoders are trained from the first token on in software that compiles or fuses (Megatron,
    torchtitan), everything else in containers of today.
    """
    named = (workload.framework or "").lower()
    if any(word in named for word in _ENGINE):
        return "engine"
    if any(word in named for word in _COMPILED):
        return "compiled"
    if any(word in named for word in _TUNED):
        return "tuned"
    if workload.method in _FROM_SCRATCH and workload_class(workload.ml_model) == "decoder":
        return "compiled"
    return calibration.TODAY


_FROM_SCRATCH: Final = (Method.PRETRAIN, Method.TRAIN)


def generates(workload: Workload) -> bool:
    """The job produces text token by token."""
    return workload.method is Method.INFERENCE and workload_class(workload.ml_model) == "decoder"


def rates_by_batch(workload: Workload, gpu: Gpu, n_gpus: int = 1) -> Callable[[int], float]:
    """Work per second of a training job as a function of its batch, everything else as in `rate_of`.

    Raises:
        UnsupportedCombination, OutOfRange: see `rate_of`.
    """
    card, demand, stack = compute_rates(gpu), asked(workload), training_stack(workload)
    exchange = exchange_rate(card, n_gpus)

    def per_second(batch: int) -> float:
        seconds = several(step_time(card, demand, stack, batch), demand, exchange, n_gpus)
        return n_gpus * batch * demand.units_per_sample / seconds

    return per_second


def rate_of(
    workload: Workload,
    gpu: Gpu,
    n_gpus: int = 1,
    *,
    stack: str = "",
    link: str = "",
    engine: str = "engine",
    split: str = "layers",
    nodes: int | None = None,
    network: str = "",
) -> Rate:
    """How fast this job runs. `n_gpus` counts the cards of all nodes together; `stack` is a key of calibration.STACKS,
    what such jobs are run with when empty; as many `nodes` as such cards usually fill when None, joined by the usual
    network (`network.machines_of`, `usual_network`).

    Raises:
        UnsupportedCombination: nothing published supports an estimate.
        OutOfRange: counts that no machine has.
    """
    check_count("n_gpus", n_gpus, MOST_GPUS)
    if draws(workload.ml_model):
        return _drawn(workload, gpu, n_gpus)
    nodes, network = _spread(gpu, n_gpus, nodes, network)
    card = card_rates(gpu)
    if generates(workload):
        users = workload.users or workload.batch or 1
        check_count("users", users, 1_000_000)
        made = decode_time(card, workload, n_gpus=n_gpus, users=users, engine=engine, split=split)
        return Rate(card, workload, n_gpus, "tok", made.tokens_per_s, made.total, made.total, None, None, made)
    card = compute_rates(gpu)
    demand, step = _step_of(card, workload, stack)
    per_second = demand.batch * demand.units_per_sample / step.total
    one = Rate(card, workload, 1, demand.unit, per_second, step.total, step.total, demand, step, None)
    whole = one if n_gpus == 1 and not link else together(one, demand, step, n_gpus, link, nodes, network)
    waits = layer_waits(whole, workload.tensor_parallel or 1, link)
    if not waits:
        return whole
    seconds = whole.seconds + waits
    return whole._replace(seconds=seconds, per_second=whole.per_second * whole.seconds / seconds)


def _step_of(card: CardRates, workload: Workload, stack: str) -> tuple[Demand, StepTime]:
    """What a step or a batch asks for and takes on one card, in the software that such jobs are run with."""
    if in_an_engine(workload):
        return engine_step(card.gpu, workload)
    demand = asked(workload)
    return demand, step_time(card, demand, stack or training_stack(workload))


def _spread(gpu: Gpu, n: int, nodes: int | None, network: str) -> tuple[int, str]:
    """The machines of so many cards and what joins them: as said, else as is usual."""
    if nodes is None:
        nodes, network = machines_of(gpu, n), network or usual_network(gpu)
    check_count("nodes", nodes, n)
    return nodes, network


def draws(model: MlModel) -> bool:
    """Whether a model makes pictures or clips."""
    return model.modality == "image-gen"


def _drawn(workload: Workload, gpu: Gpu, n: int) -> Rate:
    """Pictures or clips a second: each is drawn on one card, and each card trains on its own.

    Raises:
        UnsupportedCombination: no compute figure of the card is known.
    """
    card, shape = card_rates(gpu), denoiser_of(workload.ml_model)
    size, batch, frames = workload.resolution or shape.size, workload.batch or 1, shape.length(None)
    if workload.method is Method.INFERENCE:
        count, basis = shape.steps, "video" if shape.time else "image"
        seconds = denoise_step(card, shape, size, frames, batch, passes=guided_passes(shape, count))
        whole = count * seconds.total + around_seconds(card, shape, size, frames, batch)
    else:
        count, basis = 1, "image-training"
        recompute = workload.recompute.value if workload.recompute else "full"
        narrow = workload.method is Method.QLORA
        seconds = train_step(
            card, shape, size, frames, batch, method=workload.method, recompute=recompute, unpacked=narrow
        )
        whole = seconds.total
    drawing = Drawing(basis, count, seconds, shape.tokens(size, frames))
    return Rate(card, workload, n, "img", n * batch / whole, whole, whole, None, None, None, drawing)


def layer_waits(rate: Rate, tensor: int, link: str = "") -> float:
    """Seconds that a training step waits for activations when `tensor` cards share each layer."""
    if tensor <= 1 or rate.demand is None:
        return 0.0
    model = rate.workload.ml_model
    tokens = rate.demand.batch * rate.demand.units_per_sample
    sent = tokens * (tensor - 1) * (model.hidden or 0) * 2.0  # of all that share the layer
    return _EXCHANGES * _SHOWN * (model.layers or 0) * sent / exchange_rate(rate.card, tensor, link)


def together(
    one: Rate, demand: Demand, step: StepTime, n_gpus: int, link: str = "", nodes: int = 1, network: str = ""
) -> Rate:
    """The rate of one card's step when `n_gpus` cards exchange gradients. Raises as `rate_of` does."""
    local = exchange_rate(one.card, n_gpus // nodes, link)
    bandwidth = across_nodes(local, nodes, network) if nodes > 1 else local
    seconds = several(step, demand, bandwidth, n_gpus)
    per_second = n_gpus * demand.batch * demand.units_per_sample / seconds
    return one._replace(n_gpus=n_gpus, per_second=per_second, seconds=seconds)
