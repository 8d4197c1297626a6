"""Checks a catalogue directory as a whole: `check_catalog` returns every problem at once, with file and line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import Protocol

from advisor.check_chips import check_chips
from advisor.check_prices import check_dates, check_prices
from advisor.check_records import Located, Records, read_all
from advisor.check_witnesses import check_witnesses, contested
from advisor.claims import divergent_attributes, value_claims
from advisor.errors import Problem
from advisor.model_facts import differences
from advisor.model_sizes import check_sizes
from advisor.models import ClosedModel, CloudMachine, GenericName, Gpu, MlModel, Offer, Provider, Rate, Ruling
from advisor.names import name_key

_GPU_RANGES: dict[str, tuple[float, float, str]] = {
    "vram_gib": (1, 1024, "GiB"),
    "memory_bandwidth_gb_per_s": (20, 30_000, "GB/s"),
    "fp32_tflops": (0.2, 400, "TFLOPS"),
    "fp16_nontensor_tflops": (0.01, 2_000, "TFLOPS"),
    "fp16_tensor_fp32acc_tflops": (2, 20_000, "TFLOPS"),
    "fp16_tensor_fp16acc_tflops": (2, 20_000, "TFLOPS"),
    "bf16_tflops": (2, 20_000, "TFLOPS"),
    "tf32_tflops": (2, 10_000, "TFLOPS"),
    "fp8_tflops": (5, 40_000, "TFLOPS"),
    "fp4_tflops": (10, 80_000, "TFLOPS"),
    "fp64_tflops": (0.001, 1_000, "TFLOPS"),
    "bus_width_bit": (32, 16_384, "bit"),
    "cores": (16, 50_000, "cores"),
    "sm_count": (1, 1_000, "units"),
    "pcie_gen": (1, 7, "generation"),
    "pcie_lanes": (1, 16, "lanes"),
    "length_mm": (50, 600, "mm"),
    "int8_tops": (5, 40_000, "TOPS"),
    "board_power_w": (5, 3_000, "W"),
    "slots": (1, 6, "slots"),
    "nvlink_gb_per_s": (0, 5_000, "GB/s"),
    "msrp_usd": (30, 100_000, "USD"),
    "tensor_core_gen": (1, 9, "generation"),
}
"""What a card can have; a value outside was typed in another unit (MB for GB, GHz for MHz)."""
_MODEL_RANGES: dict[str, tuple[float, float, str]] = {
    "parameters": (1e5, 5e12, "parameters (a plain number, not billions)"),
    "active_parameters": (1e5, 5e12, "parameters (a plain number, not billions)"),
    "layers": (1, 1_000, "layers"),
    "hidden": (16, 100_000, "wide"),
    "vocab": (20, 2_000_000, "tokens"),
    "gflops_per_sample": (0.001, 1e7, "GFLOP"),
}
_NO_SOURCE_NEEDED = {
    *("id", "name", "aliases", "vendor", "family", "series", "architecture", "unified_memory", "generic"),
    *("sources", "unverified", "claims", "notes", "notes_zh", "modality"),
    *("release_precision", "one_witness", "confidence"),
}
_CONFLICT = re.compile(r"E\d\d")


def check_catalog(directory: Path, today: date | None = None) -> list[Problem]:
    """Every problem of a catalogue directory in order of file and line; `today` defaults to the day of the clock."""
    problems: list[Problem] = []
    on = today or date.today()  # noqa: DTZ011 - data dates are calendar days of nobody's time zone
    found = read_all(directory, problems)
    for check in (_names, _sources, _figures, _cards, _models, _facts, _rulings, _references):
        problems += check(found)
    problems += check_witnesses(found)
    problems += check_chips(found)
    problems += check_sizes(found)
    problems += check_prices(found, on)
    problems += check_dates(found, on)
    return sorted(set(problems))


class _Identified(Protocol):
    @property
    def id(self) -> str:
        """Of a record."""


class _Named(Protocol):
    @property
    def name(self) -> str:
        """As it is shown."""

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names."""


