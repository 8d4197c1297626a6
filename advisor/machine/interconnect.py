"""Whether NVLink, PCIe lanes or a fast network matter for some cards."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.claims import sources_of
from advisor.errors import AdvisorError
from advisor.machine.models import CardGroup, Item, Machine, Verdict
from advisor.machine.rules import rules
from advisor.models import Gpu, Method, MlModel, Precision, Step, Workload, note_of, step_of
from advisor.speed import scaling

_SERVER_FORMS = ("SXM", "OAM")
_FOUR = 4
_WITH_CONNECTOR = ("RTX 20", "RTX 30")
_WORTH = 1.03
"""NVLink is told beside PCIe when it gains at least this much."""
_FORMAT = {Method.TRAIN: Precision.BF16_MIXED, Method.LORA: Precision.BF16, Method.FULL: Precision.BF16_MIXED}
_BATCH = {Method.TRAIN: 64, Method.LORA: 4, Method.FULL: 4}
_SEQ: dict[Method, int | None] = {Method.TRAIN: None, Method.LORA: 1024, Method.FULL: 1024}
"""Usual settings of the jobs that stand for little and for much traffic between cards."""


def link_of(gpu: Gpu) -> str:
    """nvlink_builtin | nvlink_bridge | none | unknown | unified: how such cards reach each other beyond PCIe."""
    if gpu.unified_memory:
        return "unified"
    if gpu.nvlink_gb_per_s is None:
        return "unknown"
    if gpu.nvlink_gb_per_s == 0:
        return "none"
    return "nvlink_builtin" if (gpu.form_factor or "").startswith(_SERVER_FORMS) else "nvlink_bridge"


def _may_have_nvlink(gpu: Gpu) -> bool:
    """Whether an unconfirmed "none" is worth a doubt: some cards of its series had the connector."""
    return "nvlink_gb_per_s" in gpu.unverified and gpu.series in _WITH_CONNECTOR


_BY_LINK: dict[str, tuple[Verdict, str]] = {
    "nvlink_builtin": (Verdict.PASS, "machine_nvlink_builtin"),
    "nvlink_bridge": (Verdict.PASS, "machine_nvlink_bridge"),
    "none": (Verdict.PASS, "machine_nvlink_none"),
}
"""Verdict on cards that are few enough for PCIe."""


def _nvlink_verdict(gpu: Gpu | None, n: int) -> tuple[Verdict, str]:
    if gpu is None:
        return Verdict.OPEN, "machine_nvlink_rule"
    link = link_of(gpu)
    if n > rules().interconnect.nvlink.number and link != "nvlink_builtin":
        return Verdict.WARN, "machine_nvlink_needed"
    if link == "none" and _may_have_nvlink(gpu):
        return Verdict.OPEN, "machine_nvlink_unsure"
    return _BY_LINK.get(link, (Verdict.OPEN, "machine_nvlink_unknown"))


def _nvlink_claim(gpu: Gpu) -> Step:
    told = sources_of(gpu, "nvlink_gb_per_s")
    return step_of(name=f"{gpu.name} NVLink", value=gpu.nvlink_gb_per_s, unit="GB/s", how="claim", sources=told)


def check_nvlink(machine: Machine, count: int | None = None) -> Item:
    """Does a missing or present NVLink matter for these cards? `count`: cards, when they are not named."""
    rule = rules().interconnect
    gpus = [group.gpu for group in machine.cards]
    first = gpus[0] if gpus else None
    n = (machine.n_cards or count or 0) * machine.nodes
    values = {
        "gpu": first.name if first else "",
        "n": n,
        "link": link_of(first) if first else "unknown",
        "speed": first.nvlink_gb_per_s if first else None,
        "unverified": first is not None and "nvlink_gb_per_s" in first.unverified,
        "threshold": rule.nvlink.number,
        "with_link": rule.nvlink_ddp.low,
        "without_link": rule.nvlink_ddp.high,
        "measured_low": rule.nvlink_measured.low,
        "measured_high": rule.nvlink_measured.high,
    }
    verdict, code = _nvlink_verdict(first, n)
    return Item(
        name="nvlink",
        verdict=verdict,
        headline=note_of(code, values),
        reasons=(note_of("machine_nvlink_when", values), note_of("machine_nvlink_memory")),
        steps=(
            *(_nvlink_claim(gpu) for gpu in gpus if gpu.nvlink_gb_per_s is not None),
            rule.nvlink.step("nvlink_from_cards"),
            rule.nvlink_ddp.step("two_titan_rtx", "s"),
            rule.nvlink_measured.step("gain_in_tensor_parallelism"),
        ),
        conflicts=("E06", "E08"),
    )


def check_lanes(machine: Machine, count: int | None = None, *, infers: bool = False) -> Item:
    """Are the lanes of each card enough? `count`: cards, when they are not named; `infers`: models are only run."""
    rule = rules().interconnect
    n, lanes = count or max(machine.n_cards, 1), machine.lanes
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
    if infers and lanes is not None:
        return _lanes_for_inference(values, n)
    if lanes is None and n == 1 and machine.cards:
        verdict, code = Verdict.PASS, "machine_lanes_single"
    elif lanes is None:
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
        headline=note_of(code, values),
        reasons=(note_of("machine_lanes_why", values), note_of("machine_lanes_gen", values)),
        actions=(note_of("machine_lanes_sharded"),),
        steps=(
            rule.lanes_fine.step("lanes_that_are_fine"),
            rule.lanes_four_cards.step("lanes_for_four_cards"),
            rule.lanes_loss.step("loss_of_four_cards_on_four_lanes"),
            rule.pcie4_gain.step("gain_of_pcie_4_with_four_cards"),
            rule.pcie4.step("pcie_4_seldom_matters"),
        ),
    )


def _lanes_for_inference(values: Mapping[str, float | None], n: int) -> Item:
    """The same where models are only run: what counts is how they are split, and a lone card hardly talks at all."""
    rule = rules().interconnect
    wide = (values["lanes"] or 0) >= rule.lanes_fine.number
    verdict = Verdict.PASS if n == 1 or wide else Verdict.WARN
    code = "machine_lanes_infer" if n == 1 else "machine_lanes_split" if wide else "machine_lanes_split_few"
    return Item(
        name="lanes",
        verdict=verdict,
        headline=note_of(code, values),
        reasons=(note_of("machine_lanes_infer_why", values),),
        actions=(note_of("machine_lanes_infer_check", values),),
        steps=(rule.lanes_fine.step("lanes_that_are_fine"), rule.pcie4.step("pcie_4_seldom_matters")),
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
        headline=note_of(code, values),
        reasons=(note_of("machine_network_why", values),),
        actions=(note_of("machine_network_ways"),),
        steps=(rule.network_gbit.step("network_from_two_machines", "Gbit/s"),),
        conflicts=("E58",),
    )


def link_gain(group: CardGroup, jobs: tuple[tuple[MlModel, Method], ...]) -> Item | None:
    """Estimated speed-up of these cards in data-parallel jobs, over PCIe and over NVLink where they have it.

    None when the speed model has nothing to say about the card.
    """
    rows: list[dict[str, object]] = []
    steps: list[Step] = []
    links = ("pcie4", "nvlink") if (group.gpu.nvlink_gb_per_s or 0) > 0 else ("pcie4",)
    for model, method in jobs:
        by_pcie = 0.0
        work = Workload(
            ml_model=model, method=method, precision=_FORMAT[method], batch=_BATCH[method], seq_len=_SEQ[method]
        )
        for link in links:
            try:
                made = scaling(group.gpu, group.count, work, link)
            except AdvisorError:
                continue
            if link == "nvlink" and made.speedup.value < _WORTH * by_pcie:
                continue
            by_pcie = by_pcie or made.speedup.value
            rows.append(
                {
                    "model": model.name,
                    "method": method.value,
                    "link": link,
                    "value": made.speedup.value,
                    "low": made.speedup.low,
                    "high": made.speedup.high,
                }
            )
            steps.append(made.speedup.trace)
    if not rows:
        return None
    values = {"gpu": group.gpu.name, "n": group.count, "rows": rows}
    return Item(name="gain", verdict=Verdict.OPEN, headline=note_of("machine_link_gain", values), steps=tuple(steps))
