"""Slot grammars: one module per kind of value. Each takes tokens and gives found values with the rule that found them."""
