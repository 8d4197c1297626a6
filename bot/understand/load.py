"""Builds an `Understander` from the catalogue and the data files of this room."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import knowledge
from advisor.errors import BadData, Problem
from advisor.files import load_yaml_files
from bot.core.intents import Intent, load_intents
from bot.core.languages import LanguageWords, Script, load_languages
from bot.resources import languages_directory
from bot.understand.act import ActReader
from bot.understand.derived import Derived
from bot.understand.evidence import BLANK, Evidence
from bot.understand.finder import Finder
from bot.understand.gate import DomainGate
from bot.understand.gazetteer import Gazetteer, gazetteer_of
from bot.understand.lexicon import Lexicon, concept_surfaces, lexicon_surfaces, surface_table
from bot.understand.normalise import Normaliser
from bot.understand.recognise import Parts, Understander
from bot.understand.slots.context import Cues
from bot.understand.slots.gpu import CardGrammar
from bot.understand.slots.jobs import JobReader
from bot.understand.slots.ml_model import ModelGrammar
from bot.understand.slots.numbers import QuantityGrammar
from bot.understand.slots.reader import SlotReader
from bot.understand.slots.shapes import ShapeGrammar
from bot.understand.slots.words import WordGrammar, platform_surfaces, word_surfaces
from bot.understand.spelling import Speller

if TYPE_CHECKING:
    from advisor.catalog import Catalog

SAMPLES = {
    "gpu": "3090",
    "gpu2": "4090",
    "model": "qwen2.5-7b",
    "vram_gb": "24g",
    "gpu_count": "4",
    "budget": "10000",
    "provider": "autodl",
    "duration": "10 h",
    "ram_gb": "64g",
    "cuda_version": "cuda 11.3",
    "precision": "fp16",
    "batch": "batch 32",
    "seq_len": "4k context",
    "psu_w": "850w",
    "gpu_family": "amd",
    "dataset": "coco",
    "users": "10",
}
"""What stands in for a `{slot}` of a phrase when it is read."""


def synonyms_file() -> Path:
    """The table of things and their names that understanding shares with passage search."""
    return Path(knowledge.__file__).parent / "data" / "synonyms.yaml"


def evidence_file() -> Path:
    """The weights that `bot learn` writes."""
    return languages_directory() / "evidence.json"


def read_evidence() -> dict[str, Any]:
    """The learned weights. Raises BadData when they are missing or broken."""
    path = evidence_file()
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise BadData([Problem(str(path), 1, f"cannot be read ({type(error).__name__}); run `make learn`")]) from None


def read_files() -> dict[str, Any]:
    """Every data file of this room by a short name. Raises BadData with all faults."""
    root = languages_directory()
    paths = {
        "script": root / "traditional.yaml",
        "regional": root / "regional.yaml",
        "gate": root / "gate.yaml",
        "acts": root / "acts.yaml",
        "cards": root / "names" / "cards.yaml",
        "models": root / "names" / "models.yaml",
        "values": root / "names" / "values.yaml",
        "shapes": root / "names" / "shapes.yaml",
        "cues": root / "names" / "cues.yaml",
        "things": synonyms_file(),
        **{f"concepts:{path.stem}": path for path in sorted((root / "concepts").glob("*.yaml"))},
    }
    problems: list[Problem] = []
    content = load_yaml_files(paths.values(), problems, salt="understand")
    if problems:
        raise BadData(problems)
    return {name: content[str(path)] for name, path in paths.items()}


def load_understander(catalog: Catalog) -> Understander:
    """Everything read, checked and indexed once. Raises BadData naming every fault."""
    return _load(catalog, read_evidence())


def load_reader(catalog: Catalog) -> Understander:
    """An understander that reads signs and slots but ranks nothing: what weights are learned with."""
    return _load(catalog, BLANK)


def _load(catalog: Catalog, evidence: Mapping[str, Any]) -> Understander:
    files = {**read_files(), "evidence": evidence}
    return build(gazetteer_of(catalog), catalog.provider_aliases(), files, load_languages(), load_intents())


def build(
    names: Gazetteer,
    providers: Mapping[str, str],
    files: Mapping[str, Any],
    languages: tuple[LanguageWords, ...],
    intents: Mapping[str, Intent],
) -> Understander:
    """Put the parts together; nothing is read here."""
    # first, as it takes the most room while it is made
    evidence = Evidence(files["evidence"], list(intents))
    script_data = Script.model_validate(files["script"])
    script = {ord(a): b for a, b in zip(script_data.source, script_data.target, strict=True)}
    derived = Derived(
        _derived_from(), repr((names, sorted(providers.items()))), Normaliser(script, regional=files["regional"])
    )
    even = derived.even
    cards = CardGrammar(names, files["cards"], even, derived.cut)
    surfaces = derived.get("lexicon", lambda: _surfaces(files, even))
    lexicon = Lexicon(surfaces)
    words = tuple(word_surfaces(files["values"], files["cards"]["families"], even))
    platforms = tuple(platform_surfaces(files["values"], providers, even))
    finder = Finder(partial(lexicon_surfaces, surfaces), lambda: words, lambda: platforms)
    everyday = frozenset(word for one in languages for word in one.plain_words)
    everyday |= frozenset(
        word for one in languages for unit in one.units.values() for text in unit for word in text.split()
    )
    named = _latin_words(names, files, providers)
    right = frozenset(word for one in languages for word in one.right_words)
    short_forms = {short: meant for one in languages for short, meant in one.short_forms.items()}
    speller = Speller(
        lexicon.words | frozenset(files["models"]["mend_towards"]),
        lexicon.words | everyday | named,
        lexicon.stems,
        right=right - lexicon.words,
        short_forms=short_forms,
    )
    slots = SlotReader(
        cards,
        ModelGrammar(names, files["models"], derived, lambda word: word in right or speller.knows(word)),
        QuantityGrammar(languages, even),
        WordGrammar(files["values"]),
        ShapeGrammar(files["shapes"], even),
        JobReader(files["shapes"]),
        Cues(files["cues"], even),
        languages,
        even,
    )
    parts = Parts(
        Normaliser(script, cards.keys, files["regional"]),
        speller,
        finder,
        lexicon,
        slots,
        DomainGate(files["gate"], surfaces["domain"], speller),
        ActReader(languages, files["acts"], even),
        evidence,
        frozenset(model.name for model in names.models if not model.parameters),
    )
    understander = Understander(parts)
    derived.keep()
    return understander


def _surfaces(files: Mapping[str, Any], even: Callable[[str], str]) -> dict[str, Any]:
    """Surfaces of all concepts, and the concepts that are signs of the subject, JSON-able."""
    concepts = concept_surfaces(files["things"], even)
    domain = list(concepts)
    implied: dict[str, tuple[str, ...]] = {}
    for name in sorted(files):
        if not name.startswith("concepts:"):
            continue
        for concept, words in files[name].items():
            concepts[concept] = (*concepts.get(concept, ()), *concept_surfaces({concept: words}, even)[concept])
            if words.get("domain"):
                domain.append(concept)
            if words.get("implies"):
                implied[concept] = tuple(words["implies"])
    pairs = [even(word) for word in files["gate"]["swapped_pairs"]]
    return {**surface_table(concepts, implied, pairs), "domain": domain}


def _latin_words(names: Gazetteer, files: Mapping[str, Any], providers: Mapping[str, str]) -> frozenset[str]:
    """Every Latin word of a name or a value: right as it stands, never mended."""
    texts = [spelling for card in names.cards for spelling in (card.name, *card.aliases)]
    texts += [spelling for model in names.models for spelling in (model.name, *model.aliases)]
    texts += [*providers, *map(str, files["cards"]["other"])]
    texts += [*map(str, files["models"]["variants"]), *map(str, files["models"]["unread"])]
    for table in (files["models"]["families"], files["models"]["other"], files["cards"]["families"]):
        texts += [str(word) for words in table.values() for word in words]
    texts += [str(word) for rows in files["values"].values() for words in rows.values() for word in words]
    texts += [str(word) for words in files["cards"]["brands"].values() for word in words]
    return frozenset(word for text in texts for word in re.findall(r"[a-z]{3,}", text.lower()))


def _derived_from() -> list[Path]:
    """Every file, of data and of code, that what is derived at load depends on."""
    root = languages_directory()
    return sorted(
        [
            *root.rglob("*.yaml"),
            *Path(__file__).parent.rglob("*.py"),
            synonyms_file(),
        ]
    )


def fill(phrase: str) -> str:
    """A phrase with a sample value for each `{slot}`."""
    for slot, sample in SAMPLES.items():
        phrase = phrase.replace("{" + slot + "}", sample)
    return phrase
