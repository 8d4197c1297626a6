"""Pictures of an answer's figures, as SVG or PNG, light or dark, in both languages; and the same figures as a table.

matplotlib (extra `charts`) loads on first use. The same chart gives the same bytes.
"""

from bot.channels.charts.asked import in_words, picture_of
from bot.channels.charts.drawing import draw, rehearse, size_of
from bot.channels.charts.sheet import ChartUnavailable
from bot.channels.charts.tables import chart_table

__all__ = ["ChartUnavailable", "chart_table", "draw", "in_words", "picture_of", "rehearse", "size_of"]
