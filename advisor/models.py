"""The words of the advisor: cards, models, workloads, money, estimates and the trail behind each number.

Plain frozen values, no I/O. GiB is 2**30 bytes (GPU memory, RAM), GB is 1e9 bytes (bandwidth, disks). Peak figures
carry their counting basis in the field name and are dense (without sparsity). `None` means "not known", never zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Protocol, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    field_serializer,
)

from advisor.brief import brief_of
from advisor.trusted import altered, trusted


class Frozen(BaseModel):
    """A value: immutable, compared by content, unknown fields refused."""

    # Schemas are built when a class is first used: a cold start pays for the few it needs, not for all.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    def __copy__(self) -> Self:
        """A shallow copy. Values have no private and no extra fields, so there is less to carry over than usual."""
        return altered(self, {})

    def __repr__(self) -> str:
        """One line, whatever it holds."""
        return brief_of(type(self).__name__, self.__dict__)

    __str__ = __repr__

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with some fields changed, which are not checked."""
        return super().model_copy(update=update, deep=True) if deep else altered(self, update or {})


def complete_schemas() -> None:
    """Build the schema of every value class that is loaded, so that first uses cost nothing."""
    waiting: list[type[BaseModel]] = [Frozen]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        kind.model_rebuild()


# --- the trail -------------------------------------------------------------------------------------------------------


def _decimal_of(value: Any) -> Any:
    """An amount of money as it was written to JSON."""
    return Decimal(value["decimal"]) if isinstance(value, dict) and "decimal" in value else value


StepValue = Annotated[
    StrictStr | StrictBool | StrictInt | StrictFloat | Decimal | None,
    BeforeValidator(_decimal_of),
]
"""Comes back from JSON as what it was: a text that looks like a number ("8.9") stays a text."""


class Step(Frozen):
    """One number of an answer: how it came about, from which inputs, by whose word and of which day.

    `how` is a formula ("parameters x 2 bytes"), or one of the words `claim`, `price`, `assumption`, `given`, `passage`,
    `rate`. Steps nest, so `why` can unfold a number down to catalogue claims.
    """

    name: str
    value: StepValue
    unit: str = ""
    how: str
    inputs: tuple[Step, ...] = ()
    sources: tuple[str, ...] = ()
    """Ids in data/sources.yaml."""
    as_of: date | None = None
    rows: tuple[str, ...] = ()
    """Ids of seed-coverage rows whose rule or formula this step applies, such as "000-013"."""

    @field_serializer("value", when_used="json")
    def _written(self, value: Any) -> Any:
        return {"decimal": str(value)} if isinstance(value, Decimal) else value


class Estimate(Frozen):
    """A computed figure with its 90 % band. `basis` says in a few words what it rests on."""

    value: float
    low: float
    high: float
    unit: str
    basis: str
    trace: Step


class Banded(Protocol):
    """A figure with its 90 % band, with or without a trail: an Estimate, or what stands for one in a search."""

    @property
    def value(self) -> float:
        """The middle."""

    @property
    def low(self) -> float:
        """Lower end."""

    @property
    def high(self) -> float:
        """Upper end."""


class Note(Frozen):
    """Something worth saying, as a code with values; the sentence lives in templates/_shared/notes/.

    The advisor never words anything: it returns `Note("gpu_variant", {"asked": "A100", ...})`.
    """

    code: str
    values: dict[str, Any] = Field(default_factory=dict)

    if not TYPE_CHECKING:

        def __init__(self, code: str, values: dict[str, Any] | None = None) -> None:
            """Allow the short form Note(code, values)."""
            super().__init__(code=code, values=values or {})

    else:

        def __init__(self, code: str, values: dict[str, Any] | None = None) -> None:
            """Short form Note(code, values)."""


class Source(Frozen):
    """Where figures come from, as shown under answers."""

    id: str
    title: str
    title_zh: str | None = None
    url: str | None = None
    as_of: date | None = None
    read_on: date | None = None
    rests_on: str = ""
    """Id of the source whose figures it was computed from: both together are one witness."""
    kind: str = "web"
    """seed | database | vendor | benchmark | price_list | paper | docs | derived | user"""
    note: str | None = None


