"""A turn that is answered: who answers, in which words, with which choices, and what is kept."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from advisor.errors import AdvisorError
from bot.answers import get_handler
from bot.answers.common import decline_error
from bot.answers.documents.beside import plain_answer, with_documents
from bot.answers.route import route
from bot.answers.sums.gate import Found
from bot.core.answers import Answer, Decline, Elicit, Outcome, elicit_of
from bot.core.conversation import Pending
from bot.core.message import Choice, Part, choice_of
from bot.core.request import Request
from bot.dialogue.turn import ABOUT_ANSWER, CONVERSATION
from bot.render import Form, Rendered
from bot.road.after import Kept, episode_of, following, touched
from bot.road.at_hand import with_what_was_before
from bot.road.second import with_second
from bot.road.stated import with_stated
from bot.road.turn import Ending, Explained, Turn
from knowledge.store import Library

_DOCUMENTS: Final = "concept_explain"
"""Intent of an answer from a passage that names none of its own."""
_GOING_ON: Final = ("answers", "choice", "follow-up", "correction")
"""Rules of turns that go on with a question; a passage never takes their place."""
_SPOKEN_OF: Final = 0.34
"""Share of a message that a conflict must speak of to be told beside what was worked out."""
_HEAD_ON: Final = 0.6
"""The same where a group is told of somebody's own case."""
_OF_IT_ALONE: Final = 0.85
"""The same beside a bill: a message of two words speaks of a card's conflict to three quarters."""
_TOUCHED: Final = 0.14
"""The same beside a passage that takes part in it, where the conflict is no more than a matter of wording."""
_SLIGHT: Final = frozenset({"erratum", "trivial", "duplicate", "imprecise", "simplification"})
_OWN_CASE: Final = frozenset({"budget", "price", "duration", "electricity_price", "usage", "utilization", "psu_w"})
"""Slots whose figure makes a question one about a case of one's own."""
_OF_A_BILL: Final = "estimate_cost"
"""Need about what something comes to, of which a conflict of the documents says nothing unless it is asked about."""
_SEVERAL: Final = 2
_A_CARD: Final = frozenset({"gpu", "vram_gb", "gpu_count"})
_OF_A_CARD: Final = frozenset({"check_fit", "estimate_time"})
"""Needs about what a card does."""
_MEMORY_SUFFIX: Final = re.compile(r"\s\d+GB$")


def handled(turn: Turn) -> Explained:
    """Ask the family that answers; ask back, decline or answer as it says."""
    turn = with_what_was_before(with_stated(_with_free_card(_of_each_card(_with_variant(turn)))))
    intent = turn.decision.intent or ""
    request = turn.request(intent)
    if intent in ABOUT_ANSWER and turn.decision.subject is None and not turn.decision.act:
        found = from_documents(turn, "nothing_before")
        if found is not None:
            return found
    turn, outcome = _outcome(turn, request)
    if isinstance(outcome, Elicit):
        return elicited(turn, outcome)
    if isinstance(outcome, Decline):
        return _declined(turn, outcome)
    return answered(turn, outcome)


def _outcome(turn: Turn, request: Request) -> tuple[Turn, Outcome]:
    """What the family says that a route leads to, with what the documents say beside it."""
    try:
        routed = route(request)
        turn = replace(turn, routes=routed.rows)
        outcome = get_handler(routed.need)(routed.request)
    except AdvisorError as error:
        outcome = decline_error(error)
    vague = isinstance(outcome, Elicit) and outcome.slot == "task" and turn.heard.is_few_words
    alone = any(row.alone for row in turn.routes) or _is_of_what_was_said(turn)
    if alone or request.intent in CONVERSATION or vague or turn.decision.rule.startswith(_GOING_ON):
        return turn, outcome
    return turn, with_documents(request, outcome)


def _is_of_what_was_said(turn: Turn) -> bool:
    """Whether a few words name nothing and ask something of the cards and models spoken of before."""
    return turn.heard.is_few_words and not turn.decision.stated and bool(turn.decision.carried)


def of_one_family(turn: Turn) -> Turn | None:
    """The turn as an answer where all needs that it may have lead to the same family: there is nothing to choose."""
    families = {route(turn.request(option)).need for option in turn.decision.options}
    if len(families) != 1:
        return None
    return turn.decided(kind="answer", options=(), rule="one answer to all that may be meant")


def _with_variant(turn: Turn) -> Turn:
    """A memory size said of a card spoken of earlier picks that card's version."""
    decision = turn.decision
    held = decision.slots.get("gpu")
    if "vram_gb" not in decision.stated or "gpu" not in decision.carried or held is None:
        return turn
    names = held.value if isinstance(held.value, list) else []
    if len(names) != 1:
        return turn
    version = f"{_MEMORY_SUFFIX.sub('', names[0])} {decision.slots['vram_gb'].value:g}GB"
    found = turn.rooms.services.catalog.find_gpu(version)
    if found is None:
        return _of_that_memory(turn, names[0])
    if found.name == names[0]:
        return turn
    slots = {name: slot for name, slot in decision.slots.items() if name != "vram_gb"}
    slots["gpu"] = held.model_copy(update={"value": [found.name], "turn": turn.state.turn + 1})
    return turn.decided(slots=slots)


