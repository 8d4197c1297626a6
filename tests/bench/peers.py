"""Other calculators beside this one, on the same published cases: `python -m tests.bench.peers [--write]`.

Nothing of theirs is run: each formula stands here as its project states it, in this project's words, read on 2026-11-23
(gpu_poor ad2fc0e, EleutherAI/cookbook 827ee3b, hiyouga/LLaMA-Factory README, huggingface/accelerate estimate.py,
AlexsJones/llmfit 3f44fd3; whichllm 0.5.21 and ftuneai 0.3.0 in `peers_packaged`). A formula gets what its own page asks for (model, method, format, batch, length) and answers
only jobs that its page offers, on one card. Every family of sources weighs the same.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from math import expm1
from pathlib import Path
from statistics import median
from typing import Final

from advisor.memory.cases import Case
from advisor.memory.job import Job, Kind, Trains
from advisor.memory.refit import Side
from advisor.memory.shapes import TEXT, Shape, shape_of
from advisor.models import Recompute
from advisor.scoring_throughput import Outcome as Pace
from advisor.speed.weights import stored_as
from advisor.validation_memory import evidence as memory_evidence
from advisor.validation_memory import left_out as left_out_memory
from advisor.validation_throughput import evidence as speed_evidence
from advisor.validation_throughput import left_out as left_out_speed
from tests.bench.peers_packaged import ftune, ftune_tokens, whichllm, whichllm_tokens

RECORD: Final = Path(__file__).parents[1] / "evaluation" / "peers.md"
_GIB: Final = 2.0**30
_GB: Final = 1e9 / _GIB
_MIB: Final = 2.0**20

Formula = Callable[[Job, Shape], float | None]
"""GiB of a job on one card; None where the page offers no such job."""


def _method(job: Job) -> str:
    """full | lora | qlora | infer: what the pages let one choose."""
    if job.kind is Kind.INFER:
        return "infer"
    if job.trains is Trains.ALL:
        return "full"
    return "qlora" if job.weights.quantised and job.weights.linear_bits < _NARROW else "lora"


_NARROW: Final = 6.0
"""Bits between weights of 8 and of 4 bits."""


def llama_factory(job: Job, shape: Shape) -> float | None:
    """The table of its README: GB for each billion parameters."""
    method = _method(job)
    if method == "full":
        each = 8.0 if job.true_half else 18.0
    elif method == "lora":
        each = 1.0 if job.weights.quantised else 2.0
    else:
        each = 0.5
    return None if method == "infer" else each * shape.parameters / 1e9 * _GB


def accelerate(job: Job, shape: Shape) -> float | None:
    """`accelerate estimate-memory`: weights in their format, or four times the fp32 weights for Adam (two in 16 bits)."""
    method = _method(job)
    if method == "infer":
        bits = next(bits for bits in (32.0, 16.0, 8.0, 4.0) if bits <= max(job.weights.linear_bits, 4.0))
        return shape.parameters * bits / 8.0 / _GIB
    if method != "full":
        return None
    return shape.parameters * (8.0 if job.half else 16.0) / _GIB


def cookbook(job: Job, shape: Shape) -> float | None:
    """EleutherAI's calc_transformer_mem: 2 + 4 + 12 bytes a parameter, activations after arXiv 2205.05198, table 2."""
    method, tokens = _method(job), float(job.batch * job.seq_len)
    if method not in ("full", "infer") or job.weights.quantised:
        return None
    low = 2.0 if job.half else 4.0
    hidden, layers = shape.hidden, shape.layers
    ratio = shape.kv_ratio / shape.q_ratio
    attention = 2.0 * (1.0 + ratio) * layers * hidden * hidden
    linears = 3.0 if shape.gated else 2.0
    parameters = 2.0 * shape.vocab * hidden + hidden * job.seq_len + 8.0 * hidden * layers + attention
    parameters += linears * layers * shape.ffn_ratio * hidden * hidden
    if method == "infer":
        cache = low * hidden * layers * (job.seq_len + 1.0) * job.batch
        return (parameters * low + tokens * hidden * (16.0 * low + 2.0) + cache) / _GIB
    kept = 16.0 * low + 2.0
    if job.recompute is Recompute.NONE:
        kept += (2.0 * low + 1.0) * shape.heads * job.seq_len / hidden
    return (parameters * (low + 16.0) + tokens * hidden * layers * kept) / _GIB


def _gpu_poor_extra(shape: Shape, tokens: int, share: float) -> float:
    """What it adds for weights that are unpacked: grows with the square root of the length over 50."""
    common = (15.0 + 6.0 * shape.ffn_ratio) * shape.hidden * shape.layers
    return share * common * 50.0 * max(tokens / 50.0, 1.0) ** 0.5


