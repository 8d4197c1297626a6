"""Training a language model from the first token on: hours for an amount of tokens, and the share of the peak used."""

from __future__ import annotations

from math import isfinite
from typing import Final

from advisor.errors import OutOfRange, UnsupportedCombination
from advisor.models import Gpu, Method, Workload, note_of, step_of
from advisor.speed.bands import banded, spread_of
from advisor.speed.clusters import divided, divided_over
from advisor.speed.estimate import trace_of
from advisor.speed.network import usual_network
from advisor.speed.rate import Rate, rate_of
from advisor.speed.results import PretrainEstimate

_OPTIMAL: Final = 20.0
"""Tokens a parameter at which a given amount of computing gives the best model (arXiv 2203.15556, table 3)."""
_USUAL_LENGTH: Final = 2048
_AT_ONCE: Final = (8192, 7e9, 65_536)
"""Tokens of a card's forward pass where no batch is named: so many for a model of that size, more the smaller it is, as
less is kept of each; at most the last figure (64 x 1,024 for GPT-2 in llm.c, 8 x 2,048 for TinyLlama)."""
_MOST_TOKENS: Final = 1e15
_NOT_PRACTICAL_H: Final = 24 * 90


def _amount(tokens: float | None, parameters: float) -> float:
    """Tokens of the run, the compute-optimal number when None. Raises OutOfRange."""
    amount = tokens if tokens is not None else _OPTIMAL * parameters
    if not isfinite(amount) or not 0 < amount <= _MOST_TOKENS:
        raise OutOfRange("tokens must be above zero and finite", name="tokens", value=amount)
    return amount


def tokens_at_peak(job: Workload, gpu: Gpu, n_gpus: int) -> float:
    """Tokens a second at the dense 16-bit peak: 6 operations a parameter and token, and attention; 0 without a peak."""
    model, length = job.ml_model, job.seq_len or _USUAL_LENGTH
    attention = 6.0 * (model.layers or 0) * length * (model.hidden or 0)
    per_token = 6.0 * (model.active_parameters or model.parameters) + attention
    peak = (gpu.fp16_tensor_fp32acc_tflops or gpu.bf16_tflops or gpu.fp32_tflops or 0.0) * 1e12 * n_gpus
    return peak / per_token


def _mfu(rate: Rate, job: Workload, gpu: Gpu, n_gpus: int) -> float:
    """Share of the dense 16-bit peak that is used; 0 without a peak."""
    peak = tokens_at_peak(job, gpu, n_gpus)
    return rate.per_second / peak if peak else 0.0


def _sequences(parameters: float, length: int) -> int:
    """Samples of a card's forward pass where no batch is named."""
    tokens, size, most = _AT_ONCE
    return max(1, int(min(most, tokens * max(1.0, size / parameters) ** 0.5)) // length)


def pretraining_time(
    workload: Workload,
    gpu: Gpu,
    n_gpus: int = 1,
    *,
    tokens: float | None = None,
    tensor: int | None = None,
    stages: int = 1,
    nodes: int | None = None,
    network: str = "",
    stack: str = "compiled",
) -> PretrainEstimate:
    """Hours of training a language model from scratch on so many tokens.

    Args:
        workload: the model; `seq_len` (2,048 when None), `batch` per card and `checkpointing` as wished.
        gpu: the card.
        n_gpus: all cards together.
        tokens: of training; the compute-optimal 20 a parameter when None.
        tensor: cards that share each layer; those of a machine for large models over several when None.
        stages: groups of layers that follow each other.
        nodes: machines; as many as such cards usually fill when None.
        network: what joins them, a key of network.NETWORKS_GBIT; what usually joins such machines when empty.
        stack: behaviour of the software, a key of calibration.STACKS.

    Returns:
        Hours with a 90 % band, tokens a second, the MFU that this is (6 operations a parameter and token and attention,
        over the dense 16-bit peak), and tokens a parameter. Small models are taken as sharded among the
        cards (FSDP), large ones as divided by layers and stages (`clusters.divided_over`); whether they fit is not
        asked here.

    Raises:
        UnsupportedCombination: no language model, no layer sizes, no compute figure of the card.
        OutOfRange: amounts or counts that no run has.
    """
    model = workload.ml_model
    amount = _amount(tokens, model.parameters)
    length = workload.seq_len or _USUAL_LENGTH
    changes = {
        "method": Method.PRETRAIN,
        "n_gpus": n_gpus,
        "batch": workload.batch or _sequences(model.parameters, length),
    }
    job = divided_over(workload.model_copy(update=changes), n_gpus)
    if tensor is not None:
        job = job.model_copy(update={"tensor_parallel": tensor})
    rate = rate_of(job, gpu, n_gpus, stack=stack, nodes=nodes, network=network or usual_network(gpu))
    if rate.unit != "tok":
        raise UnsupportedCombination("only language models are trained on tokens", model=model.name)
    rate = divided(rate, stages=stages)
    hours = amount / rate.per_second / 3600.0
    trace = step_of(
        name="hours",
        value=hours,
        unit="h",
        how="tokens / tokens a second of all cards",
        inputs=(
            step_of(name="training_amount", value=amount, unit="tok", how="given" if tokens else "20 x parameters"),
            trace_of(rate),
        ),
        sources=("speed-litgpt",),
    )
    notes = [] if tokens is not None else [note_of("speed_tokens_assumed", {"tokens": amount})]
    if hours > _NOT_PRACTICAL_H:
        notes.append(note_of("speed_not_practical", {"days": hours / 24}))
    return PretrainEstimate(
        gpu=gpu.name,
        n_gpus=n_gpus,
        model=model.name,
        tokens=amount,
        hours=banded(hours, spread_of("decoder", outside=rate.card.outside), "h", "calibrated throughput", trace),
        gpu_hours=hours * n_gpus,
        tokens_per_s=rate.per_second,
        mfu=_mfu(rate, job, gpu, n_gpus),
        per_parameter=amount / model.parameters,
        notes=tuple(notes),
    )
