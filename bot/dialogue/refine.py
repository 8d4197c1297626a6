"""What a short line means within a running conversation: a lone currency, exclusions, half names, bare numbers.

Understanding reads a line on its own; here it is read against what was said before. Words are in
languages/dialogue.yaml, thresholds in policy.py, numbers without a unit in bare.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from bot.core.conversation import HeldSlot
from bot.core.understanding import Understanding
from bot.dialogue.bare import MONEY, read_bare
from bot.dialogue.ground import Ground, has_any, small_words
from bot.dialogue.kin import Names, of_edition, of_family, of_series, of_variant, plain_of
from bot.dialogue.means import own_currency, read_way
from bot.dialogue.policy import Policy
from bot.dialogue.referents import of_owner, spoken_of
from bot.dialogue.ruled_out import kind_of
from bot.dialogue.slots import LISTS, Stated
from bot.dialogue.supply import otherwise

_OLD: Final = "second_hand"
_NEW: Final = "new_only"
_FIGURES: Final = re.compile(r"\d+")
_SEVERAL: Final = 2
_LAPTOP: Final = "laptop"
_RUN: Final = frozenset({"check_fit", "estimate_memory", "estimate_time"})
"""Needs about a model that runs."""
_SETTING_LENGTH: Final = 24
_BY_TIME: Final = frozenset({"hour", "day", "week", "month", "gpu_hour"})
"""What a rent is counted by."""


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
    _spends(stated, ground)
    done = [_money(lowered, stated, earlier), _usage(stated, earlier), read_way(lowered, stated)]
    done.append(short and (_unpaid_power(lowered, stated, ground) or _without_limit(lowered, stated, ground)))
    done.append(otherwise(lowered, stated, ground))
    done.append(_other_one(lowered, stated, ground))
    done.append(_in_its_place(lowered, stated, earlier))
    done.append(short and _somewhere_else(lowered, stated, earlier))
    done.append(_one_of_several(lowered, stated, earlier) and short)
    _each_of_them(stated, earlier)
    done.append(_cache_kept(lowered, stated, ground))
    done.append(of_owner(lowered, stated, ground))
    done.append(_maker_too(lowered, stated, ground))
    done.append(_half_named(lowered, stated, ground, short))
    done.append(_of_vendor(lowered, stated, ground, short))
    done.append(_no_laptop(lowered, stated, earlier))
    changed = any(done)
    _no_money(lowered, stated, ground)
    _memory_of(lowered, stated, ground, short)
    if not stated.values and short:
        changed = read_bare(_without_names(lowered, stated), stated, ground, policy) or changed
    only_exclusions = bool(stated.excluded) and not stated.values and short
    return changed or only_exclusions


def _without_names(text: str, stated: Stated) -> str:
    """A message without the figures of the cards that it rules out, which are no amounts."""
    names = " ".join(str(name) for slot in ("gpu", "model") for name in stated.excluded.get(slot, ()))
    figures = frozenset(_FIGURES.findall(names))
    return _FIGURES.sub(lambda found: "" if found[0] in figures else found[0], text) if figures else text


def read_exclusions(understanding: Understanding, stated: Stated, names: Names | None) -> None:
    """What a message rules out, the first of a talk like any later one. Changes `stated`.

    Args:
        understanding: the message.
        stated: what understanding found in it; its exclusions are completed in place.
        names: the catalogue.
    """
    for kind, name in understanding.said.ruled_out:
        for slot, value in kind_of(name, names, kind):
            stated.excluded[slot] = tuple(dict.fromkeys((*stated.excluded.get(slot, ()), value)))
            _leave_out(slot, value, stated)
    if _NEW in understanding.concepts and not understanding.slots and not stated.excluded:
        stated.excluded["pricing_model"] = ("purchase_used",)
    if "allow" in understanding.said.acts and _OLD in understanding.concepts and not understanding.said.ruled_out:
        stated.excluded["pricing_model"] = ()
    families = stated.excluded.get("gpu_family")
    if families:
        stated.excluded["vendor"] = tuple(dict.fromkeys((*stated.excluded.get("vendor", ()), *families)))


def _leave_out(slot: str, name: str, stated: Stated) -> None:
    """What is ruled out is no value of its slot."""
    said = stated.values.get(slot)
    if said is None:
        return
    left = [value for value in said if value != name] if isinstance(said, list) else [said] * (said != name)
    if left:
        stated.values[slot] = left if isinstance(said, list) and (slot in LISTS or len(left) > 1) else left[0]
    else:
        del stated.values[slot]


def _money(text: str, stated: Stated, earlier: Mapping[str, HeldSlot]) -> bool:
    """A lone currency takes the amount that stood; an amount without one is counted in the currency that stood."""
    changed = False
    for slot in MONEY:
        said, before = stated.values.get(slot), earlier.get(slot)
        if not isinstance(said, dict) or before is None or not isinstance(before.value, dict):
            continue
        known = {key: value for key, value in said.items() if value is not None}
        if "amount" not in known:
            if _wants_it_in(text):
                continue  # the currency to answer in
            stated.values[slot] = {**before.value, **known}
            changed = True
        elif slot == "budget":
            changed = _in_its_currency(text, stated, before.value.get("currency"), known) or changed
    return changed


def _wants_it_in(text: str) -> bool:
    """Whether a lone currency is asked for, and corrects no amount."""
    words = small_words()
    asks = has_any(text, words["asks"]) or text.rstrip().endswith(tuple(words["asks_last"]))
    return asks and not has_any(text, words["meant"])


def _spends(stated: Stated, ground: Ground) -> None:
    """Money in the place of what may be spent is that: of a price nobody spoke."""
    said, before = stated.values.get("price"), ground.earlier.get("budget")
    if before is None or not isinstance(said, dict) or said.get("unit") in _BY_TIME:
        return
    spoken = "price" in ground.earlier or not {"gpu", "budget"}.isdisjoint(stated.values)
    if not spoken and "budget" in ground.uses:
        money = {name: said[name] for name in ("amount", "currency") if name in said}
        stated.values["budget"] = {**before.value, **money}
        del stated.values["price"]


def _unpaid_power(text: str, stated: Stated, ground: Ground) -> bool:
    """Electricity that nobody charges for, where its price counts."""
    if "electricity_price" not in ground.uses or stated.values or not has_any(text, small_words()["free_power"]):
        return False
    stated.values["electricity_price"] = {"amount": 0, "currency": own_currency(text, ground)}
    stated.belongs = True
    return True


def _without_limit(text: str, stated: Stated, ground: Ground) -> bool:
    """What may be spent is unlimited: no condition any more."""
    if "budget" not in ground.earlier or stated.values or not has_any(text, small_words()["unlimited"]):
        return False
    stated.dropped.add("budget")
    stated.belongs = True
    return True


def _in_its_currency(text: str, stated: Stated, own: object, known: Mapping[str, object]) -> bool:
    """A budget whose currency was only assumed is in the one that stood; whether that changed it."""
    assumed = known.get("currency") in {"CNY", "USD"} and not has_any(text, small_words()["money_marks"])
    if not own or not assumed:
        return False
    stated.values["budget"] = {**stated.values["budget"], "currency": own}
    return known.get("currency") != own


def _usage(stated: Stated, earlier: Mapping[str, HeldSlot]) -> bool:
    """Hours after hours a month are a month's usage too; how long in all stands beside it."""
    said, before = stated.values.get("duration"), earlier.get("duration")
    if not isinstance(said, dict) or before is None or not isinstance(before.value, dict):
        return False
    per = before.value.get("per")
    if per and not said.get("per") and said.get("unit") == before.value.get("unit"):
        stated.values["duration"] = {**said, "per": per}
        return True
    if bool(per) != bool(said.get("per")):
        stated.values.setdefault("usage" if per else "span", before.value)
    return False


