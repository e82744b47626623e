"""Packages on disk, the catalogue of them, and the episodes played in them."""
