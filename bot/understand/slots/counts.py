"""Reads how many cards and how many people: "4x", dual, "two of them", eight cards in one machine."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from bot.understand.slots.context import MOST_SHEETS, Cues, counts_cluster, of_pictures, plain_number
from bot.understand.slots.found import Reading, Value, holds
from bot.understand.slots.links import is_version
from bot.understand.slots.numbers import Quantity
from bot.understand.slots.people import read_people

_LARGEST_COUNT = 20000
_FEWEST_LISTED: Final = 2
_LONGEST_BESIDE: Final = 1
_LONGEST_BETWEEN = 24
_SOME_PIECES = 20
_MANY_PIECES = 100
"""From here on the measure word for pieces is the one for money."""
_MOST_IN_MACHINE = 16
_MOST_COMMON: Final = 8
"""Cards that one machine holds as a rule."""
_COMPARED = frozenset({"compare", "or_word"})
"""Where these are spoken of, the count of one of several cards is not that of the question."""
_TIMES, _MULTIPLES = frozenset({"x", "*"}), frozenset({"x", "way"})
_CARDS = frozenset({"gpus", "card"})
_MOST_BARE, _MOST_PLAIN = 1024, 64
"""Cards that a number without a unit counts at most, and at most where nothing but its size speaks for it."""
_SIZED_CARDS = re.compile(r"[ \-x*]*\d+ ?(?:g|gb|gib)\b[ \-]*(?:vram )?(?:cards?|gpus?)\b")
_HOURS = re.compile(r"s?[ \-](?:gpu[ \-])?(hour|day)s?(?![a-z])")
_FEW_WORDS: Final = re.compile(r"[a-z]+(?:[ -][a-z]+){0,2}")
_MEMORY_BEHIND: Final = re.compile(r"^\d+ ?g(?:b|ib)?(?:\b|(?=x)) ?")
_SIZE = re.compile(r"[ \-x*]*\d+gb?")


class _Count(NamedTuple):
    """A number of cards, and where the card stands that it belongs to; -1 where it belongs to none."""

    value: Value
    card: int

    @property
    def is_free(self) -> bool:
        """Whether it belongs to no card."""
        return self.card < 0


def read_counts(reading: Reading, quantities: list[Quantity], cues: Cues) -> list[Quantity]:
    """Add gpu_count and users; gives back the quantities that count neither."""
    counter = _Counter(reading, cues)
    rest = [one for one in quantities if not (is_version(reading.text, one.start) or counter.take(one))]
    counter.multiply()
    _settle(reading, counter.counted, cues)
    return rest


class _Counter:
    """The counts of one message while they are read."""

    __slots__ = ("_apart", "_cues", "_machines", "_of_each", "_reading", "counted")

    def __init__(self, reading: Reading, cues: Cues) -> None:
        """Nothing is counted yet."""
        self._reading, self._cues = reading, cues
        self._machines: Quantity | None = None
        self._of_each: list[Value] = []
        self._apart = True
        """No number of cards was read so far."""
        self.counted: list[_Count] = []

    def take(self, quantity: Quantity) -> bool:
        """Read one quantity; False where it counts neither cards nor people."""
        reading = self._reading
        if quantity.unit == "person":
            read_people(reading, quantity, self._cues)
            return True
        if quantity.unit == "machine" and 1 <= quantity.value <= _LARGEST_COUNT:
            self._machines = quantity
            return quantity.value == 1
        if self._sums_up(quantity):
            return False
        card = _card_beside(reading, quantity, self._cues)
        hours = _card_hours(reading, card, quantity)
        if hours is not None:
            reading.values.append(hours)
            return True
        counts = _counts_cards(reading, quantity, card, self._cues) or _of_machine(reading, quantity, self._machines)
        if counts:
            self._count(quantity, card)
        return counts

    def _sums_up(self, quantity: Quantity) -> bool:
        """Whether a number sums up cards that are named one by one, none of them in a number of its own."""
        if quantity.unit != "card":
            return False
        apart, self._apart = self._apart, False
        return apart and _are_listed(self._reading, quantity)

    def _count(self, quantity: Quantity, card: int) -> None:
        """Keep a number of cards: of all machines where it stands behind them, or of each."""
        value = Value("gpu_count", int(quantity.value), quantity.start, quantity.end, "count: cards")
        value.bound = quantity.bound
        machines = self._machines
        if machines is not None and _in_machines(self._reading, quantity, machines):
            value.value *= 1 if _are_all(quantity, machines) else int(machines.value)
        elif _per_machine(self._reading, quantity, self._cues):
            self._of_each.append(value)
        self.counted.append(_Count(value, card))

    def multiply(self) -> None:
        """Make the cards of each machine those of all, once all was read."""
        if self._machines is not None:
            for value in self._of_each:
                value.value *= int(self._machines.value)


def _in_machines(reading: Reading, quantity: Quantity, machines: Quantity) -> bool:
    """Whether several machines stand right before a count of cards ("2 nodes with 8"), without a comma in English."""
    if machines.value <= 1 or quantity.first - machines.last > 2:
        return False
    return reading.language != "en" or "," not in reading.text[machines.end : quantity.start]


def _are_all(quantity: Quantity, machines: Quantity) -> bool:
    """Whether a count behind machines is that of all: more than one machine commonly holds, and alike in each."""
    return machines.value > 1 and quantity.value > _MOST_COMMON and quantity.value % machines.value == 0


def _of_machine(reading: Reading, quantity: Quantity, machines: Quantity | None) -> bool:
    """Whether a bare number says how many cards a machine holds ("one node of 8")."""
    if machines is None or quantity.unit or not 1 < quantity.value <= _MOST_IN_MACHINE:
        return False
    return reading.text[machines.end : quantity.start].strip() == "of"


def _settle(reading: Reading, counted: list[_Count], cues: Cues) -> None:
    """Note the count of each card, then choose the one of the question."""
    if not counted and (second := _second_card(reading, cues)):
        counted.append(_Count(second, -1))
    if not counted:
        return
    _note_on_cards(reading, counted)
    if len(_cards_of(counted)) > 1 and reading.concepts & {"mixed_cards", "together"}:
        counted = [one for one in counted if one.is_free]
    _choose(reading, counted, cues)


def _note_on_cards(reading: Reading, counted: list[_Count]) -> None:
    """Write on each card how many of it are spoken of."""
    for value, card in counted:
        for one in reading.values:
            if one.slot == "gpu" and one.start == card:
                one.count = int(value.value)


def _cards_of(counted: list[_Count]) -> set[int]:
    """Where the cards stand that are counted."""
    return {one.card for one in counted if not one.is_free}


def _card_hours(reading: Reading, card: int, quantity: Quantity) -> Value | None:
    """ "1000 H100-hours" is a time, not a number of cards; None where the card stands elsewhere, or no time follows."""
    if quantity.unit or card < quantity.end:
        return None
    end = next(value.end for value in reading.values if value.slot == "gpu" and value.start == card)
    match = _HOURS.match(reading.text, end)
    if match is None or quantity.words:
        return None
    value = {"amount": plain_number(quantity.value), "unit": match[1]}
    return Value("duration", value, quantity.start, match.end(), "time: hours of a card", bound=quantity.bound)


def _per_machine(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether a count of cards is the one of each machine ("8 V100 per node", "each node has 8 cards")."""
    behind = reading.text[quantity.end : quantity.end + _LONGEST_BETWEEN]
    before = reading.text[max(0, quantity.start - _LONGEST_BETWEEN) : quantity.start]
    return holds(behind, cues.words["per_machine_after"]) or holds(before, cues.words["per_machine_before"])


