"""Half-widths of 90 % bands: what sources that took no part in a fit were off by.

Two variances per class of estimate: of a source's mean error and of its cases around that mean, both from residuals
of constants fitted without that source (`refit`). A class that fewer than three sources support says so and is wide.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, sqrt
from typing import Final, NamedTuple

from advisor.models import Estimate, Step, estimate_of


class Band(NamedTuple):
    """Standard deviations in logarithm: of sources, and of cases of one source; and how many sources there were."""

    source: float
    case: float
    sources: int

    @property
    def half_width(self) -> float:
        """Half of the 90 % band in logarithm, of a case of a new source; wider the fewer sources there are, about as
        Student's distribution is wider than the normal one."""
        return FACTOR * (1.0 + 1.0 / max(1.0, 1.5 * (self.sources - 1))) * sqrt(self.source**2 + self.case**2)

    @property
    def validated(self) -> bool:
        """Whether enough sources support it to say how far off a new one is."""
        return self.sources >= LEAST_SOURCES


FACTOR: Final = 1.645
"""Standard deviations on either side that hold 90 % of a normal distribution."""
LEAST_SOURCES: Final = 3
UNVALIDATED: Final = Band(0.3, 0.25, 2)
"""Of a class with fewer sources: about as wide as the widest that is known, a factor of three either way."""
OUTSIDE_SPREAD: Final = 0.25
"""Added where no published case supports the kind of card."""

_GROUPS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("cnn", "detector", "depthwise", "vit"), "image networks"),
    **dict.fromkeys(("encoder", "lstm", "recurrent"), "text networks"),
}
"""Classes of networks that share a band: their sources overlap, and too few support each of them alone."""


def band_name(basis: str) -> str:
    """Under which name the band of an estimate stands. `basis` is what `rate` and `predict` say it rests on.

    >>> band_name("time:cnn"), band_name("inference:vit"), band_name("lstm"), band_name("decode")
    ('time', 'vision', 'text networks', 'decode')
    """
    kind = basis.split(":", 1)[0]
    if kind == "inference":
        return "vision"
    return _GROUPS.get(kind, kind)


BANDS: Final[Mapping[str, Band]] = {
    "cluster": Band(0.239, 0.462, 1),
    "decode": Band(0.132, 0.126, 36),
    "decoder": Band(0.25, 0.167, 15),
    "host": Band(0.546, 0.131, 5),
    "host-prompt": Band(0.187, 0.257, 2),
    "image": Band(0.203, 0.249, 11),
    "image networks": Band(0.309, 0.211, 4),
    "image-training": Band(0.295, 0.258, 5),
    "matmul": Band(0.007, 0.015, 1),
    "offload": Band(0.199, 0.184, 4),
    "offload-prompt": Band(0.26, 0.252, 4),
    "prompt": Band(0.167, 0.182, 19),
    "serving": Band(0.139, 0.173, 8),
    "shared experts": Band(1.07, 0.0, 1),
    "speech": Band(0.348, 0.34, 4),
    "text networks": Band(0.146, 0.248, 4),
    "time": Band(0.218, 0.343, 3),
    "video": Band(0.188, 0.148, 7),
    "vision": Band(0.147, 0.232, 5),
}
"""As `refit.bands_of` gives them for the published cases kept with the tests."""


def band_of(basis: str) -> Band:
    """The band of an estimate by what it rests on."""
    found = BANDS.get(band_name(basis), UNVALIDATED)
    return found if found.validated else UNVALIDATED


def spread_of(basis: str, *, outside: bool = False) -> float:
    """Half-width of the 90 % band in logarithm. `outside`: no published case supports the kind of card."""
    return band_of(basis).half_width + OUTSIDE_SPREAD * outside


def banded(value: float, spread: float, unit: str, basis: str, trace: Step) -> Estimate:
    """An estimate whose 90 % band is symmetric in logarithm."""
    return estimate_of(
        value=value, low=value * exp(-spread), high=value * exp(spread), unit=unit, basis=basis, trace=trace
    )
