"""Constants of the speed model that were fitted, each with where its fit starts and what it stands for.

No card, model or source has a constant of its own: cards, models and software enter by figures and declared behaviour.
The values were fitted with a pull towards `start` on published cases weighed by source; how well that does on sources
that took no part stands in advisor/VALIDATION.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from advisor.kept import forget


@dataclass(frozen=True, slots=True)
class Constant:
    """One fitted number. `value` is in use, `start` is what is known of it without any case."""

    value: float
    start: float
    meaning: str


CONSTANTS: Final[Mapping[str, Constant]] = {
    # --- text generation
    "decode.gddr_share": Constant(0.845, 0.9, "share of nominal bandwidth that reading weights reaches, GDDR"),
    "decode.hbm_share": Constant(0.494, 0.7, "the same for memory that wants many bytes under way (HBM, Xe)"),
    "decode.filled_share": Constant(0.586, 0.75, "such memory, engines whose kernels are written for it"),
    "decode.unified_share": Constant(0.764, 0.75, "the same for memory that the processor shares"),
    "decode.expert_bytes": Constant(
        1.18e6, 1.0e6, "bytes of an expert at which gathering experts takes as long as reading them"
    ),
    "decode.layer_cycles": Constant(
        68800.0, 60000.0, "clock cycles of the card a layer and token, launches as one graph"
    ),
    "decode.choose_s": Constant(
        0.000635, 5.0e-4, "seconds of choosing a token and handing it over, llama.cpp's servers"
    ),
    "decode.eager_s": Constant(0.00081, 8.0e-4, "the same when each layer is launched from Python"),
    "decode.unpack_ops": Constant(24.6, 10.0, "operations per weight of unpacking for a token without tensor units"),
    "decode.unpack_beside": Constant(6.84, 10.0, "the same beside tensor units"),
    "decode.draft_gain": Constant(1.51, 1.7, "times as fast with drafts that are checked (speculative decoding)"),
    # --- reading a prompt
    "prompt.tensor_share": Constant(0.418, 0.4, "share of the tensor peak, engines of 16 bit and 8 bit kernels"),
    "prompt.unpacked_share": Constant(0.461, 0.3, "the same with weights that are unpacked on the way (llama.cpp)"),
    "prompt.wide_gain": Constant(1.2, 1.2, "times as much with 16-bit weights, which need no unpacking"),
    "prompt.vector_share": Constant(0.274, 0.4, "share of the best ordinary rate on cards without tensor units"),
    "prompt.simd_share": Constant(0.757, 0.6, "share of the ordinary rate of cards that multiply blocks in registers"),
    "prompt.expert_tokens": Constant(20.2, 30.0, "tokens an expert at which its products reach half of these shares"),
    "prompt.attention_share": Constant(0.384, 0.3, "of these shares in attention over a long context"),
    # --- processors and memory of the machine
    "host.memory_share": Constant(0.587, 0.7, "share of nominal RAM bandwidth that reading weights reaches"),
    "host.compute_share": Constant(0.417, 0.35, "share of a processor's peak when prompts are read"),
    "host.repacked_gain": Constant(1.56, 1.8, "times as much with weights repacked for 8-bit products"),
    "host.unpack_ops": Constant(2.97, 4.0, "operations per weight that a processor unpacks for a token"),
    # --- many requests at once
    "serve.compute_share": Constant(0.499, 0.45, "share of the tensor peak in decoding large batches"),
    "serve.step_s": Constant(0.00328, 0.005, "scheduling and sampling of one step"),
    # --- pictures and videos
    "denoise.share": Constant(0.567, 0.7, "share of the tensor peak of products in one denoising step"),
    "denoise.attention_share": Constant(0.916, 0.7, "of these shares in attention"),
    "denoise.narrow_gain": Constant(0.621, 0.5, "how much of the higher 8-bit or 4-bit peak is seen: exponent"),
    "denoise.launch_s": Constant(0.000636, 3.0e-4, "seconds per block and step, launches from Python"),
    "denoise.traffic": Constant(97.4, 80.0, "bytes of eager traffic a token x block x width and pass"),
    "denoise.train_launch_s": Constant(0.00352, 3.0e-3, "seconds per block and pass in training, from Python"),
    "denoise.train_traffic": Constant(2.67, 2.0, "traffic of a training pass over that of inference"),
    "denoise.rounded": Constant(4.66, 2.0, "times the launches and traffic where factors are rounded to 8 bits"),
    # --- cards
    "card.ampere_per_watt": Constant(0.338, 0.35, "16-bit TFLOPS a watt that chips of 8 nm sustain in products"),
    "card.ada_per_watt": Constant(0.606, 0.5, "the same of 5 nm and 4 nm boards with GDDR"),
    "card.blackwell_per_watt": Constant(1.91, 1.75, "the same of Blackwell with stacked memory"),
    "card.hopper_per_watt": Constant(0.903, 1.1, "the same of 4 nm with stacked memory"),
    # --- training
    "cnn.tensor": Constant(0.845, 0.7, "share of the tensor peak in training, convolution networks"),
    "images.old_cards": Constant(
        0.0831, 0.1, "logarithm of the extra time on cards before Ampere, networks for pictures"
    ),
    "cnn.vector_ops": Constant(0.925, 0.8, "operations outside matrix products, a forward operation"),
    "cnn.traffic": Constant(0.0545, 0.07, "bytes of traffic, a forward operation, eager kernels of 16 bit"),
    "detector.tensor": Constant(0.394, 0.7, "share of the tensor peak in training, detectors"),
    "detector.vector_ops": Constant(0.465, 0.5, "operations outside matrix products, a forward operation"),
    "detector.traffic": Constant(0.0436, 0.07, "bytes of traffic, a forward operation, eager kernels of 16 bit"),
    "encoder.tensor": Constant(0.56, 0.7, "share of the tensor peak in training, text encoders"),
    "encoder.old_cards": Constant(0.192, 0.1, "logarithm of the extra time on cards before Ampere, the same"),
    "encoder.vector_ops": Constant(1880.0, 2000.0, "operations outside matrix products, a token x layer x width"),
    "encoder.traffic": Constant(249.0, 300.0, "bytes of traffic, a token x layer x width, eager kernels of 16 bit"),
    "encoder.launch_s": Constant(0.003, 0.004, "seconds of a step that do not shrink with the card, a layer"),
    "lstm.tensor": Constant(0.555, 0.7, "share of the tensor peak in training, LSTMs"),
    "lstm.old_cards": Constant(0.185, 0.1, "logarithm of the extra time on cards before Ampere, the same"),
    "lstm.vector_ops": Constant(0.221, 0.2, "operations outside matrix products, a forward operation"),
    "lstm.traffic": Constant(0.0175, 0.01, "bytes of traffic, a forward operation, eager kernels of 16 bit"),
    "lstm.launch_s": Constant(0.122, 0.1, "seconds of a step that do not shrink with the card"),
    "recurrent.tensor": Constant(0.698, 0.7, "share of the tensor peak in training, Transformer-XL and its like"),
    "recurrent.old_cards": Constant(0.678, 0.3, "logarithm of the extra time on cards before Ampere, the same"),
    "recurrent.vector_ops": Constant(1.98, 2.0, "operations outside matrix products, a forward operation"),
    "recurrent.traffic": Constant(0.287, 0.3, "bytes of traffic, a forward operation, eager kernels of 16 bit"),
    "recurrent.launch_s": Constant(0.0668, 0.08, "seconds of a step that do not shrink with the card"),
    "decoder.tensor": Constant(0.826, 0.7, "share of the tensor peak in training, decoders"),
    "decoder.vector_ops": Constant(1440.0, 1500.0, "operations outside matrix products, a token x layer x width"),
    "decoder.traffic": Constant(1460.0, 1500.0, "bytes of traffic, a token x layer x width, eager kernels of 16 bit"),
    "decoder.launch_s": Constant(0.00705, 0.005, "seconds of a step that do not shrink with the card, a layer"),
    "train.tf32_share": Constant(0.4, 0.5, "share of the TF32 peak in training"),
    "train.vector_share": Constant(0.833, 0.8, "share of the FP32 peak when matrix products run without tensor units"),
    "train.wide_traffic": Constant(1.68, 1.7, "traffic of 32-bit formats over 16-bit"),
    "train.imbalance": Constant(0.0186, 0.02, "slowdown per doubling of cards beyond communication"),
    "train.overlap": Constant(0.605, 0.5, "share of a step behind which the exchange of gradients hides"),
    "train.text_overlap": Constant(0.185, 0.3, "the same for encoders and LSTMs, whose embeddings come last"),
    "train.newer": Constant(0.0562, 0.06, "logarithm of the gain of containers of 2022 and later over those of 2020"),
    "train.recipe_tensor": Constant(0.381, 0.2, "logarithm of the gain of tuned recipes, tensor units"),
    "train.recipe_wide": Constant(0.232, 0.2, "the same in 32 bit"),
    "train.fused_traffic": Constant(0.212, 0.4, "traffic and other work of fused or compiled decoders over eager ones"),
    "train.expert_share": Constant(0.584, 0.5, "of the tensor share in training mixtures of experts"),
    "train.attention_share": Constant(0.279, 0.4, "of the tensor share in attention over long samples"),
    "train.depthwise": Constant(10.1, 6.0, "memory per operation of depthwise networks over others"),
    "train.cast_traffic": Constant(185.0, 100.0, "bytes a token x layer x width moved to round factors to 8 bits"),
    # --- speech
    "speech.share": Constant(0.285, 0.25, "share of the tensor peak when sound is encoded"),
    "speech.prepare_s": Constant(0.232, 0.2, "seconds of spectra and hand-over a window of 30 s, from Python"),
    "speech.token_s": Constant(0.000713, 4.0e-4, "seconds per decoder layer and token, launched from Python"),
    "speech.engine_cycles": Constant(
        3.78e5, 1.7e5, "cycles per decoder layer and token in an engine of compiled kernels, CTranslate2 or whisper.cpp"
    ),
    "speech.choice_layers": Constant(14.5, 8.0, "layers whose launches take as long as choosing the next word"),
    # --- pictures in, labels or boxes out
    "vision.engine_share": Constant(0.35, 0.35, "share of the peak of an engine that fuses layers (TensorRT)"),
    "vision.activation_bytes": Constant(16.2, 16.0, "bytes moved a value that a network puts out, 16 bit, PyTorch"),
    "vision.host_share": Constant(0.287, 0.3, "share of a processor's peak"),
}
"""`value` and `start` are in the unit that the meaning names; shares have none."""

FITTED: Final[dict[str, float]] = {name: one.value for name, one in CONSTANTS.items()}
"""The values in use. Only `trial` changes them, and puts them back."""


@contextmanager
def trial(changes: Mapping[str, float]) -> Iterator[None]:
    """Other values for a while, for fits and for checks on cases that were left out. Not for use while answering."""
    before = dict(FITTED)
    try:
        FITTED.update(changes)
        forget()
        yield
    finally:
        FITTED.update(before)
        forget()
