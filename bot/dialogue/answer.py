"""A decision to answer: the slots of the message with what carries over from before, and what is ruled out."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from bot.core.conversation import HeldSlot
from bot.core.decision import Decision
from bot.core.intents import Intent
from bot.dialogue.carry_over import OF_CARD, OF_SUBJECT, Asked, carried, is_on_processor, may_be_lent
from bot.dialogue.ground import says, small_words
from bot.dialogue.kin import of_other_kind
from bot.dialogue.turn import CONVERSATION, Turn

_TUNING: Final = frozenset({"full", "lora", "qlora", "ptuning", "train", "pretrain"})
_SERVED: Final = "llm_inference"
_SELLER: Final = "provider"


def answer(
    turn: Turn,
    intent: str,
    slots: dict[str, HeldSlot],
    rule: str,
    *,
    fresh: bool = False,
    carry: bool = False,
    carried_names: tuple[str, ...] = (),
    filled: Collection[str] = (),
    second: str = "",
) -> Decision:
    """Hand over to a handler, with what carries over from before.

    Args:
        turn: the message.
        intent: what is asked.
        slots: values to answer with.
        rule: which rule decided, for `explain`.
        fresh: a question of its own.
        carry: within one conversation the job stays the job, until another model is named.
        carried_names: slots among `slots` that earlier turns lent.
        filled: slots that are kept whatever the intent uses.
        second: another need, to be offered.
    """
    spec = turn.intents.get(intent)
    names = [name for name in carried_names if name not in turn.stated.values]
    if carry and spec is not None and turn.conversation.turn:
        lent = _lent(turn, spec, slots, fresh=fresh)
        names += list(lent)
        slots = _gathered(spec, {**lent, **slots}, turn)
    slots = _of_one_job(turn, slots)
    if spec is not None and intent not in CONVERSATION and not fresh:
        slots = _of_use(spec, slots, {*turn.stated.values, *filled})
    excluded = _excluded(turn, going_on=carry or bool(carried_names))
    return turn.decided(
        "answer",
        intent=intent,
        slots=_not_ruled_out(slots, excluded),
        carried=tuple(names),
        dropped=tuple(sorted(turn.stated.dropped)),
        excluded=excluded,
        bounds=dict(turn.stated.bounds),
        subject=turn.subject,
        returned=turn.returned,
        rule=rule,
        second=second,
    )


def _of_use(spec: Intent, slots: dict[str, HeldSlot], said: set[str]) -> dict[str, HeldSlot]:
    """The slots that a need uses or goes on with, and those just said."""
    wanted = {*spec.used_slots, *said}
    return {name: held for name, held in slots.items() if name in wanted or may_be_lent(name, spec)}


def _lent(turn: Turn, spec: Intent, slots: dict[str, HeldSlot], *, fresh: bool) -> dict[str, HeldSlot]:
    """What earlier turns lend to this one."""
    again = _said_again(turn)
    text = turn.message.text
    asked = Asked(
        stated=frozenset(slots.keys() - again),
        only_needed=fresh and "model" in turn.stated.values and not again,
        own_question=fresh and not (says(text, "swaps") or says(text, "plural")),
        points=says(text, "points"),
        other_job=_tunes_after_serving(turn),
    )
    lent = carried(spec, turn.spoken_of(spec), asked)
    if is_on_processor(turn.understanding.concepts, turn.stated.values):
        return {name: held for name, held in lent.items() if name not in OF_CARD}
    return lent


def _tunes_after_serving(turn: Turn) -> bool:
    """Whether a model that was to be run is now to be trained."""
    before, task = turn.earlier.get("method"), turn.earlier.get("task")
    served = (before is not None and before.value == "inference") or (task is not None and task.value == _SERVED)
    return served and turn.stated.values.get("method") in _TUNING


def _gathered(spec: Intent, slots: dict[str, HeldSlot], turn: Turn) -> dict[str, HeldSlot]:
    """A list that takes several to make sense: one more value, or one alone, joins what was spoken of before."""
    swaps = says(turn.message.text, "swaps") or turn.stated.replaced
    for slot in () if swaps else spec.gathers:
        values = slots[slot].value if slot in slots else None
        if isinstance(values, list) and len(values) == 1:
            slots = _with_before(spec, slots, turn, slot, values)
    return slots


def _with_before(
    spec: Intent, slots: dict[str, HeldSlot], turn: Turn, slot: str, values: list[object]
) -> dict[str, HeldSlot]:
    spoken = (turn.spoken_of(spec), *[episode.slots for episode in turn.conversation.episodes[::-1]])
    found = next((held for held in spoken if slot in held and held[slot].value != values), None)
    before = found[slot].value if found is not None else None
    if found is None or not isinstance(before, list):
        return slots
    joined = list(dict.fromkeys((*before, *values)))
    slots = {**slots, slot: slots[slot].model_copy(update={"value": joined})}
    apart = slot == "gpu" and "gpu_count" in turn.stated.values
    return _counted_apart(slots, found.get("gpu_count"), before, values) if apart else slots


def _counted_apart(
    slots: dict[str, HeldSlot], held: HeldSlot | None, before: list[object], values: list[object]
) -> dict[str, HeldSlot]:
    """How many are said of a card that joins others counts that card alone; the others keep their number."""
    said = slots.get("gpu_count")
    if said is None:
        return slots
    counts = {str(card): held.value if held is not None else 1 for card in before}
    counts |= {str(card): said.value for card in values}
    if set(counts.values()) == {1}:
        return slots
    kept = {name: one for name, one in slots.items() if name != "gpu_count"}
    return {**kept, "card_counts": said.model_copy(update={"value": counts})}


def _said_again(turn: Turn) -> set[str]:
    """The model, when it is the one spoken of: naming it again starts no other job."""
    held = turn.earlier.get("model")
    return {"model"} if held is not None and held.value == turn.stated.values.get("model") else set()


def _of_one_job(turn: Turn, slots: dict[str, HeldSlot]) -> dict[str, HeldSlot]:
    """The slots without a model spoken of earlier that the task just named has no use for."""
    task, model = turn.stated.values.get("task"), slots.get("model")
    kinds = small_words()["model_kinds"].get(task) if isinstance(task, str) else None
    if kinds is None or model is None or "model" in turn.stated.values or turn.names is None:
        return slots
    if not of_other_kind(model.value, kinds, turn.names):
        return slots
    return {name: held for name, held in slots.items() if name in turn.stated.values or name not in OF_SUBJECT}


def _excluded(turn: Turn, *, going_on: bool) -> dict[str, tuple[object, ...]]:
    """What is ruled out: by this message, and before unless this message allows it again."""
    before = turn.conversation.excluded if going_on else {}
    now = turn.stated.excluded
    held = {slot: _still_out(values, turn.stated.values.get(slot)) for slot, values in before.items()}
    # one more is ruled out beside those of before; () allows all of a kind again
    both = {slot: values if values == () else (*held.get(slot, ()), *values) for slot, values in now.items()}
    return {slot: tuple(dict.fromkeys(values)) for slot, values in {**held, **both}.items() if values}


def _still_out(values: tuple[object, ...], wished: object) -> tuple[object, ...]:
    """What was ruled out, without what is asked for now."""
    again = wished if isinstance(wished, list) else [wished]
    return tuple(value for value in values if value not in again)


def _not_ruled_out(slots: dict[str, HeldSlot], excluded: Mapping[str, tuple[object, ...]]) -> dict[str, HeldSlot]:
    """The slots without the one to rent from that is not wanted any more."""
    held, out = slots.get(_SELLER), excluded.get(_SELLER, ())
    if held is None or not out:
        return slots
    left = [one for one in (held.value if isinstance(held.value, list) else [held.value]) if one not in out]
    if left:
        return {**slots, _SELLER: held.model_copy(update={"value": left if len(left) > 1 else left[0]})}
    return {name: one for name, one in slots.items() if name != _SELLER}
