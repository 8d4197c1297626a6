"""What a second reader found wanting: length, both sides, conditions, remarks off the subject."""

from __future__ import annotations

import re
from typing import Literal

import pytest

from bot.channels.markup import plain_text
from bot.pipeline import Explained
from tests.bot.labelled import NOW, message
from tests.conftest import shared_assistant

ASSISTANT = shared_assistant()


def asked(text: str, chat: Literal["private", "group"] = "group") -> Explained:
    return ASSISTANT.explain(message(text, chat), None, NOW)


def said(text: str, chat: Literal["private", "group"] = "group") -> str:
    return plain_text(asked(text, chat).reply.text)


@pytest.mark.parametrize(
    "text",
    [
        "which GPU for BERT fine-tuning?",
        "训练ResNet-50推荐什么显卡",
        "预算10亿买什么卡",
        "做深度学习买什么显卡",
        "kaggle比赛买什么卡",
        "best gpu under $500 for stable diffusion",
        "budget 20000 usd what GPU",
    ],
)
def test_a_recommendation_has_eight_lines_at_most(text: str) -> None:
    lines = [line for line in said(text).splitlines() if line.strip()]
    assert len(lines) <= 8


@pytest.mark.parametrize("text", ["AMD or NVIDIA?", "A卡还是N卡做深度学习"])
def test_two_brands_are_weighed(text: str) -> None:
    first = said(text).splitlines()[0]
    assert "NVIDIA" in first
    assert "AMD" in first


@pytest.mark.parametrize("text", ["4090 laptop vs desktop 4090", "4090 laptop or 4090?", "笔记本4090和台式4090差多少"])
def test_a_notebook_card_and_its_namesake_stand_side_by_side(text: str) -> None:
    reply = said(text)
    assert re.search(r"16 Gi?B", reply)
    assert re.search(r"24 Gi?B", reply)


def test_qlora_is_named_when_a_lora_fits_neither_side() -> None:
    assert "QLoRA" in said("3060和3090微调13B lora哪个好")


def test_two_needs_each_get_their_verdict() -> None:
    first, second = [line for line in said("can a 4090 run llama3 8b and train bert large?").splitlines() if line][:2]
    assert first.startswith("Yes, in 4 bit: Llama-3-8B")
    assert second.startswith("Yes, for training: BERT-large")


@pytest.mark.parametrize("text", ["2080ti 二手值得买吗", "二手2080值得买吗"])
def test_an_old_card_is_bought_on_conditions(text: str) -> None:
    reply = said(text)
    assert "能验能退" in reply.splitlines()[0]
    assert "CUDA 13" in reply


@pytest.mark.parametrize("text", ["30000卢布买什么显卡", "budget 3000 zloty which gpu for SD"])
def test_a_currency_without_a_rate_is_said_so(text: str) -> None:
    assert asked(text).reply.intent == "recommend_gpu"
    assert any(words in said(text) for words in ("没有这个币种的汇率", "no exchange rate"))


@pytest.mark.parametrize("text", ["K80 还能买吗", "AMD or NVIDIA?", "GPU利用率低怎么办", "4090能跑BERT吗"])
def test_no_conflict_off_the_subject_is_told(text: str) -> None:
    conflicts = getattr(asked(text).outcome, "conflicts", ())
    assert not {"E43", "E34", "E27", "E48"} & set(conflicts)


@pytest.mark.parametrize("text", ["H20 和 A100 哪个好训练", "H20 vs A100 for training"])
def test_big_cards_are_compared_at_training_language_models_where_compute_decides(text: str) -> None:
    first = said(text).splitlines()[0]
    assert "A100" in first
    assert first.find("H20") == -1 or first.find("A100") < first.find("H20")
    assert "跑大模型" not in first
    assert "running LLMs" not in first


def test_a_card_that_wins_by_bandwidth_alone_is_not_praised_for_large_training() -> None:
    assert "47%" in said("H20 和 A100 训练 resnet50 哪个快")
