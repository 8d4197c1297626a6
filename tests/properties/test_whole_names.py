"""Law 10 through the whole road, words in, reply out: a name with an unread part never answers as another record."""

from __future__ import annotations

import re
from itertools import product

import pytest

from advisor.catalog import Catalog
from bot.channels.markup import plain_text
from tests.bot.labelled import NOW, message
from tests.conftest import shared_assistant, shared_catalog

ASSISTANT = shared_assistant()
CATALOG: Catalog = shared_catalog()

PARTS = ("Super", "48G", "32GB", "Ti", "Laptop", "笔记本", "移动版", "Max-Q", "XT", "Ultra", "SFF", "Ada")
BASES = ("5080", "RTX 3070", "3060 Ti", "RTX 2080 Ti", "A6000", "RX 7900 XTX", "3090")
ASKED = ("{} 能跑 qwen2.5 14b 吗", "{} 显存多大", "does llama 3.1 8b fit on a {}?", "how fast is the {} for sdxl?")
OTHERS = ("Ascend {}", "昇腾{}", "RX {}", "Arc {}", "MTT {}", "摩尔线程 {}")
NUMBERS = ("4060", "3090", "1080", "A6000")


UNKNOWN = re.compile("资料库里没有|I have no card called")


def first_line(text: str) -> str:
    """The line that a user reads first."""
    return plain_text(ASSISTANT.explain(message(text), None, NOW).reply.text).splitlines()[0]


def is_a_card(name: str) -> bool:
    return CATALOG.find_gpu(name) is not None or any(
        CATALOG.find_gpu(f"{head}{name}") for head in ("RTX ", "NVIDIA ", "GTX ", "Radeon ")
    )


@pytest.mark.parametrize("base", BASES)
def test_a_part_that_no_card_has_makes_it_no_card_of_ours(base: str) -> None:
    wrong = []
    tried = 0
    for part, frame in product(PARTS, ASKED):
        name = f"{base} {part}"
        if is_a_card(name) or part.casefold() in base.casefold().split() or _exists(base, part):
            continue
        tried += 1
        first = first_line(frame.format(name))
        if not UNKNOWN.search(first):
            wrong.append((frame.format(name), first))
    assert tried >= len(ASKED)
    assert wrong == []


def _exists(base: str, part: str) -> bool:
    """Whether some card has exactly these parts under a spelling of its own."""
    word = {"笔记本": "Laptop", "移动版": "Laptop", "Max-Q": "Laptop", "48G": "48GB (mod)"}.get(part, part)
    return is_a_card(f"{base} {word}") or (part in {"48G"} and base == "A6000") or (part == "Ada" and base == "A6000")


@pytest.mark.parametrize(("frame", "number"), list(product(OTHERS, NUMBERS)))
def test_the_word_of_another_maker_vetoes_a_card(frame: str, number: str) -> None:
    name = frame.format(number)
    maker = CATALOG.makers.of(name)
    for asked in (f"{name} 能跑 7B 吗", f"can a {name} run a 7B?"):
        first = first_line(asked)
        assert UNKNOWN.search(first), first
        named = [gpu for gpu in CATALOG.gpus.values() if gpu.name in first]
        assert all(gpu.vendor == maker for gpu in named), first


MODELS = ("qwen3 8b", "Llama-3.1-8B", "whisper large-v3", "FLUX.1-dev", "SDXL", "glm 4.6", "kimi k2", "gemma 3 27b")
MORE = (" embedding", "-reranker", "-foobar", "-v9", " kontext", "-A9B", " 333B")
SIZED = ("{} 4bit 一张 4090 能跑吗", "does {} fit on a 4090?")


@pytest.mark.parametrize("base", MODELS)
def test_a_part_that_no_model_has_makes_it_no_model_of_ours(base: str) -> None:
    """It is unknown, or taken by the size it names, which is said; its nearest record is never sized in its place."""
    record = CATALOG.find_ml_model(str(_models(base)[0]))
    assert record is not None
    for part, frame in product(MORE, SIZED):
        read = _models(frame.format(base + part))
        assert read, base + part
        found = [CATALOG.find_ml_model(name) for name in read]
        wrong = [one.name for one in found if one is not None and not one.generic and not _has(one.name, part)]
        assert wrong == [], (base + part, read)


def _models(text: str) -> list[str]:
    slots = ASSISTANT.explain(message(text), None, NOW).understanding.slots
    return [str(slot.value) for slot in slots if slot.slot == "model"]


def _has(name: str, part: str) -> bool:
    """Whether a record's own name has the part that was put behind another's."""
    return part.strip(" -").casefold() in name.casefold()


def test_total_and_active_sizes_are_answered_as_such() -> None:
    for name, frame in product(("Qwen9-60B-A6B", "35B-A3B"), SIZED):
        model = CATALOG.find_ml_model(_models(frame.format(name))[0]) or CATALOG.size_stand_in(name)
        assert model is not None
        assert model.generic
        assert model.active_parameters in {6e9, 3e9}
        said = plain_text(ASSISTANT.explain(message(frame.format(name)), None, NOW).reply.text)
        assert name.split("-", name.count("-") - 1)[-1] in said
