"""What each software does with memory, as a handful of switches with their source: a habit of code, never of a case.

A switch says what the program does (keeps the logits in fp32, writes scores to memory, gathers sharded weights unit by
unit); how many bytes that costs follows from shapes and from the few constants that all programs share
(`calibration`). Where the habit changed with a version, each version line is an entry of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from typing import Final

from advisor.memory.runtimes import CT2, CUDA_11, CUDA_12, ENGINE, GGML, NGC, TENSORFLOW, TENSORFLOW_NGC, Runtime
from advisor.models import Loss


class Cached(StrEnum):
    """How keys and values of a growing text are stored."""

    GROWS = "grows"
    """Joined anew for each token, so that old and new copy lie in memory together."""
    FIXED = "fixed"
    """Laid out once for the longest text."""
    PAGED = "paged"
    """In blocks, out of what the program has taken for itself."""


@dataclass(frozen=True, slots=True)
class Stack:
    """One program, or one version line of it."""

    name: str
    runtime: Runtime = CUDA_12
    source: str = ""
    """Where the habits are written down: the program's own documentation or code."""
    known: bool = True
    """False for the stand-in where nobody said which software runs."""
    # training
    loss: Loss = Loss.EAGER
    upcasts_logits: bool = True
    """Logits are copied to fp32 before the loss."""
    selective: bool = False
    """Recipes keep results of matrix products and recompute the rest unless told otherwise."""
    checkpoints: bool = False
    """Recipes recompute activations unless told otherwise."""
    fp32_master: bool = False
    """"bf16" means 16-bit arithmetic beside fp32 weights, unless a run says otherwise."""
    half_by_default: bool = False
    """Arithmetic is in 16 bits where nothing is said."""
    all_in_half: bool = False
    """Full training keeps weights, gradients and moments in 16 bits where nothing is said."""
    wraps_offloaded: bool = False
    """An optimizer in RAM is a wrapper around that of the card, whose master weights stay (torchao's
    CPUOffloadOptimizer)."""
    foreach_step: bool = False
    """The optimizer works on all tensors at once and makes temporaries of their size."""
    keeps_gradients: bool = False
    """Gradients are zeroed and not released, or partly accumulated, so they stand beside the activations."""
    half_gradients: bool = False
    """16-bit gradients beside fp32 master weights."""
    widens_gradients: bool = False
    """Their fp32 copy is held for the step (ZeRO)."""
    compiles_loss: bool = False
    """torch.compile takes the loss, too: 16-bit logits and their gradient are all that is written."""
    half_norms: bool = False
    """Layer norms work on and keep a 16-bit copy of their input."""
    half_adapters: bool = False
    """Adapters are trained in 16 bits all through."""
    wide_adapters: bool = False
    """Adapters have fp32 masters, gradients and 16-bit working copies beside them (ZeRO)."""
    buckets: bool = False
    """Fixed communication buckets of 500 million values (ZeRO-1 to 3 of DeepSpeed)."""
    graph_copies: bool = False
    """Gradients and slot variables are copied inside the graph (TensorFlow)."""
    unties_embeddings: bool = False
    saves_quantised_inputs: bool = False
    loads_before_sharding: bool = False
    sharding_keeps_weights: bool = False
    """Full sharding leaves gathered weights in place between forward and backward pass."""
    eager_attention: bool = False
    """Scores are written to memory, as before fused attention kernels came with PyTorch 2."""
    every_matrix: bool = False
    """Adapters sit on every matrix where a recipe names no targets."""
    fused_adapters: bool = False
    """Kernels of its own run frozen matrix and adapter together and keep no copies of their inputs."""
    writes_itself: bool = False
    """In reinforcement learning samples come from the weights that are trained, and from no engine with its own."""
    moves_activations: bool = False
    """Borders of layers go to RAM by default while activations are recomputed."""
    # inference
    cached: Cached = Cached.FIXED
    windows: bool = True
    """Layers that look back over a window keep no more than that."""
    prompt_chunk: int = 0
    """Tokens of a prompt that are worked on at a time; 0 where the whole prompt goes through at once."""
    scores_pieces: bool = False
    """Scores over the vocabulary are laid out in fp32 for every token of a piece, not for the last one alone."""
    gguf: bool = False
    """Loads GGUF files alone, so that 4 and 8 bits are Q4_K_M and Q8_0; the table of embeddings stays in RAM where the
    head is a matrix of its own."""
    lays_out: int = 0
    """Tokens of cache for all requests together that its recipes set aside; 0 where the context asked for decides."""
    usual_quant: str = ""
    """The format of the weights that its recipes load."""
    usual_batch: int = 0
    """Samples of a training step where nothing is said; 0 for no habit."""
    takes: float = 0.0
    """Share of a card that a server takes for itself and fills with cache."""
    casts_weights: bool = False
    """Weights are held in fp32 and copied to half precision for arithmetic."""
    lean_step: float = 1.0
    """What a step of a clip works with, in units of what it does in the makers' own code."""
    by_turns: bool = False
    """Parts of a pipeline leave the card for the next one when they do not fit together."""
    spills: bool = False
    """Layers that the card cannot hold run from RAM without being asked to."""


