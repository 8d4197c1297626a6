"""What people want to do: a model, what is done with it, and every switch that memory and speed depend on."""

from __future__ import annotations

from collections.abc import Hashable
from enum import StrEnum
from operator import attrgetter
from typing import Final

from advisor.models.catalogue import MlModel
from advisor.models.frozen import Frozen


class Method(StrEnum):
    """What is done with the model."""

    FULL = "full"
    LORA = "lora"
    QLORA = "qlora"
    PTUNING = "ptuning"
    PRETRAIN = "pretrain"
    TRAIN = "train"
    INFERENCE = "inference"


class Precision(StrEnum):
    """Number format of weights and arithmetic. *_MIXED keeps fp32 master weights; FP16 and BF16 are the "true" ones."""

    FP32 = "fp32"
    TF32 = "tf32"
    FP16_MIXED = "fp16-mixed"
    BF16_MIXED = "bf16-mixed"
    FP16 = "fp16"
    BF16 = "bf16"
    FP8 = "fp8"
    INT8 = "int8"
    INT4 = "int4"


class Optimizer(StrEnum):
    """Decides bytes of state per trained parameter."""

    SGD = "sgd"
    ADAM = "adam"
    ADAM_8BIT = "adam8bit"
    PAGED_ADAM_8BIT = "paged_adam8bit"
    ADAFACTOR = "adafactor"
    ADAM_4BIT = "adam4bit"
    PAGED_ADAM = "paged_adam"
    LION = "lion"
    MUON = "muon"
    PRODIGY = "prodigy"
    NONE = "none"


class Parallel(StrEnum):
    """How several cards share one job."""

    NONE = "none"
    DATA = "ddp"
    ZERO1 = "zero1"
    ZERO2 = "zero2"
    ZERO3 = "zero3"
    FSDP = "fsdp"
    TENSOR = "tp"
    PIPELINE = "pp"


class Recompute(StrEnum):
    """What the forward pass keeps: everything, the results of matrix products, or the borders of layers."""

    NONE = "none"
    SELECTIVE = "selective"
    FULL = "full"


class Loss(StrEnum):
    """How the loss over the vocabulary is taken: logits kept, one kernel over them, head and loss in pieces."""

    EAGER = "eager"
    FUSED = "fused"
    CHUNKED = "chunked"


class Attention(StrEnum):
    """Whether scores are written to memory (eager) or stay inside one kernel."""

    EAGER = "eager"
    SDPA = "sdpa"
    FLASH = "flash"


class Offload(StrEnum):
    """What lies in system memory and comes to the card when it is needed."""

    WEIGHTS = "weights"
    """Layers, one after the other (block swap, streamed layers)."""
    EXPERTS = "experts"
    """Only the experts of a mixture; they may be computed by the CPU."""
    OPTIMIZER = "optimizer"
    ACTIVATIONS = "activations"
    PARTS = "parts"
    """Whole parts of a pipeline by turns: text encoder, then the model, then the VAE."""


class Workload(Frozen):
    """One job: a model, what is done with it, and how. `None` lets the advisor assume (and say so in its notes)."""

    ml_model: MlModel
    method: Method
    precision: Precision | None = None
    quant: str | None = None
    """Weight format when quantised: nf4, gptq-int4, awq, q4_k_m, int8 ..."""
    optimizer: Optimizer | None = None
    batch: int | None = None
    """Samples per GPU and step."""
    seq_len: int | None = None
    resolution: tuple[int, int] | None = None
    """Width, height."""
    checkpointing: bool | None = None
    flash_attention: bool | None = None
    grad_accum: int | None = None
    lora_rank: int | None = None
    lora_targets: str | None = None
    kv_precision: Precision | None = None
    n_gpus: int = 1
    parallel: Parallel | None = None
    recompute: Recompute | None = None
    """Finer than `checkpointing`, which means FULL; wins where both are given."""
    loss: Loss | None = None
    attention: Attention | None = None
    """Finer than `flash_attention`; wins where both are given."""
    compiled: bool = False
    """The model runs through torch.compile, and the loss with it where the program does that."""
    fused_backward: bool = False
    """The optimizer steps inside the backward pass, so gradients never exist together."""
    packing: bool | None = None
    """False: samples are not joined, so that a step holds fewer tokens than `seq_len` would allow."""
    tensor_parallel: int | None = None
    """Cards that share each matrix; the rest of `n_gpus` shares by `parallel`."""
    pipeline_parallel: int | None = None
    context_parallel: int | None = None
    expert_parallel: int | None = None
    frames: int | None = None
    """Frames of a clip; None for the usual length."""
    tiled_decode: bool | None = None
    """The VAE goes through a picture in tiles."""
    offload: bool = False
    """Whatever is usually moved to RAM for this kind of job; `offloads` says what exactly."""
    offloads: tuple[Offload, ...] = ()
    offload_share: float | None = None
    """Share of the weights or experts that stay in RAM (20 of 40 blocks: 0.5); None for all that can."""
    cached_text: bool = False
    """Diffusion training on outputs of text encoder and VAE that were computed beforehand."""
    framework: str | None = None
    framework_version: str | None = None
    users: int | None = None
    """Concurrent requests when serving."""
    rollouts: bool = False
    """Reinforcement learning: the model writes what it learns from, beside a frozen copy of itself."""

    critic: bool = False
    """PPO: beside that a value model that is trained as the policy is, and a frozen model that scores."""

    @property
    def done(self) -> str:
        """What is done with the model, as a code of words: its method, and whether it writes what it learns from."""
        learns = "ppo_" if self.critic else "rl_"
        return f"{learns}{self.method.value}" if self.rollouts else self.method.value


_SETTINGS: Final = attrgetter(*(name for name in Workload.model_fields if name != "ml_model"))


def job_key(workload: Workload) -> Hashable:
    """What two workloads that are the same job share; records of models are told apart by identity."""
    return id(workload.ml_model), _SETTINGS(workload)
