"""Everything that can be wrong with data, words, intents and settings, found in one go."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from advisor.errors import BadData, Problem
from bot.cli.worded import unsaid, unworded, used_in_code
from bot.render import LANGUAGES, Renderer
from bot.resources import templates_directory

_NO_TEMPLATES: Final = frozenset({"_shared", *LANGUAGES})
"""Folders of words and sentences."""


def _templates(intents: list[str]) -> list[Problem]:
    """Each template parses and stands in both languages; each intent has a handler and a template."""
    directory = templates_directory()
    try:
        renderer = Renderer(directory)
    except BadData as error:
        return list(error.problems)
    in_code = tuple(used_in_code(Path(__file__).resolve().parents[2]))
    return [
        *renderer.check(),
        *unworded(renderer, in_code),
        *unsaid(renderer, in_code),
        *_one_sided(directory),
        *_untold(directory, intents),
    ]


def _one_sided(directory: Path) -> list[Problem]:
    """Templates that stand in one language only."""
    folders = sorted(path for path in directory.iterdir() if path.is_dir() and path.name not in _NO_TEMPLATES)
    return [
        Problem(str(folder), 1, f"{language}.md.j2 is missing")
        for folder in folders
        for language in LANGUAGES
        if not (folder / f"{language}.md.j2").is_file()
    ]


def _untold(directory: Path, intents: list[str]) -> list[Problem]:
    """Intents that nobody answers, or that have no words."""
    from bot.answers import module_of
    from bot.dialogue.decide import WITHOUT_HANDLER

    problems: list[Problem] = []
    for intent in intents:
        if intent not in WITHOUT_HANDLER and module_of(intent) is None:
            problems.append(Problem("bot/answers", 1, f"intent {intent}: no room has {intent}.py"))
        room = (module_of(intent) or "").split(".")[-2:-1]
        told = [directory / intent, *(directory / LANGUAGES[0] / f"{name}.yaml" for name in (intent, *room))]
        if not any(path.exists() for path in told):
            problems.append(Problem(str(told[0]), 1, f"intent {intent} has no words"))
    return problems


def _settings() -> list[Problem]:
    from bot.settings import SettingsError, load_settings

    try:
        load_settings()
    except SettingsError as error:
        return [Problem("settings", 1, line) for line in error.lines]
    return []


def find_problems(*, quick: bool = False) -> tuple[list[Problem], str]:
    """All problems in order of file and line, and one line that sums up."""
    from advisor.catalog import load_catalog
    from advisor.catalog_files import DATA
    from advisor.checks import check_catalog
    from advisor.recommend.checks import check_advice
    from bot.core.intents import load_intents
    from bot.lexicons import check_senses
    from knowledge.checks import check_library

    problems = list(check_catalog(DATA))
    problems += [Problem(fault.path, fault.line, fault.message) for fault in check_library()]
    problems += _settings()
    problems += check_senses()
    counts = ""
    try:
        intents = load_intents()
        problems += _templates(list(intents))
        if not problems:
            catalog = load_catalog()
            counts = f"{len(catalog.gpus)} cards, {len(catalog.ml_models)} models, {len(catalog.offers)} prices"
            counts += f", {len(intents)} intents"
            problems += check_advice(catalog)
            if not quick:
                from bot.answers.sums.check import check_examples
                from bot.app import build_assistant
                from bot.cli.routes import check_routes
                from bot.understand.check import check_intents

                problems += check_intents(catalog)
                problems += check_routes(build_assistant())
                problems += check_examples(catalog)
    except BadData as error:
        problems += error.problems
    unique = sorted(set(problems))
    if unique:
        return unique, f"{len(unique)} problem{'s' if len(unique) > 1 else ''} found"
    return [], f"all well: {counts}"


def age_lines() -> list[str]:
    """What is oldest, per room."""
    from advisor.catalog import load_catalog
    from knowledge.checks import age_report

    catalog = load_catalog()
    newest: dict[str, str] = {}
    for offer in catalog.offers:
        newest[offer.provider] = max(newest.get(offer.provider, ""), offer.as_of.isoformat())
    lines = ["prices, newest per provider:"]
    lines += [f"  {day}  {provider}" for provider, day in sorted(newest.items(), key=lambda item: (item[1], item[0]))]
    return [*lines, "passages:", *(f"  {line}" for line in age_report())]
