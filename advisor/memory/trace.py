"""The trail behind an estimate: one step per component, with the formula in numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from advisor.kept import kept
from advisor.memory.formats import WeightFormat
from advisor.memory.job import Job, Kind, Trains
from advisor.memory.shapes import TEXT, Shape, shape_of
from advisor.memory.stacks import Cached
from advisor.models import MlModel, Step, step_of

_GUIDE = "seed-002"
_BYTES_RULE = "001-033"


def _billions(count: float) -> str:
    if count >= 1e9:
        return f"{count / 1e9:.3g}e9"
    return f"{count / 1e6:.3g}e6"


def _stored(form: WeightFormat) -> str:
    return f"{form.linear_bits / 8:.3g} B"


@kept(most=2048)
def _model_step(model: MlModel) -> Step:
    return step_of(
        name="parameters",
        value=model.parameters,
        how="assumption" if model.generic else "claim",
        sources=tuple(dict.fromkeys(source for key, source in model.sources.items() if key in ("*", "parameters"))),
    )


def _setting(name: str, value: float | int | str | bool, unit: str = "") -> Step:
    return step_of(name=name, value=value, unit=unit, how="")


def _weights_text(job: Job) -> str:
    text = f"{_billions(job.model.parameters)} x {_stored(job.weights)}"
    if job.trains is Trains.ALL and job.master:
        text += f" + {_billions(job.model.parameters)} x 2 B"
    if job.auxiliary:
        text += f" + {_billions(job.auxiliary)} x 2 B"
    return text


def _cache_text(job: Job, shape: Shape) -> str:
    """Cached numbers by kinds of layers: those that keep everything, those that keep a window."""
    cache, grown = shape.cache, " x 2" if job.stack.cached is Cached.GROWS else ""
    each = [f"{job.seq_len} x {cache.full:g}"] if cache.full else []
    if cache.window:
        each.append(f"{min(job.seq_len, cache.window_tokens)} x {cache.window:g}")
    inner = each[0] if len(each) == 1 else f"({' + '.join(each)})"
    return f"{job.batch} x {inner} x {job.kv_bytes:g} B{grown}"


def _formula(name: str, gib: float, job: Job, shape: Shape | None) -> str:
    """Formula text of one component; symbols and numbers, no prose that would need translating."""
    write = _FORMULAS.get(name)
    return (write(gib, job, shape) if write else "") or job.stack.name


def _shared(job: Job) -> str:
    """How a part is divided among cards that do not each hold all of it."""
    return f" / {job.n_gpus}" if job.n_gpus > 1 and job.parallel.value not in ("none", "ddp") else ""


def _state_text(gib: float, job: Job, shape: Shape | None) -> str:
    """Gradients or the optimizer's state, by the parameters that are trained."""
    trained, shared = job.model.parameters if job.trains is Trains.ALL else job.adapter_params, _shared(job)
    if not trained:
        return ""
    each = gib * 2.0**30 * (job.n_gpus if shared else 1) / trained
    return f"{_billions(trained)} x {each:.3g} B{shared}"


def _logits_text(gib: float, job: Job, shape: Shape | None) -> str:
    if shape is None:
        return ""
    each = gib * 2.0**30 / (job.batch * job.seq_len * shape.vocab)
    return f"{job.batch} x {job.seq_len} x {shape.vocab} x {each:.3g} B"


def _activations_text(gib: float, job: Job, shape: Shape | None) -> str:
    """Per token of what is worked on at once, or per picture."""
    if shape is None:
        return f"{job.batch} x {job.width}x{job.height} x {gib * 2.0**20 / (job.batch * 1.0):.4g} KiB"
    chunk = job.chunk or job.stack.prompt_chunk
    tokens = chunk if job.kind is Kind.INFER and 0 < chunk < job.seq_len else job.seq_len
    return f"{job.batch} x {tokens} x {gib * 2.0**20 / (job.batch * tokens):.4g} KiB"


_FORMULAS: Final[dict[str, Callable[[float, Job, Shape | None], str]]] = {
    "weights": lambda gib, job, shape: _weights_text(job) + _shared(job),
    "gradients": _state_text,
    "optimizer": _state_text,
    "kv_cache": lambda gib, job, shape: _cache_text(job, shape) if shape else "",
    "logits": _logits_text,
    "activations": _activations_text,
}
"""Formula of each component; what has none is a habit of the program, which is named instead."""


def component_steps(job: Job, items: tuple[tuple[str, float], ...]) -> tuple[Step, ...]:
    """Steps of all components in order; the weights step leads down to the catalogue's parameter count."""
    shape = shape_of(job.model) if job.model.modality in TEXT else None
    sizes: tuple[Step, ...] = ()
    steps = []
    for name, gib in items:
        inputs: tuple[Step, ...] = ()
        rows: tuple[str, ...] = ()
        if name == "weights":
            inputs = (_model_step(job.model), _setting("bits_per_weight", job.weights.linear_bits, "bit"))
            if job.weights.linear_bits == 32.0:
                rows = (_BYTES_RULE,)
        elif name in ("activations", "kv_cache", "logits"):
            sizes = inputs = sizes or _sizes(job, shape)
        how = "assumption" if name == "framework" else _formula(name, gib, job, shape)
        steps.append(step_of(name=name, value=gib, unit="GiB", how=how, inputs=inputs, rows=rows))
    return tuple(steps)


def _sizes(job: Job, shape: Shape | None) -> tuple[Step, ...]:
    """What everything that grows with the batch is multiplied by."""
    batch = _setting("batch", job.batch)
    return (batch, _setting("seq_len", job.seq_len)) if shape else (batch,)


_GUIDE_ROWS: dict[str, tuple[float, tuple[str, ...]]] = {
    "transformers": (11.0, ("002-122", "002-133", "002-134")),
    "large_networks": (24.0, ("002-123",)),
    "vision": (10.0, ("002-126", "002-124")),
    "large_images": (11.0, ("002-135",)),
}
"""Least memory in GB by kind of work, and the rows of the fact list that say so."""


def guide_steps(job: Job) -> tuple[Step, ...]:
    """What the guide of 2020 advises for training of this kind; nothing for inference or adapters it did not know."""
    if job.kind is not Kind.TRAIN or job.trains is not Trains.ALL:
        return ()
    modality = job.model.modality
    if modality in ("text-encoder", "text-enc-dec"):
        key = "large_networks" if job.model.parameters >= 3e8 else "transformers"
    elif modality == "image-gen":
        key = "large_images"
    elif modality == "vision":
        key = "vision"
    else:
        return ()
    gigabytes, rows = _GUIDE_ROWS[key]
    return (step_of(name=f"guide_{key}", value=gigabytes, unit="GB", how="passage", sources=(_GUIDE,), rows=rows),)
