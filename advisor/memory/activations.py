"""What a transformer keeps for the backward pass, counted tensor by tensor.

The unit is one value per token and hidden channel. A decoder layer keeps: the inputs of its two norms (RMSNorm
upcasts to fp32), queries, keys, values and the attention output, and the feed-forward intermediates (three of them
when gated). A trained linear layer also keeps its input; a LoRA branch keeps a dropped-out copy of it; without a
fused attention kernel the score matrices stay, too. Encoders of the BERT kind follow Korthikanti et al.,
arXiv 2205.05198, equation 2.
"""

from __future__ import annotations

from typing import Final

from advisor.memory.calibration import Calibration
from advisor.memory.job import Adapter, Job, Trains
from advisor.memory.shapes import Shape
from advisor.models import Loss, Offload, Recompute

_AT_HAND: Final = 2.0
"""Layers whose borders are on the card while the others' lie in RAM."""
_LOSS_CHUNK: Final = 1024.0
"""Most tokens whose head and loss are taken together where both go in pieces. Of short samples fewer are: so many that
their scores take no more than their hidden states (Liger's fused linear loss; Cut Cross-Entropy keeps none)."""
_SUMMED: Final = 4.0
"""Bytes per weight of a trained head whose gradient is added up piece by piece: the piece is widened to fp32."""
_ADAPTIVE_HEAD: Final = 20_000
"""Entries of the first cluster of Transformer-XL's adaptive softmax; rarer words cost little (arXiv 1901.02860)."""


def _adapter_units(adapter: Adapter, shape: Shape, cal: Calibration) -> float:
    ffn, widths = shape.ffn_ratio, (2.0 if shape.gated else 1.0)
    if adapter is Adapter.QUERY_VALUE:
        return cal.adapter_input_units
    if adapter is Adapter.EVERY_MATRIX:
        return cal.adapter_input_units * (1.0 + shape.q_ratio + widths + ffn)
    if adapter is Adapter.SCALES:
        return shape.q_ratio + 2.0 * shape.kv_ratio + 4.0 + widths * ffn
    return 0.0


def _norm_units(job: Job, shape: Shape, cal: Calibration) -> float:
    """Values per token and channel that one norm keeps: in 16 bits its input alone."""
    if job.stack.half_norms and not shape.gated:
        return 1.0
    return cal.norm_units_rms if shape.gated else cal.norm_units_layer


def _decoder_units(job: Job, shape: Shape, cal: Calibration) -> float:
    ffn = shape.ffn_ratio
    norms = 2.0 * _norm_units(job, shape, cal)
    units = norms + 2.0 * shape.q_ratio + 2.0 * shape.kv_ratio + (3.0 * ffn if shape.gated else ffn)
    if job.trains is Trains.ALL:
        units += 2.0 + ffn
    if not job.stack.fused_adapters:
        units += _adapter_units(job.adapter, shape, cal)
    if job.weights.quantised and job.stack.saves_quantised_inputs:
        units += cal.quantised_input_units * (2.0 + ffn)
    return units


def layer_bytes_per_token(job: Job, shape: Shape, cal: Calibration) -> float:
    """Bytes that one layer keeps per token when nothing is recomputed."""
    element = 2.0 if job.half else 4.0
    units = _decoder_units(job, shape, cal) * element if shape.decoder else cal.encoder_units * element + 2.0
    if job.compiled:
        units *= cal.compiled_share
    scores = 0.0
    if not job.flash:
        copies = job.stack.runtime.score_copies or cal.attention_copies
        if shape.relative_attention:
            copies = cal.relative_attention_copies
        keys = job.seq_len * (2.0 if shape.relative_attention else 1.0)
        scores = (copies * element + 1.0) * shape.heads * keys
    return units * shape.hidden + scores


def _selective_bytes_per_token(job: Job, shape: Shape, cal: Calibration) -> float:
    """The same when only results of matrix products and of attention are kept, and the rest is recomputed.

    Programs that choose by operation keep every second product (torchtitan), others all of them.
    """
    ffn = (2.0 if shape.gated else 1.0) * shape.ffn_ratio
    products = 1.0 + 2.0 * shape.q_ratio + 2.0 * shape.kv_ratio + ffn
    units = 1.0 + (1.0 + products / 2.0 if job.stack.selective else products)
    element = 2.0 if job.half else 4.0
    return min(units * element * shape.hidden, layer_bytes_per_token(job, shape, cal))


