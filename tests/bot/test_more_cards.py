"""Cards that people own or find second-hand: mining cards, old workstation cards, modules, other makers' cards."""

from __future__ import annotations

import pytest

from advisor.memory.fit import usable_gib
from advisor.specs import has_tensor_cores
from bot.channels.markup import plain_text
from bot.pipeline import Explained
from tests.bot.labelled import NOW, message
from tests.conftest import shared_assistant, shared_catalog

ASSISTANT = shared_assistant()
CATALOG = shared_catalog()


def asked(text: str) -> Explained:
    return ASSISTANT.explain(message(text), None, NOW)


def said(text: str) -> str:
    return plain_text(asked(text).reply.text)


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("闲鱼500块的p104拿来跑sd靠谱么", "P104-100"),
        ("p104 8g 跑 qwen 7b 多少 token", "P104-100 8GB (mod)"),
        ("p102-100 10g 值得买吗", "P102-100 10GB (mod)"),
        ("p106-90 有用吗", "P106-090"),
        ("mi50 32g 显存带宽", "MI50 32GB"),
        ("mi50 16g 显存带宽", "MI50 "),
        ("170hx 参数", "CMP 170HX"),
        ("t400 4g specs", "T400 4GB"),
        ("quadro m6000 24gb specs", "Quadro M6000 24GB"),
        ("750ti 参数", "GTX 750 Ti"),
        ("vega 64 specs", "RX Vega 64"),
        ("arc pro b60 specs", "Arc Pro B60"),
        ("rx 580 specs", "RX 580"),
        ("orin nano 参数", "Jetson Orin Nano"),
        ("agx orin 32gb specs", "Jetson AGX Orin 32GB"),
        ("2050笔记本能跑sd吗", "RTX 2050"),
    ],
)
def test_a_card_is_read_as_what_was_written(text: str, card: str) -> None:
    assert card in said(text)


@pytest.mark.parametrize("text", ["2050年显卡会怎样", "GPU prices in 2050"])
def test_a_year_is_no_card(text: str) -> None:
    assert "RTX 2050" not in said(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("is the cmp 50hx worth buying used", ("risky", "FMA", "mining")),
        ("CMP 170HX 8GB 二手值得买吗", ("有风险", "FMA", "矿卡")),
        ("p106-100 二手值得买吗", ("不建议", "矿卡", "没有显示输出")),
        ("used MI60 for inference, worth it?", ("no CUDA", "ROCm", "fan")),
        ("used arc a770 worth it?", ("no CUDA", "Intel")),
        ("二手 p40 值得买吗", ("EPS",)),
    ],
)
def test_second_hand_the_catch_of_each_kind_is_named(text: str, words: tuple[str, ...]) -> None:
    reply = said(text)
    assert [word for word in words if word not in reply] == []


def test_a_power_adapter_is_asked_for_only_where_it_is_needed() -> None:
    own, _, _ = said("二手 mi50 32g 值得买吗").partition("文档怎么说")
    assert "要自己加风扇" in own
    assert "EPS" not in own


def test_a_locked_card_is_rated_by_what_was_measured() -> None:
    card = CATALOG.get_gpu("CMP 170HX")
    nominal = next(claim.value for claim in card.claims if claim.attribute == "fp32_tflops")
    assert card.fp32_tflops is not None
    assert card.fp32_tflops < float(nominal) / 10


@pytest.mark.parametrize(
    ("name", "has"), [("T600", False), ("Tesla C2075", False), ("CMP 30HX", False), ("Quadro RTX 4000", True)]
)
def test_tensor_cores_follow_chip_and_generation(name: str, has: bool) -> None:
    assert has_tensor_cores(CATALOG.get_gpu(name)) is has


def test_a_module_leaves_memory_to_its_system_and_takes_cuda_with_it() -> None:
    module = CATALOG.get_gpu("Jetson Orin Nano")
    assert usable_gib(module, 8.0) == pytest.approx(6.5)
    assert "JetPack" in said("jetson orin nano cuda version")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("cuda version for ampere cards", "11.1"),
        ("what cuda for maxwell cards", "12.9"),
        ("C2075 支持 cuda 12 吗", "8.0"),
    ],
)
def test_limits_of_cuda_hold_for_a_whole_architecture(text: str, wanted: str) -> None:
    assert wanted in said(text).splitlines()[0]


def test_another_makers_matrix_units_are_unknown_rather_than_denied() -> None:
    told = said("gaudi 3 vs h100")
    assert "FP16 1,677 TFLOPS" in told
    assert "no Tensor Cores" not in told
