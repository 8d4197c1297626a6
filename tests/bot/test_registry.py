"""Whatever piece of an intent, a template, a word or a source is missing is named here."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from bot.answers import get_handler, module_of
from bot.cli.check import find_problems
from bot.cli.worded import Used, unsaid, unworded, used_in_code
from bot.core.intents import load_intents
from bot.dialogue.decide import WITHOUT_HANDLER
from bot.render import LANGUAGES, Renderer

ROOT: Final = Path(__file__).resolve().parents[2]
# fmt: off
TAXONOMY: Final = (
    "recommend_gpu", "compare_gpus", "gpu_specs", "what_matters_in_gpu", "used_or_cheap", "upgrade_or_not",
    "vendor_choice", "gpu_count", "check_fit", "estimate_memory", "reduce_memory", "estimate_time",
    "estimate_cost", "price_lookup", "rent_or_buy", "carbon_footprint", "multi_gpu_scaling", "interconnect",
    "mixed_gpu_types", "cluster_design", "cpu_sizing", "ram_sizing", "disk_choice", "power_supply",
    "cooling", "cuda_compat", "precision_advice", "perf_troubleshooting", "concept_explain", "platform_choice",
    "platform_howto", "greeting", "help", "thanks", "why", "source",
    "cancel", "out_of_scope",
)
# fmt: on


@cache
def of_the_source() -> tuple[Used, ...]:
    """Codes that the shipped code uses."""
    return tuple(used_in_code(ROOT))


def test_all_38_intents_of_the_taxonomy_have_a_file() -> None:
    assert sorted(load_intents()) == sorted(TAXONOMY)


@pytest.mark.parametrize("intent", sorted(set(TAXONOMY) - WITHOUT_HANDLER))
def test_an_intent_has_a_handler(intent: str) -> None:
    assert callable(get_handler(intent))


@pytest.mark.parametrize("intent", TAXONOMY)
@pytest.mark.parametrize("language", LANGUAGES)
def test_an_intent_has_words_in_each_language(intent: str, language: str) -> None:
    """A template of its own, or sentences of its own or of its room."""
    templates, room = ROOT / "templates", (module_of(intent) or "").split(".")[-2:-1]
    told = (templates / language / f"{name}.yaml" for name in (intent, *room))
    assert (templates / intent / f"{language}.md.j2").is_file() or any(path.is_file() for path in told)


_SPEAKS: Final = """
from bot.core.line import Label, Line

WORDED: Final = {"a": "memory_metal", "b": "never_worded"}

def handle(topic, many, name):
    code = "also_not_worded" if many else "memory_metal"
    note_of(code)
    note_of(WORDED[topic], {})
    note_of(f"no_such_{name}")
    note_of(f"error_{name}")
    Note(code="nor_this")
    elicit_of(slot="colour")
    Line("never_said", {})
    Line("sum.linear")
    Line("sum.watts_of_card", {"card": name})
    Label("no_such_method", "method")
    return answer_with(template="no_page" if many else "decline")
"""


def test_what_code_says_without_words_is_named_by_the_check(tmp_path: Path) -> None:
    (tmp_path / "advisor").mkdir()
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "speaks.py").write_text(_SPEAKS, encoding="utf-8")
    named = {problem.message.split("'")[1] for problem in unworded(Renderer(), used_in_code(tmp_path))}
    assert named == {"never_worded", "also_not_worded", "no_such_*", "nor_this", "ask.colour", "no_page"} | {
        *("never_said", "sum.watts_of_card", "method.no_such_method"),
    }


def test_a_sentence_that_nobody_says_is_named_by_the_check(tmp_path: Path) -> None:
    (tmp_path / "advisor").mkdir()
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "speaks.py").write_text(_SPEAKS, encoding="utf-8")
    named = {problem.message.split("'")[1] for problem in unsaid(Renderer(), used_in_code(tmp_path))}
    assert "sum.working" in named
    assert "sum.linear" not in named
    assert not unsaid(Renderer(), of_the_source())


def test_notes_are_found_where_they_are_made() -> None:
    made = {one.code for one in of_the_source() if one.kind == "note"}
    assert {"speed_no_fit", "error_*", "memory_no_bf16", "rec_check_price", "contest_qlora"} <= made


def test_the_shipped_data_has_no_problem() -> None:
    problems, summary = find_problems(quick=True)
    assert [str(problem) for problem in problems] == []
    assert summary.startswith("all well")


def test_code_holds_no_han_characters() -> None:
    han = re.compile("[\u4e00-\u9fff]")
    guilty = [
        f"{path.relative_to(ROOT)}:{number}"
        for room in ("advisor", "bot", "knowledge")
        for path in sorted((ROOT / room).rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if han.search(line)
    ]
    assert guilty == []


def test_every_room_says_what_lives_there() -> None:
    parts = ("core", "understand", "dialogue", "answers", "channels", "stores", "cli")
    rooms = ["advisor", "knowledge", "templates", "bot", *(f"bot/{part}" for part in parts)]
    assert [room for room in rooms if not (ROOT / room / "README.md").is_file()] == []
