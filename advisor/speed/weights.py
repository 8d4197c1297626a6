"""How many bits of a weight one token reads, and how the weights of a mixture of experts divide.

GGUF figures are llama.cpp's averages per type (tools/quantize); EXL2 names its own bits; NVFP4 keeps an 8-bit scale for
16 weights, MXFP4 for 32; MLX a 16-bit scale and offset for 64.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from advisor.attention import heads_of
from advisor.kept import kept
from advisor.memory.formats import FORMATS, WeightFormat, format_of, parse_format
from advisor.models import MlModel, Precision, Workload

_WIDE: Final = (Precision.FP16_MIXED, Precision.BF16_MIXED)
_WHOLE: Final[dict[str, float]] = {
    "iq1_s": 2.0, "iq1_m": 2.15, "iq2_xxs": 2.38, "iq2_xs": 2.59, "iq2_s": 2.74, "iq2_m": 2.93, "iq2": 2.6,
    "q2_k_s": 2.97, "q2_k": 3.16, "iq3_xxs": 3.25, "iq3_xs": 3.5, "iq3_s": 3.66, "iq3_m": 3.76, "iq3": 3.6,
    "q3_k_s": 3.64, "q3_k_m": 4.0, "q3_k_l": 4.3, "q3_k": 3.8, "iq4_xs": 4.46, "iq4_ks": 4.4, "iq4_nl": 4.68,
    "iq4": 4.5, "q4_0": 4.66, "q4_1": 5.1, "q4_k_s": 4.67, "q4_k_m": 4.89, "q4_k": 4.89, "q4": 4.8,
    "q5_0": 5.6, "q5_1": 6.0, "q5_k_s": 5.57, "q5_k": 5.7, "q5": 5.7, "q6_k": 6.56, "q6": 6.56, "q8_0": 8.5,
    "q8_k": 8.8, "q8": 8.5,
}  # fmt: skip
"""Bits a weight over the whole file of GGUF types."""
_LINEAR: Final[dict[str, float]] = {"nvfp4": 4.5, "mxfp4": 4.25, "mxfp8": 8.25, "fp6": 6.0, "fp4": 4.5, "int4": 4.25}
"""Bits a weight of formats that leave embeddings and head in 16 bits."""
_GGUF: Final = re.compile(r"i?q[1-8](?:_(?:[01](?![a-z\d])|k|xxs|xs|nl|ks|s|m))?(?:_(?:s|m|l))?(?![a-z\d])")
_BITS: Final = re.compile(r"(\d(?:\.\d+)?) ?(?:bpw|-?bit)")
_SIXTEEN: Final = re.compile(r"(?<![a-z\d])(?:bf16|f16|fp16|none|unquantised|16-?bit)(?![a-z\d])")
_NAMED: Final = re.compile("|".join(sorted(_LINEAR, key=len, reverse=True)))


def _gguf(spelling: str) -> WeightFormat | None:
    found = _GGUF.search(spelling)
    if found is None:
        return None
    kind = found[0]
    family = kind[: kind.index("q") + 2]
    bits = _WHOLE.get(kind) or _WHOLE.get(kind.rsplit("_", 1)[0]) or _WHOLE[family]
    return WeightFormat(kind, bits, bits)


def _named(spelling: str) -> WeightFormat | None:
    found = _NAMED.search(spelling)
    if found is None or "bnb" in spelling or "nf4" in spelling:
        return None
    return WeightFormat(found[0], _LINEAR[found[0]], 16.0)


def _sixteen(spelling: str) -> WeightFormat | None:
    return FORMATS["fp16"] if _SIXTEEN.search(spelling) else None


def _of_bits(spelling: str) -> WeightFormat | None:
    """So many bits a weight, with half a bit of scales unless they are counted already (bits of all weights, EXL2)."""
    found = _BITS.search(spelling.replace("_", ""))
    if found is None or not 1.0 <= float(found[1]) <= 8.0:
        return None
    scaled = "mlx" in spelling or "bpw" not in spelling
    bits = float(found[1]) + (0.5 if scaled else 0.0)
    return WeightFormat(f"{found[1]}-bit", bits, bits if scaled else 16.0)


@lru_cache(maxsize=512)
def stored_as(text: str) -> WeightFormat:
    """The format meant by a spelling such as "UD-Q4_K_XL", "EXL2 4.0 bpw", "NVFP4" or "MLX 4bit".

    Raises:
        UnsupportedCombination: nothing is known about a format of this name.
    """
    spelling = re.sub(r"\s*-\s*", "_", text.strip().lower()).replace("_xl", "")
    known = (read(spelling) for read in (_gguf, _named, _sixteen, _of_bits))
    return next((found for found in known if found is not None), None) or parse_format(text)


def weight_format(workload: Workload) -> WeightFormat:
    """Format the weights are read in when generating."""
    if workload.quant:
        return stored_as(workload.quant)
    if workload.precision is None and workload.ml_model.weights_format:
        return stored_as(workload.ml_model.weights_format)
    if workload.precision is None or workload.precision in _WIDE:
        return FORMATS["fp16"]
    return format_of(workload.precision)


class Bits(NamedTuple):
    """Bits a weight of a decoder's parts."""

    shared: float
    """Attention, norms, shared experts, dense layers."""
    experts: float
    tables: float
    """Embeddings and output layer."""


