"""Schema of `bot/intents/*.yaml`: what can be asked, how people say it, and which slots an answer needs."""

from __future__ import annotations

from functools import cached_property, lru_cache
from pathlib import Path

from pydantic import ValidationError

from advisor.errors import BadData, Problem
from advisor.files import line_of, load_yaml_files
from advisor.models import Frozen
from bot.resources import intents_directory

SLOTS = (
    "gpu",
    "gpu_family",
    "model",
    "task",
    "method",
    "precision",
    "batch",
    "seq_len",
    "resolution",
    "dataset",
    "budget",
    "price",
    "duration",
    "gpu_count",
    "vram_gb",
    "ram_gb",
    "cpu",
    "disk",
    "psu_w",
    "provider",
    "utilization",
    "electricity_price",
    "region",
    "cuda_version",
    "framework",
    "os",
    "persona",
    "deploy",
    "users",
)
"""All slots, in the order of the taxonomy."""


class Words(Frozen):
    """Lines of both languages."""

    zh: tuple[str, ...] = ()
    en: tuple[str, ...] = ()


class Line(Frozen):
    """One line in both languages."""

    zh: str
    en: str


class NearMiss(Frozen):
    """A sentence that sounds like this intent and belongs to another."""

    text: str
    belongs_to: str


class NearMisses(Frozen):
    """Near misses of both languages."""

    zh: tuple[NearMiss, ...] = ()
    en: tuple[NearMiss, ...] = ()


class Intent(Frozen):
    """One need people have. The order of files never matters; `priority` breaks ties (smaller wins)."""

    id: str
    group: str
    priority: int
    needs: tuple[str, ...] = ()
    """Slots asked for when missing, in this order; "gpu|vram_gb" is met by either."""
    may_have: tuple[str, ...] = ()
    carries_over: tuple[str, ...] = ()
    """Slots that a follow-up keeps from the turn before."""
    gathers: tuple[str, ...] = ()
    """Slots of which one more value stands beside those spoken of before."""
    goes_from: str = ""
    """Slot of the conversation from which this need goes to what is named: with it a lone name asks for no more than
    its other side."""
    goes_on: Words = Words()
    """Words with which a short message goes on with this intent, such as an answer to what was asked beside it."""
    phrases: Words = Words()
    not_this: NearMisses = NearMisses()
    help: Line
    examples: Words = Words()

    @cached_property
    def used_slots(self) -> tuple[str, ...]:
        """Every slot this intent can use, in the order of the taxonomy."""
        named = {name for need in self.needs for name in need.split("|")} | set(self.may_have)
        return tuple(slot for slot in SLOTS if slot in named)


def read_intents(directory: Path, problems: list[Problem]) -> dict[str, Intent]:
    """Intents by id, in order of priority; faults go to `problems` with file and line."""
    found: list[Intent] = []
    for path, content in load_yaml_files(directory.glob("*.yaml"), problems, salt="intents").items():
        try:
            intent = Intent.model_validate(content)
        except ValidationError as error:
            text = Path(path).read_text(encoding="utf-8")
            for fault in error.errors():
                where = ".".join(map(str, fault["loc"]))
                line = line_of(text, str(fault["loc"][0])) if fault["loc"] else 1
                problems.append(Problem(path, line, f"{where}: {fault['msg']}"))
            continue
        if intent.id != Path(path).stem:
            problems.append(Problem(path, 1, f"id is {intent.id!r} but the file is called {Path(path).name}"))
        found.append(intent)
    return {intent.id: intent for intent in sorted(found, key=lambda one: (one.priority, one.id))}


@lru_cache(maxsize=1)
def load_intents() -> dict[str, Intent]:
    """The intents of the project by id, in order of priority. Raises BadData with every fault."""
    problems: list[Problem] = []
    intents = read_intents(intents_directory(), problems)
    if problems:
        raise BadData(problems)
    return intents
