"""Bars from which a passage is told: a score and a closeness each.

Every bar is a pair: score and closeness (likeness to the nearest title or question of a passage) from which a passage
is plainly about a question. Measured on 430 questions to the documents and 460 to the advisor (knowledge/README.md).
"""

from __future__ import annotations

from typing import Final

Bar = tuple[float, float]

MEANT: Final[tuple[Bar, ...]] = ((0.62, 0.34), (0.85, 0.28))
"""Beside a computed answer: the passage is meant for the intent."""
SEED_MEANT: Final[tuple[Bar, ...]] = ((0.5, 0.25),)
"""The same for a passage of the five documents that comes first: what they say of this need is seldom out of place. Of
419 questions to the advisor 16 get one more line by it, most of them on their subject."""
OTHER: Final[tuple[Bar, ...]] = ((0.74, 0.42), (0.9, 0.36))
"""Beside a computed answer: the passage is meant for other intents."""
ASKED: Final = 0.4
"""Score times closeness from which a passage beside a computed answer goes before all but its first line. Of 338
passages that tell what was asked of the documents 298 do, of 307 beside answers to the labelled questions 133."""
SIZING_MEANT: Final[tuple[Bar, ...]] = ((0.66, 0.42), (0.8, 0.36))
SIZING_OTHER: Final[tuple[Bar, ...]] = ((0.85, 0.5), (1.0, 0.42), (0.7, 0.6))
SIZING_CARD: Final[tuple[Bar, ...]] = ((1.05, 0.7), (1.15, 0.55))
"""Beside an answer about the user's own job, whose cards draw passages about those cards (the last)."""
LEADING: Final[tuple[Bar, ...]] = ((0.6, 0.25),)
SIZING_LEADING: Final[tuple[Bar, ...]] = ((0.74, 0.3),)
LEAD: Final = 0.8
"""No other passage comes near: the second has at most this share of the score."""
DATED: Final[tuple[Bar, ...]] = ((0.45, 0.26),)
"""The question names the year of the passage: it wants what was said then."""
REMARK_BEYOND: Final = 0.62
"""Score from which a passage from outside the documents can be such a remark."""
REMARK_NEAR: Final[tuple[Bar, ...]] = ((0.6, 0.4),)
"""As such a remark, when others come near and it is meant for other intents."""
REMARK: Final[tuple[Bar, ...]] = ((0.42, 0.22),)
"""As a remark before a question back: the passage is meant for the intent and about no single card or model."""
INSTEAD: Final[tuple[Bar, ...]] = ((1.0, 0.5),)
"""Instead of a question back."""
INSTEAD_OF_NO: Final[tuple[Bar, ...]] = ((0.85, 0.45),)
"""Instead of a refusal."""
INSTEAD_OF_GENERAL: Final[tuple[Bar, ...]] = ((1.0, 0.55),)
"""Instead of a computed answer to a message that states nothing of the user's own: the intent was mistaken."""
INSTEAD_BARE: Final[tuple[Bar, ...]] = ((0.72, 0.42),)
"""Instead of a question back about a message that states nothing of the user's own."""
SIZING_BARE: Final[tuple[Bar, ...]] = ((0.75, 0.5),)
SIZING_BARE_LEADING: Final[tuple[Bar, ...]] = ((0.55, 0.36),)
SIZING_SIZED: Final[tuple[Bar, ...]] = ((1.05, 0.65),)
"""Before a question back for the user's job: the message names no part of it, or no more than an amount of memory."""
NEAR: Final = 0.85
"""Share of the best score from which a passage of the documents goes before one from outside them."""
PLAIN: Final[dict[str, tuple[Bar, ...]]] = {
    "clarify": ((0.62, 0.42), (0.85, 0.4)),
    "fallback": ((0.65, 0.42), (0.85, 0.4)),
    "out_of_scope": ((1.15, 0.55), (0.95, 0.75)),
    "nothing_before": ((1.1, 0.5),),
}
"""Instead of a choice, a fallback or a refusal when no intent was sure; or where a source is asked for before there
was any answer."""
OWN_WORDS: Final[tuple[Bar, ...]] = ((0.95, 0.75),)
"""In place of whatever need was read: the question is in so many words one of those that a passage from outside the
documents answers."""
OWN_WORDS_OF_CARD: Final[tuple[Bar, ...]] = ((0.95, 0.85),)
"""The same where the question names a card or a model."""
WAY: Final[tuple[Bar, ...]] = ((0.62, 0.55), (0.8, 0.45))
"""The same where it is asked how something is done, and question and passage name the same program or format."""
PAIR: Final[tuple[Bar, ...]] = ((0.42, 0.3),)
"""The same where two things are set against each other, and the passage is about both."""
WHOLE_LEADING: Final[tuple[Bar, ...]] = ((0.62, 0.5), (0.72, 0.44))
"""Instead of a refusal, or of a need that the words hardly have: a passage that answers its questions by itself, where
no other one comes anywhere near."""
FAR: Final = 0.65
"""Share of the best score that the second has at most where no other passage comes anywhere near."""
HARDLY: Final = 0.45
"""Probability of a need below which the words of a message hardly have it."""
TRADE: Final[tuple[Bar, ...]] = ((0.45, 0.42), (0.56, 0.36))
"""Instead of a refusal, for a passage about a program or a format that the message names, too: nothing else has those
names. Of 17 everyday how-to questions about such (2026-11-23) the refusal took 9; with these bars it takes 2."""
PLAIN_LEADING: Final[tuple[Bar, ...]] = ((0.82, 0.62),)
CHOICE_LEADING: Final[tuple[Bar, ...]] = ((0.5, 0.35),)
"""The same when no other passage comes near; the second instead of a choice between intents."""
ANCHORED: Final[dict[str, tuple[Bar, ...]]] = {
    "clarify": ((0.55, 0.4), (0.6, 0.3)),
    "fallback": ((0.58, 0.4), (0.85, 0.3)),
    "out_of_scope": ((0.64, 0.38), (0.9, 0.3)),
    "nothing_before": ((0.6, 0.42), (0.5, 0.34)),
}
"""The same when the words name something that only this subject has."""
TOUCHED: Final = 0.25
HEAD_ON_NEAR: Final = 0.53
HEAD_ON: Final = 0.62
SURELY: Final = 0.7
"""Share of a question that a conflict speaks of, from which it goes before others, is told when a passage near to the
question takes part in it, is told in any case, and makes a message that looked foreign one of this subject, ..."""
SURE: Final = 0.62
"""... if a passage with this score takes part in it."""
UNSURE: Final = 0.7
"""Probability of the intent below which the documents may have their say, ..."""
UNSURE_LEADING: Final[tuple[Bar, ...]] = ((0.5, 0.35),)
"""... when no other passage comes near. Of 460 questions to the advisor 3 get one more line, of 1000 to the documents
8."""
NAMED_SOURCE: Final[tuple[Bar, ...]] = ((0.45, 0.25),)
"""The question says whose word it wants."""
OFF_PATH: Final[tuple[Bar, ...]] = ((0.88, 0.46),)
OPENS: Final[dict[str, tuple[Bar, ...]]] = {
    "reduce_memory": ((0.45, 0.35), (0.9, 0.3)),
    "interconnect": ((0.6, 0.36),),
    "multi_gpu_scaling": ((0.7, 0.45), (0.95, 0.35)),
    "ram_sizing": ((0.7, 0.5),),
    "power_supply": ((0.7, 0.45),),
    "cooling": ((0.7, 0.45),),
    "precision_advice": ((0.7, 0.45),),
    "perf_troubleshooting": ((0.95, 0.6),),
    "cuda_compat": ((1.15, 0.7),),
}
OPENS_OF_CARD: Final[dict[str, tuple[Bar, ...]]] = {
    "reduce_memory": ((0.9, 0.5),),
    "interconnect": ((0.65, 0.41), (0.9, 0.36)),
    "multi_gpu_scaling": ((0.74, 0.5),),
    "power_supply": ((0.85, 0.4),),
    "cooling": ((0.7, 0.45),),
    "gpu_specs": ((0.9, 0.5),),
}
"""Instead of a general answer, for a passage from outside the five documents: of a question that names no card, and of
one that does. Of 1,038 questions of such passages, each left out of its passage, 92 are answered so, 73 by the very
passage and most others by its neighbour; of 1,350 labelled questions 21, of which 4 were answered better before."""


def _lowest(*kinds: tuple[Bar, ...]) -> float:
    return min(score for bars in (*kinds, INSTEAD_OF_GENERAL) for score, _ in bars)


LEAST: Final = _lowest(MEANT, SEED_MEANT, OTHER, LEADING, OFF_PATH, *OPENS.values(), *OPENS_OF_CARD.values())
LEAST_SIZING: Final = _lowest(SIZING_MEANT, SEED_MEANT, SIZING_OTHER, SIZING_CARD, SIZING_LEADING, *OPENS.values())
LEAST_DATED: Final = _lowest(DATED, NAMED_SOURCE)
LEAST_UNSURE: Final = _lowest(UNSURE_LEADING)
LEAST_OWN_WORDS: Final = _lowest(OWN_WORDS, OWN_WORDS_OF_CARD)
LEAST_WHOLE: Final = _lowest(OWN_WORDS, OWN_WORDS_OF_CARD, WHOLE_LEADING, WAY, PAIR)
