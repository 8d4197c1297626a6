"""What generating software does, as far as speed is concerned: declared behaviours, not figures of one source.

Sources: the projects' own documentation (CUDA graphs in llama.cpp since May 2024, vLLM and TensorRT-LLM; ExLlama's
fused kernels; Transformers launching every operation from Python; CTranslate2's fused kernels and 8-bit products;
llama.cpp's release notes of 2025 for flash attention where the card has it, and of 2024 for prompts in pieces over
cards; ik_llama.cpp for weights repacked at run time; KTransformers for a copy of the weights at each socket).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final


@dataclass(frozen=True, slots=True)
class Engine:
    """One kind of generating software."""

    name: str
    eager: bool = False
    """Every layer is launched from Python; otherwise a token is one graph or one compiled program."""
    unpacks: bool = False
    """Prompts are read with kernels that unpack the weights themselves (llama.cpp and its family)."""
    batches: bool = False
    """Made for many requests at once: joins them in one step and pages their cache."""
    fills: bool = False
    """Its kernels are written for stacked memory, which wants many bytes under way; local software draws less of it."""
    offloads: bool = False
    """Runs layers or experts on the processor when they do not fit."""
    copies: bool = False
    """Weights in the machine's memory are copied to the card for long prompts, not multiplied where they are."""
    maps: bool = False
    """Weights are mapped from their file: on their way to the card the processor copies them once (mmap, the default of
    llama.cpp's family), as only memory that is pinned is sent directly."""
    piece: int = 512
    """Tokens of a prompt that are worked on together unless told otherwise (llama.cpp's `-ub`)."""
    pipelines: bool = False
    """Cards that hold layers in turn work at once on pieces of a prompt that follow each other."""
    waits: bool = False
    """The processor chooses each token and hands it over before the card goes on (a benchmark of the program itself
    leaves that out)."""
    early: bool = False
    """Builds before 2025: the scores of attention pass through the card's memory, as flash attention had to be
    asked for."""
    repacks: bool = False
    """Weights in the machine's memory are laid out anew for products of 8-bit numbers."""
    sockets: bool = False
    """Weights are placed so that each socket reads its own memory."""
    reserves: bool = False
    """Keeps room for a whole answer from the start, so that no request is ever put off (TensorRT-LLM's usual
    scheduling, GUARANTEED_NO_EVICT)."""
    words: tuple[str, ...] = ()
    """How it is spelled in tables and questions."""


_LARGE_PIECE: Final = 4096
"""Tokens that engines for many requests work on together."""
LLAMA_CPP: Final = Engine(
    "llama.cpp",
    waits=True,
    pipelines=True,
    unpacks=True,
    offloads=True,
    copies=True,
    maps=True,
    words=("llama.cpp", "llamacpp", "llama-bench", "ollama", "lm studio", "lmstudio", "koboldcpp", "gguf", "jan.ai"),
)
EARLY_LLAMA_CPP: Final = replace(LLAMA_CPP, name="llama.cpp of 2024", early=True, words=())
ENGINES: Final[tuple[Engine, ...]] = (
    Engine(
        "kt-kernel",
        offloads=True,
        batches=True,
        repacks=True,
        sockets=True,
        copies=True,
        piece=_LARGE_PIECE,
        words=("kt-kernel",),
    ),
    Engine(
        "ktransformers",
        offloads=True,
        batches=True,
        sockets=True,
        piece=_LARGE_PIECE,
        words=("ktransformers",),
    ),
    Engine(
        "ik_llama.cpp",
        waits=True,
        unpacks=True,
        offloads=True,
        copies=True,
        maps=True,
        repacks=True,
        words=("ik_llama",),
    ),
    Engine(
        "tensorrt-llm",
        batches=True,
        fills=True,
        reserves=True,
        piece=_LARGE_PIECE,
        words=("tensorrt-llm", "trtllm", "tensorrt", "nim"),
    ),
    Engine("vllm", batches=True, fills=True, piece=_LARGE_PIECE, words=("vllm",)),
    Engine("sglang", batches=True, fills=True, piece=_LARGE_PIECE, words=("sglang",)),
    Engine("lmdeploy", batches=True, fills=True, piece=_LARGE_PIECE, words=("lmdeploy", "turbomind", "mindie", "mii")),
    Engine("gpt-fast", fills=True, words=("gpt-fast",)),
    Engine("exllama", words=("exllama", "tabbyapi", "exl2", "exl3")),
    Engine("mlx", unpacks=True, words=("mlx",)),
    Engine("litgpt", eager=True, words=("litgpt",)),
    Engine("transformers", eager=True, words=("transformers", "hugging face", "huggingface")),
    LLAMA_CPP,
)
BY_NAME: Final = {one.name: one for one in (*ENGINES, EARLY_LLAMA_CPP)} | {"engine": LLAMA_CPP}
"""`engine` is what local users run when they name nothing."""
_EARLY: Final = re.compile(r"(?<!\d)20(?:22|23|24)(?!\d)|(?<![a-z])build [1-4]\d{3}(?!\d)", re.IGNORECASE)
_DRAFTS: Final = re.compile(r"speculat|(?<!without )draft|(?<![a-z])mtp|eagle|medusa", re.IGNORECASE)
_NO_DRAFTS: Final = re.compile(r"(?:no|without) (?:speculative|draft|mtp)", re.IGNORECASE)


@lru_cache(maxsize=512)
def engine_of(text: str) -> Engine | None:
    """The engine that a text names, or None."""
    lowered = text.lower()
    return next((one for one in ENGINES for word in one.words if word in lowered), None)


def as_built(engine: Engine, version: str) -> Engine:
    """The engine as it was in the version that a text names by its year or build number; else as it is today."""
    return EARLY_LLAMA_CPP if engine is LLAMA_CPP and _EARLY.search(version) else engine


def drafts_in(text: str) -> bool:
    """Whether a text says that drafts are checked instead of single tokens written (speculative decoding, MTP)."""
    return bool(_DRAFTS.search(text)) and not _NO_DRAFTS.search(text)
