"""Answers to which card: recommendations, comparisons, upgrades, specifications."""
