"""Tells whether a number without a unit is an amount of money, by what stands around it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from bot.understand.lexicon import Found
from bot.understand.slots.budgets import WISH
from bot.understand.slots.context import Cues, counts_cluster
from bot.understand.slots.found import Reading
from bot.understand.slots.numbers import Quantity
from bot.understand.slots.rates import MONEY_TALK, is_hourly, pays_for_power
from bot.understand.slots.verdicts import Rows, verdict

LEAST_LIMIT: Final = 100.0
"""What a card may cost at most, from here on; less is a memory size or a count."""
SHORT_REPLY: Final = 8
_FIGURES: Final = frozenset({"bandwidth", "compute_power", "throughput", "utilization", "cuda_core", "driver"})
"""Where these are spoken of, a bare number is more likely one of them, or its version, than money."""
_CHOOSING: Final = frozenset({"which_card", "which_config", "recommend", "buying", "laptop", "workstation", "server"})
"""Where these are spoken of, a number that nothing else claims may be what one has for it."""
_ALONE: Final = "student"
"""Who a sum is not given to as to a group."""
_MACHINES: Final = frozenset({"gpu", "workstation", "laptop", "server"})
"""Right behind these a number is what the thing may cost."""
_OTHER_LIMITS: Final = _FIGURES | {
    "psu", "power_draw", "power_limit", "cooling", "noise", "clock", "sequence_length", "kv_cache", "dataset",
    "data_loading", "batch_size", "many_users", "time_question", "electricity",
}  # fmt: skip
"""What else has a limit that is said without its unit."""
_PRICED: Final = frozenset({"second_hand", "price", "worth", "expensive", "cheap", "buying", "renting"})
"""Where these are spoken of, a number right behind a card is its price."""
_LENGTHS: Final = frozenset({"sequence_length", "kv_cache"})
_LEAST_BUDGET: Final = 300.0
_SCREENS: Final = frozenset({2000.0, 4000.0, 8000.0})
_LEAST_PIECE: Final = 100.0
"""A card costs at least as much, where nobody says that the number is money."""
_LONGEST_LIMIT: Final = 14
_LONGEST_OF: Final = 18
"""Characters between a price and its card ("for a second-hand")."""
_LONGEST_ASK: Final = 12
"""Characters between a card and its price ("going for")."""
_PIXELS: Final = frozenset({512, 640, 768, 1024, 1280, 1536, 2048})
"""Sizes of pictures: one of them is no price of a piece where nobody speaks of money."""
_MOST_HOURLY: Final = 50.0
"""An hour of one card costs less."""
_LEAST_OF_EACH: Final = 1000.0
"""From here on numbers behind several cards are their prices."""
_MEMORY: Final = re.compile(r"\b\d{1,3} ?gi?b?(?![a-z])")
"""The memory of a card, behind its name."""
_YEARS: Final = (1950, 2050)
"""A plain number from the first to the second may be a year."""
_FOR_A_CARD: Final = ("for a gpu", "for a card")


def bare_is_money(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether a number without a unit is an amount, by what stands around it."""
    return verdict(_ROWS, reading, quantity, cues, otherwise=False)


