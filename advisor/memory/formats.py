"""How many bits a stored weight takes in each number format, with its scales.

`linear_bits` holds for matrix weights, `other_bits` for what the format leaves alone (embeddings, output layer,
norms). Block scales are part of the figure: NF4 keeps one fp32 scale for 64 weights (4.5 bits), with double
quantisation 4.127 (QLoRA, arXiv 2305.14314, section 3); GPTQ and AWQ keep an fp16 scale and a 4-bit zero for 128
weights; GGUF figures are the llama.cpp averages per type.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from advisor.errors import UnsupportedCombination
from advisor.models import Precision


@dataclass(frozen=True, slots=True)
class WeightFormat:
    """One way to store weights. `staged`: weights pass through 16 bits on the card while being quantised."""

    name: str
    linear_bits: float
    other_bits: float
    staged: bool = False
    keeps_inputs: bool = False
    """Training keeps inputs and their quantised copies of each matrix product (dynamic fp8)."""

    @property
    def quantised(self) -> bool:
        """Fewer than 16 bits a weight: such weights are not trained themselves."""
        return self.linear_bits < 16.0


_BLOCK_128: Final = 20.0 / 128.0
"""Bits per weight of an fp16 scale and a 4-bit zero shared by 128 weights."""

FORMATS: Final[dict[str, WeightFormat]] = {
    one.name: one
    for one in (
        WeightFormat("fp32", 32.0, 32.0),
        WeightFormat("fp16", 16.0, 16.0),
        WeightFormat("fp8", 8.0, 16.0),
        WeightFormat("fp8-dynamic", 8.0, 16.0, keeps_inputs=True),
        WeightFormat("mxfp8", 8.25, 16.0),
        WeightFormat("fp6", 6.0, 16.0),
        WeightFormat("fp5", 5.0, 16.0),
        WeightFormat("int8", 8.0 + _BLOCK_128, 16.0),
        WeightFormat("nf4", 4.5, 16.0, staged=True),
        WeightFormat("nf4-dq", 4.127, 16.0, staged=True),
        WeightFormat("int4", 4.0 + _BLOCK_128, 16.0),
        WeightFormat("int4-32", 4.625, 16.0),
        WeightFormat("mxfp4", 4.25, 16.0),
        WeightFormat("nvfp4", 4.5, 16.0),
        *(
            WeightFormat(name, bits, bits)
            for name, bits in (
                ("iq1_s", 1.78),
                ("iq1_m", 1.96),
                ("iq2_xxs", 2.26),
                ("iq2_xs", 2.44),
                ("iq2_s", 2.59),
                ("iq2_m", 2.76),
                ("q2_k", 3.0),
                ("iq3_xxs", 3.2),
                ("iq3_xs", 3.4),
                ("iq3_s", 3.54),
                ("iq3_m", 3.7),
                ("q3_k_s", 3.55),
                ("q3_k_m", 3.91),
                ("q3_k_l", 4.27),
                ("iq4_xs", 4.4),
                ("iq4_nl", 4.6),
                ("q4_0", 4.55),
                ("q4_k_s", 4.6),
                ("q4_k_m", 4.85),
                ("q4_1", 5.0),
                ("q4_k_xl", 4.95),
                ("q5_0", 5.55),
                ("q5_k_s", 5.55),
                ("q5_k_m", 5.69),
                ("q5_k_xl", 5.8),
                ("q6_k", 6.59),
                ("q6_k_xl", 7.1),
                ("q8_0", 8.5),
                ("q8_k_xl", 9.6),
            )
        ),
    )
}
"""GGUF figures are averages over whole files, token table and output layer included."""

GGUF: Final = frozenset(name for name in FORMATS if re.match(r"i?q\d", name))
"""Formats of GGUF files, which say by themselves what runs them."""

_SPELLINGS: Final[tuple[tuple[re.Pattern[str], str], ...]] = tuple(
    (re.compile(pattern), name)
    for pattern, name in (
        (r"nf4.*(dq|double)|bnb\.fp4-dq", "nf4-dq"),
        (r"nvfp4", "nvfp4"),
        (r"mxfp4", "mxfp4"),
        (r"mxfp8", "mxfp8"),
        (r"nf4|fp4$|bnb\.fp4|bnb-?4|bitsandbytes 4", "nf4"),
        *(
            (rf"q{n}_?k_?{size}", f"q{n}_k_{size}")
            for n in (3, 4, 5)
            for size in ("xl", "s", "m", "l")
            if f"q{n}_k_{size}" in FORMATS
        ),
        (r"q6_?k_?xl", "q6_k_xl"),
        (r"q8_?k_?xl", "q8_k_xl"),
        *((name.replace("_", "[-_]?"), name) for name in FORMATS if name.startswith("iq")),
        (r"iq4", "iq4_xs"),
        (r"iq3", "iq3_s"),
        (r"iq2", "iq2_s"),
        (r"iq1", "iq1_m"),
        (r"q2_?k", "q2_k"),
        (r"q3_?k?", "q3_k_m"),
        (r"q4_1", "q4_1"),
        (r"q4_0", "q4_0"),
        (r"q4_?k?", "q4_k_m"),
        (r"q5_0", "q5_0"),
        (r"q5_?k?", "q5_k_m"),
        (r"q6_?k?", "q6_k"),
        (r"q8_?0?", "q8_0"),
        (r"fp8-torchao|fp8.*dynamic", "fp8-dynamic"),
        (r"fp8|float8|e4m3", "fp8"),
        (r"fp6|float6", "fp6"),
        (r"fp5|float5", "fp5"),
        (r"fp4|float4", "nvfp4"),
        (r"(int|gptq|awq|w|bnb\.int)?-?_?8 ?-?(bit|int|a|$)|int8|llm\.int8|w8a", "int8"),
        (r"(gptq|int4).*(group|g) ?32\b", "int4-32"),
        (r"gptq|awq|int4|4 ?-?bit|w4|wna16|autoround", "int4"),
    )
)
_BITS_PER_WEIGHT: Final = re.compile(
    r"(\d+(?:\.\d+)?) ?(?:bpw|bits? per weight)|(?:exl[23]|exllama)[^\d]{0,6}(\d+(?:\.\d+)?)"
)
_EXL_DEFAULT: Final = 4.0


_GGUF_OF: Final = {"int4": "q4_k_m", "int4-32": "q4_k_m", "int8": "q8_0"}


def in_gguf(found: WeightFormat) -> WeightFormat:
    """What stands for a number of bits in programs that load GGUF files: the usual type of so many bits.

    >>> in_gguf(FORMATS["int4"]).name
    'q4_k_m'
    """
    return FORMATS[_GGUF_OF[found.name]] if found.name in _GGUF_OF else found


def parse_format(text: str) -> WeightFormat:
    """The format meant by a free spelling such as "bnb.nf4-dq", "gptq-int8", "4bit" or "q4_k_m".

    Raises:
        UnsupportedCombination: nothing is known about a format of this name.
    """
    spelling = text.strip().lower()
    if spelling in FORMATS:
        return FORMATS[spelling]
    said = _BITS_PER_WEIGHT.search(spelling)
    if said or "exl2" in spelling or "exl3" in spelling:
        bits = float(said[1] or said[2]) if said else _EXL_DEFAULT
        return WeightFormat(f"{bits:g} bpw", bits, min(bits + 2.0, 16.0))
    for pattern, name in _SPELLINGS:
        if pattern.search(spelling):
            return FORMATS[name]
    raise UnsupportedCombination(f"unknown weight format {text!r}", setting="quant", value=text)


def format_of(precision: Precision) -> WeightFormat:
    """How weights are stored when only the precision of the arithmetic was said."""
    if precision in (Precision.FP32, Precision.TF32, Precision.FP16_MIXED, Precision.BF16_MIXED):
        return FORMATS["fp32"]
    if precision in (Precision.FP16, Precision.BF16):
        return FORMATS["fp16"]
    return FORMATS[precision.value]
