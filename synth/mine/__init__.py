"""Domains from sets of tasks: which tasks live in records, which belong together, and what could hold them."""
