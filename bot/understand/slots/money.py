"""Tells budgets from quoted prices and electricity prices among the amounts of a message."""

from __future__ import annotations

from bot.understand.slots.context import Cues, plain_number
from bot.understand.slots.currency import ALONE, CENTS, CURRENCY, INDIAN, SIGNS, stated_before
from bot.understand.slots.found import Reading, Value
from bot.understand.slots.numbers import Quantity, QuantityGrammar

_WISH = frozenset({"which_card", "which_config", "recommend", "buying", "upgrade", "workstation", "laptop", "cheap"})
_MONEY_TALK = _WISH | {"price", "cost", "money_question", "second_hand", "worth", "renting", "expensive"}
_SPENT_BY_OTHERS = frozenset({"price", "cost", "money_question", "source_ask", "how_much"})
"""Where these are spoken of, an amount without a card is a cost and not what may be spent."""
_QUOTED = ("second_hand", "worth", "expensive", "source_ask")
_FIGURES = frozenset({"bandwidth", "compute_power", "throughput", "utilization", "cuda_core"})
"""Where these are spoken of, a bare number is more likely one of them than money."""
_CHOOSING = frozenset({"which_card", "which_config", "recommend", "buying", "laptop", "workstation", "server"})
"""Where these are spoken of, a number that nothing else claims may be what one has for it."""
_MACHINES = frozenset({"gpu", "workstation", "laptop", "server"})
"""Right behind these a number is what the thing may cost."""
_ONE_CARD = frozenset({"card", "gpu"})
_WHOLE_MACHINES, _LEAST_MACHINE = frozenset({"workstation", "server", "cluster"}), 1000.0
"""What an amount "for" it is meant to buy, whatever card is named beside it."""
_OTHER_LIMITS = _FIGURES | {
    "psu", "power_draw", "power_limit", "cooling", "noise", "clock", "sequence_length", "kv_cache", "dataset",
    "data_loading", "batch_size", "many_users", "time_question", "electricity",
}  # fmt: skip
"""What else has a limit that is said without its unit."""
_LEAST_LIMIT = 100.0
"""What a card may cost at most, from here on; less is a memory size or a count."""
_SHORT_REPLY = 8
_LEAST_BUDGET = 300.0
_SCREENS = frozenset({2000.0, 4000.0, 8000.0})
_FEWEST_COINS = 20
"""From here on the measure word for pieces means money, where no card stands behind it."""
_LEAST_SPENT = 150.0
"""What is said in a question without a card and is no rate is a budget from here on."""
_MOST_KWH = 10.0
_POWER_TALK = frozenset({"electricity", "power_draw", "power_limit", "carbon"})
"""Where these are spoken of, some cents are those of a kilowatt hour."""
_MOST_HOURLY = 200.0
_LEAST_PIECE = 100.0
"""A card costs at least as much, where nobody says that the number is money."""
_BUDGET_BEFORE = 20
"""Characters before an amount in which the word for a budget stands."""
_LONGEST_OF = 4
"""Characters between a price and its card."""
_PIXELS = frozenset({512, 640, 768, 1024, 1280, 1536, 2048})
"""Sizes of pictures: one of them is no price of a piece where nobody speaks of money."""


def read_money(reading: Reading, quantities: list[Quantity], cues: Cues, units: QuantityGrammar) -> list[Quantity]:
    """Add budget, price and electricity_price; gives back the quantities that are not money."""
    rest: list[Quantity] = []
    for quantity in quantities:
        currency = _currency(reading, quantity, cues, units)
        if not currency:
            rest.append(quantity)
            continue
        end = quantity.end
        value = _value_of(reading, quantity, currency, cues)
        if value is not None:
            reading.values.append(value)
            reading.claim(quantity.start, end)
    return rest


def read_lone_currency(reading: Reading, quantities: QuantityGrammar) -> None:
    """A short message that names a currency and no number ("no, in yuan") corrects the currency of an amount."""
    if len(reading.tokens) > _SHORT_REPLY or reading.numbers:
        return
    asked = reading.concepts & {"how_much", "money_question", "price", "cost"}
    if asked or any(value.slot not in {"deploy", "region"} for value in reading.values):
        return
    found = quantities.lone_unit(reading, ALONE)
    if found is not None:
        kind, start, end = found
        if end - start == 1 and end < len(reading.text) - 1:
            return  # the character of a longer word
        reading.values.append(Value("budget", {"currency": CURRENCY[kind]}, start, end, "money: a currency alone"))


