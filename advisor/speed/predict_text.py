"""Lines about language models at work: tokens written, prompts read, many requests at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from advisor.errors import UnsupportedCombination
from advisor.models import Gpu, Workload
from advisor.speed.card import card_rates
from advisor.speed.cases import Case
from advisor.speed.decode import Reading, asked_reading, decode_time
from advisor.speed.engines import BY_NAME
from advisor.speed.fitted import FITTED
from advisor.speed.hosts import Host, is_server, usual_host
from advisor.speed.offload import (
    Placement,
    host_prompt_seconds,
    host_rate,
    offloaded_prompt,
    offloaded_token,
    place,
    room_of,
)
from advisor.speed.prompt import prompt_time, together
from advisor.speed.said import Said
from advisor.speed.serving import Load, layout_of, serve_time

_USUAL_SERVER: Final = "vllm"
"""Software of a service where a line names none that joins requests."""
_USUAL_TEST: Final = 512
"""Tokens of a prompt in llama-bench when nothing is said."""
_SHAREGPT: Final = (220.0, 200.0)
"""Mean tokens in and out of the conversations that serving tests draw from."""
_MANY_USERS: Final = 256.0
"""Requests at once where a line names no number."""
_MLPERF: Final = {
    "llama2-70b": (294.0, 294.0),
    "mixtral-8x7b": (290.0, 145.0),
    "gptj": (869.0, 69.0),
}
"""Mean tokens in and out of MLPerf's inference data sets (OpenOrca, its mix, CNN/DailyMail), from its rules."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A line about a language model at work."""

    case: Case
    workload: Workload
    said: Said

    @property
    def engine(self) -> str:
        """Software, a key of engines.BY_NAME; llama.cpp and its kin where none is named."""
        return self.said.engine or "engine"

    @property
    def host(self) -> Host:
        """The machine as named, else a usual one: a server beside large cards or many weights."""
        if self.said.host is not None:
            return self.said.host
        gpu, weights = self.case.gpu, asked_reading(self.workload).total / 1e9
        beside = self.case.n_gpus * (gpu.vram_gib or 0.0) if gpu is not None else 0.0
        return usual_host(server=is_server(gpu.vram_gib if gpu is not None else None, weights - beside))

    def reading(self, tokens: float) -> tuple[Workload, Reading]:
        """The job with so many tokens, and what it reads."""
        job = self.workload.model_copy(update={"seq_len": int(tokens)})
        return job, asked_reading(job)


def _known(case: Case) -> _Line:
    if case.workload is None:
        raise UnsupportedCombination("the line names no job", task=case.task)
    if case.said.offload == "experts" and not (case.workload.quant or case.workload.precision):
        raise UnsupportedCombination("the line does not say how the experts in RAM are stored, which sets the pace")
    return _Line(case, case.workload, case.said)


def _depth_written(line: _Line) -> float:
    """Tokens that stand before those of a test of writing: as said, else half of what is written."""
    tested = float(line.workload.seq_len or 0)
    if line.said.depth is not None:
        return line.said.depth
    return tested if line.said.length_is_depth else tested / 2.0


def written(case: Case) -> tuple[float, str]:
    """Tokens a second of one request, and what the figure rests on."""
    line = _known(case)
    _, asked = line.reading(max(_depth_written(line), 64))
    gain = FITTED["decode.draft_gain"] if line.said.drafts else 1.0
    if case.gpu is None:
        put = place(asked, 0.0, 0.0, experts=False)
        return gain / offloaded_token(None, asked, put, line.host, line.engine).total, "host"
    card = card_rates(case.gpu)
    put_ = _placement(case, asked, case.gpu)
    if put_ is not None:
        made_of = offloaded_token(card, asked, put_, line.host, line.engine, bench=line.said.bench)
        return gain / made_of.total, "offload"
    split = "tensor" if BY_NAME[line.engine].batches and case.n_gpus > 1 else "layers"
    made = decode_time(card, asked, n_gpus=case.n_gpus, engine=line.engine, split=split, bench=line.said.bench)
    return gain * made.tokens_per_s, "decode"


