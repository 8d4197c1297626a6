"""Many requests at once: tokens a second of all of them together, as far as their cache fits.

A step reads the weights once for everybody (experts as far as choices overlap), each one's cache, and multiplies for
everybody; the prompts of those who join are read in between. More requests than the cache holds wait.
"""

from __future__ import annotations

from math import ceil, log2
from typing import Final, NamedTuple

from advisor.errors import OutOfRange, UnsupportedCombination
from advisor.models import Gpu, Workload, note_of, step_of
from advisor.speed.arithmetic import arithmetic_peak
from advisor.speed.bands import banded, spread_of
from advisor.speed.calibration import EXCHANGE_S
from advisor.speed.card import CardRates, card_rates, usable_peak
from advisor.speed.decode import Reading, asked_reading, memory_rate
from advisor.speed.engines import BY_NAME
from advisor.speed.fitted import FITTED
from advisor.speed.offload import room_of
from advisor.speed.prompt import attention_ops, expert_share
from advisor.speed.results import ServingEstimate
from advisor.speed.step import exchange_rate

_USUAL: Final = "vllm"
_MOST_AT_ONCE: Final = 2048
"""Requests that engines join in one step (TensorRT-LLM's default; vLLM's on large cards is 1024)."""
_FILL: Final = 0.75
"""Share of the memory that weights may take before a model is spread over more cards."""


class Load(NamedTuple):
    """What is asked of a service."""

    users: float
    """Requests at once."""
    prompt: float
    """Tokens of a prompt."""
    output: float
    """Tokens of an answer."""

    @property
    def context(self) -> float:
        """Tokens cached for a request, on average over its answer."""
        return self.prompt + self.output / 2.0


class Layout(NamedTuple):
    """How cards divide: `tensor` x `stages` hold one copy, of which there are `copies`."""

    tensor: int
    stages: int
    copies: int


class ServeTime(NamedTuple):
    """What one copy does."""

    at_once: float
    """Requests in work at once: as many as are there and fit."""
    step: float
    """Seconds of one decoding step for all of them."""
    prompt: float
    """Seconds of reading one prompt."""
    output_per_s: float
    """Tokens of answers a second, all copies."""
    bound: str
    capacity: float
    """Requests whose cache fits, all copies."""


