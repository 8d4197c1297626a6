"""What generating software does, as far as speed is concerned: declared behaviours, not figures of one source.

Sources: the projects' own documentation (CUDA graphs in llama.cpp since May 2024, vLLM and TensorRT-LLM; ExLlama's
fused kernels; Transformers launching every operation from Python; CTranslate2's fused kernels and 8-bit products).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
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
    offloads: bool = False
    """Runs layers or experts on the processor when they do not fit."""
    copies: bool = False
    """Weights in the machine's memory are copied to the card for long prompts, not multiplied where they are."""
    words: tuple[str, ...] = ()
    """How it is spelled in tables and questions."""


LLAMA_CPP: Final = Engine(
    "llama.cpp",
    unpacks=True,
    offloads=True,
    copies=True,
    words=("llama.cpp", "llamacpp", "llama-bench", "ollama", "lm studio", "lmstudio", "koboldcpp", "gguf", "jan.ai"),
)
ENGINES: Final[tuple[Engine, ...]] = (
    Engine("ktransformers", offloads=True, batches=True, words=("ktransformers", "kt-kernel")),
    Engine("ik_llama.cpp", unpacks=True, offloads=True, copies=True, words=("ik_llama",)),
    Engine("tensorrt-llm", batches=True, words=("tensorrt-llm", "trtllm", "tensorrt", "nim")),
    Engine("vllm", batches=True, words=("vllm",)),
    Engine("sglang", batches=True, words=("sglang",)),
    Engine("lmdeploy", batches=True, words=("lmdeploy", "turbomind", "mindie", "mii")),
    Engine("exllama", words=("exllama", "tabbyapi", "exl2", "exl3")),
    Engine("mlx", unpacks=True, words=("mlx",)),
    Engine("litgpt", eager=True, words=("litgpt",)),
    Engine("transformers", eager=True, words=("transformers", "hugging face", "huggingface")),
    LLAMA_CPP,
)
BY_NAME: Final = {one.name: one for one in ENGINES} | {"engine": LLAMA_CPP}
"""`engine` is what local users run when they name nothing."""
_DRAFTS: Final = re.compile(r"speculat|(?<!without )draft|(?<![a-z])mtp|eagle|medusa", re.IGNORECASE)
_NO_DRAFTS: Final = re.compile(r"(?:no|without) (?:speculative|draft|mtp)", re.IGNORECASE)


@lru_cache(maxsize=512)
def engine_of(text: str) -> Engine | None:
    """The engine that a text names, or None."""
    lowered = text.lower()
    return next((one for one in ENGINES for word in one.words if word in lowered), None)


def drafts_in(text: str) -> bool:
    """Whether a text says that drafts are checked instead of single tokens written (speculative decoding, MTP)."""
    return bool(_DRAFTS.search(text)) and not _NO_DRAFTS.search(text)
