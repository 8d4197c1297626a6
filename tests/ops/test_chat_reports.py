"""Measurements that people tell: read from what tools print, compared with the estimate, kept with consent."""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.chat_prices import ChatPrices, Knowing
from bot.chat_reports import KEY, ChatReports, cases_in, memory_table, rate_table
from bot.cli.reports import export
from bot.pipeline import Assistant
from bot.reading_reports import measured_in
from bot.stores import open_store
from bot.stores.memory import MemoryStore
from bot.tellings import Tellings
from tests.ops.test_chat_prices import Chat

BENCH = """ggml_cuda_init: found 1 CUDA devices:
  Device 0: NVIDIA GeForce RTX 4090, compute capability 8.9, VMM: yes
| model                          |       size |     params | backend    | ngl |            test |                  t/s |
| ------------------------------ | ---------: | ---------: | ---------- | --: | --------------: | -------------------: |
| qwen2 7B Q4_K - Medium         |   4.36 GiB |     7.62 B | CUDA       |  99 |           pp512 |     11000.35 ± 80.88 |
| qwen2 7B Q4_K - Medium         |   4.36 GiB |     7.62 B | CUDA       |  99 |           tg128 |        131.37 ± 0.41 |
"""
VLLM = """INFO 04-07 06:05:43 [core.py:54] Initializing a V1 LLM engine (v0.8.3) with config: model='Qwen/Qwen2.5-7B-Instruct', \
dtype=torch.bfloat16, max_seq_len=8192, tensor_parallel_size=1, quantization=None
INFO 04-07 06:06:10 [gpu_model_runner.py:1273] Model loading took 14.2487 GiB and 5.9 seconds
"""
SMI = """qwen2.5-7b lora batch 1 2048
| NVIDIA-SMI 550.54                 Driver Version: 550.54         CUDA Version: 12.4     |
|   0  NVIDIA GeForce RTX 4090        Off |   00000000:01:00.0 Off |                  Off |
| 30%   55C    P2            310W /  450W |   17510MiB /  24564MiB |     98%      Default |
"""
TRAINING = "rtx 4090 qwen2.5-7b lora batch 1 2048\nstep 100 loss 1.2\nMemory used: 18.36 GB\n"


class Telling(Chat):
    """A chat in which measurements are told, too."""

    def __init__(self, assistant: Assistant, store: MemoryStore) -> None:
        super().__init__(assistant, store)
        knowing = Knowing(assistant.understander.understand, assistant.services.catalog)
        parts = (store, lambda: assistant, lambda: knowing, lambda ident: f"h{hash(ident)}")
        self.tellings = Tellings(ChatPrices(*parts, clock=self.clock), ChatReports(*parts, clock=self.clock))
        self.wire(assistant, self.tellings)


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    held = MemoryStore()
    await held.open()
    yield held
    await held.close()


@pytest.fixture
def chat(assistant: Assistant, store: MemoryStore) -> Telling:
    return Telling(assistant, store)


@pytest.mark.parametrize(
    ("text", "value", "unit", "metric", "card"),
    [
        (BENCH, 131.37, "tok/s", "generation", "NVIDIA GeForce RTX 4090"),
        (VLLM, 14.2487, "GiB", "weights loaded", ""),
        (SMI, 17.1, "GiB", "nvidia-smi", "NVIDIA GeForce RTX 4090"),
        (TRAINING, 17.1, "GiB", "torch max allocated", ""),
        ("4090 qwen2.5-7b lora batch 1 2048 峰值 17.1 GiB", 17.1, "GiB", "stated", ""),
        ("4090 qwen2.5-7b q4_k_m 130.5 tok/s", 130.5, "tok/s", "stated", ""),
        ("peak memory\n{'train_samples_per_second': 3.21}", 3.21, "samples/s", "training", ""),
    ],
)
def test_what_tools_print_is_read(text: str, value: float, unit: str, metric: str, card: str) -> None:
    found = measured_in(text)
    assert found is not None
    assert found.value == pytest.approx(value, abs=0.01)
    assert (found.unit, found.metric, found.card) == (unit, metric, card)


@pytest.mark.parametrize("text", ["", "hello", "4090 有 24 GB 显存", "| a | b |\n| 1 | 2 |", "took 3 seconds"])
def test_what_is_no_measurement_is_none(text: str) -> None:
    assert measured_in(text) is None


async def test_the_reply_puts_the_estimate_beside_the_measured_figure(chat: Telling) -> None:
    told = await chat.say("amy", "/report 4090 qwen2.5-7b lora batch 1 长度 2048 峰值 17.1 GiB")
    assert "我估" in told
    assert "你测 17.1 GiB" in told
    assert "Qwen2.5-7B" in told
    english = await chat.say("bob", f"/report {TRAINING}")
    assert "I said" in english
    assert "you measured 17.1 GiB (torch max allocated)" in english


async def test_a_pasted_table_is_compared_without_the_command(chat: Telling) -> None:
    told = await chat.say("amy", BENCH)
    assert "you measured 131 tok/s (generation)" in told
    assert "RTX 4090" in told
    loaded = await chat.say("amy", VLLM)
    assert "14.2 GiB (weights loaded)" in loaded
    assert "I said" in loaded


async def test_a_log_that_is_asked_about_is_a_question(chat: Telling) -> None:
    assert "留作校准" not in await chat.say("amy", f"为什么这么慢\n{BENCH}")


