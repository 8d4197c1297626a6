"""How far off the estimate may be: 90 % bands per kind of job, from the residuals on the published cases.

Each pair multiplies the estimate. They were set from cases left out of the fit (VALIDATION.md shows the coverage, in
and out of sample) and hold for jobs like those. A model whose shape had to be guessed widens the band.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, NamedTuple

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


class Scatter(NamedTuple):
    """Standard deviations in logarithm of two parts of a need: states are counted, the rest is modelled."""

    counted: float
    """Of weights, gradients and the optimizer's state, whose bytes follow from what was chosen."""
    rest: float
    """Of activations, losses, gathered layers and what an allocator keeps."""

    def band(self, share: float) -> Band:
        """The 90 % band of a job whose states are this share of its need."""
        reach = _REACH * math.hypot(share * self.counted, (1.0 - share) * self.rest)
        return Band(round(math.exp(-reach), 3), round(math.exp(reach), 3))


_REACH: Final = 2.02
"""Student's t that holds 90 % with six families."""
SHARED: Final = Scatter(0.101, 0.361)
"""Of full training over several cards, from families left out (`residuals.scattered`)."""
SHARED_PLAIN: Final = Scatter(0.136, 0.497)
"""The same with the program forgotten."""
USUAL_SHARE: Final = 0.7
"""Of states in such a need, where nothing is known of it."""

BANDS: Final[dict[Region, Band]] = {
    Region.LLM_INFERENCE: Band(0.884, 1.132),
    Region.LOCAL_INFERENCE: Band(0.834, 1.211),
    Region.OFFLOADED: Band(0.578, 2.067),
    Region.LORA: Band(0.815, 1.241),
    Region.QLORA: Band(0.769, 1.28),
    Region.FULL_TEXT: Band(0.88, 1.212),
    Region.VISION: Band(0.54, 1.655),
    Region.IMAGE_GENERATION: Band(0.639, 1.448),
    Region.VIDEO_GENERATION: Band(0.532, 1.649),
    Region.IMAGE_TRAINING: Band(0.508, 1.999),
    Region.SPEECH: Band(0.741, 1.334),
    Region.MANY_GPUS: SHARED.band(USUAL_SHARE),
    Region.SHARED_ADAPTERS: Band(0.738, 1.36),
    Region.ROLLOUTS: Band(0.585, 1.705),
}
"""For programs without a record of their own: family variance and case variance, from whole families left out."""

PLAIN_BANDS: Final[dict[Region, Band]] = {
    Region.LLM_INFERENCE: Band(0.884, 1.178),
    Region.LOCAL_INFERENCE: Band(0.834, 1.211),
    Region.OFFLOADED: Band(0.569, 2.098),
    Region.LORA: Band(0.809, 1.241),
    Region.QLORA: Band(0.706, 1.418),
    Region.FULL_TEXT: Band(0.773, 1.366),
    Region.VISION: Band(0.536, 1.666),
    Region.IMAGE_GENERATION: Band(0.639, 1.448),
    Region.VIDEO_GENERATION: Band(0.532, 1.649),
    Region.IMAGE_TRAINING: Band(0.464, 2.192),
    Region.SPEECH: Band(0.659, 1.586),
    Region.MANY_GPUS: SHARED_PLAIN.band(USUAL_SHARE),
    Region.SHARED_ADAPTERS: Band(0.642, 1.559),
    Region.ROLLOUTS: Band(0.585, 1.705),
}
"""Where nobody said which software runs: the same with the program forgotten, never narrower than with it."""

RECORDS: Final[dict[Region, dict[str, Band]]] = {
    Region.LLM_INFERENCE: {"transformers": Band(0.921, 1.062)},
    Region.LOCAL_INFERENCE: {"llama.cpp": Band(0.876, 1.146)},
    Region.LORA: {"deepspeed": Band(0.88, 1.11), "litgpt": Band(0.969, 1.075)},
    Region.QLORA: {"axolotl": Band(0.757, 1.452), "deepspeed": Band(0.768, 1.26), "litgpt": Band(0.929, 1.197)},
    Region.FULL_TEXT: {"ngc": Band(0.926, 1.08)},
    Region.VISION: {"ngc": Band(0.853, 1.173), "pytorch": Band(0.732, 1.292)},
    Region.IMAGE_GENERATION: {"diffusers": Band(0.756, 1.188)},
    Region.VIDEO_GENERATION: {"diffusers": Band(0.628, 1.354)},
    Region.IMAGE_TRAINING: {"finetrainers": Band(0.609, 1.587), "simpletuner": Band(0.556, 2.158)},
}
"""Programs with ten published cases or more of a kind: the spread of their own cases."""

FAMILIES: Final[dict[Region, int]] = {
    Region.LLM_INFERENCE: 8,
    Region.LOCAL_INFERENCE: 2,
    Region.OFFLOADED: 3,
    Region.LORA: 11,
    Region.QLORA: 7,
    Region.FULL_TEXT: 7,
    Region.VISION: 5,
    Region.IMAGE_GENERATION: 5,
    Region.VIDEO_GENERATION: 5,
    Region.IMAGE_TRAINING: 9,
    Region.SPEECH: 2,
    Region.MANY_GPUS: 7,
    Region.SHARED_ADAPTERS: 4,
    Region.ROLLOUTS: 2,
}
"""Families of sources behind each band. Below two a kind of job is not validated, and its band is set wide."""


def band_for(region: Region, program: str | None, states: float = USUAL_SHARE) -> Band:
    """The band of a kind of job in a program; None where the program is unknown.

    `states` is their share of the need, which decides where full training is shared by several cards.
    """
    if region is Region.MANY_GPUS:
        return (SHARED_PLAIN if program is None else SHARED).band(states)
    if program is None:
        return PLAIN_BANDS[region]
    return RECORDS.get(region, {}).get(program) or BANDS[region]


GUESSED_SHAPE: Final = 1.5
"""Stretch of the band when layers and widths had to be taken from the size alone."""
LEFT_OPEN: Final = 2.0
"""Stretch where a published case does not say its batch, or a local run its context; an answer names what it took."""
UNVALIDATED: Final = 2.0
"""Stretch where no published case of this kind was at hand."""


def probability_of_fit(need: float, band: Band, usable: float) -> float:
    """Chance that the true need stays within what is usable (both positive), errors taken as log-normal."""
    centre = need * math.sqrt(band.low * band.high)
    return 0.5 * math.erfc(-(math.log(usable) - math.log(centre)) / (band.sigma * math.sqrt(2.0)))
