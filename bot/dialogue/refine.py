"""What a short line means within a running conversation: bare numbers, a lone currency, "the second one", exclusions.

Understanding reads a line on its own; here it is read against what was said before. Words are in
languages/dialogue.yaml, thresholds in policy.py.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from advisor.files import load_yaml_files
from bot.core.conversation import HeldSlot, Pending
from bot.dialogue.kin import Names, of_edition, of_series
from bot.dialogue.policy import Policy
from bot.dialogue.slots import Stated
from bot.resources import languages_directory

_MONEY = ("budget", "price", "electricity_price")
_COUNTS = ("gpu_count", "batch", "seq_len", "users", "vram_gb", "ram_gb", "psu_w", "utilization")
_WHOLE = frozenset({"gpu_count", "batch", "seq_len", "users"})
_LARGEST_MODEL_B = 2000
_MOST_CARDS = 16
_MOST_BESIDE = 12
"""Characters beside a number that may still count cards or be the size of a model: more speak of something else."""
_SETTING = re.compile(r"[a-z]_[a-z]")
_WATTS = re.compile(r"(?<![a-z0-9.])(\d{3,4})\s?w(?![a-z])")
_VERSION = re.compile(r"(?<![a-z0-9.$])\d{1,2}\.\d(?![0-9.]|\s?[a-z%])")
_LEAST_BUDGET = 300.0
"""From here on a number alone can be what may be spent."""
_TOKENS_PER_K = 1024 / 1000
"""Lengths of text are said in thousands and counted in powers of two."""


@cache
def _words() -> dict[str, Any]:
    content = load_yaml_files([languages_directory() / "dialogue.yaml"], [])
    return next(iter(content.values()), {})


@cache
def _number() -> re.Pattern[str]:
    """A bare number with its scale; Han neighbours are borders, Latin letters and digits are not."""
    scales = "|".join(map(re.escape, _words().get("scales", {})))
    return re.compile(rf"(?<![a-z0-9.])(\d{{1,9}}(?:[.,]\d+)?)\s?({scales})?(?![a-z0-9.]\w)", re.IGNORECASE)


def _has(text: str, words: list[str]) -> bool:
    for word in words:  # noqa: SIM110 - called a dozen times a message; any() takes three times as long
        if word in text:
            return True
    return False


def says(text: str, kind: str) -> bool:
    """Whether a message holds one of the small words of a kind (a list of languages/dialogue.yaml)."""
    return _has(text.casefold(), _words().get(kind, []))


@dataclass(frozen=True, slots=True)
class Ground:
    """What a short line stands on."""

    earlier: Mapping[str, HeldSlot] = field(default_factory=dict)
    """Slots in force before the message."""
    before: tuple[Mapping[str, HeldSlot], ...] = ()
    """Slots of earlier answers, the newest first."""
    pending: Pending | None = None
    """The open question, if any."""
    uses: frozenset[str] = frozenset()
    """Slots that the intent of the last answer can use."""
    names: Names | None = None
    """The catalogue."""

    @property
    def lacks_model(self) -> bool:
        """The last answer would have liked a model and got none."""
        return "model" in self.uses and "model" not in self.earlier


def refine(text: str, stated: Stated, ground: Ground, policy: Policy) -> bool:
    """Complete what was stated from what stood before. Changes `stated`; True when a short line became meaningful.

    Args:
        text: the message.
        stated: what understanding found in it; completed in place.
        ground: what was said before.
        policy: bounds for what counts as short and near.
    """
    lowered = text.casefold()
    short = len(lowered) <= policy.short_line
    earlier = ground.earlier
    _exclusions(lowered, stated)
    changed = _money(lowered, stated, earlier)
    changed = _usage(stated, earlier) or changed
    changed = _pointed(lowered, stated, earlier) or _other_one(lowered, stated, ground) or changed
    changed = _removed(lowered, stated, earlier) or changed
    changed = _included(lowered, stated, earlier) or changed
    changed = _half_named(lowered, stated, ground, short) or changed
    changed = _of_vendor(lowered, stated, ground, short) or changed
    _memory_of(lowered, stated, ground, short)
    if not stated.values and short:
        changed = _bare_value(lowered, stated, ground, policy) or changed
    only_exclusions = bool(stated.excluded) and not stated.values and short
    return changed or only_exclusions


def _exclusions(text: str, stated: Stated) -> None:
    """ "No used cards" is about terms, "no AMD" about a vendor."""
    if _has(text, _words().get("no_used", [])):
        stated.excluded["pricing_model"] = ("purchase_used",)
    elif _has(text, _words()["used_too"]):
        stated.excluded["pricing_model"] = ()
    families = stated.excluded.get("gpu_family")
    if families:
        stated.excluded["vendor"] = tuple(dict.fromkeys((*stated.excluded.get("vendor", ()), *families)))


def _money(text: str, stated: Stated, earlier: Mapping[str, HeldSlot]) -> bool:
    """A lone currency takes the amount that stood; "another 1500" adds to it."""
    changed = False
    for slot in _MONEY:
        said, before = stated.values.get(slot), earlier.get(slot)
        if not isinstance(said, dict) or before is None or not isinstance(before.value, dict):
            continue
        known = {key: value for key, value in said.items() if value is not None}
        if "amount" not in known:
            stated.values[slot] = {**before.value, **known}
            changed = True
        elif known.get("currency") == before.value.get("currency"):
            amount = _combined(text, before.value["amount"], known["amount"])
            if amount != known["amount"]:
                stated.values[slot] = {**before.value, **known, "amount": amount}
                changed = True
    return changed


def _combined(text: str, before: float, said: float) -> float:
    """ "Another 1500" adds to the amount that stood, "2000 less" takes off it."""
    if _has(text, _words()["adds"]):
        return before + said
    return before - said if _has(text, _words()["takes_off"]) and said < before else said


def _usage(stated: Stated, earlier: Mapping[str, HeldSlot]) -> bool:
    """ "More like 200 hours" after "60 hours a month" is a month's usage too."""
    said, before = stated.values.get("duration"), earlier.get("duration")
    if not isinstance(said, dict) or before is None or not isinstance(before.value, dict):
        return False
    per = before.value.get("per")
    if said.get("per") or not per or said.get("unit") != before.value.get("unit"):
        return False
    stated.values["duration"] = {**said, "per": per}
    return True


