"""Reads seed files: text, places, shape, declarations."""
