"""Superlatives and comparatives are proven: what an answer claims holds for its figures and for all candidates."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from advisor.models import Note
from advisor.recommend.models import Option, Recommendation
from advisor.speed.contest import Contest
from bot.app import build_assistant
from bot.core.answers import Answer
from bot.core.line import Line
from bot.pipeline import Assistant
from tests.bot.labelled import NOW, message, questions

_EVERY = 3
_MARGIN = 1e-6
_LITTLE = 1.2
_SUPERLATIVES = ("cheapest", "fastest", "level", "most")


@cache
def assistant() -> Assistant:
    return build_assistant(warm=True)


@cache
def answers() -> tuple[tuple[str, Answer], ...]:
    """Answers to every third labelled question that rest on a recommendation or a comparison."""
    asked = ((text, assistant().explain(message(text), None, NOW).outcome) for text in questions()[::_EVERY])
    return tuple(
        (text, outcome)
        for text, outcome in asked
        if isinstance(outcome, Answer) and isinstance(outcome.result, (Recommendation, Contest))
    )


def _untrue(note: Note, winner: Option, ranked: tuple[Option, ...]) -> Iterator[str]:
    """Which superlatives of a reason some candidate disproves."""
    values = note.values
    if values.get("cheapest") and any(one.cost < winner.cost - _MARGIN for one in ranked):
        yield "cheapest"
    if values.get("fastest") and any(one.fast > winner.fast + _MARGIN for one in ranked):
        yield "fastest"
    if values.get("level") and any(one.fast > _LITTLE * winner.fast + _MARGIN for one in ranked):
        yield "nothing much faster"
    if values.get("most") and any(one.fast * winner.cost > winner.fast * one.cost * (1 + _MARGIN) for one in ranked):
        yield "most for the money"
    if note.code == "rec_only" and any(one.sure and one.gpu.id != winner.gpu.id for one in ranked):
        yield "nothing else"


def test_the_reason_of_a_pick_holds_for_every_candidate() -> None:
    claims, false = 0, []
    for text, outcome in answers():
        found = outcome.result
        if not isinstance(found, Recommendation) or found.winner is None:
            continue
        option = found.winner.option
        assert any(one.gpu.id == option.gpu.id for one in found.ranked), text
        claims += sum(any(note.values.get(name) for name in _SUPERLATIVES) for note in found.winner.reasons)
        false += [(text, one) for note in found.winner.reasons for one in _untrue(note, option, found.ranked)]
    assert claims > 10
    assert false == []


def test_a_runner_up_is_what_its_role_says() -> None:
    false = []
    for text, outcome in answers():
        found = outcome.result
        if not isinstance(found, Recommendation) or found.winner is None:
            continue
        for pick in found.picks[1:]:
            cheaper, faster = (pick.price_ratio or 1.0) < 1, (pick.speed_ratio or 2.0) > 1
            if not {"cheapest": cheaper, "fastest": faster, "roomier": pick.extra_gib > 0}.get(pick.role, True):
                false.append((text, pick.role, pick.option.gpu.name))
    assert false == []


def test_the_winner_of_a_comparison_is_ahead_in_its_figures() -> None:
    seen, false = 0, []
    for text, outcome in answers():
        made = outcome.result
        if not isinstance(made, Contest) or made.winner is None:
            continue
        codes = {line.say for line in outcome.headline if isinstance(line, Line)}
        speeds = [float(side.results[0].factor.value) for side in made.sides if side.results[0].factor is not None]
        own = made.sides[made.winner].results[0]
        seen += 1
        if made.reason == "faster" and own.factor is not None and float(own.factor.value) < max(speeds) - _MARGIN:
            false.append((text, "faster"))
        others = [side for place, side in enumerate(made.sides) if place != made.winner]
        if "cmp.only_one_fits" in codes and any(side.results[0].fits in {"fits", "tight"} for side in others):
            false.append((text, "only one that fits"))
    assert seen > 20
    assert false == []
