"""Constants of the speed model, each fitted on published measurements, with what it stands for.

Fitted on the public training, inference and matrix-product figures of tests/evaluation/throughput_cases.csv (Lambda's
benchmark in three software generations, NVIDIA DeepLearningExamples, Hugging Face, litgpt, torchtune, Qwen) by least
squares on the logarithm of the error. None of them belongs to one card: cards enter by their specifications only.
How well that works on cards and cases that were left out stands in advisor/VALIDATION.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from advisor.kept import Memo
from advisor.speed.constants import Behaviour, CardConstants, ClassConstants, LinkConstants
from advisor.speed.fitted import FITTED

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
            **dict.fromkeys(("6.0", "6.1"), 22.0),
            **dict.fromkeys(("7.0", "7.5", "8.0", "8.6"), 17.0),
            **dict.fromkeys(("8.9", "9.0", "10.0", "10.3", "12.0"), 11.0),
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

IMAGE_LAUNCH_S = 0.0015
"""Floor of a training step of image networks: launches of some hundred kernels."""
UNPACK_BYTES = 20.0
"""Traffic per 4-bit parameter and pass: read packed, written as 16 bit, read again by the matrix product."""
EXCHANGE_S = 0.00002
"""One small all-reduce among cards of a host."""
_PICTURES = frozenset({"cnn", "detector"})
_TEXTS = frozenset({"encoder", "lstm"})
_CLASSES: Memo[str, ClassConstants] = Memo()


def class_constants(kind: str) -> ClassConstants:
    """Constants of one class of workload; all cards share them."""
    made = _CLASSES.get(kind)
    if made is None:
        made = _CLASSES[kind] = ClassConstants(
            tensor_efficiency=FITTED[f"{kind}.tensor"],
            tf32_efficiency=FITTED["train.tf32_share"],
            vector_efficiency=FITTED["train.vector_share"],
            vector_ops=FITTED[f"{kind}.vector_ops"],
            traffic=FITTED[f"{kind}.traffic"],
            fp32_traffic=FITTED["train.wide_traffic"],
            launch_s=FITTED.get(f"{kind}.launch_s", IMAGE_LAUNCH_S),
            imbalance=FITTED["train.imbalance"],
            overlap=FITTED["train.text_overlap" if kind in _TEXTS else "train.overlap"],
            old_cards=FITTED.get("images.old_cards" if kind in _PICTURES else f"{kind}.old_cards", 0.0),
        )
    return made


STACKS: Mapping[str, Behaviour] = MappingProxyType(
    {
        "ngc-20": Behaviour(),
        "ngc-22": Behaviour(newer=True),
        "ngc-24": Behaviour(newer=True),
        "examples": Behaviour(recipe=True),
        "trainer": Behaviour(newer=True),
        "litgpt": Behaviour(newer=True),
        "deepspeed": Behaviour(newer=True),
        "torchtune": Behaviour(newer=True, fused=True),
        "tuned": Behaviour(newer=True, fused=True),
        "compiled": Behaviour(newer=True, recipe=True, fused=True),
        "engine": Behaviour(newer=True, recipe=True, fused=True, casts=1.0 / 3.0),
    }
)
"""What training software does: newer kernels than the containers of 2020, recipes tuned for speed (layout, input
pipeline, fused optimizer), decoders whose norms, rotations and losses are fused or compiled (FlashAttention, Liger,
torch.compile, Transformer Engine), casts to 8 bits that are part of other kernels (Transformer Engine: of three times
two bytes a value, the two that are written are left)."""

OPS_PER_UNIT = 24.0
"""Forward operations of a transformer per unit of token x layer x width: 24 x width, per unit of width."""
ATTENTION_LENGTH = 435.0
"""Length at which attention matrices weigh as much as the rest of a layer: 34 + 5 x heads x length / width bytes a
token and layer (arXiv 2205.05198, section 4.1) at a head width of 64."""
INFERENCE_SHARE = 0.34
"""Of a training step's traffic and other work: the forward pass alone."""
INFERENCE_LAUNCH_S = 0.017
"""Floor of one eager forward call."""
SWITCHED_NVLINK = 160.0
"""From this figure on NVLink joins all cards of a board, not pairs."""
USUAL_BATCH = MappingProxyType(
    {"cnn": 64, "depthwise": 64, "detector": 16, "encoder": 16, "vit": 64, "lstm": 128, "recurrent": 16}
)
"""Per card, when none is named."""

MATMUL_SHARE: Mapping[str, float] = MappingProxyType(
    {
        "Ampere": 0.85,
        "Hopper": 0.81,
        "Blackwell": 0.78,
        "Blackwell Ultra": 0.78,
        "CDNA 2.0": 0.70,
        "CDNA 3.0": 0.60,
        "CDNA 4.0": 0.62,
        **dict.fromkeys(("RDNA 3.0", "RDNA 3.5", "RDNA 4.0"), 0.62),
    }
)
"""Share of the dense 16-bit peak that the largest measured matrix products reach, by architecture. RDNA: 36.9 of 59.4
TFLOPS on Strix Halo (hipBLASLt, mamf-finder), taken for its sisters."""

NVIDIA_MATMUL_SHARE = 0.81
"""The share the efficiencies above were fitted with; other makers' peaks are scaled by theirs."""

RELATIVE_SPREAD = 0.24
"""Half-width of the 90 % band of one card's speed over another's."""
