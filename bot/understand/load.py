"""Builds an `Understander` from the catalogue and the data files of this room."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

import knowledge
from advisor.errors import BadData, Problem
from bot.core.intents import Intent, load_intents
from bot.core.languages import LanguageWords, Script, load_languages
from bot.lexicons import load_lexicons, sense_files
from bot.resources import languages_directory, lexicon_directory
from bot.understand.act import ActReader
from bot.understand.derived import Derived
from bot.understand.evidence import BLANK, Evidence
from bot.understand.files import Cue, Files, Models, Table, Weights
from bot.understand.finder import MessageFinder, shelved
from bot.understand.gate import DomainGate
from bot.understand.gazetteer import Gazetteer, gazetteer_of
from bot.understand.lexicon import (
    Lexicon,
    LexiconBook,
    SurfaceTable,
    concept_surfaces,
    surface_table,
    surfaces_of,
)
from bot.understand.name_spelling import NameSpelling
from bot.understand.normalise import Normaliser
from bot.understand.recognise import Parts, Understander
from bot.understand.slots.context import Cues
from bot.understand.slots.gpu import CardGrammar
from bot.understand.slots.jobs import JobReader
from bot.understand.slots.ml_model import ModelGrammar
from bot.understand.slots.numbers import QuantityGrammar
from bot.understand.slots.reader import SlotReader
from bot.understand.slots.shapes import ShapeGrammar
from bot.understand.slots.strangers import NamesUnlisted
from bot.understand.slots.words import WordGrammar, platform_surfaces, word_surfaces
from bot.understand.spelling import Speller

if TYPE_CHECKING:
    from advisor.catalog import Catalog

_VERSIONED: Final = re.compile(r"([A-Za-z]{2,})[-_ ]?(\d\.\d)(?![\d.]|[bB](?![a-zA-Z]))")
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


def read_evidence() -> Weights:
    """The learned weights. Raises BadData when they are missing or broken."""
    path = evidence_file()
    try:
        return cast("Weights", json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise BadData([Problem(str(path), 1, f"cannot be read ({type(error).__name__}); run `make learn`")]) from None


def concept_files() -> dict[str, Path]:
    """The files of concepts of this room by their name."""
    return {path.stem: path for path in sorted((languages_directory() / "concepts").glob("*.yaml"))}


def read_files() -> Files:
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
        "programs": lexicon_directory() / "signs" / "programs.yaml",
        "things": synonyms_file(),
    }
    concepts = concept_files()
    problems: list[Problem] = []
    content = load_lexicons([*paths.values(), *concepts.values()], problems, salt="understand")
    if problems:
        raise BadData(problems)
    files: dict[str, object] = {name: content[str(path)] for name, path in paths.items()}
    files["concepts"] = {name: content[str(path)] for name, path in concepts.items()}
    return cast("Files", files)  # the shape of YAML is known by what reads it, and every start reads all of it


def load_understander(catalog: Catalog) -> Understander:
    """Everything read, checked and indexed once. Raises BadData naming every fault."""
    return _load(catalog, read_evidence())


def load_reader(catalog: Catalog) -> Understander:
    """An understander that reads signs and slots but ranks nothing: what weights are learned with."""
    understander = _load(catalog, BLANK)
    understander.prepare()
    return understander


def _load(catalog: Catalog, weights: Weights) -> Understander:
    names, providers = gazetteer_of(catalog), catalog.provider_aliases()
    return build(names, providers, read_files(), weights, load_languages(), load_intents())


def build(
    names: Gazetteer,
    providers: Mapping[str, str],
    files: Files,
    weights: Weights,
    languages: tuple[LanguageWords, ...],
    intents: Mapping[str, Intent],
) -> Understander:
    """Put the parts together; nothing is read here."""
    # first, as it takes the most room while it is made
    evidence = Evidence(weights, list(intents))
    script_data = Script.model_validate(files["script"])
    script = {ord(a): b for a, b in zip(script_data.source, script_data.target, strict=True)}
    derived = Derived(
        _derived_from(), repr((names, sorted(providers.items()))), Normaliser(script, regional=files["regional"])
    )
    even = derived.even
    files["cards"]["counted"] = files["models"]["counted"]
    cards = CardGrammar(names, files["cards"], even, derived.cut)
    surfaces = derived.get("lexicon", lambda: _surfaces(files, even))
    lexicon = Lexicon(surfaces)
    finder = MessageFinder(
        LexiconBook(surfaces),
        shelved(word_surfaces(files["values"], files["cards"]["families"], even)),
        shelved(platform_surfaces(files["values"], providers, even)),
    )
    right = frozenset(word for one in languages for word in one.right_words)
    named = frozenset(derived.get("latin", lambda: sorted(_latin_words(names, files, providers))))
    insults = frozenset(" ".join(files["concepts"]["elsewhere"]["insult"]["en"]).split())
    speller = _speller(lexicon, languages, right, named, files["models"], insults)

    def is_word(word: str) -> bool:
        """Whether a word is known as one of another kind."""
        return word in right or speller.knows(word)

    models = ModelGrammar(names, files["models"], derived, is_word)
    programs = tuple(
        word.rstrip("*") for table in files["programs"].values() for words in table.values() for word in words
    )

    def is_other(word: str) -> bool:
        """Whether a word that begins no model's name is known, as one of another kind or as a program's."""
        return not models.opens(word) and (is_word(word) or word.startswith(programs))

    of_cards, of_models = files["cards"]["strangers"], files["models"]["strangers"]
    slots = SlotReader(
        cards,
        models,
        NamesUnlisted(names.cards, of_cards, of_models, even, is_other, cards.nearest),
        QuantityGrammar(languages, even),
        WordGrammar(files["values"], cast("Mapping[str, Table]", files["values"]["purpose"])),
        ShapeGrammar(files["shapes"], even),
        JobReader(files["shapes"]),
        Cues(files["cues"], even),
        languages,
        even,
    )
    parts = Parts(
        Normaliser(script, cards.keys, files["regional"]),
        NameSpelling(
            cards.keys,
            files["cards"],
            files["models"]["spelling"],
            _versions(names, files["models"]["families"]),
            names.machines,
        ),
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


def _speller(
    lexicon: Lexicon,
    languages: Iterable[LanguageWords],
    right: frozenset[str],
    named: frozenset[str],
    models: Models,
    insults: frozenset[str],
) -> Speller:
    """Mends towards the words of the lexicon, never towards an insult; words of everyday life, of units and of names
    are right as they stand."""
    everyday: set[str] = set()
    short_forms: dict[str, str] = {}
    for one in languages:
        everyday.update(one.plain_words)
        everyday.update(" ".join((*one.exclusions.before, *one.exclusions.behind)).split())
        everyday.update(" ".join(spelling for spellings in one.units.values() for spelling in spellings).split())
        short_forms.update(one.short_forms)
    return Speller(
        (lexicon.words | frozenset(models["mend_towards"])) - insults,
        lexicon.words | everyday | named,
        lexicon.stems,
        right=right - lexicon.words,
        short_forms=short_forms,
    )


class _Surfaces(SurfaceTable):
    """Surfaces of all concepts, and the concepts that are signs of the subject, JSON-able."""

    domain: list[str]


def _surfaces(files: Files, even: Callable[[str], str]) -> _Surfaces:
    concepts = concept_surfaces(files["things"], even)
    domain = list(concepts)
    borne = {name: surfaces_of({"zh": words.get("borne", ())}, even) for name, words in files["things"].items()}
    implied: dict[str, tuple[str, ...]] = {}
    for name in sorted(files["concepts"]):
        for concept, words in files["concepts"][name].items():
            phrases = surfaces_of(words, even)
            concepts[concept] = (*concepts.get(concept, ()), *phrases)
            for work, marks in borne.items():
                concepts[work] = (*concepts[work], *(one for one in phrases if any(mark in one for mark in marks)))
            if words.get("domain"):
                domain.append(concept)
            if words.get("implies"):
                implied[concept] = tuple(words["implies"])
    pairs = [even(word) for word in files["gate"]["swapped_pairs"]]
    return {**surface_table(concepts, implied, pairs, files["gate"]["denying_han"]), "domain": domain}


def _versions(names: Gazetteer, families: Iterable[str]) -> frozenset[str]:
    """Families with the version that records of theirs have, in one word: "qwen3.6"."""
    said, own = (_VERSIONED.match(model.name) for model in names.models), frozenset(families)
    return frozenset(f"{one[1]}{one[2]}".lower() for one in said if one and one[1].lower() in own)


def _latin_words(names: Gazetteer, files: Files, providers: Mapping[str, str]) -> frozenset[str]:
    """Every Latin word of a name or a value: right as it stands, never mended."""
    cards, models = files["cards"], files["models"]
    tables = (models["families"], models["other"], cards["families"], cards["brands"], *files["values"].values())
    texts = itertools.chain(
        *((card.name, *card.aliases) for card in names.cards),
        *((model.name, *model.aliases) for model in names.models),
        providers,
        map(str, cards["other"]),
        map(str, models["variants"]),
        map(str, models["unread"]),
        map(str, cards["unread"]["apart"]),
        (str(word) for table in tables for words in table.values() for word in words),
        _cue_words(files["cues"]),
    )
    return frozenset(word for text in texts for word in re.findall(r"[a-z]{3,}", text.lower()))


def _cue_words(cues: Mapping[str, Cue]) -> Iterator[str]:
    """Every word beside a number that says what it is."""
    for listed in cues.values():
        for words in listed.values() if isinstance(listed, Mapping) else (listed,):
            yield from map(str, words)


def _derived_from() -> list[Path]:
    """Every file, of data and of code, that what is derived at load depends on."""
    root = languages_directory()
    return sorted(
        [
            *root.rglob("*.yaml"),
            *sense_files(),
            *Path(__file__).parent.rglob("*.py"),
            synonyms_file(),
        ]
    )


def fill(phrase: str) -> str:
    """A phrase with a sample value for each `{slot}`."""
    for slot, sample in SAMPLES.items():
        phrase = phrase.replace("{" + slot + "}", sample)
    return phrase
