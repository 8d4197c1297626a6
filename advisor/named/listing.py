"""What the catalogue holds, for looking around: cards and models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeVar

from advisor.catalog import Catalog
from advisor.models import Gpu, MlModel
from advisor.named.asking import named_text, shipped
from advisor.named.results import Listing
from advisor.named.shown import Cell
from advisor.names import name_key

_BILLION: Final = 1e9
_Record = TypeVar("_Record")


def gpus_of(search: str = "", *, catalog: Catalog | None = None) -> Listing:
    """Cards whose name, maker or series holds the words; all without them.

    Raises TypeError where the search is no text.
    """
    books = catalog or shipped()
    words = _words(search, "list_gpus")
    found = _found(words, books.gpus.values(), lambda gpu: (gpu.name, gpu.vendor, gpu.family, gpu.series))
    return Listing("gpus", tuple(_gpu_row(gpu) for gpu in sorted(found, key=_newest)))


def models_of(search: str = "", *, catalog: Catalog | None = None) -> Listing:
    """Models whose name, family or kind holds the words; all without them. Raises TypeError."""
    books = catalog or shipped()
    words = _words(search, "list_models")
    found = _found(words, books.ml_models.values(), lambda one: (one.name, one.family, one.modality))
    return Listing("models", tuple(_model_row(one) for one in sorted(found, key=lambda m: (m.modality, m.parameters))))


def _words(search: str, call: str) -> list[str]:
    text = named_text(search, call, "what to look for") if search != "" else ""
    return [name_key(word) for word in text.split()]


def _found(words: list[str], records: Iterable[_Record], texts: Callable[[_Record], Sequence[str]]) -> list[_Record]:
    """Records whose name holds the words as one, else those that hold every word somewhere."""
    known = [(one, [name_key(text) for text in texts(one)]) for one in records]
    as_one = [one for one, (name, *_) in known if "".join(words) in name]
    return as_one or [one for one, whole in known if all(word in " ".join(whole) for word in words)]


def _newest(gpu: Gpu) -> tuple[str, int, str]:
    since = gpu.known_on
    return gpu.vendor, -since.toordinal() if since else 0, gpu.name


def _gpu_row(gpu: Gpu) -> dict[str, Cell]:
    since = gpu.known_on
    return {
        "gpu": gpu.name,
        "vendor": gpu.vendor,
        "year": since.year if since else None,
        "vram_gib": gpu.vram_gib if gpu.vram_gib else max(gpu.memory_options_gib, default=None),
        "bandwidth_gb_per_s": gpu.memory_bandwidth_gb_per_s,
        "fp16_tflops": gpu.fp16_tensor_fp32acc_tflops,
        "power_w": gpu.board_power_w,
        "id": gpu.id,
    }


def _model_row(one: MlModel) -> dict[str, Cell]:
    return {
        "model": one.name,
        "kind": one.modality,
        "parameters_b": round(one.parameters / _BILLION, 3),
        "active_b": round(one.active_parameters / _BILLION, 3) if one.active_parameters else None,
        "context": one.max_seq,
        "id": one.id,
    }
