"""What a conversation keeps of a sum: its values by name and what was asked. No words of the user."""

from __future__ import annotations

from pydantic import Field

from advisor.models import Frozen


class OpenValue(Frozen):
    """A value of a sum of whatever people count. Nouns that no table knows are kept as digests, never as words."""

    value: float
    unit: dict[str, int] = Field(default_factory=dict)
    share: bool = False
    helps: bool = False
    bare: bool = False
    free: bool = False
    mark: str = ""
    part: int = 0
    join: str = ""


class OpenSum(Frozen):
    """What a sum of open nouns is made of and what it was asked for, to be made again from other values."""

    kind: str
    """product | total | sides"""
    unit: dict[str, int] = Field(default_factory=dict)
    noun: str = ""
    whole: str = ""
    days: bool = False
    values: tuple[OpenValue, ...] = ()
    of: str = ""
    """The sum by name whose result is the first value."""


class SaidAtom(Frozen):
    """One reading of a value: its unit as powers of units and nouns. Nouns that no table knows are kept as digests."""

    value: float
    unit: tuple[tuple[str, int], ...] = ()
    cost: float = 0.0
    sign: str = ""


class SaidTerm(Frozen):
    """A value of a sum as it was said, by all it may be."""

    atoms: tuple[SaidAtom, ...]
    spare: bool = False
    tag: str = ""
    number: float = 0.0
    """As typed; 0 for what is read out of a format."""


class SaidSum(Frozen):
    """What a sum is made of that was put together as it was said, and what it was asked for."""

    unit: tuple[tuple[str, int], ...] = ()
    noun: str = ""
    each: bool = False
    kind: str = ""
    least: float = 0.0
    most: float | None = None
    whole: str = ""
    days: bool = False
    times: float = 1.0
    terms: tuple[SaidTerm, ...] = ()


class SumFrame(Frozen):
    """The last sum of a conversation, to go on with."""

    turn: int
    given: dict[str, float] = Field(default_factory=dict)
    """By quantity, in its unit."""
    asked: tuple[str, ...] = ()
    values: dict[str, float] = Field(default_factory=dict)
    """What came out, by name of the unknown."""
    earlier: dict[str, float] = Field(default_factory=dict)
    """What came out of the same with the values before these."""
    currency: str = ""
    topic: str = ""
    """The topic by whose rows its numbers were read; "" for none."""
    open: OpenSum | None = None
    """Of a sum that no formula names."""
    said: SaidSum | None = None
    """Of a sum put together as it was said."""
    of_record: bool = False
    """It is of a bill by recorded prices: only what its money is measured against goes on with it."""
