"""The words that every room of the bot shares. No I/O, no clock, no wording."""
