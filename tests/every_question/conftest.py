"""The labelled questions part by part: all tests of one part come one after the other, so that it is asked once.

What was asked is kept by the process. If each test went through all questions, two processes would both ask them all.
"""

from __future__ import annotations

import random
from functools import cache
from typing import Final

import pytest

from tests.bot.labelled import questions

PARTS: Final = 8
"""So that no process of a test run is left alone with all of them."""


@cache
def _mixed() -> tuple[str, ...]:
    """All of them in an order of no meaning, always the same: sets list needs and languages in turn."""
    return tuple(random.Random(1).sample(questions(), len(questions())))


@pytest.fixture(scope="session", params=range(PARTS))
def texts(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """One part of the labelled questions, a like share of every set and need."""
    found = _mixed()[request.param :: PARTS]
    assert len(found) > 400
    return found
