"""The model that was run before another one took its place: "changed from 7B to 14B" asks about 14B."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from bot.core.understanding import SlotValue

_MODEL: Final = "model"
_SIZE_ALONE: Final = "llm-"
_SIZE: Final = re.compile(r"(?<=[-_])\d+(?:\.\d+)?b(?![a-z])")
"""The size in the name of a model."""
_REACH: Final = 40
"""Characters before the first name within which it is said that something was changed."""


class Changes(NamedTuple):
    """What is said before the former name, and between it and the one in its place."""

    left: re.Pattern[str]
    became: re.Pattern[str]


def changes_of(content: Mapping[str, Mapping[str, Iterable[object]]]) -> Changes:
    """The words of the lexicon of roles, evened."""
    listed = content["clauses"]
    left, became = ("|".join(sorted(map(re.escape, map(str, listed[kind])))) for kind in ("left", "became"))
    return Changes(
        re.compile(rf"(?:{left}) (?:an? |the )?\Z"),
        re.compile(rf" *(?:was |got |is |has been )?(?P<became>{became}|(?P<into>to|into))(?: an? | the | )?\Z"),
    )


def without_former(slots: Sequence[SlotValue], text: str, changes: Changes) -> tuple[SlotValue, ...]:
    """The slots without a model that another one took the place of.

    Args:
        slots: what is wished.
        text: the message, in lower case.
        changes: words that say so; a bare "from ... to ..." may be a range, and is none.
    """
    slots = _without_repeated(slots)
    models = sorted((one for one in slots if one.slot == _MODEL), key=lambda one: one.span)
    former = {one.span for one, other in pairwise(models) if _is_replaced(text, one, other, changes)}
    return tuple(one for one in slots if one.slot != _MODEL or one.span not in former)


def _without_repeated(slots: Sequence[SlotValue]) -> Sequence[SlotValue]:
    """The slots without a size alone that is the one of a model by name: "llama2 70b runs, can it train 70b"."""
    models = [str(one.value).lower() for one in slots if one.slot == _MODEL]
    sizes = {
        f"{_SIZE_ALONE}{size}" for name in models if not name.startswith(_SIZE_ALONE) for size in _SIZE.findall(name)
    }
    return [one for one in slots if one.slot != _MODEL or str(one.value).lower() not in sizes]


def _is_replaced(text: str, one: SlotValue, other: SlotValue, changes: Changes) -> bool:
    between = changes.became.match(text[one.span[1] : other.span[0]])
    if between is None:
        return False
    start = one.span[0]
    return not between["into"] or changes.left.search(text[max(0, start - _REACH) : start]) is not None