# --- names -----------------------------------------------------------------------------------------------------------


def _names(found: Records) -> Iterator[Problem]:
    yield from _unique(found.gpus, found.generic_gpus)
    yield from _unique(found.ml_models, (*found.model_families, *found.closed_models))
    yield from _unique(found.providers, ())
    yield from _unique_ids("offer", found.offers)
    yield from _unique_ids("provider", found.providers)
    yield from _unique_ids("model", found.ml_models)
    makers = {one.record.name for one in found.makers}
    for one in found.gpus:
        if one.record.id != Path(one.path).stem:
            yield one.problem(f"id {one.record.id!r} is not the name of the file", "id")
        if one.record.vendor not in makers:
            yield one.problem(f"vendor {one.record.vendor!r} is not in makers.yaml", "vendor")


def _unique(things: Iterable[Located[_Named]], groups: Iterable[Located[_Named]]) -> Iterator[Problem]:
    """No two records share an id, name or alias, and no name is written twice in one record."""
    holders: dict[str, tuple[str, Located[_Named]]] = {}
    for one in (*things, *groups):
        ident = getattr(one.record, "id", "") or one.record.name
        names = [("id", ident), ("name", one.record.name), *(("aliases", alias) for alias in one.record.aliases)]
        own: set[str] = set()
        for part, name in names:
            key = name_key(name)
            if not key:
                yield one.problem(f"{name!r} has no letter or digit", part)
                continue
            if part == "aliases" and name in own:
                yield one.problem(f"alias {name!r} of {ident} stands twice", part)
            if part != "id":
                own.add(name)
            holder = holders.setdefault(key, (ident, one))
            if holder[0] != ident:
                yield one.problem(f"{name!r} is already a name of {holder[0]} ({Path(holder[1].path).name})", part)


def _unique_ids(kind: str, rows: Iterable[Located[_Identified]]) -> Iterator[Problem]:
    seen: set[str] = set()
    for one in rows:
        if one.record.id in seen:
            yield one.problem(f"{kind} id {one.record.id!r} stands twice", "id")
        seen.add(one.record.id)


# --- sources ---------------------------------------------------------------------------------------------------------


_Figured = Located[Gpu] | Located[MlModel]


def _sources(found: Records) -> Iterator[Problem]:
    known = {one.record.id for one in found.sources}
    figured: tuple[_Figured, ...] = (*found.gpus, *found.ml_models)
    for one in figured:
        yield from _sourced(one)
    citing: tuple[_Figured | Located[Provider], ...] = (*figured, *found.providers)
    for record in citing:
        yield from _cited(record, known)
    rows: tuple[Located[Offer] | Located[Rate], ...] = (*found.offers, *found.rates)
    for row in rows:
        if row.record.source not in known:
            yield row.problem(f"source {row.record.source!r} is not in sources.yaml")
    for card in found.gpus:
        for index, claim in enumerate(card.record.claims):
            if claim.source not in known:
                yield card.problem(f"source {claim.source!r} is not in sources.yaml", "claims", index, "source")


def _cited(one: Located[Gpu] | Located[MlModel] | Located[Provider], known: set[str]) -> Iterator[Problem]:
    """Sources by attribute: each of a field that there is, each on record."""
    for attribute, source in one.record.sources.items():
        if attribute != "*" and attribute not in type(one.record).model_fields:
            yield one.problem(f"sources: there is no field {attribute!r}", "sources", attribute)
        if source not in known:
            yield one.problem(f"source {source!r} is not in sources.yaml", "sources", attribute)


