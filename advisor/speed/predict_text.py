"""Lines about language models at work: tokens written, prompts read, many requests at once."""

from __future__ import annotations

from typing import Final

from advisor.errors import UnsupportedCombination
from advisor.models import Gpu, Workload
from advisor.speed.card import card_rates
from advisor.speed.cases import Case
from advisor.speed.decode import Reading, asked_reading, decode_time
from advisor.speed.engines import BY_NAME
from advisor.speed.fitted import FITTED
from advisor.speed.hosts import Host, usual_host
from advisor.speed.offload import (
    Placement,
    host_prompt_seconds,
    host_rate,
    offloaded_prompt,
    offloaded_token,
    place,
    room_of,
)
from advisor.speed.prompt import prompt_time
from advisor.speed.said import Said
from advisor.speed.serving import Load, layout_of, serve_time

_SERVER_GIB: Final = 40.0
_USUAL_TEST: Final = 512
"""Tokens of a prompt in llama-bench when nothing is said."""
_SHAREGPT: Final = (220.0, 200.0)
"""Mean tokens in and out of the conversations that serving tests draw from."""
_MLPERF: Final = {
    "llama2-70b": (294.0, 294.0),
    "mixtral-8x7b": (290.0, 145.0),
    "gptj": (869.0, 69.0),
}
"""Mean tokens in and out of MLPerf's inference data sets (OpenOrca, its mix, CNN/DailyMail), from its rules."""


def _known(case: Case) -> tuple[Workload, Said]:
    if case.workload is None:
        raise UnsupportedCombination("the line names no job", task=case.task)
    return case.workload, case.said


def _host(case: Case) -> Host:
    large = case.gpu is not None and (case.gpu.vram_gib or 0.0) >= _SERVER_GIB
    return case.said.host or usual_host(server=large)


def written(case: Case) -> tuple[float, str]:
    """Tokens a second of one request, and what the figure rests on."""
    workload, said = _known(case)
    tested = workload.seq_len or 0
    depth = said.depth if said.depth is not None else float(tested) if "depth" in said.notes else tested / 2.0
    job = workload.model_copy(update={"seq_len": int(max(depth, 64))})
    asked, engine = asked_reading(job), said.engine or "engine"
    gain = FITTED["decode.draft_gain"] if said.drafts else 1.0
    if case.gpu is None:
        put = place(asked, 0.0, 0.0, experts=False)
        return gain / offloaded_token(None, asked, put, _host(case), engine).total, "host"
    card = card_rates(case.gpu)
    put_ = _placement(case, asked, case.gpu)
    if put_ is not None:
        return gain / offloaded_token(card, asked, put_, _host(case), engine).total, "offload"
    split = "tensor" if BY_NAME[engine].batches and case.n_gpus > 1 else "layers"
    made = decode_time(card, asked, n_gpus=case.n_gpus, engine=engine, split=split)
    return gain * made.tokens_per_s, "decode"


def _placement(case: Case, asked: Reading, gpu: Gpu) -> Placement | None:
    """Where the weights stand when some of them cannot or shall not be on the cards; None when all are."""
    said = case.said
    memory = said.vram_gib if said.vram_gib and (gpu.unified_memory or said.vram_gib >= (gpu.vram_gib or 0.0)) else None
    try:
        room = room_of(gpu, case.n_gpus, memory)
    except UnsupportedCombination:
        return None
    share = _stated_share(case, asked)
    if share is not None:
        return place(asked, room, share, experts=said.offload == "experts")
    if said.offload in {"experts", "weights"}:
        return place(asked, room, 0.0 if said.offload == "experts" else None, experts=said.offload == "experts")
    needed = asked.total + asked.context_bytes(min(asked.length, 8192))
    if said.offload == "none" or gpu.unified_memory or needed <= room * 1.04 or not _may_offload(said):
        return None
    return place(asked, room)


def _may_offload(said: Said) -> bool:
    return not said.engine or BY_NAME[said.engine].offloads


def _stated_share(case: Case, asked: Reading) -> float | None:
    """Share of layers or experts on the cards, as the line's switches say."""
    said = case.said
    if said.layers_on_card and said.offload not in {"experts", "none"}:
        on_card, of_all = said.layers_on_card
        return min(1.0, on_card / (of_all or asked.layers + 1))
    if said.layers_in_ram is not None and said.offload == "experts":
        return max(0.0, 1.0 - said.layers_in_ram / asked.layers)
    if said.experts_on_card is not None:
        return min(1.0, said.experts_on_card / 128.0)
    if said.offload == "weights" and "cpu with the cards" in case.task.lower():
        return 0.0
    return None


def read_prompt(case: Case) -> tuple[float, str]:
    """Prompt tokens a second of one request, and what the figure rests on."""
    workload, said = _known(case)
    stated = workload.seq_len or 0
    at_depth = "depth" in said.notes or said.depth is not None
    length = said.prompt or (_USUAL_TEST if at_depth or not stated else stated)
    depth = (
        (said.depth if said.depth is not None else float(stated if said.prompt != stated else 0)) if at_depth else 0.0
    )
    if at_depth and said.depth is None and "@" not in said.notes:
        depth = 0.0
    job = workload.model_copy(update={"seq_len": max(16, length)})
    asked, engine = asked_reading(job), said.engine or "engine"
    if case.gpu is None:
        host = _host(case)
        seconds = host_prompt_seconds(asked, host) + (asked.common + asked.routed) / host_rate(host) / 512.0
        return 1.0 / seconds, "host-prompt"
    card = card_rates(case.gpu)
    put = _placement(case, asked, case.gpu)
    if put is not None:
        return 1.0 / offloaded_prompt(card, job, put, _host(case), engine), "offload-prompt"
    made = prompt_time(card, job, depth=depth, engine=engine, piece=said.piece)
    several = float(case.n_gpus**0.6) if BY_NAME[engine].batches else 1.0
    return several * made.tokens_per_s, "prompt"


def served(case: Case) -> tuple[float, str]:
    """Tokens a second of all requests, in the line's unit, and what the figure rests on."""
    workload, said = _known(case)
    if case.gpu is None:
        raise UnsupportedCombination("serving on a processor alone is not estimated", task=case.task)
    prompt, output = _lengths(case)
    asked = asked_reading(workload)
    if said.offload == "experts" or "experts in ram" in f"{case.task} {said.notes} {said.software}".lower():
        raise UnsupportedCombination("many requests with experts in RAM are not estimated", task=case.task)
    users = said.users or 256.0
    load = Load(users, prompt, output)
    layout = layout_of(asked, case.gpu, case.n_gpus, said.tensor, said.stages)
    made = serve_time(card_rates(case.gpu), workload, load, layout)
    value = made.output_per_s
    if "total" in case.unit:
        value *= (prompt + output) / output
    if case.unit.startswith(("samples", "queries")):
        value /= output
    return value, "serving"


def _lengths(case: Case) -> tuple[float, float]:
    """Mean tokens of prompts and answers."""
    if case.said.in_out:
        return case.said.in_out
    task = case.task.lower()
    for name, lengths in _MLPERF.items():
        if name in task:
            return lengths
    return _SHAREGPT
