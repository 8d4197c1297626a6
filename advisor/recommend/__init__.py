"""Which cards serve a need best, why, and what would change that.

The package can be called like its main function, so that `advisor.recommend(need, catalog, today)` works whether or not
the package has been imported under the same name before.
"""

from __future__ import annotations

import sys
from datetime import date
from types import ModuleType
from typing import TYPE_CHECKING

from advisor.recommend.core import recommend
from advisor.recommend.models import Channel, Flip, Need, Objective, Option, Pick, Recommendation, UserPrice
from advisor.recommend.need import Models

if TYPE_CHECKING:
    from advisor.catalog import Catalog

__all__ = ["Channel", "Flip", "Need", "Objective", "Option", "Pick", "Recommendation", "UserPrice", "recommend"]


class _CallablePackage(ModuleType):
    def __call__(
        self, need: Need, catalog: Catalog, today: date, models: Models | None = None, *, with_flips: bool = True
    ) -> Recommendation:
        """See `recommend`."""
        return recommend(need, catalog, today, models, with_flips=with_flips)


sys.modules[__name__].__class__ = _CallablePackage
