"""A job in each of its ways: complete workloads, with what was said in them and what was assumed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from advisor.jobs.spoken import Spoken
from advisor.jobs.switches import switched
from advisor.jobs.usual import (
    LARGE,
    USUAL,
    Does,
    Kind,
    Rung,
    kind_of,
    usual,
    usual_batch,
    usual_precision,
    usual_tokens,
)
from advisor.memory.formats import FORMATS, GGUF, parse_format
from advisor.memory.images import is_video, usual_resolution
from advisor.models import Method, MlModel, Offload, Optimizer, Parallel, Precision, Workload
from advisor.speed.datasets import find_dataset

_OF_TASK: Final[dict[str | None, Does]] = {
    "llm_finetune": Does.TUNE,
    "nlp_finetune": Does.TUNE,
    "pretrain": Does.SCRATCH,
    "llm_inference": Does.RUN,
    "rag": Does.RUN,
    "tts": Does.RUN,
}
_REINFORCES: Final = "llm_rl"
"""Reinforcement learning of a language model, whatever of it is trained."""
_OF_METHOD: Final[dict[Method, Does]] = {
    Method.INFERENCE: Does.RUN,
    Method.TRAIN: Does.TRAIN,
    Method.PRETRAIN: Does.SCRATCH,
}
_ADAPTED: Final = frozenset({"image-gen", "speech"})
"""Models that nobody trains from nothing at home: "train" means tuning them."""
_OPEN_TO: Final[dict[Does, list[Method]]] = {Does.TUNE: [Method.TRAIN]}
"""To train, said of what is tuned, leaves open how."""
_TUNED_FROM: Final = 1.5e9
"""Parameters from which the same holds for models that write: whoever trains one from nothing says so, or how many
tokens it reads."""
_FORMATS: Final[dict[str, tuple[Precision, str | None]]] = {
    "mixed": (Precision.FP16_MIXED, None),
    "int8": (Precision.INT8, "int8"),
    "int4": (Precision.INT4, "int4"),
    "fp8": (Precision.FP8, None),
    "fp4": (Precision.INT4, "mxfp4"),
}
_PRECISIONS: Final = frozenset(one.value for one in Precision)
_BYTE: Final = 8.0
_ADAPTS: Final = frozenset({Method.LORA, Method.QLORA})
_RECOMPUTES: Final = frozenset({Method.LORA, Method.QLORA, Method.FULL, Method.PRETRAIN})


@dataclass(frozen=True, slots=True)
class Assumed:
    """A value that nobody said: of which field, and which."""

    field: str
    value: object


@dataclass(frozen=True, slots=True)
class Way:
    """One complete way to do the job, on one card."""

    code: str
    workload: Workload
    assumed: tuple[Assumed, ...]
    shared: bool = False
    """Several cards share weights, gradients and optimizer."""

    @property
    def method(self) -> Method:
        """What is done with the model."""
        return self.workload.method

    def on(self, n: int) -> Workload:
        """The same work shared by `n` cards."""
        if n == self.workload.n_gpus:
            return self.workload
        parallel = {"parallel": Parallel.ZERO3} if self.shared and n > 1 else {}
        return self.workload.model_copy(update={"n_gpus": n, **parallel})


@dataclass(frozen=True, slots=True)
class Ways:
    """All ways of a job: those that are tried in order, and those that are shown beside them."""

    kind: Kind
    ladder: tuple[Way, ...]
    beside: tuple[Way, ...]

    @property
    def all(self) -> tuple[Way, ...]:
        """Ladder first."""
        return (*self.ladder, *self.beside)


_SPEECH: Final = "speech"


def _has_data(job: Spoken, model: MlModel) -> bool:
    """Whether data to train on was named; hours of audio alone are what is written down."""
    data = job.dataset if model.modality != _SPEECH else None
    return bool(data or job.samples or job.epochs or job.steps)


def _told(job: Spoken) -> Does | None:
    """What is done by the task, or by a program that only runs finished networks."""
    runs = Does.RUN if job.software in usual().runners else None
    return _OF_TASK.get(job.task or "", runs)


def does_of(job: Spoken, model: MlModel) -> Does:
    """What is done with the model: by the method, else by the task, else by what such models are for."""
    if job.task == _REINFORCES and model.modality in _GENERATING:
        return Does.REINFORCE
    if job.methods:
        tunes = job.methods[0] == Method.TRAIN and (_is_adapted(job, model) or job.software in usual().tuners)
        return Does.TUNE if tunes else _OF_METHOD.get(Method(job.methods[0]), Does.TUNE)
    told = _told(job)
    if told is not None:
        return told
    if _has_data(job, model):
        return Does.TRAIN if model.modality == "vision" else Does.TUNE
    return usual().does.get(model.family) or usual().does.get(model.modality, Does.RUN)


def _is_adapted(job: Spoken, model: MlModel) -> bool:
    """Whether to train such a model means to tune what others have trained."""
    writes = model.modality in _GENERATING and model.parameters >= _TUNED_FROM and not job.scratch
    return model.modality in _ADAPTED or writes


def ways_of(job: Spoken, model: MlModel, does: Does | None = None) -> Ways:
    """Every way that what was said leaves open.

    Args:
        job: what was said; its models are not looked at.
        model: the one it is about.
        does: what is done with it, where that is not to follow from the job.

    Raises:
        LookupError: data/usual.yaml knows no such work.
    """
    kind = kind_of(model, does or does_of(job, model), job.people or 1)
    ladder, beside = [[complete(job, model, rung) for rung in rungs] for rungs in _open(job, model, kind)]
    if job.settings:
        ladder, beside = _apart(ladder, ()), _apart(beside, ladder)
    return Ways(kind, tuple(ladder), tuple(beside))


def _apart(ways: Iterable[Way], known: Iterable[Way]) -> list[Way]:
    """Ways that are not the same work as one before them, which settings that were said may make of them."""
    seen, found = [one.workload for one in known], []
    for way in ways:
        if way.workload not in seen:
            seen.append(way.workload)
            found.append(way)
    return found


_Open = tuple[Sequence[Rung], Sequence[Rung]]
"""Rungs that are tried in order, and those that are shown beside them."""


def _open(job: Spoken, model: MlModel, kind: Kind) -> _Open:
    """Rungs of the kind that agree with what was said; what was said and is none of them is a rung of its own."""
    known = usual()
    ladder, beside = [known.rung(code) for code in kind.ladder], [known.rung(code) for code in kind.beside]
    if job.seq_len is not None or _tokens_of_data(job, model):  # a way that is only shorter is none
        ladder = [rung for rung in ladder if rung.tokens is None]
    by_method = _by_method(job, kind, ladder, beside)
    return _by_format(job, model, *by_method) if job.precisions else by_method


def _by_method(job: Spoken, kind: Kind, ladder: list[Rung], beside: list[Rung]) -> _Open:
    """Rungs of the methods that were named: what a lone one may mean for this kind, else those of the same method."""
    methods = [Method(one) for one in job.methods]
    meant = kind.said.get(job.methods[0], ()) if len(methods) == 1 else ()
    if meant:
        return [usual().rung(code) for code in meant], []
    if methods in ([], _OPEN_TO.get(kind.does)):
        return ladder, beside
    whole = {rung.method for rung in ladder} >= set(methods)
    found = _said(ladder if whole else (*ladder, *beside), methods)
    return found, [rung for rung in beside if rung.method in methods and rung not in found]


def _by_format(job: Spoken, model: MlModel, ladder: Sequence[Rung], beside: Sequence[Rung]) -> _Open:
    """Rungs in the number formats that were named; where none has them, the first rung (of adapters) in each format."""
    rungs = [*ladder, *beside]
    formats = [read_format(one, model, rung.method) for one in job.precisions for rung in ladder]
    found = [one for one in rungs if (one.precision, one.quant) in formats]
    adapters = [one for one in rungs if one.method in _ADAPTS] if job.methods else []
    return found or _in_formats(job.precisions, adapters or ladder, model), []


def _said(rungs: Iterable[Rung], methods: Sequence[Method]) -> list[Rung]:
    """Rungs of the methods named, in the order of the ladder; a method that has none gets one."""
    found = [rung for rung in rungs if rung.method in methods]
    missing = [one for one in methods if not any(rung.method is one for rung in found)]
    return [*found, *(_plain(one) for one in missing)]


def _plain(method: Method) -> Rung:
    return next((usual().rung(code) for code, rung in usual().ways.items() if rung.method is method), None) or Rung(
        code=method.value,
        method=method,
        precision=Precision.BF16 if method is Method.PTUNING else USUAL,
    )


def _in_formats(precisions: Sequence[str], rungs: Sequence[Rung], model: MlModel) -> list[Rung]:
    """The first rung in each format that was named."""
    base = rungs[0]
    made = []
    for one in precisions:
        precision, quant = read_format(one, model, base.method)
        method = base.method
        if method in _ADAPTS:
            method = Method.QLORA if precision is Precision.INT4 or method is Method.QLORA else Method.LORA
            quant = "nf4" if method is Method.QLORA else quant
        code = method.value if method is not Method.INFERENCE else quant or precision.value
        made.append(base.model_copy(update={"code": code, "method": method, "precision": precision, "quant": quant}))
    return made


def read_format(stated: str, model: MlModel, method: Method) -> tuple[Precision, str | None]:
    """A number format as named: that of arithmetic and weights, and the one of quantised weights.

    Raises:
        UnsupportedCombination: no format is called so.
    """
    if stated in _FORMATS:
        return _FORMATS[stated]
    if stated in GGUF:
        return Precision.INT8 if FORMATS[stated].linear_bits >= _BYTE else Precision.INT4, stated
    if stated not in _PRECISIONS:
        stored = parse_format(stated)
        return Precision.INT8 if stored.linear_bits >= _BYTE else Precision.INT4, stored.name
    precision = Precision(stated)
    adapts = method in (Method.INFERENCE, *_ADAPTS)
    if not adapts and precision in (Precision.FP16, Precision.BF16) and model.parameters < LARGE:
        return Precision(f"{stated}-mixed"), None
    return precision, None


def complete(job: Spoken, model: MlModel, rung: Rung) -> Way:
    """The workload of one way, each value that nobody said assumed and named."""
    method = rung.method
    precision = usual_precision(model, job.software) if rung.precision == USUAL else Precision(rung.precision)
    work = Workload(
        ml_model=model,
        method=method,
        precision=precision,
        quant=rung.quant,
        optimizer=_optimizer(job, method),
        batch=_batch(job, model, method),
        seq_len=_tokens(job, model, rung),
        resolution=job.resolution or (usual_resolution(model) if _clips(model) else None),
        frames=(job.frames or rung.frames) if _clips(model) else None,
        checkpointing=_checkpointing(job, model, rung),
        offload=rung.turns,
        offloads=(Offload.WEIGHTS,) if rung.swap else (),
        offload_share=rung.swap,
        cached_text=rung.cached,
        framework=job.software,
        rollouts=rung.rollouts,
        critic=rung.rollouts and job.critic,
        users=job.people,
        kv_precision=_cache(job, model, method),
        lora_rank=job.lora_rank if method in _ADAPTS else None,
    )
    work = switched(work, job.settings)
    return Way(rung.code, work, tuple(_assumed(job, work)), rung.shared)


def _assumed(job: Spoken, work: Workload) -> Iterator[Assumed]:
    """The values of a workload that nobody said."""
    model, method = work.ml_model, work.method
    if method.value not in job.methods:
        yield Assumed("method", work.done)
    if not job.precisions:
        yield Assumed("precision", work.quant or str(work.precision))
    if job.batch is None and not _one_each(job, model, method):
        yield Assumed("batch", work.batch)
    if job.seq_len is None and work.seq_len is not None:
        yield Assumed("seq_len", work.seq_len)
    if job.resolution is None and _clips(model):
        yield Assumed("resolution", "{}x{}".format(*usual_resolution(model)))
    if _is_recompute_assumed(job, work):
        yield Assumed("checkpointing", True)


def _is_recompute_assumed(job: Spoken, work: Workload) -> bool:
    return bool(work.checkpointing) and job.recompute is None


def _recomputes(model: MlModel, method: Method) -> bool:
    """Whether training keeps only the borders of layers: from large models and clips on."""
    return method in _RECOMPUTES and (_clips(model) or model.parameters >= LARGE)


def _clips(model: MlModel) -> bool:
    return model.modality == "image-gen" and is_video(model)


def _tokens(job: Spoken, model: MlModel, rung: Rung) -> int | None:
    """Tokens of a sample: as said, else of the data set, of the way, or as usual."""
    if job.seq_len is not None:
        return job.seq_len
    return _tokens_of_data(job, model) or rung.tokens or usual_tokens(model, rung.method)


def _tokens_of_data(job: Spoken, model: MlModel) -> int | None:
    """The usual length of the data set that was named."""
    known = find_dataset(job.dataset) if job.dataset and model.modality in usual().tokens else None
    return known.tokens_per_sample if known is not None else None


_GENERATING: Final = frozenset({"text-decoder", "multimodal"})


def _optimizer(job: Spoken, method: Method) -> Optimizer | None:
    """The optimizer that was said; None for the usual one of the method."""
    if method is Method.INFERENCE:
        return Optimizer.NONE
    return Optimizer(job.optimizer) if job.optimizer else None


def _checkpointing(job: Spoken, model: MlModel, rung: Rung) -> bool | None:
    """Whether activations are worked out again: as said, else as the way and the model usually have it."""
    if job.recompute is not None and rung.method is not Method.INFERENCE:
        return job.recompute
    return (rung.recompute or _recomputes(model, rung.method)) or None


def _cache(job: Spoken, model: MlModel, method: Method) -> Precision | None:
    """The format of the KV cache, where one was said of a model that writes; 16 bits are what it has anyway."""
    if job.cache is None or method is not Method.INFERENCE or model.modality not in _GENERATING:
        return None
    said = Precision(job.cache)
    return None if said in (Precision.FP16, Precision.BF16) else said


def _one_each(job: Spoken, model: MlModel, method: Method) -> bool:
    """People who use a language model at once each have a sequence of their own in it."""
    return (job.people or 1) > 1 and method is Method.INFERENCE and model.modality in _GENERATING


def _batch(job: Spoken, model: MlModel, method: Method) -> int:
    """Samples a step: as said, else one for everybody who asks at once, else as usual."""
    if job.batch is not None:
        return job.batch
    return int(job.people or 1) if _one_each(job, model, method) else usual_batch(model, method)
