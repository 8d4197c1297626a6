"""Public functions that take names or the advisor's own values: names give a short result, values the full one."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Signature, signature
from typing import Final, TypeVar

from advisor.catalog import Catalog
from advisor.memory.estimate import estimate_memory as _memory
from advisor.models import Workload
from advisor.money.bill import rental_bill
from advisor.money.breakeven import Ownership, break_even
from advisor.named.choosing import advise
from advisor.named.fitting import memory_of
from advisor.named.owning import rent_or_buy_of
from advisor.named.pacing import time_of
from advisor.named.paying import cost_of
from advisor.recommend.core import recommend as _recommend
from advisor.recommend.models import Need
from advisor.speed.timing import estimate_time as _time

Short = TypeVar("Short")
Full = TypeVar("Full")


def _either(
    public: str, named: Callable[..., Short], valued: Callable[..., Full], kind: type
) -> Callable[..., Short | Full]:
    """One function under which two stand: a first value of `kind` calls the second, everything else the first."""

    shape = signature(named)

    @wraps(named)
    def call(*given: object, **words: object) -> Short | Full:
        first = given[0] if given else next(iter(words.values()), None)
        if isinstance(first, kind):
            return valued(*given, **words)
        try:
            shape.bind(*given, **words)
        except TypeError as error:  # by the name that was called, not by that of the function behind it
            raise TypeError(f"{public}() {error}; it takes {', '.join(_leading(shape))}") from None
        return named(*given, **words)

    return call


def _leading(shape: Signature) -> list[str]:
    """The arguments that have a place, in their order."""
    return [one.name for one in shape.parameters.values() if one.kind is one.POSITIONAL_OR_KEYWORD]


estimate_memory: Final = _either("estimate_memory", memory_of, _memory, Workload)
estimate_time: Final = _either("estimate_time", time_of, _time, Workload)
estimate_cost: Final = _either("estimate_cost", cost_of, rental_bill, Catalog)
rent_or_buy: Final = _either("rent_or_buy", rent_or_buy_of, break_even, Ownership)
recommend: Final = _either("recommend", advise, _recommend, Need)
