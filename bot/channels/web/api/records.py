"""Cards, models and passages as they are listed."""

from __future__ import annotations

from datetime import date

from advisor.models import Gpu, MlModel
from bot.channels.web.api.outputs import Answer, Made


class GpuOut(Made):
    """A card on record."""

    id: str
    """Stable name"""
    name: str
    """As it is called"""
    vendor: str
    """Maker"""
    architecture: str
    """Architecture"""
    vram_gib: float | None
    """Memory; null for unified memory of several sizes"""
    bandwidth_gb_per_s: float | None
    """Memory bandwidth"""
    fp16_tflops: float | None
    """Tensor cores, FP16 with FP32 accumulation, dense"""
    board_power_w: float | None
    """Board power"""
    released: date | None
    """First day on sale"""

    @classmethod
    def of(cls, gpu: Gpu) -> GpuOut:
        """A card of the catalogue."""
        return cls(
            id=gpu.id,
            name=gpu.name,
            vendor=gpu.vendor,
            architecture=gpu.architecture,
            vram_gib=gpu.vram_gib,
            bandwidth_gb_per_s=gpu.memory_bandwidth_gb_per_s,
            fp16_tflops=gpu.fp16_tensor_fp32acc_tflops,
            board_power_w=gpu.board_power_w,
            released=gpu.release_date,
        )


class GpusOut(Answer):
    """Cards on record."""

    total: int
    """How many there are"""
    gpus: list[GpuOut]
    """Those of this part of the list"""


class ModelOut(Made):
    """A model on record."""

    id: str
    """Stable name"""
    name: str
    """As it is called"""
    modality: str
    """text-decoder | text-encoder | text-enc-dec | vision | image-gen | speech | multimodal"""
    parameters: float
    """Weights"""
    active_parameters: float | None
    """Weights at work for one token, in a mixture of experts"""
    max_context: int | None
    """Longest context in tokens"""

    @classmethod
    def of(cls, model: MlModel) -> ModelOut:
        """A model of the catalogue."""
        return cls(
            id=model.id,
            name=model.name,
            modality=model.modality,
            parameters=model.parameters,
            active_parameters=model.active_parameters,
            max_context=model.max_seq,
        )


class ModelsOut(Answer):
    """Models on record."""

    total: int
    """How many there are"""
    models: list[ModelOut]
    """Those of this part of the list"""


class PassageOut(Made):
    """What documents say, in our words."""

    id: str
    """Stable name"""
    title: str
    """Title"""
    text: str
    """The whole, as Markdown"""
    as_of: str
    """Day, month or year it held"""
    score: float
    """How well it answers, from 0 to about 1"""


class PassagesOut(Answer):
    """Passages that answer a question."""

    passages: list[PassageOut]
    """The best first"""
