"""What is true of a question about a purchase, for the rows of routes.yaml."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from bot.answers import rent_facts
from bot.core.request import Request

_TWO: Final = 2


def _is_quick_reason(request: Request) -> bool:
    """Whether the reason for a high pace is asked."""
    from bot.answers.speed.fast_writing import is_asked  # only where it is asked

    return is_asked(request)


def _is_memory_in_all(request: Request) -> bool:
    """Whether so much memory is to be had for least, in one card or several."""
    from bot.answers.choose.memory_in_all import is_asked

    return is_asked(request)


def _is_checking_asked(request: Request) -> bool:
    """Whether it is asked how a card that changes hands is looked over, and not what it is worth."""
    heard = request.heard
    return (
        heard.shows("deal", "looked_over")
        and not (request.slot("price") or heard.prices)
        and not heard.speaks_of("money_question", "compare")
    )


def _is_secrecy_asked(request: Request) -> bool:
    """Whether it is asked if data are safe from who lends the machine."""
    return request.heard.shows("platform", "secret")


def _is_only_run(request: Request) -> bool:
    """Whether a language model is only run, nothing of it in RAM and on no more than one card."""
    heard, task = request.heard, request.slot("task")
    runs = task == "llm_inference" or (request.slot("method") == "inference" and task is None)
    several = int(request.slot("gpu_count") or 1) > 1
    return (
        runs and not several and not heard.speaks_of("training", "no_gpu") and not heard.shows("technique", "offload")
    )


def _is_drawn_time_seen(request: Request) -> bool:
    """Whether it is told how long a picture takes, and asked if that is as it should be."""
    from bot.answers.speed.picture_pace import seconds_seen

    return seconds_seen(request) is not None


def _is_model_unsized(request: Request) -> bool:
    """Whether the model that is named is a service whose size nobody knows."""
    named = request.services.catalog.find_ml_model(str(request.first("model") or ""))
    return bool(request.slot("model")) and named is None


def _is_language_model(request: Request) -> bool:
    """Whether the model that is named writes, and is only run."""
    named = request.services.catalog.find_ml_model(str(request.first("model") or ""))
    writes = named is not None and named.modality.startswith("text")
    return writes and request.slot("method") in {None, "inference"}


def _is_enough_asked(request: Request) -> bool:
    """Whether it is asked if it is enough, and nothing was killed."""
    heard = request.heard
    return heard.speaks_of("enough", "fits") and heard.side("ram_sizing") != "killed"


def _is_called_dumb(request: Request) -> bool:
    """Whether it is asked if buying a card is a mistake, and renting is not spoken of."""
    return request.heard.shows("wish", "too_much") and "rent" not in request.heard.placed("price")


def _is_purchase_alone(request: Request) -> bool:
    """Whether buying the one card that is named is spoken of, and renting or what it would earn is not."""
    heard, named = request.heard, request.slot("gpu") or ()
    spoken = heard.speaks_of("or_word", "compare", "electricity") or request.slot("deploy") == "rent"
    priced = bool(request.slot("price")) or "rent" in heard.placed("price")
    return len(named) == 1 and heard.speaks_of("buying") and not spoken and not priced


def _second_gains(request: Request) -> bool:
    """Whether one more of the card that is spoken of is asked about by the speed of a job, and no other card."""
    heard, job = request.heard, request.slot("model") or request.slot("task")
    if not job or len(request.slot("gpu") or ()) >= _TWO or request.slot("budget"):
        return False
    several = heard.shows("against", "second") or ((request.slot("gpu_count") or 1) >= _TWO and _draws(request))
    return several and heard.speaks_of("rate_words") and not heard.shows("form", "how_long")


def _draws(request: Request) -> bool:
    """Whether pictures or clips are made, and nothing is trained."""
    return request.slot("task") in {"image_generation", "video_generation"} and not request.slot("method")


def _are_mixtures_asked(request: Request) -> bool:
    """Whether it is asked which mixtures of experts a machine runs."""
    from bot.answers.memory.mixtures import is_asked

    return is_asked(request)


FACTS: Final[Mapping[str, Callable[[Request], bool]]] = {
    "platforms_compared": rent_facts.are_platforms_compared,
    "hours_rented": rent_facts.are_hours_rented,
    "mixtures_asked": _are_mixtures_asked,
    "second_gains_asked": _second_gains,
    "checking_asked": _is_checking_asked,
    "drawn_time_seen": _is_drawn_time_seen,
    "enough_asked": _is_enough_asked,
    "language_model": _is_language_model,
    "memory_in_all": _is_memory_in_all,
    "quick_reason_asked": _is_quick_reason,
    "model_unsized": _is_model_unsized,
    "only_run": _is_only_run,
    "purchase_alone": _is_purchase_alone,
    "purchase_called_dumb": _is_called_dumb,
    "secrecy_asked": _is_secrecy_asked,
}
"""Name in routes.yaml -> whether it holds of a question."""
FILLS: Final[Mapping[str, Callable[[Request], dict[str, object]]]] = {
    "another_card": lambda _: {"gpu": None},
    "no_model": lambda _: {"model": None},
}
"""Name in routes.yaml -> slots that are set aside."""