def _stated_memory(said: Said, gpu: Gpu) -> float | None:
    """GiB of the card as the line says, unless it is less than its record has."""
    if not said.vram_gib:
        return None
    return said.vram_gib if gpu.unified_memory or said.vram_gib >= (gpu.vram_gib or 0.0) else None


def _placement(case: Case, asked: Reading, gpu: Gpu) -> Placement | None:
    """Where the weights stand when some of them cannot or shall not be on the cards; None when all are."""
    said, experts = case.said, case.said.offload == "experts"
    try:
        room = room_of(gpu, case.n_gpus, _stated_memory(said, gpu))
    except UnsupportedCombination:
        return None
    share = _stated_share(case, asked)
    if share is not None:
        return place(asked, room, share, experts=experts) if share < 1.0 else None
    if said.offload in {"experts", "weights"}:
        return place(asked, room, 0.0 if experts else None, experts=experts)
    needed = asked.total + asked.context_bytes(min(asked.length, 8192))
    stays = said.offload == "none" or gpu.unified_memory or needed <= room * 1.04
    return None if stays or not _may_offload(said) else place(asked, room)


def _may_offload(said: Said) -> bool:
    return not said.engine or BY_NAME[said.engine].offloads


def _stated_share(case: Case, asked: Reading) -> float | None:
    """Share of layers or experts on the cards, as the line's switches say."""
    said = case.said
    if said.layers_on_card and said.offload not in {"experts", "none"}:
        on_card, of_all = said.layers_on_card
        return min(1.0, on_card / (of_all or asked.layers))
    if said.layers_in_ram is not None and said.offload == "experts":
        return max(0.0, 1.0 - said.layers_in_ram / asked.layers)
    if said.experts_on_card is not None:
        return min(1.0, said.experts_on_card / 128.0)
    if said.offload == "weights" and "cpu with the cards" in case.task.lower():
        return 0.0
    return None


def _prompt_and_depth(line: _Line) -> tuple[int, float]:
    """Tokens of the prompt that is tested, and of what stands before it.

    A test at a depth names its prompt or takes the usual one; the depth is its own number, else the line's length
    where the line says that it counts what stands before.
    """
    said, stated = line.said, line.workload.seq_len or 0
    if said.depth is None and not said.length_is_depth:
        return said.prompt or stated or _USUAL_TEST, 0.0
    return said.prompt or _USUAL_TEST, float(stated) if said.depth is None else said.depth


def read_prompt(case: Case) -> tuple[float, str]:
    """Prompt tokens a second of one request, and what the figure rests on."""
    line = _known(case)
    length, depth = _prompt_and_depth(line)
    job, asked = line.reading(max(16, length))
    if case.gpu is None:
        host = line.host
        read = (asked.common + asked.routed) / host_rate(host, line.engine)
        seconds = host_prompt_seconds(asked, host, line.engine) + read / _USUAL_TEST
        return 1.0 / seconds, "host-prompt"
    card = card_rates(case.gpu)
    put = _placement(case, asked, case.gpu)
    if put is not None:
        piece = line.said.piece
        seconds = offloaded_prompt(card, job, put, line.host, line.engine, depth=depth, together=piece)
        return 1.0 / seconds, "offload-prompt"
    made = prompt_time(card, job, depth=depth, engine=line.engine, piece=line.said.piece)
    return together(line.engine, case.n_gpus, length + depth) * made.tokens_per_s, "prompt"


def served(case: Case) -> tuple[float, str]:
    """Tokens a second of all requests, in the line's unit, and what the figure rests on."""
    line = _known(case)
    said = line.said
    if case.gpu is None:
        raise UnsupportedCombination("serving on a processor alone is not estimated", task=case.task)
    if said.offload == "experts" or "experts in ram" in f"{case.task} {said.notes} {said.software}".lower():
        raise UnsupportedCombination("many requests with experts in RAM are not estimated", task=case.task)
    prompt, output = _lengths(case)
    engine = line.engine if BY_NAME[line.engine].batches else _USUAL_SERVER
    job, load = line.workload, Load(said.users or _MANY_USERS, prompt, output)
    layout = layout_of(asked_reading(job), case.gpu, case.n_gpus, said.tensor, said.stages)
    made = serve_time(card_rates(case.gpu), job, load, layout, engine=engine)
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
