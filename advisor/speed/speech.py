"""Speech recognition: sound is encoded like a prompt, text is written like tokens, so a decoder's launches decide.

Whisper encodes windows of 30 seconds (1,500 steps) and writes text behind each; models that write no text token by
token (Paraformer, SenseVoice) only encode. A token waits for its layers, for the choice among all words, for the
decoder's weights, and for the encoded sound that every hypothesis of every window at work looks back at. An engine of
compiled kernels (CTranslate2 in faster-whisper, whisper.cpp) launches a layer several times as fast as Python does.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from advisor.datafiles import read_data
from advisor.errors import OutOfRange, UnsupportedCombination
from advisor.models import Frozen, Gpu, Workload, step_of
from advisor.speed.bands import banded, spread_of
from advisor.speed.card import CardRates, card_rates
from advisor.speed.fitted import FITTED
from advisor.speed.hosts import Host
from advisor.speed.results import SpeechEstimate

_WINDOW_S: Final = 30.0
_TOKENS_PER_WINDOW: Final = 130.0
"""Words of fluent speech (about 160 a minute) in tokens, with marks of time."""
ENGINES: Final = ("transformers", "faster-whisper", "whisper.cpp", "openai")
_WIDTHS_A_LAYER: Final = 16.0
"""Squared widths of a decoder layer: two attentions of four, a feed-forward part of eight."""
_HELD_IN: Final = {"whisper.cpp": 16}
"""Bits in which engines keep the encoded sound on a processor; others keep 32 there (CTranslate2 computes so)."""
_HOST_HZ: Final = 1.7e9
"""Cycles of a card in a second that a processor, which launches nothing, is counted with."""
_DRAWN: Final = 0.8
"""Share of a card's bandwidth that reading weights and encoded sound reaches."""
_COMPILED: Final = frozenset({"faster-whisper", "whisper.cpp", "engine"})


class Recogniser(Frozen):
    """One line of data/recognisers.yaml, whose head says what the fields mean."""

    name: str
    models: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    encoder_m: float
    decoder_m: float = 0.0
    decoder_layers: int = 0
    per_second: float


@lru_cache(maxsize=1)
def recognisers() -> tuple[Recogniser, ...]:
    """All of data/recognisers.yaml."""
    made: tuple[Recogniser, ...] = read_data("recognisers.yaml", tuple[Recogniser, ...])
    return made


@lru_cache(maxsize=128)
def recogniser_named(text: str) -> Recogniser:
    """The recogniser that a name means: the longest of the known words in it.

    Raises:
        UnsupportedCombination: none is known by that name.
    """
    lowered = text.lower().replace(" ", "-")
    hits = [(len(word), one) for one in recognisers() for word in (*one.models, *one.words) if word in lowered]
    if not hits:
        raise UnsupportedCombination("no shape is known for this speech model", model=text)
    return max(hits, key=lambda hit: hit[0])[1]


class Listening(NamedTuple):
    """How sound is recognised."""

    engine: str = "faster-whisper"
    batch: int = 1
    """Windows worked on at once."""
    beams: int = 1
    bits: int = 16
    in_turn: bool = False
    """Hypotheses are written one after the other (whisper.cpp until 2023)."""


def _looked_back(shape: Recogniser, how: Listening, bits: int) -> float:
    """Bytes of encoded sound that all hypotheses of all windows at work look back at for one token: keys and values of
    every decoder layer."""
    layers = max(1, shape.decoder_layers)
    width = (shape.decoder_m * 1e6 / layers / _WIDTHS_A_LAYER) ** 0.5
    return float(layers * 2.0 * width * shape.per_second * _WINDOW_S * bits / 8.0 * how.beams * how.batch)


def _launched(shape: Recogniser, how: Listening, clock: float) -> float:
    """Seconds of a token's launches: its layers, and the choice of the next word. From Python the host sets the pace,
    kernels that are queued ahead follow each other at the card's clock."""
    each = FITTED["speech.engine_cycles"] / clock if how.engine in _COMPILED else FITTED["speech.token_s"]
    return (shape.decoder_layers + FITTED["speech.choice_layers"]) * each


class SpeechSeconds(NamedTuple):
    """Seconds for one window of 30 seconds."""

    encoder: float
    decoder: float

    @property
    def times_real_time(self) -> float:
        """Seconds of sound in one second."""
        return float(_WINDOW_S / (self.encoder + self.decoder))


