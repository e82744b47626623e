"""What the compiler makes of a small seed, in full: each file as a person would read it."""

import pytest

from tests.unit.compile.golden_files import compiled, path_of

FILES = compiled()


@pytest.mark.parametrize("name", sorted(FILES))
def test_each_file_of_the_package_is_as_expected(name):
    expected = path_of(name).read_text(encoding="utf-8")
    assert FILES[name] == expected, "if this change is meant: python -m tests.unit.compile.golden_files"
