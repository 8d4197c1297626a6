"""What a model keeps of its context: the key-value cache by kinds of layers, from the record's own shape.

A full layer keeps keys and values of every token (or one latent vector), a window layer those of the last tokens only,
a linear layer a state of fixed size. One formula for memory and speed alike:

    bytes = width x (full values x tokens + window values x min(tokens, window)) + state
"""

from __future__ import annotations

from typing import Final, NamedTuple

from advisor.kept import kept
from advisor.models import MlModel

_MIB: Final = 2**20


class Cache(NamedTuple):
    """Numbers kept per token of one sequence, over all layers, and the fixed state in bytes."""

    full: float
    window: float
    window_tokens: int
    state_bytes: float

    def values(self, tokens: float) -> float:
        """Numbers kept for a sequence of so many tokens when the windows are used."""
        return self.full * tokens + self.window * min(tokens, self.window_tokens)

    def unwindowed(self, tokens: float) -> float:
        """The same in software that keeps the whole context in window layers, too."""
        return (self.full + self.window) * tokens


NO_CACHE: Final = Cache(0.0, 0.0, 0, 0.0)
"""Of a model that reads all of its input at once: encoders, image models."""


@kept(most=2048)
def cache_of(model: MlModel) -> Cache | None:
    """What the model keeps per token, or None where its layers are not known.

    Args:
        model: a record; where it names no kinds of layers, all of them keep the whole context, or the last
            `sliding_window` tokens when there is a window.
    """
    layers = model.decoder_layers or model.layers
    if not layers or not model.hidden:
        return None
    full_layers, window_layers = _layers_by_kind(model, layers)
    full_width, window_width = _widths(model)
    full, window = model.kv_values_per_token_full, model.kv_values_per_token_window
    return Cache(
        full=full_width * full_layers if full is None else full,
        window=window_width * window_layers if window is None else window,
        window_tokens=model.sliding_window or 0,
        state_bytes=(model.state_mib_per_sequence or 0.0) * _MIB,
    )


def _layers_by_kind(model: MlModel, layers: int) -> tuple[int, int]:
    """Layers that keep the whole context, and those that keep a window."""
    if model.full_layers is not None or model.window_layers is not None:
        return model.full_layers or 0, model.window_layers or 0
    return (0, layers) if model.sliding_window else (layers, 0)


def heads_of(model: MlModel, usual_width: int = 64, hidden: int | None = None) -> tuple[int, int]:
    """Attention heads and the width of one, of heads that are `usual_width` wide where the record names none.

    `hidden`: width of a layer, where it is not the record's.
    """
    width = hidden or model.hidden or 0
    heads = model.heads or max(1, width // usual_width)
    return heads, model.head_dim or max(1, width // heads)


def _widths(model: MlModel) -> tuple[float, float]:
    """Numbers that one full layer and one window layer keep per token: keys and values, or a latent vector."""
    heads, width = heads_of(model)
    kv_heads = model.kv_heads or heads
    full = float(model.kv_lora_rank or 2 * kv_heads * width)
    return full, 2.0 * (model.window_kv_heads or kv_heads) * (model.window_head_dim or width)
