"""Constants of the speed model, each fitted on published measurements, with what it stands for.

Fitted on the public training, inference and matrix-product figures of tests/evaluation/throughput_cases.csv (Lambda's
benchmark in three software generations, NVIDIA DeepLearningExamples, Hugging Face, litgpt, torchtune, Qwen) by least
squares on the logarithm of the error. None of them belongs to one card: cards enter by their specifications only.
How well that works on cards and cases that were left out stands in advisor/VALIDATION.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from advisor.speed.constants import CardConstants, ClassConstants, EngineConstants, LinkConstants

TODAY = "ngc-24"
"""Software assumed when none is named: PyTorch 2 containers of 2024, the newest with published figures."""

STEP_EXPONENT = 3.0
"""Work on the card and launches on the host add (1) or overlap (more than 1)."""

UPDATE_BYTES = 40.0
"""Memory traffic of an Adam-like update per trained parameter: weight, gradient, two moments, read and written."""

GRADIENT_BYTES = 4.0
"""Exchanged per parameter: PyTorch's mixed precision keeps gradients of FP32 master weights in FP32."""

CARD = CardConstants(  # hbm3_saturation: ratios of B200, H200 and GH200 to H100 in Lambda's third generation
    memory_efficiency=1.0,
    hbm3_efficiency=0.69,
    hbm3_reference=3350.0,
    hbm3_saturation=0.5,
    watts_per_tflops=MappingProxyType(
        {
            "6.0": 22.0,
            "6.1": 22.0,
            "7.0": 16.0,
            "7.5": 18.0,
            "8.0": 20.0,
            "8.6": 16.0,
            "8.9": 11.0,
            "9.0": 10.5,
            "10.0": 13.0,
            "10.3": 13.0,
            "12.0": 11.0,
        }
    ),
    power_exponent=0.39,
)

LINK = LinkConstants(
    nvlink_share=0.35,
    bridge_share=0.35,
    pcie=MappingProxyType({3: 1.2e10, 4: 2.4e10, 5: 4.5e10}),
    crowding=0.6,
    consumer=0.5,
    latency_s=0.00026,
    sharpness=6.0,
    spread=0.12,
)

CLASSES: Mapping[str, ClassConstants] = MappingProxyType(
    {
        "cnn": ClassConstants(
            tensor_efficiency=0.9,
            tf32_efficiency=0.9,
            vector_efficiency=1.1,
            vector_ops=0.801,
            traffic=0.0719,
            fp32_traffic=1.86,
            launch_s=0.0013,
            imbalance=0.0116,
            overlap=0.581,
            old_cards=-0.013,
        ),
        "detector": ClassConstants(
            tensor_efficiency=0.828,
            tf32_efficiency=0.426,
            vector_efficiency=1.1,
            vector_ops=0.501,
            traffic=0.0711,
            fp32_traffic=1.15,
            launch_s=0.0017,
            imbalance=0.0108,
            overlap=1.2,
            old_cards=0.0539,
        ),
        "encoder": ClassConstants(
            tensor_efficiency=0.811,
            tf32_efficiency=0.351,
            vector_efficiency=0.822,
            vector_ops=2570.0,
            traffic=278.0,
            fp32_traffic=1.2,
            launch_s=0.0036,
            imbalance=0.0439,
            overlap=0.1,
            old_cards=0.272,
        ),
        "lstm": ClassConstants(
            tensor_efficiency=0.418,
            tf32_efficiency=0.405,
            vector_efficiency=0.755,
            vector_ops=0.143,
            traffic=0.00917,
            fp32_traffic=2.6,
            launch_s=0.12,
            imbalance=0.0333,
            overlap=0.1,
            old_cards=0.198,
        ),
        "recurrent": ClassConstants(
            tensor_efficiency=0.9,
            tf32_efficiency=0.229,
            vector_efficiency=1.1,
            vector_ops=3.2,
            traffic=0.265,
            fp32_traffic=1.58,
            launch_s=0.0776,
            imbalance=0.0121,
            overlap=3.0,
            old_cards=0.7,
        ),
        "decoder": ClassConstants(
            tensor_efficiency=0.718,
            tf32_efficiency=0.6,
            vector_efficiency=0.9,
            vector_ops=1400.0,
            traffic=1750.0,
            fp32_traffic=2.0,
            launch_s=0.0068,
            imbalance=0.01,
            overlap=0.3,
            old_cards=0.0,
        ),
    }
)
"""Fitted per class; all cards share them."""

STACKS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "ngc-20": {},
        "ngc-22": {"cnn": 0.088, "detector": 0.036, "encoder": 0.13, "lstm": -0.1, "recurrent": 0.1},
        "ngc-24": {
            "cnn": 0.043,
            "detector": 0.0095,
            "encoder": 0.067,
            "lstm": -0.019,
            "recurrent": 0.08,
            "decoder": 0.12,
        },
        "examples": {
            "cnn:tensor": 0.31,
            "cnn:wide": 0.14,
            "depthwise:tensor": 0.31,
            "depthwise:wide": 0.14,
            "detector:tensor": 0.33,
            "detector:wide": 0.15,
            "encoder:tensor": 0.28,
            "encoder:wide": 0.32,
            "recurrent": 0.55,
        },
        "tensorflow": {"encoder:tensor": 0.017, "encoder:wide": 0.37},
        "trainer": {"encoder": 0.32},
        "litgpt": {"decoder": 0.12},
        "deepspeed": {"decoder": 0.13},
        "torchtune": {"decoder": 0.54},
        "torchtune-compile": {"decoder": 0.68},
    }
)
"""Logarithm of the gain over the containers of 2020, on Ampere and later; `class:tensor` and `class:wide` by format."""