def amount_stands(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether what follows a bare number leaves it an amount, being no noun that it counts ("two million rows")."""
    after = reading.flat[quantity.end : quantity.end + 14]
    if after and _is_set_apart(reading, quantity, cues):
        return not cues.starting["counted_noun"](after)
    if not after or not after[0].isalnum():
        plain = after.lstrip(" ")
        if plain == after or not _is_latin(plain[:1]):
            return True
        begin = quantity.end + len(after) - len(plain)
        return not reading.is_free(begin, begin + 1) or cues.starting["after_amount"](plain)
    return not after[0].isascii() and not cues.starting["counted_noun"](after)


def _is_set_apart(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether a Chinese number in thousands or more stands before a space: what it counts would stand right at it."""
    scaled = reading.language == "zh" and not quantity.words and quantity.magnitude in cues.words["money_scale"]
    return scaled and reading.ends_apart(quantity.end)


def _is_latin(character: str) -> bool:
    """Whether this is a Latin letter or a digit; "" is none."""
    return character.isascii() and character.isalnum()


# --- what a number is, before its size is looked at -------------------------------------------------------------------


def _beside_budget_word(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    return quantity.value >= LEAST_LIMIT and cues.either("budget_word", reading, quantity.start, quantity.end)


def _counts_something(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    return not amount_stands(reading, quantity, cues) or counts_cluster(reading, quantity.value, quantity.end)


def _is_length(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether lengths are spoken of in thousands, or the word for one stands right before a number."""
    spoken = quantity.magnitude == "k" and not reading.concepts.isdisjoint(_LENGTHS)
    return spoken or cues.before("seq_len", reading, quantity.start)


def _is_screen(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether 2k, 4k or 8k is the size of a screen: in a game, or where pictures are spoken of."""
    if quantity.value not in _SCREENS:
        return False
    if "gaming" in reading.concepts:
        return True
    # pictures make 4k their size
    return quantity.magnitude == "k" and quantity.bound != "max" and cues.starts("picture_noun", reading.flat)


def _is_sum(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether enough is said to be a budget or the price of a card."""
    return quantity.value >= _LEAST_BUDGET and (
        _looks_like_budget(reading, quantity, cues) or verdict(_PRICES, reading, quantity, cues, otherwise=False)
    )


def _is_scaled(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether a scaled number of a Chinese message stands alone ("1.5w", "5k the card")."""
    if reading.language != "zh" or quantity.words or quantity.magnitude not in cues.words["money_scale"]:
        return False
    return not cues.either("seq_len", reading, quantity.start, quantity.end) and _alone(reading, quantity)


def _alone(reading: Reading, quantity: Quantity) -> bool:
    """Whether what follows a scaled number leaves it an amount, not a count of something."""
    if _is_latin(reading.text[quantity.end : quantity.end + 1]):
        return False
    return not reading.concepts.isdisjoint(MONEY_TALK) or len(reading.text) <= SHORT_REPLY


# --- limits of a choice -----------------------------------------------------------------------------------------------


def _bounds_choice(reading: Reading, quantity: Quantity, _: Cues) -> bool:
    """Whether a number beside a word of limit is what a card may cost ("gpu under 1000", "2000 or so for a card")."""
    if quantity.value < LEAST_LIMIT or not (quantity.bound == "max" or quantity.approximate):
        return False
    if not reading.concepts.isdisjoint(_OTHER_LIMITS) or _may_be_length(reading, quantity):
        return False
    return _chooses(reading, quantity)


def _limit_alone(reading: Reading, quantity: Quantity, _: Cues) -> bool:
    """Whether a message is no more than a limit of hundreds ("under 1000"): a card is what has one here."""
    return (
        quantity.bound == "max"
        and quantity.value >= LEAST_LIMIT
        and len(reading.text) <= _LONGEST_LIMIT
        and not reading.values
        and not is_binary(quantity)
    )


def _may_be_length(reading: Reading, quantity: Quantity) -> bool:
    """Whether lengths come in such numbers and nobody speaks of money; thousands only beside a model."""
    length = is_binary(quantity) and (quantity.magnitude != "k" or reading.has("model"))
    return length and reading.concepts.isdisjoint(MONEY_TALK)


def _chooses(reading: Reading, quantity: Quantity) -> bool:
    """Whether something is chosen that a limit of money may be for."""
    if reading.has("gpu"):
        return not reading.concepts.isdisjoint(MONEY_TALK | {"compare", "or_word"})
    if quantity.approximate and quantity.bound != "max":
        return not reading.concepts.isdisjoint(_CHOOSING | {"gpu"})
    return not reading.concepts.isdisjoint(WISH | {"gpu", "vram"}) or reading.has("model")


def is_binary(quantity: Quantity) -> bool:
    """Whether an amount is one that lengths, batches and pictures come in: 512, 4096, 8k."""
    value = quantity.value / 1000 if quantity.magnitude == "k" else quantity.value
    return value >= 4 and value == int(value) and int(value) & (int(value) - 1) == 0


# --- what is left at the end of a wish --------------------------------------------------------------------------------


def _left_over(reading: Reading, quantity: Quantity, _: Cues) -> bool:
    """Whether a number that closes a wish for a card says what one has ("best laptop for deep learning 1500")."""
    return (
        not reading.concepts.isdisjoint(_CHOOSING | {"gpu"})
        and reading.concepts.isdisjoint(_OTHER_LIMITS)
        and not reading.has("gpu")
        and _is_plain_sum(quantity)
        and not _belongs_to_model(reading, quantity)
        and _closes_wish(reading, quantity)
    )


def _for_a_machine(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether a sum pays for the machine beside it ("has 12k for a lab server", "3k on a box", "a rig for 12k")."""
    small = quantity.value < _LEAST_BUDGET or quantity.bound
    if small or reading.has("gpu") or "time_question" in reading.concepts:
        return False
    machines = [one for one in reading.places if not _MACHINES.isdisjoint(one.concepts)]
    if _is_paid_for(reading, quantity, machines, cues.words["for_machine"]):
        return True
    before = {reading.text[one.end : quantity.start].strip() for one in machines}
    return quantity.magnitude == "k" and not before.isdisjoint(cues.words["for_amount"])


def _is_paid_for(reading: Reading, quantity: Quantity, machines: Sequence[Found], words: Sequence[str]) -> bool:
    """Whether a sum is tied to a machine, or to a group, right behind it."""
    return any(_is_link(reading.text[quantity.end : at].strip(), words) for at in _paid_for(reading, machines))


def _paid_for(reading: Reading, machines: Sequence[Found]) -> list[int]:
    """Where machines begin and names of groups end that a sum is for: the article of a group is part of its name."""
    groups = [value.end for value in reading.values if value.slot == "persona" and value.value != _ALONE]
    return [*(one.start for one in machines), *groups]


def _is_plain_sum(quantity: Quantity) -> bool:
    """Whether a number in figures, without a limit, is neither a length, a picture, a year nor a fraction."""
    if quantity.words or quantity.bound or quantity.value < _LEAST_BUDGET:
        return False
    if is_binary(quantity) or quantity.value in _PIXELS or _YEARS[0] <= quantity.value <= _YEARS[1]:
        return False
    return quantity.value == int(quantity.value)


def _belongs_to_model(reading: Reading, quantity: Quantity) -> bool:
    return any(value.slot == "model" and 0 <= quantity.start - value.end <= 2 for value in reading.values)


def _closes_wish(reading: Reading, quantity: Quantity) -> bool:
    """Whether the wish ends with a number, or the machine that is wished stands right before it."""
    following = reading.text[quantity.end :].lstrip(" ")
    ends = reading.language == "zh" or not following
    if (ends and _behind_machine(reading, quantity)) or following.startswith(_FOR_A_CARD):
        return True
    if reading.concepts.isdisjoint(_CHOOSING):
        return False
    return not following[:1].isalnum() or (quantity.magnitude == "k" and reading.language == "en")


def _behind_machine(reading: Reading, quantity: Quantity) -> bool:
    return any(
        found.end <= quantity.start <= found.end + 1 and not _MACHINES.isdisjoint(found.concepts)
        for found in reading.places
    )


# --- budgets and prices among large numbers ---------------------------------------------------------------------------


def _looks_like_budget(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether the words beside a large number, or how it is written, make it what may be spent."""
    if cues.before("budget", reading, quantity.start):
        return True
    if _is_year(quantity) or not reading.concepts.isdisjoint(_FIGURES):
        return False
    chinese, said_after = reading.language == "zh", cues.after("budget", reading, quantity.end)
    if quantity.bound == "max" or quantity.magnitude or quantity.words:
        return said_after or quantity.words or (chinese and quantity.magnitude != "")
    return chinese and said_after


def _is_year(quantity: Quantity) -> bool:
    """Whether a plain number, neither scaled nor limited, may be a year."""
    plain = not (quantity.magnitude or quantity.bound or quantity.approximate)
    return plain and _YEARS[0] <= quantity.value <= _YEARS[1]


def _is_figure(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether figures of cards are spoken of, or a number is written as no price of one piece is."""
    if not reading.concepts.isdisjoint(_FIGURES):
        return True
    return bool(quantity.words or quantity.magnitude) and not _of_each(reading, quantity, cues)


def _of_each(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether the word for each piece stands behind a number of a Chinese message."""
    return reading.language == "zh" and cues.after("each", reading, quantity.end)


def _rents_at(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether a broken number right behind a card is what an hour of it costs ("rent an A100 at 1.39")."""
    if quantity.value == int(quantity.value) or quantity.value >= _MOST_HOURLY or "renting" not in reading.concepts:
        return False
    between = [reading.text[one.end : quantity.start].strip() for one in reading.values if one.slot == "gpu"]
    return "" in between or (bool(between) and cues.before("price", reading, quantity.start))


def _was_paid(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether a card was had for a bare number, or is had for it ("got it for 309", "800 for a used 3090")."""
    if quantity.value < _LEAST_PIECE or not reading.has("gpu") or not reading.concepts.isdisjoint(_OTHER_LIMITS):
        return False
    if reading.language == "zh" and cues.starting["had_for"](reading.flat[quantity.end : quantity.end + 6]):
        return True
    between = [reading.text[quantity.end : value.start] for value in reading.values if value.slot == "gpu"]
    return not quantity.bound and any(_is_link(text.strip(), cues.words["priced_at"]) for text in between)


def _is_link(between: str, words: Sequence[str]) -> bool:
    """Whether a word that ties a price to a card stands between the two, with no more than a remark on the card."""
    return 0 < len(between) <= _LONGEST_OF and between.startswith(tuple(words)) and between.replace(" ", "").isalpha()


def _called_price(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether a word for what is asked stands right before a number, and prices are spoken of or a card is named."""
    if quantity.value < _LEAST_PIECE or not cues.before("price", reading, quantity.start):
        return False
    if reading.language == "zh" and not reading.concepts.isdisjoint(_PRICED):
        return True
    own = any(value.slot == "gpu" and 0 < quantity.start - value.end <= _LONGEST_ASK for value in reading.values)
    return own and _is_plain_sum(quantity) and reading.concepts.isdisjoint(_OTHER_LIMITS)


def _behind_its_card(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether a number stands right behind a card ("used 3090 5500") where prices are spoken of, or behind each.

    So does one behind what condition the card is in ("3090 used 700").
    """
    if _behind_condition(reading, quantity, cues):
        return _is_plain_sum(quantity) and reading.concepts.isdisjoint(_OTHER_LIMITS)
    if not _stands_behind_card(reading, quantity):
        return False
    if reading.language == "zh" and quantity.value >= _LEAST_OF_EACH and _is_plain_sum(quantity):
        return reading.concepts.isdisjoint(_OTHER_LIMITS)
    behind = [one for one in reading.quantities if one.value >= _LEAST_OF_EACH and _stands_behind_card(reading, one)]
    return not reading.concepts.isdisjoint(_PRICED) or len(behind) > 1


def _stands_behind_card(reading: Reading, quantity: Quantity) -> bool:
    return any(value.slot == "gpu" and 0 <= quantity.start - value.end <= 1 for value in reading.values)


def _behind_condition(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether nothing but a card's memory and whether it is new stands between the two."""
    between = [reading.text[one.end : quantity.start] for one in reading.values if one.slot == "gpu"]
    return any(_MEMORY.sub("", text).strip() in cues.words["condition"] for text in between if len(text) <= _LONGEST_OF)


def _is_time_or_picture(reading: Reading, quantity: Quantity, _: Cues) -> bool:
    if "time_question" in reading.concepts:
        return True
    return quantity.value in _PIXELS and reading.concepts.isdisjoint(MONEY_TALK)


_PRICES: Final[Rows[bool]] = (
    (_is_figure, False),
    (_was_paid, True),
    (_called_price, True),
    (_behind_its_card, True),
    (_is_time_or_picture, False),
    (_of_each, True),
)
"""When a bare number is what one card costs."""
_ROWS: Final[Rows[bool]] = (
    (pays_for_power, True),
    (is_hourly, True),
    (_rents_at, True),
    (_beside_budget_word, True),
    (_counts_something, False),
    (_is_length, False),
    (_is_screen, False),
    (_is_sum, True),
    (_bounds_choice, True),
    (_limit_alone, True),
    (_for_a_machine, True),
    (_left_over, True),
    (_is_scaled, True),
)
"""When a bare number is money."""