def _sourced(one: _Figured) -> Iterator[Problem]:
    """Every figure has a source or is marked as unverified; a mark stands only on a figure."""
    record: Gpu | MlModel = one.record
    for attribute in record.unverified:
        if attribute not in type(record).model_fields:
            yield one.problem(f"unverified: there is no field {attribute!r}", "unverified")
        elif not _has_value(record, attribute):
            yield one.problem(f"unverified: {attribute} has no value", "unverified")
    if "*" in record.sources:
        return
    for attribute in type(record).model_fields:
        if attribute in _NO_SOURCE_NEEDED or not _has_value(record, attribute):
            continue
        if attribute not in record.sources and attribute not in record.unverified:
            yield one.problem(f"{attribute} has no source; name one or list it under unverified", attribute)


def _has_value(record: Gpu | MlModel, attribute: str) -> bool:
    return getattr(record, attribute) not in (None, (), "")


# --- figures ---------------------------------------------------------------------------------------------------------


def _figures(found: Records) -> Iterator[Problem]:
    for things, ranges in ((found.gpus, _GPU_RANGES), (found.ml_models, _MODEL_RANGES)):
        for one in things:
            for attribute, (low, high, unit) in ranges.items():
                value = getattr(one.record, attribute)
                if value is not None and not low <= value <= high:
                    yield one.problem(f"{attribute} {value:g} is not between {low:g} and {high:g} {unit}", attribute)


def _cards(found: Records) -> Iterator[Problem]:
    for one in found.gpus:
        gpu: Gpu = one.record
        fp32acc, fp16acc = gpu.fp16_tensor_fp32acc_tflops, gpu.fp16_tensor_fp16acc_tflops
        if fp32acc and fp16acc and fp32acc > fp16acc * 1.001:
            yield one.problem("FP16 with FP32 accumulation is faster than with FP16", "fp16_tensor_fp32acc_tflops")
        if gpu.unified_memory and gpu.vram_gib is not None:
            yield one.problem("unified memory has no size of its own; use memory_options_gib", "vram_gib")
        if gpu.bf16_tflops and gpu.bf16_supported is False:
            yield one.problem("has a BF16 rate but no BF16", "bf16_tflops")
        for index, claim in enumerate(gpu.claims):
            if claim.attribute not in Gpu.model_fields:
                yield one.problem(f"there is no field {claim.attribute!r}", "claims", index, "attribute")


def _models(found: Records) -> Iterator[Problem]:
    for one in found.ml_models:
        model: MlModel = one.record
        if model.active_parameters and model.active_parameters > model.parameters:
            yield one.problem("more active parameters than parameters", "active_parameters")
        if model.heads and model.kv_heads and model.heads % model.kv_heads:
            yield one.problem(f"{model.heads} heads cannot share {model.kv_heads} KV heads evenly", "kv_heads")
        if model.layers and model.decoder_layers and model.decoder_layers > model.layers:
            yield one.problem("more decoder layers than layers", "decoder_layers")
        yield from _attention(one)
        if model.confidence not in ("", "A", "B", "C"):
            yield one.problem(f"confidence {model.confidence!r} is not A, B or C", "confidence")


def _facts(found: Records) -> Iterator[Problem]:
    """Every record against what was read of its model (`model_facts.py`)."""
    models = {one.record.id: one for one in found.ml_models}
    for row in found.facts:
        one = models.get(row["id"])
        for fault in differences(row, one.record) if one else ():
            yield models[row["id"]].problem(f"{row['id']}: {fault}")


def _attention(one: Located[MlModel]) -> Iterator[Problem]:
    """Whether the kinds of layers of a model fit together."""
    model: MlModel = one.record
    kinds = sum(count or 0 for count in (model.full_layers, model.window_layers, model.linear_layers))
    counted = model.kv_values_per_token_full
    faults = (
        (kinds > (model.layers or kinds) and not counted, f"{kinds} layers by kind of attention", "full_layers"),
        (model.window_layers and not model.sliding_window, "window layers without a window", "window_layers"),
        (model.linear_layers and model.full_layers is None, "linear layers, full ones not counted", "linear_layers"),
        ((model.experts_per_token or 0) > (model.experts or 10**6), "more than all experts", "experts_per_token"),
    )
    yield from (one.problem(message, part) for found, message, part in faults if found)


