"""Answers to what fits: memory of jobs, largest models, ways to need less."""
