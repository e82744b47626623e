"""Data that looks real: word lists, generators, and the worlds made with them."""
