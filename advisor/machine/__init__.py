"""The computer around the cards: power, processor, memory, disks, heat, links, clusters, software, number formats.

`check_machine` judges a whole machine; each module also answers for itself ("how large a supply for two of these").
"""

from advisor.machine.check import check_machine
from advisor.machine.models import CardGroup, Item, Machine, MachineReport, Verdict

__all__ = ["CardGroup", "Item", "Machine", "MachineReport", "Verdict", "check_machine"]
