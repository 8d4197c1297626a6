"""What the documents say accelerators of other brands can be used for, as of their year."""

from __future__ import annotations

from datetime import date
from functools import lru_cache

from advisor.datafiles import read_data
from advisor.models import Frozen, Gpu, Step, step_of


class VendorRule(Frozen):
    """Uses of a brand's cards by one document."""

    vendor: str
    gpus: tuple[str, ...] = ()
    """Gpu.id; empty for all cards of the brand."""
    training: bool
    inference: bool
    needs: str = ""
    """int8: quantised networks; cnn: best for convolutional networks; empty for no condition."""
    software: str
    as_of: date
    source: str
    rows: tuple[str, ...]
    conflicts: tuple[str, ...] = ()

    def step(self) -> Step:
        """The rule as a step of a trail."""
        return step_of(
            name="vendor_rule",
            value=self.training,
            unit="training",
            how="passage",
            sources=(self.source,),
            as_of=self.as_of,
            rows=self.rows,
        )


@lru_cache(maxsize=1)
def vendor_rules() -> tuple[VendorRule, ...]:
    """All rules."""
    found: tuple[VendorRule, ...] = read_data("vendors.yaml", tuple[VendorRule, ...])
    return found


def rule_for(vendor: str, gpu: Gpu | None = None) -> VendorRule | None:
    """The rule about a brand, or about this card of it; None when the documents say nothing."""
    for rule in vendor_rules():
        if rule.vendor == vendor and (not rule.gpus or (gpu is not None and gpu.id in rule.gpus)):
            return rule
    return None
