"""Reads settings among the numbers: batch, sequence length, resolution, utilisation, PSU, cores, amount of data."""

from __future__ import annotations

import re
from collections.abc import Callable

from bot.understand.lexicon import flatten
from bot.understand.slots.context import Cues, of_pictures, plain_number
from bot.understand.slots.found import Reading
from bot.understand.slots.numbers import Quantity
from bot.understand.slots.shapes import claim_value

_TOKEN_RATE = re.compile(r"/ ?s|per sec|a sec|/sec")
_SEQ_LIMITS = (64, 2_000_000)
_MOST_CORES = 512
_MOST_USERS = 100_000
_SETTINGS = frozenset({"batch", "seq_len", "resolution"})
_LENGTHS = frozenset(
    1000.0 * n for n in (1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 30, 32, 40, 48, 64, 100, 128, 200, 256, 512)
)
_SIZES = frozenset({224, 256, 320, 384, 416, 448, 512, 576, 608, 640, 768, 896, 960, 1024, 1280, 1536, 2048})
_ROWS = {2000.0: "2560x1440", 4000.0: "3840x2160", 8000.0: "7680x4320"}
_MANY_HOURS = 20
_LEAST_DATA = 10
_LEAST_IN_WORDS = 1000
"""Fewer pictures or samples in words are a manner of speaking."""
_LEAST_TOKENS = 128
_LEAST_WATTS = 150
"""From here on an amount of watts is a sign of the subject."""
_SHARE_OF = 26
"""Characters in which it is said what a share is of."""
_OWN_POWER = frozenset({"power_limit", "power_draw", "electricity", "carbon"})
"""Where these are spoken of, watts beside a card are those that it takes."""
_LEAST_PSU = {"named": 200, "subject": 300, "fitting": 450}
"""Watts from which an amount may be a power supply: beside such a word, where PSUs are spoken of, or beside a card."""


def read_settings(reading: Reading, quantities: list[Quantity], cues: Cues) -> list[Quantity]:
    """Add settings; gives back the quantities that are none."""
    rest: list[Quantity] = []
    watts: list[Quantity] = []
    for quantity in quantities:
        if not reading.is_free(quantity.start, quantity.end):
            continue
        if _is_setting(reading, quantity, cues) or _raised(reading, quantity, cues):
            continue
        (watts if quantity.unit in {"watt", "kilowatt"} else rest).append(quantity)
    _power_supply(reading, watts, cues)
    return rest


