"""A premise that a message puts up to be confirmed: whether the figures bear it out is said first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from advisor.models import Gpu
from bot.core.line import Line
from bot.core.request import Request

_ALIKE: Final = 0.03
"""A number that is said is a figure on record where they differ by no more."""


def is_put_up(request: Request) -> bool:
    """Whether a message wants a premise confirmed, or asks whether what it claims is so."""
    forms = request.heard.sides("form")
    return "confirm" in forms or ("whether" in forms and "open" not in forms)


def claim_of(request: Request) -> str:
    """What a message claims of the side it names first: "more", "less", "" where it claims nothing of the kind."""
    if not is_put_up(request) or request.heard.shows("form", "apart"):
        return ""
    # a word of less counts before one of more: half of what is said of a slower card is how much faster the other is
    found = request.heard.sides("claim")
    return "less" if "less" in found else next(iter(found), "")


SIDES: Final = ("first", "second")
"""A multiple is claimed of two sides."""
_MULTIPLES: Final = {"half": 0.5, "double": 2.0, "triple": 3.0, "same": 1.0}
_ABOUT: Final = 0.15
"""A multiple that is said is borne out by a ratio that differs by no more."""


def multiple_of(request: Request) -> float | None:
    """How many times the second side the first is said to be, in a premise; None where it says no such thing."""
    if not is_put_up(request):
        return None
    return next((_MULTIPLES[name] for name in request.heard.sides("multiple")), None)


def is_multiple(multiple: float, ratios: Sequence[float | None]) -> bool | None:
    """Whether one side is so many times the other at any of the jobs; None where no ratio is known."""
    known = [ratio for ratio in ratios if ratio is not None]
    return any(abs(ratio / multiple - 1) <= _ABOUT for ratio in known) if known else None


def bears_out(claim: str, first: float | None, second: float | None) -> bool | None:
    """Whether what is claimed of the first of two figures holds; None where nothing is claimed, or one is not known."""
    if not claim or first is None or second is None:
        return None
    return first > second if claim == "more" else first < second


def holds_of(request: Request, first: float | None, second: float | None) -> bool | None:
    """Whether what a premise says of the first of two figures holds: so many times the other, else more or less."""
    multiple = multiple_of(request)
    if multiple is not None and first and second:
        return is_multiple(multiple, (first / second,))
    return bears_out(claim_of(request), first, second)


def are_said(figures: Sequence[float], said: Sequence[float]) -> bool | None:
    """Whether each of the figures on record is one of the numbers that are said; None where none is said."""
    if not said or not figures:
        return None
    return all(any(abs(figure - one) <= _ALIKE * figure for one in said) for figure in figures)


_HAD: Final = frozenset({"nvlink_gb_per_s"})
"""Attributes that a card has or has not, with a figure where it has."""


def are_so(request: Request, figures: Sequence[float], said: Sequence[float], attributes: Sequence[str]) -> bool | None:
    """Whether the figures of these attributes are those that are said; where none is, whether they are there."""
    if figures and not said and _HAD.issuperset(attributes):
        return not request.heard.shows("claim", "none")
    return are_said(figures, said)


TB: Final = 1024.0
"""GB of what a message tells in TB."""
_MOST_TB: Final = 20.0
"""No memory is faster by far; what is told with a T beyond are operations."""


def are_terabytes(gigabytes: float) -> bool:
    """Whether an amount is one that is told in TB, and can be a bandwidth."""
    return TB <= gigabytes <= _MOST_TB * TB


def memory_said(request: Request) -> list[float]:
    """Gigabytes of a message; terabytes as GB/s, which are counted in thousands: 3.35 TB/s are 3,350."""
    return [1000.0 * one / TB if are_terabytes(one) else one for one in request.heard.amounts_of("GB")]


def sizes_said(request: Request) -> tuple[str, ...]:
    """Memory and bandwidth of one card, where a premise states an amount of them by its unit alone."""
    if not is_put_up(request) or len(request.slot("gpu") or ()) != 1:
        return ()
    memory = ("vram_gib",) if request.heard.named("vram_gb") else ()
    fast = any(map(are_terabytes, request.heard.amounts_of("GB")))
    return (*memory, "memory_bandwidth_gb_per_s") if fast else memory


def version_meant(request: Request, gpus: tuple[Gpu, ...], attributes: Sequence[str]) -> tuple[Gpu, ...]:
    """Of the versions of one name that of which most figures are put up; all of them where several are as near."""
    if len(gpus) == 1:
        return gpus
    ranked = sorted(((len(figures_said(request, gpu, attributes)), gpu) for gpu in gpus), key=lambda one: -one[0])
    return (ranked[0][1],) if ranked[0][0] > ranked[1][0] else gpus


def figures_said(request: Request, gpu: Gpu, attributes: Sequence[str]) -> tuple[str, ...]:
    """Of a card's attributes those whose figure a premise states without naming what it is a figure of."""
    if not is_put_up(request):
        return ()
    said = [float(number) for number in request.heard.numbers if number not in gpu.name]
    said = [*said, *memory_said(request)]
    known = {name: getattr(gpu, name) for name in attributes}
    return tuple(
        name
        for name, value in known.items()
        if isinstance(value, (int, float)) and any(abs(value - one) <= _ALIKE * value for one in said)
    )


def told(request: Request, holds: bool | None, line: Line) -> Line:
    """A headline with the verdict on the premise before it."""
    if holds is None:
        return line
    if not holds:
        return Line("premise.no", {"said": line})
    return Line("premise.right" if request.heard.shows("form", "confirm") else "premise.yes", {"said": line})
