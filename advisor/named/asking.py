"""From names and keywords to the records and the job that the advisor works with, each mistake in one helpful line."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from difflib import get_close_matches
from functools import lru_cache
from typing import Final, TypedDict

from advisor.catalog import Catalog, load_catalog
from advisor.errors import OutOfRange, UnknownName
from advisor.jobs.plan import Place, Plan, plan_for
from advisor.jobs.spoken import Spoken
from advisor.jobs.usual import Does
from advisor.jobs.ways import Way
from advisor.memory.formats import GGUF
from advisor.models import Banded, Gpu, Method, MlModel, Optimizer, Precision, Step, Workload
from advisor.models import Source as Record
from advisor.money.span import Span
from advisor.named.shown import short
from advisor.named.values import Assumed, Range, Settings, Source
from advisor.recommend.settings import tasks


class JobWords(TypedDict, total=False):
    """What may be said of a job; everything is optional, None means not said."""

    method: str | None
    """full | lora | qlora | ptuning | pretrain | train | inference"""
    precision: str | None
    """fp32, bf16, fp8, int8, int4, or a file format such as q4_k_m, awq, nf4."""
    task: str | None
    """llm_inference, llm_finetune, image_generation ... (`tasks()`)"""
    batch: int | None
    seq_len: int | None
    """Tokens at once: context or length of a sample."""
    width: int | None
    height: int | None
    """Of a picture, in pixels."""
    frames: int | None
    dataset: str | None
    """A data set whose size is known, such as alpaca-52k."""
    epochs: float | None
    users: int | None
    """How many use it at the same time."""
    software: str | None
    """vLLM, llama.cpp, Ollama, DeepSpeed ..."""
    optimizer: str | None
    """adamw, adamw-8bit, sgd ... of a training run."""
    checkpointing: bool | None
    """Whether a training run works activations out again."""
    lora_rank: int | None


_WORDS: Final = tuple(JobWords.__annotations__)
_COUNTS: Final = ("batch", "seq_len", "width", "height", "frames", "users", "lora_rank")
_LONGEST: Final = 120
"""Characters of a name."""
_MOST_GPUS: Final = 4096
_MOST_OFFERED: Final = 12
"""Words of a list that are offered to who named none of them."""
_METHODS: Final = tuple(one.value for one in Method)
_EXTRA_FORMATS: Final = ("q4_k_m", "q8_0", "q4", "q8", "nf4", "awq", "gptq", "gguf", "mxfp4", "fp4")
_FORMATS: Final = (*(one.value for one in Precision), *_EXTRA_FORMATS, *sorted(GGUF - set(_EXTRA_FORMATS)))
_USUAL_FILE: Final = {"gguf": "q4_k_m", "q4": "q4_k_m", "q8": "q8_0"}
_OPTIMIZERS: Final = tuple(one.value for one in Optimizer)


@lru_cache(maxsize=1)
def shipped() -> Catalog:
    """The catalogue that comes with the program, loaded once."""
    return load_catalog()


def today() -> date:
    """The day in UTC."""
    return datetime.now(UTC).date()


@dataclass(frozen=True, slots=True)
class Card:
    """A card as named."""

    gpu: Gpu
    also: tuple[str, ...] = ()
    """Names of the other cards that the name may mean."""


def named_text(value: object, call: str, what: str) -> str:
    """A name as given.

    Raises:
        TypeError: it is no text.
        OutOfRange: it is empty, or longer than any name.
    """
    if not isinstance(value, str):
        raise TypeError(f"{call}() takes the name of {what}; got {type(value).__name__}")
    if not 0 < len(value.strip()) <= _LONGEST:
        raise OutOfRange(
            f"{call}() takes the name of {what}; got {len(value)} characters", name="name", value=value[:_LONGEST]
        )
    return value.strip()


def card_named(catalog: Catalog, name: str) -> Card:
    """The card of a name, the default first where several have it.

    Raises:
        UnknownName: none is called so; the nearest names are offered.
    """
    variants = catalog.gpu_variants(name) or (catalog.get_gpu(name),)
    return Card(_sized(variants[0]), tuple(gpu.name for gpu in variants[1:]))


def _sized(gpu: Gpu) -> Gpu:
    """A computer that is sold with one size of memory, with that size."""
    options = gpu.memory_options_gib
    only = options[0] if gpu.vram_gib is None and len(options) == 1 else None
    return gpu if only is None else gpu.model_copy(update={"vram_gib": float(only), "memory_options_gib": ()})


def with_memory(card: Card, memory_gb: float | None) -> Card:
    """The card with so much memory, where it is sold with several sizes or was modified. Raises OutOfRange."""
    if memory_gb is None:
        return card
    size = positive("memory_gb", memory_gb)
    return replace(card, gpu=card.gpu.model_copy(update={"vram_gib": size, "memory_options_gib": ()}))


def model_named(catalog: Catalog, name: str) -> MlModel:
    """The model of a name.

    Raises:
        UnknownName: none is called so; the nearest names are offered, published ones for a model that is only served.
    """
    closed = catalog.closed_model(name)
    if closed is not None:
        raise UnknownName("published model", name, tuple(catalog.ml_models[one].name for one in closed.nearest[:3]))
    return catalog.get_ml_model(name)


def pair_named(catalog: Catalog, gpu: object, model: object, call: str) -> tuple[Card, MlModel]:
    """A card and a model, given in either order.

    Raises:
        TypeError: one of them is no text.
        UnknownName: nothing is called so.
    """
    first, second = named_text(gpu, call, "a card"), named_text(model, call, "a model")
    if catalog.find_gpu(first) is None and catalog.find_gpu(second) is not None:
        first, second = second, first
    return card_named(catalog, first), model_named(catalog, second)


def gpus_counted(gpus: object) -> int:
    """How many cards. Raises OutOfRange, TypeError."""
    return count("gpus", gpus, _MOST_GPUS)


def count(name: str, value: object, most: int = 10**9) -> int:
    """A whole number above nought.

    Raises:
        TypeError: it is none.
        OutOfRange: it is nought, negative or beyond `most`.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be a whole number; got {type(value).__name__}")
    if not 1 <= value <= most:
        raise OutOfRange(f"{name} must lie between 1 and {most:,}; got {value}", name=name, value=value)
    return value


