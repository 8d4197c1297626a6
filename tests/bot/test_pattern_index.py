"""Which patterns may match a text: none that does is left out, and of the words of deals few are left."""

from __future__ import annotations

import re

import pytest

from bot.lexicons import load_lexicons
from bot.read.deal_words import deals
from bot.read.pattern_index import PatternIndex, letters_of
from bot.resources import lexicon_directory
from tests.bot.labelled import questions


@pytest.mark.parametrize(
    ("pattern", "needed"),
    [
        ("tier|up to", {"tier", "up to"}),
        ("by (?:use|hours)", {"by "}),
        ("(?:join|enter)s?.{0,3}?in", {"join", "enter"}),
        (r"(?<![a-z])cut\b", {"cut"}),
        (r"a\.b+c", {"a.b"}),
        (r"ab\u6c34\x61\1c", {"ab"}),
        ("x{0,3}yz", {"yz"}),
        ("x{2}[|)]", {"x"}),
        ("pays?|[ab]", set()),
        ("(?:deposit)?", set()),
        ("(tier|)", set()),
        ("(?i)tier", set()),
        ("", set()),
    ],
)
def test_letters_that_a_pattern_needs(pattern: str, needed: set[str]) -> None:
    assert letters_of(pattern) == needed


@pytest.mark.parametrize("text", ["", "by use", "a tier", "x"])
def test_a_pattern_of_which_nothing_is_known_may_match_anything(text: str) -> None:
    index = PatternIndex(["tier", "(?i)x", r"\d?", "by (?:use|hours)"])
    found = index.may_match(text)
    assert {1, 2} <= set(found) <= {0, 1, 2, 3}
    assert (0 in found, 3 in found) == ("tier" in text, "by " in text)


def test_every_kind_of_deal_that_a_question_speaks_of_may_be_meant() -> None:
    path = lexicon_directory() / "deals.yaml"
    content = load_lexicons([path], [], salt="lexicon")[str(path)]
    spoken = [re.compile(one.asked[0].pattern) for one in deals(content["deals"])]
    index = PatternIndex([one.pattern for one in spoken])
    listed = [text.lower() for text in questions()[::5]]
    may = {text: index.may_match(text) for text in listed}
    matching = {text: [place for place, one in enumerate(spoken) if one.search(text)] for text in listed}
    assert [text for text in listed if not set(matching[text]) <= set(may[text])] == []
    assert sum(map(len, matching.values())) > 200
    assert sum(map(len, may.values())) < len(listed) * len(spoken) / 10


def test_the_words_of_every_kind_of_deal_are_patterns() -> None:
    """They are compiled with the first text that they are looked for in: a faulty one would be found by a user."""
    path = lexicon_directory() / "deals.yaml"
    content = load_lexicons([path], [], salt="lexicon")[str(path)]
    places = [place for one in deals(content["deals"]) for place in one.places]
    words = [words for one in deals(content["deals"]) for words in (*one.asked, one.never)]
    words += [words for place in places for words in (place.at, place.near)]
    assert sum(one is not None and bool(one.ready.pattern) for one in words) > 900
