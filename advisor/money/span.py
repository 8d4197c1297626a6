"""Amounts that are only known within limits: a low, a middle and a high end that travel through sums and products."""

from __future__ import annotations

from decimal import Decimal
from typing import Self

from pydantic import model_validator

from advisor.errors import OutOfRange
from advisor.models import Frozen

Number = Decimal | int | float


def exact(value: Number) -> Decimal:
    """A number as Decimal, by its shortest text, so that 0.12 stays 0.12.

    Raises:
        OutOfRange: not a finite number.
    """
    number = value if isinstance(value, Decimal) else Decimal(str(value))
    if not number.is_finite():
        raise OutOfRange("must be a finite number", name="amount", value=str(value), low=0, high="", unit="")
    return number


def at_least_zero(name: str, value: Number, most: Number = Decimal(10) ** 12, unit: str = "") -> Decimal:
    """A Decimal of nought or more: nought is a value. Raises OutOfRange as `positive` does."""
    return Decimal(0) if value == 0 else positive(name, value, most, unit)


def positive(name: str, value: Number, most: Number = Decimal(10) ** 12, unit: str = "") -> Decimal:
    """A Decimal above zero and not beyond anything real.

    Raises:
        OutOfRange: zero, negative, not finite or larger than `most`.
    """
    try:
        number = exact(value)
    except OutOfRange:
        number = Decimal(-1)
    if not 0 < number <= exact(most):
        raise OutOfRange(
            f"{name} must lie above 0 and not beyond {most} {unit}".strip(),
            name=name,
            value=str(value),
            low=0,
            high=float(exact(most)),
            unit=unit,
        )
    return number


class Span(Frozen):
    """A figure with its limits, low <= value <= high, none below zero."""

    value: Decimal
    low: Decimal
    high: Decimal

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not self.low <= self.value <= self.high:
            raise ValueError("a span must have low <= value <= high")
        return self

    @classmethod
    def of(cls, value: Number | Span) -> Span:
        """A figure without doubt as a span of no width."""
        if isinstance(value, Span):
            return value
        number = exact(value)
        return cls(value=number, low=number, high=number)

    @classmethod
    def between(cls, low: Number, high: Number) -> Span:
        """A range; its middle stands for it."""
        first, last = sorted((exact(low), exact(high)))
        # the sum is rounded to 28 figures, so the middle of two long equal numbers may lie beside them
        return cls(value=min(max((first + last) / 2, first), last), low=first, high=last)

    @property
    def ranged(self) -> bool:
        """The limits differ."""
        return self.low != self.high

    def plus(self, other: Number | Span) -> Span:
        """Sum; limits add."""
        more = Span.of(other)
        return Span(value=self.value + more.value, low=self.low + more.low, high=self.high + more.high)

    def minus(self, other: Number | Span) -> Span:
        """Difference, never below zero; the low end takes the other's high end."""
        less = Span.of(other)
        zero = Decimal(0)
        return Span(
            value=max(self.value - less.value, zero),
            low=max(self.low - less.high, zero),
            high=max(self.high - less.low, zero),
        )

    def times(self, other: Number | Span) -> Span:
        """Product of figures that are not negative."""
        factor = Span.of(other)
        return Span(value=self.value * factor.value, low=self.low * factor.low, high=self.high * factor.high)

    def over(self, other: Number | Span) -> Span | None:
        """Quotient, or None when the divisor may be zero."""
        divisor = Span.of(other)
        if divisor.low <= 0:
            return None
        return Span(value=self.value / divisor.value, low=self.low / divisor.high, high=self.high / divisor.low)

    def rounded(self, places: str = "0.0001") -> Span:
        """Limits and middle to a fixed number of places."""
        unit = Decimal(places)
        return Span(value=self.value.quantize(unit), low=self.low.quantize(unit), high=self.high.quantize(unit))
