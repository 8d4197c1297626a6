"""From what stands in the files of a catalogue to its records, every fault with the file it stands in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypedDict, TypeVar

from pydantic import ValidationError

from advisor.catalog_files import RawRecords
from advisor.errors import Problem
from advisor.models import (
    ClosedModel,
    CloudMachine,
    Frozen,
    GenericName,
    Gpu,
    Maker,
    MlModel,
    Offer,
    Provider,
    Rate,
    Ruling,
    Source,
)

Record = TypeVar("Record", bound=Frozen)
Row = tuple[str, object]
"""The file a record stands in, and its fields as they were written."""


class Records(TypedDict):
    """What a `Catalog` is made of."""

    gpus: list[Gpu]
    ml_models: list[MlModel]
    offers: list[Offer]
    sources: list[Source]
    providers: list[Provider]
    rulings: list[Ruling]
    rates: list[Rate]
    generic_gpus: list[GenericName]
    model_families: list[GenericName]
    closed_models: list[ClosedModel]
    cloud_machines: list[CloudMachine]
    makers: list[Maker]
    llm_anchors: list[str]
    llm_known: list[str]
    no_decoders: list[str]


def records_of(raw: RawRecords, directory: Path, problems: list[Problem]) -> Records:
    """Every record that is valid; the others become problems, as do ids that other records build on and are nowhere."""

    def listed(kind: type[Record], name: str) -> list[Record]:
        where = str(directory / f"{name}.yaml")
        return _records(kind, ((where, row) for row in raw["lists"][name]), problems)

    def table(name: str) -> Iterator[tuple[str, dict[str, str]]]:
        where = str(directory / f"{name}.csv")
        return ((where, row) for row in raw["tables"][name])

    providers = listed(Provider, "providers")
    by_id = {one.id: one for one in providers}
    of_sources = str(directory / "sources.yaml")
    found = Records(
        gpus=_records(Gpu, ((path, gpu_row(row)) for path, row in raw["gpus"].items()), problems),
        ml_models=_records(MlModel, _models(raw), problems),
        offers=_records(Offer, ((path, offer_row(row, by_id)) for path, row in table("prices")), problems),
        sources=_records(Source, _keyed(of_sources, raw["mappings"]["sources"]), problems),
        providers=providers,
        rulings=listed(Ruling, "rulings"),
        rates=_records(Rate, ((path, rate_row(row)) for path, row in table("rates")), problems),
        generic_gpus=listed(GenericName, "generic_gpus"),
        model_families=listed(GenericName, "model_families"),
        closed_models=listed(ClosedModel, "closed_models"),
        cloud_machines=listed(CloudMachine, "cloud_machines"),
        makers=listed(Maker, "makers"),
        llm_anchors=_of_decoders(raw, "anchors"),
        llm_known=_of_decoders(raw, "known"),
        no_decoders=_of_decoders(raw, "no_decoders"),
    )
    problems += (
        Problem(str(directory / file), 1, f"{name}: there is no {ident}") for file, name, ident in _lost(found)
    )
    return found


def _keyed(path: str, rows: Mapping[str, object]) -> Iterator[Row]:
    """Records that stand under their id."""
    for ident, fields in rows.items():
        yield path, {"id": ident, **(fields if isinstance(fields, dict) else {})}


def _models(raw: RawRecords) -> Iterator[Row]:
    for path, family in raw["ml_models"].items():
        yield from _keyed(path, family)


def _records(kind: type[Record], rows: Iterable[Row], problems: list[Problem]) -> list[Record]:
    """Validated records; a fault becomes a problem at its file (line 1: `advisor.checks` finds the exact line)."""
    made: list[Record] = []
    for where, row in rows:
        try:
            made.append(kind.model_validate(row))
        except ValidationError as error:
            for fault in error.errors():
                field = ".".join(map(str, fault["loc"])) or "record"
                problems.append(Problem(where, 1, f"{field}: {fault['msg']}"))
    return made


def offer_row(row: Mapping[str, str], providers: Mapping[str, Provider]) -> dict[str, object]:
    """A line of prices.csv as fields of an Offer."""
    provider = providers.get(row.get("provider") or "")
    named = provider.name if provider else ""
    return {**row, "provider_name": named, "rows": tuple((row.get("rows") or "").split())}


def gpu_row(row: object) -> object:
    """A card's record as fields of a Gpu: its claims need not repeat whose they are."""
    if not isinstance(row, dict) or not isinstance(row.get("claims"), list):
        return row
    claims = [{"entity": row.get("id"), **one} if isinstance(one, dict) else one for one in row["claims"]]
    return {**row, "claims": claims}


def rate_row(row: Mapping[str, str]) -> dict[str, object]:
    """A line of rates.csv as fields of a Rate."""
    fields: dict[str, object] = dict(row)
    fields["value"] = fields.pop("rate", None)
    return fields


def _of_decoders(raw: RawRecords, key: str) -> list[str]:
    """One list of `generic_llm.yaml`."""
    held = raw["mappings"]["generic_llm"].get(key)
    return [str(one) for one in held] if isinstance(held, list) else []


def _lost(found: Records) -> Iterator[tuple[str, str, str]]:
    """File, name and id of what other records build on and is nowhere, or nothing could be indexed."""
    gpus, models = {one.id for one in found["gpus"]}, {one.id for one in found["ml_models"]}
    yield from _missing("generic_gpus.yaml", ((one.name, one.means) for one in found["generic_gpus"]), gpus)
    yield from _missing("model_families.yaml", ((one.name, one.means) for one in found["model_families"]), models)
    yield from _missing("closed_models.yaml", ((one.name, one.nearest) for one in found["closed_models"]), models)
    yield from _missing("cloud_machines.yaml", ((one.of, (one.card,)) for one in found["cloud_machines"]), gpus)
    yield from _missing("generic_llm.yaml", [("anchors", found["llm_anchors"]), ("known", found["llm_known"])], models)


def _missing(file: str, names: Iterable[tuple[str, Iterable[str]]], known: set[str]) -> Iterator[tuple[str, str, str]]:
    return ((file, name, ident) for name, idents in names for ident in idents if ident not in known)
