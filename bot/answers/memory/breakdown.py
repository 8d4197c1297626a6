"""The parts of a need of memory, as numbers that add up to the total as shown."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor
from typing import Final

from advisor.memory import MemoryEstimate
from advisor.models import Frozen, Method
from bot.answers.phrases import added, plain
from bot.core.line import Label, Line


class Part(Frozen):
    """One line of a breakdown, rounded so that all lines add up to the total as shown."""

    name: str
    value: float
    """GiB."""
    how: str = ""


_ALWAYS: Final[tuple[str, ...]] = ("weights", "gradients", "optimizer", "activations", "framework")
_GATHERED: Final = {"step": "optimizer", "allocator": "framework", "loading": "framework", "gathered": "weights"}
"""Small parts that the short form adds to a larger one."""


def breakdown(estimate: MemoryEstimate, *, short: bool = False) -> tuple[Part, ...]:
    """The components of an estimate, in the order people read them, as numbers that add up to the total shown.

    The short form has five or six lines at most; training always names gradients and optimizer, even at nothing.
    """
    sizes = dict.fromkeys(_named_always(estimate.workload.method, short=short), 0.0)
    hows: dict[str, str] = {}
    for step in estimate.components:
        name = _GATHERED.get(step.name, step.name) if short else step.name
        sizes[name] = sizes.get(name, 0.0) + float(step.value or 0.0)
        hows.setdefault(name, step.how)
    order = sorted(sizes, key=_place)
    rounded = added_up([sizes[name] for name in order], estimate.total.value)
    return tuple(Part(name=name, value=gib, how=hows.get(name, "")) for name, gib in zip(order, rounded, strict=True))


def _named_always(method: Method, *, short: bool) -> tuple[str, ...]:
    """Parts that are named even at nothing."""
    if method is Method.INFERENCE:
        return ("weights", "activations", "framework") if short else ()
    return _ALWAYS if short else _ALWAYS[:3]


_ORDER: Final = ("weights", "gradients", "optimizer", "kv_cache", "activations", "logits")
"""In which people read them; others stand behind, the framework last."""


def _place(name: str) -> int:
    if name in _ORDER:
        return _ORDER.index(name)
    return len(_ORDER) + (name == "framework")


def added_up(values: Sequence[float], total: float) -> list[float]:
    """Values rounded to the precision at which the total is shown, the largest remainders rounded up."""
    decimals = 3 if total < 1 else 2 if total < 10 else 1 if total < 100 else 0
    unit = 10.0**-decimals
    floors = [floor(value / unit + 1e-9) for value in values]
    missing = round(total / unit) - sum(floors)
    rest = sorted(range(len(values)), key=lambda place: floors[place] - values[place] / unit)
    for place in rest[: max(missing, 0)]:
        floors[place] += 1
    return [round(count * unit, decimals) for count in floors]


def sum_line(parts: Sequence[Part], total: float) -> Line:
    """The parts and what they add up to."""
    told = [Line("memory.part", {"part": Label(one.name, "step"), "gib": plain(one.value)}) for one in parts]
    return Line("memory.sum", {"parts": added(told), "total": plain(total)})
