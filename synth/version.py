"""The generator's version: a part of every byte that synth makes."""

GENERATOR = "0.2.0"
"""0.2.0: bulk, repair and multi-turn tasks, packs over several worlds, names of tasks and worlds by request; packs of 0.1.0 are made anew."""
