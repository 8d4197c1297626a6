"""Cards and networks of the catalogue, and the names that mean several of them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal

from pydantic import Field

from advisor.models.frozen import Frozen
from advisor.models.sources import Claim


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
    per_layer_width: int | None = None
    """Width of the embedding tables that each layer has beside the first one (Gemma 3n); a token reads one row."""
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
    shaped_like: str = ""
    """The model whose shape such a size takes; empty: interpolated between several."""
    sources: dict[str, str] = Field(default_factory=dict)
    unverified: tuple[str, ...] = ()
    notes: str = ""

    @property
    def called(self) -> str:
        """Its name as people read it: a size that stands for no model of its own is "15B", which is also a name."""
        return self.name.removeprefix("llm-").upper() if self.generic else self.name


class ShapeNote(Frozen):
    """What the shape of some models leaves open when their parameters are counted (`data/model_shapes.yaml`)."""

    models: tuple[str, ...]
    """Ids, or how ids begin, with a star at the end."""
    matrices: int | None = None
    """Matrices of a feed-forward block: 2 without a gate; 3 where nothing is said."""
    dense_layers: int = 0
    """First layers without experts, in a mixture of experts."""
    dense_width: int | None = None
    """Width of the feed-forward block of those layers."""
    shared_experts: float = 0
    """Experts that every token meets."""
    beside_b: float = 0
    """Billions of parameters beside the decoder: vision or audio towers, per-layer embeddings."""
    uncounted: bool = False
    """The shape cannot be counted by the usual formula."""
    why: str = ""


class GenericName(Frozen):
    """A name that fits several catalogue entries: which ones, the default first, and why that one."""

    name: str
    aliases: tuple[str, ...] = ()
    means: tuple[str, ...]
    """Ids, the default first."""
    why: str


class ChipRule(Frozen):
    """What an architecture implies for the figures of its cards (`data/chips.yaml`)."""

    architecture: str
    """How the architecture of such cards begins."""
    family: str = ""
    """Family of the cards; empty: all that no earlier row names."""
    capability: str = ""
    units: int
    """Cores in one SM or compute unit."""
    per_core: float = 2
    """FP32 operations of one core and clock."""
    clock_mhz: tuple[float, float]
    """What the highest clocks of such cards lie between."""
    of_fp32: dict[str, float] = Field(default_factory=dict)
    """Figures as multiples of the FP32 rate."""
    apart: dict[str, str] = Field(default_factory=dict)
    """Cards that differ, with the reason."""


class Maker(Frozen):
    """Who makes cards, and the words that say so."""

    name: str
    """The `vendor` of its cards."""
    words: tuple[str, ...]


class CloudMachine(Frozen):
    """A family of machines that a cloud lets: the card in them, and how many of it are in each size."""

    provider: str
    card: str
    of: str
    """What the names of all its sizes begin with ("g5.")."""
    sizes: Mapping[int, tuple[str, ...]]
    """Sizes by the number of cards in them."""
    source: str

    @property
    def names(self) -> dict[str, int]:
        """The name of each size, with the number of cards in it."""
        return {f"{self.of}{size}": count for count, sizes in self.sizes.items() for size in sizes}


class ClosedModel(Frozen):
    """A model that its maker only serves: its weights are not published, so nobody can run it at home."""

    name: str
    aliases: tuple[str, ...] = ()
    maker: str
    nearest: tuple[str, ...]
    """Ids of published models that people take instead, the nearest first."""
    source: str = "served-only"
