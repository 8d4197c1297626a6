"""The catalogue: cards, models, offers, sources, rulings and rates, with the names people use for them.

`load_catalog()` gives an immutable `Catalog`; a name is known or it raises `UnknownName` with near names, it is never
guessed. Adding a card is adding one file in `data/gpus/`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from pydantic import ValidationError

from advisor.catalog_files import DATA, keep_records, read_records
from advisor.errors import BadData, Problem, UnknownName
from advisor.generic_models import generic_decoder, size_of, size_within
from advisor.models import (
    ClosedModel,
    Frozen,
    GenericName,
    Gpu,
    Maker,
    MlModel,
    Money,
    Offer,
    PricingModel,
    Provider,
    Rate,
    Ruling,
    Source,
)
from advisor.names import Makers, NameIndex, name_key, series_of
from advisor.rates import RateTable
from advisor.spellings import own_spellings

Record = TypeVar("Record", bound=Frozen)


def _index(things: Iterable[Gpu | MlModel | Provider], generics: Iterable[GenericName]) -> NameIndex:
    """Names of concrete things first, so that a generic name never hides one."""
    index = NameIndex()
    held = list(things)
    groups = {thing.id: _group_of(thing) for thing in held}
    for thing in held:
        index.add(thing.id, (thing.id, thing.name), thing.name, groups[thing.id])
    for thing in held:
        index.add(thing.id, (*thing.aliases, getattr(thing, "name_zh", "")), thing.name, groups[thing.id])
    for generic in generics:
        index.add(generic.means[0], (generic.name, *generic.aliases), generic.name, groups[generic.means[0]])
    return index


def _group_of(thing: Gpu | MlModel | Provider) -> str:
    """Within what near names are offered: the maker of a card, the series of a model."""
    if isinstance(thing, Gpu):
        return thing.vendor
    return series_of(thing.name) if isinstance(thing, MlModel) else ""


class Catalog:
    """Everything the advisor knows of the world. Immutable after load; safe to share between threads."""

    def __init__(
        self,
        *,
        gpus: Iterable[Gpu],
        ml_models: Iterable[MlModel],
        offers: Iterable[Offer],
        sources: Iterable[Source],
        providers: Iterable[Provider] = (),
        rulings: Iterable[Ruling] = (),
        rates: Iterable[Rate] = (),
        generic_gpus: Iterable[GenericName] = (),
        model_families: Iterable[GenericName] = (),
        closed_models: Iterable[ClosedModel] = (),
        makers: Iterable[Maker] = (),
        llm_anchors: Iterable[str] = (),
        version: str = "",
    ) -> None:
        """Index the parts; their order does not matter."""
        self.gpus: Mapping[str, Gpu] = MappingProxyType({one.id: one for one in sorted(gpus, key=lambda g: g.id)})
        self.ml_models: Mapping[str, MlModel] = MappingProxyType(
            {one.id: one for one in sorted(ml_models, key=lambda m: m.id)}
        )
        self.offers: tuple[Offer, ...] = tuple(sorted(offers, key=lambda o: o.id))
        self.sources: Mapping[str, Source] = MappingProxyType({one.id: one for one in sources})
        self.providers: Mapping[str, Provider] = MappingProxyType({one.id: one for one in providers})
        self.rulings: tuple[Ruling, ...] = tuple(rulings)
        self.rates = RateTable(rates)
        self.generic_gpus: tuple[GenericName, ...] = tuple(generic_gpus)
        self.model_families: tuple[GenericName, ...] = tuple(model_families)
        self.closed_models: tuple[ClosedModel, ...] = tuple(closed_models)
        self.makers = Makers({word: one.name for one in makers for word in one.words})
        self.version = version
        self._anchors = tuple(sorted((self.ml_models[one] for one in llm_anchors), key=lambda m: m.parameters))
        self._gpu_names = _index(self.gpus.values(), self.generic_gpus)
        self._model_names = _index(self.ml_models.values(), self.model_families)
        self._provider_names = _index(self.providers.values(), ())
        self._gpu_groups = {name_key(n): g for g in self.generic_gpus for n in (g.name, *g.aliases)}
        self._families = {name_key(n): g for g in self.model_families for n in (g.name, *g.aliases)}
        self._closed = {name_key(n): one for one in self.closed_models for n in (one.name, *one.aliases)}
        self._made: dict[tuple[float, float | None], MlModel] = {}
        by_gpu: dict[str, list[Offer]] = {}
        for offer in self.offers:
            by_gpu.setdefault(offer.gpu, []).append(offer)
        self._offers_by_gpu = {gpu: tuple(found) for gpu, found in by_gpu.items()}

    # --- cards ---

    def find_gpu(self, name: str) -> Gpu | None:
        """The card of this name, id or alias in any case and spacing; a generic name gives its default."""
        ident = self._gpu_names.find(name) or self._made_gpu_names.get(name_key(name))
        return self.gpus[ident] if ident else None

    @cached_property
    def _made_gpu_names(self) -> dict[str, str]:
        """Spellings made from the parts of names; only what no record lists needs them."""
        return own_spellings(self.gpus.values(), self._gpu_names.ids)

    def get_gpu(self, name: str) -> Gpu:
        """Like find_gpu, but raises UnknownName with up to three near names."""
        found = self.find_gpu(name)
        if found is None:
            raise UnknownName("gpu", name, self._gpu_names.near(name, group=self.makers.of(name)))
        return found

    def gpu_variants(self, name: str) -> tuple[Gpu, ...]:
        """Every card the name may mean, the default first; one card for a concrete name, none for an unknown one."""
        group = self._gpu_groups.get(name_key(name))
        found = self.find_gpu(name)
        if group is None or found is None or found.id != group.means[0]:
            return (found,) if found else ()
        return tuple(self.gpus[ident] for ident in group.means)

    def generic_gpu(self, name: str) -> GenericName | None:
        """The record of a generic name ("A100"), with the reason for its default."""
        return self._gpu_groups.get(name_key(name))

    def gpus_of(self, family: str) -> tuple[Gpu, ...]:
        """Cards of a series, family, architecture or vendor ("RTX 30", "Tesla", "Ampere", "AMD"), oldest first."""
        return self._by_family.get(name_key(family), ())

    @cached_property
    def _by_family(self) -> dict[str, tuple[Gpu, ...]]:
        """Cards by every word they are listed under; made on first use, most questions name no family."""
        found: dict[str, list[Gpu]] = {}
        for gpu in sorted(self.gpus.values(), key=lambda g: (g.release_date or date.max, g.id)):
            for key in _family_keys(gpu):
                found.setdefault(key, []).append(gpu)
        return {key: tuple(gpus) for key, gpus in found.items()}

    # --- models ---

    def find_ml_model(self, name: str) -> MlModel | None:
        """The model of this name; a family gives its default size, "llm-7b" or "7B" a generic decoder."""
        ident = self._model_names.find(name)
        if ident:
            return self.ml_models[ident]
        said = size_of(name)
        return self.generic_ml_model(said.parameters, said.active) if said and self._anchors else None

    def get_ml_model(self, name: str) -> MlModel:
        """Like find_ml_model, but raises UnknownName; a size within the name is suggested first ("llm-34b")."""
        found = self.find_ml_model(name)
        if found is not None:
            return found
        stand_in = self.size_stand_in(name)
        near = self._model_names.near_series(name)
        raise UnknownName("ml_model", name, ((stand_in.name, *near) if stand_in else near)[:3])

    def ml_model_variants(self, name: str) -> tuple[MlModel, ...]:
        """Every model the name may mean, the default first; one for a concrete name, none for an unknown one."""
        family = self._families.get(name_key(name))
        found = self.find_ml_model(name)
        if family is None or found is None or found.id != family.means[0]:
            return (found,) if found else ()
        return tuple(self.ml_models[ident] for ident in family.means)

    def model_family(self, name: str) -> GenericName | None:
        """The record of a family name ("qwen"), with the reason for its default."""
        return self._families.get(name_key(name))

    def closed_model(self, name: str) -> ClosedModel | None:
        """The record of a model whose weights are not published, or None."""
        return self._closed.get(name_key(name))

    def generic_ml_model(self, parameters: float, active: float | None = None) -> MlModel:
        """A decoder of this many parameters, so many of them active, with a typical shape (`generic=True`)."""
        if (parameters, active) not in self._made:
            self._made[parameters, active] = generic_decoder(parameters, self._anchors, active)
        return self._made[parameters, active]

    def size_stand_in(self, name: str) -> MlModel | None:
        """A generic decoder for an unknown model whose name says its size ("sus-chat-34b"); say so when you use it."""
        said = size_within(name)
        return self.generic_ml_model(said.parameters, said.active) if said and self._anchors else None

    # --- offers and money ---

    def offers_for(
        self,
        gpu_id: str,
        *,
        provider: str | None = None,
        terms: Iterable[PricingModel] | None = None,
        historical: bool | None = False,
    ) -> tuple[Offer, ...]:
        """Offers of one card, by id. `historical=None` gives both kinds, `terms=None` all ways to pay."""
        wanted = None if terms is None else frozenset(terms)
        return tuple(
            offer
            for offer in self._offers_by_gpu.get(gpu_id, ())
            if (provider is None or offer.provider == provider)
            and (wanted is None or offer.pricing_model in wanted)
            and (historical is None or offer.historical == historical)
        )

    def find_offer(self, offer_id: str) -> Offer | None:
        """The offer with this id, or None."""
        return next((offer for offer in self.offers if offer.id == offer_id), None)

    def find_provider(self, name: str) -> Provider | None:
        """The provider of this id, name or alias, or None."""
        ident = self._provider_names.find(name)
        return self.providers[ident] if ident else None

    def rate(self, base: str, currency: str, on: date) -> Rate:
        """What one `base` cost in `currency`, newest record up to `on`. Raises NoRate."""
        return self.rates.find(base, currency, on)

    def convert(self, money: Money, currency: str, on: date) -> Money:
        """An amount in another currency at the rate of record. Raises NoRate."""
        return self.rates.convert(money, currency, on)

    # --- names for the understanding room ---

    def gpu_aliases(self) -> dict[str, str]:
        """Every spelling -> slot value: a card's name, or the generic name where the variant is open."""
        return _spellings(self.gpus.values(), self.generic_gpus)

    def ml_model_aliases(self) -> dict[str, str]:
        """Every spelling -> canonical slot value: a model's name or a family's."""
        return _spellings(self.ml_models.values(), self.model_families)

    def provider_aliases(self) -> dict[str, str]:
        """Every spelling -> provider id."""
        return {
            spelling: one.id
            for one in self.providers.values()
            for spelling in (one.id, one.name, one.name_zh, *one.aliases)
            if spelling and one.kind != "market"
        }