class Claim(Frozen):
    """One source's word about one attribute of one thing."""

    entity: str
    attribute: str
    value: float | int | str | bool
    unit: str = ""
    source: str
    as_of: date | None = None
    scope: str = ""
    """Counting basis or condition: "dense, FP32 accumulate", "base clock", "40 GB version"."""
    verified: bool = True
    rows: tuple[str, ...] = ()
    """Ids of seed-coverage rows that make this claim."""


class Witness(Frozen):
    """A second source's figure of a card (`data/witnesses.csv`), which the card's own is checked against."""

    gpu: str
    attribute: str
    value: str
    basis: str = ""
    source: str
    confidence: str
    """A official page or file read, B copied or reported, C from memory."""


class Ruling(Frozen):
    """Which of several claims is followed and why. `conflict` is an id of the conflict ledger (E01..E78), if any."""

    entity: str
    attribute: str
    follows: str
    """Source id of the claim that is followed."""
    reason: str
    reason_zh: str = ""
    conflict: str | None = None


# --- the catalogue ---------------------------------------------------------------------------------------------------


class Gpu(Frozen):
    """One accelerator as sold. `name` is the canonical display name, `id` the file name."""

    id: str
    name: str
    aliases: tuple[str, ...] = ()
    vendor: str
    family: str
    series: str = ""
    """What people call the generation it belongs to: RTX 30, GTX 10, Tesla P, Apple M2 ..."""
    architecture: str
    compute_capability: str | None = None
    min_cuda: str | None = None
    last_cuda: str | None = None
    release_date: date | None = None
    """First day on sale where one is known, else the day that its maker named as the launch."""
    announced_date: date | None = None
    """Day it was shown with its list price, where that was before the day on sale."""
    release_precision: str = "day"
    """day | month: whether the day of `release_date` is known."""
    vram_gib: float | None = None
    """Memory of one GPU. None for unified memory: see `memory_options_gib`."""
    memory_options_gib: tuple[float, ...] = ()
    """Sizes a machine with unified memory is sold with."""
    memory_type: str | None = None
    bus_width_bit: int | None = None
    memory_bandwidth_gb_per_s: float | None = None
    cores: int | None = None
    """CUDA cores; shading units of AMD and Intel."""
    sm_count: int | None = None
    """SMs; compute units of AMD, Xe cores of Intel, GPU cores of Apple."""
    fp64_tflops: float | None = None
    """Vector units, not tensor cores."""
    fp32_tflops: float | None = None
    fp16_nontensor_tflops: float | None = None
    fp16_tensor_fp32acc_tflops: float | None = None
    fp16_tensor_fp16acc_tflops: float | None = None
    bf16_supported: bool | None = None
    bf16_tflops: float | None = None
    tf32_tflops: float | None = None
    fp8_tflops: float | None = None
    fp4_tflops: float | None = None
    int8_tops: float | None = None
    tensor_core_gen: int | None = None
    board_power_w: float | None = None
    slots: float | None = None
    form_factor: str | None = None
    mount: str = ""
    """How it is built in, which says whether a home can use it: active (a card with its own fan) | passive (needs the
    air of a server) | sxm | oam | socket | superchip (server boards) | module | laptop | soc | whole (a computer of its
    own) | cloud (only rented)."""
    pcie_gen: float | None = None
    pcie_lanes: int | None = None
    display_outputs: str | None = None
    power_connector: str | None = None
    length_mm: float | None = None
    nvlink_gb_per_s: float | None = None
    """Total of both directions; 0 means none."""
    msrp_usd: Decimal | None = None
    unified_memory: bool = False
    """The GPU shares the computer's RAM (Apple)."""
    sources: dict[str, str] = Field(default_factory=dict)
    """Attribute -> source id; "*" for all that are not named."""
    unverified: tuple[str, ...] = ()
    """Attributes that no read source confirms; shown with a mark."""
    one_witness: tuple[str, ...] = ()
    """Hardware figures that only one source has; "*" for all of them."""
    claims: tuple[Claim, ...] = ()
    """What sources say of it; an attribute on which they differ needs a ruling."""
    notes: str = ""
    notes_zh: str = ""

    @property
    def known_on(self) -> date | None:
        """Day from which people could plan with it: announced, or on sale."""
        return self.announced_date or self.release_date


