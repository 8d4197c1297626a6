"""What one message says, for those who answer it: asked for by name, never read again.

Who answers gets ideas, signs, names and amounts; the words themselves stay here, but for what a search takes.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Final

from bot.core.message import says_little
from bot.core.ran_out import RanOut
from bot.core.sign_words import Lexicon
from bot.core.stated_prices import LONG, StatedPrice, bare_amount, is_few, number_between, sale_of, stated_prices
from bot.core.understanding import Number, RankedIntent, SlotValue, Understanding

_MEDIA: Final = re.compile(r"(?:[\[\u3010][^\[\]\u3010\u3011\d]{1,12}[\]\u3011]\s*)+")
"""One or several words in square brackets, as chats write what is no text."""
_ROUND: Final = "step"
_LONGEST_CLIP: Final = 120.0
_IN_HOURS: Final = {"second": 1 / 3600, "minute": 1 / 60, "hour": 1.0, "day": 24.0}
_SPANS: Final = frozenset({"day", "week", "month", "year"})
_TWO_SIDES: Final = 2


@dataclass(frozen=True)
class Heard:
    """One message as those who answer it know it."""

    _text: str = field(repr=False)
    _lexicon: Lexicon = field(repr=False)
    _reading: Understanding | None = field(repr=False, default=None)

    # --- as a whole --------------------------------------------------------------------------------------------------

    @property
    def terms(self) -> str:
        """What a search for passages takes. Never stored, never shown, never looked into by who answers."""
        return self._text

    @property
    def is_wordless(self) -> bool:
        """Whether there is no letter and no figure in it."""
        return not any(letter.isalnum() for letter in self._text)

    @property
    def is_media(self) -> bool:
        """Whether it is nothing but what stands for a picture, a sticker or a voice message."""
        return _MEDIA.fullmatch(self._text.strip()) is not None

    @cached_property
    def is_few_words(self) -> bool:
        """Whether it is a few words without any number."""
        return says_little(self._text)

    def is_within(self, characters: int) -> bool:
        """Whether it is at most so long."""
        return len(self._text) <= characters

    @property
    def is_read(self) -> bool:
        """Whether there is a reading of it; a button has none."""
        return self._reading is not None

    @cached_property
    def unread(self) -> Heard:
        """The same message without its reading: what it names and speaks of plays no part."""
        return Heard(self._text, self._lexicon)

    @property
    def is_elliptical(self) -> bool:
        """Whether it reads as a follow-up: values without a predicate."""
        return self._reading is not None and self._reading.elliptical

    @property
    def goes_on(self) -> bool:
        """Whether it goes on with the turn before, or was not read at all."""
        return self._reading is None or self._reading.elliptical or self._reading.leaning

    @property
    def best(self) -> RankedIntent | None:
        """The likeliest intent of it."""
        return self._reading.ranking[0] if self._reading is not None and self._reading.ranking else None

    # --- ideas and signs ---------------------------------------------------------------------------------------------

    @cached_property
    def ideas(self) -> frozenset[str]:
        """Concepts of the lexicon that it speaks of."""
        return frozenset(self._reading.concepts) if self._reading is not None else frozenset()

    def speaks_of(self, *ideas: str) -> bool:
        """Whether it speaks of one of these concepts."""
        return not self.ideas.isdisjoint(ideas)

    @cached_property
    def _groups(self) -> frozenset[str]:
        """The groups of signs that it may speak of."""
        return self._lexicon.groups(self._standing, self.ideas)

    @cached_property
    def _sides(self) -> dict[str, tuple[str, ...]]:
        """What `sides` gave so far: one answer asks several times for the same groups."""
        return {}

    def sides(self, group: str) -> tuple[str, ...]:
        """Names of a group of signs (bot/lexicon/signs) that it speaks of, in the order of the group."""
        if group not in self._groups:
            return ()
        if group not in self._sides:
            self._sides[group] = self._lexicon.sides(group, self._words, self._standing, self.ideas)
        return self._sides[group]

    def side(self, group: str) -> str:
        """The first of these, "" where there is none."""
        return next(iter(self.sides(group)), "")

    def shows(self, group: str, name: str) -> bool:
        """Whether it speaks of one side of a group."""
        return name in self.sides(group)

    def placed(self, group: str) -> tuple[str, ...]:
        """Names of a group of signs in the order in which it speaks of them."""
        return self._lexicon.placed(group, self._words, self._standing) if group in self._groups else ()

    @property
    def symptom(self) -> str:
        """The place on the path of troubles that it points to, "" for none."""
        return self._lexicon.symptom(self._standing)

    @cached_property
    def error(self) -> str:
        """The passage that tells cause and fix of the error message or fault that it names, "" for none."""
        return self._lexicon.error(self._standing)

    @cached_property
    def ran_out(self) -> RanOut | None:
        """The figures of the message of a program that memory ran out, where one is pasted."""
        return self._lexicon.ran_out(self._folded)

    def reply_at(self, place: str) -> str:
        """The next place on that path, where it answers the question asked at this one."""
        return self._lexicon.reply(place, self._standing)

    # --- names and amounts -------------------------------------------------------------------------------------------

    @property
    def values(self) -> tuple[SlotValue, ...]:
        """All values that it names, in their order."""
        return self._reading.slots if self._reading is not None else ()

    def named(self, slot: str) -> tuple[SlotValue, ...]:
        """Values of one slot that it names, wished or not."""
        return tuple([found for found in self.values if found.slot == slot])

    def wished(self, slot: str) -> list[object]:
        """Values of one slot that it names and does not rule out."""
        return [found.value for found in self.named(slot) if not found.negated]

    def counts_of(self, slot: str) -> dict[str, int]:
        """Value -> the count that stands beside it."""
        return {str(found.value): found.count for found in self.named(slot) if found.count is not None}

    def terms_without(self, slot: str) -> str:
        """What a search takes, without the names of one slot."""
        text = self._text
        for found in sorted(self.named(slot), key=lambda one: -one.span.start):
            text = f"{text[: found.span.start]} {text[found.span.end :]}"
        return text

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Its Latin words, numbers and what mixes them, in lower case."""
        return self._lexicon.words(self._folded)

    @property
    def tokens(self) -> tuple[str, ...]:
        """Its words and numbers, evened, one by one."""
        return self._reading.tokens if self._reading is not None else ()

    @property
    def epochs(self) -> int | None:
        """How many times data is gone through, where it says so."""
        return self._lexicon.epochs(self._words)

    @property
    def train_tokens(self) -> float | None:
        """An amount of training tokens, where it says one."""
        return self._lexicon.train_tokens(self._words)

    @property
    def tokens_per_second(self) -> float | None:
        """The pace of writing that it says it sees."""
        return self._lexicon.tokens_per_second(self._folded)

    @property
    def rate(self) -> tuple[float, str] | None:
        """A rate of work that it tells, and its unit."""
        return self._lexicon.rate(self._words)

    @cached_property
    def mfu(self) -> float | None:
        """The share of the peak that training is said to use, 0 to 1."""
        return self._lexicon.mfu(self._words)

    @property
    def steps(self) -> int | None:
        """A number of steps, as pictures are drawn in, where it says one."""
        return self._lexicon.steps(self._words)

    @property
    def drawn(self) -> int | None:
        """How many pictures or clips are to be made, where it says more than one; digits of a name are no number."""
        said = {one.value for one in self._numbers}
        found = next((one for one in self._lexicon.drawn(self._folded) if one > 1 and one in said), None)
        return found or next((int(one.value) for one in self._numbers if one.unit == "image" and one.value > 1), None)

    def clip_seconds(self, *, again: bool) -> float | None:
        """Seconds that a clip is to last, where some are said that nobody measured; `again` where a length was told."""
        told = [one.value for one in self._numbers if one.unit == "second" and (again or one.role != "measured")]
        return next((one for one in told if 1 <= one <= _LONGEST_CLIP), None)

    @cached_property
    def machine(self) -> tuple[str, str]:
        """The processor that it names, and kind, speed and channels of the machine's memory; "" where unsaid."""
        return self._lexicon.machine(self._folded)

    @property
    def numbers(self) -> tuple[str, ...]:
        """Its numbers as written."""
        return self._lexicon.numbers(self._text)

    @property
    def bare_numbers(self) -> tuple[str, ...]:
        """Of these the ones that are no part of a name and have no unit right behind."""
        return self._lexicon.bare_numbers(self._text)

    @property
    def gbit(self) -> float | None:
        """Gbit/s of the network that it names."""
        return self._lexicon.gbit(self._folded)

    @property
    def batches(self) -> tuple[int, ...]:
        """Sizes of batches that it names, in their order."""
        return self._lexicon.batches(self._folded)

    @property
    def caches(self) -> tuple[str, ...]:
        """Number formats of the KV cache that it names, in their order: fp16 | fp8 | int8 | int4."""
        return self._lexicon.caches(self._folded)

    @cached_property
    def words_of_weights(self) -> tuple[str, ...]:
        """Its Latin words, numbers and what mixes them, but for formats of a cache."""
        return self._lexicon.words_of_weights(self._folded)

    @property
    def gigabytes(self) -> tuple[float, ...]:
        """All amounts of memory that it names, in GB."""
        return self.amounts_of("GB")

    @cached_property
    def pieces(self) -> tuple[tuple[int, float], ...]:
        """Amounts of memory that have a number of cards right before them: how many, and GB of each."""
        numbers = self._numbers
        pairs = pairwise(numbers)
        return tuple((int(n.value), size.value) for n, size in pairs if size.unit == "GB" and is_few(n))

    def amounts_of(self, unit: str) -> tuple[float, ...]:
        """Its numbers in a unit (card, percent), in their order."""
        return tuple(one.value for one in self._numbers if one.unit == unit)

    @property
    def lengths(self) -> tuple[int, ...]:
        """Lengths of a text in tokens that it names, in their order."""
        return tuple(int(one.value) for one in self._numbers if one.thousands or one.unit == "token")

    def slot_of_board(self, kind: str) -> frozenset[int]:
        """`lanes` or `generation` of slots, `amps` of circuits that it names."""
        return self._lexicon.slot(kind, self._folded)

    @cached_property
    def watts_limit(self) -> float | None:
        """Watts that a card is limited to, where it says so."""
        supplies = self.wished("psu_w")
        watts = [one for one in self._numbers if one.unit == "W" and one.role != "rating" and one.value not in supplies]
        told = [one.value for one in watts if one.role == "limit"]
        spoken_of = (one.value for one in watts if self.speaks_of("power_limit") or self.shows("limited", "watts"))
        return next(iter(told or spoken_of), None)

    @cached_property
    def prices(self) -> tuple[StatedPrice, ...]:
        """What cards are said to cost; what one costs beyond another, or a unit of power costs, is no price."""
        beyond = self._number_between
        units = {float(found.value["amount"]) for found in self.named("electricity_price") if found.value.get("amount")}
        said = [one for one in self._numbers if one is not beyond and one.value not in units]
        return stated_prices(said, long=len(self.tokens) >= LONG)

    @property
    def bare_amount(self) -> float | None:
        """The one number that has no unit and is large enough to be the money for a card; None where there are more."""
        return bare_amount(self._numbers)

    @property
    def price_between(self) -> tuple[float, str] | None:
        """What one of two cards is said to cost beyond the other, and its currency, "" where that is unsaid."""
        beyond = self._number_between
        return (beyond.value, beyond.unit if beyond.kind == "money" else "") if beyond is not None else None

    @cached_property
    def _number_between(self) -> Number | None:
        """The number that tells how much dearer one of two cards is; whether a price is dear says no difference."""
        if len(self.wished("gpu")) != _TWO_SIDES or self.shows("deal", "judged"):
            return None
        return number_between(self._numbers)

    @property
    def _numbers(self) -> tuple[Number, ...]:
        return self._reading.said.numbers if self._reading is not None else ()

    @property
    def watts(self) -> tuple[float, ...]:
        """All watts that it names."""
        return tuple(one.value for one in self._numbers if one.unit == "W")

    @property
    def sale(self) -> tuple[float | None, float | None]:
        """What a card is bought for and what it is sold for afterwards."""
        return sale_of(self._numbers)

    @property
    def watts_of_card(self) -> float | None:
        """Watts that stand beside a card and are told as those of nothing else."""
        return next((one.value for one in self._numbers if one.unit == "W" and one.role in {"", "card_power"}), None)

    @property
    def money_in_all(self) -> bool:
        """Whether an amount of money is for all cards together, by its part or by words for a lot."""
        told = any(one.kind == "money" and one.role == "total" for one in self._numbers)
        return told or self.shows("deal", "lot")

    @property
    def memory_in_all(self) -> float | None:
        """GB of all cards together, where it says so."""
        return next((one.value for one in self._numbers if one.unit == "GB" and one.role == "total"), None)

    @property
    def span(self) -> dict[str, object] | None:
        """For how long in all something goes on, where it says so: amount and unit, as the slot of times holds them."""
        found = next((one for one in self._numbers if one.role == "span" and one.unit in _SPANS), None)
        return {"amount": found.value, "unit": found.unit} if found is not None else None

    @property
    def rounds_hours(self) -> float | None:
        """Hours of all rounds together, where the time of one round and their number are told."""
        times = [one.value * _IN_HOURS[one.unit] for one in self._numbers if one.unit in _IN_HOURS]
        rounds = [one.value for one in self._numbers if one.unit == _ROUND]
        return times[0] * max(rounds) if len(times) == 1 and sorted(rounds)[:1] == [1] and len(rounds) > 1 else None

    @property
    def has_deadline(self) -> bool:
        """Whether a time that it names is one to keep to."""
        return any(one.role == "deadline" for one in self._numbers)

    @property
    def driver(self) -> str:
        """Version of the driver that it names."""
        return self._lexicon.driver(self._folded)

    @property
    def capability(self) -> str:
        """The compute capability that it names as an sm number."""
        return self._lexicon.capability(self._folded)

    @cached_property
    def _folded(self) -> str:
        """Full-width letters folded, lower case."""
        return unicodedata.normalize("NFKC", self._text).casefold()

    @cached_property
    def _words(self) -> str:
        """The message folded and, where it differs, as reading evened it: a sign may be said either way."""
        even = self._reading.normalised.lower() if self._reading is not None else ""
        return self._folded if even in {"", self._folded} else f"{self._folded}\n{even}"

    @cached_property
    def _standing(self) -> frozenset[str]:
        """Words of signs whose letters stand in it, looked for once for all groups."""
        return self._lexicon.standing(self._words)
