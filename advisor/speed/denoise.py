"""Pictures and videos: operations of one denoising step over what the card reaches in such steps.

A step passes every token of the picture (an area of `edge` x `edge` pixels, for videos of `time` frames) through the
network, with attention among all of them; guidance doubles the passes. Text encoder and decoding of the latents come on
top once. Steps, size and frames are the pipeline's usual ones where nothing is said.
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil
from typing import Final, NamedTuple

from advisor.datafiles import read_data
from advisor.errors import OutOfRange, UnsupportedCombination
from advisor.models import Frozen, Gpu, Method, MlModel, Workload, note_of, step_of
from advisor.speed.bands import banded, spread_of
from advisor.speed.card import CardRates, card_rates, usable_peak
from advisor.speed.fitted import FITTED
from advisor.speed.hosts import Host
from advisor.speed.results import PictureEstimate

_DECODE_TFLOP_PER_MEGAPIXEL: Final = 10.0
"""Operations of an image VAE's decoder, counted on that of Stable Diffusion (2.5 TFLOP at 512 x 512)."""
_TEXT_TFLOP: Final = 5.0
"""T5-XXL over 512 tokens; smaller encoders need less."""
_OPS_PER_UNIT_OF_UNET: Final = 12_000.0
"""Operations of a U-Net per value of a feature map and layer: widths of 320 to 1280, two convolutions of nine taps."""
_KEPT_BYTES: Final = 34.0
"""Bytes kept for the backward pass per unit (arXiv 2205.05198, section 4.1), which offloading them moves."""
_VECTOR_SHARE: Final = 0.5
"""Of the ordinary rate, on cards without tensor units."""
_FINE_OPS: Final = 0.3
"""Of a U-Net's operations, those of convolutions and of blocks above its coarsest level (SDXL: 1.7 of 6.0 TFLOP)."""
_WIDENED_BYTES: Final = 5.0
"""A parameter and pass: read in 8 bits or fewer, written in 16, read again by the product."""
_FUSED: Final = 0.35
"""Traffic and launches that compiling leaves."""
_TILE: Final = 16
"""Tokens that such a kernel works on with weights once unpacked: rows of one tensor product (PyTorch's int4mm.cu)."""
_MEGAPIXEL: Final = 1024.0 * 1024.0
_FLASH_REACH: Final = {"9": 0.6, "10": 0.6}
"""Of the full rate of a chip's tensor units, what attention can use in the pipelines of 2024 and 2025 that were
measured, by the first figure of the compute capability: FlashAttention 2 does not use the instructions of newer chips
(35 % of an H100, 73 % of an A100: arXiv 2407.08608), the vendor's kernels do. A chip whose rate is held below that
(H20) loses nothing. Training as measured in 2026 has those."""
_DISTILLED_STEPS: Final = 8
"""Runs of so few steps are those of distilled weights (Lightning, Turbo, LCM), which have taken up the guidance."""


class Denoiser(Frozen):
    """One network of data/denoisers.yaml, whose head says what the fields mean."""

    name: str
    models: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    unet_tflop: float | None = None
    per_token: float = 0.0
    blocks: int
    width: int = 0
    edge: float = 16.0
    time: int | None = None
    text: int = 0
    passes: int
    steps: int
    size: tuple[int, int]
    frames: int = 1
    fps: int = 24
    linear: bool = False
    unit_ops: float = _OPS_PER_UNIT_OF_UNET

    def length(self, frames: int | None) -> int:
        """Frames as asked for, else the pipeline's usual number; one of a picture."""
        return (frames or self.frames) if self.time else 1

    def tokens(self, size: tuple[int, int], frames: int) -> float:
        """Tokens of one picture or video, the prompt's among them."""
        area = (size[0] / self.edge) * (size[1] / self.edge)
        latent_frames = 1 + ceil((frames - 1) / self.time) if self.time else 1
        return area * latent_frames + self.text

    def units(self, size: tuple[int, int], frames: int = 1) -> float:
        """Token x block x width of one forward pass: what the work beside products goes with."""
        if self.unet_tflop is not None:
            return self.forward_ops(size, frames)[0] / self.unit_ops
        return self.tokens(size, frames) * self.blocks * self.width

    def forward_ops(self, size: tuple[int, int], frames: int = 1) -> tuple[float, float]:
        """Operations of one forward pass on one picture or video: products with weights, and attention."""
        if self.unet_tflop is not None:
            grown = size[0] * size[1] / (self.size[0] * self.size[1])
            return self.unet_tflop * 1e12 * grown**1.08, 0.0  # attention of the finest level grows with its square
        tokens = self.tokens(size, frames)
        attention = 0.0 if self.linear else 4.0 * self.blocks * self.width * tokens**2
        return 2.0 * self.per_token * 1e9 * tokens, attention


