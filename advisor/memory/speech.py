"""Speech recognition: an encoder over 30 seconds of sound, a decoder that writes with a few beams.

Shapes of Whisper follow from its sizes (README of openai/whisper); other recognisers are taken as one of its kind.
"""

from __future__ import annotations

from typing import Final

from advisor.memory.calibration import Calibration
from advisor.memory.job import Job, Kind
from advisor.memory.runtimes import CT2, GGML
from advisor.memory.state import training_state

_FRAMES: Final = 1_500
"""Positions of the encoder for 30 seconds."""
_TOKENS: Final = 448
"""Positions of the decoder."""
_BEAMS: Final = 5
_VOCAB: Final = 51_865
_ENCODER_VALUES: Final = 14.0
"""Values per position and channel alive in one encoder layer: input, norm, q, k, v, context, the wide layer twice."""
_HEAD_DIM: Final = 64
_SIZES: Final = ((50e6, 384, 4), (100e6, 512, 6), (400e6, 768, 12), (1e9, 1024, 24), (float("inf"), 1280, 32))
"""Parameters below which a model has this width and so many layers in each half."""


def _width(parameters: float) -> tuple[int, int]:
    return next((hidden, layers) for most, hidden, layers in _SIZES if parameters < most)


def phases(job: Job, cal: Calibration) -> list[tuple[str, list[tuple[str, float]]]]:
    """Bytes by component while one batch of 30-second pieces is read and written down."""
    weights = training_state(job, job.model.parameters, 0.0, cal).weights
    if job.kind is Kind.LOAD:
        return [("load", [("weights", weights)])]
    hidden, layers = job.model.hidden or 0, job.model.layers or 0
    if not hidden or not layers:
        hidden, layers = _width(job.model.parameters)
    else:
        layers = job.model.decoder_layers or layers // 2
    element = 2.0 if job.half else 4.0
    cross = 2.0 * _FRAMES * hidden * layers * element
    own = 2.0 * _TOKENS * hidden * layers * element * _BEAMS
    heads = max(hidden // _HEAD_DIM, 1)
    scores = 2.0 * heads * _FRAMES * _FRAMES * element  # attention is not fused in these programs
    working = _ENCODER_VALUES * _FRAMES * hidden * element + scores
    at_once = 1 if job.stack.runtime is CT2 else job.batch
    if job.stack.runtime is GGML:  # its buffers lie side by side, one with the scores of every position of the text
        working += 4.0 * _TOKENS * _VOCAB
    return [
        (
            "decode",
            [("weights", weights), ("kv_cache", job.batch * cross + own), ("activations", at_once * working)],
        )
    ]
