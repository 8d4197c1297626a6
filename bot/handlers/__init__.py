"""One module an intent: slots in, `Answer`, `Elicit` or `Decline` out. Modules are imported when first needed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import cast

from bot.core.answers import Outcome
from bot.core.request import Request

Handler = Callable[[Request], Outcome]


@cache
def get_handler(intent: str) -> Handler:
    """The `handle` function of an intent.

    Raises:
        LookupError: bot/handlers has no module of that name, or it has no `handle`.
    """
    try:
        module = import_module(f"bot.handlers.{intent}")
    except ModuleNotFoundError as error:
        if error.name != f"bot.handlers.{intent}":
            raise
        raise LookupError(f"bot/handlers/{intent}.py is missing") from error
    handler = getattr(module, "handle", None)
    if handler is None:
        raise LookupError(f"bot/handlers/{intent}.py has no function handle(request)")
    return cast(Handler, handler)