def _pointed(text: str, stated: Stated, earlier: Mapping[str, HeldSlot]) -> bool:
    """ "The second one" of the cards (else models, else providers) spoken of."""
    for place, words in _words().get("ordinals", {}).items():
        if not _has(text, words):
            continue
        for slot in ("gpu", "model", "provider"):
            before = earlier.get(slot)
            if slot in stated.values or before is None or not isinstance(before.value, list) or len(before.value) < 2:
                continue
            index = int(place) - 1 if int(place) > 0 else int(place)
            if index < len(before.value):
                chosen = before.value[index]
                stated.values[slot] = chosen if slot == "provider" else [chosen]
                return True
    return False


def _other_one(text: str, stated: Stated, ground: Ground) -> bool:
    """ "And the other one?": of the two cards spoken of last, the one that is not in force."""
    held = ground.earlier.get("gpu")
    if "gpu" in stated.values or held is None or not _has(text, _words()["other"]):
        return False
    for slots in ground.before:
        pair = slots["gpu"].value if "gpu" in slots else []
        left = [card for card in pair if card not in held.value]
        if len(pair) == len(left) + len(held.value) and len(left) == 1:
            stated.values["gpu"] = left
            return True
    return False


def _removed(text: str, stated: Stated, earlier: Mapping[str, HeldSlot]) -> bool:
    """ "Leave out the T4": the cards that stood, less the named ones."""
    before = earlier.get("gpu")
    if before is None or not isinstance(before.value, list) or len(before.value) < 2:
        return False
    named = list(stated.excluded.get("gpu", ()))
    if not named and _has(text, _words().get("removes", [])):
        named = [value for value in stated.values.get("gpu", []) if value in before.value]
    left = [value for value in before.value if value not in named]
    if not named or not left or len(left) == len(before.value):
        return False
    # "forget the 5090, put an A6000 against it": what else is named takes its place
    instead = [value for value in stated.values.get("gpu", []) if value not in before.value]
    stated.values["gpu"] = [*left, *instead]
    return True


