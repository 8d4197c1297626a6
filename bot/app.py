"""The only place that wires parts together: data folders and settings in, a ready assistant out."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.catalog import Catalog, load_catalog
from bot.answers.sums.gate import Sums
from bot.core.intents import load_intents
from bot.core.languages import load_languages
from bot.core.request import Services
from bot.pipeline import Assistant
from bot.read.load import reader_over
from bot.read.reader import Reader
from bot.render import Renderer
from bot.understand.load import load_understander
from bot.understand.recognise import Understander
from knowledge.store import Library, load_library

if TYPE_CHECKING:
    from bot.answers.sums.road import SumRoad
    from bot.channels.described import Describer


def _library(catalog: Catalog, directory: Path | None) -> Library:
    return load_library(directory, aliases={**catalog.gpu_aliases(), **catalog.ml_model_aliases()})


def _sums(understander: Understander, catalog: Catalog) -> SumRoad:
    from bot.answers.sums.road import SumRoad
    from bot.read.amounts import AmountReader

    return SumRoad(lambda: AmountReader(load_languages(), understander), understander.even, catalog)


def build_assistant(data_dir: Path | None = None, *, warm: bool = False) -> Assistant:
    """An assistant over the shipped data, or over a folder laid out alike.

    Args:
        data_dir: holds `advisor/data`, `knowledge` and `templates`; parts that it lacks come from the shipped ones.
        warm: load the library and compile templates now (servers) instead of on first use (one question).

    Raises:
        BadData: files are faulty; all faults at once.
    """
    catalog = load_catalog(_part(data_dir, "advisor/data"))
    understander = load_understander(catalog)
    words = [word for spoken in load_languages() for word in (*spoken.digits, *spoken.scales)]
    assistant = Assistant(
        reader_over(understander),
        load_intents(),
        Renderer(_part(data_dir, "templates")),
        Services(catalog, partial(_library, catalog, _part(data_dir, "knowledge"))),
        Sums(partial(_sums, understander, catalog), understander.even, words),
    )
    if warm:
        from bot.warming import warm_up

        warm_up(assistant)
    return assistant


def reader_of(assistant: Assistant) -> Reader:
    """The reader of an assistant that was built here."""
    reader = assistant.understander
    if not isinstance(reader, Reader):
        raise TypeError("the assistant reads with something else than a Reader")
    return reader


def describer_of(assistant: Assistant) -> Describer:
    """What tells programs of the parts of a reply and of what became of each mention."""
    from bot.channels.described import Describer

    return Describer(reader_of(assistant).read, assistant.intents)


def _part(data_dir: Path | None, name: str) -> Path | None:
    if data_dir is None:
        return None
    part = data_dir / name
    return part if part.is_dir() else None
