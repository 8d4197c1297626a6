"""What a line of a table of formulas is: gives, needs, how it is written, the sum, and what may be left out."""

from __future__ import annotations

from collections.abc import Callable

Sum = Callable[..., float]
Entry = (
    tuple[str, tuple[str, ...], str, Sum]
    | tuple[str, tuple[str, ...], str, Sum, tuple[str, ...]]
    | tuple[str, tuple[str, ...], str, Sum, tuple[str, ...], tuple[str, ...]]
)