def _of_that_memory(turn: Turn, card: str) -> Turn:
    """The turn without the card spoken of, where another memory is said now: that of a friend's card."""
    decision, gpu = turn.decision, turn.rooms.services.catalog.find_gpu(card)
    spec = turn.rooms.intents.get(decision.intent or "")
    either = spec is not None and any({"gpu", "vram_gb"} <= set(need.split("|")) for need in spec.needs)
    said = decision.slots["vram_gb"].value
    if not either or gpu is None or gpu.unified_memory or gpu.vram_gib in {None, said}:
        return turn
    kept = {name: slot for name, slot in decision.slots.items() if name not in {"gpu", "gpu_count", "card_counts"}}
    return turn.decided(slots=kept)


def _of_each_card(turn: Turn) -> Turn:
    """Memory of all cards together is shared among those that are counted; cards that are named have their own."""
    total, slots = turn.heard.memory_in_all, turn.decision.slots
    count, size = slots.get("gpu_count"), slots.get("vram_gb")
    shared = size is None or size.value == total
    if not total or count is None or count.value < _SEVERAL or "gpu" in slots or not shared:
        return turn
    return turn.decided(slots={**slots, "vram_gb": count.model_copy(update={"value": total / count.value})})


def _with_free_card(turn: Turn) -> Turn:
    """A platform that lends one card stands for that card, where what a card does is asked and none is named."""
    decision = turn.decision
    named = decision.slots.get("provider")
    unsaid = "provider" in decision.stated and not _A_CARD & set(decision.stated)
    if named is None or not unsaid or decision.intent not in _OF_A_CARD:
        return turn
    card = _lent_by_all(turn, named.value if isinstance(named.value, list) else [named.value])
    if not card:
        return turn
    lent = named.model_copy(update={"value": [card]})
    kept = {name: held for name, held in decision.slots.items() if name not in _A_CARD}
    return turn.decided(slots={**kept, "gpu": lent})


def _lent_by_all(turn: Turn, names: Sequence[object]) -> str:
    """The card that the first of these platforms lends for nothing; "" where one of them lends none."""
    found = [turn.rooms.services.catalog.find_provider(str(name)) for name in names]
    cards = [one.free_gpu for one in found if one is not None and one.free_gpu]
    return cards[0] if len(cards) == len(names) else ""


def summed(turn: Turn, found: Found) -> Explained:
    """An answer worked out from the numbers of the message; the conversation may go on with them."""
    explained = answered(with_stated(turn), found.answer)
    return replace(explained, conversation=explained.conversation.model_copy(update={"sums": found.frame}))


def from_documents(turn: Turn, kind: str) -> Explained | None:
    """Answer from the passage that the message plainly asks for, when no intent was sure of it."""
    answer = None if turn.message.action else plain_answer(turn.request(""), kind)
    if answer is None:
        return None
    meant = turn.rooms.services.library.get(answer.told.passages[0]).intents
    intent = next((name for name in meant if name in turn.rooms.intents), _DOCUMENTS)
    return answered(turn.decided(kind="answer", intent=intent, options=()), answer)


def elicited(turn: Turn, outcome: Elicit) -> Explained:
    """Ask for the one thing without which nothing can be said."""
    rooms, decision = turn.rooms, turn.decision
    choices = rooms.keys.tagged(rooms.renderer.choices(outcome, turn.language, turn.case), turn.case)
    pending = Pending(
        kind="ask",
        intent=decision.intent or "",
        slot=outcome.slot,
        choices=rooms.keys.all_whole(choices),
        asked_at=turn.now,
        case=turn.case,
        slots=decision.slots,
    )
    state = following(turn, Kept(decision.slots, pending=pending))
    ending = Ending(state, "ask", outcome, choices=choices, asks=(outcome.slot,))
    return turn.done(rooms.renderer.elicit(outcome, turn.language), ending)


def _declined(turn: Turn, outcome: Decline) -> Explained:
    rendered = turn.rooms.renderer.decline(outcome, turn.language)
    choices = turn.rooms.keys.tagged(outcome.choices, turn.case)
    state = following(turn, Kept(turn.decision.slots, episode_of(turn, rendered, outcome)))
    return turn.done(rendered, Ending(state, outcome=outcome, choices=choices, suggestions=outcome.suggestions))


# --- an answer -------------------------------------------------------------------------------------------------------


