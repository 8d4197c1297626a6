"""Judges a whole computer: every part that something is known about, the worst first."""

from __future__ import annotations

from advisor.machine.compat import check_compat
from advisor.machine.cooling import check_space
from advisor.machine.cpu import check_cpu, check_workers
from advisor.machine.disk import check_disk
from advisor.machine.interconnect import check_lanes, check_network, check_nvlink
from advisor.machine.models import Item, Machine, MachineReport, Verdict
from advisor.machine.plugs import check_circuit, check_connectors
from advisor.machine.power import check_power
from advisor.machine.precision import check_precision
from advisor.machine.ram import check_ram
from advisor.models import Workload
from advisor.speed import estimate_throughput
from advisor.speed.loading import IMAGE_KB

_ORDER = (Verdict.FAIL, Verdict.WARN, Verdict.OPEN, Verdict.PASS)


def check_machine(machine: Machine, workload: Workload | None = None) -> MachineReport:
    """Pass, warn or fail for each part, from what is stated; needs for what is not.

    Args:
        machine: the computer as far as it is known; without cards only the stated parts are judged.
        workload: when it trains on pictures, the disk is held against the rate at which the cards use them up.

    Raises:
        OutOfRange: numbers that no machine has.
    """
    if workload is not None and machine.wanted_mb_per_s is None:
        machine = machine.model_copy(update={"wanted_mb_per_s": picture_rate(machine, workload)})
    found: list[Item | None] = [check_cpu(machine), check_workers(machine), check_ram(machine), check_disk(machine)]
    if machine.cards:
        found += _of_cards(machine)
    items = [item for item in found if item is not None]
    items.sort(key=lambda item: _ORDER.index(item.verdict))
    worst = next((v for v in (Verdict.FAIL, Verdict.WARN) if any(i.verdict is v for i in items)), Verdict.PASS)
    return MachineReport(items=tuple(items), verdict=worst)


def picture_rate(machine: Machine, workload: Workload) -> float | None:
    """MB/s of pictures that the cards use up in this training; None when the job reads no pictures."""
    if workload.ml_model.modality != "vision" or not machine.cards:
        return None
    group = machine.cards[0]
    speed = estimate_throughput(workload, group.gpu, machine.n_cards)
    return speed.rate.value * IMAGE_KB / 1000 if speed.unit == "img" else None


def _of_cards(machine: Machine) -> list[Item | None]:
    found: list[Item | None] = [check_connectors(machine), check_circuit(machine), check_space(machine)]
    if not machine.rented:
        found.append(check_power(machine))
    if machine.n_cards > 1 or machine.lanes is not None:
        found += [check_lanes(machine), check_nvlink(machine)]
    if machine.nodes > 1:
        found.append(check_network(machine))
    if machine.cuda or machine.driver or machine.framework:
        found.append(check_compat(machine))
    found += [check_precision(group.gpu, wanted) for group in machine.cards for wanted in machine.precision]
    return found