def gpu_poor(job: Job, shape: Shape) -> float | None:
    """gpu_poor: parameters as of a Llama, cache of all heads, 650 MiB on top in inference."""
    hidden, layers, inner = float(shape.hidden), shape.layers, shape.ffn_ratio * shape.hidden
    parameters = 2.0 * shape.vocab * hidden + layers * (4.0 * hidden * hidden + 3.0 * inner * hidden)
    method, bits = _method(job), job.weights.linear_bits
    size = parameters * 2.0
    if job.stack.gguf:
        size = parameters * bits / 8.0
    elif job.weights.quantised:
        size = parameters * ((1.0 if bits > _NARROW else 0.5) + 0.12)
    if method == "infer":
        ggml = 1.0 if job.stack.gguf else 2.0
        cache = ggml * job.seq_len * 4.0 * hidden * layers * job.batch
        working = (job.seq_len * hidden * 10.0 + float(job.seq_len) ** 2 * shape.heads * 2.0) * job.batch
        overhead = 650.0 * _MIB + (0.1 * job.seq_len * _MIB if job.stack.gguf else 0.0)
        return (size + cache + working + overhead) / _GIB
    length = float(job.seq_len)
    scores = length * length * shape.heads * 8.0
    layer = length * hidden * 16.0 + scores + length * (4.0 * hidden + 12.0 * inner) + length * (8.0 + 12.0 * hidden)
    kept = layer * layers * job.batch * (1.0 if job.recompute is Recompute.NONE else 0.15)
    if method == "full":
        return (size + parameters * 6.0 + kept) / _GIB
    if method == "qlora":
        size = parameters * 2.0 / 4.0 - parameters * 2.0 / 64.0 + 0.12 * parameters
        state = layers * 8.0 * hidden * 6.0 + _gpu_poor_extra(shape, job.seq_len, 0.75) * job.batch
        return (size + state + kept) / _GIB
    state = layers * 8.0 * hidden * 48.0
    if job.weights.quantised:
        state = layers * 8.0 * hidden * 24.0 + _gpu_poor_extra(shape, job.seq_len, 0.94) * job.batch
    return (size + state + kept) / _GIB


_LLMFIT_BYTES: Final = ((16.0, 2.0), (8.0, 1.05), (6.0, 0.80), (5.2, 0.68), (4.0, 0.58), (3.2, 0.48), (0.0, 0.37))
"""Bits of a weight from which on it counts so many bytes."""


def llmfit(job: Job, shape: Shape) -> float | None:
    """llmfit: bytes by format, the cache of all layers, half a GB on top."""
    if _method(job) != "infer":
        return None
    each = next(size for bits, size in _LLMFIT_BYTES if job.weights.linear_bits >= bits)
    cache = 4.0 * shape.layers * shape.kv_ratio * shape.hidden * job.seq_len * job.batch
    return (shape.parameters * each + cache + 0.5e9) / _GIB


MEMORY: Final[dict[str, Formula]] = {
    "gpu_poor": gpu_poor,
    "EleutherAI cookbook": cookbook,
    "LLaMA-Factory table": llama_factory,
    "accelerate estimate-memory": accelerate,
    "llmfit": llmfit,
    "whichllm": whichllm,
    "ftune": ftune,
}


def _asked(case: Case) -> bool:
    """A whole job of a decoder on one card, with nothing in RAM: what all the pages are about."""
    job = case.job
    text = job.model.modality in TEXT and job.model.modality != "speech" and shape_of(job.model).decoder
    plain = not (job.offloads or case.only or case.takes_gib or case.open or job.rollouts)
    return text and plain and job.n_gpus == 1 and job.kind is not Kind.LOAD


def _middle(pairs: Iterable[tuple[str, float]]) -> float:
    """Median over families of the median error of each, in percent."""
    families: dict[str, list[float]] = {}
    for family, error in pairs:
        families.setdefault(family, []).append(abs(error))
    return round(100 * median(median(errors) for errors in families.values()), 1)


def memory_rows() -> Iterable[tuple[object, ...]]:
    """One line a peer and method: cases, its error, and that of this project on the same cases."""
    found = memory_evidence()
    outcomes = [
        one
        for one in (*found.old, *found.build, *found.held)
        if one.scored.case
        and one.measured
        and one.scored.ident not in found.faults
        and one.side is Side.EXACT
        and _asked(one.scored.case)
    ]
    alone = {one.ident: one.error for one in left_out_memory(plain=False)}
    for peer, formula in MEMORY.items():
        for method in ("infer", "lora", "qlora", "full"):
            theirs, ours, unfitted = [], [], []
            for one in outcomes:
                assert one.scored.case is not None
                job = one.scored.case.job
                value = formula(job, shape_of(job.model)) if _method(job) == method else None
                if value is not None and one.measured:
                    theirs.append((one.scored.group, value / one.measured - 1.0))
                    ours.append((one.scored.group, one.error or 0.0))
                    unfitted.append((one.scored.group, alone.get(one.scored.ident, one.error or 0.0)))
            if theirs:
                families = len({family for family, _ in theirs})
                figures = (_middle(theirs), _middle(ours), _middle(unfitted))
                yield _METHODS[method], peer, families, len(theirs), *figures


