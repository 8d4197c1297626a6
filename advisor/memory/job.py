"""One job spelled out: every choice made, nothing left to assume. The formulas read this and nothing else."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from advisor.memory.formats import WeightFormat
from advisor.memory.stacks import Stack
from advisor.models import Loss, MlModel, Offload, Optimizer, Parallel, Recompute


class Kind(StrEnum):
    """What happens to the model."""

    TRAIN = "train"
    INFER = "infer"
    LOAD = "load"


class Trains(StrEnum):
    """Which parameters receive gradients."""

    NOTHING = "nothing"
    ALL = "all"
    ADAPTER = "adapter"
    PROMPT = "prompt"


class Adapter(StrEnum):
    """Where trained parameters sit when most are frozen: what they touch decides what must be kept."""

    NONE = "none"
    QUERY_VALUE = "query_value"
    EVERY_MATRIX = "every_matrix"
    PREFIX = "prefix"
    """Learned keys and values or prompt tokens: no layer input is kept for them."""
    SCALES = "scales"
    """A factor on the output of each matrix (adapter v2, IA3): the outputs are kept."""


class Metric(StrEnum):
    """What is counted: tensors alive, blocks held by the allocator, or all that nvidia-smi shows."""

    ALLOCATED = "allocated"
    RESERVED = "reserved"
    DEVICE = "device"


class Job(NamedTuple):
    """Everything memory depends on. `batch` is per GPU and step, `seq_len` counts tokens held at once."""

    model: MlModel
    kind: Kind
    trains: Trains
    weights: WeightFormat
    stack: Stack
    half: bool
    """Arithmetic in 16 bits."""
    master: bool = False
    """fp32 weights are kept beside 16-bit arithmetic."""
    true_half: bool = False
    """Gradients and optimizer state are 16 bits wide, too."""
    optimizer: Optimizer = Optimizer.NONE
    batch: int = 1
    seq_len: int = 1
    width: int = 0
    height: int = 0
    frames: int = 0
    """Frames of a clip; 0 for the usual length."""
    tiled: bool = False
    """The VAE goes through a picture in tiles."""
    recompute: Recompute = Recompute.NONE
    loss: Loss = Loss.EAGER
    flash: bool = True
    compiled: bool = False
    accumulates: bool = False
    adapter_params: float = 0.0
    adapter_bytes: float = 16.0
    extra_params: float = 0.0
    """Parameters trained in full beside an adapter (embeddings, output layer)."""
    adapter: Adapter = Adapter.NONE
    fused_backward: bool = False
    """The optimizer steps inside the backward pass, so gradients never exist together."""
    language_loss: bool = True
    """Every position predicts a token, so logits over the vocabulary are kept."""
    kv_bytes: float = 2.0
    chunk: int = 0
    """Tokens of a prompt that are worked on at a time where a run says so; 0 for the habit of its program."""
    segment: int = 1
    """Blocks of a drawing model that are recomputed together."""
    n_gpus: int = 1
    parallel: Parallel = Parallel.NONE
    tensor: int = 1
    """Cards that share each matrix; `pipeline` stages, `context` slices of a sequence."""
    pipeline: int = 1
    context: int = 1
    expert: int = 1
    """Cards that share the experts of each layer."""
    offloads: frozenset[Offload] = frozenset()
    offload_share: float = 1.0
    """Share of weights or experts that stay in RAM where they are offloaded."""
    encodes: bool = False
    """A VAE encodes the samples while the model is trained."""
    rollouts: bool = False
    """The model also generates what it learns from (reinforcement learning)."""
    critic: bool = False
    """A value model is trained beside it, and a frozen one scores (PPO)."""
    engine_gib: float = 0.0
    """What the engine that generates sets aside on a card; 0 for the weights and a cache as it needs."""
    trained_share: float = 1.0
    """Share of the parameters that are trained at a time (block-wise methods)."""
    auxiliary: float = 0.0
    """Frozen parameters that must be resident beside the model: text encoders, VAE."""

    @property
    def split(self) -> int:
        """Parts that the model itself is cut into."""
        return self.tensor * self.pipeline

    @property
    def shards(self) -> int:
        """Cards over which replicas share what they need not hold twice."""
        return max(self.n_gpus // self.split, 1)

    @property
    def sharded(self) -> bool:
        """Whether weights are cut over cards and gathered when they are needed."""
        return self.parallel in (Parallel.FSDP, Parallel.ZERO3) and self.shards > 1