def _spellings(things: Iterable[Gpu | MlModel], generics: Iterable[GenericName]) -> dict[str, str]:
    found: dict[str, str] = {}
    held = list(things)
    for thing in held:
        found.setdefault(thing.name, thing.name)
    for thing in held:
        for alias in thing.aliases:
            found.setdefault(alias, thing.name)
    for generic in generics:
        for alias in (generic.name, *generic.aliases):
            found.setdefault(alias, generic.name)
    return found


def _family_keys(gpu: Gpu) -> set[str]:
    """Words under which a card is listed as one of a family."""
    parts = [
        gpu.series,
        gpu.family,
        gpu.architecture,
        gpu.vendor,
        *gpu.family.split("/"),
        gpu.architecture.split(" ")[0],
    ]
    return {name_key(part) for part in parts if part}


def _records(kind: type[Record], rows: Iterable[tuple[str, Any]], problems: list[Problem]) -> list[Record]:
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


def offer_row(row: Mapping[str, str], providers: Mapping[str, Provider]) -> dict[str, Any]:
    """A line of prices.csv as fields of an Offer."""
    fields: dict[str, Any] = dict(row)
    provider = providers.get(row.get("provider") or "")
    fields["provider_name"] = provider.name if provider else ""
    fields["rows"] = tuple((row.get("rows") or "").split())
    return fields