def positive(name: str, value: object, most: float = 1e15) -> float:
    """A number above nought.

    Raises:
        TypeError: it is none.
        OutOfRange: it is nought, negative, not finite or beyond `most`.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be a number; got {type(value).__name__}")
    if not 0 < value <= most:
        raise OutOfRange(f"{name} must lie above 0 and not beyond {most:g}; got {value}", name=name, value=value)
    return float(value)


def one_of(kind: str, value: object, known: Collection[str]) -> str:
    """A word of a closed list.

    Raises:
        TypeError: it is no text.
        UnknownName: it is none of them; the nearest are offered, or all of a short list.
    """
    if not isinstance(value, str):
        raise TypeError(f"{kind} must be one of {', '.join(sorted(known))}; got {type(value).__name__}")
    word = value.strip().lower()
    found = next((one for one in known if one.lower() == word), None)
    if found is None:
        near = tuple(get_close_matches(word, sorted(known), 3, 0.5))
        raise UnknownName(
            kind, value, near or tuple(sorted(known) if len(known) <= _MOST_OFFERED else known)[:_MOST_OFFERED]
        )
    return found


def job_said(words: Mapping[str, object], call: str) -> Spoken:
    """The job of the keywords.

    Raises:
        TypeError: a keyword that there is not, or a value of the wrong kind.
        UnknownName: a method, task or format that nobody knows.
        OutOfRange: a number that no job has.
    """
    unknown = next((word for word in words if word not in _WORDS), None)
    if unknown is not None:
        raise _no_setting(unknown, call)
    given = {name: value for name, value in words.items() if value is not None}
    counts: dict[str, int] = {name: count(name, given[name]) for name in _COUNTS if name in given}
    method = _word(given, "method", _METHODS)
    return Spoken(
        task=_word(given, "task", tuple(tasks())),
        methods=(method,) if method else (),
        precisions=_formats(given),
        batch=counts.get("batch"),
        seq_len=counts.get("seq_len"),
        resolution=_size(counts),
        frames=counts.get("frames"),
        dataset=_text(given, "dataset"),
        epochs=positive("epochs", given["epochs"]) if "epochs" in given else None,
        people=counts.get("users"),
        software=_text(given, "software"),
        optimizer=_word(given, "optimizer", _OPTIMIZERS),
        recompute=_switch("checkpointing", given.get("checkpointing")),
        lora_rank=counts.get("lora_rank"),
    )


def _formats(given: Mapping[str, object]) -> tuple[str, ...]:
    """The number format that was named; a kind of file means its usual one."""
    named = _word(given, "precision", _FORMATS)
    return () if named is None else (_USUAL_FILE.get(named, named),)


def _switch(name: str, value: object) -> bool | None:
    if not isinstance(value, bool | None):
        raise TypeError(f"{name} is True or False; got {type(value).__name__}")
    return value


def _no_setting(word: str, call: str) -> TypeError:
    near = get_close_matches(word, _WORDS, 1)
    meant = f"; did you mean {near[0]}?" if near else f"; known: {', '.join(_WORDS)}"
    return TypeError(f"{call}() has no setting {word!r}{meant}")


def _size(counts: Mapping[str, int]) -> tuple[int, int] | None:
    """Width and height of a picture; one side alone is that of a square."""
    return (counts["width"], counts.get("height", counts["width"])) if "width" in counts else None


def _word(given: Mapping[str, object], name: str, known: Collection[str]) -> str | None:
    return one_of(name, given[name], known) if name in given else None


def _text(given: Mapping[str, object], name: str) -> str | None:
    return named_text(given[name], name, f"a {name}") if name in given else None


def planned(job: Spoken, model: MlModel, places: Iterable[Place] = (), *, does: Does | None = None) -> Plan:
    """The plan of a job for one model. Raises LookupError for a kind of work without a usual way."""
    return plan_for(job, model, tuple(places), does=does)


def settings_of(work: Workload) -> Settings:
    """What a figure rests on."""
    return Settings(
        method=work.method.value,
        precision=work.precision.value if work.precision else None,
        quant=work.quant,
        batch=work.batch,
        seq_len=work.seq_len,
    )


def assumed_of(way: Way) -> tuple[Assumed, ...]:
    """What a way rests on that nobody said."""
    return tuple(Assumed(one.field, str(one.value)) for one in way.assumed)


def range_of(value: Banded | Span, unit: str) -> Range:
    """A figure with its band, to six figures."""
    return Range(short(value.value), short(value.low), short(value.high), unit)


def sources_of(catalog: Catalog, ids: Iterable[str]) -> tuple[Source, ...]:
    """References for source ids, each once, in their order; ids that the catalogue does not know are left out."""
    known = (catalog.sources.get(one) for one in dict.fromkeys(ids))
    return tuple(_reference(one) for one in known if one is not None)


def _reference(one: Record) -> Source:
    return Source(one.id, one.title, one.url, one.as_of or one.read_on, one.title_zh or "")


def step_sources(*steps: Step) -> tuple[str, ...]:
    """Source ids of steps and all their inputs."""
    waiting, found = list(reversed(steps)), dict[str, None]()
    while waiting:
        step = waiting.pop()
        found |= dict.fromkeys(step.sources)
        waiting += reversed(step.inputs)
    return tuple(found)


def card_source(gpu: Gpu, attribute: str = "vram_gib") -> tuple[str, ...]:
    """Source id of one figure of a card."""
    found = gpu.sources.get(attribute) or gpu.sources.get("*")
    return (found,) if found else ()
