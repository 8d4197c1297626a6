"""The only place that wires parts together: data folders and settings in, a ready assistant out."""

from __future__ import annotations

import gc
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final, get_args

from advisor.catalog import Catalog, load_catalog
from advisor.memory.fit import usable_gib
from advisor.models import Gpu, complete_schemas
from bot.answers.sums.road import SumRoad
from bot.core.intents import load_intents
from bot.core.languages import load_languages
from bot.core.message import IncomingMessage, Language
from bot.core.request import Services
from bot.pipeline import Assistant
from bot.read.amounts import AmountReader
from bot.read.load import reader_over
from bot.read.reader import Reader
from bot.render import Renderer
from bot.tidy import tidy_cache
from bot.understand.load import load_understander
from knowledge.store import Library, load_library

_YOUNG: Final = (1_500, 5, 50)
"""Things made and not dropped before the collector looks for circles among them: those of some thirty answers. It looks
at what survived five such looks, and after fifty of those at all."""


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
    understander = load_understander(catalog)
    assistant = Assistant(
        reader_over(understander),
        load_intents(),
        Renderer(_part(data_dir, "templates")),
        Services(catalog, partial(_library, catalog, _part(data_dir, "knowledge"))),
        SumRoad(lambda: AmountReader(load_languages(), understander), understander.even, catalog),
    )
    if warm:
        warm_up(assistant)
    return assistant


def reader_of(assistant: Assistant) -> Reader:
    """The reader of an assistant that was built here."""
    reader = assistant.understander
    if not isinstance(reader, Reader):
        raise TypeError("the assistant reads with something else than a Reader")
    return reader


def _part(data_dir: Path | None, name: str) -> Path | None:
    if data_dir is None:
        return None
    part = data_dir / name
    return part if part.is_dir() else None


def warm_up(assistant: Assistant) -> None:
    """Do now what is otherwise done on first use, so that no user waits for it.

    Handlers, templates and records are loaded; then the example questions of every intent are answered once, which
    builds schemas, indexes and tables. What is left in memory is there to stay, and the garbage collector is told so.
    """
    from bot.answers import get_handler

    assistant.services.library.load_all()
    _look_at_passages(assistant.services.library)
    for intent in assistant.intents:
        try:
            get_handler(intent)
        except LookupError:
            continue
    assistant.renderer.compile_all()
    complete_schemas()
    _rehearse(assistant)
    tidy_cache()
    # a set of data that was replaced meanwhile is found here and goes
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    # An answer makes thousands of small things and drops them itself. Looked through every 700 things, what is alive in
    # the middle of an answer passes for old, and the old is looked through (0.1 s) every thousand messages for nothing.
    # Looked through every 5,000, the middle-aged are so many that one look is a pause that somebody waits for (20 ms,
    # at 20,000 even 70 ms); every 1,500 it is 3.4 ms at most, and no more time in all.
    gc.set_threshold(*_YOUNG)


def _look_at_passages(library: Library) -> None:
    """Make what answers show of each passage in each language."""
    from bot.answers.documents.passages import step_of, view_of

    for passage in library.passages.values():
        for language in get_args(Language):
            view_of(passage, language, library)
            step_of(passage, language, library)


def _well_known(gpu: Gpu) -> tuple[bool, bool, int]:
    """Cards whose names are read as nothing else come last."""
    return gpu.vendor == "NVIDIA", gpu.form_factor != "laptop", -len(gpu.name)


def _rehearse(assistant: Assistant) -> None:
    """Answer two examples of each intent and language, and what fits into each size of memory, as first questions."""
    now = datetime.now(UTC)
    examples = [line for one in assistant.intents.values() for line in (*one.examples.zh[:2], *one.examples.en[:2])]
    gpus = sorted(assistant.services.catalog.gpus.values(), key=_well_known)
    sizes = {usable_gib(gpu, gpu.vram_gib): gpu.name for gpu in gpus if gpu.vram_gib}
    held = [(f"what can a {name} run?", language) for name in sizes.values() for language in get_args(Language)]
    for text, language in (*((text, "") for text in examples), *held, ("RTX 9999?", "")):
        message = IncomingMessage(
            channel="rehearsal",
            event_id="",
            chat_id="",
            user_id="",
            text=text,
            received_at=now,
            chat_type="group",
            language=language,
        )
        # a question that cannot be answered must not keep the bot from starting: whoever asks it is told
        with suppress(Exception):
            assistant.respond(message, None, now)
