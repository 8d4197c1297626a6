"""What an answer rests on that only one source has is said where that figure decides, and nowhere else."""

from __future__ import annotations

import pytest

from bot.channels.markup import plain_text
from tests.bot.labelled import NOW, message
from tests.conftest import shared_assistant

ASSISTANT = shared_assistant()


def said(text: str) -> str:
    return plain_text(ASSISTANT.explain(message(text), None, NOW).reply.text)


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        (
            "70B Q4 on a L2 24GB",
            "Rests on one source, with no second one to hold it against: memory of the L2",
        ),
        ("H20 141G 能跑 DeepSeek 70B 吗", "H20 141GB 的显存只有一个来源"),
        ("compare MI308X and H100 for inference", "memory bandwidth"),
        ("A800 80GB PCIe memory bandwidth?", "Only one source has this figure"),
        ("70B Q4 on 8x H20 141GB", "memory of the H20 141GB"),
    ],
)
def test_a_deciding_figure_of_one_source_is_said_to_be_one(text: str, remark: str) -> None:
    assert remark in said(text)


@pytest.mark.parametrize(
    "text", ["70B Q4 on a 4090?", "3090 能跑 32B 吗", "compare RTX 4090 and RTX 5090 for inference"]
)
def test_nothing_is_said_of_figures_that_two_sources_have(text: str) -> None:
    told = said(text)
    assert "one source" not in told.lower()
    assert "只有一个来源" not in told


@pytest.mark.parametrize("text", ["70B Q4 on an A800 80GB PCIe?", "RTX PRO 4000 SFF Blackwell 能跑 14B 吗"])
def test_a_blackwell_card_has_tensor_cores(text: str) -> None:
    assert "Tensor" not in said(text)


@pytest.mark.parametrize(
    ("text", "figure"),
    [
        ("昇腾910B2 算力", "376 TFLOPS"),
        ("fp16 of Ascend 910B2 huawei", "376 TFLOPS"),
        ("华为昇腾 910C 显存", "128 GB"),
    ],
)
def test_a_figure_of_a_named_card_is_told_and_not_its_brand(text: str, figure: str) -> None:
    assert figure in said(text).partition("\n")[0]
