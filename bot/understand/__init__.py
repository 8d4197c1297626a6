"""Turns a line of chat into an `Understanding`: slots, ranked intents and the reasons. See README.md."""

from bot.understand.load import load_understander

__all__ = ["load_understander"]
