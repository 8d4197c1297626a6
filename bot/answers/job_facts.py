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


FACTS: Final[Mapping[str, Callable[[Request], bool]]] = {
    "need_each_asked": lambda request: request.heard.shows("asked", "need_each"),
    "offload_said": _is_offload_said,
    "one_model": _is_one_model,
}
"""Name in routes.yaml -> whether it holds of a question."""