class MlModel(Frozen):
    """One neural network. Counts are plain numbers: parameters=110_000_000."""

    id: str
    name: str
    """Canonical name of the taxonomy, such as Qwen2.5-14B; generic sizes are llm-7b."""
    aliases: tuple[str, ...] = ()
    modality: str
    """text-encoder | text-decoder | text-enc-dec | vision | image-gen | speech | multimodal"""
    family: str = ""
    parameters: float
    active_parameters: float | None = None
    layers: int | None = None
    """All layers; an encoder-decoder counts both halves, `decoder_layers` of them in the decoder."""
    decoder_layers: int | None = None
    hidden: int | None = None
    intermediate: int | None = None
    heads: int | None = None
    kv_heads: int | None = None
    head_dim: int | None = None
    vocab: int | None = None
    max_seq: int | None = None
    tied_embeddings: bool | None = None
    weights_gb: float | None = None
    """Size of the published files (1e9 bytes) in `weights_format`."""
    published_gb: float | None = None
    """Least memory that its makers name, for the use `published_for` (a label)."""
    published_for: str = ""
    gflops_per_sample: float | None = None
    """Forward pass of one sample, a multiply-add counted as two operations."""
    gflops_at: str | None = None
    """Input edge in pixels at which `gflops_per_sample` was counted."""
    kv_lora_rank: int | None = None
    """Multi-head latent attention: compressed width per token (with the rope part)."""
    full_layers: int | None = None
    """Layers that keep the whole context: keys and values of `kv_heads` x `head_dim`, or the latent vector."""
    window_layers: int | None = None
    """Layers that keep the last `sliding_window` tokens; with neither count given, a window holds for all layers."""
    linear_layers: int | None = None
    """Layers with linear attention or a state-space block: a state of fixed size instead of a cache."""
    sliding_window: int | None = None
    window_kv_heads: int | None = None
    """KV heads of window layers where they differ from `kv_heads`."""
    window_head_dim: int | None = None
    """Head width of window layers where it differs from `head_dim`."""
    kv_values_per_token_full: float | None = None
    """Numbers cached per token over all full layers, where counting layers, heads and widths does not give them:
    shared caches, compressed tokens, keys of an index."""
    kv_values_per_token_window: float | None = None
    """The same over all window layers."""
    state_mib_per_sequence: float | None = None
    """Fixed state of all linear layers per running sequence, in MiB."""
    experts: int | None = None
    """Experts of one layer, in a mixture of experts."""
    experts_per_token: int | None = None
    expert_intermediate: int | None = None
    """Width of the feed-forward block of one expert."""
    weights_format: str | None = None
    """Number format that its makers publish the weights in, where that is not 16 bits: fp8 | mxfp4."""
    confidence: str = ""
    """How sure the figures are: A read in a configuration or card, B reported, C from memory; empty: not graded."""
    generic: bool = False
    """Made from a size alone ("a 7B model"); shapes are typical ones."""
    sources: dict[str, str] = Field(default_factory=dict)
    unverified: tuple[str, ...] = ()
    notes: str = ""


class PricingModel(StrEnum):
    """How an offer is paid."""

    ON_DEMAND = "on_demand"
    SPOT = "spot"
    RESERVED = "reserved"
    MARKETPLACE = "marketplace"
    SUBSCRIPTION = "subscription"
    PURCHASE_NEW = "purchase_new"
    PURCHASE_USED = "purchase_used"
    LAUNCH_PRICE = "launch_price"


class Money(Frozen):
    """An amount in one currency (ISO code)."""

    amount: Decimal
    currency: str


