"""Small factories for the memory tests."""

from __future__ import annotations

from functools import lru_cache

from advisor.catalog import Catalog
from advisor.memory import MemoryEstimate
from advisor.models import Method, MlModel, Workload
from tests.conftest import shared_catalog

GIB = 2.0**30


@lru_cache(maxsize=1)
def catalog() -> Catalog:
    """The shipped catalogue, read once."""
    return shared_catalog()


def model(name: str) -> MlModel:
    """A model by name."""
    return catalog().get_ml_model(name)


def job(name: str, method: str, **changes: object) -> Workload:
    """A workload on a named model."""
    return Workload(ml_model=model(name), method=Method(method)).model_copy(update=changes)


def part(estimate: MemoryEstimate, name: str) -> float:
    """GiB of one component, 0 when it is not there."""
    return next((float(step.value or 0) for step in estimate.components if step.name == name), 0.0)