def _second_card(reading: Reading, cues: Cues) -> Value | None:
    """ "With a second card" makes two, as does "both" before a card in the plural."""
    both = _both(reading, cues)
    if both is not None:
        return both
    for phrase in () if cues.second_card.isdisjoint(reading.words) else cues.words["second_card"]:
        at = reading.flat.find(phrase)
        if at >= 0:
            return Value("gpu_count", 2, at, at + len(phrase), "count: a second card")
    return None


def _both(reading: Reading, cues: Cues) -> Value | None:
    """The two cards that "both" stands before."""
    for card in reading.values:
        plural = card.slot == "gpu" and reading.text.startswith("s", card.end)
        if plural and cues.ending["both"](reading.flat[: card.start].rstrip()):
            return Value("gpu_count", 2, card.start, card.end, "count: both")
    return None


def _card_beside(reading: Reading, quantity: Quantity, cues: Cues) -> int:
    """Start of the card that the count belongs to (right after or right before it), else -1."""
    cards = [value for value in reading.values if value.slot == "gpu"]
    for stands in (_stands_before, _stands_behind):
        for card in cards:
            if stands(reading, quantity, card, cues):
                return card.start
    return -1


def _stands_before(reading: Reading, quantity: Quantity, card: Value, cues: Cues) -> bool:
    """Whether a count stands before a card, nothing but what qualifies it between them."""
    if card.start < quantity.end:
        return False
    between = reading.text[quantity.end : card.start].strip(" -")
    if len(between) > _LONGEST_BETWEEN:
        return False
    return _only_qualifies(between, cues) or _of_many(reading, quantity, card, between)