def _included(text: str, stated: Stated, earlier: Mapping[str, HeldSlot]) -> bool:
    """ "Throw in the L4 too": the cards that stood and the named ones."""
    before, said = earlier.get("gpu"), stated.values.get("gpu")
    if before is None or not isinstance(before.value, list) or not said or not _has(text, _words()["includes"]):
        return False
    stated.values["gpu"] = list(dict.fromkeys((*before.value, *said)))
    return True


def _half_named(text: str, stated: Stated, ground: Ground, short: bool) -> bool:
    """A size that stands for a model of the series spoken of, an edition that stands for the card."""
    if ground.names is None:
        return False
    if "model" in stated.values and (short or _has(text, _words()["returns"])):
        whole = of_series(text, stated.values["model"], (ground.earlier, *ground.before), ground.names)
        if whole is not None:
            stated.values["model"] = [whole]
            return True
    if "gpu" not in stated.values and "gpu" not in stated.excluded and short:
        edition = of_edition(text, ground.earlier, ground.names)
        if edition is not None:
            stated.values["gpu"] = [edition]
            return True
    return False


def _of_vendor(text: str, stated: Stated, ground: Ground, short: bool) -> bool:
    """ "Just the Nvidia one": of several cards spoken of, the only one of a maker."""
    held, family = ground.earlier.get("gpu"), stated.values.get("gpu_family")
    if held is None or family is None or "gpu" in stated.values or ground.names is None or len(held.value) < 2:
        return False
    if not (short or _has(text, _words()["the_one"])):
        return False
    makers = [(name, ground.names.find_gpu(name)) for name in held.value]
    found = [name for name, gpu in makers if gpu is not None and family in (gpu.vendor, gpu.family)]
    if len(found) != 1:
        return False
    stated.values["gpu"] = found
    del stated.values["gpu_family"]
    return True


def _memory_of(text: str, stated: Stated, ground: Ground, short: bool) -> None:
    """ "128g, is that ok?" is system memory where that is spoken of, or the memory of a machine that has but one."""
    if "vram_gb" not in stated.values or "ram_gb" in stated.values or "gpu" in stated.values or not short:
        return
    if _has(text, _words()["of_the_card"]):
        return
    held = ground.earlier.get("gpu")
    cards = held.value if held is not None and isinstance(held.value, list) and ground.names is not None else []
    shared = any(gpu is not None and gpu.unified_memory for gpu in map(ground.names.find_gpu, cards)) if cards else False  # type: ignore[union-attr]
    if shared or ("ram_gb" in ground.uses and "vram_gb" not in ground.uses):
        stated.values["ram_gb"] = stated.values.pop("vram_gb")
        stated.belongs = True


def _bare_value(text: str, stated: Stated, ground: Ground, policy: Policy) -> bool:
    """A short line that states nothing by itself: an amount whose kind follows from what was spoken of."""
    return (
        _watts(text, stated, ground)
        or _version(text, stated, ground)
        or _bare_number(text, stated, ground, policy)
        or _allowed(text, stated, ground)
    )


def _version(text: str, stated: Stated, ground: Ground) -> bool:
    """ "I'm on 11.8" where versions of CUDA are spoken of."""
    found = _VERSION.findall(text) if "cuda_version" in ground.uses and ground.pending is None else []
    if len(found) != 1:
        return False
    stated.values["cuda_version"] = found[0]
    stated.belongs = True
    return True


def _allowed(text: str, stated: Stated, ground: Ground) -> bool:
    """ "30k" where a choice within means is spoken of, and nobody said yet what may be spent."""
    if "budget" not in ground.uses or "budget" in ground.earlier or ground.pending is not None:
        return False
    found = list(_number().finditer(text))
    if len(found) != 1 or len(text) - len(found[0].group()) > _MOST_BESIDE or _SETTING.search(text):
        return False
    digits, scale = found[0].groups(default="")
    value = float(digits.replace(",", "")) * float(_words()["scales"].get(scale, 1))
    if not scale or value < _LEAST_BUDGET:
        return False
    currency = "USD" if text.isascii() else "CNY"
    stated.values["budget"] = {"amount": _typed("budget", value), "currency": currency, "period": "once"}
    stated.belongs = True
    return True


