"""A message to its sum, if it asks for one: read amounts, choose, tell, and what the conversation keeps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from functools import cached_property
from typing import Final

from advisor.calculators import Given
from advisor.catalog import Catalog
from advisor.errors import NoRate
from advisor.models import Gpu
from bot.answers.sums.again import WEAK
from bot.answers.sums.apart import apart
from bot.answers.sums.cancel import cancelled
from bot.answers.sums.choose import LEAST, PLAIN, SPENT, Chosen, choose
from bot.answers.sums.coins import Exchange, in_one_currency
from bot.answers.sums.dealt import dealt
from bot.answers.sums.expressed import expressed_again, expressed_sum
from bot.answers.sums.fitted import fitted
from bot.answers.sums.frames import frame_of
from bot.answers.sums.gate import Found, goes_on_with, right_before
from bot.answers.sums.held import held_sum
from bot.answers.sums.left import left_out
from bot.answers.sums.left_out import cards_of, leaves_out_a_card
from bot.answers.sums.nothing import is_circular, is_nothing
from bot.answers.sums.of_record import Records
from bot.answers.sums.of_values import is_refuted, of_values
from bot.answers.sums.once_more import need_of, retold
from bot.answers.sums.reader import Reader
from bot.answers.sums.reckoned import is_of_records, names_a_thing
from bot.answers.sums.records import as_recorded, grid_of, provider_of, rent_of, rented, tariff_of, watts_of, width_of
from bot.answers.sums.reopened import named_before, reopened, scaled, shared_again, spread
from bot.answers.sums.side_by_side import side_by_side
from bot.answers.sums.tell import odd, tell
from bot.answers.sums.termed import termed
from bot.answers.sums.topical import of_trade
from bot.core.conversation import Conversation
from bot.core.sums import SumFrame
from bot.core.understanding import Understanding
from bot.dialogue.ground import wants_language
from bot.read.blanks import is_named_only
from bot.read.placed import Amounts, Asked, Placed
from bot.read.signs import hear
from bot.understand.normalise import NormalisedText

_OF_A_MODEL: Final = frozenset(
    {
        "fits",
        "need_gb",
        "state_gb",
        "one_card_hours",
        "hours_on_n",
        "kv_gib",
        "kv_token_kib",
        "longest_tokens",
        "most_requests",
    }
)
"""What is asked of a named model is worked out from its record."""
_ADVICE: Final = frozenset(
    {"perf_troubleshooting", "platform_howto", "reduce_memory", "cuda_compat", "used_or_cheap", "upgrade_or_not"}
)
"""Needs whose messages often hold numbers that nobody wants summed up."""
_SURELY, _PLAINLY = 0.8, 5.0
"""How sure a need is that keeps a sum out, and how plainly a sum is asked for that goes ahead all the same."""
_USUAL: Final = {
    "estimate_cost": ("power_cost", "bill", "storage_cost", "api_bill", "sound_bill"),
    "carbon_footprint": ("kg",),
    "rent_or_buy": ("break_even_days", "break_even_hours"),
}
"""What these needs are about where no clause asks for anything."""
_NAMED_ELSEWHERE: Final = frozenset({"rent_or_buy"})
"""Needs of which a named card has an answer of its own."""
_AMOUNTS: Final = frozenset({"budget", "price"})
"""Slots of money."""
_BUDGET: Final = "budget"
_EXCHANGED: Final = frozenset({"fx_rate", "bank_rate"})
_SEVERAL: Final = 2
_ELSEWHERE: Final = 0.5
_PLAIN_ELSEWHERE: Final = 3.0
"""From here on a message seems of another subject, and how plainly a sum of ours is asked for all the same."""


_RECORDED: Final = frozenset({"gpu", "gpu_family", "model", "provider"})
_BY_SIZE: Final = "llm-"
"""How the models are called that are named by nothing but their size."""
_HELPS: Final = "ram_gb"
_OF_RAM: Final = frozenset({"transfers_mt_s", "memory_channels"})
"""What tells the memory of the computer: a card that keeps a part there is not as fast as that memory alone."""
_INTO_CARDS: Final = frozenset({"most_bits", "largest_params"})
"""What goes into cards alone, and the memory of the computer that could hold the rest: the plan of the job decides."""


class SumRoad:
    """Finds sums. Holds no state."""

    def __init__(self, make: Callable[[], Reader], even: Callable[[str], NormalisedText], cards: Catalog) -> None:
        """Take the parts.

        Args:
            make: makes the reader of amounts, when a message first holds numbers enough.
            even: brings a message into the form in which it is read.
            cards: the catalogue.
        """
        self._make, self._even, self._cards = make, even, cards

    @cached_property
    def _reader(self) -> Reader:
        return self._make()

    def told(
        self, text: str, amounts: Amounts | None, understanding: Understanding, state: Conversation, on: date
    ) -> Found | None:
        """The sum that a message asks for, by its own numbers or by its money and the bill right before.

        Args:
            text: the message.
            amounts: what was found in it.
            understanding: the message.
            state: with the sum or the bill of the last answer.
            on: prices and rates of record are those of the day.
        """
        if wants_language(text):
            return retold(goes_on_with(state), state.turn + 1)
        found = self._on_topic(text, understanding, state)
        if found is None and amounts is not None:
            found = self.find(amounts, understanding, state, on)
        return found or self._against_bill(text, understanding, state, on)

    def _on_topic(self, text: str, understanding: Understanding, state: Conversation) -> Found | None:
        """The sum of a trade that a message asks for, by its own numbers or by those of the sum right before."""
        before = goes_on_with(state)
        goes_on = before if not _names_a_thing(understanding) else None
        found = of_trade(self._reader, self._even(text), goes_on)
        if found is None or _runs_beside_ram(found.chosen, understanding):
            return None
        currency = _currency_of(found.amounts, before, understanding)
        told = tell(found.chosen, found.amounts, currency, Records(), language=understanding.language)
        frame = frame_of(found.chosen, currency, state.turn + 1, None).model_copy(update={"topic": found.topic})
        return Found(told.answer, need_of(found.chosen), frame)

    def _against_bill(self, text: str, understanding: Understanding, state: Conversation, on: date) -> Found | None:
        """What the money of a message reaches for, where the last answer was a bill by recorded prices."""
        bill = right_before(state)
        if bill is None or not bill.of_record or not _speaks_of_money(understanding):
            return None
        amounts = self.amounts(text, understanding, follows=True)
        amounts = _as_spent(amounts) if amounts is not None else None
        if amounts is None or amounts.currency not in {"", bill.currency}:
            return None
        going_on = state.model_copy(update={"sums": bill.model_copy(update={"of_record": False})})
        found = self.find(amounts, understanding, going_on, on)
        return found if found is not None and SPENT.intersection(found.frame.asked if found.frame else ()) else None

    def find(self, amounts: Amounts, understanding: Understanding, state: Conversation, on: date) -> Found | None:
        """The sum that a message asks for; None when it asks for none that its numbers reach.

        Prices and rates of record are those of the day.
        """
        before = goes_on_with(state)
        card = self._named(understanding)
        amounts = as_recorded(amounts, card, understanding)
        try:
            amounts, exchanges = self._in_one_currency(amounts, before, understanding, on)
            currency = _currency_of(amounts, before, understanding)
            rent = rent_of(self._cards, card, amounts, understanding, currency, on)
        except NoRate:
            return None
        said = (*grid_of(understanding), *width_of(amounts, understanding))
        supplied = (*watts_of(card), *said, *tariff_of(amounts, currency), *rented(rent))
        chosen, amounts = _chosen(amounts, before, supplied, understanding)
        if chosen is None or is_nothing(chosen) or not _ours(chosen, understanding, state):
            return None
        if _of_another_need(chosen, understanding):
            return None
        if not _EXCHANGED.isdisjoint(chosen.solutions[0].node.said):
            currency = amounts.wanted or ("CNY" if understanding.language == "zh" else "USD")
        need = need_of(chosen)
        if amounts.odd:
            return Found(odd(amounts, currency), need, None)
        provider = provider_of(self._cards, rent, understanding.language)
        records = Records(card.name if card else "", rent, provider, exchanges)
        told = tell(chosen, amounts, currency, records, language=understanding.language)
        return Found(told.answer, need, frame_of(chosen, currency, state.turn + 1, before))

    def _in_one_currency(
        self, amounts: Amounts, before: SumFrame | None, understanding: Understanding, on: date
    ) -> tuple[Amounts, tuple[Exchange, ...]]:
        """All money in the currency that is asked for, else in that of the asker where several were named."""
        named = next((str(slot.value) for slot in understanding.slots if slot.slot == "currency"), "")
        asked = amounts.wanted or named
        if not asked and len(amounts.currencies) < _SEVERAL:
            return amounts, ()
        home = "CNY" if understanding.language == "zh" else "USD"
        kept = before.currency if before is not None else home
        wanted = asked or (kept if kept in amounts.currencies else amounts.currency)
        return in_one_currency(amounts, wanted, lambda base, currency: self._cards.rate(base, currency, on))

    def amounts(self, text: str, understanding: Understanding, *, follows: bool) -> Amounts | None:
        """What a message gives and asks for; None where it asks nothing of numbers and `follows` no sum."""
        even = self._even(text)
        blanks = self._reader.blanks(even)
        usual = () if blanks and not is_named_only(blanks) else _usual(understanding)
        if not any((follows, blanks, usual)) and not self._reader.asks(even):
            return None
        amounts = self._reader.read(even, understanding, blanks, follows=follows)
        if amounts is None or (follows and not blanks):
            return amounts
        return replace(amounts, asked=(*amounts.asked, *usual))

    def _named(self, understanding: Understanding) -> Gpu | None:
        """The one card that a message names, if it names one."""
        names = cards_of(understanding)
        return self._cards.find_gpu(names.pop()) if len(names) == 1 else None


def _chosen(
    amounts: Amounts, before: SumFrame | None, supplied: tuple[Given, ...], understanding: Understanding
) -> tuple[Chosen | None, Amounts]:
    """The sums of a message, and what its numbers are in them; where a thing is named they are what words say."""
    own = dealt(amounts, before)
    if own is not None:
        return own
    again = _once_more(before, amounts)
    if again is not None:
        return again, amounts
    chosen = _beside_ram(choose(amounts, before, supplied), amounts)
    chosen, amounts = _of_numbers(None if _is_beside(chosen, amounts) else chosen, amounts, understanding)
    chosen = _of_everything(chosen, amounts, understanding)
    shared = spread(before, amounts) if before is not None and _is_wanting(chosen, amounts) else None
    return (chosen, amounts) if shared is None else (shared, replace(amounts, flags=amounts.flags | {"evenly"}))


def _of_numbers(chosen: Chosen | None, amounts: Amounts, understanding: Understanding) -> tuple[Chosen | None, Amounts]:
    """The sum that uses more of the numbers than the one found by name, and what they are in it."""
    own = _is_of_its_numbers(chosen, amounts, understanding)
    whole = None if _names_a_thing(understanding) else fitted(chosen, amounts)
    if whole is not None and not (own and is_refuted(whole[0], amounts)):
        return whole
    return (of_values if own else cancelled)(chosen, amounts), amounts


def _of_everything(chosen: Chosen | None, amounts: Amounts, understanding: Understanding) -> Chosen | None:
    """The sum of everything that was said where one is found as it was said; else of things side by side."""
    if _is_of_its_numbers(chosen, amounts, understanding):
        told = held_sum(expressed_sum(chosen, amounts), amounts)
        if told is not chosen:
            return told
    elif not names_a_thing(understanding):
        chosen = held_sum(chosen, amounts, of_records=True)
    chosen = apart(termed(chosen, amounts, recorded=_names_a_thing(understanding)), amounts)
    return side_by_side(chosen, amounts, len(cards_of(understanding)))


def _is_wanting(chosen: Chosen | None, amounts: Amounts) -> bool:
    """Whether the sum of before has no use for what is said now."""
    return chosen is None or (chosen.follows and bool(left_out(chosen, amounts, frozenset(), ())))


def _is_beside(chosen: Chosen | None, amounts: Amounts) -> bool:
    """Whether a sum tells what was said, or goes on with the one before without use for most of what is said now."""
    if chosen is None or not chosen.follows:
        return chosen is not None and is_circular(chosen)
    return len(left_out(chosen, amounts, frozenset(), ())) >= _SEVERAL


def _once_more(before: SumFrame | None, amounts: Amounts) -> Chosen | None:
    """The sum of open nouns before with what is said now, or the one by name behind it."""
    if before is None:
        return None
    if before.open is None:
        return expressed_again(before.said, amounts)
    again = reopened(before.open, amounts)
    named = named_before(before)
    if named is None:
        return again
    if again is not None:
        return replace(again, given=tuple(Given(*one) for one in named.given.items()))
    found = scaled(named, amounts) or choose(amounts, named)
    return shared_again(before.open, found, amounts) if found is not None else None


def _is_of_its_numbers(chosen: Chosen | None, amounts: Amounts, understanding: Understanding) -> bool:
    """Whether what is asked is to be worked out from the numbers of the message alone."""
    best = understanding.ranking[0].intent if understanding.ranking else ""
    elsewhere = chosen is None and best == "out_of_scope"
    return not (elsewhere or names_a_thing(understanding) or is_of_records(understanding, amounts.things()[0]))


def _names_a_thing(understanding: Understanding) -> bool:
    """Whether a card or a model is named: its record says what numbers beside it are."""
    names = (slot for slot in understanding.slots if slot.slot in _RECORDED)
    return any(not str(slot.value).startswith(_BY_SIZE) for slot in names)


def _beside_ram(chosen: Chosen | None, amounts: Amounts) -> Chosen | None:
    """The sums, unless they fill cards alone while the memory of the computer was named, too."""
    alone = chosen is not None and any(one.name in _INTO_CARDS for one in chosen.solutions)
    return None if alone and _HELPS in amounts.values else chosen


def _usual(understanding: Understanding) -> tuple[Asked, ...]:
    """What a message surely wants that names its need in no clause: the sum that this need is about."""
    best = understanding.ranking[0] if understanding.ranking else None
    if best is None or best.score < _SURELY:
        return ()
    if best.intent in _NAMED_ELSEWHERE and any(slot.slot == "gpu" for slot in understanding.slots):
        return ()
    return tuple(Asked(name, LEAST, 0, fills=True) for name in _USUAL.get(best.intent, ()))


def _speaks_of_money(understanding: Understanding) -> bool:
    """Whether a message names an amount of money, and no card, time or place that changes the bill."""
    named = {slot.slot for slot in understanding.slots}
    spoken = bool(named & _AMOUNTS) or any(number.kind == "money" for number in understanding.said.numbers)
    return spoken and named <= _AMOUNTS | {"currency", "deploy"}


def _as_spent(amounts: Amounts) -> Amounts | None:
    """The amounts beside a bill, money that was called nothing as what there is to spend; None where there is none.

    Where nothing else that money reaches for is asked, it is whether it is enough.
    """
    placed = tuple(map(_named_budget, amounts.placed))
    asked = tuple([one for one in amounts.asked if one.name in SPENT and one.score >= LEAST])
    if not any(one.quantity in {_BUDGET, "budget_month"} for one in placed):
        return None
    return replace(amounts, placed=placed, asked=asked or (Asked("budget_enough", PLAIN, 0, fills=True),))


def _named_budget(placed: Placed) -> Placed:
    """Money that was called nothing as what there is to spend, any other value as it is."""
    unnamed = placed.quantity == "purchase" and placed.score < WEAK
    return replace(placed, quantity=_BUDGET, score=WEAK) if unnamed else placed


def _currency_of(amounts: Amounts, before: SumFrame | None, understanding: Understanding) -> str:
    """The currency that was named, now or with the sum before; else that of the language."""
    named = amounts.currency or (before.currency if before is not None else "")
    return named or ("CNY" if understanding.language == "zh" else "USD")


def _ours(chosen: Chosen, understanding: Understanding, state: Conversation) -> bool:
    """A named model decides by its record: what its memory and time are is not summed up from other numbers."""
    named = any(
        slot.slot == "model" and slot.known and not str(slot.value).startswith(_BY_SIZE) for slot in understanding.slots
    )
    if named and any(one.name in _OF_A_MODEL for one in chosen.solutions):
        return False
    if _prices_alone(chosen, understanding) or _takes_a_setting(chosen, understanding):
        return False
    return not (leaves_out_a_card(chosen, understanding, state) or _asks_what_a_limit_saves(understanding))


def _runs_beside_ram(chosen: Chosen, understanding: Understanding) -> bool:
    """Whether it is asked how fast a named model runs on a named card that has the memory of the computer beside it."""
    best = understanding.ranking[0].intent if understanding.ranking else ""
    named = {slot.slot for slot in understanding.slots if slot.known}
    return best == "estimate_time" and named >= {"gpu", "model"} and any(one.name in _OF_RAM for one in chosen.given)


_SET: Final = frozenset({"seq_len", "batch"})


def _takes_a_setting(chosen: Chosen, understanding: Understanding) -> bool:
    """Whether the length of a sample or a batch was taken for gigabytes."""
    settings = {float(slot.value) for slot in understanding.slots if slot.slot in _SET}
    return any(one.name == "peak_gb" and one.value in settings for one in chosen.given)


def _prices_alone(chosen: Chosen, understanding: Understanding) -> bool:
    """Whether rents of two cards are compared by nothing but the hour: how fast each is decides then."""
    cards = cards_of(understanding)
    if chosen.versus is None or len(cards) < _SEVERAL:
        return False
    total = chosen.versus.sides[0].total
    return (total is None or total.name == "hourly_rate") and hear(understanding.text).shows("of_two", "asked")


def _asks_what_a_limit_saves(understanding: Understanding) -> bool:
    """Whether it is asked what a named card saves: its bill without the limit stands in no number of the message."""
    named = any(slot.slot == "gpu" and not slot.negated for slot in understanding.slots)
    return named and "power_limit" in understanding.concepts and hear(understanding.text).shows("bill", "saved")


def _of_another_need(chosen: Chosen, understanding: Understanding) -> bool:
    """Whether a message surely wants advice of another kind and no more than happens to hold numbers."""
    best = understanding.ranking[0] if understanding.ranking else None
    if best is None:
        return False
    if best.intent == "out_of_scope":
        return best.score >= _ELSEWHERE and chosen.score < _PLAIN_ELSEWHERE
    return best.intent in _ADVICE and best.score >= _SURELY and chosen.score < _PLAINLY
