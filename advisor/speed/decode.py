"""Text generation: each token reads the active weights and the cache once, so bandwidth sets the pace.

A token costs the bytes it reads over the bandwidth that such reads reach, and a fixed time for each layer, longer where
narrow weights are unpacked on the way. Only the first needs more than the card's bandwidth, so cards without a
published TFLOPS figure are answered too. Reading the prompt is in `prompt`, parts in the machine's memory in `offload`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot
from typing import NamedTuple

from advisor.attention import NO_CACHE, Cache, cache_of
from advisor.errors import UnsupportedCombination
from advisor.kept import kept_by
from advisor.models import MlModel, Precision, Workload
from advisor.models.workload import job_key
from advisor.speed.calibration import EXCHANGE_S
from advisor.speed.card import CardRates, usable_peak
from advisor.speed.engines import BY_NAME, Engine
from advisor.speed.fitted import FITTED
from advisor.speed.weights import bits_of, division_of, weight_format

_EXPERT_LAYER = 1.6
"""Times as long for a layer with a router and experts: about that many more launches."""
_ROUNDED = 1.25
"""The same where what narrow weights are multiplied with is rounded to 8 bits by launches of their own: one before
each of the four products of a layer, beside about sixteen others (llama.cpp)."""
_ENCODED = 1.6
"""The same on cards without graphs of launches (Metal, ROCm, Vulkan, and NVIDIA's before Ampere in llama.cpp, which
took Volta and Turing in only in July 2026: its pull request 25749): the host encodes each token's commands anew."""
_EXPERTS = 64
_CACHE_BYTES = {Precision.FP8: 1.0, Precision.INT8: 1.0625, Precision.INT4: 0.5625, Precision.FP32: 4.0}


class DecodeTime(NamedTuple):
    """Seconds of one token for all users together, and the rate that gives."""

    weights: float
    cache: float
    compute: float
    launch: float
    exchange: float
    choice: float
    total: float
    tokens_per_s: float
    weight_bytes: float

    @property
    def bound(self) -> str:
        """The largest part."""
        parts = {
            "memory": self.weights + self.cache,
            "compute": self.compute,
            "launch": self.launch + self.choice,
            "exchange": self.exchange,
        }
        return max(parts, key=lambda name: parts[name])


@dataclass(frozen=True, slots=True)
class Reading:
    """What generating one token asks of any card."""

    layers: int
    launched: float
    """Layers that mix tokens and have a feed-forward part; one that does only either counts half."""
    hidden: int
    active: float
    """Parameters that compute."""
    parameters: float
    total: float
    """Bytes of all weights as they are stored."""
    common: float
    """Bytes of weights that every token reads: attention, shared layers, head."""
    chosen: float
    """Bytes of experts that one token reads."""
    routed: float
    """Bytes of all experts."""
    piece: float
    """Bytes of one expert of one layer; 0 without experts."""
    narrow: float
    """Weights of fewer than 8 bits among the active ones: they are unpacked."""
    cache: Cache
    cache_bytes: float
    """Bytes of one cached number."""
    length: int
    """Tokens of context that are looked back at."""
    effort: float
    """Work of a processor that unpacks such weights, over that for a format whose bits lie together."""
    rearranged: bool
    """Laid out for products of 8-bit numbers when the file is loaded, also by llama.cpp."""
    staged: bool
    """Unpacked by kernels of its own (bitsandbytes)."""

    @property
    def weights(self) -> float:
        """Bytes that one token of one user reads."""
        return self.common + self.chosen

    def experts_read(self, users: float) -> float:
        """Bytes of experts that a step for several users reads: their choices overlap."""
        if not self.routed:
            return 0.0
        share = min(1.0, self.chosen / self.routed)
        return self.routed * float(1.0 - (1.0 - share) ** users)

    def context_bytes(self, tokens: float) -> float:
        """Bytes of the cache of one sequence, and of its fixed state."""
        return self.cache.values(tokens) * self.cache_bytes + self.cache.state_bytes


def reading_of(workload: Workload) -> Reading:
    """What a job reads and computes for each token.

    Raises:
        UnsupportedCombination: no layer sizes are known.
    """
    model = workload.ml_model
    if not (model.layers and model.hidden):
        raise UnsupportedCombination("no layer sizes are known for this model", model=model.name)
    stored, parts = weight_format(workload), division_of(model)
    shared, experts, tables = (bits / 8.0 for bits in bits_of(workload))
    active = parts.head + parts.common + parts.chosen
    return Reading(
        layers=model.layers,
        launched=_whole_layers(model),
        hidden=model.hidden,
        active=active,
        parameters=model.parameters,
        total=parts.common * shared + parts.routed * experts + (parts.head + parts.looked_up) * tables,
        common=parts.common * shared + parts.head * tables,
        chosen=parts.chosen * experts,
        routed=parts.routed * experts,
        piece=_piece(model, parts.routed * experts),
        narrow=active if stored.linear_bits < 7.9 else 0.0,
        cache=cache_of(model) or NO_CACHE,
        cache_bytes=_CACHE_BYTES.get(workload.kv_precision, 2.0) if workload.kv_precision else 2.0,
        length=workload.seq_len if workload.seq_len is not None else 2048,
        effort=_effort(stored.name),
        rearranged=stored.name.startswith(_REARRANGED),
        staged=stored.staged,
    )


@kept_by(job_key, most=256)
def asked_reading(workload: Workload) -> Reading:
    """`reading_of`; the newest jobs are remembered, for asking many cards about one."""
    return reading_of(workload)


