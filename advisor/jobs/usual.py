"""How work is usually done when nobody says (data/usual.yaml): ways, and their ladder for each kind of work."""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache
from typing import Final

from pydantic import Field, field_validator

from advisor.datafiles import read_data
from advisor.memory.images import is_video
from advisor.memory.stacks import find_stack
from advisor.models import Frozen, Method, MlModel, Precision

FILE: Final = "usual.yaml"
USUAL: Final = "usual"
LARGE: Final = 1.5e9
"""Parameters from which fine-tuning recomputes activations and 16-bit weights are not trained in mixed precision."""


class Does(StrEnum):
    """What is done with a model."""

    RUN = "run"
    TUNE = "tune"
    TRAIN = "train"
    SCRATCH = "scratch"
    REINFORCE = "reinforce"


class Rung(Frozen):
    """One way to do a kind of work."""

    code: str = ""
    method: Method
    precision: Precision | str = USUAL
    quant: str | None = None
    tokens: int | None = None
    """Of a sample, where nobody says."""
    cached: bool = False
    """Outputs of text encoders and VAE are worked out before training."""
    swap: float | None = None
    """Share of the blocks that wait in RAM while others work."""
    frames: int | None = None
    """Of a clip that is trained on, where nobody says."""
    recompute: bool = False
    """Training keeps only the borders of layers."""
    shared: bool = False
    """Several cards share weights, gradients and optimizer (FSDP, ZeRO-3)."""
    rollouts: bool = False
    """The model writes what it learns from (GRPO, PPO)."""
    turns: bool = False
    """Parts of a pipeline are on the card one after the other; the rest waits in RAM."""


class Kind(Frozen):
    """A kind of work with the ways people do it."""

    id: str
    does: Does
    of: tuple[str, ...]
    at_least: float = Field(default=0.0, alias="from")
    below: float = float("inf")
    video: bool | None = None
    at_once: int = 1
    """People at once from which on it is this kind."""
    published: str = ""
    """Format in which the weights are published."""
    ladder: tuple[str, ...]
    beside: tuple[str, ...] = ()
    said: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Ways that a method which was named may mean, in the order in which they are tried."""
    sources: tuple[str, ...]

    def matches(self, model: MlModel, does: Does, people: int) -> bool:
        """Whether a job is of this kind."""
        if self.does is not does or model.modality not in self.of or people < self.at_once:
            return False
        if self.video is not None and is_video(model) is not self.video:
            return False
        known = not self.published or model.weights_format == self.published
        return known and self.at_least <= model.parameters < self.below


class Usual(Frozen):
    """Everything in data/usual.yaml."""

    ways: dict[str, Rung]
    kinds: tuple[Kind, ...]
    does: dict[str, Does]
    tuners: tuple[str, ...]
    """Programs that are given a finished language model to tune."""
    runners: tuple[str, ...]
    """Programs that only run finished networks."""
    batch: dict[str, int]
    batch_large_pictures: int
    tokens: dict[str, int]
    tokens_run: dict[str, int]

    @field_validator("ways", mode="before")
    @classmethod
    def _with_codes(cls, ways: object) -> object:
        """Each way knows its code, which it is filed under."""
        if not isinstance(ways, dict):
            return ways
        return {code: {**way, "code": code} if isinstance(way, dict) else way for code, way in ways.items()}

    def rung(self, code: str) -> Rung:
        """A way by its code."""
        return self.ways[code]


@lru_cache(maxsize=1)
def usual() -> Usual:
    """The ways of the day, read on first use. Raises BadData."""
    found: Usual = read_data(FILE, Usual)
    return found


def kind_of(model: MlModel, does: Does, people: int = 1) -> Kind:
    """The kind of work that a job is. Raises LookupError for one that data/usual.yaml does not know."""
    for kind in usual().kinds:
        if kind.matches(model, does, people):
            return kind
    raise LookupError(f"no usual way to {does} a {model.modality} model")


def usual_precision(model: MlModel, program: str | None = None) -> Precision:
    """The arithmetic of training that nobody named: that of the program's recipes, else mixed with fp32 weights."""
    if program and find_stack(program, "unknown").all_in_half:
        return Precision.BF16
    large = model.modality == "text-decoder" and model.parameters >= LARGE
    return Precision.BF16_MIXED if large else Precision.FP16_MIXED


def usual_batch(model: MlModel, method: Method) -> int:
    """Samples a step that nobody named."""
    found = usual()
    if method is Method.INFERENCE or model.modality not in found.batch:
        return 1
    if model.modality == "vision" and (model.gflops_at or "").startswith(("640", "800")):
        return found.batch_large_pictures
    return found.batch[model.modality]


def usual_tokens(model: MlModel, method: Method) -> int | None:
    """Tokens of a sample that nobody named; None for models without."""
    found = usual()
    tokens = found.tokens.get(model.modality)
    if tokens is None:
        return None
    if method is Method.INFERENCE:
        tokens = found.tokens_run.get(model.modality, tokens)
    return min(tokens, model.max_seq) if model.max_seq else tokens