_METHODS: Final = {"infer": "inference", "lora": "LoRA", "qlora": "QLoRA", "full": "full training"}
_LLMFIT_SPEED: Final = ((16.0, 2.0), (8.0, 1.0), (6.0, 0.75), (5.2, 0.625), (4.0, 0.5), (3.2, 0.375), (0.0, 0.25))
_LLMFIT_SHARE: Final = 0.55
_LLMFIT_EXPERTS: Final = ((8, 0.90), (16, 0.85), (32, 0.80), (64, 0.70))


def llmfit_tokens(one: Pace) -> float | None:
    """llmfit's tokens a second of a model that lies on the card: 0.55 of bandwidth over bytes of the active weights."""
    case = one.case
    if case is None or case.gpu is None or case.workload is None or not case.gpu.memory_bandwidth_gb_per_s:
        return None
    model, bits = case.workload.ml_model, stored_as(case.said.quant or case.workload.quant or "fp16").linear_bits
    active = (model.active_parameters or model.parameters) / 1e9
    share = _LLMFIT_SHARE
    table = _LLMFIT_SPEED
    if active * 1e9 < model.parameters:
        table = _LLMFIT_BYTES
        share *= next((part for most, part in _LLMFIT_EXPERTS if (model.experts or 65) <= most), 0.40)
    each = next(size for least, size in table if bits >= least)
    return case.gpu.memory_bandwidth_gb_per_s / (active * each) * share


def _written(one: Pace) -> bool:
    """One stream of tokens from one card that holds the model."""
    case = one.case
    if case is None or one.prediction is None or not one.measured or one.prediction.basis != "decode":
        return False
    said = case.said
    plain = said.offload in ("", "none") and said.users in (None, 1.0) and not (said.drafts or said.processor)
    return plain and case.n_gpus == 1 and one.kind == "infer-decode" and one.prediction.unit.startswith("tok")


def _trained(one: Pace) -> bool:
    """A decoder that is trained, in tokens a second."""
    case = one.case
    if case is None or one.prediction is None or not one.measured or one.prediction.basis != "decoder":
        return False
    return one.kind == "train-throughput" and "tok" in one.prediction.unit and case.said.offload in ("", "none")


_SPEED: Final = (
    ("tokens a second", "llmfit", llmfit_tokens, _written),
    ("tokens a second", "whichllm", whichllm_tokens, _written),
    ("training, tokens a second", "ftune", ftune_tokens, _trained),
)


def speed_rows() -> Iterable[tuple[object, ...]]:
    """Tokens written by local models, and read in training: the peers beside this project."""
    known = speed_evidence()
    alone = {row.ident: expm1(error) for members in left_out_speed().values() for row, error in members}
    for what, peer, formula, asked in _SPEED:
        theirs, ours, unfitted = [], [], []
        for one in (*known.old, *known.new):
            value = formula(one) if one.ident not in known.faults and asked(one) else None
            if value is not None and one.measured:
                theirs.append((known.family(one), value / one.measured - 1.0))
                ours.append((known.family(one), one.error or 0.0))
                unfitted.append((known.family(one), alone.get(one.ident, one.error or 0.0)))
        families = len({family for family, _ in theirs})
        yield what, peer, families, len(theirs), _middle(theirs), _middle(ours), _middle(unfitted)


def table() -> str:
    """The section of the validation page."""
    head = "| what | calculator | families | cases | its median error % | here % | here, family left out of the fit % |"
    rows = sorted(memory_rows(), key=lambda row: list(_METHODS.values()).index(str(row[0])))
    lines = ["| " + " | ".join(str(cell) for cell in row) + " |" for row in (*rows, *speed_rows())]
    return (
        "## Other calculators on the same cases\n\n"
        "Made by `python -m tests.bench.peers --write`, which needs no network: formulas as their projects stated them on "
        "2026-11-23 and 24 (sources there), each on the published cases of one card that its own page offers and that tell a size and no bound; median over "
        "families of the median error of each family. Constants here were fitted on these cases, theirs were not: the last "
        "column has each family predicted by constants made without it (but for reports that no fit uses). LLaMA-Factory's "
        "table and accelerate count neither batch nor length. whichllm and ftune are those of the package index (0.5.21 and "
        "ftuneai 0.3.0); ftune trains on one machine of up to eight cards.\n\n"
        + "\n".join([head, "|---|---|---|---|---|---|---|", *lines])
        + "\n"
    )


if __name__ == "__main__":
    if "--write" in sys.argv:
        RECORD.write_text(table(), encoding="utf-8")
    print(table())
