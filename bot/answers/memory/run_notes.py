"""How a job is run where it does not simply fit, and how fast: weights or experts in RAM, block swap."""

from __future__ import annotations

from typing import Final

from advisor.errors import AdvisorError
from advisor.jobs.verdict import Verdict
from advisor.jobs.ways import Way
from advisor.memory.results import Verdict as Word
from advisor.models import Method, Note, note_of
from advisor.speed.denoise import pictures_per_minute
from advisor.speed.hosts import Host, host_of, is_server
from advisor.speed.offload import offloaded_generation
from advisor.speed.results import OffloadEstimate, PictureEstimate
from bot.core.request import Request

_SWAPPED_FROM_GIB: Final = 5.5
"""Usable memory from which clips are drawn with blocks of the model in RAM (sources of data/usual.yaml)."""
_TEXT: Final = frozenset({"text-decoder", "multimodal"})


def host_said(request: Request, verdict: Verdict) -> Host | None:
    """The machine around the card as far as it was said; None where nothing was."""
    processor, memory = request.heard.machine
    if not processor and not memory:
        return None
    lacks = -verdict.n * min(0.0, verdict.margin or 0.0)
    return host_of(processor, memory, server=is_server(verdict.nominal, lacks))


def how_run(verdict: Verdict, way: Way, host: Host | None = None) -> tuple[Note, ...]:
    """What to say of running a way on a card: the pace of pictures, what RAM makes possible.

    `host` is the machine as far as it was said, a usual one when None.
    """
    work, gpu = way.workload, verdict.gpu
    if work.method is not Method.INFERENCE:
        return ()
    if work.ml_model.modality == "image-gen":
        return _drawing(verdict, way)
    if gpu is not None and work.ml_model.modality in _TEXT and verdict.word is Word.NO:
        made = in_ram(verdict, way, host)
        return (ram_note(made),) if made is not None else ()
    return ()


def in_ram(verdict: Verdict, way: Way, host: Host | None = None) -> OffloadEstimate | None:
    """A language model with what does not fit in the machine's RAM; None where nothing can be worked out."""
    if verdict.gpu is None or verdict.gpu.unified_memory:
        return None
    try:
        return offloaded_generation(way.workload, verdict.gpu, verdict.n, host=host, vram_gib=verdict.nominal)
    except AdvisorError:
        return None


def ram_note(made: OffloadEstimate) -> Note:
    """What RAM makes possible, in numbers."""
    decode = made.decode
    values = {"ram": made.in_ram_gb, "speed": decode.value, "low": decode.low, "high": decode.high}
    host = {"kind": made.host_memory, "channels": made.host_channels, "stated": made.host_stated}
    return note_of("plan_in_ram", {**values, **host, "rate": made.host_gb_per_s, "experts": made.experts_only})


def drawn(verdict: Verdict, way: Way, steps: int | None = None) -> PictureEstimate | None:
    """The pace of pictures or clips on a card, in the usual number of steps when None; None where none can be told."""
    if verdict.gpu is None:
        return None
    try:
        return pictures_per_minute(way.workload, verdict.gpu, steps=steps, frames=way.workload.frames)
    except AdvisorError:
        return None


def _drawing(verdict: Verdict, way: Way) -> tuple[Note, ...]:
    made = drawn(verdict, way)
    notes = []
    swapped = verdict.word is not Word.FITS and (verdict.usable or 0.0) >= _SWAPPED_FROM_GIB
    if swapped:
        notes.append(note_of("plan_block_swap", {"weights_gb": way.workload.ml_model.parameters / 1e9}))
    if made is not None and (swapped or verdict.word is not Word.NO):
        notes.append(picture_note(made))
    return tuple(notes)


def picture_note(made: PictureEstimate) -> Note:
    """Seconds of one picture or clip with what they rest on."""
    scale = made.seconds * made.per_minute.value
    values = {"seconds": made.seconds, "low": scale / made.per_minute.high, "high": scale / made.per_minute.low}
    values |= {f"{name}_min": values[name] / 60 for name in ("seconds", "low", "high")}
    values |= {f"{name}_h": values[name] / 3600 for name in ("seconds", "low", "high")}
    values |= {"width": made.size[0], "height": made.size[1], "steps": made.steps, "frames": made.frames}
    return note_of("plan_clip" if made.video else "plan_picture", values)
