"""Which model a row of a published case means: free spellings, sizes, models that only the image table knows."""

from __future__ import annotations

import re
from typing import Final

from advisor.catalog import Catalog
from advisor.errors import UnsupportedCombination
from advisor.memory.image_shapes import drawing_model
from advisor.models import MlModel

_TAILS: Final = (
    "-chat", "-instruct", "-base", " base", " v1.5", "-hf", " r50-fpn", "-it", "-gguf", "-bf16", "-awq", "-fp8",
    "-thinking", " preview",
)  # fmt: skip
_DRAWS: Final = re.compile(r"diffusion|flux|pixart|\bdit\b|\bsd|video|image|\bltx|\bwan|krea|ideogram", re.IGNORECASE)
_ACTIVE: Final = re.compile(r"(?<![\w.])A(\d+(?:\.\d+)?)B", re.IGNORECASE)
_EXPERTS_AFTER: Final = re.compile(r"\d+B-?A(\d+(?:\.\d+)?)B?", re.IGNORECASE)
_ADDED: Final = re.compile(r"\s+(?:w\d+a\d+|671b|think|4-bit|u-net)\b.*$|, .*$", re.IGNORECASE)


def _without_tails(name: str) -> list[str]:
    """The name without the endings that tune or format a model and change no shape."""
    forms = []
    lowered = name.lower()
    for tail in _TAILS:
        if lowered.endswith(tail):
            cut = name[: -len(tail)]
            forms += [cut, re.sub(r"-v\d+$", "", cut), *_without_tails(cut)]
    return forms


def _spellings(name: str) -> list[str]:
    plain = name.rsplit("/", 1)[-1].strip() if "/" in name and not re.search(r"/\d", name) else name.strip()
    inner = re.findall(r"\(([^)]*)\)", plain)
    outer = re.sub(r"\s*\([^)]*\)", "", plain)
    forms = [name, plain, outer, _ADDED.sub("", outer)]
    forms.append(re.sub(r"-v\d+(\.\d+)*$", "", plain))
    forms.append(re.sub(r"\s+[\d.]+b$", "", plain, flags=re.IGNORECASE))
    forms.append(re.sub(r"[- ][\d.]+b(-a[\d.]+b)?$", "", plain, flags=re.IGNORECASE))
    for form in (plain, outer):
        forms += _without_tails(form)
    return [form for form in dict.fromkeys([*forms, *inner]) if form]


def _active(name: str) -> float | None:
    """Active parameters that a name states: "30B-A3B"."""
    found = _EXPERTS_AFTER.search(name) or _ACTIVE.search(name)
    return float(found[1]) * 1e9 if found else None


_VIT: Final = re.compile(r"^vit\b|\bvit-|dinov?2|vision transformer", re.IGNORECASE)
_EARLIER: Final = re.compile(r"^(mpt|opt|pythia|gpt-?2|gpt-?neo|cerebras)", re.IGNORECASE)
"""Decoders of the GPT-2 kind: a plain feed-forward block four times as wide, a head for each query, 50,000 tokens."""
_EARLIER_VOCAB: Final = 50_368
_LADDER: Final = (
    (0.2e9, 12, 768, 12),
    (0.55e9, 24, 1024, 16),
    (1.0e9, 24, 1536, 16),
    (1.8e9, 24, 2048, 16),
    (4e9, 32, 2560, 32),
    (9e9, 32, 4096, 32),
    (20e9, 40, 5120, 40),
    (float("inf"), 48, 7168, 64),
)
"""Parameters below which such a decoder has these layers, width and heads (the sizes of GPT-3, arXiv 2005.14165)."""
_SPEECH: Final = re.compile(r"whisper|distil-(large|medium|small)|\basr\b", re.IGNORECASE)
_VIT_SIZES: Final = (
    (50e6, 12, 384, 6),
    (150e6, 12, 768, 12),
    (450e6, 24, 1024, 16),
    (800e6, 32, 1280, 16),
    (1.5e9, 40, 1536, 24),
    (float("inf"), 48, 1664, 16),
)
"""Parameters below which a vision transformer has these layers, width and heads (S, B, L, H, g, G)."""


