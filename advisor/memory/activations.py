"""What a transformer keeps for the backward pass, counted tensor by tensor.

The unit is one value per token and hidden channel. A decoder layer keeps: the inputs of its two norms (RMSNorm
upcasts to fp32), queries, keys, values and the attention output, and the feed-forward intermediates (three of them
when gated). A trained linear layer also keeps its input; a LoRA branch keeps a dropped-out copy of it; without a
fused attention kernel the score matrices stay, too. Encoders of the BERT kind follow Korthikanti et al.,
arXiv 2205.05198, equation 2.
"""

from __future__ import annotations

from advisor.memory.calibration import Calibration
from advisor.memory.job import Adapter, Job, Trains
from advisor.memory.shapes import Shape

_ADAPTIVE_HEAD = 20_000
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


def _decoder_units(job: Job, shape: Shape, cal: Calibration) -> float:
    ffn = shape.ffn_ratio
    norms = 2.0 * (cal.norm_units_rms if shape.gated else cal.norm_units_layer)
    units = norms + 2.0 * shape.q_ratio + 2.0 * shape.kv_ratio + (3.0 * ffn if shape.gated else ffn)
    if job.trains is Trains.ALL:
        units += 2.0 + ffn
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
        copies = job.stack.score_copies or cal.attention_copies
        if shape.relative_attention:
            copies = cal.relative_attention_copies
        keys = job.seq_len * (2.0 if shape.relative_attention else 1.0)
        scores = (copies * element + 1.0) * shape.heads * keys
    return units * shape.hidden + scores


def training_activations(job: Job, shape: Shape, cal: Calibration) -> float:
    """Bytes kept by all layers for one step, with or without checkpointing."""
    tokens = float(job.batch) * job.seq_len
    element = 2.0 if job.half else 4.0
    per_layer = layer_bytes_per_token(job, shape, cal)
    if not job.checkpointing:
        return tokens * per_layer * shape.layers
    boundaries = cal.checkpoint_residue * element * shape.hidden * shape.layers
    return tokens * (boundaries + per_layer)


def logits(job: Job, shape: Shape) -> float:
    """Bytes of the scores over the vocabulary and their gradients."""
    if not job.language_loss or not shape.decoder:
        return 0.0
    stack = job.stack
    width = stack.logit_bytes
    if job.weights.quantised and stack.logit_bytes_quantised is not None:
        width = stack.logit_bytes_quantised
    vocab = min(shape.vocab, _ADAPTIVE_HEAD) if shape.relative_attention else shape.vocab
    return float(job.batch) * job.seq_len * vocab * width


def kv_cache(job: Job, shape: Shape) -> float:
    """Bytes of cached keys and values. Grouped heads, latent attention and sliding windows shorten it."""
    return float(job.batch) * (shape.cache.values(job.seq_len) * job.kv_bytes + shape.cache.state_bytes)


def inference_activations(job: Job, shape: Shape) -> float:
    """Working set of the widest layer while the prompt is read, and the last position's logits in fp32."""
    element = 2.0 if job.half else 4.0
    width = shape.hidden * (2.0 + 2.0 * shape.ffn_ratio)
    scores = 0.0 if job.flash else 2.0 * shape.heads * job.seq_len
    at_once = min(job.seq_len, job.stack.prompt_chunk or job.seq_len)
    prompt = float(job.batch) * at_once * (width + scores) * element
    return prompt + float(job.batch) * shape.vocab * 6.0
