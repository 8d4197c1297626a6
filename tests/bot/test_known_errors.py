"""Messages of programs that people paste: each known one is answered by its cause and what to try first."""

from __future__ import annotations

import pytest

from bot.pipeline import Assistant
from tests.conftest import NOW, make_message

PASTED = [
    ("RuntimeError: CUDA error: device-side assert triggered 这是啥意思", "CUDA_LAUNCH_BLOCKING=1"),
    ("RuntimeError: CUDA error: device-side assert triggered", "index out of range"),
    ("loss 变 nan 了咋整，bf16 lora", "学习率降到十分之一"),
    ("my loss goes nan after 300 steps in bf16", "learning rate to a tenth"),
    ("老服务器 pytorch 报错 no kernel image is available for execution on the device", "cu126"),
    ("nvidia-smi 显示 CUDA 13.0，但 nvcc -V 是 12.4，要紧吗", "不要紧"),
    ("nvidia-smi shows 12.8 and nvcc 11.8, is that a problem?", "It does no harm"),
    ("为什么推理的时候显存一直在涨", "KV 缓存"),
    ("gpu memory keeps growing during training", "loss.item()"),
    ('"Torch not compiled with CUDA enabled" what do I do', "CPU build of torch"),
    ("装好了还是报 Torch not compiled with CUDA enabled", "CPU 版"),
    ("ImportError: libcudnn.so.8: cannot open shared object file", "cuDNN 8"),
    ("does mps support float64? porting code to an m4 mac", "MPS has no float64"),
    ("Failed to initialize NVML: Driver/library version mismatch", "Reboot"),
    ("nvidia-smi 报 Driver/library version mismatch", "重启机器"),
    ("训练中途掉卡，dmesg 里 xid 79", "供电"),
    ("GPU has fallen off the bus during training", "power"),
    ("docker里dataloader报 bus error", "--shm-size"),
    ("程序停了显存没释放", "fuser"),
    ("vram not freed after I killed the process", "fuser"),
    ("ImportError: flash_attn_2_cuda undefined symbol _ZN3c10", "another torch"),
    ("Expected all tensors to be on the same device, but found at least two devices", "model.device"),
    ("an illegal memory access was encountered", "CUDA_LAUNCH_BLOCKING=1"),
    ("报错 CUBLAS_STATUS_NOT_INITIALIZED 怎么回事", "显存不够"),
    ("CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate, 2080 ti", "too little memory"),
    ("pip 装 flash-attn 编译一个小时没完", "wheel"),
    ("why is my second gpu idle when I use ollama", "normal"),
    ("为什么 mac 跑大模型读提示词那么慢", "因为"),
    ("RuntimeError: NCCL error: unhandled system error", "NCCL_DEBUG=INFO"),
    ('docker: could not select device driver "" with capabilities: [[gpu]]', "nvidia-container-toolkit"),
    ("docker 里看不到显卡怎么办", "nvidia-container-toolkit"),
    ("nvidia-smi 里 Volatile GPU-Util 100% 就是满负荷吗", "不说明算力用满"),
    ("显存占了 23G 但 GPU 利用率是 0，咋回事", "top"),
    ("显存 24G 但是只能用 22.5G，少的去哪了", "上下文"),
]


@pytest.mark.parametrize(("text", "told"), PASTED, ids=[text[:40] for text, _ in PASTED])
def test_a_pasted_error_is_answered_by_its_cause_and_what_to_try(assistant: Assistant, text: str, told: str) -> None:
    reply, _ = assistant.respond(make_message(text, chat_type="group"), None, NOW)
    assert reply.decision == "answer"
    assert told in reply.text.split("\n")[0]


@pytest.mark.parametrize(
    "text",
    [
        "RuntimeError: CUDA error: no kernel image is available for execution on the device, rtx 5090, torch 2.4",
        "torch.OutOfMemoryError: 23.69 GiB total; reserved but unallocated memory is large. llama 3.1 8b lora on a 3090",
    ],
)
def test_a_need_that_knows_more_of_an_error_answers_it(assistant: Assistant, text: str) -> None:
    explained = assistant.explain(make_message(text, chat_type="group"), None, NOW)
    assert not any(row.to == "known_error" for row in explained.routes)
    assert explained.reply.facts


def test_every_known_error_has_its_passage(assistant: Assistant) -> None:
    from bot.read.signs import known_errors

    library = assistant.services.library
    assert len(known_errors()) > 10
    assert [name for name in known_errors() if name not in library.passages] == []
