"""The names that slots are filled with, in one plain form: cards, models and providers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.catalog import Catalog


@dataclass(frozen=True, slots=True)
class CardName:
    """A card of the catalogue: canonical name, other spellings, memory in GiB, maker, family."""

    name: str
    aliases: tuple[str, ...]
    vram_gib: float | None
    vendor: str
    family: str
    architecture: str = ""
    in_laptops: bool = False
    """Whether it is a chip that only portable computers have."""


@dataclass(frozen=True, slots=True)
class ModelName:
    """A model of the catalogue: canonical name, other spellings, parameters as a plain count, 0 where none is known."""

    name: str
    aliases: tuple[str, ...]
    parameters: float
    modality: str = ""
    active: float = 0.0
    """Active parameters of a mixture of experts."""


@dataclass(frozen=True, slots=True)
class MachineName:
    """A cloud's machine: its name, who lets it, how many cards are in it, canonical name of the card."""

    name: str
    provider: str
    cards: int
    card: str


@dataclass(frozen=True, slots=True)
class Gazetteer:
    """All names of the catalogue that may be spoken of."""

    cards: tuple[CardName, ...]
    models: tuple[ModelName, ...]
    makers: tuple[tuple[str, str], ...] = ()
    """Words that say who made a card, each with its maker."""
    machines: tuple[MachineName, ...] = ()


def gazetteer_of(catalog: Catalog) -> Gazetteer:
    """The names of a loaded catalogue, in the order of their canonical names."""
    cards = (
        CardName(
            gpu.name, tuple(gpu.aliases), gpu.vram_gib, gpu.vendor, gpu.family, gpu.architecture, gpu.mount == "laptop"
        )
        for gpu in catalog.gpus.values()
    )
    models = (
        ModelName(model.name, tuple(model.aliases), model.parameters, model.modality, model.active_parameters or 0.0)
        for model in catalog.ml_models.values()
        if not model.generic
    )
    served = (ModelName(one.name, tuple(one.aliases), 0.0) for one in catalog.closed_models)
    machines = (
        MachineName(name, one.provider, count, catalog.gpus[one.card].name)
        for one in catalog.cloud_machines
        for name, count in one.names.items()
    )
    return Gazetteer(
        tuple(sorted(cards, key=lambda card: card.name)),
        tuple(sorted((*models, *served), key=lambda model: model.name)),
        tuple(catalog.makers.words.items()),
        tuple(machines),
    )
