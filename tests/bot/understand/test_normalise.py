"""Width, case, script and spacing cost nothing, and every character knows where it came from."""

from __future__ import annotations

import opencc
import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from bot.core.languages import Script
from bot.core.text import MOST_READ
from bot.resources import languages_directory
from bot.understand.normalise import Normaliser


@pytest.fixture(scope="module")
def normaliser() -> Normaliser:
    script = Script.model_validate(yaml.safe_load((languages_directory() / "traditional.yaml").read_text("utf-8")))
    table = {ord(a): b for a, b in zip(script.source, script.target, strict=True)}
    regional = yaml.safe_load((languages_directory() / "regional.yaml").read_text("utf-8"))
    return Normaliser(table, frozenset({"3090", "a100", "3090ti"}), regional)


@pytest.mark.parametrize(
    ("raw", "even"),
    [
        ("ＲＴＸ３０９０　跑得動嗎", "rtx3090跑得动吗"),
        ("显 存  不够", "显存不够"),
        ("筆電的系統記憶體 64G，顯示卡 8G", "笔记本的内存64g,显卡8g"),
        ("@xuanka 3o90 和 a1oo 哪個好", "3090和a100哪个好"),
        ("I have a 3O9Oti", "i have a 3090ti"),
        ("> old line\nnow 40,000 images", "now 40,000 images"),
        ("3090\u200b能\u202e跑吗", "3090能跑吗"),
        ("oil and lid", "oil and lid"),
    ],
)
def test_forms_of_one_text_become_one(normaliser: Normaliser, raw: str, even: str) -> None:
    assert normaliser(raw).text == even


def test_spans_lead_back_to_the_raw_text(normaliser: Normaliser) -> None:
    raw = "我用 ３０９０ 跑"
    even = normaliser(raw)
    at = even.text.index("3090")
    start, end = even.raw_span(at, at + 4)
    assert raw[start:end] == "３０９０"


def test_a_word_of_another_region_leads_back_to_where_it_stood(normaliser: Normaliser) -> None:
    raw = "這台伺服器的硬碟"
    even = normaliser(raw)
    assert even.text == "这台服务器的硬盘"
    start, end = even.raw_span(even.text.index("硬盘"), len(even.text))
    assert raw[start:end] == "硬碟"


def test_script_table_agrees_with_opencc() -> None:
    script = Script.model_validate(yaml.safe_load((languages_directory() / "traditional.yaml").read_text("utf-8")))
    convert = opencc.OpenCC("t2s").convert
    differing = [a for a, b in zip(script.source, script.target, strict=True) if convert(a) != b]
    assert len(script.source) > 3000
    assert differing == []


@given(st.text(max_size=200))
def test_normalising_twice_changes_nothing(normaliser: Normaliser, text: str) -> None:
    once = normaliser(text).text
    assume("@" not in once and ">" not in once)  # mentions and quotes are taken off once
    assert normaliser(once).text == once


@given(st.text(max_size=300))
def test_offsets_are_places_in_the_raw_text_in_order(normaliser: Normaliser, text: str) -> None:
    even = normaliser(text)
    assert len(even.offsets) == len(even.text)
    assert all(0 <= place < len(text) for place in even.offsets)
    assert even.offsets == sorted(even.offsets)


def test_long_texts_are_cut_at_both_ends(normaliser: Normaliser) -> None:
    even = normaliser("显卡 " * 100_000 + "4090")
    assert len(even.text) <= MOST_READ
    assert even.text.endswith("4090")
