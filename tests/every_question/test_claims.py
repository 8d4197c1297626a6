"""Superlatives and comparatives are proven: what an answer claims holds for its figures and for all candidates."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from advisor.models import Note
from advisor.recommend.models import Option, Recommendation
from advisor.speed.contest import Contest
from bot.core.answers import Answer, answer_with
from bot.core.claims import Claim, Kind
from bot.core.line import Depth, Line, Listing
from bot.core.message import Language
from bot.words.telling import told
from tests.conftest import shared_assistant
from tests.every_question.asked import judged

_MARGIN = 1e-6
_LITTLE = 1.2
Answers = tuple[tuple[str, Answer], ...]
_SUPERLATIVES = ("cheapest", "fastest", "level", "most")


@pytest.fixture(scope="session")
def answers(texts: tuple[str, ...]) -> Answers:
    """Answers to labelled questions that rest on a recommendation or a comparison."""
    return tuple((text, outcome) for text in texts if (outcome := judged(text)) is not None)


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


def test_the_reason_of_a_pick_holds_for_every_candidate(answers: Answers) -> None:
    claims, false = 0, []
    for text, outcome in answers:
        found = outcome.result
        if not isinstance(found, Recommendation) or found.winner is None:
            continue
        option = found.winner.option
        assert any(one.gpu.id == option.gpu.id for one in found.ranked), text
        claims += sum(any(note.values.get(name) for name in _SUPERLATIVES) for note in found.winner.reasons)
        false += [(text, one) for note in found.winner.reasons for one in _untrue(note, option, found.ranked)]
    assert claims > 5
    assert false == []


def test_a_runner_up_is_what_its_role_says(answers: Answers) -> None:
    false = []
    for text, outcome in answers:
        found = outcome.result
        if not isinstance(found, Recommendation) or found.winner is None:
            continue
        for pick in found.picks[1:]:
            cheaper, faster = (pick.price_ratio or 1.0) < 1, (pick.speed_ratio or 2.0) > 1
            if not {"cheapest": cheaper, "fastest": faster, "roomier": pick.extra_gib > 0}.get(pick.role, True):
                false.append((text, pick.role, pick.option.gpu.name))
    assert false == []


def test_the_winner_of_a_comparison_is_ahead_in_its_figures(answers: Answers) -> None:
    seen, false = 0, []
    for text, outcome in answers:
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
    assert seen > 10
    assert false == []


@pytest.mark.parametrize(
    ("kind", "figure", "others", "holds"),
    [
        (Kind.LEAST, 3.0, (3.0, 4.0), True),
        (Kind.LEAST, 3.0, (2.9,), False),
        (Kind.MOST, 1.5, (1.0, 1.5), True),
        (Kind.MOST, 1.5, (1.6,), False),
        (Kind.LESS, 0.8, (1.0,), True),
        (Kind.LESS, 1.0, (1.0,), False),
        (Kind.MORE, 1.2, (1.0,), True),
        (Kind.MORE, 0.9, (1.0,), False),
        (Kind.MOST, 1.5, (), False),
    ],
)
def test_a_claim_holds_by_its_figures_alone(kind: Kind, figure: float, others: tuple[float, ...], holds: bool) -> None:
    assert Claim(kind, figure, others).holds is holds


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_line_whose_claim_is_disproved_is_not_said(language: Language) -> None:
    true, false = (Line("why.nothing", {}, Claim(Kind.LESS, figure, (1.0,))) for figure in (0.5, 1.5))
    head, sentences = Line("source.nothing"), shared_assistant().renderer.sentences[language]
    listed = Listing((false, true), depth=Depth.GROUP)
    body = told(answer_with(headline=(head,), lines=(true, false), blocks=(listed,)), sentences).first
    assert body.count(sentences.say(true)) == 2
    assert told(answer_with(headline=(head, false)), sentences).first.count(sentences.say(false)) == 0


def test_claims_of_answers_carry_figures_that_hold(answers: Answers) -> None:
    """Lines with a claim are among the answers to the labelled questions, and none of them is disproved."""
    lines = [line for _, answer in answers for line in (*answer.headline, *answer.lines) if isinstance(line, Line)]
    claimed = [line for line in lines if line.claim is not None]
    assert len(claimed) > 5
    assert [line.say for line in claimed if line.claim is not None and not line.claim.holds] == []