def _vision_transformer(name: str, parameters: float) -> MlModel:
    _, layers, hidden, heads = next(one for one in _VIT_SIZES if parameters < one[0])
    return MlModel(
        id="vit-by-size", name=name, modality="vision", parameters=parameters, layers=layers, hidden=hidden,
        heads=heads, generic=True,
    )  # fmt: skip


def _earlier_decoder(model: MlModel) -> MlModel:
    """A decoder of the GPT-2 kind of the size of this model."""
    _, layers, hidden, heads = next(one for one in _LADDER if model.parameters < one[0])
    shape = {"layers": layers, "hidden": hidden, "heads": heads, "kv_heads": heads, "head_dim": hidden // heads}
    rest = {"intermediate": 4 * hidden, "vocab": _EARLIER_VOCAB, "tied_embeddings": True}
    return model.model_copy(update={**shape, **rest})


def _by_size(catalog: Catalog, name: str, parameters: float, drawn: bool) -> MlModel:
    """A typical model of this size."""
    if _VIT.search(name):
        return _vision_transformer(name, parameters)
    if _SPEECH.search(name):
        return MlModel(id="speech-by-size", name=name, modality="speech", family="Whisper", parameters=parameters)
    model = catalog.generic_ml_model(parameters)
    if drawn or (_DRAWS.search(name) and not re.search(r"instruct|vl-", name, re.IGNORECASE)):
        modality = "image-gen" if _DRAWS.search(name) else "vision"
        return model.model_copy(update={"modality": modality, "id": "unknown-images", "name": name})
    if _EARLIER.search(name):
        return _earlier_decoder(model)
    active = _active(name)
    return model.model_copy(update={"active_parameters": active}) if active and active < parameters else model


BARE_LAYERS: Final = "layers-by-width"
"""Id of a transformer that is known by depth and width alone: layers without embeddings, measured by themselves."""
_LAYERS_SAID: Final = re.compile(r"(\d+) layers, width (\d+)", re.IGNORECASE)


def _stack_of_layers(name: str) -> MlModel | None:
    """A transformer that is named by its depth and width alone."""
    found = _LAYERS_SAID.search(name)
    if not found:
        return None
    layers, hidden = int(found[1]), int(found[2])
    return MlModel(
        id=BARE_LAYERS, name=name, modality="text-decoder", parameters=12.0 * layers * hidden * hidden,
        layers=layers, hidden=hidden, intermediate=4 * hidden, heads=max(hidden // 128, 1), vocab=1, generic=True,
    )  # fmt: skip


_SIZE_SAID: Final = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)B\b", re.IGNORECASE)
_SAME_SIZE: Final = 1.5
"""Factor up to which a name's size may be rounded, or count a part that others leave out."""


def _of_size(model: MlModel, name: str) -> bool:
    """Whether a model is of the size that a name states: "Qwen1.5-72B" is no 7B, though a shorter spelling finds it."""
    sizes = [float(one) * 1e9 for one in _SIZE_SAID.findall(name)]
    wholes = [model.parameters, model.active_parameters or model.parameters]
    return not sizes or any(size / _SAME_SIZE <= whole <= size * _SAME_SIZE for size in sizes for whole in wholes)


def resolve_model(catalog: Catalog, name: str, params_b: float | None, *, drawn: bool = False) -> MlModel:
    """The catalogue's model of this spelling, else one of the image table, else a typical one of the stated size.

    Raises:
        UnsupportedCombination: neither shape nor size can be made out.
    """
    for form in _spellings(name):
        found = drawing_model(form) or catalog.find_ml_model(form)
        if found is not None and _of_size(found, name):
            return found
    if params_b:
        return _by_size(catalog, name, params_b * 1e9, drawn)
    stacked = _stack_of_layers(name)
    if stacked is not None:
        return stacked
    stand_in = catalog.size_stand_in(name)
    if stand_in is None:
        raise UnsupportedCombination(f"neither shape nor size of {name!r} is known", setting="model", value=name)
    return _by_size(catalog, name, stand_in.parameters, drawn)
