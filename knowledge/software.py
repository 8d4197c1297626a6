"""Which software runs on the cards of which maker: rows with one sentence a language and their sources."""

from __future__ import annotations

from typing import Literal

from knowledge.rows import Row


class SoftwareRow(Row):
    """What is known of one program on the cards of one maker, maybe under one system only."""

    software: str
    stack: str
    """The maker of the cards."""
    os: str = ""
    """The one system that is meant; empty for any."""
    works: Literal["yes", "partly", "no"]
    least: str = ""
    """Compute capability from which the row holds; empty where there is no such bound."""
    below_zh: str = ""
    below_en: str = ""

    def told(self, language: str, *, below: bool) -> str:
        """The sentence that opens an answer; `below`: the card is older than the program asks for."""
        if below:
            return self.below_zh if language == "zh" else self.below_en
        return self.zh if language == "zh" else self.en