def gpu_row(row: Any) -> Any:
    """A card's record as fields of a Gpu: its claims need not repeat whose they are."""
    if not isinstance(row, dict) or not isinstance(row.get("claims"), list):
        return row
    claims = [{"entity": row.get("id"), **one} if isinstance(one, dict) else one for one in row["claims"]]
    return {**row, "claims": claims}


def rate_row(row: Mapping[str, str]) -> dict[str, Any]:
    """A line of rates.csv as fields of a Rate."""
    fields: dict[str, Any] = dict(row)
    fields["value"] = fields.pop("rate", None)
    return fields


def _build(records: Mapping[str, Any], directory: Path, problems: list[Problem]) -> Catalog | None:
    def listed(name: str, suffix: str = "yaml") -> list[tuple[str, Any]]:
        where = str(directory / f"{name}.{suffix}")
        return [(where, row) for row in records[name]]

    models = [
        (path, {"id": ident, **(fields if isinstance(fields, dict) else {})})
        for path, family in records["ml_models"].items()
        for ident, fields in family.items()
    ]
    providers = _records(Provider, listed("providers"), problems)
    by_id = {one.id: one for one in providers}
    offers = [(path, offer_row(row, by_id)) for path, row in listed("prices", "csv")]
    rates = [(path, rate_row(row)) for path, row in listed("rates", "csv")]
    of_sources = str(directory / "sources.yaml")
    sources = [(of_sources, {"id": i, **s}) for i, s in records["sources"].items()]
    parts: dict[str, Any] = {
        "gpus": _records(Gpu, [(path, gpu_row(row)) for path, row in records["gpus"].items()], problems),
        "ml_models": _records(MlModel, models, problems),
        "offers": _records(Offer, offers, problems),
        "sources": _records(Source, sources, problems),
        "providers": providers,
        "rulings": _records(Ruling, listed("rulings"), problems),
        "rates": _records(Rate, rates, problems),
        "generic_gpus": _records(GenericName, listed("generic_gpus"), problems),
        "model_families": _records(GenericName, listed("model_families"), problems),
        "closed_models": _records(ClosedModel, listed("closed_models"), problems),
        "makers": _records(Maker, listed("makers"), problems),
    }
    _check_means(parts, records, directory, problems)
    if problems:
        return None
    return Catalog(**parts, llm_anchors=records["generic_llm"]["anchors"], version=records["version"])