def layout_of(asked: Reading, gpu: Gpu, n_gpus: int, tensor: int | None = None, stages: int = 1) -> Layout:
    """As stated, else the fewest cards that hold one copy with room for its cache."""
    if tensor is None:
        room = room_of(gpu, 1)
        wanted = max(1, ceil(asked.total / (room * _FILL)))
        tensor = min(n_gpus, 2 ** ceil(log2(wanted)))
    return Layout(tensor, stages, max(1, n_gpus // (tensor * stages)))


def serve_time(
    card: CardRates, workload: Workload, load: Load, layout: Layout, link: str = "", engine: str = _USUAL
) -> ServeTime:
    """The rate of an engine that joins requests.

    Raises:
        UnsupportedCombination: no layer sizes, no compute figure or no memory size; or the weights do not fit.
    """
    asked = asked_reading(workload)
    peak = arithmetic_peak(card, workload)
    if not peak:
        raise UnsupportedCombination("no compute figure is known for this card", gpu=card.gpu.name, missing="tflops")
    cards = layout.tensor * layout.stages
    spare = room_of(card.gpu, cards) - asked.total
    if spare <= 0.0:
        raise UnsupportedCombination("the weights do not fit on these cards", gpu=card.gpu.name, n_gpus=cards)
    kept = load.prompt + load.output if BY_NAME[engine].reserves else load.context
    capacity = spare / max(1.0, asked.context_bytes(kept))
    at_once = max(1.0, min(load.users / layout.copies, capacity, _MOST_AT_ONCE))
    rate = memory_rate(card, BY_NAME[engine]) * cards
    piece = at_once / layout.stages
    experts = asked.experts_read(piece)
    reading = (asked.common + experts) / rate * layout.stages
    cache = at_once * asked.context_bytes(load.context) / rate
    products = usable_peak(card, FITTED["serve.compute_share"], peak) * cards
    compute = at_once * 2.0 * asked.active / (products * expert_share(asked, piece))
    exchange = _exchange(card, asked, at_once, layout, link)
    step = max(reading, compute) + cache + exchange + FITTED["serve.step_s"]
    ops = 2.0 * asked.active / expert_share(asked, BY_NAME[engine].piece)
    ops += attention_ops(workload.ml_model, load.prompt / 2, asked.cache.values(load.prompt / 2))
    shared = _exchange(card, asked, load.prompt, layout, link)
    prompt = load.prompt * ops / (usable_peak(card, FITTED["prompt.tensor_share"], peak) * cards) + shared
    per_request = load.output * step / at_once + prompt
    out = layout.copies * load.output / per_request
    parts = {"memory": reading + cache, "compute": compute, "exchange": exchange, "launch": FITTED["serve.step_s"]}
    bound = "prompt" if prompt > load.output * step / at_once else max(parts, key=lambda name: parts[name])
    return ServeTime(at_once, step, prompt, out, bound, capacity * layout.copies)


def _exchange(card: CardRates, asked: Reading, tokens: float, layout: Layout, link: str) -> float:
    """Seconds of exchanging the activations of so many tokens among the cards of one copy, two times a layer."""
    if layout.tensor == 1:
        return 0.0
    sent = 2.0 * (layout.tensor - 1) / layout.tensor * tokens * asked.hidden * 2.0
    rate = exchange_rate(card, layout.tensor, link)
    return 2.0 * asked.layers / layout.stages * (sent / rate + EXCHANGE_S)


def serving_throughput(
    workload: Workload,
    gpu: Gpu,
    n_gpus: int = 1,
    *,
    users: int = 1,
    prompt_tokens: int = 1000,
    output_tokens: int = 300,
    tensor: int | None = None,
    link: str = "",
) -> ServingEstimate:
    """Tokens a second of a service for so many requests at once, in an engine that joins them (vLLM, SGLang ...).

    Args:
        workload: model and weight format; `kv_precision` for a cache of fewer bits.
        gpu: the card.
        n_gpus: all cards; what is left after one copy of the model holds further copies.
        users: requests at once.
        prompt_tokens: mean length of a prompt.
        output_tokens: mean length of an answer.
        tensor: cards that share one copy; the fewest that hold it when None.
        link: nvlink | pcie3 | pcie4 | pcie5 instead of what the card suggests.

    Returns:
        Output tokens a second of all together with a 90 % band, of each request, requests whose cache fits, seconds
        until the first token, and what limits the rate.

    Raises:
        UnsupportedCombination: no layer sizes, no figures of the card, or the weights do not fit.
        OutOfRange: no number of requests or tokens.
    """
    for name, value in (("users", users), ("prompt_tokens", prompt_tokens), ("output_tokens", output_tokens)):
        if not 1 <= value <= 10_000_000:
            raise OutOfRange(f"{name} must lie between 1 and 10,000,000", name=name, value=value)
    card, asked = card_rates(gpu), asked_reading(workload)
    load, layout = Load(users, prompt_tokens, output_tokens), layout_of(asked, gpu, n_gpus, tensor)
    made = serve_time(card, workload, load, layout, link)
    trace = step_of(
        name="throughput",
        value=made.output_per_s,
        unit="tok/s",
        how="answers / (steps shared by the requests at once + reading their prompts)",
        inputs=(
            step_of(
                name="requests_at_once", value=round(made.at_once * layout.copies), how="asked, as far as they fit"
            ),
            step_of(name="step_time", value=made.step, unit="s", how="max(weights, products) + caches + exchange"),
            step_of(name="prompt_time", value=made.prompt, unit="s", how="operations / usual share of the peak"),
        ),
    )
    waits = users > made.at_once * layout.copies + 0.5
    notes = (note_of("speed_requests_wait", {"fit": int(made.at_once * layout.copies)}),) if waits else ()
    return ServingEstimate(
        gpu=gpu.name,
        n_gpus=n_gpus,
        model=workload.ml_model.name,
        users=users,
        output=banded(
            made.output_per_s, spread_of("serving", outside=card.outside), "tok/s", "steps and prompts", trace
        ),
        per_user=made.output_per_s / users,
        fits_at_once=int(made.capacity),
        first_token_s=made.prompt + made.step,
        cards_per_copy=layout.tensor,
        copies=layout.copies,
        bound=made.bound,
        notes=notes,
    )
