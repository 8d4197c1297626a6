"""All thresholds of the dialogue, each with the measurement that set it. Nothing else decides to fall back."""

from __future__ import annotations

from datetime import timedelta

from advisor.models import Frozen


class Policy(Frozen):
    """Numbers that steer decisions. Scores are those of `RankedIntent`: probabilities, honest on lines left out."""

    answer_score: float = 0.25
    """From here on the best intent is acted on. Of 295 unseen lines 265 / 265 / 263 are right at 0.28 / 0.25 / 0.22, of
    349 turns of unseen conversations 327 / 328 / 329."""
    change_odds: float = 1.5
    """Bare values that the last answer can use leave it only for a need so many times likelier."""
    sure_score: float = 0.95
    """... and for one that lacks what nobody said only when it is as good as certain."""
    clarify_margin: float = 0.03
    """Two intents closer than this are offered as buttons, when the better one is below `clarify_score`."""
    clarify_score: float = 0.34
    second_meant: float = -1.551
    second_meant_by_odds: float = -0.661
    second_meant_by_share: float = 0.208
    """Log odds that only the second need is meant: this, and by the log odds of the first and the second's share of its
    score. Fitted on the 131 messages of 28 tokens and more, never learned from for needs, whose second need has 0.1 at
    least; left out ten ways it says 0.07 / 0.13 / 0.18 / 0.22 / 0.29 where 0.08 / 0.14 / 0.15 / 0.24 / 0.25 are."""
    doubt_size: int = 36
    doubt_share: float = 0.5
    """Only messages of so many tokens whose second need is at least half as likely as the first are asked back; without
    the share the costs below fall to 121 only."""
    wrong_answer_costs: float = 4.0
    wrong_purchase_costs: float = 8.0
    wrong_kin_share: float = 0.5
    """What a wrong answer costs, counted in questions asked back: twice as much where something may be bought by it,
    half where the two needs are of one kind. Left out, 12 of 457 long messages (2.6 %) are asked back by these, of 5 of
    them the first need is right, and the costs of all fall from 128 to 116."""
    asked_back_once_in: int = 3
    """Turns of which at most one asks which need is meant."""
    one_card_score: float = 0.6
    """A message that names one card and its purpose asks whether the card will do, unless a choice of cards is wanted
    as surely as that. Of five labelled lines those at 0.29 and 0.57 do, those from 0.65 on want a choice."""
    fallback_score: float = 0.12
    """Below: nothing in the catalogue of intents fits; the closest are named. Between: clarify."""
    outside_score: float = 0.5
    """A message that speaks of our things and is not this surely of another subject may still be answered by a passage
    that fits well."""
    second_score: float = 0.5
    second_share: float = 0.75
    """A second need is offered when its intent reaches this score and this share of the best one's, and the message
    has more than one clause. Of the labelled questions that stand alone, one in twelve with two clauses has one."""
    room_for_another: float = 0.05
    """Score of the second intent from which a message may ask two things. Of ten that do, the least has 0.075."""
    clause_score: float = 0.6
    """A clause read for itself asks something from this score on, ..."""
    decided_clause_score: float = 0.4
    """... and what was decided for the whole message from this one on."""
    also_score: float = 0.6
    """What else a clause asks is answered in the same reply from this score on. Of 2115 labelled questions 15 have such
    a clause, two of them wrongly."""
    short_line: int = 32
    """Up to so many characters a line without slots may be a bare value of the running conversation."""
    near_number: float = 20.0
    """A bare number is a new value of a slot when it is within this factor of the old one."""
    own_subject_score: float = 0.75
    """A reply that fits the open question is taken as its answer unless it is so sure of another intent."""
    overheard_score: float = 0.6
    """In a chat whose admins let the bot answer questions it is not named in, it speaks up only from this score on."""
    leftover_score: float = 0.25
    """An intent that would use slots the best one cannot is offered from this score on."""
    alone_score: float = 0.5
    """From here on a message read by itself is sure enough of its need to start anew, if it lacks nothing."""
    surely_alone_score: float = 0.75
    """... and from here on also when its form is that of a follow-up."""
    alone_size: int = 14
    surely_alone_size: int = 10
    """A message of more words than this, sure of its need, that refers to nothing before, stands alone."""
    plain_size: int = 6
    """A need that asks for nothing is filled by a message of so many words."""
    conversation_ttl: timedelta = timedelta(minutes=30)
    """Slots older than this are forgotten."""
    pending_ttl: timedelta = timedelta(minutes=15)
    """A question older than this no longer waits for its answer."""
    max_tries: int = 2
    """How often one question is asked."""
    longest_text: int = 850
    """Characters; longer messages get a kind word instead."""


POLICY = Policy()
