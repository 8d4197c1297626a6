"""An error message or fault that is known by name: its cause and what to try first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bot.answers.documents.passages import answer_from, not_in_documents
from bot.core.answers import Answer, Outcome
from bot.core.request import Request

_OWN: Final[Mapping[str, tuple[str, str]]] = {
    "error-no-kernel-image": ("cuda_compat", "gpu"),
    "fp8-training-cards": ("check_fit", "model"),
    "error-oom-fragmentation": ("reduce_memory", "model"),
}
"""Errors of which a need knows more where one slot is given: which card it is, which model."""
_BUILD: Final = "error-flash-attn-build"
_FORMATS: Final = "precision_advice"
_GOES_ON_AS: Final = "perf_troubleshooting"


def is_shown(request: Request) -> bool:
    """Whether a message names an error that is known, and its own need does not know more of it."""
    error = request.heard.error
    need, slot = _OWN.get(error, ("", ""))
    return bool(error) and not (request.intent == need and request.slot(slot)) and not _is_hopeless(request, error)


def _is_hopeless(request: Request, error: str) -> bool:
    """Whether a program fails to build on a card that it has no code for: how to build it is no help."""
    if error != _BUILD or request.intent != _FORMATS:
        return False
    from advisor.machine.precision import flash_attention

    catalog = request.services.catalog
    named = [catalog.find_gpu(str(name)) for name in request.slot("gpu") or ()]
    return any(gpu is not None and flash_attention(gpu) == "none" for gpu in named)


def handle(request: Request) -> Outcome:
    """Cause and fix of the error that the message names."""
    return told(request) or not_in_documents(request, _GOES_ON_AS)


def told(request: Request) -> Answer | None:
    """The answer to the error that the message names; None where it names none."""
    error = request.heard.error
    return answer_from(request, [request.services.library.get(error)]) if error else None