OLD_CARD_GAIN = 0.88
"""Share of that gain that older cards saw."""

DEPTHWISE_TRAFFIC = 8.8
"""Depthwise networks (EfficientNet, MobileNet) move this much more memory per operation than ResNet-like ones."""
OPS_PER_UNIT = 24.0
"""Forward operations of a transformer per unit of token x layer x width: 24 x width, per unit of width."""
ATTENTION_LENGTH = 435.0
"""Length at which attention matrices weigh as much as the rest of a layer: 34 + 5 x heads x length / width bytes a
token and layer (arXiv 2205.05198, section 4.1) at a head width of 64."""
INFERENCE_SHARE = 0.34
"""Of a training step's traffic and other work: the forward pass alone."""
INFERENCE_LAUNCH_S = 0.017
"""Floor of one eager forward call."""
UNPACK_BYTES = 20.0
"""Traffic per 4-bit parameter and pass: read packed, written as 16 bit, read again by the matrix product."""
SWITCHED_NVLINK = 160.0
"""From this figure on NVLink joins all cards of a board, not pairs."""
USUAL_BATCH = MappingProxyType(
    {"cnn": 64, "depthwise": 64, "detector": 16, "encoder": 16, "vit": 64, "lstm": 128, "recurrent": 16}
)
"""Per card, when none is named."""

ENGINES: Mapping[str, EngineConstants] = MappingProxyType(
    {
        "engine": EngineConstants(0.00005, 0.00005, 0.93, 0.65, 1.0),
        "transformers": EngineConstants(0.00075, 0.0016, 0.93, 0.65, 3.0),
        "litgpt": EngineConstants(0.00095, 0.0016, 0.93, 0.65, 3.0),
    }
)
"""`engine` stands for llama.cpp, vLLM, exllama and their like; the others run layer by layer from Python.

Its time per layer is that of builds that launch a token as one CUDA graph (llama.cpp from May 2024 on): with it an RTX
5090 is predicted to write 217 tokens a second of Qwen3-8B in 4 bit where 221.7 were published (June 2026)."""
DECODE_EXCHANGE_S = 0.00002
"""One small all-reduce among cards of a host; two a layer."""
PREFILL_EFFICIENCY = 0.45
"""Share of the tensor peak when prompts are read."""

MATMUL_SHARE: Mapping[str, float] = MappingProxyType(
    {
        "Ampere": 0.85,
        "Hopper": 0.81,
        "Blackwell": 0.78,
        "Blackwell Ultra": 0.78,
        "CDNA 2.0": 0.70,
        "CDNA 3.0": 0.60,
        "CDNA 4.0": 0.62,
    }
)
"""Share of the dense 16-bit peak that the largest measured matrix products reach, by architecture."""

NVIDIA_MATMUL_SHARE = 0.81
"""The share the efficiencies above were fitted with; other makers' peaks are scaled by theirs."""

SPREADS: Mapping[str, float] = MappingProxyType(
    {
        "cnn": 0.17,
        "detector": 0.19,
        "encoder": 0.27,
        "lstm": 0.31,
        "recurrent": 0.21,
        "depthwise": 0.45,
        "vit": 0.40,
        "decoder": 0.30,
        "cnn:multi": 0.14,
        "detector:multi": 0.24,
        "encoder:multi": 0.38,
        "lstm:multi": 0.36,
        "recurrent:multi": 0.15,
        "depthwise:multi": 0.5,
        "decode": 0.28,
        "inference": 0.35,
        "prefill": 0.6,
        "matmul": 0.10,
        "time:cnn": 0.30,
        "time:detector": 0.20,
        "time:encoder": 0.40,
        "time:decoder": 0.60,
    }
)
"""Half-widths of the 90 % bands in logarithm: the ninetieth percentile of the error on halves that were left out."""

OUTSIDE_SPREAD = 0.4
"""Added where no published case supports the kind of card."""


RELATIVE_SPREAD = 0.24
"""Half-width of the 90 % band of one card's speed over another's."""


def spread_of(basis: str, n_gpus: int = 1, *, outside: bool = False) -> float:
    """Half-width of the 90 % band in logarithm, from what the estimate rests on.

    `basis` is a workload class, or `time:` or `inference:` with one; more than one card has bands of its own.
    """
    several = f"{basis}:multi" if n_gpus > 1 else basis
    kind = basis.split(":", 1)[0]
    spread = SPREADS.get(several) or SPREADS.get(basis) or SPREADS.get(kind) or 0.4
    return spread + OUTSIDE_SPREAD * outside
