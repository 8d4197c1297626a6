"""What memory programs and models are published to want, where no formula gives it: figures and one sentence."""

from __future__ import annotations

from typing import Literal

from knowledge.rows import Row


class RequirementRow(Row):
    """What the makers of one program or model, or others who measured it, say that it wants."""

    subject: str
    """The sign by which a message names it."""
    name: str
    """As it is shown, in both languages."""
    models: tuple[str, ...] = ()
    """Names under which it is read as a model."""
    work: Literal["run", "train"]
    least: float | None = None
    """GB of memory as stated; None where no least is stated."""
    good: float | None = None
    """GB that are advised, or that the fuller use wants."""
    makers: tuple[str, ...] = ()
    """Makers on whose cards alone it runs; empty for any."""

    rt_cores: bool = False
    """Whether it runs on cards with RT cores alone."""

    def told(self, language: str) -> str:
        """The sentence on what the figures count."""
        return self.zh if language == "zh" else self.en
