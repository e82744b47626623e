"""The contract of an environment package; imports nothing else of this project."""
