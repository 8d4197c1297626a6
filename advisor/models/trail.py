"""The trail behind each number, figures with their bands, and remarks as codes with values."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Protocol

from pydantic import BeforeValidator, Field, StrictBool, StrictFloat, StrictInt, StrictStr, field_serializer

from advisor.models.frozen import Frozen
from advisor.trusted import trusted


def _decimal_of(value: object) -> object:
    """An amount of money as it was written to JSON."""
    return Decimal(value["decimal"]) if isinstance(value, dict) and "decimal" in value else value


StepValue = Annotated[
    StrictStr | StrictBool | StrictInt | StrictFloat | Decimal | None,
    BeforeValidator(_decimal_of),
]
"""Comes back from JSON as what it was: a text that looks like a number ("8.9") stays a text."""


class Step(Frozen):
    """One number of an answer: how it came about, from which inputs, by whose word and of which day.

    `how` is a formula ("parameters x 2 bytes"), or one of the words `claim`, `price`, `assumption`, `given`, `passage`,
    `rate`. Steps nest, so `why` can unfold a number down to catalogue claims.
    """

    name: str
    value: StepValue
    unit: str = ""
    how: str
    inputs: tuple[Step, ...] = ()
    sources: tuple[str, ...] = ()
    """Ids in data/sources.yaml."""
    as_of: date | None = None
    rows: tuple[str, ...] = ()
    """Ids of seed-coverage rows whose rule or formula this step applies, such as "000-013"."""

    @field_serializer("value", when_used="json")
    def _written(self, value: object) -> object:
        return {"decimal": str(value)} if isinstance(value, Decimal) else value


class Estimate(Frozen):
    """A computed figure with its 90 % band. `basis` says in a few words what it rests on."""

    value: float
    low: float
    high: float
    unit: str
    basis: str
    trace: Step


class Banded(Protocol):
    """A figure with its 90 % band, with or without a trail: an Estimate, or what stands for one in a search."""

    @property
    def value(self) -> float:
        """The middle."""

    @property
    def low(self) -> float:
        """Lower end."""

    @property
    def high(self) -> float:
        """Upper end."""


class Note(Frozen):
    """Something worth saying, as a code with values; the sentence lives in templates/_shared/notes/.

    The advisor never words anything: it returns `Note("gpu_variant", {"asked": "A100", ...})`.
    """

    code: str
    values: dict[str, object] = Field(default_factory=dict)

    if not TYPE_CHECKING:

        def __init__(self, code: str, values: Mapping[str, object] | None = None) -> None:
            """Allow the short form Note(code, values)."""
            super().__init__(code=code, values=dict(values or {}))

    else:

        def __init__(self, code: str, values: Mapping[str, object] | None = None) -> None:
            """Short form Note(code, values)."""


Step.model_rebuild()

_step, _estimate, _note = trusted(Step), trusted(Estimate), trusted(Note)


def step_of(
    name: str,
    value: float | int | Decimal | str | bool | None,
    how: str,
    unit: str = "",
    inputs: tuple[Step, ...] = (),
    sources: tuple[str, ...] = (),
    rows: tuple[str, ...] = (),
    as_of: date | None = None,
) -> Step:
    """A `Step` from values that the formulas themselves made (see `trusted`)."""
    return _step(name=name, value=value, unit=unit, how=how, inputs=inputs, sources=sources, rows=rows, as_of=as_of)


def note_of(code: str, values: Mapping[str, object] | None = None) -> Note:
    """A `Note` from values that the program itself made (see `trusted`)."""
    return _note(code=code, values=dict(values or {}))


def estimate_of(value: float, low: float, high: float, unit: str, basis: str, trace: Step) -> Estimate:
    """An `Estimate` from values that the formulas themselves made (see `trusted`)."""
    return _estimate(value=value, low=low, high=high, unit=unit, basis=basis, trace=trace)
