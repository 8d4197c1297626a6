"""Facts of a question about the job itself that decide who answers it: what is asked, what is said of its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from bot.core.request import Request


def _is_offload_said(request: Request) -> bool:
    """Whether a part of the model is said to lie in the machine's memory: layers, or the experts alone."""
    return request.heard.shows("technique", "offload") or request.heard.shows("setting", "experts_in_ram")


def _is_one_model(request: Request) -> bool:
    """Whether one model is named, and no second reading of a name beside it."""
    models = request.slot("model")
    return bool(models) and (not isinstance(models, list) or len(models) == 1)


_SEVERAL: Final = 2
_JOB: Final = ("model", "task", "method", "budget")


def _is_pooling_asked(request: Request) -> bool:
    """Whether it is asked if the memory of several cards is one, and no job is named that they should hold."""
    heard = request.heard
    several = int(request.slot("gpu_count") or 1) >= _SEVERAL and not any(request.slot(name) for name in _JOB)
    sized = bool(heard.gigabytes) or heard.speaks_of("vram", "vram_amount")
    asked = {"whether", "confirm"} & set(heard.sides("form"))
    return several and sized and bool(asked) and heard.speaks_of("pooling")


def lent_card_of(request: Request) -> str:
    """The card that a platform which is named lends for nothing, "" for none."""
    stated = request.slot("provider")
    found = (request.services.catalog.find_provider(str(one)) for one in _listed(stated))
    return next((one.free_gpu for one in found if one is not None and one.free_gpu), "")


def _listed(stated: object) -> list[object]:
    return stated if isinstance(stated, list) else [stated] if stated else []


def _is_lent_enough_asked(request: Request) -> bool:
    """Whether it is asked if what a platform lends is enough for the model that is named."""
    heard = request.heard
    return heard.speaks_of("enough") and bool(lent_card_of(request))


_LOCAL: Final = frozenset({"llama.cpp", "exllama", "ktransformers"})


def _is_card_waiting(request: Request) -> bool:
    """Whether a program that runs language models is told to use little of the card."""
    return request.heard.symptom == "low" and not _LOCAL.isdisjoint(request.heard.sides("programs"))


def _is_shared(request: Request) -> bool:
    """Whether it is asked if people share one card."""
    return int(request.slot("gpu_count") or 1) == 1 and request.heard.shows("rig", "shared")


_RUN: Final = frozenset({None, "inference"})


def _is_bandwidth_doubted(request: Request) -> bool:
    """Whether it is asked if the memory's bandwidth holds a card back at running language models."""
    heard = request.heard
    runs = heard.speaks_of("language_model") or request.slot("task") == "llm_inference" or bool(request.slot("model"))
    one = len(request.slot("gpu") or ()) == 1 and request.slot("method") in _RUN
    return one and runs and heard.speaks_of("bandwidth", "bus_width") and heard.speaks_of("bottleneck_word")


def _is_purpose_asked(request: Request) -> bool:
    """Whether it is asked what a card is good for, and nothing else of it."""
    heard = request.heard
    if not heard.shows("wish", "purpose") or heard.speaks_of("second_hand", "money_question"):
        return False
    return not request.services.library.names_source(heard.terms)


def _link_asked(request: Request) -> bool:
    """Whether it is asked if cards take NVLink at all, and not how they scale."""
    forms = request.heard.sides("form")
    asked = "whether" in forms or request.heard.shows("form", "possible")
    pooled = request.heard.speaks_of("pooling") and bool(request.heard.gigabytes)
    other = request.heard.shows("scaling", "slow") or pooled
    return request.heard.speaks_of("nvlink") and asked and not other


def _is_done_in_time_asked(request: Request) -> bool:
    """Whether it is asked how much is trained in a time."""
    from bot.answers.speed.done_in_time import is_asked  # only where it is asked

    return bool(request.heard.side("done")) and is_asked(request)


FACTS: Final[Mapping[str, Callable[[Request], bool]]] = {
    "done_in_time_asked": _is_done_in_time_asked,
    "pooling_asked": _is_pooling_asked,
    "bandwidth_doubted": _is_bandwidth_doubted,
    "card_waits": _is_card_waiting,
    "card_shared": _is_shared,
    "link_asked": _link_asked,
    "lent_enough_asked": _is_lent_enough_asked,
    "purpose_asked": _is_purpose_asked,
    "need_each_asked": lambda request: request.heard.shows("asked", "need_each"),
    "offload_said": _is_offload_said,
    "one_model": _is_one_model,
}
"""Name in routes.yaml -> whether it holds of a question."""
FILLS: Final[Mapping[str, Callable[[Request], dict[str, object]]]] = {
    "usual_model": lambda request: {"model": request.slot("model") or ["llm-8b"], "method": "inference"},
    "lent_card": lambda request: {"gpu": [lent_card_of(request)], "provider": None},
}
"""Name in routes.yaml -> slots that follow from what was said."""
