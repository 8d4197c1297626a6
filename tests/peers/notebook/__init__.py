"""The notebook of `docs/`, run by Jupyter, with pandas and matplotlib."""
