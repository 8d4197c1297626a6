"""Whether NVLink, PCIe lanes or a fast network matter for some cards."""

from __future__ import annotations

from advisor.machine.models import Item, Machine, Verdict
from advisor.machine.rules import rules
from advisor.models import Gpu, Note, Step

_SERVER_FORMS = ("SXM", "OAM")
_FOUR = 4


def link_of(gpu: Gpu) -> str:
    """nvlink_builtin | nvlink_bridge | none | unknown | unified: how cards of this kind reach each other beyond PCIe."""
    if gpu.unified_memory:
        return "unified"
    if gpu.nvlink_gb_per_s is None:
        return "unknown"
    if gpu.nvlink_gb_per_s == 0:
        return "none"
    return "nvlink_builtin" if (gpu.form_factor or "").startswith(_SERVER_FORMS) else "nvlink_bridge"


def check_nvlink(machine: Machine) -> Item:
    """Does a missing or present NVLink matter for these cards?"""
    rule = rules().interconnect
    gpus = [group.gpu for group in machine.cards]
    n = machine.n_cards * machine.nodes
    links = [link_of(gpu) for gpu in gpus]
    link = links[0] if links else "unknown"
    values = {
        "gpu": gpus[0].name if gpus else "",
        "n": n,
        "link": link,
        "speed": gpus[0].nvlink_gb_per_s if gpus else None,
        "unverified": bool(gpus and "nvlink_gb_per_s" in gpus[0].unverified),
        "threshold": rule.nvlink.number,
    }
    if not gpus:
        verdict, code = Verdict.OPEN, "machine_nvlink_rule"
    elif n > rule.nvlink.number and link != "nvlink_builtin":
        verdict, code = Verdict.WARN, "machine_nvlink_needed"
    elif link == "nvlink_builtin":
        verdict, code = Verdict.PASS, "machine_nvlink_builtin"
    elif link == "nvlink_bridge":
        verdict, code = Verdict.PASS, "machine_nvlink_bridge"
    elif link == "none":
        verdict, code = Verdict.PASS, "machine_nvlink_none"
    else:
        verdict, code = Verdict.OPEN, "machine_nvlink_unknown"
    claim = [
        Step(
            name=f"{gpu.name} NVLink",
            value=gpu.nvlink_gb_per_s,
            unit="GB/s",
            how="claim",
            sources=tuple(filter(None, [gpu.sources.get("nvlink_gb_per_s") or gpu.sources.get("*")])),
        )
        for gpu in gpus
        if gpu.nvlink_gb_per_s is not None
    ]
    return Item(
        name="nvlink",
        verdict=verdict,
        headline=Note(code, values),
        reasons=(Note("machine_nvlink_when", values), Note("machine_nvlink_memory")),
        steps=(*claim, rule.nvlink.step("nvlink_from_cards")),
        conflicts=("E06", "E08"),
    )


def check_lanes(machine: Machine) -> Item:
    """Are the lanes of each card enough?"""
    rule = rules().interconnect
    n, lanes = max(machine.n_cards, 1), machine.lanes
    advised = int((rule.lanes_four_cards if n >= _FOUR else rule.lanes_fine).number)
    values = {
        "n": n,
        "lanes": lanes,
        "gen": machine.pcie_gen,
        "advised": advised,
        "loss_low": rule.lanes_loss.low,
        "loss_high": rule.lanes_loss.high,
        "gain_low": rule.pcie4_gain.low,
        "gain_high": rule.pcie4_gain.high,
        "stated": bool(machine.cards),
    }
    if lanes is None:
        verdict, code = Verdict.OPEN, "machine_lanes_rule"
    elif lanes >= advised:
        verdict, code = Verdict.PASS, "machine_lanes_enough"
    elif lanes >= rule.lanes_fine.number:
        verdict, code = Verdict.WARN, "machine_lanes_few"
    else:
        verdict, code = Verdict.FAIL, "machine_lanes_one"
    return Item(
        name="lanes",
        verdict=verdict,
        headline=Note(code, values),
        reasons=(Note("machine_lanes_why", values), Note("machine_lanes_gen", values)),
        actions=(Note("machine_lanes_sharded"),),
        steps=(
            rule.lanes_fine.step("lanes_that_are_fine"),
            rule.lanes_four_cards.step("lanes_for_four_cards"),
            rule.lanes_loss.step("loss_of_four_cards_on_four_lanes"),
            rule.pcie4_gain.step("gain_of_pcie_4_with_four_cards"),
            rule.pcie4.step("pcie_4_seldom_matters"),
        ),
    )


def check_network(machine: Machine) -> Item:
    """Is the network between machines fast enough for one job over them?"""
    rule = rules().interconnect
    gbit = machine.network_gbit
    values = {"need": rule.network_gbit.number, "have": gbit, "nodes": machine.nodes, "share": None}
    if gbit is None:
        verdict, code = Verdict.OPEN, "machine_network_rule"
    elif gbit >= rule.network_gbit.number:
        verdict, code = Verdict.PASS, "machine_network_enough"
    else:
        verdict, code = Verdict.FAIL, "machine_network_slow"
    return Item(
        name="network",
        verdict=verdict,
        headline=Note(code, values),
        reasons=(Note("machine_network_why", values),),
        actions=(Note("machine_network_ways"),),
        steps=(rule.network_gbit.step("network_from_two_machines", "Gbit/s"),),
        conflicts=("E58",),
    )