def _of_many(reading: Reading, quantity: Quantity, card: Value, between: str) -> bool:
    """Whether a small number counts a card named in the plural, a few words between them ("three open air 3090s")."""
    plural = reading.text[card.start : card.end].endswith("s") or reading.text.startswith("s", card.end)
    few = 1 < quantity.value <= _MOST_IN_MACHINE and not quantity.unit
    # behind a times sign stands how wide a slot is ("x8 with two 4090s")
    lanes = reading.text[: quantity.start].endswith("x")
    return plural and few and not lanes and _FEW_WORDS.fullmatch(between) is not None


def _stands_behind(reading: Reading, quantity: Quantity, card: Value, cues: Cues) -> bool:
    """Whether a count stands right behind a card, or a times sign between them."""
    if card.end > quantity.start:
        return False
    between = _MEMORY_BEHIND.sub("", reading.text[card.end : quantity.start].strip(" -("))
    return not between or between in _TIMES or between in cues.words["count_behind"]


def _only_qualifies(between: str, cues: Cues) -> bool:
    """Nothing, a times sign, or a memory size and brand between a count and its card."""
    for particle in cues.words["attributive"]:
        between = between.replace(particle, " ")
    plain = between.replace("x", " ", 1).replace("*", " ", 1).strip()
    if not plain:
        return True
    words = plain.split()
    return len(words) <= 4 and all(word[0].isdigit() or word in cues.words["count_between"] for word in words)


def _counts_cards(reading: Reading, quantity: Quantity, card: int, cues: Cues) -> bool:
    if not (1 <= quantity.value <= _LARGEST_COUNT) or quantity.value != int(quantity.value):
        return False
    if quantity.unit:
        return quantity.unit == "card" and _unit_counts(reading, quantity, card, cues)
    if quantity.value <= _MOST_BARE and cues.right_before("gpu_setting", reading, quantity.start):
        return True
    if card < 0:
        return _before_sized_card(reading, quantity, cues)
    if quantity.bound or _is_too_many(reading, quantity):
        return False
    if card < quantity.start:
        return _times_behind(reading, quantity, card, cues)
    return _plain_before(reading, quantity, card)


def _is_too_many(reading: Reading, quantity: Quantity) -> bool:
    """Whether a bare number is beyond what anybody has of a card, and no cluster is told by it."""
    return quantity.value > _MOST_BARE and not counts_cluster(reading, quantity.value, quantity.end)


def _times_behind(reading: Reading, quantity: Quantity, card: int, cues: Cues) -> bool:
    """Whether a times sign joins a card to a number behind it ("4090 x 2")."""
    joined = reading.text[card : quantity.start].rstrip().endswith(("x", "*"))
    return joined and not cues.starting["no_after"](_after(reading, quantity))


def _plain_before(reading: Reading, quantity: Quantity, card: int) -> bool:
    """Whether a bare number counts the card behind it: in words, beside it, or a small one; no version or batch."""
    between = reading.text[quantity.end : card].strip()
    beside = between == "" or between[0] in _TIMES
    if not (quantity.words or beside or quantity.value <= _MOST_PLAIN):
        return False
    return not re.search(r"\.$|(?:v|batch)\s*$", reading.text[max(0, quantity.start - 8) : quantity.start])


def _after(reading: Reading, quantity: Quantity) -> str:
    """What follows a count."""
    return reading.text[quantity.end : quantity.end + 10].lstrip()


