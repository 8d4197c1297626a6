"""What the memory model answers with. Everything is per GPU unless a name says otherwise; memory is in GiB."""

from __future__ import annotations

from enum import StrEnum

from advisor.models import Estimate, Frozen, Gpu, Note, Parallel, Precision, Step, Workload


class Region(StrEnum):
    """Kinds of jobs that were validated apart from each other; each has its own error band."""

    LLM_INFERENCE = "llm_inference"
    LOCAL_INFERENCE = "local_inference"
    """Quantised files in programs that need no caching allocator (llama.cpp and its kin)."""
    OFFLOADED = "offloaded"
    """Weights or experts of a language model in RAM."""
    LORA = "lora"
    QLORA = "qlora"
    FULL_TEXT = "full_text"
    VISION = "vision"
    IMAGE_GENERATION = "image_generation"
    VIDEO_GENERATION = "video_generation"
    IMAGE_TRAINING = "image_training"
    """Training of diffusion models, pictures and clips alike."""
    SPEECH = "speech"
    MANY_GPUS = "many_gpus"
    """Full training of language models, cut over several cards."""
    SHARED_ADAPTERS = "shared_adapters"
    """Adapters on a model that is cut over several cards."""
    ROLLOUTS = "rollouts"
    """Reinforcement learning, whose generation shares the card."""


class Verdict(StrEnum):
    """Whether a job fits, as far as the band allows to say."""

    FITS = "fits"
    TIGHT = "tight"
    NO = "no"
    UNKNOWN = "unknown"


class MemoryEstimate(Frozen):
    """Need of one GPU, split into components that add up to the total exactly."""

    total: Estimate
    components: tuple[Step, ...]
    workload: Workload
    """With every value filled in that the estimate rests on."""
    assumed: tuple[str, ...]
    """Fields of the workload that the caller left open."""
    n_gpus: int = 1
    parallel: Parallel = Parallel.NONE
    region: Region
    supported: bool
    """False where few or scattered published cases stand behind the figure; `notes` then says so."""
    guide: tuple[Step, ...] = ()
    """What the buying guide of 2020 advised for this kind of work, as of its year; shown beside the figure."""
    notes: tuple[Note, ...] = ()


class FitResult(Frozen):
    """Need against what a card can give."""

    verdict: Verdict
    probability: float | None
    """That the job fits, from the error band; None when the memory of the card is not known."""
    need: Estimate
    nominal_gib: float | None
    usable_gib: float | None
    """After what the driver, ECC and a desktop keep."""
    margin_gib: float | None
    """Usable minus expected need; negative when it lacks."""
    n_gpus: int
    gpu: Gpu | None
    estimate: MemoryEstimate
    notes: tuple[Note, ...] = ()


class Trick(Frozen):
    """One way to need less, applied on top of those before it."""

    code: str
    """checkpointing | adam8bit | cached_text | lora | base8 | qlora | batch | seq_len | offload | int8 | int4 ..."""
    saves_gib: float
    """Beyond the tricks before it."""
    alone_gib: float
    """What it saves alone where it adds nothing to those before it; else the same as `saves_gib`."""
    need: Estimate
    """After this trick and all before it."""
    fits: bool | None
    """On the card that was named; None when none was."""
    workload: Workload
    costs: Note
    """What it costs in return, as a code."""


class TrickPlan(Frozen):
    """Tricks in the order to try them, cheapest in speed and quality first."""

    start: MemoryEstimate
    usable_gib: float | None
    tricks: tuple[Trick, ...]
    first_that_fits: int | None
    """Index into `tricks`; None when none is enough or no card was named."""
    recipe: tuple[Trick, ...] = ()
    """The fewest of them that make it fit, each on top of those before; empty where none is enough or needed."""
    fits_already: bool = False


class LargestModel(Frozen):
    """The largest dense decoder that still fits in a number format."""

    precision: Precision
    quant: str | None
    parameters: float
    """0 when not even a small one fits."""
    trace: Step