class Offer(Frozen):
    """A price that somebody asked on a day: provider, card, terms, amount, source."""

    id: str
    provider: str
    """Provider id as in the taxonomy: autodl, vast.ai, runpod, aws ..., or `purchase`."""
    provider_name: str
    gpu: str
    """Gpu.id; empty for offers without a card of their own (a subscription, a CPU-only hour)"""
    quoted_as: str = ""
    """What the source calls the card."""
    pricing_model: PricingModel
    tier: str = ""
    """list | member | community | secure | minimum | median | hyperscaler ... as the provider's terms go."""
    low: Decimal
    high: Decimal
    """Equal to `low` unless the source gives a range."""
    currency: str
    unit: str
    """gpu_hour | gpu_month | hour | month | card | machine (a complete computer) | system_share (of a complete system,
    by card: never the price of a card) | machine_month (a server with `cards` cards)"""
    cards: int = 1
    """Cards that the unit holds; more than one for servers, whose price is not divided."""
    market: str
    """CN | US | EU | UK | INTL: where it was asked. A price of one market is no price of another."""
    region: str = ""
    as_of: date
    as_of_precision: str = "day"
    """day | month | year | unknown. Unknown: the copy is not dated; `as_of` is then the latest day it can be from."""
    confidence: str
    """A price list, B copied by a third party, C old document or memory."""
    historical: bool = False
    """A price of its time, kept as a record; never today's."""
    source: str
    note: str = ""
    conflict: str = ""
    """Id of the conflict ledger (E01 ...) when its source disagrees with itself or others."""
    rows: tuple[str, ...] = ()
    """Ids of seed-coverage rows that name this price."""


class Provider(Frozen):
    """Who rents or sells."""

    id: str
    name: str
    name_zh: str = ""
    aliases: tuple[str, ...] = ()
    country: str = ""
    """ISO code of where it does business, empty for none in particular."""
    kind: str = "cloud"
    """cloud | marketplace | notebook | shop | market"""
    url: str | None = None
    sources: dict[str, str] = Field(default_factory=dict)
    notes: str = ""


class Rate(Frozen):
    """What one unit of `base` cost in `currency` on a day."""

    base: str
    currency: str
    value: Decimal
    as_of: date
    source: str


class GenericName(Frozen):
    """A name that fits several catalogue entries: which ones, the default first, and why that one."""

    name: str
    aliases: tuple[str, ...] = ()
    means: tuple[str, ...]
    """Ids, the default first."""
    why: str


class Maker(Frozen):
    """Who makes cards, and the words that say so."""

    name: str
    """The `vendor` of its cards."""
    words: tuple[str, ...]


class ClosedModel(Frozen):
    """A model that its maker only serves: its weights are not published, so nobody can run it at home."""

    name: str
    aliases: tuple[str, ...] = ()
    maker: str
    nearest: tuple[str, ...]
    """Ids of published models that people take instead, the nearest first."""
    source: str = "served-only"


# --- what people want to do ------------------------------------------------------------------------------------------


class Method(StrEnum):
    """What is done with the model."""

    FULL = "full"
    LORA = "lora"
    QLORA = "qlora"
    PTUNING = "ptuning"
    PRETRAIN = "pretrain"
    TRAIN = "train"
    INFERENCE = "inference"


class Precision(StrEnum):
    """Number format of weights and arithmetic. *_MIXED keeps fp32 master weights; FP16 and BF16 are the "true" ones."""

    FP32 = "fp32"
    TF32 = "tf32"
    FP16_MIXED = "fp16-mixed"
    BF16_MIXED = "bf16-mixed"
    FP16 = "fp16"
    BF16 = "bf16"
    FP8 = "fp8"
    INT8 = "int8"
    INT4 = "int4"


class Optimizer(StrEnum):
    """Decides bytes of state per trained parameter."""

    SGD = "sgd"
    ADAM = "adam"
    ADAM_8BIT = "adam8bit"
    PAGED_ADAM_8BIT = "paged_adam8bit"
    ADAFACTOR = "adafactor"
    ADAM_4BIT = "adam4bit"
    PAGED_ADAM = "paged_adam"
    LION = "lion"
    MUON = "muon"
    NONE = "none"


class Parallel(StrEnum):
    """How several cards share one job."""

    NONE = "none"
    DATA = "ddp"
    ZERO1 = "zero1"
    ZERO2 = "zero2"
    ZERO3 = "zero3"
    FSDP = "fsdp"
    TENSOR = "tp"
    PIPELINE = "pp"


class Recompute(StrEnum):
    """What the forward pass keeps: everything, the results of matrix products, or the borders of layers."""

    NONE = "none"
    SELECTIVE = "selective"
    FULL = "full"