# --- rulings ---------------------------------------------------------------------------------------------------------


def _rulings(found: Records) -> Iterator[Problem]:
    cards = {one.record.id: one.record for one in found.gpus}
    settled: set[tuple[str, str]] = set()
    open_to = contested(found)
    for one in found.rulings:
        card, figure = cards.get(one.record.entity), (one.record.entity, one.record.attribute)
        if card is None:
            yield one.problem(f"there is no card {one.record.entity!r}", "entity")
            continue
        if figure in settled:
            yield one.problem(f"{figure[0]} {figure[1]} is settled twice", "attribute")
        settled.add(figure)
        yield from _ruled(one, card, contested=figure in open_to)
    for located in found.gpus:
        yield from _unruled(located, settled)


def _ruled(one: Located[Ruling], card: Gpu, *, contested: bool) -> Iterator[Problem]:
    """A ruling must settle something, and follow the source that the record follows."""
    ruling = one.record
    claims = value_claims(card, ruling.attribute)
    if len(claims) < 2 and not contested:
        yield one.problem(f"no source differs on {ruling.entity} {ruling.attribute}", "attribute")
    elif claims[0].source != ruling.follows:
        yield one.problem(f"follows {ruling.follows!r}, but the value is from {claims[0].source!r}", "follows")
    if ruling.conflict and not _CONFLICT.fullmatch(ruling.conflict):
        yield one.problem(f"conflict {ruling.conflict!r} is not like E10", "conflict")


def _unruled(one: Located[Gpu], settled: set[tuple[str, str]]) -> Iterator[Problem]:
    """Figures of a card on which sources differ and nobody ruled."""
    for attribute in divergent_attributes(one.record):
        if (one.record.id, attribute) not in settled:
            told = ", ".join(f"{claim.value} ({claim.source})" for claim in value_claims(one.record, attribute))
            yield one.problem(f"sources differ on {attribute} without a ruling: {told}", "claims")


# --- references ------------------------------------------------------------------------------------------------------


def _references(found: Records) -> Iterator[Problem]:
    gpus, models = {one.record.id for one in found.gpus}, {one.record.id for one in found.ml_models}
    sources = {one.record.id for one in found.sources}
    for group in found.generic_gpus:
        yield from _meant(group, gpus)
    for group in found.model_families:
        yield from _meant(group, models)
    for closed in found.closed_models:
        yield from _served_only(closed, models, sources)
    providers = {one.record.id for one in found.providers}
    for machine in found.cloud_machines:
        yield from _let(machine, gpus, providers, sources)
    for anchor in found.anchors:
        if anchor.record not in models:
            yield anchor.problem(f"there is no model {anchor.record!r}")


def _let(one: Located[CloudMachine], gpus: set[str], providers: set[str], sources: set[str]) -> Iterator[Problem]:
    """A cloud's machine has a card and a provider that are on record, and says who tells."""
    for field, ident, known in (
        ("card", one.record.card, gpus),
        ("provider", one.record.provider, providers),
        ("source", one.record.source, sources),
    ):
        if ident not in known:
            yield one.problem(f"{one.record.of}: there is no {field} {ident!r}", field)


def _served_only(one: Located[ClosedModel], models: set[str], sources: set[str]) -> Iterator[Problem]:
    """What stands in for a model that its maker only serves must be on record."""
    for ident in one.record.nearest:
        if ident not in models:
            yield one.problem(f"{one.record.name}: there is no {ident!r}", "nearest")
    if one.record.source not in sources:
        yield one.problem(f"there is no source {one.record.source!r}", "source")


def _meant(one: Located[GenericName], known: set[str]) -> Iterator[Problem]:
    """A name for several things must mean some, all on record."""
    for ident in one.record.means:
        if ident not in known:
            yield one.problem(f"{one.record.name}: there is no {ident!r}", "means")
    if not one.record.means:
        yield one.problem(f"{one.record.name} means nothing", "means")