@lru_cache(maxsize=1)
def denoisers() -> tuple[Denoiser, ...]:
    """All of data/denoisers.yaml."""
    made: tuple[Denoiser, ...] = read_data("denoisers.yaml", tuple[Denoiser, ...])
    return made


@lru_cache(maxsize=256)
def denoiser_named(text: str) -> Denoiser | None:
    """The network that a name means: the longest of the known words in it, or None."""
    lowered = text.lower()
    hits = [(len(word), one) for one in denoisers() for word in one.words if word in lowered]
    return max(hits, key=lambda hit: hit[0])[1] if hits else None


def denoiser_of(model: MlModel) -> Denoiser:
    """The shape of a catalogue model; one that is not described is taken for a transformer of its size.

    Raises:
        UnsupportedCombination: it generates no pictures.
    """
    for one in denoisers():
        if model.id in one.models:
            return one
    if model.modality != "image-gen":
        raise UnsupportedCombination("this model generates no pictures or videos", model=model.name)
    named = denoiser_named(model.name)
    return named or _by_size(model)


def frames_of(model: MlModel, seconds: float) -> int | None:
    """Frames of a clip of so many seconds at the rate of the model's pipeline; None for a model that makes none."""
    if model.modality != "image-gen":
        return None
    shape = denoiser_of(model)
    return round(seconds * shape.fps) + 1 if shape.time is not None else None


def _by_size(model: MlModel) -> Denoiser:
    """A transformer of 40 blocks as wide as its parameters say, with guidance."""
    billions = (model.active_parameters or model.parameters) / 1e9
    width = int((billions * 1e9 / (12 * 40)) ** 0.5)
    video = "video" in model.family.lower()
    return Denoiser(
        name=model.name,
        per_token=billions,
        blocks=40,
        width=width,
        time=4 if video else None,
        text=256,
        passes=2,
        steps=40,
        size=(832, 480) if video else (1024, 1024),
        frames=81 if video else 1,
    )


class Pace(NamedTuple):
    """How a step is run."""

    compiled: bool = False
    narrow: str = ""
    """Products in 8 or 4 bits: fp8 | int8 | fp4; empty where only weights are stored so."""
    half_sums: bool = False
    """Products of 16 bits are summed in 16 bits, at the higher rate that GeForce cards have for that."""
    rounded: bool = False
    """Scales of what weights are multiplied with are found anew before each product (dynamic), by launches of their own
    unless they are compiled into others (pytorch/ao issue 685: three times as long without torch.compile)."""
    tiled: bool = False
    """Weights of 4 bits are unpacked anew for every few tokens, by kernels made for single tokens (tinygemm)."""


PLAIN: Final = Pace()


class StepSeconds(NamedTuple):
    """Seconds of one denoising step of a batch."""

    compute: float
    traffic: float
    launch: float
    fine: float = 0.0
    """Of other layers than those whose launches are counted: convolutions, norms and the finest blocks of a U-Net,
    while its coarse blocks wait for launches."""

    @property
    def total(self) -> float:
        """Launches hide behind the work of the same layers or set the floor."""
        return float(((self.compute + self.traffic) ** 3 + self.launch**3) ** (1.0 / 3.0) + self.fine)

    @property
    def bound(self) -> str:
        """What most of it goes to: compute | memory | launch."""
        parts = {"compute": self.compute, "memory": self.traffic + self.fine, "launch": self.launch}
        return max(parts, key=lambda name: parts[name])


def denoise_rate(card: CardRates, shape: Denoiser, pace: Pace) -> float:
    """Operations a second of products within a step.

    Raises:
        UnsupportedCombination: no compute figure of the card is known.
    """
    share = FITTED["denoise.share"]
    if card.tensor is None:
        rate = max(card.vector_peak, card.half if not card.nvidia else 0.0)
        if not rate:
            raise UnsupportedCombination("no compute figure is known for this card", gpu=card.gpu.name)
        return rate * _VECTOR_SHARE
    base = max(card.tensor, (card.gpu.fp16_tensor_fp16acc_tflops or 0.0) * 1e12) if pace.half_sums else card.tensor
    narrow = _narrow_peak(card, pace.narrow)
    gain = (narrow / base) ** FITTED["denoise.narrow_gain"] if narrow > base else 1.0
    return usable_peak(card, card.fed(share), base * gain)