def speech_on_card(card: CardRates, shape: Recogniser, how: Listening) -> SpeechSeconds:
    """Seconds of one window on a card.

    Raises:
        UnsupportedCombination: no compute figure of the card is known.
    """
    peak = card.tensor if how.bits <= 16 else card.vector_peak
    peak = peak or max(card.vector_peak, card.half)
    if not peak:
        raise UnsupportedCombination("no compute figure is known for this card", gpu=card.gpu.name, missing="tflops")
    ops = 2.0 * shape.encoder_m * 1e6 * shape.per_second * _WINDOW_S
    prepared = FITTED["speech.prepare_s"] * (1.0 if how.engine not in _COMPILED else 0.2)
    encoder = ops / (peak * FITTED["speech.share"]) + prepared
    if not shape.decoder_layers:
        return SpeechSeconds(encoder, 0.0)
    bandwidth = (card.gpu.memory_bandwidth_gb_per_s or 0.0) * 1e9 * _DRAWN
    read = shape.decoder_m * 1e6 * how.bits / 8.0 + _looked_back(shape, how, max(16, how.bits))
    products = 2.0 * shape.decoder_m * 1e6 * how.beams * how.batch / (peak * FITTED["speech.share"])
    token = _launched(shape, how, card.clock) + max(read / bandwidth, products)
    return SpeechSeconds(encoder, _TOKENS_PER_WINDOW * token / how.batch)


def speech_on_host(host: Host, shape: Recogniser, how: Listening) -> SpeechSeconds:
    """Seconds of one window on a processor, or on as many of its cores as work."""
    faster = 2.0 if how.bits <= 8 and host.dots else 1.0
    rate = host.working_tflops * 1e12 * FITTED["host.compute_share"] * faster
    encoder = 2.0 * shape.encoder_m * 1e6 * shape.per_second * _WINDOW_S / rate
    if not shape.decoder_layers:
        return SpeechSeconds(encoder, 0.0)
    read = shape.decoder_m * 1e6 * how.bits / 8.0 + _looked_back(shape, how, _HELD_IN.get(how.engine, 32))
    products = 2.0 * shape.decoder_m * 1e6 * how.beams * how.batch / rate
    reading = read / (host.drawn_gb_per_s * 1e9 * FITTED["host.memory_share"])
    token = max(reading, products) + _launched(shape, how, _HOST_HZ)
    again = how.beams if how.in_turn else 1
    return SpeechSeconds(encoder, _TOKENS_PER_WINDOW * token * again / how.batch)


def speech_real_time(
    workload: Workload, gpu: Gpu, *, engine: str = "faster-whisper", batch: int = 1, beams: int = 1
) -> SpeechEstimate:
    """How many times faster than real time a card recognises speech.

    Args:
        workload: a speech model; `quant` "int8" or a precision says how many bits.
        gpu: the card.
        engine: one of ENGINES.
        batch: windows of 30 seconds worked on at once.
        beams: hypotheses that are kept.

    Raises:
        UnsupportedCombination: the model's shape or the card's figures are not known.
        OutOfRange: no number of windows or beams.
    """
    for name, count in (("batch", batch), ("beams", beams)):
        if not 1 <= count <= 1024:
            raise OutOfRange(f"{name} must lie between 1 and 1,024", name=name, value=count)
    model, card = workload.ml_model, card_rates(gpu)
    shape = recogniser_named(model.id if model.id in _known_ids() else model.name)
    made = speech_on_card(card, shape, Listening(engine, batch, beams, bits_of(workload)))
    value = made.times_real_time
    trace = step_of(
        name="throughput",
        value=value,
        unit="x",
        how="30 s / (encoder operations / usual share of the peak + tokens x layers)",
        inputs=(
            step_of(name="encoder_seconds", value=made.encoder, unit="s", how="operations / share of the peak"),
            step_of(name="decoder_seconds", value=made.decoder, unit="s", how="tokens x (launches + weights read)"),
        ),
    )
    return SpeechEstimate(
        gpu=gpu.name,
        model=model.name,
        engine=engine,
        times_real_time=banded(value, spread_of("speech", outside=card.outside), "x", "encoder and decoder", trace),
        minutes_per_hour=60.0 / value,
        encoder_share=made.encoder / (made.encoder + made.decoder),
    )


@lru_cache(maxsize=1)
def _known_ids() -> frozenset[str]:
    return frozenset(ident for one in recognisers() for ident in one.models)


def bits_of(workload: Workload) -> int:
    """Bits of a weight as far as speech engines have them: 8, 16 or 32."""
    said = f"{workload.quant or ''} {workload.precision or ''}".lower()
    return 8 if "int8" in said or "q8" in said else 32 if "fp32" in said else 16