def training_activations(job: Job, shape: Shape, cal: Calibration) -> float:
    """Bytes kept by all layers for one step, on one of the cards that share each matrix and sequence.

    Stages of a pipeline hold a share of the layers, but of as many samples as there are stages.
    """
    tokens = float(job.batch) * job.seq_len / (job.context * job.tensor)
    element = 2.0 if job.half else 4.0
    per_layer = layer_bytes_per_token(job, shape, cal)
    if job.recompute is Recompute.NONE:
        kept, last = per_layer * (shape.layers - 1.0), per_layer
    elif job.recompute is Recompute.SELECTIVE:
        kept, last = _selective_bytes_per_token(job, shape, cal) * shape.layers, 0.0
    else:
        kept, last = cal.checkpoint_residue * element * shape.hidden * shape.layers, per_layer
    if Offload.ACTIVATIONS in job.offloads:
        kept *= min(_AT_HAND / shape.layers, 1.0)
    return tokens * (kept + last)


def logits(job: Job, shape: Shape, cal: Calibration) -> float:
    """Bytes of the scores over the vocabulary and their gradients."""
    if not job.language_loss or not shape.decoder:
        return 0.0
    tokens = float(job.batch) * job.seq_len / job.context
    vocab = min(shape.vocab, _ADAPTIVE_HEAD) if shape.relative_attention else shape.vocab
    width, summed = loss_bytes(job, cal), 0.0
    if job.loss is Loss.CHUNKED and shape.hidden > 1:
        tokens = min(tokens, _LOSS_CHUNK, tokens * shape.hidden / vocab)
        summed = _SUMMED * vocab * shape.hidden if job.trains is Trains.ALL else 0.0
    return (tokens * vocab * width + summed) / job.tensor


def loss_alone(job: Job, shape: Shape, cal: Calibration) -> float:
    """Bytes of a loss with its output head, its input and their gradients, or of one on top of frozen weights."""
    element = 2.0 if job.half else 4.0
    tokens, width = float(job.batch) * job.seq_len, shape.hidden if shape.hidden > 1 else 0
    scores = logits(job, shape, cal)
    if job.loss is Loss.EAGER:  # no model around it that keeps or widens what it is given
        scores = tokens * shape.vocab * cal.plain_loss_bytes * element / 2.0
    if job.trains is Trains.ALL:
        return scores + 2.0 * element * width * (shape.vocab + tokens)
    return job.model.parameters * job.weights.linear_bits / 8.0 + scores


def loss_bytes(job: Job, cal: Calibration) -> float:
    """Bytes per token and vocabulary entry at the start of the backward pass.

    Eager: 16-bit logits, an fp32 copy, its log-softmax and gradient; a program that does not upcast does with two
    16-bit copies less. Compiled: logits and gradient in 16 bits, everything between them inside one kernel. Fused: the
    gradient takes the place of the logits.
    """
    if job.compiled and job.stack.compiles_loss:
        return 2.0 * (2.0 if job.half else 4.0)
    if job.loss is Loss.FUSED:
        return 2.0 if job.half else 4.0
    plain = not job.stack.upcasts_logits or (job.weights.quantised and job.stack.buckets)
    return cal.plain_loss_bytes if plain else cal.eager_loss_bytes


def kv_cache(job: Job, shape: Shape) -> float:
    """Bytes of cached keys and values. Grouped heads, latent attention and sliding windows shorten it."""
    cache = shape.cache
    values = cache.values(job.seq_len) if job.stack.windows else cache.unwindowed(job.seq_len)
    return float(job.batch) * (values * job.kv_bytes + cache.state_bytes)


def inference_activations(job: Job, shape: Shape) -> float:
    """Working set of the widest layer while the prompt is read, and the last position's logits in fp32; a program that
    lays its buffers out for the worst case has room for those of every token that it reads at once."""
    element = 2.0 if job.half else 4.0
    width = shape.hidden * (2.0 + 2.0 * shape.ffn_ratio)
    scores = 0.0 if job.flash else 2.0 * shape.heads * job.seq_len
    chunk = job.chunk or job.stack.prompt_chunk
    tokens = float(job.batch) * job.seq_len
    if chunk:  # servers cut what all requests bring together, not each of them
        tokens = min(tokens, float(chunk))
    kept = tokens * (width + scores) * element
    if job.stack.scores_pieces:
        return kept + tokens * shape.vocab * 4.0
    return kept + float(job.batch) * shape.vocab * 6.0