def _narrow_peak(card: CardRates, narrow: str) -> float:
    eight = card.eight
    if narrow == "int8":
        return max(eight, (card.gpu.int8_tops or 0.0) * 1e12)
    if narrow == "fp4":
        return eight * (2.0 if (card.gpu.compute_capability or "").startswith(("10", "12")) else 1.0)
    return eight if narrow == "fp8" else 0.0


def denoise_step(
    card: CardRates,
    shape: Denoiser,
    size: tuple[int, int],
    frames: int = 1,
    batch: int = 1,
    pace: Pace = PLAIN,
    passes: float | None = None,
    *,
    trains: bool = False,
) -> StepSeconds:
    """Seconds of one step of a batch. `passes` replaces the usual forward passes (training: forward and backward)."""
    weights, attention = shape.forward_ops(size, frames)
    reach = 1.0 if trains else _flash_reach(card)
    work = weights + attention / (FITTED["denoise.attention_share"] * reach)
    repeat = float(shape.passes if passes is None else passes)
    left = _FUSED if pace.compiled else FITTED["denoise.rounded"] if pace.rounded else 1.0
    compute = batch * repeat * work / denoise_rate(card, shape, pace)
    if pace.tiled:
        compute += batch * repeat * weights / 2.0 / _TILE * FITTED["decode.unpack_ops"] / card.vector_peak
    traffic = batch * repeat * shape.units(size, frames) * FITTED["denoise.traffic"] * left / _bandwidth(card)
    launches = shape.blocks * FITTED["denoise.launch_s"] * left
    return _split(shape, compute, traffic, launches)


def _split(shape: Denoiser, compute: float, traffic: float, launch: float) -> StepSeconds:
    """A step whose work lies where the launches are, or in part beside them in a U-Net."""
    if shape.unet_tflop is None:
        return StepSeconds(compute, traffic, launch)
    return StepSeconds(compute * (1.0 - _FINE_OPS), 0.0, launch, traffic + compute * _FINE_OPS)


def _flash_reach(card: CardRates) -> float:
    """Of what products with weights reach, what attention does on this card."""
    limit = _FLASH_REACH.get((card.gpu.compute_capability or "").split(".")[0])
    return 1.0 if limit is None else min(1.0, limit / card.opened)


def train_step(
    card: CardRates,
    shape: Denoiser,
    size: tuple[int, int],
    frames: int,
    batch: int,
    *,
    method: Method,
    recompute: str = "full",
    unpacked: bool = False,
    rounded: bool = False,
    compiled: bool = False,
    captured: bool = False,
) -> StepSeconds:
    """Seconds of one training step of a batch; text and latents were encoded beforehand.

    Args:
        card: the card.
        shape: the network.
        size: width and height.
        frames: of each video, 1 for pictures.
        batch: pictures or videos of a step.
        method: LORA and QLORA train adapters, others all weights.
        recompute: none | selective | full.
        unpacked: the base is stored in 8 or 4 bits and widened in every pass.
        rounded: what it is multiplied with is rounded to 8 bits in every pass as well (dynamic FP8 or INT8).
        compiled: with torch.compile.
        captured: the whole step is one graph of launches, so that nothing waits for the host.
    """
    passes = train_passes(method, recompute)
    once = denoise_step(card, shape, size, frames, batch, Pace(compiled), passes, trains=True)
    more = FITTED["denoise.rounded"] if rounded else 1.0
    widened = _weights(shape) * _WIDENED_BYTES * passes / _bandwidth(card) if unpacked else 0.0
    launch = shape.blocks * FITTED["denoise.train_launch_s"] * passes * more * (_FUSED if compiled else 1.0)
    traffic = (once.traffic + once.fine) * FITTED["denoise.train_traffic"] * more
    return _split(shape, once.compute, traffic + widened, 0.0 if captured else launch)


def _weights(shape: Denoiser) -> float:
    """Parameters of a network: about half as many again as each token passes, as two kinds of tokens have their own."""
    return 1.5e9 * (shape.per_token or 1.0)


