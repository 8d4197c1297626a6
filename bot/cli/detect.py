"""What graphics cards and how much memory this machine has, by what the systems' own tools say.

Each tool is asked once, without a shell, for at most five seconds; one that is missing or strange is passed over.
"""

from __future__ import annotations

import asyncio
import csv
import json
import os
import re
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import Final

_GIB: Final = 1024.0**3
_MIB_A_GIB: Final = 1024.0
_PATIENCE_S: Final = 5.0
_MEMINFO: Final = Path("/proc/meminfo")
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
_APPLE: Final = "Apple"
_TRADE: Final = frozenset(
    {"generation", "workstation", "server", "edition", "gpu", "hbm2", "hbm2e", "hbm3", "hbm3e", "graphics"}
)
"""Words behind a name that tell no two cards apart."""
_NVIDIA: Final = (
    "nvidia-smi",
    "--query-gpu=name,memory.total",
    "--format=csv,noheader,nounits",
)
_ROCM: Final = ("rocm-smi", "--showproductname", "--showmeminfo", "vram", "--json")
_AMD: Final = ("amd-smi", "static", "--json")
_MAC: Final = ("system_profiler", "SPDisplaysDataType", "-json")
_MAC_MEMORY: Final = ("sysctl", "-n", "hw.memsize")

Ask = Callable[[Sequence[str]], str]
"""Runs a command and gives what it printed; empty where it cannot be run."""


@dataclass(frozen=True, slots=True)
class Found:
    """Cards of one kind."""

    name: str
    """As the tool calls it."""
    memory_gib: float | None
    """Of one card; None where it shares the system's, or says nothing."""
    count: int = 1
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Box:
    """This machine."""

    cards: tuple[Found, ...]
    ram_gib: float
    """0 where nothing says."""
    looked: tuple[str, ...]
    """Tools that were asked."""


def ask(command: Sequence[str]) -> str:
    """What a tool prints; empty where it is missing, fails or takes too long."""
    path = which(command[0])
    return asyncio.run(_printed(path, command[1:])) if path else ""


async def _printed(path: str, arguments: Sequence[str]) -> str:
    environment = {**os.environ, "LC_ALL": "C"}
    pipe, nowhere = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    try:
        tool = await asyncio.create_subprocess_exec(
            path, *arguments, stdout=pipe, stderr=nowhere, env=environment, start_new_session=True
        )
    except OSError:
        return ""
    try:
        out, _ = await asyncio.wait_for(tool.communicate(), _PATIENCE_S)
    except TimeoutError:
        # what the tool itself began holds its pipe open: the whole group ends
        with suppress(ProcessLookupError):
            os.killpg(tool.pid, signal.SIGKILL)
        await tool.wait()
        return ""
    return out.decode("utf-8", "replace") if tool.returncode == 0 else ""


def this_machine(run: Ask = ask, meminfo: Path = _MEMINFO) -> Box:
    """Cards and memory of this machine."""
    ram = memory_of(meminfo) or number_of(run(_MAC_MEMORY)) / _GIB
    found: list[Found] = []
    for command, read in ((_NVIDIA, nvidia), (_ROCM, rocm), (_AMD, amd), (_MAC, mac)):
        printed = run(command)
        if printed and not (read is amd and any("AMD" in one.name or "Radeon" in one.name for one in found)):
            found += read(printed)
    return Box(_counted(found), ram, tuple(command[0] for command in (_NVIDIA, _ROCM, _AMD, _MAC)))


def memory_of(meminfo: Path) -> float:
    """GiB of system memory by /proc/meminfo; 0 where there is none."""
    try:
        text = meminfo.read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0.0
    line = next((line for line in text.splitlines() if line.startswith("MemTotal:")), "")
    return number_of(line) / _MIB_A_GIB / 1024


def number_of(text: str) -> float:
    """The first number in a text; 0 where there is none ("[N/A]")."""
    found = _NUMBER.search(text)
    return float(found.group()) if found else 0.0


def nvidia(printed: str) -> list[Found]:
    """Cards by nvidia-smi: name and MiB a line; "[N/A]" where GPU and system share their memory."""
    found = []
    for row in csv.reader(printed.splitlines()):
        if len(row) < 2 or not row[0].strip():
            continue
        size = number_of(row[1]) / _MIB_A_GIB
        found.append(Found(row[0].strip(), size or None, shared=not size))
    return found


def rocm(printed: str) -> list[Found]:
    """Cards by rocm-smi: an object a card."""
    read = _object(printed)
    found = []
    for name, card in read.items():
        if name.startswith("card") and isinstance(card, dict):
            called = next((str(card[key]) for key in ("Card Series", "Card series", "Card Model") if card.get(key)), "")
            size = number_of(str(card.get("VRAM Total Memory (B)", ""))) / _GIB
            found.append(Found(called or "AMD", size or None, shared=not size))
    return found


def amd(printed: str) -> list[Found]:
    """Cards by amd-smi: a list of objects, or one list under a name."""
    read = _object(printed)
    listed = next((value for value in read.values() if isinstance(value, list)), [])
    found = []
    for card in listed:
        asic, vram = _part(card, "asic"), _part(card, "vram")
        size = number_of(str(_part(vram, "size").get("value", ""))) / _MIB_A_GIB
        if asic.get("market_name"):
            found.append(Found(str(asic["market_name"]), size or None, shared=not size))
    return found


def mac(printed: str) -> list[Found]:
    """The chip of a Mac by system_profiler; its memory is the system's."""
    listed = _object(printed).get("SPDisplaysDataType")
    names = [str(_as_object(one).get("sppci_model", "")) for one in listed] if isinstance(listed, list) else []
    return [Found(name, None, shared=name.startswith(_APPLE)) for name in names if name]


def _object(printed: str) -> dict[str, object]:
    try:
        read: object = json.loads(printed)
    except ValueError:
        return {}
    return {"cards": read} if isinstance(read, list) else _as_object(read)


def _as_object(value: object) -> dict[str, object]:
    return {str(key): one for key, one in value.items()} if isinstance(value, dict) else {}


def _part(value: object, name: str) -> dict[str, object]:
    return _as_object(_as_object(value).get(name))


def _counted(cards: Sequence[Found]) -> tuple[Found, ...]:
    """Equal cards as one entry."""
    alike = Counter((one.name, one.memory_gib, one.shared) for one in cards)
    return tuple(Found(name, size, count, shared) for (name, size, shared), count in alike.items())


def spellings(name: str) -> Iterator[str]:
    """A name as a tool says it, then without the words of maker and series before it and of the trade behind it."""
    words = name.replace("/", " ").split()
    ends = [len(words)]
    while ends[-1] > 1 and words[ends[-1] - 1].casefold() in _TRADE:
        ends.append(ends[-1] - 1)
    for start in range(len(words)):
        for end in ends:
            if start < end:
                yield " ".join(words[start:end])
