"""Settings of a program that are said by name: what each changes in a complete workload, and in which work it counts.

The formulas know these settings as fields of `Workload`; here they have the names by which a message speaks of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from advisor.memory.image_shapes import find_image_shape
from advisor.models import Attention, Loss, Method, MlModel, Offload, Recompute, Workload

_WRITES: Final = frozenset({"text-decoder", "multimodal"})
_READS: Final = _WRITES | {"text-encoder", "text-enc-dec"}
_WHOLE: Final = frozenset({Method.FULL, Method.PRETRAIN, Method.TRAIN})


def _is_trained(work: Workload) -> bool:
    return work.method is not Method.INFERENCE


def _is_trained_whole(work: Workload) -> bool:
    return work.method in _WHOLE


def _is_text_trained(work: Workload) -> bool:
    return _is_trained(work) and work.ml_model.modality in _READS


def _learns_words(work: Workload) -> bool:
    return _is_trained(work) and work.ml_model.modality in _WRITES


def _is_mixture(work: Workload) -> bool:
    model: MlModel = work.ml_model
    return bool(model.active_parameters and model.active_parameters < model.parameters)


def _is_of_blocks(work: Workload) -> bool:
    return bool(_blocks(work))


def _blocks(work: Workload) -> int:
    """Blocks of a network that draws; 0 for others, and where their number is not known."""
    known = find_image_shape(work.ml_model) if work.ml_model.modality == "image-gen" else None
    return known.tokens_layers if known else 0


def _is_drawn(work: Workload) -> bool:
    return work.ml_model.modality == "image-gen" and not _is_trained(work)


def _is_drawing_trained(work: Workload) -> bool:
    return work.ml_model.modality == "image-gen" and _is_trained(work)


@dataclass(frozen=True, slots=True)
class Switch:
    """One setting: in which work it counts, the fields that it sets, and what it puts into the machine's memory."""

    counts: Callable[[Workload], bool]
    sets: Mapping[str, object] = field(default_factory=dict)
    offload: Offload | None = None


SWITCHES: Final[Mapping[str, Switch]] = {
    "in_backward": Switch(_is_trained_whole, {"fused_backward": True}),
    "chunked_loss": Switch(_learns_words, {"loss": Loss.CHUNKED}),
    "selective": Switch(_is_text_trained, {"recompute": Recompute.SELECTIVE, "checkpointing": None}),
    "eager": Switch(_is_text_trained, {"attention": Attention.EAGER}),
    "activations_in_ram": Switch(_is_trained, offload=Offload.ACTIVATIONS),
    "optimizer_in_ram": Switch(_is_trained_whole, offload=Offload.OPTIMIZER),
    "experts_in_ram": Switch(_is_mixture, offload=Offload.EXPERTS),
    "swapped": Switch(_is_of_blocks, offload=Offload.WEIGHTS),
    "tiled": Switch(_is_drawn, {"tiled_decode": True}),
    "cached_text": Switch(_is_drawing_trained, {"cached_text": True}),
    "unpacked": Switch(_learns_words, {"packing": False}),
}
"""By the names of the signs `setting` (bot/lexicon/signs/switches.yaml)."""


def switched(work: Workload, said: Iterable[str]) -> Workload:
    """The workload with the settings that were said, as far as they count in such work.

    Args:
        work: complete otherwise.
        said: names of `SWITCHES`, "swapped" with the number of blocks behind a colon; others are passed over.
    """
    known = {name: one for name in said if (one := SWITCHES.get(_named(name))) is not None and one.counts(work)}
    if not known:
        return work
    update: dict[str, object] = {field_: value for one in known.values() for field_, value in one.sets.items()}
    update["offloads"] = tuple(dict.fromkeys((*work.offloads, *_lent(known.values()))))
    return work.model_copy(update=update | _share(work, known))


def _named(name: str) -> str:
    """The name of a setting, without its number."""
    return name.partition(":")[0]


def _lent(switches: Iterable[Switch]) -> Iterator[Offload]:
    """What they put into the machine's memory."""
    return (one.offload for one in switches if one.offload is not None)


def _share(work: Workload, names: Iterable[str]) -> dict[str, object]:
    """The share of the blocks that are swapped, where their number was said."""
    counts = (name.partition(":")[2] for name in names if _named(name) == _SWAPPED)
    count = next(filter(None, counts), "")
    return {"offload_share": min(1.0, int(count) / _blocks(work))} if count else {}


def counted_in(work: Workload) -> tuple[str, ...]:
    """Names of the settings that a workload holds beside what is usual, in the order of the table."""
    told = _TOLD if _is_trained(work) else _TOLD | {_SWAPPED}
    return tuple(name for name, one in SWITCHES.items() if name in told and one.counts(work) and _holds(work, one))


_SWAPPED: Final = "swapped"
_TOLD: Final = frozenset(SWITCHES) - {"cached_text", "unpacked", _SWAPPED}
"""Those that no way of usual.yaml sets by itself, and that are no length of a sample; blocks are only swapped by one
that trains."""


def _holds(work: Workload, one: Switch) -> bool:
    put = one.offload is None or one.offload in work.offloads
    return put and all(getattr(work, name) == value for name, value in one.sets.items() if value is not None)
