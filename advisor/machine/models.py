"""What is known of a computer, and what the checks say about it. Frozen values, no I/O."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from advisor.models import Frozen, Gpu, Note, Step


class Verdict(StrEnum):
    """Outcome of one check. OPEN: nothing stated to judge, so the need is given instead."""

    PASS = "pass"  # noqa: S105 - a verdict, no password
    OPEN = "open"
    WARN = "warn"
    FAIL = "fail"


class CardGroup(Frozen):
    """Cards of one kind in a machine."""

    gpu: Gpu
    count: int = Field(default=1, ge=1, le=100_000)
    limit_w: float | None = Field(default=None, gt=0, le=5_000)
    """Power limit set for each card; None: the board power."""


class Machine(Frozen):
    """A computer as far as it is known; None means "not stated"."""

    cards: tuple[CardGroup, ...] = ()
    psu_w: float | None = Field(default=None, gt=0, le=1_000_000)
    psu_sixteen_pin: int | None = Field(default=None, ge=0, le=64)
    psu_eight_pin: int | None = Field(default=None, ge=0, le=64)
    region: str = ""
    """CN | US | EU: decides what a wall socket carries."""
    amps: int | None = Field(default=None, ge=1, le=125)
    """Of the circuit, where it is named."""
    volts: int | None = Field(default=None, ge=90, le=480)
    """Of that circuit, where they are said; else those of the region."""
    board_slots: float | None = Field(default=None, gt=0, le=64)
    """Slot places of case and board that cards may take."""
    gap_slots: float | None = Field(default=None, ge=0, le=16)
    """Free slot places between neighbouring cards."""
    lanes: int | None = Field(default=None, ge=1, le=16)
    """PCIe lanes of each card."""
    pcie_gen: int | None = Field(default=None, ge=1, le=7)
    nodes: int = Field(default=1, ge=1, le=100_000)
    network_gbit: float | None = Field(default=None, gt=0, le=100_000)
    cpu: str = ""
    cpu_cores: int | None = Field(default=None, ge=1, le=100_000)
    """Logical cores."""
    num_workers: int | None = Field(default=None, ge=0, le=100_000)
    """DataLoader workers of all processes together."""
    ram_gib: float | None = Field(default=None, gt=0, le=1_000_000)
    disk: str = ""
    """nvme | ssd | hdd"""
    disk_mb_per_s: float | None = Field(default=None, gt=0, le=1_000_000)
    wanted_mb_per_s: float | None = Field(default=None, ge=0, le=1_000_000)
    """Data the training reads a second."""
    cuda: str = ""
    driver: str = ""
    framework: str = ""
    """Such as "pytorch 2.7"."""
    os: str = ""
    precision: tuple[str, ...] = ()
    rented: bool = False
    parallel_job: bool = True
    """Whether the cards work on one job together."""

    @property
    def n_cards(self) -> int:
        """All cards of one box."""
        return sum(group.count for group in self.cards)


class Item(Frozen):
    """One judged part of a machine."""

    name: str
    verdict: Verdict
    headline: Note
    reasons: tuple[Note, ...] = ()
    actions: tuple[Note, ...] = ()
    steps: tuple[Step, ...] = ()
    conflicts: tuple[str, ...] = ()
    """Ids of the conflict ledger."""


class MachineReport(Frozen):
    """All items of a machine, the worst first."""

    items: tuple[Item, ...]
    verdict: Verdict

    def item(self, name: str) -> Item | None:
        """One item by name."""
        return next((item for item in self.items if item.name == name), None)

    @property
    def sources(self) -> tuple[str, ...]:
        """Source ids of all items, in order, each once."""
        found: dict[str, None] = {}
        todo = [step for item in self.items for step in item.steps]
        while todo:
            step = todo.pop(0)
            found.update(dict.fromkeys(step.sources))
            todo = [*step.inputs, *todo]
        return tuple(found)
