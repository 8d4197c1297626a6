"""Values in one line at the prompt: names instead of records, counts instead of lists, a trail not at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_MOST_FIELDS: Final = 8
_MOST_TEXT: Final = 60
_CALLED: Final = ("name", "brief", "value", "code", "id")
"""What a nested value is shown by: the first of these that it has."""


def brief_of(kind: str, fields: Mapping[str, object]) -> str:
    """`Kind(field=value, ...)` with what holds something, long things shortened."""
    told = [f"{name}={_part(value)}" for name, value in fields.items() if value not in (None, "", (), False)]
    more = ", ..." if len(told) > _MOST_FIELDS else ""
    return f"{kind}({', '.join(told[:_MOST_FIELDS])}{more})"


def _part(value: object) -> str:
    if isinstance(value, (tuple, list, dict)):
        return f"<{len(value)}>"
    called = next((getattr(value, name) for name in _CALLED if hasattr(value, name)), None)
    if called is not None and not isinstance(value, (str, int, float)):
        return f"{type(value).__name__}({_cut(str(called))})"
    return _cut(repr(value))


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_TEXT else f"{text[: _MOST_TEXT - 3]}..."
