"""The generator's version: a part of every byte that synth makes."""

GENERATOR = "0.3.0"
"""0.3.0: what a request wants and other ways to it, steps that a request leaves unsaid, calls to be undone; packs of 0.2.0 are made anew.

0.2.0: bulk, repair and multi-turn tasks, packs over several worlds, names of tasks and worlds by request; packs of 0.1.0 are made anew.
"""
