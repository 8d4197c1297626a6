"""Whether a long message that may ask one of two things is asked back: what a question costs against a wrong answer.

Costs are counted in questions asked back. Where the second need is meant and not the first, an answer to the first is
wrong, and a wrong answer about what to buy costs most; where the two are of one kind, the answer to one tells much of
the other. A question costs one whatever was meant. So it is asked where the chance that only the second need is meant,
times what a wrong answer costs, is more than one.
"""

from __future__ import annotations

import math
from typing import Final

from bot.core.intents import Intent
from bot.core.understanding import RankedIntent
from bot.dialogue.policy import Policy
from bot.dialogue.turn import CONVERSATION, Turn

IN_DOUBT: Final = "a question costs less"
"""Rule of a choice between two needs."""
_BUYING: Final = frozenset(
    {"recommend_gpu", "compare_gpus", "upgrade_or_not", "used_or_cheap", "rent_or_buy", "vendor_choice", "price_lookup"}
)
"""Needs whose answer somebody may buy by."""
_NEARLY: Final = 0.9999


def asked_between(turn: Turn) -> tuple[str, ...]:
    """The two needs that a message is asked between, () where an answer costs less.

    Only messages that tell more than they ask: of short ones with two likely needs the first is right nine times in
    ten, whatever its score. And only where no answer was given before: what goes on with one is likelier its need.
    """
    ranking, policy = turn.understanding.ranking, turn.policy
    if turn.understanding.said.size < policy.doubt_size or turn.last_intent or asked_lately(turn):
        return ()
    if len(ranking) < 2 or ranking[1].score < policy.doubt_share * ranking[0].score:
        return ()
    first, second = ranking[:2]
    if (
        turn.best is None
        or turn.best.intent != first.intent
        or not CONVERSATION.isdisjoint({first.intent, second.intent})
    ):
        return ()
    costs = _costs(turn.intents.get(first.intent), turn.intents.get(second.intent), policy)
    return (first.intent, second.intent) if only_second_meant(first, second, policy) * costs > 1.0 else ()


def asked_lately(turn: Turn) -> bool:
    """Whether a choice between needs was put up in one of the last turns."""
    asked = turn.conversation.asked_back
    return bool(asked) and turn.conversation.turn + 1 - asked < turn.policy.asked_back_once_in


def only_second_meant(first: RankedIntent, second: RankedIntent, policy: Policy) -> float:
    """How likely the second need of a long message is meant and the first is not."""
    score = min(max(first.score, 1.0 - _NEARLY), _NEARLY)
    log_odds = (
        policy.second_meant
        + policy.second_meant_by_odds * math.log(score / (1.0 - score))
        + policy.second_meant_by_share * second.score / score
    )
    return 1.0 / (1.0 + math.exp(-log_odds))


def _costs(first: Intent | None, second: Intent | None, policy: Policy) -> float:
    """What an answer to the first costs where the second was meant, in questions asked back."""
    if first is None or second is None:
        return 0.0
    buys = not {first.id, second.id}.isdisjoint(_BUYING)
    whole = policy.wrong_purchase_costs if buys else policy.wrong_answer_costs
    return whole * policy.wrong_kin_share if first.group == second.group else whole
