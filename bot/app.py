"""The only place that wires parts together: data folders and settings in, a ready assistant out."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from advisor.catalog import Catalog, load_catalog
from bot.core.intents import load_intents
from bot.core.request import Services
from bot.pipeline import Assistant
from bot.render import Renderer
from bot.understand.load import load_understander
from knowledge.store import Library, load_library


def _library(catalog: Catalog, directory: Path | None) -> Library:
    return load_library(directory, aliases={**catalog.gpu_aliases(), **catalog.ml_model_aliases()})


def build_assistant(data_dir: Path | None = None, *, warm: bool = False) -> Assistant:
    """An assistant over the shipped data, or over a folder laid out alike.

    Args:
        data_dir: holds `advisor/data`, `knowledge` and `templates`; parts that it lacks come from the shipped ones.
        warm: load the library and compile templates now (servers) instead of on first use (one question).

    Raises:
        BadData: files are faulty; all faults at once.
    """
    catalog = load_catalog(_part(data_dir, "advisor/data"))
    assistant = Assistant(
        load_understander(catalog),
        load_intents(),
        Renderer(_part(data_dir, "templates")),
        Services(catalog, partial(_library, catalog, _part(data_dir, "knowledge"))),
    )
    if warm:
        warm_up(assistant)
    return assistant


def _part(data_dir: Path | None, name: str) -> Path | None:
    if data_dir is None:
        return None
    part = data_dir / name
    return part if part.is_dir() else None


def warm_up(assistant: Assistant) -> None:
    """Load what is otherwise loaded on first use: library, search index, handlers, templates."""
    from bot.handlers import get_handler

    library = assistant.services.library
    library.search("gpu", "en", limit=1)
    for intent in assistant.intents:
        try:
            get_handler(intent)
        except LookupError:
            continue
    assistant.renderer.compile_all()
