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
    Region.LLM_INFERENCE: Band(0.95, 1.11),
    Region.LORA: Band(0.905, 1.11),
    Region.QLORA: Band(0.885, 1.18),
    Region.FULL_TEXT: Band(0.87, 1.17),
    Region.VISION: Band(0.88, 1.12),
    Region.IMAGE_GENERATION: Band(0.80, 1.30),
    Region.SPEECH: Band(0.90, 1.18),
    Region.MANY_GPUS: Band(0.85, 1.35),
}
"""Where the software is known and stands among the validated stacks."""

PLAIN_BANDS: dict[Region, Band] = {
    Region.LLM_INFERENCE: Band(0.93, 1.20),
    Region.LORA: Band(0.88, 1.15),
    Region.QLORA: Band(0.72, 1.34),
    Region.FULL_TEXT: Band(0.70, 1.62),
    Region.VISION: Band(0.88, 1.20),
    Region.IMAGE_GENERATION: Band(0.80, 1.35),
    Region.SPEECH: Band(0.90, 1.50),
    Region.MANY_GPUS: Band(0.77, 1.50),
}
"""Where nobody said which software runs: from whole families left out and their stack forgotten."""

GUESSED_SHAPE = 1.5
"""Stretch of the band when layers and widths had to be taken from the size alone."""
UNVALIDATED = 2.0
"""Stretch where no published case of this kind was at hand."""


def probability_of_fit(need: float, band: Band, usable: float) -> float:
    """Chance that the true need stays within what is usable (both positive), errors taken as log-normal."""
    centre = need * math.sqrt(band.low * band.high)
    return 0.5 * math.erfc(-(math.log(usable) - math.log(centre)) / (band.sigma * math.sqrt(2.0)))
