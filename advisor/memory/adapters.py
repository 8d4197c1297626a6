"""How many parameters a low-rank adapter trains."""

from __future__ import annotations

from advisor.memory.shapes import TEXT, shape_of
from advisor.models import MlModel

_IMAGE_SHARE = 0.02
"""Trained share of a diffusion model per 64 ranks (77.6 of 3876 million in the published FLUX.2 runs)."""


def lora_parameters(model: MlModel, rank: int, every_matrix: bool) -> float:
    """Trained parameters of LoRA on the query and value matrices, or on every matrix of each layer."""
    if model.modality not in TEXT:
        return model.parameters * _IMAGE_SHARE * rank / 64.0
    shape = shape_of(model)
    hidden, query, key = shape.hidden, shape.q_ratio * shape.hidden, shape.kv_ratio * shape.hidden
    widths = (hidden + query) + (hidden + key)
    if every_matrix:
        feed_forward = hidden * (1.0 + shape.ffn_ratio) * (3 if shape.gated else 2)
        widths += (hidden + key) + (query + hidden) + feed_forward
    return float(rank) * widths * shape.layers


def expert_adapters(model: MlModel, rank: int) -> float:
    """Trained parameters of LoRA on the three matrices of every expert; 0 where a record does not count experts."""
    if not (model.experts and model.layers and model.hidden):
        return 0.0
    width = model.expert_intermediate or model.hidden // 2
    return 3.0 * rank * model.layers * model.experts * (model.hidden + width)
