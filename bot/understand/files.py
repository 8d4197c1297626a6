"""The shapes of the data files of this room, as `load.py` reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

Words = Sequence[str]
Table = Mapping[str, Words]
"""Values, each with the words for it."""


class Suffixes(TypedDict):
    """Words that end the name of a card and may stay unread, and amounts that belong to no name."""

    apart: Mapping[str, str]
    glued: Mapping[str, str]
    several: Words
    single: Words
    machine: Words
    board_sizes: Sequence[float]
    in_laptops: Words
    told_forms: Words
    cores: Words


class CardSpelling(TypedDict):
    """What is written on to the name of a card."""

    before: Words
    behind: Mapping[str, str]
    first: Words
    told: Mapping[str, str]


class ModelSpelling(TypedDict):
    """How names of models are run together, torn apart and misspelt."""

    misspelt: Mapping[str, str]
    dotted: Words
    decimals: Mapping[str, Sequence[float]]
    apart: Mapping[str, Sequence[int]]
    counters: str
    whole: Words
    sized: Words
    sized_before: Words
    lettered: Words
    with_letter: Words
    between: Words


class Strangers(TypedDict):
    """The words between which a code names something that no list holds."""

    opened: Words
    before: Words
    behind: Words
    otherwise: str


class Cards(TypedDict):
    """`languages/names/cards.yaml`."""

    spelling: CardSpelling
    brands: Table
    family_brands: Words
    card_makers: Words
    telling: Words
    no_code: str
    strangers: Strangers
    of_maker: Mapping[str, Mapping[str, str]]
    one: Words
    many_do: Words
    forms: Mapping[str, str]
    laptop: Words
    no_laptop: Words
    desktop: Words
    counted: NotRequired[Words]
    no_card_after: Words
    no_card_behind: Table
    no_card_before: Words
    but_before: Table
    unread: Suffixes
    modified: Words
    between_memory: Words
    built: Words
    system_memory: Words
    together: Words
    joining: Words
    generic: Words
    generic_sizes: Mapping[str, Sequence[float]]
    board_sizes: Mapping[str, Sequence[float]]
    defaults: Mapping[str, str]
    extra: Table
    brand_only: Table
    other: Words
    brandless: Words
    vendors: Table
    left_out: Words
    mining_cards: Words
    old_server: Words
    families: Table


class Models(TypedDict):
    """`languages/names/models.yaml`."""

    spelling: ModelSpelling
    families: Table
    needs_more: Words
    never_apart: Words
    variants: Mapping[str, str]
    apart: Words
    unread: Words
    kinds: Mapping[str, Words]
    no_variant_before: Words
    version_letters: Words
    size_letters: Words
    words_before: Words
    plain_tied: Words
    makers: Words
    counted: Words
    active: Words
    skip: Words
    programs: Words
    no_model_before: Table
    no_model_behind_card: Words
    joining: Words
    same_as: Mapping[str, str]
    not_alias: Words
    other: Table
    strangers: Strangers
    mend_towards: Words
    plain_before_size: Words
    sized_in_millions: str


class Shapes(TypedDict):
    """`languages/names/shapes.yaml`."""

    cpu: Words
    cpu_words: Words
    framework: Mapping[str, str]
    version_glue: Words
    degrees: Words
    plus: Words
    run: str
    not_used_before: Words
    language_models: Words
    cuda_other: Words
    cuda_context: Words
    owning: Words
    full_before: Words
    training_signs: Words
    training_settings: Words
    training_phrases: Words
    engines: Words
    paces: Words
    picture_models: Words
    video: Words


class Gate(TypedDict):
    """`languages/gate.yaml`: what makes a message one of the subject."""

    weak: Words
    slots: Words
    weak_slots: Words
    asking: Words
    light: Words
    social: Words
    plain_han: str
    swapped_pairs: Words
    denying_han: str
    running: Words


class Acts(TypedDict):
    """`languages/acts.yaml`: words of the dialogue acts."""

    taken_back: Words
    sighs: Words
    predicates: Words
    leads: Words
    tails: Words


class Concept(TypedDict):
    """Words for one thing in both languages; whether they are of the subject, and what else they say."""

    zh: NotRequired[Words]
    en: NotRequired[Words]
    domain: NotRequired[bool]
    implies: NotRequired[Words]
    borne: NotRequired[Words]
    """Chinese words that bring it with every phrase of `languages/concepts/` that holds them."""


Concepts = Mapping[str, Concept]
Cue = Words | Table
"""Words that stand beside a number: as a list, or by the side on which they stand."""


class Weights(TypedDict):
    """`languages/evidence.json`: what `bot learn` writes."""

    intents: Sequence[str]
    prior: Sequence[int]
    step: float
    temperature: float
    signs: Sequence[str]
    weights: str


class Files(TypedDict):
    """Every data file of this room by a short name."""

    script: Mapping[str, str]
    regional: Mapping[str, str]
    gate: Gate
    acts: Acts
    cards: Cards
    models: Models
    values: Mapping[str, Table]
    shapes: Shapes
    cues: Mapping[str, Cue]
    programs: Mapping[str, Table]
    things: Concepts
    concepts: Mapping[str, Concepts]
    """The files of `languages/concepts/` by their stem."""
