"""Turns an outcome into neutral Markdown in the user's language. Chooses words, computes nothing."""

from bot.render.numbers import escape, num, pct
from bot.render.renderer import Renderer
from bot.render.text import Form, Rendered, tidy
from bot.render.voice import LANGUAGES

__all__ = ["LANGUAGES", "Form", "Rendered", "Renderer", "escape", "num", "pct", "tidy"]
