"""How much a question says is trained on, and what is usual where it does not say."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from advisor.models import Method, Workload
from advisor.speed import Dataset
from advisor.speed.rate import generates
from bot.answers.speed.amounts import amount_of, tokens_of
from bot.answers.speed.usual_steps import usual_steps
from bot.core.answers import Assumption, assumption_of
from bot.core.request import Request

FROM_SCRATCH_TOKENS: Final = 1e11
"""Nobody adapts a model with as many tokens."""
_TOKENS_PER_PARAMETER: Final = 20.0
"""Training tokens for each parameter of a language model trained from scratch (Chinchilla, arXiv 2203.15556)."""


@dataclass(frozen=True, slots=True)
class Said:
    """How much is said to be trained on."""

    dataset: Dataset | None
    tokens: float | None
    samples: float | None
    steps: float | None
    """Of the optimizer."""

    @property
    def from_scratch(self) -> bool:
        """Whether it is more than anybody tunes a model with."""
        return (self.tokens or 0.0) >= FROM_SCRATCH_TOKENS

    @property
    def known(self) -> bool:
        """Whether anything of it was."""
        return self.dataset is not None or bool(self.samples or self.tokens or self.steps)

    def counted(self, work: Workload, n: int) -> Said:
        """The same in samples."""
        tokens = self.tokens
        if tokens and work.seq_len:
            return replace(self, tokens=tokens, samples=tokens / work.seq_len)
        if self.steps and not generates(work):
            return replace(self, samples=self.steps * (work.batch or 1) * n)
        return replace(self, tokens=tokens)


def stated(request: Request, dataset: Dataset | None) -> Said:
    """The data set, tokens, steps or samples that were said to be trained on: the first of them that is.

    Steps come before samples: data are gone through as often as the steps take.
    """
    tokens = tokens_of(request) if dataset is None else None
    steps = request.slot("train_steps") if dataset is None and not tokens else None
    samples = None if tokens or steps else _samples(request, dataset)
    return Said(dataset, tokens, samples, steps)


def _samples(request: Request, dataset: Dataset | None) -> float | None:
    """A stated number of samples; a name with digits is a name."""
    if dataset is not None or not request.slot("dataset"):
        return None
    return amount_of(str(request.slot("dataset")))


def is_from_scratch(work: Workload) -> bool:
    """Whether a language model is trained from nothing."""
    return work.method in (Method.TRAIN, Method.PRETRAIN) and work.ml_model.modality == "text-decoder"


def _usual_tokens(work: Workload) -> tuple[Assumption, ...]:
    """The amount of text that a model from scratch usually sees, where nobody named any."""
    if not is_from_scratch(work):
        return ()
    tokens = _TOKENS_PER_PARAMETER * work.ml_model.parameters
    return (assumption_of(slot="train_tokens", value=f"{tokens / 1e9:.3g}B"),)


def with_usual(request: Request, said: Said, work: Workload) -> tuple[Said, tuple[Assumption, ...]]:
    """The same with what is usual where it was not said, and that as an assumption.

    Text for a model from scratch by its size, steps for a LoRA of pictures.
    """
    steps = None if said.dataset is not None or said.steps else usual_steps(request, work, said.samples)
    if steps:
        return replace(said, samples=None, steps=steps), (assumption_of(slot="train_steps", value=int(steps)),)
    usual = () if said.known else _usual_tokens(work)
    return (replace(said, tokens=_TOKENS_PER_PARAMETER * work.ml_model.parameters) if usual else said), usual
