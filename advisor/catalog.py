"""The catalogue: cards, models, offers, sources, rulings and rates, with the names people use for them.

`load_catalog()` gives an immutable `Catalog`; a name is known or it raises `UnknownName` with near names, it is never
guessed. Adding a card is adding one file in `data/gpus/`.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from datetime import date
from functools import cached_property
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import Final, Protocol, TypeVar

from advisor.catalog_files import DATA, keep_records, read_records
from advisor.catalog_rows import records_of
from advisor.errors import BadData, Problem, UnknownName
from advisor.generic_models import generic_decoder, names_no_decoder, size_of, size_within
from advisor.models import (
    ClosedModel,
    CloudMachine,
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
from advisor.spellings import own_spellings, total_key, totals_alone


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


_NARROWED: Final = 32
"""Catalogues without some providers that are kept at a time; each shares all but its offers."""


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


Identified = TypeVar("Identified", bound=_Identified)
Named = TypeVar("Named", bound=_Named)


def _by_id(things: Iterable[Identified]) -> Mapping[str, Identified]:
    return MappingProxyType({one.id: one for one in things})


def _by_name(things: Iterable[Named]) -> dict[str, Named]:
    return {name_key(name): one for one in things for name in (one.name, *one.aliases)}


def _gpu_of(offer: Offer) -> str:
    return offer.gpu


def _by_card(offers: Iterable[Offer]) -> dict[str, tuple[Offer, ...]]:
    return {gpu: tuple(found) for gpu, found in groupby(sorted(offers, key=_gpu_of), key=_gpu_of)}


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
        cloud_machines: Iterable[CloudMachine] = (),
        makers: Iterable[Maker] = (),
        llm_anchors: Iterable[str] = (),
        llm_known: Iterable[str] = (),
        no_decoders: Iterable[str] = (),
        version: str = "",
    ) -> None:
        """Index the parts; their order does not matter."""
        self.gpus: Mapping[str, Gpu] = _by_id(sorted(gpus, key=lambda one: one.id))
        self.ml_models: Mapping[str, MlModel] = _by_id(sorted(ml_models, key=lambda one: one.id))
        self.offers: tuple[Offer, ...] = tuple(sorted(offers, key=lambda one: one.id))
        self.sources: Mapping[str, Source] = _by_id(sources)
        self.providers: Mapping[str, Provider] = _by_id(providers)
        self.rulings: tuple[Ruling, ...] = tuple(rulings)
        self.rates = RateTable(rates)
        self.generic_gpus: tuple[GenericName, ...] = tuple(generic_gpus)
        self.model_families: tuple[GenericName, ...] = tuple(model_families)
        self.closed_models: tuple[ClosedModel, ...] = tuple(closed_models)
        self.cloud_machines: tuple[CloudMachine, ...] = tuple(cloud_machines)
        self.makers = Makers({word: one.name for one in makers for word in one.words})
        self.version = version
        anchors = (self.ml_models[ident] for ident in llm_anchors)
        self._anchors = tuple(sorted(anchors, key=lambda one: one.parameters))
        self._known = tuple(self.ml_models[ident] for ident in llm_known)
        self._no_decoders = frozenset(no_decoders)
        self._gpu_names = _index(self.gpus.values(), self.generic_gpus)
        self._model_names = _index(self.ml_models.values(), self.model_families)
        self._provider_names = _index(self.providers.values(), ())
        self._gpu_groups = _by_name(self.generic_gpus)
        self._families = _by_name(self.model_families)
        self._closed = _by_name(self.closed_models)
        self._made: dict[tuple[float, float | None], MlModel] = {}
        self._offers_by_gpu = _by_card(self.offers)
        self._without: dict[frozenset[str], Catalog] = {}

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
        ident = self._model_names.find(name) or self._totals_alone.get(total_key(name))
        if ident:
            return self.ml_models[ident]
        said = size_of(name)
        return self.generic_ml_model(said.parameters, said.active) if said and self._anchors else None

    @cached_property
    def _totals_alone(self) -> dict[tuple[str, ...], str]:
        """Mixtures by their total size; only what no record lists needs them."""
        return totals_alone(self.ml_models.values())

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
            self._made[parameters, active] = generic_decoder(parameters, self._anchors, active, self._known)
        return self._made[parameters, active]

    def size_stand_in(self, name: str) -> MlModel | None:
        """A generic decoder for an unknown model whose name says its size ("sus-chat-34b"); say so when you use it.

        None for a name with a word of another kind of model ("foo-tts-3b"): its need does not follow from its size.
        """
        said = None if names_no_decoder(name, self._no_decoders) else size_within(name)
        return self.generic_ml_model(said.parameters, said.active) if said and self._anchors else None

    # --- offers and money ---

    def without_providers(self, ids: Iterable[str]) -> Catalog:
        """The same catalogue without what these providers ask: for whom nothing of theirs will do.

        Args:
            ids: of providers; one that is not on record takes nothing away. The providers themselves stay known by
                name, and the market's ranges stay, since nobody can be sent there.
        """
        gone = frozenset(one for one in ids if one in self.providers)
        if not gone:
            return self
        if gone not in self._without:
            if len(self._without) >= _NARROWED:
                self._without.clear()
            made = copy.copy(self)
            made.offers = tuple(one for one in self.offers if one.provider not in gone)
            made._offers_by_gpu = _by_card(made.offers)
            made._without = {}
            self._without[gone] = made
        return self._without[gone]

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
            [
                offer
                for offer in self._offers_by_gpu.get(gpu_id, ())
                if (provider is None or offer.provider == provider)
                and (wanted is None or offer.pricing_model in wanted)
                and (historical is None or offer.historical == historical)
            ]
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


def load_catalog(directory: Path | None = None) -> Catalog:
    """Load a catalogue directory (by default the one of this package). Raises BadData with every problem found."""
    place = directory or DATA
    problems: list[Problem] = []
    records, cached = read_records(place, problems)
    read = records_of(records, place, problems)
    if problems:
        raise BadData(problems)
    if not cached:
        keep_records(place, records)
    return Catalog(**read, version=records["version"])
