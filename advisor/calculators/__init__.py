"""Sums that need no card and no model: what is asked is found from what is given, by formulas that chain."""

from advisor.calculators.quantities import QUANTITIES
from advisor.calculators.quantity import Quantity
from advisor.calculators.registry import FORMULAS, Formula
from advisor.calculators.solve import Given, Solution, solve

__all__ = ["FORMULAS", "QUANTITIES", "Formula", "Given", "Quantity", "Solution", "solve"]
