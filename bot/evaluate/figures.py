"""The shapes of what an evaluation gives, as its JSON has them."""

from __future__ import annotations

from typing import TypedDict

from bot.evaluate.invariance import Changed


class Share(TypedDict):
    """How much of some lines is right."""

    accuracy: float | None
    lines: int


class Scores(TypedDict):
    """How well the values of one slot, or of several, are found."""

    precision: float | None
    recall: float | None
    f1: float | None
    values: int
    """Of the labels."""


class Differing(TypedDict):
    """The values of a slot that are not those of the label."""

    gold: list[str]
    found: list[str]


class Fault(TypedDict):
    """A line some slots of which differ."""

    id: str
    text: str
    slots: dict[str, Differing]


class Intents(TypedDict):
    """How many intents are right; `strict` counts the labelled one only."""

    accuracy: float | None
    strict: float | None
    by_language: dict[str, Share]
    by_intent: dict[str, Share]
    follow_ups: Share


class OutOfScope(TypedDict):
    """How many lines of other subjects were caught, and which of ours were turned away."""

    recall: float | None
    wrongly_declined: float | None
    declined: list[str]


class Slots(TypedDict):
    """How well slots are found; a frame is right where intent and all slots are."""

    frame_accuracy: float | None
    scores: dict[str, Scores]
    faults: list[Fault]


class Confusion(TypedDict):
    """How often one intent was taken for another."""

    gold: str
    found: str
    lines: int


class Mistake(TypedDict):
    """A line that was read wrongly, and how sure the reading was."""

    id: str
    text: str
    context: list[str]
    gold: str
    found: str | None
    decision: str
    score: float
    because: list[str]


class Evaluation(TypedDict):
    """Every figure about some files of labelled questions."""

    records: int
    scored: int
    intent: Intents
    out_of_scope: OutOfScope
    slots: Slots
    confusions: list[Confusion]
    histogram: dict[str, list[int]]
    worst: list[Mistake]
    invariance: dict[str, Changed]
