"""Whatever piece of an intent, a template, a word or a source is missing is named here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bot.cli.check import find_problems
from bot.core.intents import load_intents
from bot.dialogue.decide import WITHOUT_HANDLER
from bot.handlers import get_handler
from bot.render import LANGUAGES, Renderer

ROOT = Path(__file__).resolve().parents[2]
# fmt: off
TAXONOMY = (
    "recommend_gpu", "compare_gpus", "gpu_specs", "what_matters_in_gpu", "used_or_cheap", "upgrade_or_not",
    "vendor_choice", "gpu_count", "check_fit", "estimate_memory", "reduce_memory", "estimate_time",
    "estimate_cost", "price_lookup", "rent_or_buy", "carbon_footprint", "multi_gpu_scaling", "interconnect",
    "mixed_gpu_types", "cluster_design", "cpu_sizing", "ram_sizing", "disk_choice", "power_supply",
    "cooling", "cuda_compat", "precision_advice", "perf_troubleshooting", "concept_explain", "platform_choice",
    "platform_howto", "greeting", "help", "thanks", "why", "source",
    "cancel", "out_of_scope",
)
# fmt: on


def test_all_38_intents_of_the_taxonomy_have_a_file() -> None:
    assert sorted(load_intents()) == sorted(TAXONOMY)


@pytest.mark.parametrize("intent", sorted(set(TAXONOMY) - WITHOUT_HANDLER))
def test_an_intent_has_a_handler(intent: str) -> None:
    assert callable(get_handler(intent))


@pytest.mark.parametrize("intent", TAXONOMY)
@pytest.mark.parametrize("language", LANGUAGES)
def test_an_intent_has_a_template_in_each_language(intent: str, language: str) -> None:
    assert (ROOT / "templates" / intent / f"{language}.md.j2").is_file()


def _note_codes() -> dict[str, str]:
    """Codes of notes in the code of all rooms, with the file that uses each."""
    found: dict[str, str] = {}
    for room in ("advisor", "bot"):
        for path in sorted((ROOT / room).rglob("*.py")):
            for code in re.findall(r"\bNote\(\s*\"([a-z0-9_]+)\"", path.read_text(encoding="utf-8")):
                found[code] = str(path.relative_to(ROOT))
    return found


def test_every_note_has_a_sentence_in_each_language() -> None:
    renderer = Renderer()
    silent = [
        f"{code} ({language}), used in {where}"
        for code, where in _note_codes().items()
        for language in LANGUAGES
        if not renderer.has_note(code, language)
    ]
    assert silent == []


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
    parts = ("core", "understand", "dialogue", "handlers", "channels", "stores", "cli")
    rooms = ["advisor", "knowledge", "templates", "bot", *(f"bot/{part}" for part in parts)]
    assert [room for room in rooms if not (ROOT / room / "README.md").is_file()] == []
