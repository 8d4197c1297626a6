"""Which cards serve a need best, why, and what would change that.

The package can be called like its main function, so that `advisor.recommend(need, catalog, today)` works whether or not
the package has been imported under the same name before.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

from advisor.recommend.core import Selection, choose, recommend
from advisor.recommend.models import Channel, Flip, Need, Objective, Option, Pick, Recommendation, UserPrice

if TYPE_CHECKING:
    from advisor.named.results import Advice

__all__ = [
    "Channel",
    "Flip",
    "Need",
    "Objective",
    "Option",
    "Pick",
    "Recommendation",
    "Selection",
    "UserPrice",
    "choose",
    "recommend",
]


class _CallablePackage(ModuleType):
    def __call__(self, *given: object, **words: object) -> Recommendation | Advice:
        """See `recommend`; names and keywords instead of a `Need` give a short result (`advisor.named`)."""
        from advisor.named.calls import recommend as by_name_or_need

        return by_name_or_need(*given, **words)


sys.modules[__name__].__class__ = _CallablePackage