async def test_it_is_kept_only_with_consent_without_words_and_forgotten_on_request(chat: Telling) -> None:
    reply = await chat.ask("amy", f"/report secret-project {SMI}")
    assert await chat.store.get(KEY) is None
    (button,) = reply.choices
    assert "kept for calibration" in await chat.say("amy", "", action=button.key)
    (case,) = (await cases_in(chat.store)).held
    assert (case.gpu, case.model, case.unit, case.metric) == ("RTX 4090", "Qwen2.5-7B", "GiB", "nvidia-smi")
    assert "secret-project" not in str(await chat.store.get(KEY))
    assert "amy" not in str(await chat.store.get(KEY))
    await chat.say("amy", "/forget")
    assert (await cases_in(chat.store)).held == ()


async def test_another_member_cannot_keep_what_one_told(chat: Telling) -> None:
    await chat.say("amy", f"/report {SMI}")
    assert "No measurement waits" in await chat.say("eve", "/report ok")


async def test_what_is_kept_comes_out_in_the_columns_of_the_calibration_files(chat: Telling) -> None:
    for text in (SMI, BENCH):
        await chat.say("amy", f"/report {text}")
        await chat.say("amy", "/report ok")
    held = (await cases_in(chat.store)).held
    for table, file in ((memory_table(held), "memory_cases.csv"), (rate_table(held), "throughput_cases.csv")):
        with Path("tests/evaluation", file).open(encoding="utf-8", newline="") as handle:
            columns = next(csv.reader(handle))
        rows = list(csv.DictReader(io.StringIO(table)))
        assert list(rows[0]) == columns
        assert len(rows) == 1
    memory = next(csv.DictReader(io.StringIO(memory_table(held))))
    assert (memory["gpu"], memory["measured_gib"], memory["metric"]) == ("RTX 4090", "17.1", "nvidia-smi")
    rate = next(csv.DictReader(io.StringIO(rate_table(held))))
    assert (rate["value"], rate["unit"], rate["software"]) == ("131.37", "tok/s", "llama.cpp")


async def test_without_a_model_it_says_what_is_missing(chat: Telling) -> None:
    assert "which model" in await chat.say("amy", "/report " + SMI.split("\n", 1)[1])
    assert "/report 4090" in await chat.say("amy", "/report")


def test_the_export_is_a_command(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path / 'x.sqlite'}"
    assert open_store(address)
    assert export(tmp_path / "out", address).startswith("0 cases")
    assert (tmp_path / "out" / "memory_cases.csv").read_text(encoding="utf-8").startswith("case_id,group,task")


@pytest.mark.parametrize(
    "text",
    [
        "/report 4090 qwen2.5-7b 999999 GiB",
        "/report 4090 qwen2.5-7b 0 tok/s",
        "/report 4090 qwen2.5-7b q4 99999999 tok/s",
        "/report 4090 qwen2.5-7b lora batch 1 2048 peak 40 GiB",  # more than the card has
        "/report 4090 qwen2.5-7b q4 9000 tok/s",  # far beyond the estimate
        "qwen2.5-7b lora\n| 0 NVIDIA GeForce RTX 4090 Off |\n| 99510MiB / 24564MiB |",
    ],
)
async def test_what_no_run_gives_is_neither_offered_nor_kept(chat: Telling, text: str) -> None:
    reply = await chat.ask("eve", text)
    assert reply.choices == ()
    assert "No measurement waits" in await chat.say("eve", "/report ok")


@pytest.mark.parametrize("figure", ["1e99 tok/s", "-5 GiB", "nan GiB", "tok/s"])
async def test_no_part_of_a_number_is_a_measurement(chat: Telling, figure: str) -> None:
    assert "Report like this" in await chat.say("eve", f"/report 4090 qwen2.5-7b {figure}")


async def test_behind_the_command_an_amount_of_memory_is_the_peak(chat: Telling) -> None:
    said = await chat.say("amy", "/report 4090 24g qwen2.5-7b lora batch 1 2048 17.1 GiB")
    assert "you measured 17.1 GiB" in said


def test_a_log_pasted_twice_names_no_more_cards() -> None:
    found = measured_in(BENCH * 3)
    assert found is not None
    assert found.cards == 1


async def test_one_reporter_pushes_nobody_out(chat: Telling) -> None:
    await chat.say("amy", TRAINING)
    await chat.say("amy", f"/report {TRAINING}")
    await chat.say("amy", "/report ok")
    for number in range(60):
        await chat.say("eve", f"/report 4090 qwen2.5-7b lora batch 1 2048 peak 1{number % 10}.{number % 7 + 1} GiB")
        await chat.say("eve", "/report ok")
    held = (await cases_in(chat.store)).held
    assert sum(one.by == held[0].by for one in held) == 1
    assert len(held) == 51


async def test_what_is_kept_goes_after_its_days_although_others_follow(chat: Telling) -> None:
    for who, days in (("amy", 0), ("eve", 150), ("bob", 60)):
        chat.now += days * 86_400.0
        await chat.say(who, f"/report {TRAINING}")
        await chat.say(who, "/report ok")
        held = (await cases_in(chat.store)).held
    assert len(held) == 2
    assert (held[-1].day - held[0].day).days == 60
