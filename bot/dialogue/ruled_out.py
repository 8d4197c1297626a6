"""What is ruled out: under which names it is kept, and what it is called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from bot.dialogue.kin import Names

USED: Final = "purchase_used"
_CONDITION: Final = "condition"
_OF_USED: Final[Mapping[str, list[tuple[str, str]]]] = {
    "used": [("pricing_model", USED)],
    "ex-mining": [("pricing_model", USED), (_CONDITION, "ex-mining")],
}
_WAYS: Final = frozenset({"rent", "buy", "laptop"})
_MAKERS: Final = frozenset({"AMD", "NVIDIA", "Intel", "Apple"})
_BY_KIND: Final = {"provider": "provider", "method": "method", "other": _CONDITION}
"""Kinds of things of which every name is kept as it is said."""


def kind_of(name: str, names: Names | None, kind: str = "") -> list[tuple[str, str]]:
    """Under which names a thing is ruled out.

    Args:
        name: of the thing, as the taxonomy or the catalogue has it.
        names: the catalogue.
        kind: of what kind it is, where that is known.
    """
    if name in _OF_USED:
        return _OF_USED[name]
    if name in _WAYS:
        return [("deploy", name)]
    if name in _MAKERS:
        return [("vendor", name), ("gpu_family", name)]
    if kind in _BY_KIND:
        return [(_BY_KIND[kind], name.replace("_", " "))]
    if names is not None and names.find_gpu(name) is not None:
        return [("gpu", name)]
    known = names is not None and names.find_ml_model(name) is not None
    return [("model", name)] if known else []


def names_of(excluded: Mapping[str, Sequence[object]]) -> list[str]:
    """What is ruled out in the words of the taxonomy."""
    names = ["used" if value == USED else str(value) for values in excluded.values() for value in values]
    return list(dict.fromkeys(names))
