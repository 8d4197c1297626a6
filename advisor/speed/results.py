"""What the speed advisor returns: typed, frozen, with the trail behind each number."""

from __future__ import annotations

from datetime import date

from advisor.models import Estimate, Frozen, Note, Step


class Part(Frozen):
    """What one share of the time goes to: compute, other work, memory, launch, exchange."""

    name: str
    share: float


class SpeedEstimate(Frozen):
    """How fast one job runs on n cards of one kind."""

    gpu: str
    n_gpus: int
    model: str
    unit: str
    """img | seq | tok"""
    rate: Estimate
    """Per second, all cards together."""
    per_gpu: float
    step_seconds: float
    bound: str
    """Largest part of the time: compute | memory | launch | exchange."""
    parts: tuple[Part, ...]
    peak_tflops: float
    peak_basis: str
    """Counting basis of that peak: tensor | tf32 | vector."""
    notes: tuple[Note, ...] = ()


class RelativeSpeed(Frozen):
    """How many times as fast one card is as another on the same job."""

    gpu: str
    against: str
    factor: Estimate
    by_bandwidth: float
    """Ratio of memory bandwidths: the simple rule, for comparison."""
    by_peak: float | None
    """Ratio of peaks in the job's number format and one counting basis: an upper bound."""
    notes: tuple[Note, ...] = ()


class ScalingEstimate(Frozen):
    """What n cards of one kind give over one."""

    gpu: str
    n_gpus: int
    nodes: int
    link: str
    """nvlink | pcie3 | pcie4 | pcie5 | network"""
    speedup: Estimate
    efficiency: float
    exchange_share: float
    """Share of the step spent waiting for gradients."""
    exchanged_gb: float
    link_gb_per_s: float
    notes: tuple[Note, ...] = ()


class TimeEstimate(Frozen):
    """How long a job takes."""

    gpu: str
    n_gpus: int
    model: str
    hours: Estimate
    gpu_hours: float
    samples: float
    """Samples or tokens that pass through the network, all epochs together."""
    unit: str
    epochs: float
    speed: SpeedEstimate
    limited_by_loading: bool = False
    notes: tuple[Note, ...] = ()


class GenerationEstimate(Frozen):
    """How fast a language model writes and reads."""

    gpu: str
    n_gpus: int
    model: str
    users: int
    decode: Estimate
    """Tokens per second, all users together."""
    per_user: float
    prefill: Estimate | None
    """Prompt tokens per second; None where no compute figure of the card is known."""
    weight_gb: float
    bound: str
    ceiling: float
    """Bandwidth over bytes of the weights: what no software can pass with one user."""
    split: str
    notes: tuple[Note, ...] = ()


class CountEstimate(Frozen):
    """How many cards a training run needs to finish in time."""

    gpu: str
    n_gpus: int | None
    """None: even the most that a machine holds is not enough."""
    one_card_hours: float
    deadline_hours: float
    hours: float
    by_rule: int | None
    """The documents' rule with linear scaling: smallest of 1, 2, 4, 8 with hours / n within the deadline."""
    table: tuple[tuple[int, float], ...]
    """(cards, hours) as calibrated."""
    trace: Step


class LoadingBound(Frozen):
    """How many samples a second the host can hand over, and what limits it."""

    samples_per_s: Estimate
    by_cpu: float
    by_disk: float
    limit: str
    """cpu | disk"""
    cores_needed: int
    """Cores that would keep up with the wanted rate."""
    disk_mb_per_s_needed: float
    keeps_up: bool


class PublishedFigure(Frozen):
    """A figure of a document or benchmark as it stands there, with its year; not a prediction of ours."""

    code: str
    """What it says, as a code that templates word."""
    value: float
    low: float | None = None
    high: float | None = None
    unit: str = "x"
    year: int
    source: str
    as_of: date
    rows: tuple[str, ...]
    trace: Step


class OffloadEstimate(Frozen):
    """What fits on the cards and how fast a language model writes with the rest in the machine's memory."""

    gpu: str
    n_gpus: int
    model: str
    decode: Estimate
    """Tokens per second of one request."""
    prompt: Estimate | None
    """Prompt tokens per second; None where no compute figure of the card is known."""
    card_share: float
    """Of the weights, on the cards."""
    on_card_gb: float
    in_ram_gb: float
    experts_only: bool
    """Only experts are left in the machine's memory."""
    bound: str
    """What a token mostly waits for: card | ram."""
    host_gb_per_s: float
    host_stated: bool
    host_memory: str = ""
    """Kind and speed of the machine's memory ("DDR5-5200"), "" where it is not known."""
    host_channels: int = 2
    notes: tuple[Note, ...] = ()


class ServingEstimate(Frozen):
    """How fast a service answers many requests at once."""

    gpu: str
    n_gpus: int
    model: str
    users: int
    output: Estimate
    """Tokens of answers per second, all requests together."""
    per_user: float
    fits_at_once: int
    """Requests whose cache fits."""
    first_token_s: float
    cards_per_copy: int
    copies: int
    bound: str
    """memory | compute | exchange | launch | prompt"""
    notes: tuple[Note, ...] = ()


class PictureEstimate(Frozen):
    """How fast a model generates pictures or videos."""

    gpu: str
    model: str
    video: bool
    per_minute: Estimate
    seconds: float
    """Of one picture or video, all of it."""
    step_seconds: float
    """Of one denoising step of the batch."""
    steps: int
    size: tuple[int, int]
    """Width, height."""
    frames: int
    batch: int
    notes: tuple[Note, ...] = ()


class SpeechEstimate(Frozen):
    """How fast speech is recognised."""

    gpu: str
    model: str
    engine: str
    times_real_time: Estimate
    """Seconds of sound recognised in one second."""
    minutes_per_hour: float
    """Minutes one hour of sound takes."""
    encoder_share: float
    notes: tuple[Note, ...] = ()


class PretrainEstimate(Frozen):
    """How long training on so many tokens takes."""

    gpu: str
    n_gpus: int
    model: str
    tokens: float
    hours: Estimate
    gpu_hours: float
    tokens_per_s: float
    """All cards together."""
    mfu: float
    """Model FLOPs utilisation: 6 operations a parameter and token, and attention, over the 16-bit peak."""
    per_parameter: float
    """Tokens for each parameter; about 20 is compute-optimal (arXiv 2203.15556)."""
    notes: tuple[Note, ...] = ()
