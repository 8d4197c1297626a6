"""What an answer rests on that only one source has: said where that figure decides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from advisor.models import Gpu, Note, note_of

MEMORY: Final = ("vram_gib",)
GENERATING: Final = ("memory_bandwidth_gb_per_s",)
COMPUTING: Final = ("fp16_tensor_fp32acc_tflops",)
RATES: Final = (*GENERATING, *COMPUTING)
_ALL: Final = "*"
"""In the marks of a card: all of its figures."""
_MODIFIED: Final = "(mod)"
"""Part of the name of a board whose memory was changed after it was sold: its remark says so already."""


def is_lone(gpu: Gpu, attribute: str) -> bool:
    """Whether a figure that a card has stands in one source only, or in none that was read."""
    marks = {*gpu.one_witness, *gpu.unverified}
    return getattr(gpu, attribute) is not None and not marks.isdisjoint({attribute, _ALL})


def witness_notes(gpus: Iterable[Gpu | None], attributes: Sequence[str]) -> tuple[Note, ...]:
    """One remark that names the cards and which of the deciding figures rest on one source; none where all are sure."""
    stock = [gpu for gpu in gpus if gpu is not None and _MODIFIED not in gpu.name]
    lone = [(gpu.name, attribute) for attribute in attributes for gpu in stock if is_lone(gpu, attribute)]
    if not lone:
        return ()
    names, figures = dict.fromkeys(name for name, _ in lone), dict.fromkeys(figure for _, figure in lone)
    return (note_of("figure_lone", {"gpus": list(names), "attributes": list(figures)}),)