def _other_one(text: str, stated: Stated, ground: Ground) -> bool:
    """Of the two cards spoken of last, the one that is not in force."""
    held = ground.earlier.get("gpu")
    if "gpu" in stated.values or held is None or not has_any(text, small_words()["other"]):
        return False
    for slots in ground.before:
        pair = slots["gpu"].value if "gpu" in slots else []
        left = [card for card in pair if card not in held.value]
        if len(pair) == len(left) + len(held.value) and len(left) == 1:
            stated.values["gpu"] = left
            return True
    return False


def _in_its_place(text: str, stated: Stated, earlier: Mapping[str, HeldSlot]) -> bool:
    """Of two cards, one in force and one new, the new one, where it is put in the place of the other."""
    held, named = earlier.get("gpu"), stated.values.get("gpu", [])
    if held is None or stated.replaced or len(named) != _SEVERAL or not _takes_place(text):
        return False
    fresh = [card for card in named if card not in held.value]
    if len(fresh) != 1:
        return False
    stated.values["gpu"] = [fresh[0] if card in named else card for card in held.value]
    stated.replaced = True
    return True


def _takes_place(text: str) -> bool:
    """Whether one thing is put in the place of another, and nothing is asked of the two."""
    words = small_words()
    return not has_any(text, words["asks"]) and has_any(text, [*words["swaps"], *words["takes_place"]])


