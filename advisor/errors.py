"""What can go wrong in the advisor, as one family that callers can catch.

AdvisorError
├── UnknownName (LookupError)            a card, model or provider that is not in the catalogue
├── UnsupportedCombination (ValueError)  two settings that never occur together, or nothing is known about
├── OutOfRange (ValueError)              a number that no machine can have
├── NoRate (LookupError)                 no dated currency rate for this pair
└── BadData (ValueError)                 data files that do not hold what they must; lists every problem
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


class AdvisorError(Exception):
    """Base of everything that the advisor raises on purpose. `code` names the sentence a user is shown."""

    code = "advisor_error"

    def __init__(self, message: str, **values: object) -> None:
        """Keep the values a sentence about this error needs."""
        super().__init__(message)
        self.values = values


_SPOKEN: Final = {"ml_model": "model", "gpu": "card"}
"""Kinds of records as people call them."""


class UnknownName(AdvisorError, LookupError):
    """Nothing has this name. `suggestions` holds up to three close names, best first."""

    code = "unknown_name"

    def __init__(self, kind: str, name: str, suggestions: tuple[str, ...] = ()) -> None:
        """Say which kind of thing (`gpu`, `ml_model`, `provider`) was not found."""
        meant = f"; did you mean {' or '.join(suggestions)}?" if suggestions else ""
        super().__init__(
            f"no {_SPOKEN.get(kind, kind)} is called {name!r}{meant}", kind=kind, name=name, suggestions=suggestions
        )
        self.kind, self.name, self.suggestions = kind, name, suggestions


class UnsupportedCombination(AdvisorError, ValueError):
    """These settings do not occur together, or no published figure supports an estimate."""

    code = "unsupported_combination"


class OutOfRange(AdvisorError, ValueError):
    """A number is negative, zero, not finite or larger than anything real."""

    code = "out_of_range"


class NoRate(AdvisorError, LookupError):
    """No exchange rate is on record for this pair of currencies."""

    code = "no_rate"


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One fault in a data file: where it is, what is wrong, what would mend it."""

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        """Render as editors expect it: path:line: message."""
        return f"{self.path}:{self.line}: {self.message}"


class BadData(AdvisorError, ValueError):
    """Data files are faulty. `problems` holds all of them, in the order of path and line."""

    code = "bad_data"

    def __init__(self, problems: list[Problem]) -> None:
        """Collect the problems; the message is their list."""
        self.problems = tuple(sorted(problems))
        super().__init__("\n".join(map(str, self.problems)), count=len(self.problems))