def _check_means(
    parts: Mapping[str, Any], records: Mapping[str, Any], directory: Path, problems: list[Problem]
) -> None:
    """Ids that other records build on must exist, or nothing could be indexed."""
    gpus, models = {one.id for one in parts["gpus"]}, {one.id for one in parts["ml_models"]}
    anchors = records["generic_llm"].get("anchors") or []
    wanted = [
        *(("generic_gpus.yaml", one.name, ident, gpus) for one in parts["generic_gpus"] for ident in one.means),
        *(("model_families.yaml", one.name, ident, models) for one in parts["model_families"] for ident in one.means),
        *(("closed_models.yaml", one.name, ident, models) for one in parts["closed_models"] for ident in one.nearest),
        *(("generic_llm.yaml", "anchors", ident, models) for ident in anchors),
    ]
    for file, name, ident, known in wanted:
        if ident not in known:
            problems.append(Problem(str(directory / file), 1, f"{name}: there is no {ident}"))


def load_catalog(directory: Path | None = None) -> Catalog:
    """Load a catalogue directory (by default the one of this package). Raises BadData with every problem found."""
    place = directory or DATA
    problems: list[Problem] = []
    records, cached = read_records(place, problems)
    catalog = _build(records, place, problems)
    if catalog is None or problems:
        raise BadData(problems)
    if not cached:
        keep_records(place, records)
    return catalog
