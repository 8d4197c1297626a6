"""Programs and models that no formula counts: the published figure opens the answer, held against the card that is named."""

from __future__ import annotations

import pytest

from bot.pipeline import Assistant
from tests.conftest import NOW, make_message

STATED = [
    ("AlphaFold 3 需要多少显存", "16 GB", 16.0),
    ("rvc 训练要多少显存", "8 GB", 8.0),
    ("nnU-Net 训练需要多少显存", "10 GB", 10.0),
    ("SkyReels-V2-14B 需要多少显存", "43.4 GB", 43.4),
    ("gaussian splatting how much vram", "6 GB", 6.0),
    ("which card for isaac sim?", "16 GB", 16.0),
    ("carla 仿真要什么显卡", "6 GB", 6.0),
]
JUDGED = [
    ("isaac sim 4060 够吗", "不够"),
    ("isaac lab 5080 够吗", "够"),
    ("混元3d 2.1 4070 能跑吗", "不宽裕"),
    ("boltz-2 3090 够吗", "不宽裕"),
    ("nnU-Net 训练 3060 12G 够吗", "不宽裕"),
    ("can I run TRELLIS on a 7900 xtx", "No: TRELLIS runs on NVIDIA cards alone"),
    ("TRELLIS.2 on a 4080?", "Not enough"),
    ("mac 能跑 TRELLIS 吗", "不行：TRELLIS 只支持 NVIDIA"),
    ("latentsync 1.6 12g 能跑吗", "不够"),
    ("hunyuan3d 2.1 16g 显存能跑吗", "不宽裕"),
    ("GR00T 微调 4090 够吗", "不够"),
    ("11G的2080ti跑nnUNet的3d_fullres会不会炸", "不宽裕"),
    ("smolvla finetune on a 3060?", "without much room"),
]


def _first(assistant: Assistant, text: str) -> str:
    return assistant.respond(make_message(text, chat_type="group"), None, NOW)[0].text.split("\n")[0]


@pytest.mark.parametrize(("text", "figure", "least"), STATED, ids=[row[0] for row in STATED])
def test_what_is_published_opens_the_answer_with_its_source(
    assistant: Assistant, text: str, figure: str, least: float
) -> None:
    reply, _ = assistant.respond(make_message(text, chat_type="private"), None, NOW)
    assert figure in reply.text.split("\n")[0]
    assert next(fact.value for fact in reply.facts if fact.name.startswith("published_")) == least
    assert reply.sources


@pytest.mark.parametrize(("text", "told"), JUDGED, ids=[row[0] for row in JUDGED])
def test_a_card_is_held_against_the_figure(assistant: Assistant, text: str, told: str) -> None:
    assert _first(assistant, text).startswith(told) or told in _first(assistant, text)


def test_the_figure_of_every_row_stands_in_its_sentences(assistant: Assistant) -> None:
    rows = [row for row in assistant.services.library.requirement_rows if row.least is not None]
    assert len(rows) > 20
    assert all(row.good is None or row.good > (row.least or 0.0) for row in rows)
    assert all(f"{row.least:g}" in row.zh and f"{row.least:g}" in row.en for row in rows)


def test_where_no_least_is_stated_none_is_made_up(assistant: Assistant) -> None:
    reply, _ = assistant.respond(make_message("GROMACS 4090 够吗", chat_type="private"), None, NOW)
    assert "没有公布的显存下限" in reply.text.split("\n")[0]
    assert not [fact for fact in reply.facts if fact.name.startswith("published_")]
