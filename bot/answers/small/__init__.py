"""Answers to greetings, thanks and cries for help."""