_HF: Final = Stack(
    "transformers", cached=Cached.GROWS, keeps_gradients=True, source="https://huggingface.co/docs/transformers/perf_train_gpu_one"
)  # fmt: skip
_SD: Final = Stack(
    "diffusers",
    foreach_step=True,
    half_by_default=True,
    source="https://huggingface.co/docs/diffusers/optimization/memory",
)

_TITAN: Final = Stack(
    "torchtitan",
    fp32_master=True,
    selective=True,
    loss=Loss.CHUNKED,
    source="https://github.com/pytorch/torchtitan/blob/main/torchtitan/models/llama3/config_registry.py",
)
_TITAN_2025: Final = replace(
    _TITAN,
    name="torchtitan-2025",
    loss=Loss.EAGER,
    compiles_loss=True,
    source="https://github.com/pytorch/torchtitan/blob/main/torchtitan/components/loss.py",
)

STACKS: Final[dict[str, Stack]] = {
    one.name: one
    for one in (
        Stack("unknown", known=False, cached=Cached.GROWS, keeps_gradients=True),
        _HF,
        replace(_HF, name="transformers-2022", runtime=CUDA_11),
        replace(_HF, name="pytorch", cached=Cached.FIXED),
        replace(_HF, name="peft", foreach_step=True, source="https://github.com/huggingface/peft method_comparison"),
        replace(
            _HF,
            name="deepspeed",
            half_gradients=True,
            widens_gradients=True,
            wide_adapters=True,
            buckets=True,
            every_matrix=True,
            source="https://www.deepspeed.ai/docs/config-json",
        ),
        replace(_HF, name="llama-factory", checkpoints=True, every_matrix=True, source="https://github.com/hiyouga/LLaMA-Factory"),
        replace(_HF, name="ms-swift", checkpoints=True, every_matrix=True, source="https://github.com/modelscope/ms-swift"),
        replace(_HF, name="trl", checkpoints=True, writes_itself=True, source="https://huggingface.co/docs/trl"),
        replace(_HF, name="axolotl", every_matrix=True, checkpoints=True, source="https://docs.axolotl.ai/docs/config-reference.html"),
        replace(
            _HF,
            name="unsloth",
            loss=Loss.CHUNKED,
            checkpoints=True,
            every_matrix=True,
            keeps_gradients=False,
            writes_itself=True,
            moves_activations=True,
            fused_adapters=True,
            source="https://docs.unsloth.ai",
        ),
        # the tutorials of its doc/en start every server with --cache_lens 32768 on GGUF files of the Q4_K_M type
        Stack("ktransformers", windows=False, prompt_chunk=2048, lays_out=32_768, usual_quant="q4_k_m", source="https://github.com/kvcache-ai/ktransformers/tree/main/doc/en"),
        Stack(
            "litgpt",
            upcasts_logits=False,
            keeps_gradients=True,
            half_adapters=True,
            unties_embeddings=True,
            saves_quantised_inputs=True,
            loads_before_sharding=True,
            sharding_keeps_weights=True,
            windows=False,
            source="https://github.com/Lightning-AI/litgpt/blob/main/tutorials/resource-tables.md",
        ),
        Stack(
            "torchtune",
            loss=Loss.FUSED,
            checkpoints=True,
            half_adapters=True,
            all_in_half=True,
            source="https://pytorch.org/torchtune/stable/tutorials/memory_optimizations.html",
        ),
        _TITAN,
        _TITAN_2025,
        replace(_TITAN_2025, name="torchtitan-2024", compiles_loss=False),
        Stack("megatron", fp32_master=True, loss=Loss.FUSED, keeps_gradients=True, source="https://docs.nvidia.com/megatron-core"),
        Stack("megatron-bridge", fp32_master=True, half_gradients=True, loss=Loss.FUSED, keeps_gradients=True, source="https://github.com/NVIDIA-NeMo/Megatron-Bridge/tree/main/scripts/performance"),
        Stack("composer", fp32_master=True, loss=Loss.FUSED, keeps_gradients=True, half_norms=True, source="https://github.com/mosaicml/llm-foundry/tree/main/scripts/train/benchmarking"),
        Stack("verl", fp32_master=True, half_by_default=True, checkpoints=True, takes=0.6, source="https://github.com/hiyouga/EasyR1"),
        Stack("llm.c", fp32_master=True, loss=Loss.FUSED, keeps_gradients=True, source="https://github.com/karpathy/llm.c"),
        Stack("tensorflow-1", runtime=TENSORFLOW, keeps_gradients=True, graph_copies=True, source="https://github.com/google-research/bert"),
        Stack("tensorflow-ngc", runtime=TENSORFLOW_NGC, keeps_gradients=True, graph_copies=True, source="https://github.com/NVIDIA/DeepLearningExamples"),
        Stack("ngc", runtime=NGC, keeps_gradients=True, source="https://github.com/lambdal/deeplearning-benchmark"),
        Stack("ultralytics", usual_batch=16, keeps_gradients=True, source="https://docs.ultralytics.com"),
        _SD,
        replace(_SD, name="finetrainers", fp32_master=True, wraps_offloaded=True, source="https://github.com/a-r-r-o-w/finetrainers"),
        replace(_SD, name="diffusers-2022", eager_attention=True, half_by_default=False),
        replace(_SD, name="simpletuner", foreach_step=False, half_adapters=True, source="https://github.com/bghira/SimpleTuner"),
        replace(_SD, name="musubi", foreach_step=False, checkpoints=True, source="https://github.com/kohya-ss/musubi-tuner"),
        replace(_SD, name="ai-toolkit", foreach_step=False, checkpoints=True, source="https://github.com/ostris/ai-toolkit"),
        # ComfyUI sets 42 bytes a token and channel aside for Wan (supported_models.py: 0.01 MiB a latent point and byte
        # times width / 2000) and 49 for HunyuanVideo, where the makers' code takes 75 and 90
        replace(_SD, name="comfyui", spills=True, by_turns=True, lean_step=0.55, source="https://github.com/comfyanonymous/ComfyUI"),
        Stack("whisper", casts_weights=True, source="https://github.com/openai/whisper"),
        Stack("whisper.cpp", runtime=GGML, source="https://github.com/ggml-org/whisper.cpp"),
        Stack("ctranslate2", runtime=CT2, source="https://github.com/SYSTRAN/faster-whisper"),
        Stack("engine", prompt_chunk=2048, known=False),
        Stack("vllm", runtime=ENGINE, cached=Cached.PAGED, prompt_chunk=8192, takes=0.9, source="https://docs.vllm.ai/en/latest/configuration/engine_args.html"),
        Stack("sglang", runtime=ENGINE, cached=Cached.PAGED, prompt_chunk=8192, takes=0.88, source="https://docs.sglang.ai/advanced_features/server_arguments.html"),
        Stack("tensorrt-llm", runtime=ENGINE, cached=Cached.PAGED, prompt_chunk=8192, takes=0.9, source="https://nvidia.github.io/TensorRT-LLM/reference/memory.html"),
        # llama-context.cpp reserves an output for each token of a piece, llama-model.cpp leaves the input layer in RAM
        Stack("llama.cpp", runtime=GGML, prompt_chunk=512, scores_pieces=True, gguf=True, spills=True, source="https://github.com/ggml-org/llama.cpp/blob/master/src/llama-context.cpp"),
        replace(Stack("exllama", prompt_chunk=2048), source="https://github.com/turboderp-org/exllamav2"),
        Stack("mlx", runtime=GGML, prompt_chunk=2048, source="https://github.com/ml-explore/mlx-lm"),
    )
}  # fmt: skip
"""All programs by name. `unknown` and `engine` stand for training and for serving that nobody named."""

