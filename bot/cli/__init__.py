"""The command line. `commands.py` lists the commands; each module holds what one of them does."""
