"""Reads card names in every form people use, and picks the memory variant that was said.

Names are walked token by token through a tree, so "3080Ti" is never "3080", "a10" never fires inside "a100", and two
real model numbers are never confused by fuzzy matching. Memory and form factor may stand before or after the name.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from bot.understand.files import Cards
from bot.understand.gazetteer import Gazetteer
from bot.understand.slots.bare_cards import BareCards
from bot.understand.slots.brands import Brand, Brands
from bot.understand.slots.card_codes import FEWEST, code_at, written_code_at
from bot.understand.slots.card_names import CardNames
from bot.understand.slots.card_rest import CardRest, Unread
from bot.understand.slots.card_tails import CardTails, Tail
from bot.understand.slots.card_tree import Entry
from bot.understand.slots.found import Reading, Value, take_size
from bot.understand.slots.names import Walk, squeeze
from bot.understand.tokens import Token

_MEMORY: Final = re.compile(r"\s\d+GB\b|\s\(mod\)")
_SHAPED = re.compile(r"[1-7]0[1-9]0")
_SPELT = {
    **dict.fromkeys(("nvidia", "geforce", "amd", "nv", "instinct"), ""),
    **{word: word.title() for word in ("radeon", "pro", "tesla", "quadro", "arc", "ti", "super")},
    "firepro": "FirePro",
    "ascend": "Ascend",
    "huawei": "Huawei",
    "intel": "Intel",
    "apple": "Apple",
}
_SUFFIXES = frozenset({"ti", "super", "xt", "xtx", "d", "m"})
_OF_SERIES: Final = {"ti": "RTX", "super": "RTX", "xt": "RX", "xtx": "RX", "gre": "RX"}
"""Suffixes behind a bare number that make it a card, with the series that has them."""
_ALWAYS_S = frozenset({"l40s"})
_CARD_NAME = "card name"
_LAPTOP: Final = " Laptop"
_PRO: Final = "pro"
_PRO_AT: Final = 2
"""Tokens before a number of which the first is a series and the second that word."""
_PRO_SERIES: Final = frozenset({"rtx", "arc"})
_SAID_BESIDE, _SAID_ELSEWHERE = _LAPTOP_RULES = ("card name with laptop", "card name, laptop said elsewhere")
_REMEMBERED = 1024
"""Names whose traits are remembered."""


class CardGrammar:
    """Reads the cards of a message, and what has the shape of a card that no list holds."""

    def __init__(
        self,
        names: Gazetteer,
        grammar: Cards,
        even: Callable[[str], str],
        cut: Callable[[str], list[str]],
    ) -> None:
        """`grammar` is `languages/names/cards.yaml`; `even` normalises a surface, `cut` parts a name into words."""
        self._names = CardNames(names, grammar, cut)
        self._tails = CardTails(self._names, grammar, even)
        self._rest = CardRest(self._names, grammar, even)
        self._makers = {even(word): maker for word, maker in names.makers}
        self._tree = self._names.tree
        self._brands = Brands(self._tree, grammar, self._makers, even)
        self._bare = BareCards(grammar, even)
        self._family_brands = tuple(map(even, grammar["family_brands"]))
        self._card_makers = frozenset(grammar["card_makers"])
        self._formats = frozenset(grammar["no_code"].split())
        self._joining = tuple(map(even, grammar["joining"]))
        self._one = frozenset(map(str, grammar["one"]))
        self._many_do = frozenset(map(str, grammar["many_do"]))
        self._opening = self._tree.first_words() | self._brands.openers
        self.keys = self._names.keys()
        self.sized = self._names.sized
        self.nearest = self._names.facts.nearest
        self.traits = lru_cache(_REMEMBERED)(self._names.facts.traits)

    def read(self, reading: Reading) -> None:
        """Add every card of the message to its values and claim their place."""
        opening, shape, words = self._opening, reading.shape, reading.words
        # most tokens begin no name
        if opening.isdisjoint(words):
            places = [index for index in reading.numbers if len(words[index]) == 4]
        else:
            places = [
                index for index, word in enumerate(words) if word in opening or (shape[index] == "n" and len(word) == 4)
            ]
        done = 0
        for index in places:
            if index >= done:
                done = self._read_at(reading, index)
        if len(reading.values) > 1:
            self._one_laptop(reading)

    def size(self, reading: Reading) -> None:
        """Say of a card that comes in several sizes which one it is, where it is named with its size elsewhere."""
        cards = [value for value in reading.values if value.slot == "gpu"]
        names = {str(card.value) for card in cards if not card.candidates}
        for card in cards if names else ():
            if card.candidates:
                take_size(card, names)

    def _one_laptop(self, reading: Reading) -> None:
        """Of "4090 laptop or 4090" only the first is in a laptop: it has the word for itself."""
        cards = [value for value in reading.values if value.rule in _LAPTOP_RULES]
        if {value.rule for value in cards} == set(_LAPTOP_RULES):
            plain = {name: base for base, name in self._names.laptops.items()}
            for value in cards:
                if value.rule == _SAID_ELSEWHERE:
                    base = plain.get(str(value.value), "")
                    value.value = self._names.plain_name(base) or value.value

    def _read_at(self, reading: Reading, index: int) -> int:
        """Add the card that starts at a token, brand words before it or not; gives the token to go on with."""
        tokens = reading.tokens
        start, brand = self._brands.skip(reading, index)
        if start >= len(tokens) or (start == index and not _may_start(tokens, index)):
            return index + 1
        named = self._named(reading, index, start, brand)
        if named is not None and not self._is_anothers(named.entry, brand.maker):
            if self._is_pro_of_none(tokens, start, named.entry):
                return self._of_no_card(reading, index, named.end, brand.maker)
            return self._take(reading, index, named)
        if number := self._unlisted(tokens, start, brand, named):
            return self._unknown(reading, index, number, brand, start)
        if named is not None:
            return self._of_no_card(reading, index, named.end, brand.maker)
        return self._shaped(reading, index) if start == index else index + 1

    def _unlisted(self, tokens: list[Token], start: int, brand: Brand, named: Walk[Entry] | None) -> int:
        """The number of an unlisted card behind what tells of one or the word of who makes nothing else; 0 for none."""
        if brand.telling and tokens[start].kind == "n":
            return start
        if named is not None:
            return 0
        if brand.maker in self._card_makers:
            return code_at(tokens, start)
        return written_code_at(tokens, start, self._formats) if brand.telling else 0

    def _named(self, reading: Reading, index: int, start: int, brand: Brand) -> Walk[Entry] | None:
        """The card that is named from a token on, by the maker that was said where it makes one of that number."""
        named = self._plural(reading, index, self._tree.walk(reading, start, brand.said))
        if named is None or not (brand.said or self._bare.accept(reading.tokens, named)):
            return None
        own = self._names.of_maker(brand.maker, named.entry.base)
        if own is None or not self._is_anothers(named.entry, brand.maker):
            return named
        return Walk(named.start, named.end, own)

    def _is_pro_of_none(self, tokens: list[Token], start: int, entry: Entry) -> bool:
        """Whether a PRO of a series was said and the card of that number is none ("RTX PRO 3000", a Quadro RTX)."""
        if start < _PRO_AT or tokens[start - 1].text != _PRO or tokens[start - _PRO_AT].text not in _PRO_SERIES:
            return False
        return _PRO not in squeeze(entry.fixed or self._names.plain_name(entry.base) or entry.base)

    def _is_anothers(self, entry: Entry, maker: str) -> bool:
        """Whether another maker than the one that was said makes the cards of a base."""
        return bool(maker) and self._names.maker(entry) not in ("", maker)

    def _plural(self, reading: Reading, index: int, walk: Walk[Entry] | None) -> Walk[Entry] | None:
        """In English a small s makes a plural ("two 2080s"); a capital one, or Chinese text, names the S card."""
        if walk is None or reading.language != "en" or not self._ends_plural(reading, index, walk):
            return walk
        words = [token.text for token in reading.tokens[walk.start : walk.end - 1] if token.kind != "s"]
        entry = self._tree.entry(words)
        return Walk(walk.start, walk.end, entry) if entry is not None else walk

    def _ends_plural(self, reading: Reading, index: int, walk: Walk[Entry]) -> bool:
        """Whether a name ends with a small s behind which no single card stands."""
        last = reading.tokens[walk.end - 1]
        if last.text != "s" or walk.end - walk.start < 2 or walk.entry.base in _ALWAYS_S:
            return False
        return reading.raw_at(last.start) == "s" and not self._is_one(reading, index, walk.end)

    def _is_one(self, reading: Reading, index: int, end: int) -> bool:
        """Whether the words around a name speak of one card; what opens a message does, unless several do something."""
        if index:
            return reading.words[index - 1] in self._one
        return self._many_do.isdisjoint(reading.words[end : end + 1])

    def _take(self, reading: Reading, index: int, walk: Walk[Entry]) -> int:
        """Add a card with what stands beside its name; gives the token to go on with."""
        tokens, entry, end = reading.tokens, walk.entry, walk.end
        tail = self._beside(reading, index, walk)
        if unread := self._unread(reading, entry, index, tail):
            return self._not_listed(reading, entry, index, unread)
        if tail.memory is None:
            entry = self._modified(reading, index, entry, end, tail.end)
        laptop, rule = self._laptop_rule(reading, entry, index, tail)
        name, uses_memory = self._names.choose(entry, tail.memory, tail.form, laptop)
        # the memory belongs to the name only when it picked the variant; else the memory grammar reads it
        told = uses_memory or (tail.span is None and (tail.form != "" or laptop))
        last = tail.end if told else end
        known = self._names.is_known(name, entry)
        named = walk.start if reading.text.startswith(self._family_brands, tokens[index].start) else index
        value = Value("gpu", name, tokens[named].start, tokens[last - 1].end, rule, known=known)
        value.candidates = self._names.variants(entry, tail.memory, tail.form)
        _add(reading, value)
        if uses_memory and tail.span:
            reading.claim(*tail.span)
        return self._other_variant(reading, entry, value, last) or last

    def _beside(self, reading: Reading, index: int, walk: Walk[Entry]) -> Tail:
        """What stands behind a name, with the memory that stands before it or follows without its unit."""
        tail = self._tails.behind(reading, walk.end)
        if tail.memory is None:
            memory, span = self._tails.memory_before(reading, index)
            tail = tail._replace(memory=memory, span=span)
        if tail.memory is None and (bare := self._tails.bare_memory(reading, walk.entry, walk.end)):
            number = reading.tokens[walk.end]
            behind = self._tails.behind(reading, walk.end + 1)
            tail = behind._replace(memory=bare, span=(number.start, number.end))
        return tail

    def _modified(self, reading: Reading, index: int, entry: Entry, *ends: int) -> Entry:
        """The modified card of a base where a word for one stands beside its name, else the entry as it is."""
        modified = self._names.modified(entry) if self._tails.says_modified(reading, index, *ends) else ""
        return Entry(entry.base, modified) if modified else entry

    def _laptop_rule(self, reading: Reading, entry: Entry, index: int, tail: Tail) -> tuple[bool, str]:
        """Whether a card that also exists in laptops is one of those, and by which rule."""
        if entry.base not in self._names.laptops or not entry.known:
            return tail.laptop, _CARD_NAME
        if tail.laptop:
            return True, _SAID_BESIDE
        if self._tails.says_laptop(reading) and not self._tails.says_desktop(reading, index, tail.end):
            return True, _SAID_ELSEWHERE
        return False, _CARD_NAME

    def _unread(self, reading: Reading, entry: Entry, index: int, tail: Tail) -> Unread | None:
        """What of a name no card has: a suffix, a memory size, a laptop; None where everything was read."""
        rest = self._rest.behind(reading, entry, tail.end)
        beside = tail.laptop or self._tails.laptop_before(reading, index)
        if self._is_of_no_desktop(reading, entry, index, tail):
            return Unread(("Desktop",), tail.end, entry.fixed.removesuffix(_LAPTOP))
        portable = self._laptop_rule(reading, entry, index, tail)[0]
        more = (
            self._rest.form(entry, tail.form),
            self._rest.memory(reading, entry, tail.memory, tail.span, laptop=beside or portable),
            self._rest.laptop(entry, beside),
        )
        parts = (*rest.parts, *filter(None, more))
        return Unread(parts, rest.end, rest.head, portable) if parts else None

    def _is_of_no_desktop(self, reading: Reading, entry: Entry, index: int, tail: Tail) -> bool:
        """Whether a card that only portable computers have is said to be one of a desktop computer."""
        if tail.laptop or not self._names.is_only_portable(entry) or not self._is_bare_of_laptop(entry):
            return False
        return self._tails.says_desktop(reading, index, tail.end) and not self._tails.says_laptop(reading)

    def _is_bare_of_laptop(self, entry: Entry) -> bool:
        """Whether the name of a card of portable computers was said without the word for them."""
        return squeeze(entry.fixed.removesuffix(_LAPTOP)).endswith(entry.base)

    def _not_listed(self, reading: Reading, entry: Entry, index: int, unread: Unread) -> int:
        """A known base with a part that no record has: another card, which the catalogue does not hold."""
        tokens = reading.tokens
        portable = self._names.laptops.get(entry.base, "") if unread.laptop else ""
        plain = entry.fixed or portable or self._names.plain_name(entry.base)
        sized = any(part.endswith("GB") for part in unread.parts)
        head = unread.head or (_MEMORY.sub("", plain) if sized else plain)
        name = " ".join((head, *unread.parts)).strip()
        value = Value(
            "gpu", name, tokens[index].start, tokens[unread.end - 1].end, "card name, not all read", known=False
        )
        value.candidates = (plain,)
        _add(reading, value)
        return unread.end

    def _of_no_card(self, reading: Reading, index: int, end: int, maker: str) -> int:
        """A name behind the word of a maker who makes no such card."""
        tokens = reading.tokens
        name = _spelt(tokens[index:end])
        if self._makers.get(name.split(" ")[0].casefold()) != maker:
            name = f"{maker} {name}"  # the maker makes it another name than that of the card
        value = Value("gpu", name, tokens[index].start, tokens[end - 1].end, "card name of another maker", known=False)
        number = next((one.text for one in tokens[index:end] if one.kind == "n"), "")
        value.candidates = self._names.facts.nearest(number, maker)
        _add(reading, value)
        return end

    def _other_variant(self, reading: Reading, entry: Entry, first: Value, at: int) -> int:
        """Another variant of the card just read ("A100 40G vs 80G", "H100 PCIe or SXM"); 0 when there is none."""
        tokens = reading.tokens
        if entry.fixed or at >= len(tokens) or not (size := self._between_variants(reading, at)):
            return 0
        memory, form, _, last, span = self._tails.behind(reading, at + size)
        if last == at + size or (memory is None and not form):
            return 0
        name, _ = self._names.choose(entry, memory, form, False)
        if name == first.value or (memory is not None and f"{memory:g}" not in name):
            return 0
        start = tokens[at + size].start
        reading.values.append(Value("gpu", name, start, tokens[last - 1].end, "card variant", known=first.known))
        reading.claim(start, tokens[last - 1].end)
        if span:
            reading.claim(*span)
        return last

    def _between_variants(self, reading: Reading, at: int) -> int:
        """Tokens of the word between two variants, 0 when another word stands there."""
        start = reading.tokens[at].start
        text = reading.text
        if not text.startswith(self._joining, start):
            return 0
        for word in self._joining:
            end = start + len(word)
            if text.startswith(word, start) and (not word.isascii() or text[end : end + 1] in {" ", "."}):
                return sum(1 for token in reading.tokens[at : at + 4] if token.start < end)
        return 0

    def _unknown(self, reading: Reading, index: int, number: int, brand: Brand, code: int) -> int:
        """A brand and a number that no list holds: said to be unknown, never guessed.

        `code`: where the letters begin that are written on to the number, or the number itself.
        """
        tokens = reading.tokens
        if not (FEWEST + (code == number)) <= len(tokens[number].text) <= 5 or "." in tokens[number].text:
            return index + 1
        end = number + 1
        while end < len(tokens) and (tokens[end].text in _SUFFIXES or _glued_part(tokens, end)):
            end += 1
        name = _spelt(tokens[index:end])
        if code < number or (brand.maker in self._card_makers and not brand.telling):
            written = reading.text[tokens[code].start : tokens[end - 1].end].upper()
            name = f"{_spelt(tokens[index:code]) if brand.telling else brand.maker} {written}"
        value = Value("gpu", name, tokens[index].start, tokens[end - 1].end, "card shape", known=False)
        value.candidates = self._names.facts.nearest(tokens[number].text, brand.maker)
        _add(reading, value)
        return end

    def _shaped(self, reading: Reading, index: int) -> int:
        """A bare number shaped like a card ("6090") when what stands around it speaks of cards."""
        tokens = reading.tokens
        token = tokens[index]
        suffix = tokens[index + 1].text if index + 1 < len(tokens) else ""
        series = _OF_SERIES.get(suffix, "")
        if token.kind != "n" or not (series == "RX" or _SHAPED.fullmatch(token.text)):
            return index + 1
        if not self._bare.is_card(tokens, index) or not (series or int(token.text) >= 6050):
            return index + 1
        end = index + 2 if series else index + 1
        name = f"{series or 'RTX'} {token.text}" + (f" {_SPELT.get(suffix, suffix.upper())}" if series else "")
        value = Value("gpu", name, token.start, tokens[end - 1].end, "card shape", known=False)
        value.candidates = self._names.facts.nearest(token.text)
        _add(reading, value)
        return end


def _add(reading: Reading, value: Value) -> None:
    """Add a card and keep others from reading its place."""
    reading.values.append(value)
    reading.claim(value.start, value.end)


def _may_start(tokens: list[Token], index: int) -> bool:
    """A name may not start in the middle of a longer word or number."""
    token = tokens[index]
    if not token.glued or index == 0:
        return token.kind != "s"
    before = tokens[index - 1]
    if before.kind == "h" or before.kind == "s":
        return token.kind != "s" and not (before.text in {".", "'"} and index > 1 and tokens[index - 2].kind in "nw")
    return before.text == "x" and (token.kind != "w" or (index > 1 and tokens[index - 2].kind == "n"))


def _glued_part(tokens: list[Token], at: int) -> bool:
    """Letters and figures written on to a number ("950dt", "910b4"): parts of the same name."""
    token = tokens[at]
    return token.glued and token.kind in "nw" and token.text not in {"x", "g", "gb", "gib", "w"} and len(token.text) < 4


def _spelt(tokens: list[Token]) -> str:
    """The words of a name as makers write them; Han characters that stand together stay together."""
    words: list[str] = []
    for token in tokens:
        word = "" if token.kind == "s" else _SPELT.get(token.text, token.text.upper())
        if words and token.kind == "h" and token.glued:
            words[-1] += word
        elif word:
            words.append(word)
    return " ".join(words)