def _whole_layers(model: MlModel) -> float:
    """Layers as they are launched: of models whose layers mix tokens or feed forward, but not both (Nemotron-H), two
    make one (their configurations name the kind of each layer)."""
    layers = model.layers or 0
    mixing = (model.full_layers or 0) + (model.window_layers or 0) + (model.linear_layers or 0)
    return layers / 2.0 if 0 < mixing < 0.75 * layers else float(layers)


_CODE_BOOKS = ("iq1", "iq2", "iq3")
_IN_TWO_PARTS = ("q3_k", "q5", "q6_k")
"""Types whose weights keep their low and their high bits in two places (llama.cpp, ggml-common.h)."""
_REARRANGED = ("q4_0", "iq4_nl")
"""Types that llama.cpp lays out anew for the processor when it loads them (release notes of November 2024)."""


def _effort(name: str) -> float:
    """How much harder a processor unpacks weights of a type; code books are looked up for every product."""
    return 3.0 if name.startswith(_CODE_BOOKS) else 1.6 if name.startswith(_IN_TWO_PARTS) else 1.0


def _piece(model: MlModel, routed: float) -> float:
    """Bytes of one expert of one layer; where their number is not on record, of one among `_EXPERTS`."""
    return routed / ((model.layers or 1) * (model.experts or _EXPERTS))


def gathered_share(asked: Reading) -> float:
    """Of the rate at which memory is read, what is left where experts lie in pieces: the smaller, the less."""
    if not asked.piece:
        return 1.0
    return asked.piece / (asked.piece + FITTED["decode.expert_bytes"])


def memory_rate(card: CardRates, engine: Engine = BY_NAME["engine"]) -> float:
    """Bytes a second that reading weights for single tokens reaches on this card.

    Some memory wants many bytes under way at once, which not all software sees to (`Engine.fills`).
    """
    if card.unified:
        share = FITTED["decode.unified_share"]
    elif card.slow_to_fill:
        share = FITTED["decode.filled_share" if engine.fills else "decode.hbm_share"]
    else:
        share = FITTED["decode.gddr_share"]
    return (card.gpu.memory_bandwidth_gb_per_s or 0.0) * 1e9 * share


def _encoded(card: CardRates, engine: Engine) -> bool:
    """Whether the host encodes each token's launches anew."""
    return not engine.eager and (not card.nvidia or (card.pre_ampere and engine.unpacks))


def layer_seconds(card: CardRates, asked: Reading, engine: Engine) -> float:
    """Launching all layers once: from Python the host sets the pace, within a graph the card's own clock does."""
    each = FITTED["decode.eager_s"] if engine.eager else FITTED["decode.layer_cycles"] / card.clock
    if _encoded(card, engine):
        each *= _ENCODED
    if engine.unpacks and asked.narrow and not card.blocks:
        each *= _ROUNDED
    if asked.staged and engine.eager:
        each *= 2.0  # bitsandbytes: unpacking is a launch of its own beside each product
    return asked.launched * each * (_EXPERT_LAYER if asked.routed else 1.0)


def decode_time(
    card: CardRates,
    job: Workload | Reading,
    *,
    n_gpus: int = 1,
    users: int = 1,
    engine: str = "engine",
    split: str = "layers",
    bench: bool = False,
) -> DecodeTime:
    """Seconds per generated token, weights and cache on the card.

    Args:
        card: rates of each card.
        job: model, weight format, `seq_len` as context length; or what was made of them before.
        n_gpus: cards that hold the model.
        users: requests decoded together; weights are read once for all of them, experts as far as choices overlap.
        engine: software, a key of engines.BY_NAME.
        split: `layers` (one card works at a time: memory adds up, speed does not) or `tensor` (all work, exchanging
            after each half layer).
        bench: as the program's own benchmark counts, where no token is chosen and handed over.
    """
    software = BY_NAME[engine]
    asked = job if isinstance(job, Reading) else asked_reading(job)
    parallel = n_gpus if split == "tensor" else 1
    rate = memory_rate(card, software) * parallel
    experts = asked.chosen if users == 1 else asked.experts_read(users)
    weights = asked.common / rate + experts / (rate * gathered_share(asked))
    cache = users * asked.context_bytes(asked.length) / rate
    compute = _products(card, asked, users) / parallel
    launch = layer_seconds(card, asked, software)
    exchange = 2.0 * asked.layers * EXCHANGE_S * (parallel > 1)
    busy = max(with_unpacking(card, weights, unpacking_s(card, asked) / parallel), compute) + cache
    total = float((busy**3 + launch**3) ** (1.0 / 3.0)) if software.eager else busy + launch
    choice = FITTED["decode.choose_s"] if software.waits and not bench else 0.0
    total += exchange + choice
    return DecodeTime(weights, cache, compute, launch, exchange, choice, total, users / total, asked.common + experts)


def unpacking_s(card: CardRates, asked: Reading) -> float:
    """Seconds of unpacking narrow weights, which ordinary units do; without tensor units the same ones multiply."""
    if card.tensor and not card.idle:
        return FITTED["decode.unpack_beside"] * asked.narrow / card.whole
    return FITTED["decode.unpack_ops"] * asked.narrow / card.vector if card.vector else 0.0


def with_unpacking(card: CardRates, reading: float, unpacking: float) -> float:
    """Seconds of reading weights and unpacking them, which hides behind it in part, or wholly in units of its own."""
    return max(reading, unpacking) if card.paired else hypot(reading, unpacking)


def _products(card: CardRates, asked: Reading, users: float) -> float:
    """Seconds of matrix products for all users; nothing where no peak is known."""
    peak = card.tensor or max(card.vector_peak, card.half)
    return users * 2.0 * asked.active / usable_peak(card, FITTED["serve.compute_share"]) if peak else 0.0
