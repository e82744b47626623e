"""Types of the seed language as annotations of generated code."""

from collections.abc import Iterable

from synth.compile.names import Names
from synth.lang.types import Type

_PLAIN = {
    "text": "str",
    "enum": "str",
    "integer": "int",
    "decimal": "Fraction",
    "money": "Fraction",
    "bool": "bool",
    "date": "dt.date",
    "time": "dt.time",
    "datetime": "dt.datetime",
    "duration": "dt.timedelta",
    "none": "None",
}


def is_tuple(of: Type) -> bool:
    """Whether a record is a tuple: keys `0`, `1` and so on."""
    return of.kind == "record" and bool(of.fields) and all(key.isdigit() for key, _ in of.fields)


def holds_record(of: Type) -> bool:
    """Whether a value of this type is or holds a record with named keys, whose entries a type checker cannot tell."""
    if of.kind == "record" and not is_tuple(of):
        return True
    inner = [kind for _, kind in of.fields] + ([of.item] if of.item else [])
    return any(holds_record(one) for one in inner)


class Annotations:
    """Prints annotations.

    Args:
        names: Identifiers of the domain.
        numbers: What money and decimals are: `Fraction` inside, `Decimal` in what tools give back.
        hidden: Names of types that the class around hides by fields of the same name.
    """

    def __init__(self, names: Names, numbers: str = "Fraction", hidden: Iterable[str] = ()) -> None:
        self._hidden = frozenset(hidden)
        self._names = names
        self._numbers = numbers

    def of(self, kind: Type) -> str:
        """The annotation of a type."""
        made = self._required(kind)
        return f"{made} | None" if kind.optional and kind.kind != "none" else made

    def _required(self, kind: Type) -> str:
        if kind.kind == "row":
            return " | ".join(self._names.entity(one) for one in kind.entities)
        if kind.kind == "list":
            return f"{self.builtin('list')}[{self.of(kind.item) if kind.item else 'Any'}]"
        if kind.kind == "map":
            return f"{self.builtin('dict')}[{self.builtin('str')}, {self.of(kind.item) if kind.item else 'Any'}]"
        if kind.kind == "struct":
            return self._names.struct(kind.name)
        if kind.kind == "record":
            return f"tuple[{', '.join(self.of(one) for _, one in kind.fields)}]" if is_tuple(kind) else "dict[str, Any]"
        return self._numbers if kind.kind in ("money", "decimal") else self.builtin(_PLAIN[kind.kind])

    def builtin(self, name: str) -> str:
        """The name of a type, also where a field hides it."""
        return f"builtins.{name}" if name in self._hidden else name