def _currency(reading: Reading, quantity: Quantity, cues: Cues, units: QuantityGrammar) -> str:
    text = reading.text
    if quantity.unit in CURRENCY and not (quantity.unit == "jpy" and quantity.value < 100):
        coins = quantity.unit_text in cues.words["coin"] and quantity.value < 100
        named = coins and (_rate(reading, quantity, cues) or cues.before("budget", reading, quantity.start))
        if coins and not named:
            return ""
        return CURRENCY[quantity.unit]
    if quantity.unit in CENTS:
        return CENTS[quantity.unit]
    if quantity.unit_text == "ct" and reading.raw_at(quantity.end - 1).isupper():
        return ""  # a scan, no cent
    before = text[max(0, quantity.start - 5) : quantity.start].rstrip()
    if before and (before[-1] in SIGNS or before[-1].isalpha() or before[-1] == "."):
        stated = stated_before(before)
        if stated:
            return stated
        if quantity.unit == "" and not before[-1].isascii():
            named = units.unit_before(before)
            if named:
                return CURRENCY[named]
    if quantity.magnitude in INDIAN and quantity.unit == "":
        return "INR" if _amount_stands(reading, quantity, cues) else ""
    if quantity.unit == "cent":
        return "CNY" if reading.language == "zh" else "USD"
    after = text[quantity.number_end : quantity.number_end + 1]
    own = "CNY" if reading.language == "zh" else "USD"
    if quantity.unit == "card" and after in cues.words["coin"]:
        hourly = _rate(reading, quantity, cues) and not _before_card(reading, quantity, cues)
        loose = quantity.value >= _FEWEST_COINS or cues.before("budget", reading, quantity.start)
        loose = loose and not _before_card(reading, quantity, cues)
        return "CNY" if quantity.value >= 100 or hourly or loose else ""
    # "a sub 500 card" counts no cards
    limit = quantity.unit_text in _ONE_CARD and quantity.bound == "max" and quantity.value >= _LEAST_LIMIT
    return own if limit or (quantity.unit == "" and _bare_is_money(reading, quantity, cues)) else ""


