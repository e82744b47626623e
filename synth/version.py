"""The generator's version: a part of every byte that synth makes."""

GENERATOR = "0.1.0"
