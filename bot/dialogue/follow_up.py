"""Corrections and follow-ups: a message that goes on with the last answer, by its form and by what it holds."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from bot.core.conversation import Episode, HeldSlot
from bot.core.decision import Decision
from bot.core.intents import Intent
from bot.core.left import opened
from bot.dialogue.answer import answer
from bot.dialogue.carry_over import LASTING, need_met
from bot.dialogue.ground import says, small_words
from bot.dialogue.kin import with_replaced
from bot.dialogue.turn import CONVERSATION, Turn

GOES_ON_LENGTH: Final = 24
"""Characters up to which a message can go on with the last answer by one word."""
_SIGNS_OF_FOLLOW_UP: Final = 2
"""Of three: it reads like one, its likeliest need is that of the last answer, no need is likely."""
_QUESTION_MARKS: Final = ("?", "\uff1f")
_ANEW: Final = frozenset({"gpu", "model", "task", "budget"})
_DEMANDS: Final = frozenset({"gpu_family", "vram_gb", "budget"})
"""What people demand of the card to choose."""
NARROWED: Final = frozenset(
    {"recommend_gpu", "compare_gpus", "gpu_count", "platform_choice", "price_lookup", "cluster_design"}
)
"""Intents that a bare exclusion or demand narrows."""


_JUDGED: Final = frozenset({"check_fit", "estimate_time", "power_supply", "gpu_count", "estimate_cost", "cuda_compat"})
"""Needs about what a card does, which is asked of another one in its place."""
_SWAPPED: Final = frozenset({"gpu", "gpu_count", "epochs", "duration", "provider"})
"""What may be said of a card that takes the place of another."""
_SETTINGS: Final = frozenset({"batch", "seq_len", "precision", "resolution", "users"})
"""How a job is run, ..."""
_OF_SETTINGS: Final = frozenset({"batch_size", "sequence_length", "quantization", "number_format", "precision"})
"""... and what the words for it stand for."""
_CHOICE: Final = frozenset({"recommend_gpu"})
"""Needs for which the number of cards is a demand like their memory."""
_OF_USED: Final = "used_or_cheap"
ACT_OF: Final = {"more": "details", "chart": "chart"}
"""Which side of the last answer a mark asks for."""


def correction(turn: Turn) -> Decision | None:
    """The last question again with a value replaced."""
    corrects = turn.understanding.mark == "correction" or says(turn.message.text, "meant") or _is_swap(turn)
    intent = turn.last_intent
    if not corrects or not turn.stated.values or not intent or intent in CONVERSATION:
        return None
    slots = dict(turn.earlier) | _merged(turn)
    return answer(turn, intent, slots, "correction", carried_names=tuple(turn.earlier))


def _is_swap(turn: Turn) -> bool:
    """Whether a card in force is ruled out for another one, and nothing is asked."""
    held = turn.earlier.get("gpu")
    gone = turn.stated.excluded.get("gpu", ())
    in_force = turn.stated.replaced or (held is not None and any(card in gone for card in held.value))
    return in_force and turn.stated.values.keys() == {"gpu"} and not says(turn.message.text, "asks")


def _merged(turn: Turn) -> dict[str, HeldSlot]:
    """Stated slots, where a lone currency or amount corrects the one that stood, and one card one of several."""
    held = turn.held
    if "gpu" in held and "gpu" in turn.earlier:
        cards = with_replaced(turn.earlier["gpu"].value, held["gpu"].value)
        held["gpu"] = held["gpu"].model_copy(update={"value": cards})
    for slot in ("budget", "price"):
        if slot in held and slot in turn.earlier:
            held[slot] = _completed(held[slot], turn.earlier[slot])
    return held


def _completed(said: HeldSlot, before: HeldSlot) -> HeldSlot:
    """An amount with what was not said of it taken from the one that stood."""
    if not isinstance(said.value, dict) or not isinstance(before.value, dict):
        return said
    known = {key: value for key, value in said.value.items() if value is not None}
    return said.model_copy(update={"value": before.value | known})


def follow_up(turn: Turn) -> Decision | None:
    """The last need with what a message puts in the place of something, or adds to it."""
    intent = turn.last_intent
    if not intent or intent in CONVERSATION or intent not in turn.intents:
        return None
    act = ACT_OF.get(turn.understanding.mark, "")
    if act and not turn.stated.values:
        in_force = dict(turn.earlier)
        return turn.decided("answer", intent, slots=in_force, act=act, subject=turn.subject, rule="more of the same")
    if _goes_on(turn, turn.intents[intent]):
        return answer(turn, intent, turn.held, "goes on with the path", carry=True)
    if _narrows(turn, intent):
        decision = answer(turn, intent, turn.held, "follow-up", carry=True)
        return decision.model_copy(update={"narrowed": True})
    if _puts_in_place(turn, intent) or _sets(turn, intent):
        return answer(turn, intent, turn.held, "follow-up: in its place", carry=True)
    turn = _of_older(turn)
    intent = _taker(turn, turn.last_intent)
    same = _is_same(turn, intent)
    if not _reads_as_follow_up(turn, intent, same=same):
        return None
    return answer(turn, _likelier(turn, intent, same=same), turn.held, "follow-up", carry=True)


def _is_same(turn: Turn, intent: str) -> bool:
    """Whether a message has the need of the last answer, or may as well have it."""
    if turn.stated.belongs or turn.best is None:
        return turn.stated.belongs
    return turn.best.intent == intent or _stays(turn, intent, turn.best.intent)


def _reads_as_follow_up(turn: Turn, intent: str, *, same: bool) -> bool:
    """Whether two of three signs make it one, and the last need can do something with what is stated."""
    sure = turn.score >= turn.policy.answer_score
    if (turn.elliptical, same, not sure).count(True) < _SIGNS_OF_FOLLOW_UP:
        return False
    if turn.refined and turn.stated.excluded and not turn.stated.values:
        return False
    return not turn.stated.values or bool(turn.usable(intent))


def _likelier(turn: Turn, intent: str, *, same: bool) -> str:
    """Where no value is named, the words say what a follow-up is about."""
    best = turn.best
    if best is None or turn.stated.values or same or best.intent in CONVERSATION:
        return intent
    likelier = turn.score >= turn.policy.change_odds * turn.score_of(intent)
    return best.intent if likelier else intent


def _stays(turn: Turn, intent: str, other: str) -> bool:
    """Whether bare values that the last answer can use go on with it, though another need is a little likelier.

    They go on with the one before it where the last can use less of them, as after a question about a word.
    They stay too when the other need lacks something that nobody said: values alone ask for nothing new, renting and
    buying do.
    """
    stated = turn.stated.values.keys()
    bare = turn.understanding.elliptical or turn.swaps
    if not bare or not stated or "deploy" in stated or stated - turn.usable(intent):
        return False
    if _stays_anyway(turn, intent):
        return True
    spec = turn.intents[other]
    known = stated | {slot for slot in turn.earlier if slot in spec.carries_over}
    return not all(need_met(need, known) for need in spec.needs) and turn.score < turn.policy.sure_score


def _stays_anyway(turn: Turn, intent: str) -> bool:
    """Whether the other need is not so much likelier as to take bare values along."""
    around = intent != turn.last_intent and turn.score < turn.policy.sure_score
    close = turn.score < turn.policy.change_odds * turn.score_of(intent)
    return turn.returned or turn.swaps or around or close


def _narrows(turn: Turn, intent: str) -> bool:
    """Whether a message does no more than narrow a choice just made."""
    stated = turn.stated.values.keys()
    narrows = turn.refined and turn.stated.excluded if not stated else stated <= _DEMANDS and turn.usable(intent)
    text = turn.message.text
    short = len(text) <= turn.policy.short_line and not text.rstrip().endswith(_QUESTION_MARKS)
    sure = turn.score >= turn.policy.own_subject_score and not _speaks_of_condition(turn)
    if _is_room(turn, intent):
        return True
    return bool(narrows) and short and intent in NARROWED and not sure and not _asks_of_it(turn)


def _is_room(turn: Turn, intent: str) -> bool:
    """Whether no more is said than how many cards there may be of what is chosen."""
    counted = turn.stated.values.keys() == {"gpu_count"} and turn.stated.values["gpu_count"] == 1
    return counted and intent in _CHOICE and not says(turn.message.text, "asks")


def _puts_in_place(turn: Turn, intent: str) -> bool:
    """Whether another card is put in the place of the one that was judged, and nothing else is asked of it."""
    stated, spec = turn.stated.values, turn.intents[intent]
    other = "gpu" in stated and stated.keys() <= _SWAPPED and len(stated["gpu"]) == 1
    judged = "gpu" in turn.earlier and intent in _JUDGED and "gpu" not in spec.gathers
    plain = turn.score < turn.policy.own_subject_score and "worth" not in turn.understanding.concepts
    text = turn.message.text
    back = text.startswith(tuple(small_words()["settles_on"])) and not text.rstrip().endswith(_QUESTION_MARKS)
    return other and judged and ((plain and says(text, "swaps")) or back)


def _sets(turn: Turn, intent: str) -> bool:
    """Whether no more is said than how the job is run, which the last answer depends on."""
    stated = turn.stated.values.keys()
    bare = bool(stated) and stated <= _SETTINGS and set(turn.understanding.concepts) <= _OF_SETTINGS
    unsure = turn.score < turn.policy.own_subject_score and not says(turn.message.text, "asks")
    return bare and unsure and stated <= turn.usable(intent)


def _asks_of_it(turn: Turn) -> bool:
    """Whether a demand is what another need is asked about that has all it takes, as if so much memory is enough."""
    best = turn.best
    if best is None or best.intent in NARROWED or turn.score < turn.policy.alone_score:
        return False
    spec = turn.intents.get(best.intent)
    known = turn.stated.values.keys() | turn.earlier.keys()
    return spec is not None and bool(spec.needs) and all(need_met(need, known) for need in spec.needs)


def _speaks_of_condition(turn: Turn) -> bool:
    """Whether used cards are ruled out or allowed, and a need is heard only because of the word for them."""
    return "pricing_model" in turn.stated.excluded and turn.best is not None and turn.best.intent == _OF_USED


def _taker(turn: Turn, intent: str) -> str:
    """Whose follow-up it is: the last intent's, unless an earlier one can use more of what is stated."""
    if turn.chosen:
        return intent
    for episode in reversed(turn.conversation.episodes):
        if len(turn.usable(episode.intent)) > len(turn.usable(intent)):
            intent = episode.intent
    return intent


