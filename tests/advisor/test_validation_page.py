"""The committed validation page is what the code says today, all of it."""

from __future__ import annotations

from advisor import validation


def test_the_page_is_current() -> None:
    made, kept = validation.render(), validation.PAGE.read_text(encoding="utf-8")
    assert "## Memory" in made
    assert "## Speed" in made
    assert kept == made, "run `python -m advisor validation --write`"