_BESIDE_MXFP4: Final = 8.5
"""Of all that is not an expert in llama.cpp's files of models published in MXFP4 (gpt-oss): Q8_0."""


def bits_of(workload: Workload) -> Bits:
    """How many bits a weight the parts of the model are read in.

    Experts that were published in MXFP4 stay so whatever type a file is called; what stands beside them is of that
    type, of 8 bits where none is named, and of 16 in software that runs the published files.
    """
    stored = weight_format(workload)
    if workload.ml_model.weights_format != "mxfp4" or (stored.name not in _WHOLE and stored.name != "mxfp4"):
        return Bits(stored.linear_bits, stored.linear_bits, stored.other_bits)
    beside = stored.linear_bits if stored.name in _WHOLE else _BESIDE_MXFP4
    if stored.name == "mxfp4" and _RUNS_PUBLISHED.search(workload.framework or ""):
        beside = 16.0
    return Bits(beside, stored_as("mxfp4").linear_bits, beside)


_RUNS_PUBLISHED: Final = re.compile(r"vllm|sglang|transformers|tensorrt|trtllm|ollama", re.IGNORECASE)


class Division(NamedTuple):
    """Parameters of a decoder by who reads them."""

    looked_up: float
    """The embedding table, and those of each layer where a model has such: one row a token."""
    head: float
    """Output layer."""
    common: float
    """Read for every token: attention, norms, shared experts, dense layers."""
    routed: float
    """All experts that a router chooses from."""
    chosen: float
    """Of these, what one token reads."""


@kept(most=2048)
def division_of(model: MlModel) -> Division:
    """How the parameters divide, from the record's shape; without experts all but the tables is common.

    Experts are counted from their number and width where the record has them, and the active parameters leave the rest
    to what every token reads; else attention is counted from its widths, and what is left over is experts.
    """
    table, by_layer = _tables(model)
    head = 0.0 if model.tied_embeddings else table
    rest = model.parameters - table - head - by_layer
    active = model.active_parameters
    if not active or active >= 0.9 * model.parameters:
        return Division((table if head else 0.0) + by_layer, head or table, rest, 0.0, 0.0)
    common, chosen = _of_mixture(model, active, rest, head, table)
    return Division(table if head else 0.0, head or table, common, max(chosen, rest - common), chosen)


def _of_mixture(model: MlModel, active: float, rest: float, head: float, table: float) -> tuple[float, float]:
    """Parameters of a mixture that every token reads, and those of the experts it chooses."""
    attention = min(_attention_parameters(model), 0.6 * active)
    experts = _expert_parameters(model)
    if experts and experts <= _OVER_COUNTED * rest:
        chosen = experts * (model.experts_per_token or 0) / (model.experts or 1)
        return max(attention, active - chosen - head - table), chosen
    return attention, max(0.2 * active, active - attention - head - (0.0 if head else table))


_OVER_COUNTED: Final = 1.05
"""Up to which experts may outweigh all there is: the first layers of some models have none."""


def _expert_parameters(model: MlModel) -> float:
    """Weights of all experts of all layers, gated; 0 where the record does not say how many and how wide they are."""
    if not (model.experts and model.experts_per_token and model.expert_intermediate):
        return 0.0
    return 3.0 * (model.hidden or 0) * model.expert_intermediate * (model.layers or 0) * model.experts


def _tables(model: MlModel) -> tuple[float, float]:
    """Weights of the embedding table, and of those that each layer has beside it."""
    words = float(model.vocab or 0)
    table = min(words * (model.hidden or 0), 0.25 * model.parameters)
    return table, words * (model.per_layer_width or 0) * (model.layers or 0)


def _attention_parameters(model: MlModel) -> float:
    """Weights of attention: queries, keys, values, output."""
    layers, hidden = model.layers or 0, model.hidden or 0
    heads, width = heads_of(model, usual_width=128)
    if model.kv_lora_rank:
        return float(layers * hidden * (model.kv_lora_rank + heads * 128 + 1536))
    return float(layers * hidden * width * (2 * heads + 2 * (model.kv_heads or heads)))
