"""Public names of a package whose modules load on first use: a single question should not pay for all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module


def names_from(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """A module-level `__getattr__` that finds a name in its home ("module" or "module:other_name") and keeps it."""

    def find(name: str) -> object:
        home = homes.get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, other = home.partition(":")
        loaded = import_module(f"{package}.{module}")
        found = getattr(loaded, other or name)
        setattr(import_module(package), name, found)
        return found

    return find
