"""A word that several lists need stands in one sense, which they name."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.errors import Problem
from bot.lexicons import check_senses, faults, load_lexicons, sense_files, spelt_out

SENSES = {"rent": {"zh": ["租"], "en": ["rent", "rental"]}}


@pytest.mark.parametrize(
    ("listed", "words"),
    [
        (["hire", "@rent"], ["hire", "租", "rent", "rental"]),
        (["@rent.zh"], ["租"]),
        (["@rent.en", "hire"], ["rent", "rental", "hire"]),
        (["@rent*"], ["租", "rent*", "rental*"]),
        (["@", "rent@home", "a @rent"], ["@", "rent@home", "a @rent"]),
    ],
)
def test_a_sense_is_read_as_its_words(listed: list[str], words: list[str]) -> None:
    assert spelt_out({"rows": [{"cues": listed}]}, SENSES) == {"rows": [{"cues": words}]}


def test_no_list_names_a_sense_that_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "dialogue.yaml"
    path.write_text("a: [one]\nb: ['@hiring']\n", "utf-8")
    problems: list[Problem] = []
    load_lexicons([path], problems)
    assert problems == [Problem(str(path), 2, "no sense is called hiring")]


def test_every_fault_of_senses_is_named(tmp_path: Path) -> None:
    money, life, lists = (tmp_path / name for name in ("money.yaml", "life.yaml", "roles.yaml"))
    money.write_text("rent: {en: [rent]}\nbuy: {en: [buy]}\n", "utf-8")
    life.write_text("home: {en: [flat, Rent]}\nbuy: {en: [purchase]}\n", "utf-8")
    lists.write_text("a: ['@rent', '@home', '@hire']\n", "utf-8")
    holders = {
        str(money): {"rent": {"en": ["rent"]}, "buy": {"en": ["buy"]}},
        str(life): {"home": {"en": ["flat", "Rent"]}, "buy": {"en": ["purchase"]}},
    }
    assert sorted(faults(holders, {str(lists): {"a": ["@rent", "@home", "@hire"]}})) == sorted(
        [
            Problem(str(money), 2, "no list names the sense buy"),
            Problem(str(life), 1, '"rent" stands in the sense rent too'),
            Problem(str(life), 2, "the sense buy stands in money.yaml too"),
            Problem(str(life), 2, "no list names the sense buy"),
            Problem(str(lists), 1, "no sense is called hire"),
        ]
    )


def test_the_senses_of_the_project_are_sound() -> None:
    assert sense_files()
    assert not check_senses()
