"""Vision models: activations counted from published per-image figures or from arithmetic.

For classifiers the number of values that convolutions and linear layers put out per image is published
(`data/memory_shapes.yaml`); training keeps each a little more than twice (batch norm input and activation output).
Where no count is published, values grow with the operations to the power of about one half, because widening a
network multiplies operations by the square and activations by the width.
"""

from __future__ import annotations

import re
from typing import Final

from advisor.memory.calibration import Calibration
from advisor.memory.image_shapes import find_image_shape
from advisor.memory.job import Job
from advisor.models import MlModel, Recompute

_DROPOUTS: Final = 3.0
"""Values per token and channel that the three dropouts of a BERT layer keep."""
_PATCH: Final = 16
"""Pixels along the edge of a patch."""

_PATCH_SAID: Final = re.compile(r"[/-](8|14|16|32)\b")


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


def _plain_transformer(model: MlModel) -> bool:
    """Whether layers and width say all: a vision transformer of one width."""
    return bool(model.layers and model.hidden and model.heads)


def _transformer_bytes(job: Job, cal: Calibration) -> float:
    """Bytes kept per image by a vision transformer with fused attention: that of an encoder for text."""
    model = job.model
    found = _PATCH_SAID.search(model.name)
    patch = int(found[1]) if found else _PATCH
    patches = (job.width // patch) * (job.height // patch) + 1.0
    layers, hidden = float(model.layers or 0), float(model.hidden or 0)
    each = patches * hidden * (2.0 if job.half else 4.0)
    units = cal.encoder_units - _DROPOUTS  # vision transformers train without dropout
    if job.recompute is Recompute.FULL:
        return each * (layers + units)
    return each * layers * units


def vision_training(job: Job, cal: Calibration) -> float:
    """Bytes kept for the backward pass by a CNN, a vision transformer or a detector."""
    if _plain_transformer(job.model):
        return job.batch * _transformer_bytes(job, cal)
    values = values_per_image(job.model, job.width, job.height, cal)
    known = find_image_shape(job.model)
    half_share = known.half_share if known and known.half_share else cal.vision_half_share
    per_image = values * cal.vision_fp32_bytes * (half_share if job.half else 1.0)
    share = 0.35 if job.recompute is Recompute.FULL else 1.0
    return job.batch * per_image * share


def vision_inference(job: Job, cal: Calibration) -> float:
    """Bytes of the widest stretch of layers while images pass through."""
    values = values_per_image(job.model, job.width, job.height, cal)
    return job.batch * values * (2.0 if job.half else 4.0) * cal.vision_inference_share
