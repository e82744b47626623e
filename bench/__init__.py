"""Measures what the design promises: `python -m bench`."""
