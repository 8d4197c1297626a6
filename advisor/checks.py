"""Checks a catalogue directory as a whole: `check_catalog` returns every problem at once, with file and line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path

from advisor.check_records import Located, Records, read_all
from advisor.check_witnesses import check_witnesses, contested
from advisor.claims import divergent_attributes, value_claims
from advisor.errors import NoRate, Problem
from advisor.model_facts import differences
from advisor.models import Gpu, MlModel, PricingModel
from advisor.names import name_key
from advisor.rates import RateTable

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
_PRICE_RANGES: dict[str, tuple[float, float]] = {
    "gpu_hour": (0.02, 200),
    "hour": (0.005, 500),
    "gpu_month": (5, 100_000),
    "month": (1, 10_000),
    "card": (20, 200_000),
    "machine": (150, 1_000_000),
    "system_share": (200, 1_000_000),
    "machine_month": (200, 1_000_000),
}
"""Amounts in US dollars between which a price of this unit lies."""
_PRECISIONS = ("day", "month", "year", "unknown")
_MARKETS = {"CN": "CNY", "US": "USD", "EU": "EUR", "UK": "GBP", "INTL": ""}
"""Markets with the currency that is asked there."""
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
    problems += _prices(found, on)
    problems += _dates(found, on)
    return sorted(set(problems))


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


def _unique(things: Iterable[Located], groups: Iterable[Located]) -> Iterator[Problem]:
    """No two records share an id, name or alias, and no name is written twice in one record."""
    holders: dict[str, tuple[str, Located]] = {}
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


def _unique_ids(kind: str, rows: Iterable[Located]) -> Iterator[Problem]:
    seen: set[str] = set()
    for one in rows:
        if one.record.id in seen:
            yield one.problem(f"{kind} id {one.record.id!r} stands twice", "id")
        seen.add(one.record.id)


# --- sources ---------------------------------------------------------------------------------------------------------


def _sources(found: Records) -> Iterator[Problem]:
    known = {one.record.id for one in found.sources}
    for one in (*found.gpus, *found.ml_models, *found.providers):
        for attribute, source in one.record.sources.items():
            if attribute != "*" and attribute not in type(one.record).model_fields:
                yield one.problem(f"sources: there is no field {attribute!r}", "sources", attribute)
            if source not in known:
                yield one.problem(f"source {source!r} is not in sources.yaml", "sources", attribute)
    for one in (*found.offers, *found.rates):
        if one.record.source not in known:
            yield one.problem(f"source {one.record.source!r} is not in sources.yaml")
    for one in found.gpus:
        for index, claim in enumerate(one.record.claims):
            if claim.source not in known:
                yield one.problem(f"source {claim.source!r} is not in sources.yaml", "claims", index, "source")
    for one in (*found.gpus, *found.ml_models):
        yield from _sourced(one)


def _sourced(one: Located) -> Iterator[Problem]:
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


def _attention(one: Located) -> Iterator[Problem]:
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
    cards = {one.record.id: one for one in found.gpus}
    settled: set[tuple[str, str]] = set()
    open_to = contested(found)
    for one in found.rulings:
        ruling = one.record
        card = cards.get(ruling.entity)
        if card is None:
            yield one.problem(f"there is no card {ruling.entity!r}", "entity")
            continue
        if (ruling.entity, ruling.attribute) in settled:
            yield one.problem(f"{ruling.entity} {ruling.attribute} is settled twice", "attribute")
        settled.add((ruling.entity, ruling.attribute))
        claims = value_claims(card.record, ruling.attribute)
        if len(claims) < 2 and (ruling.entity, ruling.attribute) not in open_to:
            yield one.problem(f"no source differs on {ruling.entity} {ruling.attribute}", "attribute")
        elif claims[0].source != ruling.follows:
            yield one.problem(f"follows {ruling.follows!r}, but the value is from {claims[0].source!r}", "follows")
        if ruling.conflict and not _CONFLICT.fullmatch(ruling.conflict):
            yield one.problem(f"conflict {ruling.conflict!r} is not like E10", "conflict")
    for one in found.gpus:
        for attribute in divergent_attributes(one.record):
            if (one.record.id, attribute) not in settled:
                told = ", ".join(f"{claim.value} ({claim.source})" for claim in value_claims(one.record, attribute))
                yield one.problem(f"sources differ on {attribute} without a ruling: {told}", "claims")


# --- references and prices -------------------------------------------------------------------------------------------


def _references(found: Records) -> Iterator[Problem]:
    gpus, models = ({one.record.id for one in kind} for kind in (found.gpus, found.ml_models))
    for groups, known in ((found.generic_gpus, gpus), (found.model_families, models)):
        for one in groups:
            for ident in one.record.means:
                if ident not in known:
                    yield one.problem(f"{one.record.name}: there is no {ident!r}", "means")
            if not one.record.means:
                yield one.problem(f"{one.record.name} means nothing", "means")
    sources = {one.record.id for one in found.sources}
    for one in found.closed_models:
        for ident in one.record.nearest:
            if ident not in models:
                yield one.problem(f"{one.record.name}: there is no {ident!r}", "nearest")
        if one.record.source not in sources:
            yield one.problem(f"there is no source {one.record.source!r}", "source")
    for one in found.anchors:
        if one.record not in models:
            yield one.problem(f"there is no model {one.record!r}")


def _prices(found: Records, today: date) -> Iterator[Problem]:
    gpus = {one.record.id for one in found.gpus}
    providers = {one.record.id for one in found.providers}
    rates = RateTable(one.record for one in found.rates)
    bare = {one.record.id for one in found.sources if not one.record.url}
    for one in found.offers:
        offer = one.record
        yield from _told(one, bare)
        if offer.gpu and offer.gpu not in gpus:
            yield one.problem(f"there is no card {offer.gpu!r}")
        if not offer.gpu and not offer.quoted_as:
            yield one.problem("names neither a card nor what is offered")
        if offer.provider not in providers:
            yield one.problem(f"provider {offer.provider!r} is not in providers.yaml")
        if offer.low > offer.high:
            yield one.problem(f"low {offer.low} is above high {offer.high}")
        if offer.confidence not in ("A", "B", "C"):
            yield one.problem(f"confidence {offer.confidence!r} is not A, B or C")
        if offer.as_of_precision not in _PRECISIONS:
            yield one.problem(f"as_of_precision {offer.as_of_precision!r} is not one of {', '.join(_PRECISIONS)}")
        if offer.pricing_model is PricingModel.LAUNCH_PRICE and not offer.historical:
            yield one.problem("a launch price is a record of its time: historical must be yes")
        yield from _amounts(one, rates, today)


def _told(one: Located, bare: set[str]) -> Iterator[Problem]:
    """Where and by whom: every price has a market and an address, and yuan are asked in China alone."""
    offer = one.record
    if offer.market not in _MARKETS:
        yield one.problem(f"market {offer.market!r} is not one of {', '.join(_MARKETS)}")
    if offer.source in bare:
        yield one.problem(f"source {offer.source!r} has no url: a price without an address is not taken")
    own = _MARKETS.get(offer.market)
    if own and offer.currency in _MARKETS.values() and offer.currency != own:
        yield one.problem(f"{offer.currency} is not the currency of the market {offer.market}")
    if offer.cards < 1 or (offer.cards > 1) != (offer.unit == "machine_month"):
        yield one.problem(f"{offer.cards} cards do not go with the unit {offer.unit!r}")


def _amounts(one: Located, rates: RateTable, today: date) -> Iterator[Problem]:
    offer = one.record
    if offer.unit not in _PRICE_RANGES:
        yield one.problem(f"unit {offer.unit!r} is not one of {', '.join(_PRICE_RANGES)}")
        return
    try:
        factor = rates.find(offer.currency, "USD", today).value
    except NoRate:
        yield one.problem(f"rates.csv has no rate for {offer.currency!r}")
        return
    low, high = _PRICE_RANGES[offer.unit]
    for amount in dict.fromkeys((offer.low, offer.high)):
        if not low <= float(amount * factor) <= high:
            yield one.problem(f"{amount} {offer.currency} is no price of a {offer.unit} ({low:g} to {high:g} USD)")


def _dates(found: Records, today: date) -> Iterator[Problem]:
    for one in (*found.offers, *found.rates):
        if one.record.as_of > today:
            yield one.problem(f"as_of {one.record.as_of} lies in the future")
    for one in found.gpus:
        if one.record.release_date and one.record.release_date > today:
            yield one.problem(f"release_date {one.record.release_date} lies in the future", "release_date")
    for one in found.sources:
        for part in ("as_of", "read_on"):
            if (getattr(one.record, part) or today) > today:
                yield one.problem(f"{part} lies in the future", part)
    for one in found.rates:
        if one.record.value <= 0:
            yield one.problem(f"rate {one.record.value} is not positive")
