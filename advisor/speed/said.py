"""What a line of a case file says beside model and card: software, host, offload, sizes. Never what was measured.

Of `notes` only settings are looked for; remarks about results stand there too and are not read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from advisor.speed.case_names import is_processor, memory_in
from advisor.speed.engines import as_built, drafts_in, engine_of
from advisor.speed.hosts import Host, host_of

_HOST: Final = re.compile(
    r"host ([^;,]+)|((?:ryzen|core|epyc|xeon|i[3579]-|threadripper|2 x xeon)[^;,]*)", re.IGNORECASE
)
_DEPTH: Final = re.compile(r"(?:@ ?d|at depth |depth )(\d+)", re.IGNORECASE)
_LENGTH_IS_DEPTH: Final = re.compile(r"seq_len = (?:depth before|tokens already)", re.IGNORECASE)
_LAYERS: Final = re.compile(r"-ngl (\d+)(?: of (\d+))?")
_EXPERTS_ON_CARD: Final = re.compile(r"(\d+) experts per layer on the gpu", re.IGNORECASE)
_LAYERS_IN_RAM: Final = re.compile(r"(?:n-cpu-moe|experts of) (\d+)(?: layers)?", re.IGNORECASE)
_IN_OUT: Final = re.compile(r"input (\d+)k? output (\d+)k?", re.IGNORECASE)
_MEAN: Final = re.compile(r"mean (\d+) in, (\d+) out", re.IGNORECASE)
_THREADS: Final = re.compile(r"(\d+) (?:cpu )?threads|(?<!\S)-t (\d+)", re.IGNORECASE)
_TENSOR: Final = re.compile(r"(?<![a-z])TP ?(\d+)", re.IGNORECASE)
_STAGES: Final = re.compile(r"(?<![a-z])PP ?(\d+)", re.IGNORECASE)
_PIECE: Final = re.compile(r"micro-batch (\d+)|(?:-ub|ub) (\d+)", re.IGNORECASE)
_STEPS: Final = re.compile(r"(\d+) (?:denoising )?steps", re.IGNORECASE)
_BEAMS: Final = re.compile(r"beam (\d+)", re.IGNORECASE)
_COMPILED: Final = re.compile(
    r"torch\.?compile|compile[d ]|onediff|stable-fast|tensorrt|oneflow|turbodiffusion", re.IGNORECASE
)
_NOT_COMPILED: Final = re.compile(r"(?:torch\.)?compile (?:of [a-z ]+ )?off|uncompiled|eager", re.IGNORECASE)
_TEST: Final = re.compile(r"(?:test )?pp(\d+)|-p (\d+)|test tg(\d+)", re.IGNORECASE)
_BENCH: Final = re.compile(r"llama-bench|test (?:tg|pp)\d|micro-batch \d|gfx906", re.IGNORECASE)
_EARLY: Final = re.compile(r"(?<!\d)202[23](?!\d)")
_USERS: Final = re.compile(r"\d+")
_ALL: Final = 100_000.0
"""Requests at once where all are queued."""


@dataclass(frozen=True, slots=True)
class Said:
    """Settings of one line beside its job. Fields that the line leaves out are None, empty or False."""

    software: str = ""
    engine: str = ""
    """A key of engines.BY_NAME."""
    early: bool = False
    """The version is of 2022 or 2023."""
    drafts: bool = False
    bench: bool = False
    """Measured by the program's own benchmark, which chooses no tokens."""
    processor: bool = False
    """No card: the processor does everything."""
    host: Host | None = None
    offload: str = ""
    recompute: str = ""
    users: float | None = None
    steps: int | None = None
    frames: int | None = None
    size: tuple[int, int] | None = None
    compiled: bool = False
    tensor: int | None = None
    stages: int = 1
    depth: float | None = None
    """Tokens that stand before the test."""
    length_is_depth: bool = False
    """The line's length counts the tokens that stand before the test."""
    prompt: int | None = None
    """Tokens of the prompt that is tested."""
    in_out: tuple[float, float] | None = None
    piece: int | None = None
    layers_on_card: tuple[int, int | None] | None = None
    experts_on_card: int | None = None
    layers_in_ram: int | None = None
    vram_gib: float | None = None
    beams: int = 1
    batch: int | None = None
    """Of all cards together, as stated."""
    quant: str = ""
    notes: str = ""


def size_of(text: str) -> tuple[int, int] | None:
    """Width and height of "1024x720" or "512"."""
    edges = [int(edge) for edge in re.findall(r"\d+", text)]
    if not edges:
        return None
    return (edges[0], edges[1]) if len(edges) > 1 else (edges[0], edges[0])


def _first(pattern: re.Pattern[str], text: str) -> int | None:
    found = pattern.search(text)
    if found is None:
        return None
    return int(next(part for part in found.groups() if part is not None))


def _pair(pattern: re.Pattern[str], text: str) -> tuple[float, float] | None:
    found = pattern.search(text)
    return (float(found[1]), float(found[2])) if found else None


