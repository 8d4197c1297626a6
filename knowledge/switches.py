"""What one setting of a program does to memory and speed, and what to set."""

from __future__ import annotations

from knowledge.rows import Row


class SwitchRow(Row):
    """What is known of one setting."""

    switch: str

    def told(self, language: str) -> str:
        """The text that opens an answer."""
        return self.zh if language == "zh" else self.en
