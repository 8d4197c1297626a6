"""Which operation a later message is, and what it changes: one function over the reading of the message and the state.

The order of the rules is the order in which a person settles it: small talk and other subjects, taking it all back,
an answer to what was asked or offered, going back, pointing at what was shown, then what happens to a value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from bot.core.question import Operation
from bot.talk.points import named_by, placed, pointed
from bot.talk.standing import Change, Standing
from bot.talk.turn import Slots, Turn
from bot.talk.values import counted_in_words, counted_on, of_topic, typed_like

_SOCIAL: Final = frozenset({"thanks", "greeting", "help"})
_ABOUT: Final = frozenset({"source", "why"})
_NO_NEED: Final = _SOCIAL | _ABOUT | {"cancel", "out_of_scope"}
_SURE: Final = 0.5
"""Score from which the need of a message is a new one of its own."""
_PLAINLY, _TIMES = 0.3, 4.0
"""... and of one that points from this one on, where the last need is so many times less likely."""
_LISTS: Final = frozenset({"gpu", "model", "provider"})
_OF_NAME: Final = frozenset({"gpu", "provider", "gpu_count"})
_STAYS: Final = frozenset({"gpu", "gpu_count"})
"""What a pointing word takes along to another need."""
_NEVER_LENT: Final = frozenset({"budget", "price", "duration"})
"""What is dropped where another person's question begins."""


def operation_of(turn: Turn, standing: Standing) -> Change:
    """The operation of a message and its changes.

    Args:
        turn: the message.
        standing: what it stands on.
    """
    for rule in _RULES:
        found = rule(turn, standing)
        if found is not None:
            return found
    return Change(Operation.SET, dict(turn.slots), "values alone")


def _confirms(turn: Turn, standing: Standing) -> Change | None:
    """A yes to what was assumed, or one of the choices that were offered."""
    picked = named_by(turn, standing.choices) if standing.choices else ""
    if picked:
        return Change(Operation.CONFIRM, dict(standing.meaning(picked)), "one of the choices")
    if turn.mark == "yes" or (turn.yes and standing.assumed):
        values = dict(standing.meaning(standing.assumed[0])) if len(standing.assumed) == 1 else {}
        return Change(Operation.CONFIRM, values, "a yes")
    return None


def _talks(turn: Turn, standing: Standing) -> Change | None:
    """Thanks, a doubt, a source, or another subject."""
    outside = turn.intent == "out_of_scope" and not turn.slots
    if outside or (turn.intent in _SOCIAL and turn.score >= _SURE):
        return Change(Operation.NEW, {"intent": turn.intent, "slots": {}}, "small talk or another subject")
    if turn.intent in _ABOUT and turn.score >= _SURE:
        return Change(Operation.NEW, {"intent": turn.intent, "keep": []}, "about the answer itself")
    return None


def _cancels(turn: Turn, standing: Standing) -> Change | None:
    if turn.has("cancel") or (turn.intent == "cancel" and turn.score >= _SURE and not turn.slots):
        # with a value named it takes that one out, else all of them
        return None if turn.named_slot else Change(Operation.CANCEL, {"clear": "all"}, "takes it all back")
    return None


def _returns(turn: Turn, standing: Standing) -> Change | None:
    if not standing.topics or not turn.has("return"):
        return None
    changes: Slots = {"topic": of_topic(turn, standing.topics)}
    for period in ("day", "week", "month"):
        if turn.has(period):
            changes["billing"] = period
    changes |= {
        slot: value for slot, value in turn.slots.items() if slot not in _LISTS and slot in {"duration", "budget"}
    }
    return Change(Operation.RETURN, changes, "goes back")


def _points(turn: Turn, standing: Standing) -> Change | None:
    """Picks from what was listed, from the parts of the answer, or from the variants that were asked about."""
    if standing.variants:
        name = pointed(turn, standing.variants, ())
        counted = counted_in_words(turn, standing, turn.slots)
        return Change(Operation.SET, {"gpu": [name], **counted}, "one of the variants") if name else None
    if standing.parts:
        part = pointed(turn, standing.parts, ())
        if part:
            return Change(
                Operation.POINT, {"intent": "concept_explain", "part": part.split(" ")[0]}, "a part of the answer"
            )
    name = pointed(turn, standing.listed, standing.prices, standing.sizes) or placed(turn, standing.spoken)
    if not name:
        return None
    changes = _of_name(standing, name)
    if _asks_plainly(turn, standing) and turn.intent not in {standing.intent, *_NO_NEED}:
        changes["intent"] = turn.intent
        changes |= {slot: value for slot, value in turn.slots.items() if slot == "model"}
    return Change(Operation.POINT, changes, "points at what was shown")


def _asks_plainly(turn: Turn, standing: Standing) -> bool:
    """Whether a message that points has a need of its own, sure or many times as likely as that of the last answer."""
    if turn.score >= _SURE or "model" in turn.slots:
        return True
    scores = {item.intent: item.score for item in turn.understanding.ranking}
    return turn.score >= _PLAINLY and turn.score > _TIMES * scores.get(standing.intent, 0.0)


def _of_name(standing: Standing, name: str) -> Slots:
    """A listed name as values: a card with its count, or a place."""
    wanted = {slot: value for slot, value in standing.meaning(name).items() if slot in _OF_NAME}
    return {slot: value for slot, value in wanted.items() if (slot, value) != ("gpu_count", 1)}


def _begins(turn: Turn, standing: Standing) -> Change | None:
    """Another subject: by a word that says so."""
    if not turn.has("new") or turn.intent == standing.intent:
        return None
    changes: Slots = {"intent": turn.intent}
    stated: Slots = {slot: turn.slots[slot] for slot in ("gpu", "model") if slot in turn.slots}
    if stated:
        dropped = _of(standing, _NEVER_LENT)
        if dropped:
            changes["drop"] = sorted(dropped)
        changes.update(stated)
    elif turn.has("this") and _of(standing, _STAYS):
        changes["keep"] = _of(standing, _STAYS)
    return Change(Operation.NEW, changes, "another subject")