def _somewhere_else(text: str, stated: Stated, earlier: Mapping[str, HeldSlot]) -> bool:
    """Every place but the one in force, where others are asked for and none is named."""
    held = earlier.get("provider")
    if held is None or "provider" in stated.values or not has_any(text, small_words()["other_places"]):
        return False
    named = held.value if isinstance(held.value, list) else [held.value]
    stated.excluded["provider"] = tuple(dict.fromkeys((*stated.excluded.get("provider", ()), *named)))
    return True


def _no_laptop(text: str, stated: Stated, earlier: Mapping[str, HeldSlot]) -> bool:
    """A notebook was spoken of and is not wanted, or a desktop is: that is no condition any more."""
    held = earlier.get("deploy")
    on_laptop = held is not None and held.value == _LAPTOP and "deploy" not in stated.values
    ruled_out = _LAPTOP in stated.excluded.get("deploy", ())
    if not on_laptop or not (ruled_out or has_any(text, small_words()["desktop"])):
        return False
    stated.dropped.add("deploy")
    return True


def _cache_kept(text: str, stated: Stated, ground: Ground) -> bool:
    """How the cache of a model that runs is kept, and nothing else: it is none of the model's own format."""
    words = small_words()
    kept = has_any(text, words["kv_cache"]) and has_any(text, words["cache_formats"])
    if not kept or ground.intent not in _RUN or stated.values.keys() - {"precision"} or len(text) > _SETTING_LENGTH:
        return False
    stated.values.pop("precision", None)
    stated.belongs = True
    return True


def _each_of_them(stated: Stated, earlier: Mapping[str, HeldSlot]) -> None:
    """One card beside what an hour of it costs is each of those in force, and no number of them."""
    price, held = stated.values.get("price"), earlier.get("gpu_count")
    several = held is not None and held.value >= _SEVERAL and stated.values.get("gpu_count") == 1
    if several and isinstance(price, dict) and price.get("unit") in _BY_TIME:
        del stated.values["gpu_count"]


@cache
def _single() -> re.Pattern[str]:
    """What says that one card is spoken of, languages/dialogue.yaml."""
    return re.compile(small_words()["single"])


def _one_of_several(text: str, stated: Stated, earlier: Mapping[str, HeldSlot]) -> bool:
    """One of the cards spoken of, where there were several of them."""
    held = earlier.get("gpu_count")
    if held is None or held.value < _SEVERAL or "gpu_count" in stated.values or len(stated.values.get("gpu", ())) > 1:
        return False
    if not _single().search(text):
        return False
    stated.values["gpu_count"] = 1
    return True


def _half_named(text: str, stated: Stated, ground: Ground, short: bool) -> bool:
    """A size that stands for a model of the series spoken of, an edition that stands for the model or card."""
    names = ground.names
    if names is None:
        return False
    sized = _sized(text, stated, ground, names, short)
    return (
        short and (_other_variant(text, stated, ground, names) or _other_edition(text, stated, ground, names))
    ) or sized


def _sized(text: str, stated: Stated, ground: Ground, names: Names, short: bool) -> bool:
    """A size that stands for a model of the series spoken of."""
    if "model" not in stated.values or not (short or has_any(text, small_words()["returns"])):
        return False
    model, returns = stated.values["model"], has_any(text, small_words()["returns"])
    whole = of_series(text, model, (ground.earlier, *ground.before), names)
    whole = whole or of_family(model, (ground.earlier, *(ground.before if returns else ())), names)
    if whole is None:
        return False
    stated.values["model"] = [whole]
    return True


