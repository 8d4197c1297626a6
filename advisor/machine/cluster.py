"""What a cluster of some size looks like, and how many cards a group needs."""

from __future__ import annotations

from math import ceil

from advisor.errors import OutOfRange
from advisor.machine.models import Item, Verdict
from advisor.machine.rules import Tier, given, rules
from advisor.models import Frozen, Step, note_of, step_of

_MOST = 1_000_000
_STRONG_NETWORK_FROM = 2
_TENSION = (257, 512)
"""Sizes for which the documents' summary and chapter differ on the SuperPOD (E07)."""


class ClusterPlan(Frozen):
    """Cards, machines and tier of a cluster."""

    n_gpus: int
    nodes: int
    tier: str
    """machine | small | a100 | superpod | thousand"""
    disputed: bool
    """Between the two thresholds of the documents."""
    trace: Step


def tier_of(n_gpus: int) -> Tier:
    """The advice that goes with a number of cards.

    Raises:
        OutOfRange: not a number of cards that anything has.
    """
    if not 1 <= n_gpus <= _MOST:
        raise OutOfRange("not a number of cards", name="gpu_count", value=n_gpus)
    return next(tier for tier in rules().cluster.tiers if n_gpus <= tier.upto)


def cluster_plan(n_gpus: int) -> ClusterPlan:
    """Machines of eight cards, and the documents' advice for that size."""
    rule, tier = rules().cluster, tier_of(n_gpus)
    nodes = ceil(n_gpus / rule.cards_per_node)
    trace = step_of(
        name="cluster",
        value=tier.name,
        how="advice by number of cards",
        inputs=(given("cards", n_gpus), step_of(name="machines", value=nodes, how="cards / 8, rounded up")),
        sources=(rule.source,),
        as_of=rule.as_of,
        rows=tier.rows,
    )
    low, high = _TENSION
    return ClusterPlan(n_gpus=n_gpus, nodes=nodes, tier=tier.name, disputed=low <= n_gpus <= high, trace=trace)


def cards_for_people(people: int, cards_each: float = 1.0) -> Step:
    """Cards that a group computes on at the same time.

    Args:
        people: members of the group.
        cards_each: cards one of them uses at a time.

    Raises:
        OutOfRange: not a number of people.
    """
    if not 1 <= people <= _MOST or not 0 < cards_each <= 1024:
        raise OutOfRange("not a number of people", name="users", value=people)
    share = rules().cluster.busy_share
    return step_of(
        name="cards_for_people",
        value=max(1, ceil(people * cards_each * share.number)),
        unit="cards",
        how="people x cards each x share that computes at once",
        inputs=(given("people", people), given("cards_each", cards_each), share.step("busy_share")),
    )


def check_cluster(n_gpus: int, *, people: int | None = None, need: Step | None = None) -> Item:
    """What the documents advise for that many cards.

    Args:
        n_gpus: cards of the cluster.
        people: the group it is for, when the cards follow from it.
        need: the step from people to cards.
    """
    rule, plan = rules().cluster, cluster_plan(n_gpus)
    values = {
        "people": people,
        "share": rule.busy_share.number,
        "n": n_gpus,
        "nodes": plan.nodes,
        "tier": plan.tier,
        "per_node": rule.cards_per_node,
        "weak": rule.weak_network.number,
        "disputed": plan.disputed,
    }
    reasons = [note_of(f"machine_cluster_{plan.tier}_why", values)]
    if plan.nodes >= _STRONG_NETWORK_FROM:
        reasons.append(note_of("machine_cluster_network", values))
    steps = [
        *((need,) if need else ()),
        plan.trace,
        rule.weak_network.step("jobs_up_to"),
        rule.slurm.step("slurm"),
        rule.licence.step("licence"),
    ]
    conflicts = ["E07"] if plan.disputed or plan.tier == "superpod" else []
    conflicts += ["E05"] if plan.tier in {"small", "a100"} else []
    return Item(
        name="cluster",
        verdict=Verdict.OPEN,
        headline=note_of("machine_cluster_people" if need else "machine_cluster", values),
        reasons=tuple(reasons),
        actions=(note_of("machine_cluster_slurm"), note_of("machine_cluster_licence")),
        steps=tuple(steps),
        conflicts=(*conflicts, "E52"),
    )


def dgx_facts() -> Item:
    """What a DGX A100 holds, by the note of 2022."""
    rule = rules().cluster
    memory = step_of(
        name="dgx_a100_memory",
        value=rule.cards_per_node * rule.dgx_card_gb.number,
        unit="GB",
        how="8 cards x 80 GB",
        inputs=(rule.dgx_card_gb.step("card", "GB"),),
        rows=rule.dgx_card_gb.rows,
    )
    values = {
        "cards": rule.cards_per_node,
        "card_gb": rule.dgx_card_gb.number,
        "memory": memory.value,
        "link": rule.dgx_link_gb_per_s.number,
    }
    return Item(
        name="dgx",
        verdict=Verdict.OPEN,
        headline=note_of("machine_dgx_facts", values),
        steps=(memory, rule.dgx_link_gb_per_s.step("link", "GB/s")),
        conflicts=("E06", "E07"),
    )
