"""The words of the advisor: cards, models, workloads, money, estimates and the trail behind each number.

Plain frozen values, no I/O. GiB is 2**30 bytes (GPU memory, RAM), GB is 1e9 bytes (bandwidth, disks). Peak figures
carry their counting basis in the field name and are dense (without sparsity). `None` means "not known", never zero.
"""

from __future__ import annotations

from advisor.models.catalogue import ChipRule, ClosedModel, CloudMachine, GenericName, Gpu, Maker, MlModel, ShapeNote
from advisor.models.frozen import Frozen, complete_schemas
from advisor.models.offers import Money, Offer, PricingModel, Provider, Rate
from advisor.models.sources import Claim, Ruling, Source, Witness
from advisor.models.trail import Banded, Estimate, Note, Step, StepValue, estimate_of, note_of, step_of
from advisor.models.workload import (
    Attention,
    Loss,
    Method,
    Offload,
    Optimizer,
    Parallel,
    Precision,
    Recompute,
    Workload,
)

__all__ = [
    "Attention",
    "Banded",
    "ChipRule",
    "Claim",
    "ClosedModel",
    "CloudMachine",
    "Estimate",
    "Frozen",
    "GenericName",
    "Gpu",
    "Loss",
    "Maker",
    "Method",
    "MlModel",
    "Money",
    "Note",
    "Offer",
    "Offload",
    "Optimizer",
    "Parallel",
    "Precision",
    "PricingModel",
    "Provider",
    "Rate",
    "Recompute",
    "Ruling",
    "ShapeNote",
    "Source",
    "Step",
    "StepValue",
    "Witness",
    "Workload",
    "complete_schemas",
    "estimate_of",
    "note_of",
    "step_of",
]