def _hourly(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """A small number an hour ("4090 at 0.35/h", "1.98 an hour") is what an hour costs."""
    if quantity.words or quantity.magnitude or not 0 < quantity.value < _MOST_HOURLY:
        return False
    if quantity.value != int(quantity.value):
        return cues.period(reading, quantity.start, quantity.end) == "hour"
    paid = reading.has("gpu") or reading.has("provider") or reading.concepts & _MONEY_TALK
    return bool(paid) and cues.hourly_after(reading, quantity.end)


def _bare_is_money(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether a number without a unit is an amount, by what stands around it."""
    if _electric(reading, quantity, cues) and quantity.value < 5:
        return True
    if _hourly(reading, quantity, cues):
        return True
    if cues.either("budget_word", reading, quantity.start, quantity.end) and quantity.value >= _LEAST_LIMIT:
        return True
    if not _amount_stands(reading, quantity, cues):
        return False
    if quantity.magnitude == "k" and (
        reading.concepts & {"sequence_length", "kv_cache"}
        or (quantity.value in _SCREENS and quantity.bound != "max" and _of_pictures(reading, cues))
    ):
        return False
    if "gaming" in reading.concepts and quantity.value in _SCREENS:
        return False
    if quantity.value >= _LEAST_BUDGET and (
        _looks_like_budget(reading, quantity, cues) or _priced(reading, quantity, cues)
    ):
        return True
    if _bounds_choice(reading, quantity, cues) or _left_over(reading, quantity):
        return True
    scaled = quantity.magnitude in cues.words["money_scale"] and not quantity.words and reading.language == "zh"
    sequence = cues.either("seq_len", reading, quantity.start, quantity.end)
    return scaled and not sequence and _alone(reading, quantity)


def _bounds_choice(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether a number beside a word of limit is what a card may cost ("gpu under 1000", "2000 or so for a card")."""
    if quantity.value < _LEAST_LIMIT or not (quantity.bound == "max" or quantity.approximate):
        return False
    length = _is_binary(quantity) and (quantity.magnitude != "k" or reading.has("model"))
    if reading.concepts & _OTHER_LIMITS or (length and not reading.concepts & _MONEY_TALK):
        return False
    if reading.has("gpu"):
        return bool(reading.concepts & (_MONEY_TALK | {"compare", "or_word"}))
    if quantity.approximate and quantity.bound != "max":
        return bool(reading.concepts & (_CHOOSING | {"gpu"}))
    return bool(reading.concepts & (_WISH | {"gpu", "vram"})) or reading.has("model")


def _left_over(reading: Reading, quantity: Quantity) -> bool:
    """Whether a number that closes a wish for a card says what one has ("best laptop for deep learning 1500")."""
    if reading.concepts & _OTHER_LIMITS or reading.has("gpu") or reading.concepts.isdisjoint(_CHOOSING | {"gpu"}):
        return False
    if quantity.words or quantity.bound or quantity.value < _LEAST_BUDGET or _is_binary(quantity):
        return False
    if quantity.value in _PIXELS or 1950 <= quantity.value <= 2050 or quantity.value != int(quantity.value):
        return False
    if any(value.slot == "model" and 0 <= quantity.start - value.end <= 2 for value in reading.values):
        return False
    following = reading.text[quantity.end :].lstrip(" ")
    behind = any(
        found.end <= quantity.start <= found.end + 1 and not _MACHINES.isdisjoint(found.concepts)
        for found in reading.places
    )
    if (behind and (reading.language == "zh" or not following)) or following.startswith(("for a gpu", "for a card")):
        return True
    if reading.concepts.isdisjoint(_CHOOSING):
        return False
    return not following or not following[0].isalnum() or (quantity.magnitude == "k" and reading.language == "en")


def _is_binary(quantity: Quantity) -> bool:
    """Whether an amount is one that lengths, batches and pictures come in: 512, 4096, 8k."""
    value = quantity.value / 1000 if quantity.magnitude == "k" else quantity.value
    return value >= 4 and value == int(value) and int(value) & (int(value) - 1) == 0


def _amount_stands(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether what follows a bare number leaves it an amount, being no noun that it counts ("two million rows")."""
    after = reading.flat[quantity.end : quantity.end + 14]
    if not after or not after[0].isalnum():
        plain = after.lstrip(" ")
        if plain == after or not (plain[:1].isascii() and plain[:1].isalnum()):
            return True
        begin = quantity.end + len(after) - len(plain)
        return not reading.is_free(begin, begin + 1) or cues.starting["after_amount"](plain)
    if after[0].isascii():
        return False
    return not cues.starting["counted_noun"](after)


def _of_pictures(reading: Reading, cues: Cues) -> bool:
    """Whether pictures are spoken of, so that 4k is their size."""
    return cues.starts("picture_noun", reading.flat)


def _before_card(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether a card, or the word for one, follows: the number counts it. What is spent on one does not."""
    if reading.text.startswith(cues.words["spends"], quantity.end):
        return False
    for value in reading.values:
        if value.slot == "gpu" and 0 <= value.start - quantity.end <= 3:
            return "," not in reading.text[quantity.end : value.start]
    return any("gpu" in found.concepts and 0 <= found.start - quantity.end <= 1 for found in reading.places)


def _priced(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """A bare number right behind a card ("used 3090 5500"), or with "each" behind it, where money is spoken of."""
    each = reading.language == "zh" and cues.after("each", reading, quantity.end)
    if reading.concepts & _FIGURES or ((quantity.words or quantity.magnitude) and not each):
        return False
    if reading.language == "zh" and quantity.value >= _LEAST_PIECE and _paid(reading, quantity, cues):
        return True
    behind = any(value.slot == "gpu" and 0 <= quantity.start - value.end <= 1 for value in reading.values)
    if behind and reading.concepts & {"second_hand", "price", "worth", "expensive", "cheap"}:
        return True
    if "time_question" in reading.concepts or (quantity.value in _PIXELS and not reading.concepts & _MONEY_TALK):
        return False
    return each


def _paid(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether a card was had for a bare number, or is had for it ("got it for 309", "a 3070 of 2200")."""
    if not reading.has("gpu"):
        return False
    if cues.starting["had_for"](reading.flat[quantity.end : quantity.end + 6]):
        return True
    return any(
        value.slot == "gpu"
        and 0 < value.start - quantity.end <= _LONGEST_OF
        and reading.text[quantity.end : value.start].strip() in cues.words["priced_at"]
        for value in reading.values
    )


def _alone(reading: Reading, quantity: Quantity) -> bool:
    """Whether what follows a scaled number leaves it an amount ("1.5w", "5k the card"), not a count of something."""
    following = reading.text[quantity.end : quantity.end + 1]
    if following.isascii() and following.isalnum():
        return False
    return bool(reading.concepts & _MONEY_TALK) or len(reading.text) <= _SHORT_REPLY


def _electric(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    if quantity.value <= 0:
        return False
    cents = quantity.unit == "cent" or quantity.unit in CENTS
    if cues.after("electricity", reading, quantity.end) or (
        (cents or quantity.value < _MOST_KWH) and cues.before("electricity", reading, quantity.start)
    ):
        return True
    share = quantity.unit == "" and "electricity" in reading.concepts
    share = share and not cues.either("utilization", reading, quantity.start, quantity.end)
    small = cents or (quantity.value < 1 and (quantity.unit in CURRENCY or share))
    if not small or reading.concepts.isdisjoint(_POWER_TALK):
        return False
    # nobody pays so little for a longer time
    return cues.period(reading, quantity.start, quantity.end) != "hour"


def _rate(reading: Reading, quantity: Quantity, cues: Cues) -> str:
    return "kwh" if _electric(reading, quantity, cues) else cues.period(reading, quantity.start, quantity.end)


def _looks_like_budget(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    year = 1950 <= quantity.value <= 2050 and not quantity.magnitude and not (quantity.bound or quantity.approximate)
    if year and not cues.before("budget", reading, quantity.start):
        return False
    if cues.before("budget", reading, quantity.start):
        return True
    if reading.concepts & _FIGURES:
        return False
    if quantity.bound == "max" or quantity.magnitude or quantity.words:
        return (
            cues.after("budget", reading, quantity.end)
            or quantity.words
            or bool(quantity.magnitude and reading.language == "zh")
        )
    return cues.after("budget", reading, quantity.end) and reading.language == "zh"


def _value_of(reading: Reading, quantity: Quantity, currency: str, cues: Cues) -> Value | None:
    text = reading.text
    hundredths = quantity.unit in CENTS or (quantity.unit == "cent" and currency != "CNY")
    amount = quantity.value / 100 if hundredths else quantity.value
    if quantity.unit == "cent" and currency == "CNY":
        amount = quantity.value / 10
    money: dict[str, object] = {"amount": plain_number(amount), "currency": currency}
    start = quantity.start - 1 if quantity.start and text[quantity.start - 1] in SIGNS else quantity.start
    rate = _rate(reading, quantity, cues)
    common = {"approximate": quantity.approximate, "bound": quantity.bound}
    if rate == "kwh":
        return Value("electricity_price", money, start, quantity.end, "money: per kWh", **common)  # type: ignore[arg-type]
    if amount == 0 or cues.before("difference", reading, quantity.start):
        return None
    is_budget = _is_budget(reading, quantity, amount, cues)
    if is_budget:
        money["period"] = rate or _spoken_period(reading, quantity, cues) or "once"
        if quantity.low != quantity.value:
            common["bound"] = "max"
        return Value("budget", money, start, quantity.end, "money: what may be spent", **common)  # type: ignore[arg-type]
    money["unit"] = rate if rate in {"hour", "month"} else "card"
    return Value("price", money, start, quantity.end, "money: a quoted price", **common)  # type: ignore[arg-type]


def _spoken_period(reading: Reading, quantity: Quantity, cues: Cues) -> str:
    """The period that stands before the word for a budget ("an hourly budget of 3"), which stands before the amount."""
    before = reading.flat[max(0, quantity.start - _BUDGET_BEFORE) : quantity.start].rstrip()
    word = cues.word_before("budget_word", before)
    at = max(0, quantity.start - _BUDGET_BEFORE) + len(before) - len(word)
    return cues.period(reading, at, at) if word else ""


def _is_budget(reading: Reading, quantity: Quantity, amount: float, cues: Cues) -> bool:
    rate = cues.period(reading, quantity.start, quantity.end)
    if rate and any(value.slot == "provider" and 0 < quantity.start - value.end <= 6 for value in reading.values):
        return False
    if cues.either("budget_word", reading, quantity.start, quantity.end):
        return True
    limits = quantity.bound == "max" or (quantity.approximate and "compare" in reading.concepts)
    if not limits and any(value.slot == "gpu" and 0 <= value.start - quantity.end <= 2 for value in reading.values):
        return False
    if limits and reading.concepts.isdisjoint(_QUOTED):
        return True
    if cues.before("budget", reading, quantity.start) or quantity.bound == "max":
        return True
    if reading.flat[quantity.end : quantity.end + 8].lstrip().startswith("budget"):
        return True
    if rate == "hour":
        return False
    if cues.before("price", reading, quantity.start) or any(concept in reading.concepts for concept in _QUOTED):
        return cues.after("budget", reading, quantity.end) and not cues.before("price", reading, quantity.start)
    if cues.after("price", reading, quantity.end):
        return False
    if reading.concepts & _WISH:
        return True
    machine = not reading.concepts.isdisjoint(_WHOLE_MACHINES) and amount >= _LEAST_MACHINE
    if reading.has("gpu"):
        return machine and reading.flat[quantity.end :].lstrip().startswith("for ")
    return reading.language == "zh" or (amount >= _LEAST_SPENT and not rate and not reading.concepts & _SPENT_BY_OTHERS)
