"""The one place where names of a seed become identifiers of generated code."""

import keyword
import re
from collections.abc import Iterable

from synth.lang.domain import Domain, Enum

_GENERATED = ("ctx", "rt", "dt", "report", "self", "one", "key", "dataclass", "broken", "violated")
_LOCALS = ("ctx", "report", "self", "one", "key", "broken", "violated")
"""Those that are no names of the module tools.py, so that a tool may have them."""
_NAMES = ("Any", "Callable", "ClassVar", "Decimal", "Fraction", "SCHEMA", "CHECKS", "INVARIANTS")
_USED = (
    "abs",
    "all",
    "any",
    "bool",
    "dict",
    "float",
    "int",
    "isinstance",
    "len",
    "list",
    "max",
    "min",
    "property",
    "round",
    "sorted",
    "str",
    "sum",
    "tuple",
)


class Names:
    """Identifiers of one domain.

    Locals, functions and tools that would hide something which generated code needs get an underscore behind them; a name that is no
    identifier is refused.
    """

    def __init__(self, domain: Domain) -> None:
        self._functions = {*(one.name for one in domain.functions), *(one.name for one in domain.tools)}
        self._constants = {one.name for one in domain.constants}
        self._enums = self._distinct(one.name for one in domain.enums)
        self._globals = {
            *(one.name for one in domain.entities),
            *(one.name for one in domain.structs),
            *self._enums.values(),
            *self._constants,
        }
        self._taken = {*_GENERATED, *_NAMES, *_USED, *keyword.kwlist}

    def local(self, name: str) -> str:
        """A parameter, binding or loop variable."""
        return f"{_checked(name)}_" if name in self._taken or name in self._globals or name in self._functions else _checked(name)

    def function(self, name: str) -> str:
        """A function of the seed."""
        return f"{_checked(name)}_" if name in self._taken or name in self._globals else _checked(name)

    def tool(self, name: str) -> str:
        """A tool, which is called by its own name."""
        if name in self._taken - set(_LOCALS) or name in self._globals:
            raise ValueError(f"a tool cannot be called {name!r}, which generated code needs")
        return _checked(name)

    def entity(self, name: str) -> str:
        """The class of an entity."""
        return _checked(name)

    def struct(self, name: str) -> str:
        """The class of a struct."""
        return _checked(name)

    def constant(self, name: str) -> str:
        """A constant of the seed."""
        return f"{_checked(name)}_" if name in _NAMES else _checked(name)

    def attribute(self, name: str) -> str:
        """A field of a row or struct."""
        if keyword.iskeyword(name):
            raise ValueError(f"{name!r} is a word of Python")
        return _checked(name)

    def enum(self, one: Enum | str) -> str:
        """The tuple of an enum's words."""
        return self._enums[one if isinstance(one, str) else one.name]

    def _distinct(self, enums: Iterable[str]) -> dict[str, str]:
        """Names of the tuples of all enums; those that would be the same get underscores behind them."""
        taken = set(self._constants)
        made: dict[str, str] = {}
        for name in enums:
            plain = _checked(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.replace(".", "_")).upper() + "_WORDS")
            while plain in taken:
                plain += "_"
            taken.add(plain)
            made[name] = plain
        return made


def _checked(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        raise ValueError(f"{name!r} is no identifier")
    return name
