"""Answers to what it costs: prices, bills, renting or buying, platforms, carbon."""
