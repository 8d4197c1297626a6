"""What roles and the words beside a value make of it: how many cards, of which size, whose price, what is ruled out."""

from __future__ import annotations

import pytest

from bot.read.build import slots_of
from bot.read.reader import Reader
from tests.conftest import shared_assistant


@pytest.fixture(scope="module")
def reader() -> Reader:
    found = shared_assistant().understander
    assert isinstance(found, Reader)
    return found


CARDS = [
    ("power draw with both 3090s at full load", {"gpu": ["RTX 3090"], "gpu_count": 2}),
    ("there are 8 A6000 in the node but I can only use one of them", {"gpu_count": 1}),
    ("机器里六张L40S，我只能用两张", {"gpu_count": 2}),
    ("A30 24G×2，内存128G", {"gpu_count": 2, "ram_gb": 128}),
    ("two nodes with 16 H100 between them, too slow over ethernet", {"gpu_count": 16}),
    ("两个节点一共32张A800", {"gpu_count": 32}),
    ("our lab shares 5 gpu nodes, slurm or k8s?", {"gpu_count": None}),
    ("这台服务器4张V100，每张16G，能跑14b吗", {"gpu": ["V100 16GB"]}),
    ("it needs 40GB, does an A100 do?", {"gpu": ["A100"]}),
    ("did you use the A100 with 40GB or the one with 80GB?", {"gpu": ["A100"]}),
    ("is that something for 3090/4090 people only", {"users": None}),
    ("A 5090 and 64GB of RAM for big MoE models. Is 192GB overkill?", {"ram_gb": 64}),
]


@pytest.mark.parametrize(("text", "expected"), CARDS)
def test_cards_and_memory_are_read_as_meant(reader: Reader, text: str, expected: dict[str, object]) -> None:
    slots, _ = slots_of(reader.understand(text).slots)
    assert {name: slots.get(name) for name in expected} == expected


@pytest.mark.parametrize(
    ("text", "ruled_out"),
    [
        ("3000 euros, new cards only, for 70b at home", True),
        ("想买全新的4090，二手的免谈", True),
        ("4070s全新4800，3090二手4500，出图选哪个", False),
        ("my brand new 5080 crashes with cuda 12.1", False),
    ],
)
def test_new_is_a_demand_only_where_it_is_one(reader: Reader, text: str, *, ruled_out: bool) -> None:
    assert (("condition", "used") in reader.understand(text).said.ruled_out) is ruled_out


@pytest.mark.parametrize(
    "text",
    [
        "老板总问干嘛不租卡，怎么回他",
        "两张卡不都是Ampere吗",
    ],
)
def test_what_asks_rules_nothing_out(reader: Reader, text: str) -> None:
    understanding = reader.understand(text)
    assert understanding.said.ruled_out == ()
    assert not any(slot.negated for slot in understanding.slots)


@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("LoRA is not an option, full finetune of a 7B: how much vram?", "full"),
        ("qlora: no option for us. full fine-tuning of qwen3 8b, how many GB?", "full"),
        ("lora of a 7B, how much vram?", "lora"),
    ],
)
def test_a_way_that_is_no_option_is_not_taken(reader: Reader, text: str, method: str) -> None:
    slots, _ = slots_of(reader.understand(text).slots)
    assert slots["method"] == method


@pytest.mark.parametrize(
    ("text", "price"),
    [
        ("two A6000, the nvlink bridge costs $400, worth it?", None),
        ("电源报价900，配4090够吗", None),
        ("a 3090 with nvlink bridge costs $900, fair?", 900),
    ],
)
def test_the_price_of_a_part_is_not_that_of_a_card(reader: Reader, text: str, price: int | None) -> None:
    slots, _ = slots_of(reader.understand(text).slots)
    said = slots.get("price")
    assert (said["amount"] if isinstance(said, dict) else None) == price
