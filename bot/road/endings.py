"""Turns that end without an answer: cancelled, asked back, offered a choice, fallen back."""

from __future__ import annotations

from typing import Final

from bot.core.answers import elicit_of
from bot.core.conversation import Conversation, Pending
from bot.core.decision import Decision
from bot.core.message import Language, Reply, choice_of
from bot.core.understanding import Understanding
from bot.dialogue.decide import A_NAME_ALONE
from bot.dialogue.policy import POLICY
from bot.dialogue.turn import CONVERSATION
from bot.render import Rendered
from bot.road.after import Kept, following, touched
from bot.road.turn import Ending, Explained, Turn

_VAGUE: Final = frozenset({"concept_explain", "what_matters_in_gpu", "out_of_scope", "platform_choice", "source"})
"""Intents that a few everyday words are taken for."""
_FRESH: Final = frozenset({"best intent", "out of scope", "no intent fits", "about the last answer"})
_OFFERED: Final = ("recommend_gpu", "compare_gpus", "price_lookup")
_MOST_OFFERED: Final = 3
_OWNED: Final = frozenset({"gpu", "gpu_count"})
"""What is remembered even of a question that was none of ours."""
_OUTSIDE: Final = "out_of_scope"
_VARIANTS: Final = 3
"""Wordings of a fallback."""


def cancelled(turn: Turn) -> Explained:
    """Everything that was spoken of is dropped."""
    text = turn.rooms.renderer.page("cancel", turn.language, had=bool(turn.state.slots or turn.state.pending))
    state = Conversation(key=turn.state.key, turn=turn.state.turn + 1, language=turn.language, updated_at=turn.now)
    return turn.done(Rendered(text), Ending(state, "cancel"))


def clarified(turn: Turn) -> Explained:
    """Ask which of a few needs is meant."""
    decision = turn.decision
    words = [getattr(turn.rooms.intents[option].help, turn.language) for option in decision.options]
    choices = tuple(
        choice_of(label=label, key=f"ask:{option}") for label, option in zip(words, decision.options, strict=True)
    )
    text = turn.rooms.renderer.page("clarify", turn.language, options=words, about=_named(turn))
    pending = Pending(
        kind="clarify",
        intent=decision.intent or "",
        choices=choices,
        asked_at=turn.now,
        case=turn.case,
        slots=decision.slots,
    )
    state = following(turn, Kept(decision.slots, pending=pending, intent=turn.state.intent))
    return turn.done(Rendered(text), Ending(state, "clarify", choices=choices))


def _named(turn: Turn) -> str:
    """The card or model that a line named and asked nothing of, as it was written."""
    if turn.decision.rule != A_NAME_ALONE:
        return ""
    return next((item.text for item in turn.understanding.slots if item.slot in {"gpu", "model"}), "")


def says_nothing(turn: Turn) -> bool:
    """Whether a question of its own asks for a card of any kind and for nothing in particular."""
    decision = turn.decision
    vague = decision.intent in _VAGUE and decision.kind in {"answer", "fallback"} and decision.rule in _FRESH
    if not vague or decision.slots or turn.message.action:
        return False
    return turn.rooms.services.library.says_nothing(turn.heard.terms)


def offered(turn: Turn) -> Explained:
    """A choice of what such a question may have meant, the likelier first."""
    likely = [item.intent for item in turn.understanding.ranking if item.intent in _OFFERED]
    options = tuple(dict.fromkeys((*likely, *_OFFERED)))[:_MOST_OFFERED]
    return clarified(turn.decided(kind="clarify", intent=options[0], options=options, rule="says too little"))


def asked_again(turn: Turn, pending: Pending) -> Explained:
    """The open question once more, with what an answer looks like."""
    elicit = elicit_of(slot=pending.slot, choices=pending.choices)
    rendered = turn.rooms.renderer.elicit(elicit, turn.language, again=True)
    again = pending.model_copy(update={"tries": pending.tries + 1, "asked_at": turn.now})
    state = following(turn, Kept(turn.decision.slots, pending=again, intent=pending.intent))
    return turn.done(rendered, Ending(state, "ask", choices=pending.choices, asks=(pending.slot,)))


def fell_back(turn: Turn) -> Explained:
    """Say that it was not understood, or is none of ours, with questions that can be asked."""
    near = [item for item in turn.understanding.ranking if item.intent not in CONVERSATION][:3]
    outside = turn.decision.intent == _OUTSIDE or not turn.understanding.in_domain
    page = _OUTSIDE if outside else "fallback"
    examples = _examples(turn, [item.intent for item in near])
    text = turn.rooms.renderer.page(
        page,
        turn.language,
        examples=examples,
        variant=len(turn.message.text) % _VARIANTS,
        empty=turn.heard.is_wordless,
        media=turn.heard.is_media,
        laughs=turn.heard.shows("talk", "laugh"),
        long=len(turn.message.text) > POLICY.longest_text,
    )
    kept = {slot: held for slot, held in turn.decision.slots.items() if not outside or slot in _OWNED}
    state = touched(turn).model_copy(update={"pending": None, "slots": {**turn.state.slots, **kept}})
    intent = _OUTSIDE if outside else turn.decision.intent
    return turn.done(Rendered(text), Ending(state, "fallback", intent=intent, suggestions=examples))


def _examples(turn: Turn, names: list[str]) -> tuple[str, ...]:
    """One question for each intent, in the user's language."""
    intents = turn.rooms.intents
    lines = [getattr(intents[name].examples, turn.language) for name in names if name in intents]
    return tuple(line[0] for line in lines if line)


def quiet(understanding: Understanding, decision: Decision, state: Conversation, language: Language) -> Explained:
    """Nothing is said."""
    return Explained(understanding, decision, None, Reply(decision="ignore", language=language), state)


def speaks_up(decision: Decision) -> bool:
    """Whether an overheard line is plainly a question for the bot: certain, answerable, no small talk."""
    best = decision.candidates[0].score if decision.candidates else 0.0
    return decision.kind == "answer" and decision.intent not in CONVERSATION and best >= POLICY.overheard_score