class Loss(StrEnum):
    """How the loss over the vocabulary is taken: logits kept, one kernel over them, head and loss in pieces."""

    EAGER = "eager"
    FUSED = "fused"
    CHUNKED = "chunked"


class Attention(StrEnum):
    """Whether scores are written to memory (eager) or stay inside one kernel."""

    EAGER = "eager"
    SDPA = "sdpa"
    FLASH = "flash"


class Offload(StrEnum):
    """What lies in system memory and comes to the card when it is needed."""

    WEIGHTS = "weights"
    """Layers, one after the other (block swap, streamed layers)."""
    EXPERTS = "experts"
    """Only the experts of a mixture; they may be computed by the CPU."""
    OPTIMIZER = "optimizer"
    ACTIVATIONS = "activations"
    PARTS = "parts"
    """Whole parts of a pipeline by turns: text encoder, then the model, then the VAE."""


class Workload(Frozen):
    """One job: a model, what is done with it, and how. `None` lets the advisor assume (and say so in its notes)."""

    ml_model: MlModel
    method: Method
    precision: Precision | None = None
    quant: str | None = None
    """Weight format when quantised: nf4, gptq-int4, awq, q4_k_m, int8 ..."""
    optimizer: Optimizer | None = None
    batch: int | None = None
    """Samples per GPU and step."""
    seq_len: int | None = None
    resolution: tuple[int, int] | None = None
    """Width, height."""
    checkpointing: bool | None = None
    flash_attention: bool | None = None
    grad_accum: int | None = None
    lora_rank: int | None = None
    lora_targets: str | None = None
    kv_precision: Precision | None = None
    n_gpus: int = 1
    parallel: Parallel | None = None
    recompute: Recompute | None = None
    """Finer than `checkpointing`, which means FULL; wins where both are given."""
    loss: Loss | None = None
    attention: Attention | None = None
    """Finer than `flash_attention`; wins where both are given."""
    fused_backward: bool = False
    """The optimizer steps inside the backward pass, so gradients never exist together."""
    packing: bool | None = None
    """False: samples are not joined, so that a step holds fewer tokens than `seq_len` would allow."""
    tensor_parallel: int | None = None
    """Cards that share each matrix; the rest of `n_gpus` shares by `parallel`."""
    pipeline_parallel: int | None = None
    context_parallel: int | None = None
    expert_parallel: int | None = None
    frames: int | None = None
    """Frames of a clip; None for the usual length."""
    tiled_decode: bool | None = None
    """The VAE goes through a picture in tiles."""
    offload: bool = False
    """Whatever is usually moved to RAM for this kind of job; `offloads` says what exactly."""
    offloads: tuple[Offload, ...] = ()
    offload_share: float | None = None
    """Share of the weights or experts that stay in RAM (20 of 40 blocks: 0.5); None for all that can."""
    cached_text: bool = False
    """Diffusion training on outputs of text encoder and VAE that were computed beforehand."""
    framework: str | None = None
    framework_version: str | None = None
    users: int | None = None
    """Concurrent requests when serving."""


Step.model_rebuild()


# --- trails are made by the dozen ------------------------------------------------------------------------------------

_step, _estimate, _note = trusted(Step), trusted(Estimate), trusted(Note)


def step_of(
    name: str,
    value: float | int | Decimal | str | bool | None,
    how: str,
    unit: str = "",
    inputs: tuple[Step, ...] = (),
    sources: tuple[str, ...] = (),
    rows: tuple[str, ...] = (),
    as_of: date | None = None,
) -> Step:
    """A `Step` from values that the formulas themselves made (see `trusted`)."""
    return _step(name=name, value=value, unit=unit, how=how, inputs=inputs, sources=sources, rows=rows, as_of=as_of)


def note_of(code: str, values: dict[str, Any] | None = None) -> Note:
    """A `Note` from values that the program itself made (see `trusted`); the mapping is kept as it is."""
    return _note(code=code, values={} if values is None else values)


def estimate_of(value: float, low: float, high: float, unit: str, basis: str, trace: Step) -> Estimate:
    """An `Estimate` from values that the formulas themselves made (see `trusted`)."""
    return _estimate(value=value, low=low, high=high, unit=unit, basis=basis, trace=trace)
