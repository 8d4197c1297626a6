"""The operation of a later message on what the conversation holds, and its change written onto what is stated.

`bot/talk` says which operation it is; here it gets what it stands on, and takes effect. Only what is in force, was
shown, or is of the same kind can change: percent, hours, money, watts and counts never cross.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Final

from bot.core.conversation import Episode, HeldSlot
from bot.core.left import opened
from bot.core.question import Operation
from bot.core.understanding import Understanding
from bot.dialogue.ground import Ground, small_words
from bot.dialogue.kin import Names
from bot.dialogue.ruled_out import kind_of, names_of
from bot.dialogue.slots import Stated
from bot.talk.operations import operation_of
from bot.talk.standing import Change, Standing
from bot.talk.turn import of_mapping, turn_of

_PICKED: Final = re.compile(r"pick|runner_up_\d+")
"""Facts of a recommendation: what was picked, and what stood behind it."""
_CARDS: Final = frozenset({"card", "piece"})
"""Units of a number of cards."""
_LISTED: Final = ("gpu", "model", "provider")
_BY_SIZE: Final = frozenset({"smaller", "larger"})
_SHORT: Final = 32
"""Characters of a message that may point at what an earlier answer than the last one listed."""
_GATHERS: Final = frozenset({"compare_gpus", "price_lookup", "gpu_specs"})
"""Needs whose answer sets several cards side by side: one more joins them."""
_FOR_SEVERAL: Final = frozenset({"recommend_gpu"})
"""Needs whose answer may be for several models or tasks at once."""
_TYPED: Final = ("budget", "seq_len", "utilization", "electricity_price", "duration")
"""Values that the operation may complete by what is in force."""
_CHANGING: Final = frozenset({Operation.INCREMENT, Operation.EXCLUDE, Operation.REMOVE, Operation.ADD, Operation.POINT})


def followed(
    understanding: Understanding,
    ground: Ground,
    excluded: Mapping[str, Sequence[object]],
    subject: Episode | None,
    episodes: Sequence[Episode] = (),
) -> Change:
    """The operation of a message and its changes.

    Args:
        understanding: the message.
        ground: what was said before.
        excluded: what is ruled out so far.
        subject: the answer that it is about.
        episodes: the answers so far, the oldest first.
    """
    slot, listed, prices = _shown(ground, subject)
    if not listed and len(understanding.text) <= _SHORT:
        slot, listed, prices = _listed_before(ground, episodes)
    slots: dict[str, object] = {slot: held.value for slot, held in ground.earlier.items()}
    if _adds_cards(understanding) and len(_one_card(ground)) == 1:
        slots.setdefault("gpu_count", 1)
    ruled = names_of(excluded)
    if ruled:
        slots["exclude"] = ruled
    asked = ground.pending
    standing = Standing(
        slots=slots,
        intent=ground.intent,
        answered=ground.intent,
        expecting=asked.slot if asked is not None and asked.kind == "ask" else "",
        listed=listed,
        spoken=() if listed else _spoken_of(ground),
        prices=prices,
        sizes=_memory_of(slot, listed, understanding, ground.names),
        meaning=partial(_meaning, slot or _LISTED[0]),
        task_of=partial(_task_of, ground.names),
    )
    return operation_of(turn_of(understanding), standing)


def _adds_cards(understanding: Understanding) -> bool:
    """Whether a message adds so many cards to those in force."""
    plus = "add_card" in understanding.concepts
    added = any((plus or "more" in one.beside) and one.unit in _CARDS for one in understanding.said.numbers)
    return added or "single" in understanding.said.acts


def _one_card(ground: Ground) -> list[object]:
    """The cards in force."""
    held = ground.earlier.get("gpu")
    return held.value if held is not None and isinstance(held.value, list) else []


def _shown(ground: Ground, subject: Episode | None) -> tuple[str, tuple[str, ...], tuple[float, ...]]:
    """What the last answer showed, as which slot, and at what prices: the pick and those behind it, else a list."""
    facts = {fact.name: fact.value for fact in subject.facts} if subject is not None else {}
    picks = [name for name in facts if _PICKED.fullmatch(name)]
    if len(picks) > 1:
        prices = map(facts.get, map("{}_price".format, picks))
        return "gpu", tuple(map(str, map(facts.get, picks))), _known(prices)
    return _compared(ground, facts)


def _listed_before(ground: Ground, episodes: Sequence[Episode]) -> tuple[str, tuple[str, ...], tuple[float, ...]]:
    """The cards that were set side by side in an earlier answer, where one of them is spoken of now."""
    now = _one_card(ground)
    for one in reversed(episodes):
        held = one.slots.get("gpu")
        cards = held.value if held is not None and isinstance(held.value, list) else []
        if len(cards) > 1 and now and set(now) <= set(cards):
            facts = {fact.name: fact.value for fact in opened(one).facts}
            return "gpu", tuple(map(str, cards)), _prices_of(cards, facts)
    return "", (), ()


def _compared(ground: Ground, facts: Mapping[str, object]) -> tuple[str, tuple[str, ...], tuple[float, ...]]:
    """The first list in force that holds several names."""
    held = {slot: ground.earlier[slot].value for slot in _LISTED if slot in ground.earlier}
    slot = next((slot for slot, value in held.items() if isinstance(value, list) and len(value) > 1), "")
    return (slot, tuple(map(str, held[slot])), _prices_of(held[slot], facts)) if slot else ("", (), ())


def _spoken_of(ground: Ground) -> tuple[str, ...]:
    """The cards of earlier answers that were about one alone, in the order in which they came up."""
    held = [slots["gpu"].value for slots in reversed(ground.before) if "gpu" in slots]
    alone = dict.fromkeys(str(cards[0]) for cards in held if isinstance(cards, list) and len(cards) == 1)
    return tuple(alone) if len(alone) > 1 else ()


def _memory_of(slot: str, cards: Sequence[str], understanding: Understanding, names: Names | None) -> tuple[float, ...]:
    """The memory of each card, if that of all is known and one of them is pointed at by its size."""
    if slot != "gpu" or _BY_SIZE.isdisjoint(understanding.said.acts):
        return ()
    found = [names.find_gpu(card) for card in cards] if names is not None else []
    return _known(gpu.vram_gib if gpu is not None else None for gpu in found)


def _known(prices: Iterable[object]) -> tuple[float, ...]:
    """Prices, if all of them are known."""
    found = [float(price) if isinstance(price, (int, float)) else None for price in prices]
    known = tuple(price for price in found if price is not None)
    return known if len(known) == len(found) else ()


def _prices_of(names: Sequence[object], facts: Mapping[str, object]) -> tuple[float, ...]:
    """What each of the cards compared costs to buy, else to rent."""
    bought = _known(facts.get(f"price_buy:{name}") for name in names)
    return bought or _known(facts.get(f"price_rent:{name}") for name in names)


def _meaning(slot: str, shown: str) -> dict[str, object]:
    """A listed name as a value of its slot."""
    return {slot: shown if slot == "provider" else [shown]}


def _task_of(names: Names | None, model: str) -> str:
    """The task of a model by what it works on."""
    found = names.find_ml_model(model) if names is not None else None
    kinds = small_words()["model_kinds"].items()
    return next((task for task, made in kinds if found is not None and found.modality in made), "")


def take(change: Change, stated: Stated, ground: Ground) -> bool:
    """Write the change of an operation onto what a message states; whether there was anything to change."""
    done = False
    for write in _WRITERS.get(change.operation, ()):
        done = write(change, stated, ground) or done
    if done and change.operation in _CHANGING:
        stated.operation = str(change.operation)
        stated.asked = str(change.changes.get("intent", ""))
    return done


def _counted(change: Change, stated: Stated, ground: Ground) -> bool:
    """More or less of a value in force."""
    for slot, delta in change.changes.items():
        held, result = ground.earlier.get(slot), of_mapping(delta).get("result")
        known = held is not None or slot == "gpu_count"
        if known and isinstance(result, (int, float)) and result > 0:
            before = of_mapping(held.value) if held is not None else {}
            stated.values[slot] = {**before, "amount": result} if before else result
    return bool(change.changes)


def _ruled_out(change: Change, stated: Stated, ground: Ground) -> bool:
    """Something is not wanted, of whatever kind."""
    listed = of_mapping(change.changes.get("exclude")).get("value", change.changes.get("exclude"))
    named = [str(one) for one in listed] if isinstance(listed, list) else []
    for name in named:
        for slot, value in kind_of(name, ground.names):
            before = stated.excluded.get(slot, ())
            if value not in before:
                stated.excluded[slot] = (*before, value)
    return bool(named)


def _allowed(change: Change, stated: Stated, ground: Ground) -> bool:
    """What was ruled out is allowed again."""
    listed = of_mapping(change.changes.get("exclude")).get("value")
    for name in listed if isinstance(listed, list) else ():
        for slot, _ in kind_of(str(name), ground.names):
            stated.excluded[slot] = ()
    return bool(listed)


def _left(change: Change, stated: Stated, ground: Ground) -> bool:
    """A card leaves those that were set side by side; what else is named takes its place."""
    gone = of_mapping(change.changes.get("gpu")).get("value")
    held = ground.earlier.get("gpu")
    if not isinstance(gone, list) or held is None or not isinstance(held.value, list):
        return False
    said = [name for name in stated.values.get("gpu", []) if name not in held.value]
    left = [name for name in held.value if name not in gone]
    if not (left or said):
        return False
    stated.values["gpu"] = [*left, *said]
    stated.replaced = True
    return True


def _dropped(change: Change, stated: Stated, ground: Ground) -> bool:
    """A value in force is no condition any more."""
    gone = {slot for slot, delta in change.changes.items() if of_mapping(delta).keys() == {"op"}}
    stated.dropped |= gone
    return bool(gone)


def _joined(change: Change, stated: Stated, ground: Ground) -> bool:
    """A card joins those that were set side by side, a model or task those that the choice is for."""
    done = False
    for slot, needs in (("gpu", _GATHERS), ("model", _FOR_SEVERAL)):
        more = of_mapping(change.changes.get(slot)).get("value")
        held = ground.earlier.get(slot)
        if isinstance(more, list) and held is not None and _may_join(slot, held.value, needs, ground):
            stated.values[slot] = list(dict.fromkeys((*held.value, *more)))
            done = True
    return done


def _may_join(slot: str, before: object, needs: frozenset[str], ground: Ground) -> bool:
    """Whether a list takes one more: by the need it is for, or because there are several cards already."""
    return isinstance(before, list) and (ground.intent in needs or (slot == "gpu" and len(before) > 1))


def _pointed(change: Change, stated: Stated, ground: Ground) -> bool:
    """One of what was shown is meant."""
    named = {slot: value for slot, value in change.changes.items() if slot in {"gpu", "model", "provider"}}
    fresh = {slot: value for slot, value in named.items() if slot not in stated.values}
    stated.values.update(fresh)
    stated.pointed = "gpu" in fresh
    counts, cards = ground.earlier.get("card_counts"), fresh.get("gpu")
    if counts is not None and isinstance(cards, list) and cards[0] in counts.value:
        # so many as there were of the one that is meant
        stated.values.setdefault("gpu_count", counts.value[cards[0]])
    return bool(fresh)


def _typed(change: Change, stated: Stated, ground: Ground) -> bool:
    """Values that are complete only beside what is in force: an amount of money with its currency and period."""
    found: dict[str, object] = {
        slot: change.changes[slot]
        for slot in _TYPED
        if slot in change.changes and slot in ground.uses and slot not in stated.values and not _is_asked(slot, ground)
    }
    stated.values.update(found)
    stated.belongs = stated.belongs or bool(found)
    return bool(found)


def _is_asked(slot: str, ground: Ground) -> bool:
    """Whether the open question is for a time: its answer is read with the unit that was asked for."""
    return slot == "duration" and ground.pending is not None


_Write = Callable[[Change, Stated, Ground], bool]
_WRITERS: Final[Mapping[Operation, tuple[_Write, ...]]] = {
    Operation.INCREMENT: (_counted,),
    Operation.EXCLUDE: (_ruled_out,),
    Operation.ADD: (_ruled_out, _joined),
    Operation.REMOVE: (_allowed, _left, _dropped),
    Operation.POINT: (_pointed,),
    Operation.SET: (_typed,),
    Operation.REPLACE: (_typed,),
}


def without(slots: Mapping[str, HeldSlot], stated: Stated) -> dict[str, HeldSlot]:
    """Slots in force without those that the message took back."""
    return {slot: held for slot, held in slots.items() if slot not in stated.dropped}
