"""Every labelled question is answered in each language, and every number of a computed answer has a source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from bot.choice_keys import MOST_BYTES
from tests.bot.labelled import NOW, message
from tests.bot.test_plain_words import leaked, shown
from tests.every_question.asked import asked, said
from tests.every_question.sources import untraced

if TYPE_CHECKING:
    from bot.pipeline import Assistant


def test_every_labelled_question_is_answered_from_its_own_numbers(texts: tuple[str, ...]) -> None:
    """In its own language in both forms, in the other one in a group's."""
    assert [fault for text in texts for one in asked(text).values() for fault in one.faults] == []


def test_a_number_out_of_nowhere_is_found(assistant: Assistant, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check can fail: a number that a template adds by itself is not in any field."""
    whole = assistant.renderer.answer

    def with_a_slip(*args: Any, **kwargs: Any) -> Any:
        rendered = whole(*args, **kwargs)
        return type(rendered)(f"{rendered.text} 98765.4", f"{rendered.details} 98765.4")

    monkeypatch.setattr(assistant.renderer, "answer", with_a_slip)
    text = "which GPU for BERT fine-tuning?"
    explained = assistant.explain(message(text, "group", "en"), None, NOW)
    assert untraced(assistant, explained, text, "en") == ["98765.4"]


def test_no_answer_names_a_record_by_its_id(texts: tuple[str, ...]) -> None:
    found = {text: [word for part in shown(said(text)) for word in leaked(part, text)] for text in texts}
    assert {text: words for text, words in found.items() if words} == {}


def test_every_key_of_every_choice_fits(texts: tuple[str, ...]) -> None:
    keys = [choice.key for text in texts for choice in said(text).choices]
    assert len(keys) > 250
    assert [key for key in keys if len(key.encode()) > MOST_BYTES or not key.isascii()] == []
