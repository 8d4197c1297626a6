"""What stands behind every command that takes names: run it, shape what comes out, tell a mistake in one line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Final

import typer

from advisor.errors import AdvisorError, UnknownName
from advisor.named.bills import Cost, Prices
from advisor.named.results import Advice, Listing
from advisor.named.shown import Shown
from bot.cli.shapes import Shape, shaped, show
from bot.cli.telling import Saying

FITS_NOT: Final = 1
_FOUND: Final = (Advice, Cost, Listing, Prices)
"""Results that are what is on record; without a row there is nothing."""
UNKNOWN: Final = 3
"""Status of a name that nobody knows, a number that no machine has, a figure that is not on record."""


def give(work: Callable[[], Shown], shape: Shape, say: Saying) -> Shown:
    """Compute and write.

    Raises:
        typer.Exit: the advisor could not, and one line on the error stream says why; or nothing was found.
    """
    try:
        result = work()
    except AdvisorError as error:
        print(said(error, say), file=sys.stderr)
        raise typer.Exit(UNKNOWN) from None
    except TypeError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(2) from None
    if shape is Shape.TEXT:
        show(result, say)
    else:
        print(shaped(result, shape, say))
    if isinstance(result, _FOUND) and not result.rows:
        raise typer.Exit(UNKNOWN)
    return result


def said(error: AdvisorError, say: Saying) -> str:
    """An error of the advisor in words, with the nearest names."""
    if isinstance(error, UnknownName):
        kind = say.named("kind", error.kind)
        line = say("error.unknown_name", kind=say("kind.other") if kind == error.kind else kind, name=error.name)
        return f"{line} {say('error.near', names=', '.join(error.suggestions))}" if error.suggestions else line
    if error.values.get("missing") in {"dataset", "hours"}:
        return say("error.no_data" if error.values["missing"] == "dataset" else "error.no_hours")
    known = {"name": error.values.get("name", ""), "value": error.values.get("value", "")}
    code = error.code if error.code in {"out_of_range", "unsupported_combination", "no_rate"} else "advisor_error"
    return say(f"error.{code}", **known, detail=str(error))