def answered(turn: Turn, outcome: Answer) -> Explained:
    """Word an answer, offer what goes on from it, keep it."""
    rooms, social = turn.rooms, turn.decision.intent in CONVERSATION
    also = with_second(turn, outcome)
    outcome = also or outcome
    rendered = rooms.renderer.answer(outcome, turn.language, dissent=_dissent(turn, outcome), form=turn.form)
    episode = None if social else episode_of(turn, rendered, outcome)
    choices = (
        *_asked(turn, outcome),
        *(_second_offered(turn) if also is None else ()),
        *outcome.choices,
        *(() if social else _actions(turn, rendered, outcome)),
    )
    asks: tuple[str, ...] = (outcome.asks.fills or outcome.asks.slot,) if outcome.asks else ()
    pending = None if asks else turn.decision.resume
    if pending is not None:
        rendered = _with_question(turn, rendered, pending)
        asks, choices = (pending.slot,), (*pending.choices, *choices)
    if social:
        state = touched(turn).model_copy(update={"pending": pending or turn.state.pending})
    else:
        state = following(turn, Kept(turn.decision.slots, episode, pending, outcome=outcome))
    return turn.done(
        rendered,
        Ending(
            state,
            outcome=outcome,
            choices=rooms.keys.tagged(choices, turn.case),
            asks=asks,
            suggestions=outcome.suggestions,
            chart=outcome.chart,
            others=_others(turn, outcome),
        ),
    )


def _others(turn: Turn, outcome: Answer) -> tuple[Part, ...]:
    """What else was asked: further amounts of a sum, what is answered below, else what is offered."""
    need = turn.decision.intent or ""
    several = len(outcome.headline) > 1
    heads = turn.rooms.renderer.headlines(outcome, turn.language)[1:] if several else ()
    parts = [Part(need=need, headline=head) for head in heads]
    if outcome.second:
        head = outcome.second.partition("\n")[0]
        return (*parts, Part(need=outcome.second_need, headline=head, verdict=outcome.second_verdict))
    offered = turn.rooms.intents.get(turn.decision.second)
    return (*parts, Part(need=offered.id)) if offered is not None else tuple(parts)


def _dissent(turn: Turn, outcome: Answer) -> tuple[str, ...]:
    """What sources that disagree say, in the reader's language; beside a computed answer where it is spoken of."""
    if not outcome.conflicts:
        return ()
    library = turn.rooms.services.library
    told = frozenset(outcome.conflicts) & library.conflicts.keys()
    asked = dict(library.disputed(turn.heard.terms, _TOUCHED))
    kept = told & asked.keys()
    if outcome.told.lead is None:
        least = _least_spoken_of(turn)
        kept = frozenset(name for name in kept if asked[name] >= least)
    else:
        kept |= _weighty(told, library)
    return tuple(library.conflicts[name].line.get(turn.language) for name in outcome.conflicts if name in kept)


def _least_spoken_of(turn: Turn) -> float:
    """Share of a message that a conflict must speak of to be told beside what was worked out."""
    if turn.form is not Form.GROUP:
        return _SPOKEN_OF
    if turn.need == _OF_A_BILL:
        return _OF_IT_ALONE
    return _SPOKEN_OF if _OWN_CASE.isdisjoint(turn.decision.stated) else _HEAD_ON


def _weighty(names: Iterable[str], library: Library) -> frozenset[str]:
    """Of conflicts those that are more than a matter of wording."""
    return frozenset(name for name in names if library.conflicts[name].type not in _SLIGHT)


def _asked(turn: Turn, outcome: Answer) -> tuple[Choice, ...]:
    """Choices of the slot worth naming."""
    asks = outcome.asks
    if asks is None:
        return ()
    offered = elicit_of(slot=asks.fills or asks.slot, values=asks.values)
    return asks.choices or turn.rooms.renderer.choices(offered, turn.language, turn.case)


def _second_offered(turn: Turn) -> tuple[Choice, ...]:
    """The other question of the message as a choice."""
    second = turn.rooms.intents.get(turn.decision.second)
    if second is None:
        return ()
    return (choice_of(label=getattr(second.help, turn.language), key=f"ask:{second.id}"),)


def _with_question(turn: Turn, rendered: Rendered, pending: Pending) -> Rendered:
    """An answer with the question that was open before it put again."""
    question = turn.rooms.renderer.elicit(elicit_of(slot=pending.slot), turn.language).text
    text, details = (part and f"{part}\n\n{question}" for part in (rendered.text, rendered.details))
    return Rendered(text, details or text)


def _actions(turn: Turn, rendered: Rendered, outcome: Answer) -> tuple[Choice, ...]:
    """What can be asked of an answer: why, the rest of it, its sources, its chart, who disagrees."""
    can: dict[str, object] = {
        "why": outcome.trace,
        "details": rendered.details and rendered.details != rendered.text,
        "sources": outcome.sources,
        "chart": outcome.chart,
        "conflicts": outcome.conflicts,
    }
    words = turn.rooms.renderer.words(turn.language)
    return tuple(
        [choice_of(label=words(f"do.{act}"), key=f"do:{act}#{turn.case}") for act, there in can.items() if there]
    )
