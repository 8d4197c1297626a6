"""Diffusion models: what training keeps, and the turns of a pipeline: reading the prompt, denoising, decoding.

Transformers are counted by tokens (cells of the latent) x width x blocks, U-Nets scaled by pixels from one published
model. The VAE works at full resolution on a picture, a few frames of a clip, or a tile of either.
"""

from __future__ import annotations

import math
from typing import Final

from advisor.memory.calibration import Calibration
from advisor.memory.image_shapes import ImageShape, find_image_shape
from advisor.memory.job import Job
from advisor.models import Offload, Recompute

_DRAWING_SHARE: Final = 0.35
"""Working set of a denoising step in units of what decoding takes, reasoned: the VAE works at eight times the edge."""
_TILE_SHARE: Final = 0.25
"""Share of a picture that a tile covers: half of each edge, as the tiling of common pipelines cuts."""
_TILED_PIXELS: Final = 256 * 256
"""Smallest tile."""
_WALKED: Final = 13.0
"""Gradients per token and channel while the backward pass goes through a block, counted: those of the two wide values
of its feed-forward part (4 + 4), of queries, keys and values (3), and of what enters and leaves it (2)."""
_GIB: Final = float(2**30)


def _frames(job: Job, known: ImageShape | None) -> int:
    """Frames after compression in time."""
    if known is None or (known.frames == 1 and not job.frames):
        return 1
    return (job.frames - 1) // known.every + 1 if job.frames else known.frames


def diffusion_tokens(job: Job) -> float:
    """Tokens that pass through the blocks for one sample."""
    known = find_image_shape(job.model)
    cell = known.cell if known else 16
    text = known.text_tokens if known else 512
    return _frames(job, known) * job.width * job.height / float(cell * cell) + text


def _transformer_training(job: Job, known: ImageShape, cal: Calibration) -> float:
    """Bytes kept by the blocks of a diffusion transformer."""
    element = 2.0 if job.half else 4.0
    border = known.tokens_hidden * element
    block = (known.units or cal.diffusion_units) * border
    recompute = Recompute.NONE if job.stack.name in known.never_recomputed else job.recompute
    walked = _WALKED * border
    if job.weights.keeps_inputs:  # gradients are cast on the way as well, to two copies of a byte each
        block, walked = block * cal.dynamic_factor, walked * 2.0
    layers = float(known.tokens_layers)
    if recompute is Recompute.NONE:
        kept = block * (layers - 1.0)
    elif recompute is Recompute.SELECTIVE:
        kept = (block + border) * layers / 2.0
    else:  # of blocks that are recomputed together only the first border is kept, but all of them at work
        kept = border * layers / job.segment + block * (job.segment - 1.0)
    if Offload.ACTIVATIONS in job.offloads:  # what was kept comes back while the block before is worked on
        kept = min(kept, border * layers + block)
    return job.batch * diffusion_tokens(job) / job.context * (kept + block + walked)


def diffusion_training(job: Job, cal: Calibration) -> float:
    """Bytes kept by a diffusion U-Net or transformer for one step."""
    known = find_image_shape(job.model)
    encoding = 0.0 if not job.encodes else job.batch * cal.diffusion_decode_gib * _GIB / 1.6
    if known and known.tokens_hidden:
        return _transformer_training(job, known, cal) + encoding
    return job.batch * _unet_training(job, cal) + encoding


def _unet_training(job: Job, cal: Calibration) -> float:
    """Bytes kept per picture by a U-Net; scores of its widest attention grow with the square of the pixels."""
    pixels = job.width * job.height / float(512 * 512)
    size = math.sqrt(job.model.parameters / 0.86e9)
    gib = cal.diffusion_fp32_gib * pixels
    if not job.flash:
        gib += cal.diffusion_scores_gib * pixels * pixels
    share = cal.diffusion_half_share if job.half else 1.0
    if job.weights.keeps_inputs and job.recompute is not Recompute.FULL:
        share *= cal.dynamic_factor
    if job.recompute is Recompute.FULL:
        share *= cal.diffusion_checkpoint_share
    elif job.recompute is Recompute.SELECTIVE:
        share *= (1.0 + cal.diffusion_checkpoint_share) / 2.0
    return gib * _GIB * size * share


def diffusion_decoding(job: Job, cal: Calibration) -> float:
    """Bytes of the VAE decoding: pictures one by one, or the frames of a clip that go through it together."""
    known = find_image_shape(job.model)
    at_once = 1
    if known and known.frames > 1:
        every = _frames(job, known) * known.every
        at_once = min(every, known.decoded or every)
    frame = float(job.width * job.height)
    if job.tiled:
        frame = min(frame, max(_TILE_SHARE * frame, _TILED_PIXELS))
    return job.batch * cal.diffusion_decode_gib * _GIB * at_once * frame / float(1024 * 1024)


def diffusion_drawing(job: Job, cal: Calibration) -> float:
    """Bytes that one denoising step works with, beside the weights."""
    known = find_image_shape(job.model)
    if known and known.frames > 1:
        return (
            job.batch
            * diffusion_tokens(job)
            / job.context
            * known.tokens_hidden
            * (known.step_bytes or cal.video_token_bytes)
            * job.stack.lean_step
        )
    return _DRAWING_SHARE * job.batch * cal.diffusion_decode_gib * _GIB * job.width * job.height / float(1024 * 1024)
