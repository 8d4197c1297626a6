"""Doing beforehand what is otherwise done on first use, in steps that are short enough to stand between two messages.

A server is ready before this: whoever asks meanwhile is answered as by a cold `ask`, and waits for one step at most.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias, get_args

from advisor.memory.fit import usable_gib
from advisor.models import Gpu, complete_schemas
from bot.core.message import IncomingMessage, Language

if TYPE_CHECKING:
    from bot.pipeline import Assistant
    from knowledge.store import Library

Step: TypeAlias = Callable[[], object]
_YOUNG: Final = (1_500, 5, 2)
"""Things made and not dropped before the collector looks for circles among them: those of some thirty answers. It looks
at what survived five such looks, and after two of those at all that is not set apart."""
_SET_APART: Final = 100
"""Looks at all, of the first after the start, each of which sets apart what it leaves."""
_OLDEST: Final = 2
"""Number of the generation that holds all."""
_AT_ONCE: Final = 50
"""Small things that one step makes."""


def warm_up(assistant: Assistant) -> None:
    """Do every step now: handlers, templates and records are loaded, and examples of every intent answered once."""
    for step in warming(assistant):
        step()


def warming(assistant: Assistant) -> Iterator[Step]:
    """What is otherwise done on first use, step by step.

    Handlers, templates and records are loaded; then the example questions of every intent are answered once, which
    builds schemas, indexes and tables. What is left in memory is there to stay, and the garbage collector is told so.
    """
    from bot.app import reader_of

    yield reader_of(assistant).prepare
    yield from assistant.services.library.loading()
    yield from _looking_at_passages(assistant.services.library)
    yield from (partial(_load_handler, intent) for intent in assistant.intents)
    yield from _in_portions(assistant.renderer.compiling())
    yield from _in_portions(complete_schemas())
    yield from _rehearsal(assistant)
    yield _settle


def _in_portions(work: Iterator[object]) -> Iterator[Step]:
    """So much of what is worked off by looking at it at a time."""
    left = True

    def portion() -> None:
        nonlocal left
        left = len([None for _, _ in zip(range(_AT_ONCE), work, strict=False)]) == _AT_ONCE

    while left:
        yield portion


def _load_handler(intent: str) -> None:
    from bot.answers import get_handler

    with suppress(LookupError):
        get_handler(intent)


def _settle() -> None:
    """What is alive now is here to stay; what was replaced meanwhile is found and goes."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    gc.collect()  # of what is left there is next to nothing, so the next look at all waits for no quarter of the rest
    # An answer makes thousands of small things and drops them itself. Looked through every 700 things, what is alive in
    # the middle of an answer passes for old, and the old is looked through (0.1 s) every thousand messages for nothing.
    # Looked through every 5,000, the middle-aged are so many that one look is a pause that somebody waits for (20 ms,
    # at 20,000 even 70 ms); every 1,500 it is 3.4 ms at most, and no more time in all.
    gc.set_threshold(*_YOUNG)
    # Tables that the first thousands of messages fill (prices in another currency, jobs) stay as well: a hundred
    # thousand things, of which one look took 70 to 200 ms and found nothing. Set apart as they come, none is looked at
    # twice. After so many times no more is, so that what is in hand at such a moment and circular cannot add up.
    gc.callbacks[:] = [one for one in gc.callbacks if not isinstance(one, _SettingApart)]
    gc.callbacks.append(_SettingApart())


class _SettingApart:
    """Told by the collector of its looks; sets apart what the first ones at all leave."""

    def __init__(self) -> None:
        self._left = _SET_APART

    def __call__(self, phase: str, told: dict[str, int]) -> None:
        if phase == "stop" and told["generation"] == _OLDEST and self._left:
            self._left -= 1
            gc.freeze()


def _looking_at_passages(library: Library) -> Iterator[Step]:
    """Make what answers show of each passage in each language."""
    from bot.answers.documents.passages import step_of, view_of

    def looks() -> Iterator[object]:
        for passage in library.passages.values():
            for language in get_args(Language):
                view_of(passage, language, library)
                yield step_of(passage, language, library)

    return _in_portions(looks())


def _well_known(gpu: Gpu) -> tuple[bool, bool, int]:
    """Cards whose names are read as nothing else come last."""
    return gpu.vendor == "NVIDIA", gpu.form_factor != "laptop", -len(gpu.name)


def _rehearsal(assistant: Assistant) -> Iterator[Step]:
    """Answer two examples of each intent and language, and what fits into each size of memory, as first questions."""
    examples = [line for one in assistant.intents.values() for line in (*one.examples.zh[:2], *one.examples.en[:2])]
    gpus = sorted(assistant.services.catalog.gpus.values(), key=_well_known)
    sizes = {usable_gib(gpu, gpu.vram_gib): gpu.name for gpu in gpus if gpu.vram_gib}
    held = [(f"what can a {name} run?", language) for name in sizes.values() for language in get_args(Language)]
    asked: Iterable[tuple[str, str]] = (*((text, "") for text in examples), *held, ("RTX 9999?", ""))
    return (partial(_answer, assistant, text, language) for text, language in asked)


def _answer(assistant: Assistant, text: str, language: str) -> None:
    now = datetime.now(UTC)
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
    # a question that cannot be answered must not keep the bot from working: whoever asks it is told
    with suppress(Exception):
        assistant.respond(message, None, now)
