"""The dependency graph of the tools of an environment, by analysis of its seed."""