def _watts(text: str, stated: Stated, ground: Ground) -> bool:
    """ "Is 1600w ok?" where a power supply is spoken of."""
    found = _WATTS.findall(text) if "psu_w" in ground.uses else []
    if len(found) != 1:
        return False
    stated.values["psu_w"] = int(found[0])
    stated.belongs = True
    return True


def _bare_number(text: str, stated: Stated, ground: Ground, policy: Policy) -> bool:
    """A number alone: the answer to the open question, else a new value of the slot it is nearest to."""
    earlier, pending = ground.earlier, ground.pending
    found = list(_number().finditer(text))
    if not found and "gpu" in earlier and pending is None:
        return _counted(text, stated)
    if len(found) != 1:
        return False
    digits, scale = found[0].groups(default="")
    value = float(digits.replace(",", "")) * float(_words()["scales"].get(scale, 1))
    if value <= 0:
        return False
    if scale == "k" and _length_asked(ground):
        value *= _TOKENS_PER_K
    if pending is not None and pending.kind == "ask":
        return _as_answer(pending.slot, value, stated, earlier)
    slot = _nearest(value, earlier, policy)
    if slot is None:
        alone = len(text) - len(found[0].group()) <= _MOST_BESIDE and not _SETTING.search(text)
        slot = "model" if ground.lacks_model else "gpu_count" if "gpu" in earlier and value <= _MOST_CARDS else ""
        return (
            alone
            and (slot == "model" or value in range(2, _MOST_CARDS + 1))
            and _as_answer(slot, value, stated, earlier)
        )
    before = earlier[slot].value
    if isinstance(before, dict):
        stated.values[slot] = {**before, "amount": _combined(text, before["amount"], value)}
    else:
        stated.values[slot] = _typed(slot, value)
    return True


def _length_asked(ground: Ground) -> bool:
    """Whether a number of thousands answers, or replaces, a length of text."""
    if ground.pending is not None and ground.pending.kind == "ask":
        return ground.pending.slot == "seq_len"
    return "seq_len" in ground.earlier and "budget" not in ground.earlier


def _counted(text: str, stated: Stated) -> bool:
    """ "And with two?": a number word alone counts the cards spoken of."""
    words = set(re.findall(r"[a-z]+", text))
    found = {
        count for word, count in _words()["counts"].items() if word in words or (_is_phrase(word) and word in text)
    }
    if len(found) != 1:
        return False
    stated.values["gpu_count"] = found.pop()
    return True


def _is_phrase(word: str) -> bool:
    """Several words, or a word of a script that is written without spaces."""
    return " " in word or not word.isascii()


def _typed(slot: str, value: float) -> float | int:
    return int(value) if slot in _WHOLE or value == int(value) else value


def _as_answer(slot: str, value: float, stated: Stated, earlier: Mapping[str, HeldSlot]) -> bool:
    if slot == "model" and value <= _LARGEST_MODEL_B:
        stated.values["model"] = [f"llm-{value:g}b"]
        return True
    if slot in _COUNTS:
        stated.values[slot] = _typed(slot, value)
        return True
    if slot in _MONEY:
        before = earlier[slot].value if slot in earlier else {"currency": "CNY", "period": "once"}
        stated.values[slot] = {**before, "amount": value}
        return True
    return False


def _nearest(value: float, earlier: Mapping[str, HeldSlot], policy: Policy) -> str | None:
    """The numeric slot whose value is nearest in size, the newer one first among equals; None when none is near."""
    best: tuple[float, int, str] | None = None
    for slot in (*_MONEY, *_COUNTS):
        held = earlier.get(slot)
        if held is None:
            continue
        before = held.value.get("amount") if isinstance(held.value, dict) else held.value
        if not isinstance(before, (int, float)) or isinstance(before, bool) or before <= 0:
            continue
        distance = abs(math.log(value / before))
        if distance <= math.log(policy.near_number) and (best is None or (distance, -held.turn) < best[:2]):
            best = (distance, -held.turn, slot)
    return best[2] if best else None
