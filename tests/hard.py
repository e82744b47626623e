"""How often a test tries: little in `make test`, much in `make test-hard`."""

import os


def how_many(variable: str, usual: int) -> int:
    """What the variable of the environment says, or the usual number."""
    return int(os.environ.get(variable, usual))  # noqa: TID251 (settings of tests, not of the product)
