"""What a passage file must hold, and that every fault is named with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowledge.errors import Problem, UnknownPassage
from knowledge.parse import parse_passage
from knowledge.store import load_library
from tests.knowledge.helpers import make_home, passage_text


def faults(text: str) -> list[Problem]:
    problems: list[Problem] = []
    parse_passage(text, "x.md", "own", problems)
    return problems


def test_a_sound_passage_has_no_fault() -> None:
    assert faults(passage_text("sound")) == []


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("no front matter", 1, "first line must be ---"),
        ("---\nid: x\n", 1, "no closing ---"),
        (passage_text("x").replace("origin: seed", "origin: [seed"), 4, "not valid YAML"),
        (passage_text("x").replace("origin: seed", "origin: rumour"), 3, "origin"),
        (passage_text("x", more="colour: red\n"), 11, "colour"),
        (passage_text("x").replace('date: "2022"', 'date: "last year"'), 10, "2022-09-02"),
        (passage_text("x").replace('covers: ["000-001"]', "covers: [first]"), 9, "covers"),
        (passage_text("x").replace("### full\nThese", "### whole\nThese"), 20, "unexpected heading '### whole'"),
        (passage_text("x").replace("In short, x.", ""), 21, "`## en` has no `### short`"),
        (passage_text("x") + "### today\nNow it differs.\n", 1, "`today` needs `sources`"),
        (passage_text("x").replace("origin: seed", "origin: beyond"), 1, "origin beyond has no `seeds`"),
    ],
)
def test_a_fault_is_named_with_its_line(text: str, line: int, words: str) -> None:
    found = faults(text)
    assert any(words in problem.message for problem in found), found
    assert line in {problem.line for problem in found}, found


def test_all_faults_are_named_at_once() -> None:
    text = passage_text("x").replace("origin: seed", "origin: rumour").replace('covers: ["000-001"]', "covers: [a]")
    assert len(faults(text)) == 2


class TestOneFileIsEnough:
    def test_a_new_passage_is_found_without_another_change(self, tmp_path: Path) -> None:
        home = make_home(tmp_path, first=passage_text("first"))
        assert [hit.passage.id for hit in load_library(home).search("question about zebra")] == []
        (home / "passages" / "own" / "zebra.md").write_text(passage_text("zebra"), encoding="utf-8")
        library = load_library(home)
        assert library.search("question about zebra")[0].passage.id == "zebra"
        assert library.covers()["000-001"] == ("first", "zebra")

    def test_a_changed_passage_replaces_the_cached_one(self, tmp_path: Path) -> None:
        home = make_home(tmp_path, first=passage_text("first"))
        assert load_library(home).get("first").en.short == "In short, first."
        path = home / "passages" / "own" / "first.md"
        path.write_text(passage_text("first").replace("In short", "Put briefly"), encoding="utf-8")
        assert load_library(home).get("first").en.short == "Put briefly, first."

    def test_a_source_may_stand_in_the_passage(self, tmp_path: Path) -> None:
        more = 'sources: [{id: a-page, title: "A page", url: "https://example.org", read_on: "2026-11-21"}]\n'
        home = make_home(tmp_path, first=passage_text("first", more=more))
        library = load_library(home)
        assert library.problems == ()
        assert library.sources["a-page"].as_of == "2026-11-21"
        assert library.get("first").source_ids == ("seed-000", "a-page")


class TestABrokenFile:
    def test_it_is_named_and_the_rest_stays(self, tmp_path: Path) -> None:
        broken = passage_text("broken").replace("origin: seed", "origin: rumour")
        home = make_home(tmp_path, broken=broken, sound=passage_text("sound"))
        library = load_library(home)
        assert library.ids == ("sound",)
        assert [(Path(problem.path).name, problem.line) for problem in library.problems] == [("broken.md", 3)]

    def test_an_id_that_differs_from_the_file_name_is_a_fault(self, tmp_path: Path) -> None:
        library = load_library(make_home(tmp_path, other=passage_text("first")))
        assert "differs from the file name" in library.problems[0].message

    def test_an_unknown_passage_says_which(self, tmp_path: Path) -> None:
        library = load_library(make_home(tmp_path, first=passage_text("first")))
        with pytest.raises(UnknownPassage, match="no passage has the id 'second'"):
            library.get("second")
        assert "second" not in library.passages

    def test_a_broken_cache_only_costs_time(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("XUANKA_CACHE_DIR", str(tmp_path / "cache"))
        home = make_home(tmp_path, first=passage_text("first"))
        load_library(home).search("first")
        for cached in (tmp_path / "cache").iterdir():
            cached.write_text("{")
        assert load_library(home).search("first question")[0].passage.id == "first"