def _before_sized_card(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether a card named by its memory alone follows: "two 24GB cards"."""
    if quantity.value > _MOST_PLAIN:
        return False
    after = reading.text[quantity.end : quantity.end + 20]
    if _SIZED_CARDS.match(after):
        return True
    size = _SIZE.match(after)
    return size is not None and after.startswith(cues.words["sized_card"], size.end())


def _are_listed(reading: Reading, quantity: Quantity) -> bool:
    """Whether a number sums up the cards that are named one by one, all before it or all after it: "these three"."""
    cards = [value for value in reading.values if value.slot == "gpu"]
    if len(cards) != quantity.value or quantity.value < _FEWEST_LISTED:
        return False
    before = all(one.end <= quantity.start for one in cards)
    return before or all(one.start > quantity.end + _LONGEST_BESIDE for one in cards)


def _unit_counts(reading: Reading, quantity: Quantity, card: int, cues: Cues) -> bool:
    """Whether a number with a measure word counts cards."""
    unit = quantity.unit_text
    if unit in _MULTIPLES:
        return _multiplies(reading, quantity, card)
    if unit in cues.words["lanes"]:
        return card > quantity.start
    if of_pictures(reading, cues, quantity.value, quantity.unit_text):
        return False
    if _are_others(quantity, card, cues) or cues.starting["no_after"](_after(reading, quantity)):
        return False
    return quantity.value != 1 or _one_counts(reading, quantity, card, cues)


def _multiplies(reading: Reading, quantity: Quantity, card: int) -> bool:
    """Whether "2x" and "4-way" count cards: before one, in words, or where several cards are the subject."""
    if card >= quantity.start:
        return True
    several = quantity.unit_text == "way" and "multi_gpu" in reading.concepts
    return several or (card >= 0 and quantity.words)


def _are_others(quantity: Quantity, card: int, cues: Cues) -> bool:
    """Whether so many pieces are coins, or so many sheets without a card pictures."""
    unit = quantity.unit_text
    if unit in cues.words["piece"] and quantity.value >= (_SOME_PIECES if card < 0 else _MANY_PIECES):
        return True
    if card >= 0 or quantity.value <= MOST_SHEETS:
        return False
    return unit in cues.words["sheet"] or unit.startswith("of ")


def _one_counts(reading: Reading, quantity: Quantity, card: int, cues: Cues) -> bool:
    """Whether one card is counted, and not only a card spoken of."""
    before = reading.text[: quantity.start].rstrip()
    if card >= 0:
        return not cues.ending["as_one"](before)
    number, unit = reading.text[quantity.start : quantity.number_end], quantity.unit_text
    if cues.ending["filler_before"](before):
        return number in cues.words["single"]
    if cues.ending["only_before"](before) or cues.ending["limited"](before):
        return True
    return number in cues.words["one"] and (unit in _CARDS or unit.endswith(cues.words["card_ending"]))


def _choose(reading: Reading, counted: list[_Count], cues: Cues) -> None:
    """One number of cards: of several for one card the larger; none where the counts are those of compared cards."""
    free = [one.value for one in counted if one.is_free]
    names, uncounted = _names(reading, _cards_of(counted))
    listed = [one.value for one in counted]
    if not free:
        if len(names) > 1 and _of_different(listed):
            return
        if uncounted and _is_compared(reading, listed, cues):
            return
    pool = _limited(reading, listed, cues) or _of_all(free, listed, names)
    reading.values.extend(sorted(pool, key=lambda value: (-value.value, value.start))[:1])


def _of_all(free: list[Value], listed: list[Value], names: set[str]) -> list[Value]:
    """The counts that belong to no card where several cards are named, else all."""
    return free if len(names) > 1 and free else listed


def _limited(reading: Reading, listed: list[Value], cues: Cues) -> list[Value]:
    """The counts of which is said that it is so many and no more, whatever else is there."""
    return [one for one in listed if cues.ending["limited"](reading.flat[: one.start].rstrip())]


def _names(reading: Reading, places: set[int]) -> tuple[set[str], set[str]]:
    """The names of the cards at these places, and of the others."""
    cards = [value for value in reading.values if value.slot == "gpu"]
    counted = {str(card.value) for card in cards if card.start in places}
    return counted, {str(card.value) for card in cards} - counted


def _of_different(attached: list[Value]) -> bool:
    """Whether cards come in different numbers, or one of each."""
    return len({value.value for value in attached}) > 1 or attached[0].value == 1


def _is_compared(reading: Reading, attached: list[Value], cues: Cues) -> bool:
    """Whether cards are compared that the user does not have, so that the count of some is not that of the question."""
    if reading.concepts.isdisjoint(_COMPARED) or "upgrade" in reading.concepts:
        return False
    return not any(cues.owned(reading, value.start) for value in attached)
