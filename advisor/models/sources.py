"""Who says what: sources, claims of attributes, second witnesses, and which of several claims is followed."""

from __future__ import annotations

from datetime import date

from advisor.models.frozen import Frozen


class Source(Frozen):
    """Where figures come from, as shown under answers."""

    id: str
    title: str
    title_zh: str | None = None
    url: str | None = None
    as_of: date | None = None
    read_on: date | None = None
    rests_on: str = ""
    """Id of the source whose figures it was computed from: both together are one witness."""
    kind: str = "web"
    """seed | database | vendor | benchmark | price_list | paper | docs | derived | user"""
    note: str | None = None


class Claim(Frozen):
    """One source's word about one attribute of one thing."""

    entity: str
    attribute: str
    value: float | int | str | bool
    unit: str = ""
    source: str
    as_of: date | None = None
    scope: str = ""
    """Counting basis or condition: "dense, FP32 accumulate", "base clock", "40 GB version"."""
    verified: bool = True
    rows: tuple[str, ...] = ()
    """Ids of seed-coverage rows that make this claim."""


class Witness(Frozen):
    """A second source's figure of a card (`data/witnesses.csv`), which the card's own is checked against."""

    gpu: str
    attribute: str
    value: str
    basis: str = ""
    source: str
    confidence: str
    """A official page or file read, B copied or reported, C from memory."""


class Ruling(Frozen):
    """Which of several claims is followed and why. `conflict` is an id of the conflict ledger (E01..E78), if any."""

    entity: str
    attribute: str
    follows: str
    """Source id of the claim that is followed."""
    reason: str
    reason_zh: str = ""
    conflict: str | None = None
