"""What slot grammars hand to each other: the message being read, and values with their place in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bot.core.message import Language
from bot.understand.lexicon import Found, flatten
from bot.understand.tokens import Pieces, Token

if TYPE_CHECKING:
    from bot.understand.slots.numbers import Quantity


_FEW: Final = 4
"""Words from a number to the name that it counts."""


def holds(text: str, words: Iterable[str]) -> bool:
    """Whether one of a few words stands anywhere in a text."""
    for word in words:  # noqa: SIM110 - asked many times a message; any() takes three times as long
        if word in text:
            return True
    return False


def holds_whole(text: str, words: Iterable[str]) -> bool:
    """Whether one of a few words begins somewhere in a text, not inside of another word ("i5", not "mi50")."""
    return any(
        at == 0 or not (text[at - 1].isascii() and text[at - 1].isalnum())
        for word in words
        for at in _places(text, word)
    )


def _places(text: str, word: str) -> Iterator[int]:
    """Where a word stands in a text."""
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)


@dataclass(slots=True)
class Value:
    """A slot value between two characters of the normalised text."""

    slot: str
    value: Any
    start: int
    end: int
    rule: str
    negated: bool = False
    approximate: bool = False
    bound: str = ""
    corrects: bool = False
    candidates: tuple[str, ...] = ()
    known: bool = True
    count: int | None = None
    """Of a card: the number that stands beside it."""


class Named(NamedTuple):
    """A name of a card, a model or a provider as it was read, before anything else of the message is known."""

    slot: str
    value: object
    start: int
    end: int


@dataclass(slots=True)
class Reading:
    """One message on its way through the grammars: text, tokens and what has been claimed so far."""

    text: str
    raw: str
    offsets: list[int]
    pieces: Pieces
    language: Language
    values: list[Value] = field(default_factory=list)
    names: list[Named] = field(default_factory=list)
    """The cards, models and providers that the text names, whatever part they play in it."""
    claimed: bytearray = field(init=False)
    """One byte a character: 1 where a name (card, model, provider) stands."""
    traits: set[str] = field(default_factory=set)
    """Signs that grammars saw besides values: degrees, watts, a version number."""
    said: dict[str, None] = field(default_factory=dict)
    """The concepts in the order in which they are spoken of."""
    concepts: frozenset[str] = frozenset()
    places: list[Found] = field(default_factory=list)
    ruled: list[tuple[int, int]] = field(default_factory=list)
    """Where words stand that are ruled out: values and conditions."""
    quantities: list[Quantity] = field(default_factory=list)
    """Every number of the message with its unit, whatever became of it."""

    flat: str = field(init=False)
    """The text as surfaces and cues are matched with it, see `flatten`."""
    tokens: list[Token] = field(init=False)
    words: list[str] = field(init=False)
    """The text of each token."""
    shape: str = field(init=False)
    """The kind of each token, one letter a token."""
    numbers: list[int] = field(init=False)
    """Which tokens are numbers in figures."""
    before: dict[int, list[str]] = field(init=False)
    after: dict[int, list[str]] = field(init=False)
    """What stands right before or after a place, worked out once for all cues (`context.py`)."""
    han: int = field(init=False)
    """Number of Han characters."""
    latin: int = field(init=False)
    """Number of words and numbers in other scripts."""

    def __post_init__(self) -> None:
        """Nothing is claimed at first; what many grammars ask of the whole text is worked out once."""
        self.claimed = bytearray(len(self.text))
        self.flat = flatten(self.text)
        self.tokens, self.words, self.shape, self.numbers = self.pieces
        self.before, self.after = {}, {}
        self.han = self.shape.count("h")
        self.latin = self.shape.count("w") + len(self.numbers)

    def ends_apart(self, end: int) -> bool:
        """Whether a space was written behind what ends here."""
        return end < len(self.text) and self.offsets[end] > self.offsets[end - 1] + 1

    def is_apart(self, index: int) -> bool:
        """Whether a space stands before a token, as it was written."""
        return self.offsets[self.tokens[index].start] > self.offsets[self.tokens[index - 1].end - 1] + 1

    def stands_behind(self, words: AbstractSet[str], start: int, end: int) -> bool:
        """Whether one of these words stands here, right behind a name."""
        at = start - 1 if start and self.text[start - 1] != " " else start - 2
        return self.text[start:end] in words and at >= 0 and bool(self.claimed[at])

    def claim(self, start: int, end: int) -> None:
        """Keep other grammars from reading these characters."""
        self.claimed[start:end] = b"\1" * (end - start)

    def is_free(self, start: int, end: int) -> bool:
        """Whether nobody claimed any of these characters."""
        return self.claimed.find(1, start, end) < 0

    def names_several(self, index: int) -> bool:
        """Whether a few words on from a token a name stands in the plural: "three open air 3090s"."""
        ends = {name.start: name.end for name in self.names}
        for token in self.tokens[index : index + _FEW]:
            if token.start in ends:
                return self.text.startswith("s", ends[token.start])
            if token.kind != "w":
                return False
        return False

    def raw_at(self, start: int) -> str:
        """The original character behind a normalised one."""
        return self.raw[self.offsets[start]]

    def has(self, slot: str) -> bool:
        """Whether a value of this slot was found."""
        for value in self.values:  # noqa: SIM110 - asked many times a message; any() takes three times as long
            if value.slot == slot:
                return True
        return False


def as_typed(reading: Reading, start: int, end: int) -> str:
    """The words of a name between two tokens, as they were typed."""
    first, last = reading.tokens[start].start, reading.tokens[end - 1].end - 1
    return " ".join(reading.raw[reading.offsets[first] : reading.offsets[last] + 1].split())


def _is_sized(name: str, plain: str) -> bool:
    """Whether a name is another one with a size of memory."""
    rest = name.removeprefix(f"{plain} ")
    return rest != name and rest[:1].isdigit()


def take_size(card: Value, names: set[str]) -> None:
    """Make a card that comes in several sizes the only one of these names that is it with a size."""
    told = [name for name in names if _is_sized(name, str(card.value))]
    if len(told) == 1:
        card.value, card.candidates = told[0], ()