def _other_variant(text: str, stated: Stated, ground: Ground, names: Names) -> bool:
    """Another variant of the model spoken of."""
    variant = None if "model" in stated.values or stated.excluded else of_variant(text, ground.earlier, names)
    if variant is None:
        return False
    stated.values["model"] = [variant]
    return True


def _other_edition(text: str, stated: Stated, ground: Ground, names: Names) -> bool:
    """Another edition of the card spoken of."""
    if "gpu" in stated.values or "gpu" in stated.excluded:
        return False
    plain = has_any(text, small_words()["plain"])
    if plain and "vram_gb" in ground.earlier and "gpu" in ground.earlier:
        stated.dropped.add("vram_gb")  # the memory of another version
        stated.belongs = True
        return True
    edition = plain_of(ground.earlier, names) if plain else of_edition(text, ground.earlier, names)
    if edition is None:
        return False
    stated.values["gpu"] = [edition]
    return True


def _of_vendor(text: str, stated: Stated, ground: Ground, short: bool) -> bool:
    """Of several cards spoken of, the only one of a maker."""
    family = stated.values.get("gpu_family")
    if family is None or "gpu" in stated.values or not (short or has_any(text, small_words()["the_one"])):
        return False
    spoken = spoken_of(ground)
    found = _made_by(family, spoken, ground.names)
    if len(spoken) < 2 or len(found) != 1:
        return False
    stated.values["gpu"], stated.pointed = found, True
    del stated.values["gpu_family"]
    return True


def _maker_too(text: str, stated: Stated, ground: Ground) -> bool:
    """A maker that will do as well as the only one that was wanted, or that was ruled out: any will."""
    before, family = ground.earlier.get("gpu_family"), stated.values.get("gpu_family")
    other = before is not None and before.value != family
    if family is None or not other or has_any(text, small_words()["asks"]) or not has_any(text, small_words()["too"]):
        return False
    del stated.values["gpu_family"]
    stated.dropped.add("gpu_family")
    stated.belongs = True
    return True


def _made_by(family: str, cards: Sequence[str], names: Names | None) -> list[str]:
    """The cards of a maker or a line of products."""
    known = [(name, names.find_gpu(name)) for name in cards] if names is not None else []
    return [name for name, gpu in known if gpu is not None and family in (gpu.vendor, gpu.family)]


def _no_money(text: str, stated: Stated, ground: Ground) -> None:
    """A number alone, taken for money for want of a unit, is none where the last answer asks for none."""
    alone = stated.values.keys() == {"budget"} and ground.uses and "budget" not in ground.uses
    words = small_words()
    scaled = (f"{digit}{scale}" for digit in "0123456789" for scale in words["scales"])
    if alone and not has_any(text, [*words["money_marks"], *words["at_most"], *scaled]):
        del stated.values["budget"]


def _memory_of(text: str, stated: Stated, ground: Ground, short: bool) -> None:
    """An amount is system memory where that is spoken of, or the memory of a machine that has but one."""
    if "gpu" in stated.values or not short:
        return
    if stated.values.keys() == {"ram_gb"}:
        # of a machine with one memory it is that of the card spoken of, whose question goes on
        stated.belongs = stated.belongs or _shares_memory(ground)
        return
    if "vram_gb" not in stated.values or "ram_gb" in stated.values:
        return
    if has_any(text, small_words()["of_the_card"]):
        return
    if _shares_memory(ground) or ("ram_gb" in ground.uses and "vram_gb" not in ground.uses):
        stated.values["ram_gb"] = stated.values.pop("vram_gb")
        stated.belongs = True


def _shares_memory(ground: Ground) -> bool:
    """Whether one of the cards spoken of has the computer's memory."""
    held, names = ground.earlier.get("gpu"), ground.names
    cards = held.value if held is not None and isinstance(held.value, list) else []
    found = map(names.find_gpu, cards) if names is not None else ()
    return any(gpu is not None and gpu.unified_memory for gpu in found)
