"""Which cards serve a need best, why, and what would change that."""

from advisor.recommend.core import recommend
from advisor.recommend.models import Channel, Flip, Need, Objective, Option, Pick, Recommendation, UserPrice

__all__ = ["Channel", "Flip", "Need", "Objective", "Option", "Pick", "Recommendation", "UserPrice", "recommend"]
