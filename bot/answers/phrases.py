"""Phrases that answers of several families share: a model, a card or several, a way to use a model, a sum of parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final, Protocol

from bot.core.line import Figure, Label, Line, Single, Worded

_BY_SIZE: Final = "llm-"
"""Names of models that were told by their size alone."""
_EIGHT: Final = ("8", "11", "18")
"""Numbers that are spoken with a vowel at their beginning."""
_USUAL: Final = frozenset({"", "nf4", "nf4-dq", "bf16", "fp16-mixed", "bf16-mixed"})
"""Formats that go without saying where a model is trained."""
_WORK: Final = frozenset({"train", "pretrain"})
"""Methods that name the work itself, not how it is done."""


class Used(Protocol):
    """How a model is used: what a row of a table and a workload's view have in common."""

    @property
    def method(self) -> str:
        """As in the slot `method`."""

    @property
    def format(self) -> str:
        """Label code of the number format."""

    @property
    def by_turns(self) -> bool:
        """Whether parts of a drawing pipeline come to the card one after the other."""

    @property
    def cached(self) -> bool:
        """Whether outputs of text encoders were worked out before."""

    @property
    def length(self) -> int | None:
        """Tokens of a sample, where a way is told apart by them."""


def model_named(name: str) -> Single:
    """A model by its name, or by its size where that is all that was said."""
    if name.startswith(_BY_SIZE):
        size = name.removeprefix(_BY_SIZE).upper()
        return Line("model.sized.an" if size.startswith(_EIGHT) else "model.sized", {"size": size})
    return Label(name, "model")


def size_named(name: str) -> Single:
    """A model as a point of a scale: up to 14B."""
    if name.startswith(_BY_SIZE):
        return Line("model.size", {"size": name.removeprefix(_BY_SIZE).upper()})
    return Label(name, "model")


@dataclass(frozen=True, slots=True)
class NamedWay:
    """A format or a method by itself, to be named."""

    method: str
    format: str
    by_turns: bool = False
    cached: bool = False
    length: int | None = None


def cards_named(gpu: str, n: int = 1) -> Line:
    """One card, or several of it."""
    return Line("cards.several", {"n": n, "gpu": gpu}) if n > 1 else Line("cards.one", {"gpu": gpu})


def way_named(used: Used) -> Line:
    """A way to use a model by itself: its format where it runs, its method where it is trained."""
    extras: dict[str, Worded] = {
        "turns": Line("way.by_turns" if used.method == "inference" else "way.swapped") if used.by_turns else None,
        "cached": Line("way.cached") if used.cached else None,
        "length": used.length,
        "frames": getattr(used, "frames", None),
    }
    if used.method == "inference" and used.format:
        return Line("way.run", {"format": Label(used.format, "bits"), **extras})
    shown = None if used.format in _USUAL else Label(used.format, "bits")
    return Line("way.train", {"method": Label(used.method, "method"), "format": shown, **extras})


def used_way(used: Used) -> Line:
    """A way as a part of a sentence: in 4 bit, with QLoRA, for training."""
    way = way_named(used)
    if used.method == "inference":
        return Line("way.in", {"way": way})
    return Line("way.for" if used.method in _WORK else "way.with", {"way": way})


def added(parts: Sequence[Single]) -> Single:
    """Parts of a sum, a plus between them. At least one."""
    return reduce(lambda left, right: Line("joined.plus", {"left": left, "right": right}), parts)


def in_turn(parts: Sequence[Single]) -> Single:
    """Phrases one after the other, where they hold commas of their own. At least one."""
    return reduce(lambda left, right: Line("joined.then", {"left": left, "right": right}), parts)


def plain(value: float) -> Figure:
    """A number whose unit stands elsewhere in the sentence."""
    return Figure(value)
