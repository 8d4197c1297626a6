"""Scores labelled questions: intent, slots, out-of-scope, confusions, worst cases, invariance. Used by `bot eval`."""

from bot.evaluate.report import to_text
from bot.evaluate.run import evaluate_files

__all__ = ["evaluate_files", "to_text"]
