"""Answers to how fast and how long: training, text, pictures, several cards."""