def _host(row: Mapping[str, str], processor: bool) -> Host | None:
    found = _HOST.search(row["notes"])
    text = row["gpu"] if processor else (found[1] or found[2] if found else "")
    memory = row.get("cpu_ram_type", "")
    if not text and not memory and not processor:
        return None
    at_once = row.get("concurrency", "")
    threads = _first(_THREADS, f"{row['notes']}; {at_once}; {row['gpu']}")
    if threads is None and row["kind"].startswith("asr"):  # each recording has a thread of its own
        threads = _whole(at_once)
    return _by_socket(replace(host_of(text, memory, server=False), threads=threads or 0), row["notes"])


def _by_socket(host: Host, notes: str) -> Host:
    """The part of a machine that worked: all of it, or one of its sockets where a line says so."""
    if host.sockets == 1 or "one socket" not in notes.lower():
        return host
    memory_rate, rate = host.memory_gb_per_s / host.sockets, host.tflops / host.sockets
    return replace(host, sockets=1, memory_gb_per_s=memory_rate, tflops=rate)


def _users(text: str) -> float | None:
    lowered = text.lower()
    if lowered.startswith(("max (", "server")) or lowered == "max":
        return _ALL
    found = _USERS.search(lowered)
    return float(found[0]) if found else None


def _compiled(text: str) -> bool:
    return bool(_COMPILED.search(text)) and not _NOT_COMPILED.search(text)


def _whole(text: str) -> int | None:
    """A column that holds a whole number, or nothing."""
    return int(text) if text.strip().isdigit() else None


def _layers_on_card(notes: str) -> tuple[int, int | None] | None:
    found = _LAYERS.search(notes)
    return (int(found[1]), _whole(found[2] or "")) if found else None


def _tested_prompt(notes: str) -> int | None:
    found = _TEST.search(notes)
    return _whole(found[1] or found[2] or "") if found else None


def _piece(notes: str) -> int | None:
    """Tokens of a prompt that are worked on together: as said, else as llama.cpp's own tables are made."""
    stated = _first(_PIECE, notes)
    in_one = _tested_prompt(notes) == _OF_THE_TABLES and "vulkan" not in notes.lower()
    return _OF_THE_TABLES if stated is None and in_one else stated


_OF_THE_TABLES: Final = 2048
"""llama.cpp's scripts/bench-models.sh, whose tables others repeat, tests prompts of 2048 tokens in one piece (-p 2048
-ub 2048); with Vulkan in the usual ones (run_benchmarks.sh of kyuz0/amd-strix-halo-toolboxes)."""


def _engine(row: Mapping[str, str]) -> str:
    """The engine of the software's column, else of the words of model and version."""
    version = row.get("software_version", "")
    found = engine_of(row.get("software", "")) or engine_of(f"{row['model']} {version}")
    return as_built(found, version).name if found else ""


def said_of(row: Mapping[str, str]) -> Said:
    """The settings of one line."""
    software, notes, task = row.get("software", ""), row.get("notes", ""), row.get("task", "")
    processor = is_processor(row["gpu"]) or host_of(row["gpu"]).stated or row.get("n_gpus") == "0"
    return Said(
        software=software,
        engine=_engine(row),
        bench=bool(_BENCH.search(f"{software}; {notes}; {task}")),
        early=bool(_EARLY.search(row.get("software_version", ""))),
        drafts=drafts_in(f"{notes} {task} {row['model']} {row.get('quantisation', '')}"),
        processor=processor,
        host=_host(row, processor),
        offload=row.get("offload", ""),
        recompute=row.get("recompute", ""),
        users=_users(row.get("concurrency", "")),
        steps=_whole(row.get("steps", "")) or _first(_STEPS, notes),
        frames=_whole(row.get("frames", "")),
        size=size_of(row.get("image_res", "")),
        compiled=_compiled(f"{software} {notes} {task} {row.get('software_version', '')}"),
        tensor=_first(_TENSOR, f"{notes} {task}"),
        stages=_first(_STAGES, notes) or 1,
        depth=_first(_DEPTH, f"{notes} {task}"),
        length_is_depth=bool(_LENGTH_IS_DEPTH.search(notes)),
        prompt=_tested_prompt(notes),
        in_out=_pair(_MEAN, notes) or _pair(_IN_OUT, task),
        piece=_piece(f"{notes} {software}") if "llama" in software.lower() else None,
        layers_on_card=_layers_on_card(notes),
        experts_on_card=_first(_EXPERTS_ON_CARD, task),
        layers_in_ram=_first(_LAYERS_IN_RAM, f"{notes} {task}"),
        vram_gib=memory_in(row["gpu"]),
        beams=_first(_BEAMS, software) or 1,
        batch=_whole(row.get("batch_total", "")),
        quant=row.get("quantisation", ""),
        notes=notes,
    )
