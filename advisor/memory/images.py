"""Vision and diffusion models: activations counted from published per-image figures or from arithmetic.

For classifiers the number of values that convolutions and linear layers put out per image is published
(`data/memory_shapes.yaml`); training keeps each a little more than twice (batch norm input and activation output).
Where no count is published, values grow with the operations to the power of about one half, because widening a
network multiplies operations by the square and activations by the width.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from advisor.errors import BadData, Problem
from advisor.files import load_yaml_files
from advisor.kept import kept
from advisor.memory.calibration import Calibration
from advisor.memory.job import Job
from advisor.models import MlModel

_DRAWING_SHARE = 0.35
"""Working set of a denoising step in units of what decoding takes, reasoned: the VAE works at eight times the edge."""
_DECODED_AT_ONCE = 4
"""Frames that a video VAE decodes at a time: it goes through a clip in pieces of one latent frame."""
_FILE = Path(__file__).parents[1] / "data" / "memory_shapes.yaml"


@dataclass(frozen=True, slots=True)
class ImageShape:
    """What is known of one image model: values put out per image at a reference edge, frozen companions."""

    values_m: float | None
    """Million values put out by its layers for one image at `at`."""
    at: int
    auxiliary: float = 0.0
    """Parameters of text encoders and VAE that run beside it."""
    tokens_hidden: int = 0
    """Width of a diffusion transformer; 0 for a U-Net."""
    tokens_layers: int = 0
    wide: int = 0
    """The longer edge where frames are not square; 0 for squares."""
    frames: int = 1
    """Frames of a clip after compression in time; 1 for pictures."""
    cell: int = 16
    """Pixels along the edge of one token of a diffusion transformer."""
    active: float = 1.0
    """Share of the parameters on the card at a time where experts take turns."""
    floor_gib: float = 0.0
    """What the makers measured for 16 bits with idle parts in RAM: no estimate of that goes below it."""
    kept: float = 1.0
    """How much more than a plain CNN the training recipe keeps."""
    half_share: float | None = None
    """Share that 16-bit arithmetic leaves where it differs: two-stage detectors do proposals and masks in fp32."""


@lru_cache(maxsize=1)
def load_image_shapes() -> dict[str, ImageShape]:
    """Published figures by model id or family, read on first use."""
    problems: list[Problem] = []
    content = load_yaml_files([_FILE], problems)
    if problems:
        raise BadData(problems)
    return {key: ImageShape(**entry) for key, entry in content[str(_FILE)]["shapes"].items()}


@kept(most=512)
def find_image_shape(model: MlModel) -> ImageShape | None:
    """Figures of this model, else of its family, else None."""
    shapes = load_image_shapes()
    for key in (model.id, model.name.lower(), model.family.lower()):
        if key in shapes:
            return shapes[key]
    return None


def is_video(model: MlModel) -> bool:
    """Whether a diffusion model draws clips: then activations are always recomputed in training."""
    known = find_image_shape(model) if model.modality == "image-gen" else None
    return known is not None and known.frames > 1


def reference_edge(model: MlModel) -> int:
    """Input edge in pixels at which the catalogue counts operations, 224 when it does not say."""
    digits = "".join(letter for letter in (model.gflops_at or "") if letter.isdigit())
    return int(digits) if digits and 16 <= int(digits) <= 4096 else 224


def usual_resolution(model: MlModel) -> tuple[int, int]:
    """Width and height of the input where nobody says which."""
    known = find_image_shape(model)
    edge = known.at if known else reference_edge(model)
    return (known.wide if known and known.wide else edge), edge


def values_per_image(model: MlModel, width: int, height: int, cal: Calibration) -> float:
    """Values put out by all layers for one image of this size."""
    known = find_image_shape(model)
    edge = reference_edge(model)
    if known and known.values_m:
        values, edge = known.values_m * 1e6 * known.kept, known.at
    else:
        operations = model.gflops_per_sample or 20.0 * model.parameters / 1e7
        at_640 = operations * (640.0 / edge) ** 2
        values = cal.detection_values_m * 1e6 * (at_640 / 16.5) ** cal.detection_exponent
        edge = 640
    return values * (width * height) / float(edge * edge)


def vision_training(job: Job, cal: Calibration) -> float:
    """Bytes kept for the backward pass by a CNN, a vision transformer or a detector."""
    values = values_per_image(job.model, job.width, job.height, cal)
    known = find_image_shape(job.model)
    half_share = known.half_share if known and known.half_share else cal.vision_half_share
    per_image = values * cal.vision_fp32_bytes * (half_share if job.half else 1.0)
    share = 0.35 if job.checkpointing else 1.0
    return job.batch * per_image * share


def vision_inference(job: Job, cal: Calibration) -> float:
    """Bytes of the widest stretch of layers while images pass through."""
    values = values_per_image(job.model, job.width, job.height, cal)
    return job.batch * values * (2.0 if job.half else 4.0) * cal.vision_inference_share


def _diffusion_tokens(job: Job) -> float:
    known = find_image_shape(job.model)
    cell, frames = (known.cell, known.frames) if known else (16, 1)
    return frames * job.width * job.height / float(cell * cell) + 512.0


def diffusion_training(job: Job, cal: Calibration) -> float:
    """Bytes kept by a diffusion U-Net or transformer for one step."""
    known = find_image_shape(job.model)
    if known and known.tokens_hidden:
        element = 2.0 if job.half else 4.0
        tokens = job.batch * _diffusion_tokens(job)
        layer = 34.0 * known.tokens_hidden * element
        kept = known.tokens_hidden * element * known.tokens_layers + layer
        whole = layer * known.tokens_layers
        return tokens * (kept if job.checkpointing else whole) + job.batch * cal.diffusion_decode_gib * 2**29
    pixels = job.width * job.height / float(512 * 512)
    size = math.sqrt(job.model.parameters / 0.86e9)
    share = (cal.diffusion_half_share if job.half else 1.0) * (
        cal.diffusion_checkpoint_share if job.checkpointing else 1.0
    )
    return job.batch * cal.diffusion_fp32_gib * 2**30 * pixels * size * share


def diffusion_decoding(job: Job, cal: Calibration) -> float:
    """Bytes of the VAE decoding: one image, or the few frames of a clip that go through it at a time."""
    known = find_image_shape(job.model)
    at_once = min(known.frames, _DECODED_AT_ONCE) if known else 1
    pixels = at_once * job.width * job.height / float(1024 * 1024)
    return job.batch * cal.diffusion_decode_gib * 2**30 * pixels


def diffusion_drawing(job: Job, cal: Calibration) -> float:
    """Bytes that one denoising step works with, beside the weights."""
    known = find_image_shape(job.model)
    if known and known.frames > 1:
        return job.batch * _diffusion_tokens(job) * known.tokens_hidden * cal.video_token_bytes
    return _DRAWING_SHARE * diffusion_decoding(job, cal)


def diffusion_inference(job: Job, cal: Calibration) -> float:
    """Bytes of the widest moment of a pipeline beside its weights."""
    return max(diffusion_decoding(job, cal), diffusion_drawing(job, cal))