_WORDS: Final[tuple[tuple[str, str], ...]] = (
    ("litgpt", "litgpt"),
    ("lit-gpt", "litgpt"),
    ("torchtune", "torchtune"),
    ("torchtitan", "torchtitan"),
    ("megatron-bridge", "megatron-bridge"),
    ("megatron bridge", "megatron-bridge"),
    ("megatron", "megatron"),
    ("nemo", "megatron"),
    ("llm-foundry", "composer"),
    ("llm foundry", "composer"),
    ("composer", "composer"),
    ("llm.c", "llm.c"),
    ("nanogpt", "pytorch"),
    ("verl", "verl"),
    ("easyr1", "verl"),
    ("unsloth", "unsloth"),
    ("ktransformers", "ktransformers"),
    ("deepspeed", "deepspeed"),
    ("llama-factory", "llama-factory"),
    ("llamafactory", "llama-factory"),
    ("ms-swift", "ms-swift"),
    ("axolotl", "axolotl"),
    ("faster-whisper", "ctranslate2"),
    ("ctranslate", "ctranslate2"),
    ("whisperx", "ctranslate2"),
    ("whisper.cpp", "whisper.cpp"),
    ("whisper", "whisper"),
    ("vllm", "vllm"),
    ("sglang", "sglang"),
    ("tensorrt-llm", "tensorrt-llm"),
    ("trt-llm", "tensorrt-llm"),
    ("nim", "tensorrt-llm"),
    ("llama.cpp", "llama.cpp"),
    ("llama-server", "llama.cpp"),
    ("ollama", "llama.cpp"),
    ("lm studio", "llama.cpp"),
    ("koboldcpp", "llama.cpp"),
    ("exllama", "exllama"),
    ("tabbyapi", "exllama"),
    ("mlx", "mlx"),
    ("simpletuner", "simpletuner"),
    ("musubi", "musubi"),
    ("kohya", "musubi"),
    ("sd-scripts", "musubi"),
    ("ai-toolkit", "ai-toolkit"),
    ("peft+diffusers", "diffusers-2022"),
    ("finetrainers", "finetrainers"),
    ("diffusers", "diffusers"),
    ("onediff", "diffusers"),
    ("comfyui", "comfyui"),
    ("trl", "trl"),
    ("peft", "peft"),
    ("transformers trainer", "transformers-2022"),
    ("transformers", "transformers"),
    ("hugging face", "transformers"),
    ("deeplearningexamples", "ngc"),
    ("tensorflow 1", "tensorflow-1"),
    ("tensorflow", "tensorflow-ngc"),
    ("ultralytics", "ultralytics"),
    ("lightlytrain", "ultralytics"),
    ("pytorch", "pytorch"),
)
"""Words in free spellings, the first that occurs decides."""
_SHORT: Final = 4
"""Letters up to which a word must stand by itself, so that "minimal" names no NIM."""


