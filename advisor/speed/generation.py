"""Tokens per second of a language model, writing and reading."""

from __future__ import annotations

from typing import Final

from advisor.errors import UnsupportedCombination
from advisor.models import Estimate, Gpu, Note, Precision, Workload, note_of
from advisor.speed.bands import banded, spread_of
from advisor.speed.engines import BY_NAME, engine_of
from advisor.speed.estimate import remarks, trace_of, unlike_published
from advisor.speed.prompt import prefill_tokens_per_s
from advisor.speed.rate import Rate, rate_of
from advisor.speed.results import GenerationEstimate

_FOR_MANY: Final = "vllm"
_OF_SERVERS: Final = frozenset({"fp8", "mxfp8", "nvfp4"})
"""Formats of weights that local software does not load (llama.cpp's list of types)."""


def _prefill(rate: Rate, job: Workload, n_gpus: int, engine: str) -> Estimate | None:
    """Prompt tokens a second; None where no compute figure of the card is known."""
    if not rate.card.prompt_peak:
        return None
    value = prefill_tokens_per_s(rate.card, job, n_gpus, engine)
    spread = spread_of("prompt", outside=unlike_published(rate))
    return banded(value, spread, "tok/s", "share of peak", trace_of(rate))


_LARGE_PIECE: Final = 2048
"""Tokens that local software can be told to read together."""
_WORTH: Final = 1.4
"""Times as fast from which on that is said; what it gains in truth differs too much between cards to tell a figure."""


def _read_together(rate: Rate, job: Workload, n_gpus: int, engine: str, prefill: Estimate | None) -> tuple[Note, ...]:
    """What larger pieces of a prompt gain where each of its experts sees few tokens of a usual one."""
    usual = BY_NAME[engine].piece
    if prefill is None or usual >= _LARGE_PIECE or (job.seq_len or 0) < _LARGE_PIECE:
        return ()
    larger = prefill_tokens_per_s(rate.card, job, n_gpus, engine, piece=_LARGE_PIECE)
    if larger < _WORTH * prefill.value:
        return ()
    return (note_of("speed_larger_piece", {"piece": _LARGE_PIECE, "usual": usual}),)


def _engine(workload: Workload, users: int) -> str:
    """What a job is run with: as named, else a server for many or for weights that no GGUF file holds."""
    named = engine_of(workload.framework or "")
    if named:
        return named.name
    served = workload.precision is Precision.FP8 or workload.quant in _OF_SERVERS
    return _FOR_MANY if users > 1 or served else "engine"


def tokens_per_second(
    workload: Workload, gpu: Gpu, n_gpus: int = 1, *, users: int = 1, split: str = "layers", engine: str = ""
) -> GenerationEstimate:
    """How fast a language model generates and reads prompts. Whether it fits is not asked here.

    Args:
        workload: model, weight format (`quant` or `precision`), `seq_len` as context.
        gpu: the card.
        n_gpus: cards that hold the model.
        users: requests decoded together.
        split: `layers` (memory adds up, single-stream speed does not) or `tensor`.
        engine: a key of engines.BY_NAME; what `workload.framework` names when empty, else local software for one
            user (`engine`) and software that joins requests for several, or for a format that only such software loads.

    Raises:
        UnsupportedCombination: no layer sizes or no bandwidth figure.
        OutOfRange: counts that no machine has.
    """
    job = workload.model_copy(update={"users": users})
    engine = engine or _engine(workload, users)
    rate = rate_of(job, gpu, n_gpus, engine=engine, split=split)
    made = rate.decode
    if made is None:  # a workload that does not generate: rate_of answered something else
        raise UnsupportedCombination("only language models generate tokens", model=workload.ml_model.name)
    at_work = n_gpus if split == "tensor" else 1
    spread = spread_of("serving" if users > 1 else "decode", outside=unlike_published(rate))
    in_turn = [note_of("speed_layers_one_at_a_time", {"n": n_gpus})] if n_gpus > 1 and split == "layers" else []
    nominal = (gpu.memory_bandwidth_gb_per_s or 0.0) * 1e9 * at_work
    prefill = _prefill(rate, job, at_work, engine)
    return GenerationEstimate(
        gpu=gpu.name,
        n_gpus=n_gpus,
        model=workload.ml_model.name,
        users=users,
        decode=banded(made.tokens_per_s, spread, "tok/s", "bandwidth over bytes read", trace_of(rate)),
        per_user=made.tokens_per_s / users,
        prefill=prefill,
        weight_gb=made.weight_bytes / 1e9,
        bound=made.bound,
        ceiling=nominal / made.weight_bytes,
        split=split,
        notes=(*remarks(rate), *in_turn, *_read_together(rate, job, at_work, engine, prefill)),
    )
