"""The computer around the cards: power, processor, memory, disks, heat, links, clusters, software, number formats.

`check_machine` judges a whole machine; each module also answers for itself ("how large a supply for two of these").
It is loaded on first use: a question about a supply needs no speed model.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from advisor.machine.models import CardGroup, Item, Machine, MachineReport, Verdict

if TYPE_CHECKING:
    from advisor.machine.check import check_machine

__all__ = ["CardGroup", "Item", "Machine", "MachineReport", "Verdict", "check_machine"]


def __getattr__(name: str) -> object:
    """The one function that needs all modules, loaded on first use."""
    if name == "check_machine":
        return import_module("advisor.machine.check").check_machine
    raise AttributeError(f"module 'advisor.machine' has no attribute {name!r}")
