"""The card names that can be read: the catalogue's, further real cards, and how their variants are told apart."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bot.understand.gazetteer import CardName, Gazetteer
from bot.understand.slots.names import NameTree, squeeze

MEMORY_UNITS = frozenset({"g", "gb", "gib", "gig", "gigs"})
_CONSUMER = re.compile(r"(?!2050)[1-5]0[5-9]0|16[356]0")  # 2050 alone is rather a year
_SIZED: Final = re.compile(r"\d+GB|\(mod\)")
_NUMBER = re.compile(r"\d{3,4}")


@dataclass(frozen=True, slots=True)
class Variant:
    """One card of several that share a base name; memory in GiB."""

    name: str
    memory: float | None
    form: str


@dataclass(frozen=True, slots=True)
class Entry:
    """What a walk through the tree ends in: a fixed name, or a base whose variants are told apart by memory."""

    base: str
    fixed: str = ""
    needs_brand: bool = False
    known: bool = True


class CardNames:
    """All card names of the catalogue and further real cards, as a tree of tokens."""

    def __init__(self, names: Gazetteer, grammar: Mapping[str, Any], cut: Callable[[str], list[str]]) -> None:
        """`grammar` is `languages/names/cards.yaml`; `cut` parts a name into words."""
        self._words = cut
        self.forms: dict[str, str] = grammar["forms"]
        self.brands = frozenset(grammar["brands"]["latin"])
        self._generic = {squeeze(name): name for name in grammar["generic"]}
        self._generic_names = tuple(self._generic.values())
        self._generic_sizes = {squeeze(n): frozenset(map(float, s)) for n, s in grammar["generic_sizes"].items()}
        self._defaults = {squeeze(key): name for key, name in grammar["defaults"].items()}
        self._brandless = frozenset(squeeze(key) for key in grammar["brandless"])
        self.tree = NameTree()
        self._variants: dict[str, list[Variant]] = {}
        self.laptops: dict[str, str] = {}
        self._memory: dict[str, float | None] = {card.name: card.vram_gib for card in names.cards}
        self._numbered: dict[int, list[tuple[str, str]]] = {}
        for card in names.cards:
            if digits := _NUMBER.search(card.name):
                self._numbered.setdefault(len(digits[0]), []).append((digits[0], card.name))
        for card in names.cards:
            self._add_card(card)
        for card in names.cards:
            self._add_aliases(card)
        for name, spellings in grammar["extra"].items():
            for spelling in spellings:
                self.tree.add(self._words(spelling), Entry(squeeze(spelling), name, self._is_bare(spelling)))
        for name, spellings in grammar["brand_only"].items():
            for spelling in spellings:
                self.tree.add(self._words(spelling), Entry(squeeze(spelling), name, True), keep=True)
        for name in grammar["other"]:
            if name not in self._memory:
                self._add_other(name)
        self._foreign = tuple(prefix for prefixes in grammar["vendors"].values() for prefix in prefixes)
        self._mining = tuple(grammar["mining_cards"])
        old = tuple(grammar["old_server"])
        self._old_server = {
            card.name for card in names.cards if card.family.startswith("Tesla") and card.architecture.startswith(old)
        } | {"P100", "K20", "K40"}
        self._vendor = {card.name: card.vendor for card in names.cards}
        self._family = {card.name: card.family for card in names.cards}
        self._kind_words = {
            card.name: frozenset(self._words(f"{card.vendor} {card.family} {card.architecture}"))
            for card in names.cards
        }
        self._of_maker = {
            (maker, squeeze(spelling)): Entry(squeeze(spelling), name)
            for maker, names_of in grammar["of_maker"].items()
            for spelling, name in names_of.items()
        }
        self._maker_of_other = {prefix: maker for maker, words in grammar["vendors"].items() for prefix in words}
        self._sizes = {
            base: sizes
            for base, variants in self._variants.items()
            if len(sizes := frozenset(v.memory for v in variants if v.memory)) > 1
        }
        self._names_of = {base: tuple(v.name for v in variants) for base, variants in self._variants.items()}
        self._modified = {
            base: modified
            for base, named in self._names_of.items()
            if (modified := next((name for name in named if "(mod)" in name), ""))
        }

    def _base(self, name: str) -> tuple[list[str], float | None, str]:
        """Words of a name without brand, memory, form factor and remarks in parentheses."""
        plain = re.sub(r"\(.*?\)", " ", name) if not name.upper().startswith("TITAN X") else name
        words = self._words(plain)
        memory: float | None = None
        form = ""
        kept: list[str] = []
        index = 0
        while index < len(words):
            word = words[index]
            following = words[index + 1] if index + 1 < len(words) else ""
            joined = word + following if following else "-"
            inside_name = bool(kept) and len(kept[-1]) == 1 and len(word) < 3 and following == "g"
            if word.replace(".", "").isdigit() and following in MEMORY_UNITS and not inside_name:
                memory = float(word)
                index += 2
                continue
            if joined in self.forms or word in self.forms:
                form = self.forms.get(joined) or self.forms[word]
                index += 2 if joined in self.forms else 1
                continue
            if word in self.brands and not kept and len(words) > index + 1 and word != "pro":
                index += 1
                continue
            kept.append(word)
            index += 1
        return kept, memory, form

    def _is_bare(self, name: str) -> bool:
        """A plain number that means a card only with a brand before it or as a well-known series."""
        words = self._words(name)
        return len(words) == 1 and words[0].isdigit() and not _CONSUMER.fullmatch(words[0])

    def _add_card(self, card: CardName) -> None:
        words, memory, form = self._base(card.name)
        if words and words[-1] == "laptop":
            self._add_laptop(words[:-1], card.name)
            return
        base = squeeze("".join(words))
        stated = memory if memory is not None else card.vram_gib
        self._variants.setdefault(base, []).append(Variant(card.name, stated, form))
        needs_brand = (
            words[0].isdigit() and (len(words) == 1 or len(words[0]) < 4) and not _CONSUMER.fullmatch(words[0])
        )
        self.tree.add(words, Entry(base, needs_brand=needs_brand and base not in self._brandless))
        if "(" in card.name and "(mod)" not in card.name:
            self.tree.add(self._words(card.name), Entry(base, card.name), keep=True)

    def _add_laptop(self, words: list[str], name: str) -> None:
        """A card of portable computers; where no other card has that number, the number alone means it."""
        base = squeeze("".join(words))
        self.laptops.setdefault(base, name)
        if base not in self._variants:
            bare = words[0].isdigit() and not _CONSUMER.fullmatch(words[0])
            self.tree.add(words, Entry(base, name, bare), keep=True)

    def _add_aliases(self, card: CardName) -> None:
        for alias in card.aliases:
            words, _, _ = self._base(alias)
            base = squeeze("".join(words))
            if not words or base in self._variants or words[-1] == "laptop":
                continue
            self.tree.add(self._words(alias), self._alias_entry(card, alias, base), keep=True)

    def _alias_entry(self, card: CardName, alias: str, base: str) -> Entry:
        """What an alias stands for: its base where it says no memory, so that one said beside it counts."""
        words, memory, form = self._base(card.name)
        own = squeeze("".join(words))
        variants = self._variants.get(own, [])
        open_name = self._base(alias)[1:] == (memory, form) == (None, "") and len(variants) > 1
        if open_name and _plainest(variants) == card.name:
            return Entry(own, needs_brand=self._is_bare(alias))
        return Entry(base, card.name, self._is_bare(alias))

    def _add_other(self, name: str) -> None:
        words, memory, _ = self._base(name)
        base = squeeze("".join(words))
        if words[-1] == "laptop":
            self._add_laptop(words[:-1], name)
            return
        if base in self._variants:
            branded = self._words(name)
            if branded[0] in self.brands:  # a GTX 580 beside the RX 580: with its own brand it is no other's
                self.tree.add(branded, Entry(squeeze(name), name), keep=True)
            return
        self._variants[base] = [Variant(name, memory, "")]
        bare = words[0].isdigit() and base not in self._brandless
        self.tree.add(words, Entry(base, needs_brand=bare, known=False), keep=True)

    def keys(self) -> frozenset[str]:
        """Joined spellings that look-alike letters may hide ("3090ti", "rtx3090", "a100")."""
        keys = set(self._variants)
        return frozenset(
            form for key in keys if len(key) >= 3 for form in (key, f"rtx{key}", f"gtx{key}")
            if key.isalnum() and any(c.isdigit() for c in key)
        )  # fmt: skip

    # --- look-up ---

    def is_known(self, name: str, entry: Entry) -> bool:
        """Whether the catalogue holds a card, or several, of this name."""
        return (
            name in self._memory
            or (entry.known and entry.base in self._generic)
            or name.startswith(self._generic_names)
        )

    def variants(self, entry: Entry, memory: float | None, form: str) -> tuple[str, ...]:
        """The names that a card may have whose memory and form were not said; nothing where it can be only one."""
        if entry.fixed or memory is not None or form:
            return ()
        names = self._names_of.get(entry.base, ())
        return names if len(names) > 1 else ()

    def sizes(self, entry: Entry) -> frozenset[float]:
        """Memory sizes in GiB by which cards of one base are told apart; none where there is only one."""
        return self._sizes.get(entry.base, frozenset())

    def all_sizes(self, entry: Entry) -> frozenset[float]:
        """Every memory size in GiB that a card of this base has, its laptop version's too."""
        names = (
            (entry.fixed,) if entry.fixed else (*self._names_of.get(entry.base, ()), self.laptops.get(entry.base, ""))
        )
        held = {size for name in names if (size := self._memory.get(name))}
        return frozenset(held) | self._generic_sizes.get(entry.base, frozenset())

    def family(self, entry: Entry) -> str:
        """The family of the cards of this base, "" when no record has it."""
        return self._family.get(self._one_of(entry), "")

    def says(self, entry: Entry, word: str) -> bool:
        """Whether a word only repeats what the card is: its maker, family or architecture ("5090 Blackwell")."""
        return word in self._kind_words.get(self._one_of(entry), frozenset())

    def of_maker(self, maker: str, base: str) -> Entry | None:
        """The cards of a maker that go by the number of another maker's card ("Ascend 950" beside the GTX 950)."""
        return self._of_maker.get((maker, base))

    def maker(self, entry: Entry) -> str:
        """Who makes the cards of this base, "" when that is not known."""
        name = self._one_of(entry)
        return self._vendor.get(name) or next((m for p, m in self._maker_of_other.items() if name.startswith(p)), "")

    def _one_of(self, entry: Entry) -> str:
        return entry.fixed or next(iter(self._names_of.get(entry.base, ())), "")

    def plain_name(self, base: str) -> str:
        """The name of a base of which nothing else was said, else ""."""
        variants = self._variants.get(base)
        return (self._generic.get(base) or self._defaults.get(base) or _plainest(variants)) if variants else ""

    def modified(self, entry: Entry) -> str:
        """The modified card of this base, else ""."""
        return self._modified.get(entry.base, "")

    def choose(self, entry: Entry, memory: float | None, form: str, laptop: bool) -> tuple[str, bool]:
        """Canonical name for what was said, and whether the memory went into it."""
        if entry.fixed:
            return entry.fixed, memory is not None and f"{memory:g}" in entry.fixed
        if laptop and entry.base in self.laptops:
            return self.laptops[entry.base], False
        variants = self._variants[entry.base]
        if memory is None and not form:
            return self.plain_name(entry.base), False
        several = len({variant.memory for variant in variants}) > 1
        fitting = [v for v in variants if memory is None or v.memory == memory]
        fitting = [v for v in fitting if not form or v.form == form] or fitting
        if entry.base in self._generic:
            return self._choose_generic(entry.base, memory, form, fitting)
        if memory is not None and fitting and several:
            return fitting[0].name, f"{memory:g}" in fitting[0].name
        if form and fitting:
            return fitting[0].name, False
        return self._defaults.get(entry.base) or _plainest(variants), False

    def _choose_generic(self, base: str, memory: float | None, form: str, fitting: list[Variant]) -> tuple[str, bool]:
        generic = self._generic[base]
        sized = memory is not None and memory in self._generic_sizes.get(base, ())
        if form and fitting and (sized or memory is None):
            of_form = sorted((v for v in fitting if v.form == form), key=lambda v: (v.memory or 0, v.name))
            if of_form:
                return of_form[0].name, sized
        if sized:
            return f"{generic} {memory:g}GB", True
        if memory is not None and len(fitting) == 1 and len(self._variants[base]) > 1:
            return fitting[0].name, True
        return generic, False

    def traits(self, name: str) -> tuple[str, ...]:
        """What rules may ask of a card: another maker than NVIDIA, an old data-centre card."""
        found = []
        vendor = self._vendor.get(name)
        if (vendor is not None and vendor != "NVIDIA") or (vendor is None and name.startswith(self._foreign)):
            found.append("trait:other_vendor")
        if name.startswith(self._mining):
            found.append("second_hand")
        if "(mod)" in name:
            found.append("trait:modified_card")
        if name in self._old_server:
            found.append("trait:old_server_card")
        return tuple(found)

    def nearest(self, number: str, maker: str = "") -> tuple[str, ...]:
        """Catalogue names whose number shares most digits, of one maker, for an offer of what may have been meant."""
        scored = []
        for digits, name in self._numbered.get(len(number), ()):
            if maker in ("", self._vendor[name]):
                same = sum(map(operator.eq, digits, number))
                if same >= len(number) - 1:
                    scored.append((-same, name))
        scored.sort()
        return tuple(name for _, name in scored if self._vendor[name] == self._vendor[scored[0][1]])[:3]


def _plainest(variants: list[Variant]) -> str:
    """The card whose name says no memory, else the first: what is meant where no memory was said."""
    return next((one.name for one in variants if not _SIZED.search(one.name)), variants[0].name)
