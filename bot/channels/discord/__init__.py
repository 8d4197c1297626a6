"""Discord: slash commands and buttons over discord.py (extra `discord`). No privileged intent, no public address."""
