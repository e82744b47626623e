"""The seeds that ship: a few of them for a test by default, all under `make test-hard`.

A test whose cost grows with the number of seeds is parametrized with `every()`: seeds beyond the first few carry the
mark `every_domain`, which is deselected unless it is asked for. Cheap tests take `ALL`.
"""

from collections.abc import Iterable
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "seeds"
ALL = tuple(sorted(one.stem for one in FOLDER.glob("*.yaml")))
FIRST = ("equipment_rental", "tool_library", "vet_clinic")
"""Seeds over which a test may add up."""
SHOWN = ("tool_library", "vet_clinic")
"""Seeds that every default run looks at one by one: the small one and a rich one."""


def path_of(name: str) -> Path:
    """Where a seed lies."""
    return FOLDER / f"{name}.yaml"


def every(names: Iterable[str] = ALL):
    """Parameters of a test: the names, those beyond the first few with the mark."""
    return [pytest.param(name, marks=() if name in SHOWN else (pytest.mark.every_domain,)) for name in names]


def every_path(names: Iterable[str] = ALL):
    """The same, for tests that take the path of a seed."""
    return [pytest.param(path_of(name), id=name, marks=() if name in SHOWN else (pytest.mark.every_domain,)) for name in names]
