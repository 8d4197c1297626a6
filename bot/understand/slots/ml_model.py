"""Reads model names: by alias, by family with version and size ("qwen2.5-14b"), or by size alone ("a 7B model")."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final, TypedDict

from bot.core.numbers import figure
from bot.understand.derived import Derived
from bot.understand.files import Models
from bot.understand.gazetteer import Gazetteer, ModelName
from bot.understand.slots.found import Reading, Value, as_typed
from bot.understand.slots.model_family import (
    SIZED,
    FamilyName,
    FamilyNames,
    active_at,
    billions_at,
    counts_data,
    hyphened,
    inside_word,
    is_size,
    is_told_apart,
    plain,
    tied,
    ties,
)
from bot.understand.slots.model_rest import ModelRest
from bot.understand.slots.model_spellings import others, spellings
from bot.understand.slots.names import NameTree, Walk, squeeze
from bot.understand.tokens import Token, tokenise

_SMALLEST: Final = 0.05
_LARGEST: Final = 3000.0
_YEARS: Final = range(1990, 2100)
"""The b of "2021b" counts releases, not parameters."""
_SHORT: Final = 2
_LEAST_NAME: Final = 4
_PARTICIPLES: Final = ("ed", "ing", "ly")
_ENDS_SIZED: Final = re.compile(r"\db$")


class _Names(TypedDict):
    """What is worked out of all names once, JSON-able."""

    signatures: dict[str, str]
    """Record by the parts of its names."""
    defaults: dict[str, str]
    """Record that a family alone means."""
    spellings: list[tuple[str, str, bool]]
    """Spelling, name, and whether a name that has the spelling already keeps it."""


class ModelGrammar:
    """Aliases of the catalogue, families with version and size, and sizes alone."""

    def __init__(
        self,
        names: Gazetteer,
        grammar: Models,
        derived: Derived,
        is_word: Callable[[str], bool],
    ) -> None:
        """`grammar` is `languages/names/models.yaml`; `derived` keeps what it makes; `is_word`: no unknown name."""
        even = derived.even
        self._even, self._is_word = even, is_word
        self._plain_before = frozenset(grammar["plain_before_size"])
        self._behind_millions = re.compile(grammar["sized_in_millions"])
        self._joining = frozenset(map(even, grammar["joining"]))
        self._plain_tied = frozenset(grammar["plain_tied"])
        self._needs_more, self._plain = map(frozenset, (grammar["needs_more"], grammar["never_apart"]))
        self._words_before, self._of_card = map(frozenset, (grammar["words_before"], grammar["no_model_behind_card"]))
        self._same_as: dict[str, str] = dict(grammar["same_as"])
        self._other_before = {word: frozenset(nouns) for word, nouns in grammar["no_model_before"].items()}
        self._families = FamilyNames(grammar, derived.cut)
        self._rest = ModelRest(grammar, self._families, is_word, names.models)
        self._active = tuple(map(even, grammar["active"]))
        self._names: NameTree[str] = NameTree()
        self._known = {model.name for model in names.models}
        table = derived.get("model_names", lambda: self._table(names, grammar))
        self._by_signature = table["signatures"]
        self._default_of = table["defaults"]
        for spelling, name, stays in table["spellings"]:
            self._names.add(derived.cut(spelling), name, keep=stays)
        self._programs: NameTree[str] = NameTree()
        for spelling in grammar["programs"]:
            self._programs.add(derived.cut(spelling), spelling, keep=True)
        self._opening = self._names.first_words() | self._families.first_words()
        self.opens = self._opening.__contains__

    def _table(self, names: Gazetteer, grammar: Models) -> _Names:
        """Names by their parts, families that mean one record, and every spelling with its name."""
        spelt = spellings(names.models)
        families = {spelling for spelling, _ in spelt if self._is_only_family(spelling)}
        ignored = set(map(self._even, grammar["not_alias"]))
        listed = [(s, name, True) for s, name in spelt if self._even(s) not in ignored and s not in families]
        return {
            "signatures": self._signatures(spelt),
            "defaults": self._defaults(names.models, families),
            "spellings": [*listed, *others(names.models, grammar)],
        }

    def _defaults(self, models: Iterable[ModelName], families: set[str]) -> dict[str, str]:
        """The record of each alias that says no more than a family."""
        return {self._even(alias): model.name for model in models for alias in model.aliases if alias in families}

    def _signatures(self, spelt: list[tuple[str, str]]) -> dict[str, str]:
        """Record by the parts of its names. A variant or version of one size only goes without it ("SmolLM3")."""
        found: dict[str, str] = {}
        series: dict[str, set[str]] = {}
        for spelling, name in spelt:
            for signature in self._signatures_of(spelling):
                found.setdefault(signature, name)
                series.setdefault(signature.split(" ")[0], set()).add(name)
        alone = {one: next(iter(models)) for one, models in series.items() if len(models) == 1 and is_told_apart(one)}
        return {**alone, **found}

    def _reading(self, name: str) -> Reading:
        text = self._even(name)
        return Reading(text, text, list(range(len(text))), tokenise(text), "en")

    def _signatures_of(self, name: str) -> tuple[str, ...]:
        """What a spelling says by its parts, with the active size and without; nothing where it says only a family."""
        reading = self._reading(name.split("/")[-1])
        found = self._families.read(reading, 0) if reading.tokens else None
        if found is None or found.end < len(reading.tokens) or found.signature == found.family:
            return ()
        return tuple(dict.fromkeys((found.signature, found.whole)))

    def _is_only_family(self, name: str) -> bool:
        reading = self._reading(name)
        found = self._families.read(reading, 0)
        if found is None or found.size or found.variants or found.end < len(reading.tokens):
            return False
        return not any(token.text in self._families.skip for token in reading.tokens)

    # --- reading ---

    def read(self, reading: Reading) -> None:
        """Add every model of the message to its values and claim their place."""
        if not self._opening.isdisjoint(reading.words):
            self._named(reading)
        if not SIZED.isdisjoint(reading.words):
            self._sizes_alone(reading)
        if len(reading.values) > 1:
            reading.values.sort(key=lambda value: value.start)

    def _named(self, reading: Reading) -> None:
        """Models by name, or by family with what follows it."""
        done = 0
        for index in [index for index, word in enumerate(reading.words) if word in self._opening]:
            if index >= done:
                token = reading.tokens[index]
                if reading.is_free(token.start, token.end):
                    done = self._read_at(reading, index)

    def _read_at(self, reading: Reading, index: int) -> int:
        """Add the model that is named from a token on, and those said by halves behind it; the token to go on with."""
        if inside_word(reading.tokens, index):
            return index + 1
        program = self._programs.walk(reading, index)
        if program is not None:
            return program.end
        published = self._families.maker(reading, index, self._opening) or self._publisher(reading, index)
        return published or self._model_at(reading, index)

    def _model_at(self, reading: Reading, index: int) -> int:
        """The same where no program and no publisher begins."""
        walk = self._names.walk(reading, index)
        family = self._families.read(reading, index)
        sized = self._sized(reading, walk.end, walk.entry) if walk is not None else None
        end = self._by_family(reading, index, family, walk, sized) if family is not None else 0
        if not end and sized is not None:
            end = self._take(reading, index, sized[1], sized[0], "model name and size")
        if not end and walk is not None and self._fits_here(reading, walk.start, walk.end):
            end = self._take_whole(reading, index, walk.end, walk.entry, "model name")
        return self._siblings(reading, index, end) if end else index + 1

    def _publisher(self, reading: Reading, index: int) -> int:
        """The token behind who publishes the model that is named there: "Qwen/Qwen3-32B", "Qwen_Qwen3"; else 0."""
        at = index + 1
        while ties(reading.tokens, at):
            at += 1
        sign = "".join(reading.words[at : at + 1])
        if sign not in ("/", "_") or at + 1 >= len(reading.words):
            return 0
        opens = at > index + 1 and reading.words[at + 1] in self._opening
        is_path = sign == "/" and (opens or self._is_path(reading.tokens, at))
        return at + 1 if is_path or self._is_alike(reading, index, at + 1) else 0

    def _is_alike(self, reading: Reading, index: int, at: int) -> bool:
        """Whether the same family, or the same word, stands at both places."""
        own, behind = self._families.read(reading, index), self._families.read(reading, at)
        alike = own is not None and behind is not None and own.family == behind.family
        return alike or reading.words[index] == reading.words[at]

    def _is_path(self, tokens: list[Token], stroke: int) -> bool:
        """Whether the rest of a repository's path stands behind a stroke: a word of no family with more tied to it."""
        at = stroke + 1
        tied_on = tokens[at].kind == "w" and tokens[at].glued and tokens[stroke].glued and ties(tokens, at + 1)
        return tied_on and tokens[at].text not in self._opening and not self._is_word(tokens[at].text)

    def _by_family(
        self, reading: Reading, index: int, family: FamilyName, walk: Walk[str] | None, sized: tuple[str, int] | None
    ) -> int:
        """Add the model that a family means with what follows it; 0 where a listed name says as much."""
        name = self._resolve(family) if walk is None or family.end > walk.end else ""
        if not name or (self._may_yield(name, walk) and self._holds(reading, family, walk, sized)):
            return 0
        if name not in self._known and family.variants and not family.size:
            name = as_typed(reading, index, family.end)
        rule = "model family, version and size" if family.size else "model family"
        return self._take_whole(reading, index, family.end, name, rule)

    def _may_yield(self, name: str, walk: Walk[str] | None) -> bool:
        """Whether what a family resolves to may give way to a listed name: it is no record, or both are."""
        return name not in self._known or (walk is not None and walk.entry in self._known)

    def _holds(
        self, reading: Reading, family: FamilyName, walk: Walk[str] | None, sized: tuple[str, int] | None
    ) -> bool:
        """Whether a listed name says as much as a family whose parts make no record: only words behind it are left."""
        if sized is not None and family.end <= sized[1]:
            return True
        if walk is None:
            return False
        unread, last = self._rest.behind(reading, walk.end, walk.entry)
        return not unread and last >= family.end

    def _take_whole(self, reading: Reading, index: int, end: int, name: str, rule: str) -> int:
        """Add a model whose name ends here, or one that is not known where a part of its name stayed unread."""
        unread, last = self._rest.behind(reading, end, name)
        first = self._first_word(reading.tokens, index)
        if not unread and first == index:
            return self._take(reading, index, max(end, last), name, rule)
        index, last = first, max(end, last)
        end = self._take(reading, index, last, as_typed(reading, index, last), "model name, not all read")
        reading.values[-1].candidates = (name,)
        return end

    def _first_word(self, tokens: list[Token], index: int) -> int:
        """The token that a name begins with, words joined to it that make it another model's ("distil-whisper")."""
        while tied(tokens, index) and self._is_before(tokens, index - 2):
            index -= 2
            index -= tokens[index].kind == "n"
        return index

    def _is_before(self, tokens: list[Token], at: int) -> bool:
        """Whether one of those words ends at a token."""
        word = tokens[at].text
        if tokens[at].kind == "n" and at and tokens[at].glued:
            word = tokens[at - 1].text + word
        unknown = len(word) >= _LEAST_NAME and word.isalpha() and not self._is_word(word)
        return word in self._words_before or (unknown and word not in self._plain_tied)

    def _sized(self, reading: Reading, end: int, name: str) -> tuple[str, int] | None:
        """The plain id of a name that the catalogue does not hold with the size behind it ("mistral small 24b")."""
        tokens = reading.tokens
        at = end + 1 if end < len(tokens) and tokens[end].text in {"-", "_", ":"} else end
        if name in self._known or at >= len(tokens) or tokens[at].kind != "n":
            return None
        if not is_size(tokens, at) or counts_data(tokens, at + 2) or _ENDS_SIZED.search(name):
            return None
        active, end = active_at(tokens, at + 2)
        return f"{name}-{plain(tokens[at].text)}b" + (f"-a{active}b" if active else ""), end

    def _siblings(self, reading: Reading, first: int, end: int) -> int:
        """Names said by halves ("whisper medium or large-v3", "qwen2.5 7b or 14b"); gives the token behind."""
        words, rule = reading.words, "model name, first half said before"
        while end + 1 < len(words) and words[end] in self._joining:
            if not reading.is_free(reading.tokens[end + 1].start, reading.tokens[end + 1].end):
                break
            if is_size(reading.tokens, end + 1):
                name = self._of_size(str(reading.values[-1].value), words[end + 1])
                if not name:
                    break
                end = self._take(reading, end + 1, end + 3, name, rule)
                continue
            walk = self._names.walk(reading, end + 1, behind=words[first])
            if walk is None:
                break
            end = self._take(reading, end + 1, walk.end, walk.entry, rule)
        return end

    def _of_size(self, name: str, size: str) -> str:
        """The known model of the same series with another size, else ""."""
        signature = next(iter(self._signatures_of(name)), "")
        series, _, known = signature.rpartition(" ")
        found = self._by_signature.get(f"{series} {plain(size)}", "") if series and known else ""
        return found if found in self._known else ""

    def _fits_here(self, reading: Reading, start: int, end: int) -> bool:
        """Keeps "sd card", "step 3", a full card and the letter pairs of longer words from being models."""
        tokens = reading.tokens
        if end - start == 1 and end < len(tokens):
            return tokens[end].text not in self._other_before.get(tokens[start].text, ())
        fits = tokens[end - 1].glued or not tokens[end - 1].text.isdigit() or tokens[start].text not in self._plain
        return fits and not reading.stands_behind(self._of_card, tokens[start].start, tokens[end - 1].end)

    def _take(self, reading: Reading, index: int, end: int, name: str, rule: str) -> int:
        start, stop = reading.tokens[index].start, reading.tokens[end - 1].end
        value = Value("model", name, start, stop, rule, known=name in self._known)
        reading.values.append(value)
        reading.claim(value.start, value.end)
        return end

    def _resolve(self, said: FamilyName) -> str:
        """Canonical name, else a plain id; "" when the family alone says too little."""
        for key in (said.whole, said.signature) if not said.active else (said.whole,):
            for table in (self._same_as, self._by_signature):
                if key in table:
                    return table[key]
        if not said.size:
            if said.series in self._needs_more:
                return ""
            return self._default_of.get(said.series, said.series)
        return f"{said.series}-{said.size}b" + (f"-a{said.active}b" if said.active else "")

    def _sizes_alone(self, reading: Reading) -> None:
        """Sizes without a name ("7b", "35b-a3b"), and unknown names before a size ("foobar-13b")."""
        tokens = reading.tokens
        for index in reading.numbers:
            size = self._size_alone(reading, index)
            if not size or (self._is_active(reading, index) and self._join_active(reading, size, index)):
                continue
            head, first = self._head(reading, index)
            active, end = active_at(tokens, index + 2)
            name = f"{head}-{size:g}b" + (f"-a{active}b" if active else "")
            value = Value("model", name, tokens[first].start, tokens[end - 1].end, "model size", known=head == "llm")
            if not value.known:
                value.candidates = self._near(head)
            reading.values.append(value)
            reading.claim(value.start, value.end)

    def _size_alone(self, reading: Reading, index: int) -> float:
        """The size in billions that a number says; 0 where it says none, counts data or is the active part."""
        tokens, token = reading.tokens, reading.tokens[index]
        size = billions_at(tokens, index, reading.text, self._behind_millions)
        free = reading.is_free(token.start, token.end) and not counts_data(tokens, index + 2)
        if not free or not _SMALLEST <= size <= _LARGEST or size in _YEARS:
            return 0.0
        return 0.0 if token.glued and index and tokens[index - 1].text == "a" else size

    def _head(self, reading: Reading, index: int) -> tuple[str, int]:
        """The unknown name that a size is written on to, or "llm", and the token that it begins with."""
        tokens = reading.tokens
        first = index
        while hyphened(tokens, first):
            first -= 2
        if first < index and len(tokens[index - 2].text) > _SHORT:
            return "-".join(one.text for one in tokens[first : index - 1] if one.kind == "w"), first
        unknown = self._unknown_before(reading, index)
        return (unknown, index - 1) if unknown else ("llm", index)

    def _is_active(self, reading: Reading, index: int) -> bool:
        """Whether a word for the active part of a mixture stands right before a size or right behind it."""
        text = reading.text
        start, end = reading.tokens[index].start, reading.tokens[index + 1].end
        return text[:start].rstrip(" :").endswith(self._active) or text[end:].lstrip(" ").startswith(self._active)

    def _join_active(self, reading: Reading, active: float, index: int) -> bool:
        """Make the size read last the total of a mixture with this active part; False where there is none."""
        last = next((one for one in reversed(reading.values) if one.slot == "model"), None)
        total = size_of_name(str(last.value)) if last is not None else None
        if last is None or last.known is False or total is None or total <= active:
            return False
        last.value, last.end = f"{last.value}-a{active:g}b", reading.tokens[index + 1].end
        reading.claim(last.start, last.end)
        return True

    def _unknown_before(self, reading: Reading, index: int) -> str:
        """The word right before a size, if it is nobody's word: then it is a name that no list holds."""
        before = reading.tokens[index - 1] if index else None
        if before is None or before.kind != "w" or reading.tokens[index].glued or len(before.text) < _LEAST_NAME:
            return ""
        word = before.text
        if word.endswith(_PARTICIPLES) or word in self._plain_before or self._is_word(word):
            return ""
        return word if reading.is_free(before.start, before.end) else ""

    def _near(self, word: str) -> tuple[str, ...]:
        """Names of families that begin or end as a word does, for an offer of what may have been meant."""
        return tuple(name for name in self._families.names if name[:3] == word[:3] or name[-4:] == word[-4:])[:3]


def size_of_name(name: str) -> float | None:
    """The size in billions of a name that says nothing else ("llm-35b"), else None."""
    return figure(name[4:-1]) if name.startswith("llm-") and name.endswith("b") else None


__all__ = ["ModelGrammar", "squeeze"]
