"""Slot grammars: one module per kind of value. Each takes a message and adds values with the rule that found them."""
