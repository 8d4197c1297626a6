"""What is said of a card beside the largest models that it holds: their pace, and whether it trains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from advisor.errors import AdvisorError
from advisor.models import Estimate, Gpu, Method
from advisor.speed import tokens_per_second
from bot.answers.common import job_for
from bot.answers.memory.cards import Card, gives
from bot.answers.phrases import cards_named, in_turn, model_named, way_named
from bot.answers.speed.time_lines import told
from bot.core.line import Figure, Label, Line, Single, Worded
from bot.core.request import Request

if TYPE_CHECKING:
    from bot.answers.memory.capacity import Capacity

_SERVER_GIB: Final = 80.0
_YARDSTICKS: Final = ("a100-80gb-sxm4", "rtx-4090")
"""Cards that trainers know: the first for those of a server, the second for those of a desk."""
_SLOW: Final = 0.7
"""Share of the yardstick's tensor throughput below which training is clearly slower."""
_OF_A_DESK: Final = "GeForce"
"""Family of the cards that people train on at home: a smaller one of them is made for no other work."""
_TRAINS: Final = frozenset({"train", "pretrain"})


def is_for_training(request: Request) -> bool:
    """Whether a card is asked about as one to train or to tune with, by no method in particular."""
    stated = request.slot("method")
    return stated in _TRAINS or (not stated and request.heard.shows("job", "tuning"))


def asks_which(request: Request) -> bool:
    """Whether it is asked which language model to run."""
    heard = request.heard
    return heard.speaks_of("which_llm") or (heard.shows("asked", "which_model") and heard.shows("asked", "time"))


def pace_of(request: Request, best: Capacity, card: Card, n: int) -> Estimate | None:
    """Tokens a second of the largest model that is run; None where it is not asked for or not known."""
    asked = "time" in request.heard.sides("asked") and best.method == Method.INFERENCE.value
    model = request.services.catalog.find_ml_model(best.model) if asked and best.model else None
    if model is None or card.gpu is None:
        return None
    work = job_for(request, model, Method.INFERENCE, n).workload
    try:
        return tokens_per_second(work, card.gpu, n).decode
    except AdvisorError:
        return None


def paced(best: Capacity, card: Card, n: int, rate: Estimate) -> Line:
    """The largest model with its pace as the answer to both."""
    values: dict[str, Worded] = {
        "way": way_named(best),
        "model": model_named(best.model),
        "tight": model_named(best.tight) if best.tight else None,
        "rate": told(rate, "token/s"),
        "gives": gives(card, n),
    }
    return Line("capacity.paced", values)


def training_headline(held: Sequence[Capacity], card: Card, n: int, *, slow: bool) -> Line | None:
    """Whether a card trains, and up to which model each way; None where nothing of use is trained."""
    ways: list[Single] = [
        Line("capacity.to", {"way": way_named(one), "model": model_named(one.model)}) for one in held if one.model
    ]
    if not ways:
        return None
    return Line(
        "capacity.trains_slowly" if slow else "capacity.trains", {"ways": in_turn(ways), "gives": gives(card, n)}
    )


def compute_of(request: Request, card: Card) -> tuple[Line, bool] | None:
    """A card's tensor throughput beside one that trainers know, and whether it is clearly less; None if not known."""
    gpu = card.gpu
    yardstick = _yardstick(request, gpu) if gpu is not None else None
    if gpu is None or yardstick is None or yardstick.id == gpu.id:
        return None
    own, known = gpu.fp16_tensor_fp32acc_tflops, yardstick.fp16_tensor_fp32acc_tflops
    if not own or not known:
        return None
    share = own / known
    values: dict[str, Worded] = {
        "card": cards_named(gpu.name),
        "own": Figure(own, "TFLOPS"),
        "other": Label(yardstick.name, "gpu"),
        "known": Figure(known, "TFLOPS"),
        "share": Figure(share, "share"),
    }
    slow = share < _SLOW and gpu.family != _OF_A_DESK
    return Line("capacity.compute_low" if slow else "capacity.compute", values), slow


def _yardstick(request: Request, gpu: Gpu) -> Gpu | None:
    big = (gpu.vram_gib or 0.0) >= _SERVER_GIB
    return request.services.catalog.gpus.get(_YARDSTICKS[0] if big else _YARDSTICKS[1])
