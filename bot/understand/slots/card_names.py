"""Which card a name means: its variants, told apart by memory and form factor, and what was left open."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from bot.understand.files import Cards
from bot.understand.gazetteer import Gazetteer
from bot.understand.slots.card_facts import CardFacts
from bot.understand.slots.card_tree import CardTree, Entry, Variant, plainest
from bot.understand.slots.card_words import CardWords
from bot.understand.slots.names import squeeze


class CardNames:
    """All card names of the catalogue and further real cards, ready for look-up."""

    def __init__(self, names: Gazetteer, grammar: Cards, cut: Callable[[str], list[str]]) -> None:
        """`grammar` is `languages/names/cards.yaml`; `cut` parts a name into words."""
        words = CardWords(grammar, cut)
        built = CardTree(names.cards, grammar, words)
        self.facts = CardFacts(names.cards, grammar, cut)
        self.forms, self.brands = words.forms, words.brands
        self.tree, self.laptops, self._laptop_sizes = built.names, built.laptops, built.laptop_sizes
        self._variants = built.variants
        self._generic = {squeeze(name): name for name in grammar["generic"]}
        self._generic_names = tuple(self._generic.values())
        self._generic_sizes = _by_base(grammar["generic_sizes"])
        self._board_sizes = _by_base(grammar["board_sizes"])
        self._laptop_base = {name: base for base, name in self.laptops.items()}
        self._defaults = {squeeze(key): name for key, name in grammar["defaults"].items()}
        self._of_maker = {**self._shared(), **_by_maker(grammar["of_maker"])}
        self._sizes = {base: _told_apart_by(variants) for base, variants in self._variants.items()}
        self._names_of = {base: tuple(v.name for v in variants) for base, variants in self._variants.items()}
        self._modified = {
            base: next((name for name in named if "(mod)" in name), "") for base, named in self._names_of.items()
        }

    def _shared(self) -> dict[tuple[str, str], Entry]:
        """The cards of each maker whose number is another maker's card, too ("RX 590" beside the MLU590)."""
        found: dict[tuple[str, str], Entry] = {}
        for base, variants in self._variants.items():
            makers = {one.name: self.facts.maker(one.name) for one in variants}
            if len(set(makers.values())) > 1:
                for name, maker in makers.items():
                    found.setdefault((maker, base), Entry(base, name))
        return found

    def keys(self) -> frozenset[str]:
        """Joined spellings that look-alike letters may hide ("3090ti", "rtx3090", "a100")."""
        keys = set(self._variants)
        return frozenset(
            form for key in keys if len(key) >= 3 for form in (key, f"rtx{key}", f"gtx{key}")
            if key.isalnum() and any(c.isdigit() for c in key)
        )  # fmt: skip

    # --- what is known of an entry ---

    def is_known(self, name: str, entry: Entry) -> bool:
        """Whether the catalogue holds a card, or several, of this name."""
        return (
            name in self.facts.memory
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

    def all_sizes(self, entry: Entry, *, laptop: bool = False) -> frozenset[float]:
        """Every memory size in GiB of the cards of this base; with `laptop` that of the one for laptops alone."""
        base = self._laptop_base.get(entry.fixed, entry.base)
        portable = self._portables(base) if laptop or base != entry.base else ()
        names = portable or ((entry.fixed,) if entry.fixed else self._names_of.get(base, ()))
        held = {size for name in names if (size := self.facts.memory.get(name))}
        whole = self._generic_sizes.get(entry.base, frozenset()) | self._board_sizes.get(entry.base, frozenset())
        return frozenset(held) | whole

    def family(self, entry: Entry) -> str:
        """The family of the cards of this base, "" when no record has it."""
        return self.facts.family.get(self._one_of(entry), "")

    def is_portable(self, entry: Entry) -> bool:
        """Whether there is a card of this base in portable computers, or the card is in these alone."""
        return entry.base in self.laptops or self._one_of(entry) in self.facts.in_laptops

    def is_only_portable(self, entry: Entry) -> bool:
        """Whether cards of this base are in portable computers alone."""
        return self._one_of(entry) in self.facts.in_laptops

    def says(self, entry: Entry, word: str) -> bool:
        """Whether a word only repeats what the card is: its maker, family or architecture ("5090 Blackwell")."""
        return word in self.facts.kind_words.get(self._one_of(entry), frozenset())

    def of_maker(self, maker: str, base: str) -> Entry | None:
        """The cards of a maker that go by the number of another maker's card ("Ascend 950" beside the GTX 950)."""
        return self._of_maker.get((maker, base))

    def maker(self, entry: Entry) -> str:
        """Who makes the cards of this base, "" when that is not known."""
        return self.facts.maker(self._one_of(entry))

    def _one_of(self, entry: Entry) -> str:
        return entry.fixed or next(iter(self._names_of.get(entry.base, ())), "")

    # --- the card that is meant ---

    def plain_name(self, base: str) -> str:
        """The name of a base of which nothing else was said, else ""."""
        variants = self._variants.get(base)
        return (self._generic.get(base) or self._default(base, variants)) if variants else ""

    def modified(self, entry: Entry) -> str:
        """The modified card of this base, else ""."""
        return self._modified.get(entry.base, "")

    def choose(self, entry: Entry, memory: float | None, form: str, laptop: bool) -> tuple[str, bool]:
        """Canonical name for what was said, and whether the memory went into it."""
        if whole := self._whole(entry, memory, laptop):
            return whole
        if memory is None and not form:
            return self.plain_name(entry.base), False
        variants = self._variants[entry.base]
        fitting = _fitting(variants, memory, form)
        if entry.base in self._generic:
            return self._choose_generic(entry.base, memory, form, fitting)
        several = _differ_in_memory(variants)
        if not fitting or not (form or several):
            return self._default(entry.base, variants), False
        return fitting[0].name, several and _says_memory(fitting[0].name, memory)

    def sized(self, name: str, memory: float) -> str:
        """The name of a card that stands for several, with the memory that tells which one; "" where it tells none."""
        return f"{name} {memory:g}GB" if memory in self._generic_sizes.get(squeeze(name), ()) else ""

    def _whole(self, entry: Entry, memory: float | None, laptop: bool) -> tuple[str, bool] | None:
        """The same where the name settles it: a fixed one, one of portable computers, a board by its whole memory."""
        if entry.fixed:
            named = self._sized(self._laptop_base.get(entry.fixed, ""), memory) or entry.fixed
            return named, _says_memory(named, memory)
        if portable := self._portable(entry.base, memory, laptop):
            return portable, not laptop or _says_memory(portable, memory)
        # the record speaks of one GPU of the board, so what all of them hold is no capacity of it
        return (self.plain_name(entry.base), True) if memory in self._board_sizes.get(entry.base, ()) else None

    def only_in_laptops(self, base: str, memory: float | None) -> bool:
        """Whether of all cards of a number those of portable computers alone have a memory ("3060 6GB")."""
        if memory is None or memory not in {self.facts.memory.get(name) for name in self._portables(base)}:
            return False
        near = (one for other, variants in self._variants.items() if other.startswith(base) for one in variants)
        return all(memory != self.facts.memory.get(one.name) for one in near)

    def _portable(self, base: str, memory: float | None, laptop: bool) -> str:
        """The card of portable computers where it is meant, by a word for them or by its memory; else ""."""
        if not laptop and not self.only_in_laptops(base, memory):
            return ""
        return self._sized(base, memory) or self.laptops.get(base, "")

    def _sized(self, base: str, memory: float | None) -> str:
        """The card of portable computers that says this memory in its name, else ""."""
        return "" if memory is None else self._laptop_sizes.get(base, {}).get(memory, "")

    def _portables(self, base: str) -> tuple[str, ...]:
        """The cards of portable computers of this base."""
        return tuple(filter(None, (self.laptops.get(base, ""), *self._laptop_sizes.get(base, {}).values())))

    def _default(self, base: str, variants: Sequence[Variant]) -> str:
        """The variant that is meant where none was told apart."""
        return self._defaults.get(base) or plainest(variants)

    def _choose_generic(
        self, base: str, memory: float | None, form: str, fitting: Sequence[Variant]
    ) -> tuple[str, bool]:
        """Of a base that goes by a name of its own: the variant of a form, the base with a memory, or the base."""
        sized = memory in self._generic_sizes.get(base, ())
        of_form = _of_form(fitting, form)
        if of_form and (sized or memory is None):
            return min(of_form, key=lambda one: (one.memory or 0, one.name)).name, sized
        if sized:
            return f"{self._generic[base]} {memory:g}GB", True
        if memory is not None and len(fitting) == 1 and len(self._variants[base]) > 1:
            return fitting[0].name, True
        return self._generic[base], False


def _by_maker(names: Mapping[str, Mapping[str, str]]) -> dict[tuple[str, str], Entry]:
    """The cards that are one maker's where his name is said, by maker and base."""
    return {
        (maker, squeeze(spelling)): Entry(squeeze(spelling), name)
        for maker, of_maker in names.items()
        for spelling, name in of_maker.items()
    }


def _by_base(sizes: Mapping[str, Sequence[float]]) -> dict[str, frozenset[float]]:
    """Memory sizes in GiB by the base of the name that they are listed for."""
    return {squeeze(name): frozenset(map(float, held)) for name, held in sizes.items()}


def _told_apart_by(variants: Sequence[Variant]) -> frozenset[float]:
    """The memory sizes of variants where they have several."""
    sizes = frozenset(one.memory for one in variants if one.memory)
    return sizes if len(sizes) > 1 else frozenset()


def _differ_in_memory(variants: Sequence[Variant]) -> bool:
    """Whether variants have different memories, one that says none among them or not."""
    return len({one.memory for one in variants}) > 1


def _of_form(variants: Sequence[Variant], form: str) -> list[Variant]:
    """The variants of a form factor; none where none was said."""
    return [one for one in variants if one.form == form] if form else []


def _fitting(variants: Sequence[Variant], memory: float | None, form: str) -> list[Variant]:
    """The variants of a memory, and of these the ones of a form where some are."""
    sized = [one for one in variants if memory is None or one.memory == memory]
    return [one for one in sized if not form or one.form == form] or sized


def _says_memory(name: str, memory: float | None) -> bool:
    """Whether a memory stands in a name."""
    return memory is not None and f"{memory:g}" in name