@dataclass(frozen=True, slots=True)
class _Line:
    """An older version line of a program."""

    name: str
    until: tuple[int, int]
    """The first version, or year and month, that behaves like the program of today."""
    spelt: re.Pattern[str]


_LINES: Final[dict[str, tuple[_Line, ...]]] = {
    # December 2022: PyTorch built for CUDA 11.7, whose kernels are loaded when first used
    "transformers": (_Line("transformers-2022", (4, 26), re.compile(r"(\d+)\.(\d+)")),),
    # through 2024 the line that compiles the loss was commented out in its train.py; in June 2026 recipes began to take
    # head and loss in pieces
    "torchtitan": (
        _Line("torchtitan-2024", (2025, 1), re.compile(r"\b(20\d\d)-(\d\d)\b")),
        _Line("torchtitan-2025", (2026, 6), re.compile(r"\b(20\d\d)-(\d\d)\b")),
        _Line("torchtitan-2025", (2, 13), re.compile(r"\btorch (\d+)\.(\d+)\b")),
    ),
}
"""Oldest line first."""


def find_stack(framework: str | None, default: str, version: str | None = None) -> Stack:
    """The program that a free spelling names, else the default one.

    Args:
        framework: "vLLM 0.8.1", "transformers + PEFT", or None.
        default: a key of `STACKS` for what runs when nothing, or nothing known, is named.
        version: the version where it stands apart from the name.
    """
    if not framework:
        return STACKS[default]
    spelling = framework.lower()
    for word, name in _WORDS:
        if word in spelling and (len(word) > _SHORT or re.search(rf"(?<![a-z]){word}(?![a-z])", spelling)):
            return _versioned(STACKS[name], version or spelling)
    return _unknown(default)


@lru_cache(maxsize=64)
def _unknown(default: str) -> Stack:
    """What usually does a job, standing in for a program that nobody knows."""
    return replace(STACKS[default], known=False)


def _versioned(stack: Stack, version: str) -> Stack:
    """The version line of a program where its habits changed."""
    for line in _LINES.get(stack.name, ()):
        found = line.spelt.search(version)
        if found is not None and (int(found[1]), int(found[2])) < line.until:
            return STACKS[line.name]
    return stack
