"""The memory section of the committed validation page says what the code says today."""

from __future__ import annotations

from advisor import validation, validation_memory


def test_the_memory_section_is_current() -> None:
    assert validation_memory.section().strip() in validation.PAGE.read_text(encoding="utf-8"), (
        "run `python -m advisor validation --write`"
    )
