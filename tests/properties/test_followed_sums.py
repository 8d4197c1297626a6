"""A value said after a sum takes its place there: the figures are those of the whole question, also after small talk."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
import yaml

from tests.properties.test_follow_as_whole import figures, played

if TYPE_CHECKING:
    from bot.pipeline import Assistant

ROWS: Final = yaml.safe_load(Path(__file__).with_name("followed_sums.yaml").read_text("utf-8"))
TALK: Final = {"zh": "谢谢", "en": "thanks"}


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_value_said_after_a_sum_takes_its_place(assistant: Assistant, language: str) -> None:
    for opener, follow, whole in ROWS[language]:
        one, other = figures(played(assistant, opener, follow)), figures(played(assistant, whole))
        assert one == pytest.approx(other), (opener, follow, whole)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_sum_is_gone_on_with_after_small_talk(assistant: Assistant, language: str) -> None:
    for opener, follow, whole in ROWS[language][:2]:
        one = figures(played(assistant, opener, TALK[language], follow))
        assert one == pytest.approx(figures(played(assistant, whole))), (opener, follow)
