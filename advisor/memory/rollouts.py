"""Reinforcement learning of language models: what lies on a card beside the policy that is trained.

A step writes answers, scores them and learns from them. While it learns, a frozen copy of the first policy (the
reference, for the distance to it) stands beside weights, gradients and moments; adapters need none, the base without
them is it. While it writes, an engine (vLLM, SGLang) holds the weights a second time in 16 bits, with a cache for the
answers of a group, and the policy waits with its moments: verl leaves both on the card unless told to move them
(`param_offload`, `optimizer_offload`). The need is that of the larger phase.

PPO has two models more, of the policy's size where nobody says otherwise: a value model, trained in turn with the
policy as the policy is, and a frozen one that scores answers. While one of the two that are trained learns, weights
and moments of the other wait on the card.
"""

from __future__ import annotations

from typing import Final

from advisor.memory import activations
from advisor.memory.job import Job, Trains
from advisor.memory.shapes import Shape
from advisor.memory.state import State

ANSWERS: Final = 8
"""Answers to one prompt that are written at a time: the usual group (TRL's num_generations; verl's recipes have 5)."""
_MACHINE: Final = 8
"""Cards of one machine, over which an engine cuts its weights at most."""
_WIDE: Final = 2.0
_GIB: Final = float(2**30)

Items = list[tuple[str, float]]


def reference_bytes(job: Job, shape: Shape) -> float:
    """The frozen copy in 16 bits, cut over cards as the policy is; none where only adapters are trained."""
    if job.trains is not Trains.ALL:
        return 0.0
    return _WIDE * shape.parameters / (job.split * (job.shards if job.sharded else 1))


def standing(job: Job, state: State, shape: Shape) -> Items:
    """What stands beside the policy in every phase, in bytes: the reference; of PPO the scorer and the value model."""
    items = [("reference", reference_bytes(job, shape))]
    if job.critic:
        scorer = _WIDE * shape.parameters / (job.split * (job.shards if job.sharded else 1))
        items += [("reward_model", scorer), ("value_model", state.weights + state.optimizer)]
    return items


def writing_phase(job: Job, state: State, shape: Shape) -> Items:
    """What lies on a card while answers are written, in bytes."""
    items = [("weights", state.weights), ("optimizer", state.optimizer), *standing(job, state, shape)]
    share = float(min(job.n_gpus, _MACHINE))
    cache = activations.kv_cache(job._replace(batch=job.batch * ANSWERS), shape) / share
    if job.engine_gib:
        return [*items, ("engine", job.engine_gib * _GIB)]
    if not job.stack.writes_itself:
        items.append(("engine", _WIDE * shape.parameters / share))
    return [*items, ("kv_cache", cache)]
