"""Whether one way fits so many of one card: decided once, by its chance, and read by all who speak of it."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.memory.figure import Figure
from advisor.memory.fit import BY_A_HAIR, Fit, fit_of
from advisor.memory.results import Verdict as Word
from advisor.models import Gpu


@dataclass(frozen=True, slots=True)
class Verdict:
    """One way on `n` cards. Memory in GiB, of each card."""

    word: Word
    probability: float | None
    """That it fits; None where the memory of the card is not known."""
    figure: Figure
    usable: float | None
    nominal: float | None
    gpu: Gpu | None
    n: int = 1

    @property
    def need(self) -> float:
        """Memory that it takes of each card."""
        return self.figure.value

    @property
    def margin(self) -> float | None:
        """What is left, negative where it lacks."""
        return None if self.usable is None else self.usable - self.need

    @property
    def by_a_hair(self) -> bool:
        """It does not fit, but leaner software might hold it."""
        return self.word is Word.NO and (self.probability or 0.0) >= BY_A_HAIR

    @property
    def runs(self) -> bool:
        """Whether it may be tried."""
        return self.word in (Word.FITS, Word.TIGHT)

    @property
    def as_fit(self) -> Fit:
        """The same in the numbers of the memory room."""
        return Fit(self.word, self.probability, self.nominal, self.usable, self.margin)


def judge(figure: Figure, gpu: Gpu | None, n: int = 1, vram_gib: float | None = None) -> Verdict:
    """The verdict on a need worked out before. Raises OutOfRange for a memory size that no card has."""
    fit = fit_of(figure, gpu, vram_gib)
    return Verdict(fit.verdict, fit.probability, figure, fit.usable_gib, fit.nominal_gib, gpu, n)
