"""Passages, sources, conflicts and search: what the documents say, usable without the bot."""