def _bandwidth(card: CardRates) -> float:
    """Bytes a second, nominal: the constants of traffic were fitted on that."""
    return (card.gpu.memory_bandwidth_gb_per_s or 0.0) * 1e9


def offloaded_activations_s(shape: Denoiser, size: tuple[int, int], frames: int, batch: int, host: Host) -> float:
    """Seconds a training step waits for activations that are kept in the machine's memory."""
    return batch * shape.units(size, frames) * _KEPT_BYTES / (host.pcie_gb_per_s * 1e9)


def guided_passes(shape: Denoiser, steps: int) -> int:
    """Forward passes a step when so many steps are run: one where they are few."""
    return 1 if steps <= _DISTILLED_STEPS else shape.passes


def around_seconds(card: CardRates, shape: Denoiser, size: tuple[int, int], frames: int, batch: int) -> float:
    """Text encoder and decoding of the latents, once a picture or video."""
    tflop = _TEXT_TFLOP + _DECODE_TFLOP_PER_MEGAPIXEL * size[0] * size[1] / _MEGAPIXEL * frames
    rate = (card.tensor or max(card.vector_peak, card.half, 1e9)) * FITTED["denoise.share"] * 0.7
    return batch * tflop * 1e12 / rate


def train_passes(method: Method, recompute: str = "full") -> float:
    """Forward passes that a training step of a denoiser is worth: backward costs one, two where weights are trained."""
    adapters = method in (Method.LORA, Method.QLORA)
    return (2.0 if adapters else 3.0) + {"full": 1.0, "selective": 0.5}.get(recompute, 0.0)


def _checked(size: tuple[int, int], counts: dict[str, int]) -> None:
    for edge in size:
        if not 16 <= edge <= 16_384:
            raise OutOfRange("an edge must lie between 16 and 16,384 pixels", name="resolution", value=edge)
    for name, value in counts.items():
        if not 1 <= value <= 100_000:
            raise OutOfRange(f"{name} must lie between 1 and 100,000", name=name, value=value)


def pictures_per_minute(
    workload: Workload,
    gpu: Gpu,
    *,
    steps: int | None = None,
    frames: int | None = None,
    compiled: bool = False,
    narrow: str = "",
) -> PictureEstimate:
    """Pictures, or videos, a minute and the seconds of one.

    Args:
        workload: a model that generates pictures or videos; `resolution` and `batch` as wished.
        gpu: the card.
        steps: denoising steps; the pipeline's usual number when None.
        frames: of a video; the pipeline's usual number when None.
        compiled: with torch.compile or an engine of compiled kernels.
        narrow: fp8 | int8 | fp4 where products are done in so few bits, not only weights stored.

    Raises:
        UnsupportedCombination: the model generates no pictures, or no compute figure of the card is known.
        OutOfRange: sizes or counts that no picture has.
    """
    shape, card = denoiser_of(workload.ml_model), card_rates(gpu)
    video = shape.time is not None
    size, batch = workload.resolution or shape.size, workload.batch or 1
    count, length = steps or shape.steps, shape.length(frames)
    _checked(size, {"steps": count, "frames": length, "batch": batch})
    step = denoise_step(card, shape, size, length, batch, Pace(compiled, narrow), guided_passes(shape, count))
    seconds = count * step.total + around_seconds(card, shape, size, length, batch)
    trace = step_of(
        name="throughput",
        value=60.0 * batch / seconds,
        unit="videos/min" if video else "images/min",
        how="batch / (steps x seconds of a step + text and decoding)",
        inputs=(
            step_of(name="steps", value=count, how="given" if steps else "usual"),
            step_of(name="step_time", value=step.total, unit="s", how="passes x operations / usual share of the peak"),
            step_of(name="tokens", value=round(shape.tokens(size, length)), how="size / edge of a token, frames"),
        ),
    )
    spread = spread_of("video" if video else "image", outside=card.outside)
    asked = (steps, workload.resolution, *((frames,) if video else ()))
    values = {"steps": count, "width": size[0], "height": size[1], "frames": length}
    return PictureEstimate(
        gpu=gpu.name,
        model=workload.ml_model.name,
        video=video,
        per_minute=banded(60.0 * batch / seconds, spread, trace.unit, "operations of the steps", trace),
        seconds=seconds / batch,
        step_seconds=step.total,
        steps=count,
        size=size,
        frames=length,
        batch=batch,
        notes=(note_of("speed_picture_assumed", values),) if None in asked else (),
    )
