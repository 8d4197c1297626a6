"""How far off the estimate may be: 90 % bands per kind of job, from the residuals on the published cases.

Each pair multiplies the estimate. They were set from cases left out of the fit (VALIDATION.md shows the coverage, in
and out of sample) and hold for jobs like those. A model whose shape had to be guessed widens the band.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

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


BANDS: Final[dict[Region, Band]] = {
    Region.LLM_INFERENCE: Band(0.886, 1.129),
    Region.LOCAL_INFERENCE: Band(0.749, 1.334),
    Region.OFFLOADED: Band(0.4, 2.5),
    Region.LORA: Band(0.819, 1.245),
    Region.QLORA: Band(0.751, 1.306),
    Region.FULL_TEXT: Band(0.904, 1.18),
    Region.VISION: Band(0.65, 1.398),
    Region.IMAGE_GENERATION: Band(0.729, 1.295),
    Region.VIDEO_GENERATION: Band(0.405, 2.5),
    Region.IMAGE_TRAINING: Band(0.514, 2.086),
    Region.SPEECH: Band(0.635, 1.557),
    Region.MANY_GPUS: Band(0.555, 1.716),
    Region.SHARED_ADAPTERS: Band(0.658, 1.528),
    Region.ROLLOUTS: Band(0.4, 2.5),
}
"""For programs without a record of their own: family variance and case variance, from whole families left out."""

PLAIN_BANDS: Final[dict[Region, Band]] = {
    Region.LLM_INFERENCE: Band(0.875, 1.175),
    Region.LOCAL_INFERENCE: Band(0.749, 1.334),
    Region.OFFLOADED: Band(0.4, 2.5),
    Region.LORA: Band(0.811, 1.245),
    Region.QLORA: Band(0.668, 1.444),
    Region.FULL_TEXT: Band(0.781, 1.351),
    Region.VISION: Band(0.637, 1.427),
    Region.IMAGE_GENERATION: Band(0.729, 1.295),
    Region.VIDEO_GENERATION: Band(0.405, 2.5),
    Region.IMAGE_TRAINING: Band(0.514, 2.086),
    Region.SPEECH: Band(0.635, 1.747),
    Region.MANY_GPUS: Band(0.465, 1.931),
    Region.SHARED_ADAPTERS: Band(0.606, 1.702),
    Region.ROLLOUTS: Band(0.4, 2.5),
}
"""Where nobody said which software runs: the same with the program forgotten."""

RECORDS: Final[dict[Region, dict[str, Band]]] = {
    Region.LLM_INFERENCE: {"transformers": Band(0.88, 1.111)},
    Region.LORA: {"deepspeed": Band(0.883, 1.105), "litgpt": Band(0.969, 1.075)},
    Region.QLORA: {"axolotl": Band(0.65, 1.321), "deepspeed": Band(0.789, 1.223), "litgpt": Band(0.913, 1.218)},
    Region.FULL_TEXT: {"ngc": Band(0.878, 1.139)},
    Region.VISION: {"ngc": Band(0.892, 1.121)},
    Region.IMAGE_GENERATION: {"diffusers": Band(0.764, 1.138)},
    Region.VIDEO_GENERATION: {"diffusers": Band(0.675, 1.826)},
    Region.IMAGE_TRAINING: {"simpletuner": Band(0.561, 2.155)},
    Region.MANY_GPUS: {"torchtitan": Band(0.621, 1.909)},
}
"""Programs with ten published cases or more of a kind: the spread of their own cases."""

FAMILIES: Final[dict[Region, int]] = {
    Region.LLM_INFERENCE: 7,
    Region.LOCAL_INFERENCE: 1,
    Region.OFFLOADED: 1,
    Region.LORA: 9,
    Region.QLORA: 6,
    Region.FULL_TEXT: 7,
    Region.VISION: 3,
    Region.IMAGE_GENERATION: 2,
    Region.VIDEO_GENERATION: 3,
    Region.IMAGE_TRAINING: 4,
    Region.SPEECH: 3,
    Region.MANY_GPUS: 4,
    Region.SHARED_ADAPTERS: 3,
    Region.ROLLOUTS: 1,
}
"""Families of sources behind each band. Below two a kind of job is not validated, and its band is set wide."""


def band_for(region: Region, program: str | None) -> Band:
    """The band of a kind of job in a program; None where the program is unknown."""
    if program is None:
        return PLAIN_BANDS[region]
    return RECORDS.get(region, {}).get(program) or BANDS[region]


GUESSED_SHAPE: Final = 1.5
"""Stretch of the band when layers and widths had to be taken from the size alone."""
UNVALIDATED: Final = 2.0
"""Stretch where no published case of this kind was at hand."""


def probability_of_fit(need: float, band: Band, usable: float) -> float:
    """Chance that the true need stays within what is usable (both positive), errors taken as log-normal."""
    centre = need * math.sqrt(band.low * band.high)
    return 0.5 * math.erfc(-(math.log(usable) - math.log(centre)) / (band.sigma * math.sqrt(2.0)))
