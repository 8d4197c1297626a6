"""How many processor cores keep some cards fed, and which processor for how many cards."""

from __future__ import annotations

import re

from advisor.machine.models import Item, Machine, Verdict
from advisor.machine.rules import CpuRules, given, rules
from advisor.models import Frozen, Note, Step, note_of, step_of

_SPACES = re.compile(r"[\s\-]+")
_CLASS = re.compile(r"^(i[3579])(?: ?(\d{4,5})[a-z]*)?$")
_NEW = 10_000
"""Core model numbers of five digits begin with the tenth generation."""
_FOUR, _EIGHT = 4, 8


class CoreNeed(Frozen):
    """Logical cores that n cards want."""

    n_gpus: int
    low: int
    high: int
    per_gpu_low: int
    per_gpu_high: int
    trace: Step


def core_need(n_gpus: int) -> CoreNeed:
    """4 to 8 logical cores for each card, times the cards; more rarely helps."""
    rule = rules().cpu
    low, high = int(rule.cores_low.number), int(rule.cores_high.number)
    trace = step_of(
        name="cores",
        value=f"{low * n_gpus}-{high * n_gpus}",
        how="4 to 8 logical cores x cards",
        inputs=(
            given("cards", n_gpus),
            rule.cores_low.step("cores_per_card_at_least"),
            rule.cores_high.step("cores_per_card_useful"),
        ),
        rows=("000-012",),
    )
    return CoreNeed(
        n_gpus=n_gpus, low=low * n_gpus, high=high * n_gpus, per_gpu_low=low, per_gpu_high=high, trace=trace
    )


def known_threads(cpu: str) -> int | None:
    """Logical cores of a processor that the documents name, or at least those of its class; a number is the count."""
    text = _SPACES.sub(" ", cpu.lower()).strip()
    if text.isdigit():
        return int(text) or None
    for name, model in rules().cpu.models.items():
        if name in text:
            return model.threads
    found = _CLASS.match(text)
    if found and (found[2] is None or int(found[2]) >= _NEW):
        return rules().cpu.classes.get(found[1])
    return None


def check_cpu(machine: Machine, n_gpus: int | None = None) -> Item:
    """Verdict on stated cores, or the need. `n_gpus` stands in when cards are counted but not named."""
    rule = rules().cpu
    need = core_need(n_gpus or max(machine.n_cards, 1))
    cores = machine.cpu_cores or (known_threads(machine.cpu) if machine.cpu else None)
    values = {
        "n": need.n_gpus,
        "low": need.low,
        "high": need.high,
        "per_low": need.per_gpu_low,
        "per_high": need.per_gpu_high,
        "cores": cores,
        "cpu": machine.cpu,
    }
    if cores is None:
        verdict, headline = Verdict.OPEN, note_of("machine_cpu_need", values)
    elif cores >= need.low:
        verdict, headline = Verdict.PASS, note_of("machine_cpu_enough", values)
    else:
        verdict = Verdict.FAIL if cores < need.n_gpus * 2 else Verdict.WARN
        headline = note_of("machine_cpu_short", values)
    each = max(1, cores // need.n_gpus) if cores else need.per_gpu_high
    workers = {"per_gpu": min(each, need.per_gpu_high), "cores": cores, "n": need.n_gpus}
    steps: list[Step] = []
    if machine.cpu and cores is not None and machine.cpu_cores is None:
        steps.append(step_of(name=machine.cpu, value=cores, unit="cores", how="claim", sources=(rule.classes_source,)))
    return Item(
        name="cpu",
        verdict=verdict,
        headline=headline,
        reasons=(
            note_of("machine_cpu_why", values),
            note_of("machine_workers", workers),
        ),
        actions=(_choice(need.n_gpus), note_of("machine_cpu_dali")),
        steps=(
            need.trace,
            rule.outrun.step("read_faster_than_train"),
            rule.workers.step("workers_at_most_cores"),
            rule.dali.step("dali"),
            rule.clock.step("cores_and_clock"),
            rule.server_many_cores.step("server_cores_must_be_used"),
            _choice_step(need.n_gpus, rule),
            *steps,
        ),
        conflicts=("E76", "E28"),
    )


def check_workers(machine: Machine) -> Item | None:
    """Loader processes against cores; None when either is not stated."""
    cores = machine.cpu_cores or (known_threads(machine.cpu) if machine.cpu else None)
    if machine.num_workers is None or cores is None:
        return None
    fits = machine.num_workers <= cores
    values = {"workers": machine.num_workers, "cores": cores}
    return Item(
        name="workers",
        verdict=Verdict.PASS if fits else Verdict.WARN,
        headline=note_of("machine_workers_fit" if fits else "machine_workers_many", values),
        steps=(rules().cpu.workers.step("workers_at_most_cores"),),
    )


def _choice(n_gpus: int) -> Note:
    kind = "eight" if n_gpus >= _EIGHT else "four" if n_gpus >= _FOUR else "few"
    return note_of("machine_cpu_brand", {"kind": kind, "n": n_gpus})


def _choice_step(n_gpus: int, rule: CpuRules) -> Step:
    if n_gpus >= _EIGHT:
        return rule.eight.step("cpu_that_the_vendor_knows")
    return rule.four.step("threadripper_for_four") if n_gpus >= _FOUR else rule.brand.step("amd_is_cheaper")