def _is_setting(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    if quantity.unit == "" and cues.either("budget_word", reading, quantity.start, quantity.end):
        return False
    for read in _KINDS.get(quantity.unit, ()):  # noqa: SIM110 - any() takes twice as long
        if read(reading, quantity, cues):
            return True
    return False


def _raised(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Of "from 8k to 16k" the second is meant: it takes the place of the setting just read."""
    value = reading.values[-1] if reading.values else None
    if value is None or value.slot not in _SETTINGS or quantity.unit not in {"", "pixel", "token"}:
        return False
    if reading.text[value.end : quantity.start].strip(" ,") not in cues.words["raised"]:
        return False
    if value.slot == "resolution":
        value.value = f"{int(quantity.value)}x{int(quantity.value)}"
    elif value.slot == "seq_len":
        value.value = int(quantity.value / 1000 * 1024 if quantity.magnitude == "k" else quantity.value)
    else:
        value.value = int(quantity.value)
    value.start, value.end = quantity.start, quantity.end
    reading.claim(quantity.start, quantity.end)
    return True


def _keep(reading: Reading, slot: str, value: object, quantity: Quantity, rule: str) -> None:
    """The first value of a setting counts."""
    if not reading.has(slot):
        claim_value(reading, slot, value, (quantity.start, quantity.end), rule)


def _people(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """A number beside a word for asking at once: "50 concurrent", "concurrency 20"."""
    if quantity.magnitude or quantity.words or not _whole(quantity, 2, _MOST_USERS):
        return False
    if not (cues.right_before("users", reading, quantity.start) or cues.after("users", reading, quantity.end)):
        return False
    _keep(reading, "users", int(quantity.value), quantity, "number of people at once")
    return True


def _batch(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    if quantity.unit not in {"", "card"} or quantity.magnitude or not _whole(quantity, 1, 1_000_000):
        return False
    before = cues.before("batch", reading, quantity.start)
    after = quantity.unit == "" and not quantity.words and cues.after("batch", reading, quantity.end)
    after = after and not (cues.before("seq_len", reading, quantity.start) or _is_numbered(reading, quantity))
    if not (before or after):
        return False
    if not reading.has("batch"):
        span = (quantity.start, quantity.number_end)
        claim_value(reading, "batch", int(quantity.value), span, "number after batch")
    return True


_NUMBERED = re.compile(r" ?(?:batch|bs)(?:[ _-]?size)?[ =:]{0,2}\d")


def _is_numbered(reading: Reading, quantity: Quantity) -> bool:
    """Whether the batch behind a number has a number of its own: "640 batch 32"."""
    return _NUMBERED.match(reading.text, quantity.end) is not None


def _sequence(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """A length of text: tokens, or a number beside a word for it."""
    if not _whole(quantity, *_SEQ_LIMITS) or not _is_length(reading, quantity, cues):
        return False
    if quantity.unit == "token" or not cues.starting["no_length"](
        reading.flat[quantity.end : quantity.end + 10].lstrip()
    ):
        length = quantity.value / 1000 * 1024 if quantity.magnitude == "k" else quantity.value
        _keep(reading, "seq_len", int(length), quantity, "number of tokens")
    return True


def _is_length(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether a whole number is a length: of enough tokens and no rate, or by the words beside it."""
    if quantity.unit == "token":
        rate = _TOKEN_RATE.match(reading.text[quantity.end : quantity.end + 8].lstrip())
        return not rate and "throughput" not in reading.concepts and quantity.value >= _LEAST_TOKENS
    if quantity.unit != "":
        return False
    if cues.before("seq_len", reading, quantity.start) or cues.after("seq_len", reading, quantity.end):
        return True
    return quantity.magnitude == "k" and quantity.value in _LENGTHS and _long_text(reading, quantity, cues)


def _long_text(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether thousands are a length of text: "at 20k input", "a 70b with 16k"."""
    if cues.starting["long_text"](reading.flat[quantity.end : quantity.end + 14].lstrip()):
        return True
    if any(v.slot == "model" and 0 <= quantity.start - v.end <= 2 for v in reading.values):
        return True
    before = reading.flat[max(0, quantity.start - 12) : quantity.start].rstrip()
    return (
        cues.ending["at_length"](before)
        and reading.has("model")
        and not reading.concepts & {"price", "cost", "money_question", "cheap", "dataset"}
        and not _is_counted(reading, quantity, cues)
    )


def _is_counted(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether a Latin word follows that the number counts."""
    behind = reading.text[quantity.end : quantity.end + 2].strip()
    if not (behind.isascii() and behind.isalpha()):
        return False
    return not cues.starting["behind_length"](reading.flat[quantity.end : quantity.end + 10].lstrip())


def _of_memory(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether a share is that of the memory in use: its word stands before the word for use."""
    piece = reading.flat[max(0, quantity.start - _SHARE_OF) : quantity.start].rstrip(" :=")
    used = cues.word_before("utilization", piece)
    before = piece[: len(piece) - len(used)].rstrip() if used else cues.in_clause("used", reading, quantity.start)[1]
    memory = cues.word_before("vram", before)
    return bool(memory) and memory not in cues.words["sized_card"]


def _is_of_use(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether a share is how much something is used: by the words beside it, or by the subject of its clause."""
    if cues.either("utilization", reading, quantity.start, quantity.end):
        return True
    return bool(cues.in_clause("used", reading, quantity.start)[0])


def _percent(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    share = quantity.value * (10 if quantity.unit == "tenth" else 1)
    of_use = share <= 100 and _is_of_use(reading, quantity, cues)
    if of_use and not _of_memory(reading, quantity, cues):
        _keep(reading, "utilization", plain_number(share / 100), quantity, "percent of use")
    return quantity.unit == "percent"


def _cores(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    if quantity.unit != "core" or not _whole(quantity, 1, _MOST_CORES):
        return False
    if reading.concepts & {"cuda_core", "tensor_core"}:
        return False
    if quantity.value == 1 and quantity.words:
        return True  # "a single thread" counts none
    _keep(reading, "cpu", f"{quantity.value:g}", quantity, "number of cores")
    return True


def _recordings(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Hours of recordings: "10 hours of audio", or many of them behind a word for writing them down."""
    if quantity.value < 1:
        return False
    behind = reading.flat[quantity.end : quantity.end + 20].lstrip().removeprefix("of ")
    if noun := cues.starting["recorded"].which(behind):
        stop = reading.flat.index(noun, quantity.end) + len(noun)
        _keep(reading, "dataset", reading.text[quantity.start : stop], quantity, "hours of recordings")
        return True
    before = reading.flat[max(0, quantity.start - 26) : quantity.start].rstrip(" ,~")
    if quantity.value < _MANY_HOURS or not cues.ending["recorded_before"](before):
        return False
    _keep(reading, "dataset", f"{quantity.value:g} hours", quantity, "hours of recordings")
    return True


def _pictures(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """An amount of pictures that the measure word for cards counts."""
    said = quantity.value >= _LEAST_DATA and _pieces_are_pictures(reading, quantity.end, cues)
    if not said and not of_pictures(reading, cues, quantity.value, quantity.unit_text):
        return False
    _keep(reading, "dataset", f"{int(quantity.value)} images", quantity, "amount of data")
    return True


def _samples(reading: Reading, quantity: Quantity, _: Cues) -> bool:
    """An amount of pictures or samples, which is no rate."""
    if quantity.value < (_LEAST_IN_WORDS if quantity.words else _LEAST_DATA):
        return False
    if _TOKEN_RATE.match(reading.text[quantity.end : quantity.end + 6].lstrip()):
        return False
    noun = "samples" if quantity.unit == "sample" else "images"
    _keep(reading, "dataset", f"{int(quantity.value)} {noun}", quantity, "amount of data")
    return True


def _pieces_are_pictures(reading: Reading, end: int, cues: Cues) -> bool:
    """Whether the word for pictures follows, perhaps behind the model that makes them ("500 flux pictures")."""
    stop = next((value.end for value in reading.values if value.slot == "model" and 0 <= value.start - end <= 1), end)
    return cues.starts("picture", reading.text[stop : stop + 5])


def _pixels(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    wide = _ROWS.get(quantity.value) if quantity.magnitude == "k" and not quantity.unit else None
    if wide and cues.starting["picture_noun"](reading.flat[quantity.end : quantity.end + 16].lstrip()):
        _keep(reading, "resolution", wide, quantity, "rows of a picture")
        return True
    if quantity.unit not in {"", "pixel"} or not _whole(quantity, 64, 8192):
        return False
    named = quantity.unit == "pixel" or cues.either("resolution", reading, quantity.start, quantity.end)
    if not named and not _size_of_model(reading, quantity, cues):
        return False
    _keep(reading, "resolution", f"{int(quantity.value)}x{int(quantity.value)}", quantity, "number of pixels")
    return True


def _size_of_model(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether a usual size of pictures belongs to a vision model: "yolov8x at 1280", "sdxl 1024"."""
    if quantity.value not in _SIZES or quantity.words or quantity.magnitude:
        return False
    models = [
        value
        for value in reading.values
        if value.slot == "model" and flatten(str(value.value).lower()).startswith(cues.words["sized_models"])
    ]
    if not models:
        return False
    if any(0 <= quantity.start - value.end <= 2 for value in models):
        return reading.text[quantity.end : quantity.end + 1] not in {"m", "b"}
    return cues.ending["at_size"](reading.flat[max(0, quantity.start - 8) : quantity.start].rstrip())


_KINDS: dict[str, tuple[Callable[[Reading, Quantity, Cues], bool], ...]] = {
    "": (_people, _batch, _sequence, _pixels),
    "card": (_batch, _pictures),
    "token": (_sequence,),
    "percent": (_percent,),
    "tenth": (_percent,),
    "core": (_cores,),
    "hour": (_recordings,),
    "image": (_samples,),
    "sample": (_samples,),
    "pixel": (_pixels,),
}
"""What a quantity may set by its unit, in the order in which it is tried."""


def _whole(quantity: Quantity, low: float, high: float) -> bool:
    return quantity.value == int(quantity.value) and low <= quantity.value <= high


def _power_supply(reading: Reading, watts: list[Quantity], cues: Cues) -> None:
    """The amount beside such a word, else the largest where power supplies are the subject or a card is to fit."""
    if not watts:
        return
    if any(_amount(quantity) >= _LEAST_WATTS for quantity in watts):
        reading.traits.add("trait:watts")
    best = _supply_among(reading, watts, cues)
    if best is not None:
        claim_value(reading, "psu_w", int(_amount(best)), (best.start, best.end), "watts of a power supply")


def _supply_among(reading: Reading, watts: list[Quantity], cues: Cues) -> Quantity | None:
    """The largest amount of the first kind that may be a power supply; what each of several draws is none."""
    watts = [one for one in watts if not _is_of_each(reading, one, cues)]
    beside = [one for one in watts if cues.either("psu", reading, one.start, one.end)]
    kinds = (
        (beside, _LEAST_PSU["named"]),
        (watts if "psu" in reading.concepts else (), _LEAST_PSU["subject"]),
        (watts if _is_to_fit(reading) else (), _LEAST_PSU["fitting"]),
    )
    for listed, least in kinds:
        chosen = [one for one in listed if _amount(one) >= least]
        if chosen:
            return max(chosen, key=lambda one: (_amount(one), -one.start))
    return None


def _is_of_each(reading: Reading, quantity: Quantity, cues: Cues) -> bool:
    """Whether an amount is that of each of several: what stands before a comma counts something else."""
    if cues.after("of_each", reading, quantity.end):
        return True
    parted = reading.flat[: quantity.start].rstrip().endswith(",")
    return not parted and cues.before("of_each", reading, quantity.start)


def _is_to_fit(reading: Reading) -> bool:
    """Whether it is asked if something is enough, or a card is spoken of and not its own power."""
    if not reading.concepts.isdisjoint({"enough", "fits"}):
        return True
    return reading.has("gpu") and reading.concepts.isdisjoint(_OWN_POWER)


def _amount(quantity: Quantity) -> float:
    """Watts."""
    return quantity.value * (1000 if quantity.unit == "kilowatt" else 1)