def _of_older(turn: Turn) -> Turn:
    """The turn as one that goes on with the answer for which the stated values were said, where the last had no use."""
    older = None if turn.chosen or not turn.understanding.elliptical else _said_for(turn)
    if older is None:
        return turn
    found = opened(older)
    lasting = {name: held for name, held in turn.earlier.items() if name in LASTING}
    return replace(turn, subject=found, chosen=True, earlier={**lasting, **found.slots})


def _said_for(turn: Turn) -> Episode | None:
    """The newest answer that all stated values were said for, unless it is the last one; None where there is none."""
    stated, episodes = turn.stated.values.keys(), turn.conversation.episodes[::-1]
    if not stated or not episodes or not stated.isdisjoint(episodes[0].slots):
        return None
    return next((one for one in episodes[1:] if stated <= one.slots.keys() and one.intent in turn.intents), None)


def _goes_on(turn: Turn, spec: Intent) -> bool:
    """Whether a short message holds a word with which people go on with the intent of the last answer."""
    text = turn.message.text.strip().casefold()
    names_anew = not turn.stated.values.keys().isdisjoint(_ANEW)
    if not text or text.endswith(_QUESTION_MARKS) or len(text) > GOES_ON_LENGTH or names_anew:
        return False
    return any(word in text for lines in (spec.goes_on.zh, spec.goes_on.en) for word in lines)