def _of(standing: Standing, slots: frozenset[str]) -> list[str]:
    """Which of these slots are in force."""
    return [slot for slot in standing.slots if slot in slots]


def _allows(turn: Turn, standing: Standing) -> Change | None:
    """What was ruled out is allowed again."""
    before = standing.slots.get("exclude")
    ruled = [value for value in (before if isinstance(before, list) else ()) if value in turn.conditions]
    if ruled and turn.has("allow"):
        return Change(Operation.REMOVE, {"exclude": {"op": "-", "value": ruled}}, "allowed again")
    return None


def _counts_on(turn: Turn, standing: Standing) -> Change | None:
    """More or less of what is in force."""
    changes = counted_on(turn, standing)
    return Change(Operation.INCREMENT, changes, "counts on") if changes else None


def _takes_out(turn: Turn, standing: Standing) -> Change | None:
    """Something that is listed or in force goes."""
    if not turn.has("remove") and not turn.has("deny"):
        return None
    in_force = _cards(standing)
    gone = [name for name in _going(turn) if name in in_force]
    if gone and len(in_force) > 1:
        return Change(Operation.REMOVE, {"gpu": {"op": "-", "value": gone}}, "leaves the list")
    if turn.named_slot and turn.has("remove") and turn.named_slot in standing.slots:
        return Change(Operation.REMOVE, {turn.named_slot: {"op": "-"}}, "no longer a condition")
    return None


def _going(turn: Turn) -> list[str]:
    """The cards that a message takes out: all of them by a word for it, else those it rules out."""
    return turn.names("gpu") if turn.has("remove") else [name for name in turn.names("gpu") if name in turn.excluded]


def _cards(standing: Standing) -> list[str]:
    """The cards in force."""
    cards = standing.slots.get("gpu")
    return list(map(str, cards)) if isinstance(cards, list) else []


def _rules_out(turn: Turn, standing: Standing) -> Change | None:
    ruled = [] if turn.corrects else [value for value in _ruled_out(turn, standing) if value not in turn.given_up]
    if not ruled:
        return None
    if standing.slots.get("exclude"):
        return Change(Operation.ADD, {"exclude": {"op": "+", "value": ruled}}, "one more is ruled out")
    changes: Slots = {"exclude": _with_shown(turn, standing, ruled)}
    if turn.has("other"):
        changes["intent"] = standing.intent or standing.answered or turn.likeliest_but(_NO_NEED)
    return Change(Operation.EXCLUDE, changes, "ruled out")


def _with_shown(turn: Turn, standing: Standing, ruled: list[str]) -> list[str]:
    """What is ruled out, with the shown cards of such a maker and those in force that were shown as such."""
    makes = [name for name in standing.listed if turn.is_of(name, ruled)]
    kept = [name for name in _cards(standing) if standing.conditions.get(name) in ruled]
    return list(dict.fromkeys((*makes, *ruled, *kept)))


def _ruled_out(turn: Turn, standing: Standing) -> list[str]:
    """What a message rules out: by its words, else everything it names beside a word of denial."""
    if turn.excluded or not turn.has("deny"):
        return list(turn.excluded)
    return [*turn.denied, *_standing_provider(turn, standing)]


def _standing_provider(turn: Turn, standing: Standing) -> list[str]:
    """The place that was spoken of, where every other one is asked for."""
    provider = standing.slots.get("provider")
    if not turn.has("this") or not turn.has("other"):
        return []
    if isinstance(provider, str):
        return [provider]
    return list(map(str, provider)) if isinstance(provider, (list, tuple)) else []


def _adds(turn: Turn, standing: Standing) -> Change | None:
    if not turn.has("add"):
        return None
    changes: Slots = {}
    for slot, value in _joining(turn, standing).items():
        if value:
            changes[slot] = {"op": "+", "value": value if isinstance(value, list) else [value]}
    return Change(Operation.ADD, changes, "joins the list") if changes else None


def _joining(turn: Turn, standing: Standing) -> Slots:
    """What joins a list: what is named, and the task of a model that is of another one than what is in force."""
    named: Slots = {slot: turn.slots.get(slot) for slot in ("task", "gpu", "model", "provider")}
    models = turn.slots.get("model")
    if named["task"] is None and "task" in standing.slots and isinstance(models, list):
        tasks = dict.fromkeys(task for task in map(standing.task_of, models) if task)
        named["task"] = [task for task in tasks if task != standing.slots["task"]]
    return named


def _values(turn: Turn, standing: Standing) -> Change | None:
    """New values: in the place of others, or of what was asked for."""
    changes = typed_like(turn, standing)
    if not changes:
        return None
    replaced = [slot for slot in changes if standing.slots.get(slot) not in (None, [], {})]
    fills = standing.expecting or standing.ask or all(map(_is_partial, map(standing.slots.get, replaced)))
    operation = Operation.REPLACE if replaced and not fills else Operation.SET
    return Change(operation, changes, "in the place of what was said" if replaced else "fills what is open")


def _is_partial(value: object) -> bool:
    """Whether of a value in force only a part was said."""
    return isinstance(value, Mapping) and None in value.values()


_RULES: Final[tuple[Callable[[Turn, Standing], Change | None], ...]] = (
    _confirms,
    _allows,
    _cancels,
    _returns,
    _points,
    _begins,
    _counts_on,
    _takes_out,
    _rules_out,
    _adds,
    _talks,
    _values,
)
