"""How far off the estimate may be: 90 % bands per kind of job, from the residuals on the published cases.

Each pair multiplies the estimate. They were set from cases left out of the fit (VALIDATION.md shows the coverage, in
and out of sample) and hold for jobs like those. A model whose shape had to be guessed widens the band.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from advisor.memory.results import Region


@dataclass(frozen=True, slots=True)
class Band:
    """Factors on the estimate that hold 90 % of what is measured."""

    low: float
    high: float

    @property
    def sigma(self) -> float:
        """Standard deviation of the logarithm that the band stands for."""
        return math.log(self.high / self.low) / (2.0 * 1.645)

    def widened(self, factor: float) -> Band:
        """The same band with its logarithms stretched."""
        return Band(self.low**factor, self.high**factor)


BANDS: dict[Region, Band] = {
    Region.LLM_INFERENCE: Band(0.93, 1.12),
    Region.LORA: Band(0.88, 1.13),
    Region.QLORA: Band(0.86, 1.20),
    Region.FULL_TEXT: Band(0.85, 1.22),
    Region.VISION: Band(0.90, 1.18),
    Region.IMAGE_GENERATION: Band(0.75, 1.40),
    Region.SPEECH: Band(0.88, 1.20),
    Region.MANY_GPUS: Band(0.82, 1.30),
}

GUESSED_SHAPE = 1.5
"""Stretch of the band when layers and widths had to be taken from the size alone."""
UNVALIDATED = 2.0
"""Stretch where no published case of this kind was at hand."""


def probability_of_fit(need: float, band: Band, usable: float) -> float:
    """Chance that the true need stays within what is usable, errors taken as log-normal."""
    if usable <= 0.0:
        return 0.0
    if need <= 0.0:
        return 1.0
    centre = need * math.sqrt(band.low * band.high)
    return 0.5 * math.erfc(-(math.log(usable) - math.log(centre)) / (band.sigma * math.sqrt(2.0)))
