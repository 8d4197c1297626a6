"""The advisor by names: cards, models and keywords in, one short result out, with its sources and days.

    >>> from advisor.named import fit
    >>> fit("4090", "qwen2.5-14b", method="qlora").verdict
    'fits'

The command line, the tools for other programs and `advisor.fit` are all faces of these functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.lazy import names_from

if TYPE_CHECKING:
    from advisor.named.choosing import advise
    from advisor.named.comparing import compare
    from advisor.named.fitting import fit, memory_of
    from advisor.named.listing import gpus_of, models_of
    from advisor.named.owning import rent_or_buy_of
    from advisor.named.pacing import speed_of, time_of
    from advisor.named.paying import cost_of, prices_of
    from advisor.named.running import runs_on

__all__ = [
    "advise",
    "compare",
    "cost_of",
    "fit",
    "gpus_of",
    "memory_of",
    "models_of",
    "prices_of",
    "rent_or_buy_of",
    "runs_on",
    "speed_of",
    "time_of",
]

_HOMES = {
    "advise": "choosing",
    "compare": "comparing",
    "cost_of": "paying",
    "fit": "fitting",
    "gpus_of": "listing",
    "memory_of": "fitting",
    "models_of": "listing",
    "prices_of": "paying",
    "rent_or_buy_of": "owning",
    "runs_on": "running",
    "speed_of": "pacing",
    "time_of": "pacing",
}

__getattr__ = names_from(__name__, _HOMES)
