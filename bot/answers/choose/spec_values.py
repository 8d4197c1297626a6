"""Figures of cards as they are told: with units, marked where nobody verified them, and how far two are apart."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import reduce
from typing import Final

from advisor.specs import SpecValue
from bot.core.line import Figure, Label, Line, Single, Worded
from bot.words.figures import number

_DIGITS: Final = 4
"""A figure is told as it is on record."""
UNKNOWN: Final = (None, ())
"""What stands for a figure that is not known."""
_TWO: Final = 2
_LESS_IS_MORE: Final = frozenset({"board_power_w", "msrp_usd", "slots"})
"""Figures of which people want the lower one."""
_NO_AMOUNT: Final = frozenset({"tensor_cores", "pcie_generation"})
"""Figures that are names of generations."""


def value_of(cell: SpecValue) -> Single:
    """A figure with its unit; marked where nobody has verified it."""
    plain = plain_of(cell)
    if cell.verified or cell.value is None:
        return plain
    return Line("spec.doubted", {"value": plain})


def plain_of(cell: SpecValue) -> Single:
    """A figure with its unit, whether verified or not; in words where it is none."""
    value = cell.value
    if value in UNKNOWN:
        return Label("unknown", "spec")
    if isinstance(value, bool):
        return _yes_or_no(cell.attribute, value)
    worded = _worded(cell)
    if worded is not None:
        return worded
    if isinstance(value, tuple):
        return _sizes(value, _printed(cell.unit))
    return value if isinstance(value, (str, date)) else figure_told(float(str(value)), _printed(cell.unit))


def _printed(unit: str) -> str:
    """The unit as it stands on a card: its memory is sold in GB."""
    return "GB" if unit == "GiB" else unit


def _yes_or_no(attribute: str, value: bool) -> Label:
    if attribute == "tensor_cores":
        return Label("has" if value else "has_not", "spec")
    return Label("yes" if value else "no", "spec")


def _worded(cell: SpecValue) -> Single:
    """Figures that are told in words: generations, a missing link, forms, prices; None for all others."""
    value = cell.value
    if cell.attribute == "tensor_cores":
        return Line("spec.generation", {"n": str(value)})
    if cell.attribute == "nvlink_gb_per_s" and value == 0:
        return Label("has_not", "spec")
    if cell.attribute == "mount":
        return Label(str(value), "mount")
    return Figure(float(str(value)), "money", "USD") if cell.attribute == "msrp_usd" else None


def figure_told(value: float, unit: str) -> Line:
    """A number as it is on record, with its unit."""
    return Line("spec.figure", {"n": number(value, _DIGITS), "unit": unit or None})


def _sizes(values: Sequence[object], unit: str) -> Single:
    """Sizes that a machine is sold with, the unit behind the last."""
    last = len(values) - 1
    shown = [figure_told(float(str(one)), unit if place == last else "") for place, one in enumerate(values)]
    return reduce(lambda left, right: Line("spec.slash", {"left": left, "right": right}), shown)


def apart(names: Sequence[str], row: Sequence[SpecValue]) -> Line | None:
    """Two figures with their difference, the better one first; None where they are no two different numbers."""
    numbers = [(value, name, one) for name, one in zip(names, row, strict=True) if (value := _number(one)) is not None]
    if len(names) != _TWO or len(numbers) != _TWO or numbers[0][0] == numbers[1][0]:
        return None
    less = row[0].attribute in _LESS_IS_MORE
    (first, ahead, cell), (second, other, beside) = sorted(numbers, key=lambda one: one[0], reverse=not less)
    by = cell.model_copy(update={"value": round(abs(first - second), 2)})
    values: dict[str, Worded] = {
        "what": Label(cell.attribute, "attr"),
        "first": ahead,
        "value": value_of(cell),
        "other": other,
        "beside": value_of(beside),
        "by": plain_of(by),
    }
    return Line("spec.apart.less" if less else "spec.apart.more", values)


def _number(cell: SpecValue) -> float | None:
    """A figure that can be subtracted; None for all others."""
    value = cell.value
    known = isinstance(value, (int, float)) and not isinstance(value, bool) and cell.attribute not in _NO_AMOUNT
    return float(value) if known and isinstance(value, (int, float)) else None
