"""Whether a message is for us: a decision of its own, by what a card, a server or an amount in it is for.

Its signs are the concepts of the message, the head nouns and uses of `languages/roles.yaml` (game, coin, storage card,
vehicle ... against work), how the two meet, and its words.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Final

from bot.core.understanding import RankedIntent
from bot.understand.slots.found import Reading

OURS, OUTSIDE = "ours", "outside"
WORK: Final = "work"
"""The head nouns that speak for us."""
_MOST: Final = 3
FOREIGN: Final = "out_of_scope"
_SURE: Final = 0.9
"""Score of a message that was decided to be none of ours: nothing after it overrules that."""
_CARD: Final = "slot:gpu"
_HARDLY_OUT: Final = 0.3
"""Chance among the needs below which out of scope is hardly one. Of the lines with a card and no other subject that are
for us by more than a tenth, seven of ours lie below, of others' none."""
_OURS_SURELY: Final = 0.9
"""From here on the likeliest need cannot be that it is none of ours. It was so of two questions never learned from,
both ours, and of two of 2,405 lines of other subjects."""
_AGAIN: Final = 2
"""Head nouns of one other subject from which on a message is of that, where nothing speaks for us."""
_OF_WORK: Final = frozenset(
    {
        "slot:gpu",
        "slot:model",
        "slot:gpu_family",
        "slot:task",
        "slot:method",
        "slot:framework",
        "gpu",
        "second_hand",
        "throughput",
    }
)
ELSEWHERE: Final = 0.01
"""How likely such a message is for us."""
SOCIAL: Final = frozenset({"greeting", "thanks", "help", "why", "source", "cancel"})
_KEYS: Final = ("slot:", "task:", "method:")
_JOB: Final = frozenset({"slot:gpu", "slot:model"})
"""A card and a model together, which hardly another subject names."""


def scope_signs(reading: Reading, keys: Sequence[str], heads: Mapping[str, int]) -> list[str]:
    """The signs of one message.

    Args:
        reading: the message.
        keys: its concepts, slots and traits.
        heads: how often head nouns of each kind stand in it.
    """
    work = min(heads.get(WORK, 0), _MOST)
    others = [name for name in sorted(heads) if name != WORK]
    many = min(len(others), 2)
    its = [f"#{key}" for key in keys]
    if _JOB.issubset(keys):
        its.append("#card&model")
    for name in others:
        its += (f"%{name}", f"%{name}&{work}", f"%{name}{min(heads[name], 2)}")
    its += (f"w{work}", f"o{many}", f"o{many}&w{work}")
    if others:
        its += [f"c{key}" for key in keys if key.startswith(_KEYS)]
    its += _words(reading)
    return list(dict.fromkeys(its))


def _words(reading: Reading) -> list[str]:
    """Latin words, and pairs of Han characters."""
    words = [f"_{token.text}" for token in reading.tokens if token.kind == "w"]
    if reading.han:
        pairs = itertools.pairwise(reading.tokens)
        words += [f"_{left.text}{right.text}" for left, right in pairs if left.kind == right.kind == "h"]
    return words


def is_elsewhere(keys: Sequence[str], heads: Mapping[str, int]) -> bool:
    """Whether words of one other subject stand in a message again and again, and nothing of work, cards or models."""
    others = {name: count for name, count in heads.items() if name != WORK}
    if WORK in heads or len(others) != 1 or next(iter(others.values())) < _AGAIN:
        return False
    return _OF_WORK.isdisjoint(keys)


def is_of_cards(ranking: tuple[RankedIntent, ...], keys: Sequence[str], heads: Mapping[str, int]) -> bool:
    """Whether a card is named, no head noun of another subject is, and the needs hardly speak for another either."""
    out = next((item.score for item in ranking if item.intent == FOREIGN), 0.0)
    return out < _HARDLY_OUT and _CARD in keys and heads.keys() <= {WORK}


def settled(
    ranking: tuple[RankedIntent, ...], ours: float, threshold: float, *, in_domain: bool = False
) -> tuple[RankedIntent, ...]:
    """A ranking in which the decision of scope stands: out of scope comes first, and sure, or as it was.

    Small talk that is surely some is never turned away, nor is what is surely ours and speaks of the subject.

    Args:
        ranking: the needs, likeliest first.
        ours: how likely the message is for us.
        threshold: below it the message is turned away.
        in_domain: it speaks of the subject.
    """
    if not ranking or ranking[0].intent in SOCIAL:
        return ranking
    if in_domain and _is_let_in(ranking[0], ours, threshold):
        return _without_out(ranking)
    if ours >= threshold:
        return ranking
    rest = tuple(item._replace(score=item.score * ours) for item in ranking if item.intent != FOREIGN)
    reasons = next((item.reasons for item in ranking if item.intent == FOREIGN), ranking[0].reasons)
    return (RankedIntent(FOREIGN, max(1.0 - ours, _SURE), reasons), *rest)


def _is_let_in(best: RankedIntent, ours: float, threshold: float) -> bool:
    """Whether what is read as out of scope is surely ours, or hardly another subject."""
    hardly = ours >= threshold and best.score < _HARDLY_OUT
    return best.intent == FOREIGN and (ours >= _OURS_SURELY or hardly)


def _without_out(ranking: tuple[RankedIntent, ...]) -> tuple[RankedIntent, ...]:
    """The same needs as if out of scope were none of them: it comes last, its chance goes to the others."""
    out, *rest = ranking
    left = sum(item.score for item in rest)
    if not left:
        return ranking
    return (*(item._replace(score=item.score / left) for item in rest), out._replace(score=0.0))
