"""What the shipped knowledge base promises: no faults, every fact answered, every conflict told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from knowledge.__main__ import main
from knowledge.checks import age_report, check_library
from knowledge.coverage import PAGE, coverage, render_page, unanswered
from knowledge.facts import load_facts
from knowledge.store import Library, load_library
from tests.conftest import shared_library
from tests.knowledge.helpers import ZH, make_home, passage_text


@pytest.fixture(scope="module")
def library() -> Library:
    return shared_library()


def test_the_files_have_no_fault() -> None:
    assert [str(problem) for problem in check_library()] == []


class TestCoverage:
    def test_the_fact_list_is_whole(self) -> None:
        facts = load_facts()
        counts = {seed: sum(row.startswith(seed) for row in facts) for seed in ("000", "001", "002", "003", "004")}
        assert counts == {"000": 69, "001": 65, "002": 236, "003": 44, "004": 25}
        assert sum(row.answerable for row in facts.values()) == 433

    def test_every_answerable_row_is_answered(self) -> None:
        assert unanswered(coverage()) == []

    def test_the_page_is_current(self) -> None:
        assert PAGE.read_text(encoding="utf-8") == render_page(coverage()), "run: python -m knowledge coverage --write"

    def test_an_unanswered_row_would_be_named(self, tmp_path: Path) -> None:
        home = make_home(tmp_path, first=passage_text("first"))
        rows = coverage(load_library(home), advisor={"000-002": ("advisor/x.py",)})
        assert "000-001" not in unanswered(rows)
        assert "000-002" not in unanswered(rows)
        assert "000-003" in unanswered(rows)


class TestConflicts:
    def test_all_78_are_there(self, library: Library) -> None:
        assert list(library.conflicts) == [f"E{number:02d}" for number in range(1, 79)]

    def test_each_is_told_with_some_passage(self, library: Library) -> None:
        told = {name for passage in library.passages.values() for name in passage.conflicts}
        assert [name for name in library.conflicts if name not in told] == []

    def test_each_conflict_of_a_fact_is_told_where_the_fact_is(self, library: Library) -> None:
        """A passage that covers a row in dispute names at least one of the row's conflicts."""
        facts = load_facts()
        silent = []
        for row, names in library.covers().items():
            disputes = {c for c in facts[row].conflicts if library.conflicts[c].type in {"conflict", "outdated"}}
            told = {c for name in names for c in library.get(name).conflicts}
            if disputes and not disputes & told:
                silent.append((row, sorted(disputes), names))
        assert silent == []

    @pytest.mark.parametrize("language", ["zh", "en"])
    def test_a_line_is_short(self, library: Library, language: str) -> None:
        assert max(len(conflict.line.get(language)) for conflict in library.conflicts.values()) < 260


class TestSlips:
    """Known slips of the documents are mended openly, not repeated."""

    @pytest.mark.parametrize(
        ("passage", "language", "says"),
        [
            ("autodl-card-rtx-a5000", "zh", "111"),
            ("autodl-card-rtx-a5000", "en", "111"),
            ("autodl-card-a100", "en", "SXM4"),
            ("dataloader-dali", "zh", "DALI"),
            ("hy-tmp-path", "zh", "恒源云"),
            ("hy-tmp-path", "en", "copied from the other platform"),
            ("rtx-3090-ti-2022", "en", "base clock"),
            ("tensor-core-4x4", "zh", "4×4"),
            ("autodl-retention", "zh", "15 天"),
        ],
    )
    def test_the_mended_fact_stands_in_the_passage(
        self, library: Library, passage: str, language: str, says: str
    ) -> None:
        texts = library.get(passage).texts(language)
        assert says in f"{texts.short} {texts.full} {texts.today}"

    def test_nobody_is_told_to_rotate_accounts(self, library: Library) -> None:
        advised = [
            name
            for name, passage in library.passages.items()
            if any(word in passage.en.full for word in ("several accounts", "multiple accounts", "switch accounts"))
            and "not" not in passage.en.full
        ]
        assert advised == []


class TestCheck:
    def test_lengths_links_and_spacing_are_checked(self, tmp_path: Path) -> None:
        more = "related: [nowhere]\ntables: [no-table]\nconflicts: [E99]\n"
        home = make_home(
            tmp_path,
            first=passage_text("first", more=more, zh=ZH + "显存24GB,够用", en="Too short."),
            second=passage_text("second").replace("first question about second", "first question about first"),
        )
        messages = " | ".join(problem.message for problem in check_library(home))
        for fault in (
            "there is no passage 'nowhere'",
            "there is no table 'no-table'",
            "there is no conflict 'E99'",
            "en full text has 2 words",
            "a space between Han and Latin",
            "also claimed by first",
        ):
            assert fault in messages

    def test_an_unknown_card_is_a_fault_when_a_catalogue_is_given(self, tmp_path: Path) -> None:
        home = make_home(tmp_path, first=passage_text("first", more='gpus: ["RTX 9999"]\n'))
        assert any("RTX 9999" in problem.message for problem in check_library(home, names=["RTX 3090"]))
        assert not any("RTX 9999" in problem.message for problem in check_library(home, names=["RTX 9999"]))

    def test_old_passages_that_people_ask_for_come_first(self, library: Library) -> None:
        aged = age_report(library, {"autodl-retention": 3})
        assert aged[0].passage == "autodl-retention"
        assert len(aged) == len(library.ids)
        rest = [(entry.has_today, entry.as_of) for entry in aged[1:]]
        assert rest == sorted(rest)


def test_batch_prints_what_the_design_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text('{"id": "a", "question": "北京A区3090是什么U"}\n{"id": "b", "question": "zzz"}\n', encoding="utf-8")
    assert main(["batch", str(file)]) == 0
    first, second = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert first["id"] == "a"
    assert first["hits"][0]["passage"] == "autodl-region-cpus"
    assert "000-021" in first["hits"][0]["covers"]
    assert len(first["hits"]) <= 3
    assert second == {"id": "b", "hits": []}


def test_search_says_what_is_nearest_when_nothing_fits(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "how long does it take to fly to london"]) == 1
    assert "not in the documents" in capsys.readouterr().out
