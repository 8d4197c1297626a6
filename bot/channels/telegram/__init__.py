"""Telegram over python-telegram-bot: updates in, replies out. See README.md of the channels."""

import os

# Without this, python-telegram-bot 22 warns on every flood-control error that times become timedeltas.
os.environ.setdefault("PTB_TIMEDELTA", "true")
