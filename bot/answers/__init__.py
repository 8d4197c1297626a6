"""Answers by family: one module a need in the room of its family; slots in, `Answer`, `Elicit` or `Decline` out.

Modules are found by name and imported when first needed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Final, cast

from bot.core.answers import Outcome
from bot.core.request import Request

ROOMS: Final = ("choose", "memory", "speed", "money", "machine", "documents", "small")
Handler = Callable[[Request], Outcome]


@cache
def get_handler(intent: str) -> Handler:
    """The `handle` function of an intent.

    Raises:
        LookupError: no room of bot/answers has a module of that name, or it has no `handle`.
    """
    name = module_of(intent)
    if name is None:
        raise LookupError(f"bot/answers: no room has {intent}.py ({', '.join(ROOMS)})")
    handler = getattr(import_module(name), "handle", None)
    if handler is None:
        raise LookupError(f"{name} has no function handle(request)")
    return cast(Handler, handler)


def module_of(intent: str) -> str | None:
    """Name of the module that answers an intent; None when no room has one."""
    names = (f"bot.answers.{room}.{intent}" for room in ROOMS)
    return next((name for name in names if find_spec(name) is not None), None)
