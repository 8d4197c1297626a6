"""What a number without a unit is, by what was spoken of: a version, a budget, a count, a length, a new value."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from bot.core.conversation import HeldSlot
from bot.core.numbers import LARGEST, counted, figure
from bot.dialogue.ground import Ground, has_any, small_words
from bot.dialogue.means import WELL_KNOWN_SIZES_B, own_currency, read_allowed
from bot.dialogue.policy import Policy
from bot.dialogue.slots import Stated

MONEY = ("budget", "price", "electricity_price")
_SUPPLY = "power_supply"
_COUNTS = ("gpu_count", "batch", "seq_len", "users", "vram_gb", "ram_gb", "psu_w", "utilization")
_TIME: Final = "duration"
_LENGTH: Final = "seq_len"
"""A length of text, of which a part of a token is left off."""
_WEIGHTS: Final = {_TIME: 2}
"""How many times nearer to a time than to a count a number alone is, to be one."""
_LARGEST_MODEL_B = 700
"""Nobody leaves the b off a larger one: from here on a number alone is money, or nothing that is known."""
_MOST_CARDS = 16
_MOST_BESIDE = 12
"""Characters beside a number that may still count cards or be the size of a model: more speak of something else."""
_SETTING = re.compile(r"[a-z]_[a-z]")
_POINTED = re.compile(r"\b(?:the|those|these) (?:two|three|four|both)\b")
"""So many that were spoken of: which of them, not how many."""
_WATTS = re.compile(r"(?<![a-z0-9.])(\d{3,4})\s?w(?![a-z])")
_BARE_WATTS = re.compile(r"(?<![a-z0-9.])(\d{2,3}[05]0?)(?![a-z0-9.%])")
"""Watts that supplies are sold with, where their unit is not said."""
_TIMES = re.compile(r"(?<![a-z0-9.])([1-9]\d?)\s?[x\u00d7](?![a-z0-9])")
_VERSION = re.compile(r"(?<![a-z0-9.$])\d{1,2}\.\d(?![0-9.]|\s?[a-z%])")
_LARGEST_UNASKED_B = 150
"""A number alone is the size of a model up to here, or a well-known one, where nobody asked for it."""
_THOUSANDS = frozenset({1, 2, 4, 8, 16, 32, 64, 128, 256})
"""Thousands of tokens that are usual lengths."""
_SAMPLES = re.compile(r"^\d+ ([a-z]+)$")
_LEAST_SAMPLES = 1000
_RAM_SIZES = frozenset({8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024})
_TOKENS_PER_K = 1024 / 1000
"""Lengths of text are said in thousands and counted in powers of two."""


_PERCENT: Final = re.compile(r"(\d{1,3}(?:\.\d+)?)\s?(?:%|\uff05|percent\b|per cent\b)", re.IGNORECASE)
_WHOLE_SHARE: Final = 100


@cache
def _number() -> re.Pattern[str]:
    """A bare number with its scale; Han neighbours are borders, Latin letters and digits are not."""
    scales = "|".join(map(re.escape, small_words().get("scales", {})))
    return re.compile(rf"(?<![a-z0-9.])(?<![a-z]-)(\d{{1,9}}(?:[.,]\d+)?)\s?({scales})?(?![a-z0-9.]\w)", re.IGNORECASE)


def read_bare(text: str, stated: Stated, ground: Ground, policy: Policy) -> bool:
    """A short line that states nothing by itself: an amount whose kind follows from what was spoken of."""
    if has_any(text, small_words()["rounds"]):
        return False  # the number counts how often the data is gone through
    if _PERCENT.search(text):
        return _share(text, stated, ground)
    return (
        _task(text, stated, ground)
        or _times(text, stated, ground)
        or _watts(text, stated, ground)
        or _version(text, stated, ground)
        or _length(text, stated, ground)
        or _system_memory(text, stated, ground)
        or _data(text, stated, ground)
        or _allowed(text, stated, ground, policy)
        or _bare_number(text, stated, ground, policy)
    )


def _share(text: str, stated: Stated, ground: Ground) -> bool:
    """A percentage is a share of the time, where that is counted, and never a number of anything."""
    found = _PERCENT.findall(text)
    share = figure(found[0]) if len(found) == 1 else None
    if share is None or "utilization" not in ground.uses or not 0 <= share <= _WHOLE_SHARE:
        return False
    stated.values["utilization"] = share / _WHOLE_SHARE
    stated.belongs = True
    return True


def _task(text: str, stated: Stated, ground: Ground) -> bool:
    """The name of a task and nothing else, where a choice for some task is spoken of."""
    if "task" not in ground.uses:
        return False
    said = text.strip(" .!?,;\u3002\uff01\uff1f\uff0c")
    found = next((task for task, names in small_words()["tasks_named"].items() if said in names), None)
    if found is None:
        return False
    stated.values["task"] = found
    stated.belongs = True
    return True


def _times(text: str, stated: Stated, ground: Ground) -> bool:
    """So many times the card spoken of."""
    found = _TIMES.findall(text) if "gpu" in ground.earlier or "gpu_count" in ground.uses else []
    if len(found) != 1:
        return False
    stated.values["gpu_count"] = int(found[0])
    return True


def _version(text: str, stated: Stated, ground: Ground) -> bool:
    """A version, where versions of CUDA are spoken of."""
    found = _VERSION.findall(_without_tail(text)) if "cuda_version" in ground.uses and ground.pending is None else []
    if len(found) != 1:
        return False
    stated.values["cuda_version"] = found[0]
    stated.belongs = True
    return True


def _without_tail(text: str) -> str:
    """A line without the small word at its end that joins it to what was said."""
    bare = text.rstrip(" ?!.,")
    tail = next((word for word in small_words()["joins"] if bare.endswith(f" {word}")), "")
    return bare.removesuffix(tail) if tail else bare


def _alone(text: str) -> tuple[float, str] | None:
    """The only number of a line that says little else, with its scale; None when it says more."""
    found = list(_number().finditer(text))
    if len(found) != 1 or len(text) - len(found[0].group()) > _MOST_BESIDE or _SETTING.search(text):
        return None
    digits, scale = found[0].groups(default="")
    value = figure(digits)
    return None if value is None else (value, scale)


def _length(text: str, stated: Stated, ground: Ground) -> bool:
    """Thousands about a model, where nobody spoke of money: how long the texts are."""
    number = _alone(text) if "seq_len" in ground.uses and ground.pending is None else None
    spent = "budget" in ground.earlier or ("budget" in ground.uses and "model" not in ground.earlier)
    if number is None or spent or number[1] != "k" or number[0] not in _THOUSANDS:
        return False
    stated.values["seq_len"] = int(number[0] * 1000 * _TOKENS_PER_K)
    stated.belongs = True
    return True


def _system_memory(text: str, stated: Stated, ground: Ground) -> bool:
    """A usual amount, where system memory is spoken of."""
    of_system = "ram_gb" in ground.uses and "vram_gb" not in ground.uses and ground.pending is None
    number = _alone(text) if of_system else None
    if number is None or number[1] or number[0] not in _RAM_SIZES:
        return False
    stated.values["ram_gb"] = int(number[0])
    stated.belongs = True
    return True


def _data(text: str, stated: Stated, ground: Ground) -> bool:
    """Another number of samples, where a number of them was spoken of."""
    held = ground.earlier.get("dataset") if "dataset" in ground.uses and ground.pending is None else None
    counted = _SAMPLES.match(str(held.value)) if held is not None else None
    number = _alone(text)
    value = number[0] * float(small_words()["scales"].get(number[1], 1)) if number else 0.0
    if counted is None or "budget" in ground.earlier or value < _LEAST_SAMPLES:
        return False
    stated.values["dataset"] = f"{value:.0f} {counted.group(1)}"
    stated.belongs = True
    return True


def _allowed(text: str, stated: Stated, ground: Ground, policy: Policy) -> bool:
    """What may be spent, where a choice within means is spoken of and nobody said it yet."""
    number = _alone(text)
    budget = read_allowed(text, number, ground) if number else None
    if number is None or budget is None:
        return False
    if not has_any(text, small_words()["at_most"]) and _nearest(budget["amount"], ground.earlier, policy):
        return False  # a new value of what was counted before
    stated.values["budget"] = budget
    stated.belongs = True
    return True


def _watts(text: str, stated: Stated, ground: Ground) -> bool:
    """Watts, where a power supply is spoken of."""
    found = (_WATTS.findall(text) if "psu_w" in ground.uses else []) or _bare_watts(text, ground)
    if len(found) != 1:
        return False
    limited = "limit_w" in ground.earlier and "psu_w" not in ground.earlier
    limited = limited or (ground.intent == _SUPPLY and has_any(text, small_words()["limits"]))
    stated.values["limit_w" if limited else "psu_w"] = int(found[0])
    stated.belongs = True
    return True


def _bare_watts(text: str, ground: Ground) -> list[str]:
    """Watts without their unit, where the size of a supply was told and no limit is spoken of."""
    told = ground.intent == _SUPPLY and ground.pending is None and not has_any(text, small_words()["limits"])
    return _BARE_WATTS.findall(text) if told else []


def _bare_number(text: str, stated: Stated, ground: Ground, policy: Policy) -> bool:
    """A number alone: the answer to the open question, else a new value of the slot it is nearest to."""
    found = list(_number().finditer(text))
    if not found and ground.pending is None and ("gpu" in ground.earlier or "gpu_count" in ground.uses):
        return _counted(text, stated)
    value = _alone_value(text, found, ground)
    if value is None:
        return False
    if ground.pending is not None and ground.pending.kind == "ask":
        return _as_answer(ground.pending.slot, value, stated, ground, text)
    slot = _slot_of(text, value, ground, policy)
    if slot is None:
        return _is_alone(text, found[0]) and _named_by_number(value, stated, ground, text)
    return _anew(slot, value, stated, ground)


def _anew(slot: str, value: float, stated: Stated, ground: Ground) -> bool:
    """A new value of a slot in force."""
    before = ground.earlier[slot].value
    new = {**before, "amount": value} if isinstance(before, dict) else _typed(slot, value)
    if new is not None:
        stated.values[slot] = new
    return new is not None


def _alone_value(text: str, found: list[re.Match[str]], ground: Ground) -> float | None:
    """The one number of a message, where nothing is glued to it."""
    if len(found) != 1 or _is_glued(text, found[0]):
        return None
    value = _scaled(found[0], ground)
    return value if 0 < value <= LARGEST else None


def _is_glued(text: str, found: re.Match[str]) -> bool:
    """Whether a letter stands right behind a number, so that it is no count: a size of a model, billions of tokens."""
    behind = text[found.end() :]
    of_unit = behind.lstrip(" -").startswith((*small_words()["seconds"], *small_words()["bits"]))
    return of_unit or (behind[:1].isascii() and behind[:1].isalpha())


def _scaled(found: re.Match[str], ground: Ground) -> float:
    """A number with its scale; thousands of tokens are counted in powers of two."""
    digits, scale = found.groups(default="")
    value = (figure(digits) or 0.0) * float(small_words()["scales"].get(scale, 1))
    return value * _TOKENS_PER_K if scale == "k" and _length_asked(ground) else value


def _is_alone(text: str, found: re.Match[str]) -> bool:
    """Whether a message says little beside its number."""
    return len(text) - len(found.group()) <= _MOST_BESIDE and not _SETTING.search(text)


def _named_by_number(value: float, stated: Stated, ground: Ground, text: str) -> bool:
    """A number near to nothing in force: the size of a model where one is missing, else a count of the cards.

    Data that were named and timed miss none: their usual model was taken.
    """
    if ground.lacks_model and "dataset" not in ground.earlier:
        return _is_size(value) and _as_answer("model", value, stated, ground, text)
    counts = "gpu" in ground.earlier and value in range(2, _MOST_CARDS + 1)
    return counts and _as_answer("gpu_count", value, stated, ground, text)


def _is_size(value: float) -> bool:
    return value <= _LARGEST_UNASKED_B or value in WELL_KNOWN_SIZES_B


def _length_asked(ground: Ground) -> bool:
    """Whether a number of thousands answers, or replaces, a length of text."""
    if ground.pending is not None and ground.pending.kind == "ask":
        return ground.pending.slot == "seq_len"
    return "seq_len" in ground.earlier and "budget" not in ground.earlier


def _counted(text: str, stated: Stated) -> bool:
    """A number word alone counts the cards spoken of."""
    words = set(re.findall(r"[a-z]+", _POINTED.sub("", text)))
    found = {
        count for word, count in small_words()["counts"].items() if word in words or (_is_phrase(word) and word in text)
    }
    if len(found) != 1:
        return False
    stated.values["gpu_count"] = found.pop()
    return True


def _is_phrase(word: str) -> bool:
    """Several words, or a word of a script that is written without spaces."""
    return " " in word or not word.isascii()


def _typed(slot: str, value: float) -> float | int | None:
    """A number as a value of its slot, None where that counts things and it is no number of them."""
    if slot == _LENGTH or value == int(value):
        value = int(value)
    return counted(slot, value)


def _as_answer(slot: str, value: float, stated: Stated, ground: Ground, text: str) -> bool:
    if slot == "model" and value <= _LARGEST_MODEL_B:
        stated.values["model"] = [f"llm-{value:g}b"]
        return True
    typed = _typed(slot, value) if slot in _COUNTS else None
    if typed is not None:
        stated.values[slot] = typed
        return True
    if slot in MONEY:
        known = ground.earlier.get(slot)
        usual = {"unit": "card"} if slot == "price" else {"period": "once"}
        before = known.value if known is not None else {"currency": own_currency(text, ground), **usual}
        stated.values[slot] = {**before, "amount": value}
        return True
    return False


def _named(text: str, ground: Ground) -> str | None:
    """The slot in force that a number is said of by name."""
    named = small_words()["named_slots"].items()
    return next((slot for slot, words in named if slot in ground.earlier and has_any(text, words)), None)


def _slot_of(text: str, value: float, ground: Ground, policy: Policy) -> str | None:
    """The slot in force that a number alone is a new value of: by name, of the last answer, else the nearest."""
    return _named(text, ground) or _of_last(value, ground, policy) or _nearest(value, ground.earlier, policy)


def _of_last(value: float, ground: Ground, policy: Policy) -> str | None:
    """The same among the slots that the last answer was given with and no other was said for before."""
    held = {slot: one for slot, one in ground.earlier.items() if slot in ground.uses}
    newest = max((one.turn for one in held.values()), default=0)
    return _nearest(value, {slot: one for slot, one in held.items() if one.turn == newest}, policy)


def _nearest(value: float, earlier: Mapping[str, HeldSlot], policy: Policy) -> str | None:
    """The numeric slot whose value is nearest in size, the newer one first among equals; None when none is near."""
    best: tuple[float, int, str] | None = None
    for slot in (*MONEY, *_COUNTS, _TIME):
        held = earlier.get(slot)
        if held is None:
            continue
        before = held.value.get("amount") if isinstance(held.value, dict) else held.value
        if not isinstance(before, (int, float)) or isinstance(before, bool) or before <= 0:
            continue
        # a time counts anew only where it is plainly nearer: a number alone is said of the cards first
        distance = abs(math.log(value / before)) * _WEIGHTS.get(slot, 1)
        if distance <= math.log(policy.near_number) and (best is None or (distance, -held.turn) < best[:2]):
            best = (distance, -held.turn, slot)
    return best[2] if best else None
