"""Turns a line of chat into an `Understanding`: slots, ranked intents and the reasons. See README.md."""
