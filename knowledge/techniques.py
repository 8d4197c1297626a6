"""What a technique does to memory, speed and quality: rows with a sentence for "does it" and one for "why"."""

from __future__ import annotations

from typing import Literal

from knowledge.rows import Row


class TechniqueRow(Row):
    """What one technique does to one of memory, speed and quality."""

    technique: str
    effect: Literal["memory", "speed", "quality"]
    because_zh: str
    because_en: str

    def told(self, language: str, *, why: bool) -> str:
        """The sentence that opens an answer; `why`: the reason is asked, not whether it is so."""
        if why:
            return self.because_zh if language == "zh" else self.because_en
        return self.zh if language == "zh" else self.en
