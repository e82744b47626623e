"""Attributes of row handles: typed descriptors that read the current state."""

from collections.abc import Callable, Mapping
from typing import Any, Generic, Self, TypedDict, TypeVar, Unpack, overload

from registry.package.change import Stored
from registry.package.kinds import BOOL, DATE, DATETIME, DURATION, INTEGER, TEXT, TIME, Kind, list_kind, map_kind, number_kind
from registry.package.row import Row, Struct

T = TypeVar("T")
R = TypeVar("R", bound=Row)
F = TypeVar("F", bound=Callable[..., Any])
LINK_OWN, LINK_OTHER = 1, 2
"""Places of the two ids in a row of a `links` table."""


class Options(TypedDict, total=False):
    """What a column may say beyond its kind.

    `length` is the longest text, `closed` the only values, `low` and `high` limits, `start` the value of new rows, `words` those of an enum
    in order; `position`, `part` and `tree` mark references.
    """

    unique: bool
    length: int
    closed: tuple[Any, ...]
    low: Any
    high: Any
    start: Any
    words: tuple[str, ...]
    part: bool
    tree: bool
    position: bool


class Column(Generic[T]):
    """One stored attribute. `Schema` fills in `index`, `targets` and `limited` (some values are refused) when a package is put together."""

    def __init__(self, kind: Kind, *, optional: bool, options: Options) -> None:
        self.kind = kind
        self.decode = kind.decode
        self.optional = optional
        self.options: Mapping[str, Any] = {**options}
        self.unique: bool = options.get("unique", False)
        self.name = ""
        self.index = 0
        self.stored: tuple[str, ...] = ()
        self.tables: tuple[str, ...] = ()
        self.targets: tuple[type[Row], ...] = ()
        self.moves: Mapping[str, tuple[str, ...]] = {}
        self.low: Callable[[Any], Any] | None = _constant(options, "low")
        self.high: Callable[[Any], Any] | None = _constant(options, "high")
        self.start: Callable[[Any], Any] | None = _constant(options, "start")
        self.tree: bool = options.get("tree", False)
        self.limited = False

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        self.stored = (name,)

    @overload
    def __get__(self, row: None, owner: type[Row]) -> Self: ...
    @overload
    def __get__(self, row: Row, owner: type[Row]) -> T: ...
    def __get__(self, row: Row | None, owner: type[Row]) -> Any:
        """The value in the current state of the row."""
        if row is None:
            return self
        stored = row._held[self.index]
        return None if stored is None else self.decode(stored)

    def starting(self, function: F) -> F:
        """Decorator: the value of a new row that was not given one, from the row made so far."""
        self.start = function
        return function

    def lowest(self, function: F) -> F:
        """Decorator: the least allowed value, from the row as it would be."""
        self.low = function
        return function

    def highest(self, function: F) -> F:
        """Decorator: the greatest allowed value, from the row as it would be."""
        self.high = function
        return function

    def encode(self, value: Any) -> dict[str, Stored]:
        """Stored columns of a value."""
        return {self.stored[0]: None if value is None else self.kind.encode(value)}

    def searched(self, value: Any) -> Stored:
        """What the (first) stored column holds of a value that is not None."""
        return self.kind.encode(value)

    def put(self, draft: list[Stored], value: Any) -> None:
        """Puts a value into a row that is being written."""
        draft[self.index] = None if value is None else self.kind.encode(value)

    def json(self, values: tuple[Stored, ...]) -> Any:
        """JSON of the value in a stored row."""
        stored = values[self.index]
        return None if stored is None else self.kind.json(stored)


def _constant(options: Options, name: str) -> Callable[[Any], Any] | None:
    held: Mapping[str, Any] = {**options}
    if name not in held:
        return None
    value = held[name]
    return lambda _row: value


class Plain(Column[T]):
    """A column whose stored form is its value."""

    @overload
    def __get__(self, row: None, owner: type[Row]) -> Self: ...
    @overload
    def __get__(self, row: Row, owner: type[Row]) -> T: ...
    def __get__(self, row: Row | None, owner: type[Row]) -> Any:
        """The value in the current state of the row."""
        if row is None:
            return self
        return row._held[self.index]


class Reference(Column[T]):
    """A column that names a row of another table, or of one of two."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        self.stored = (f"{name}_id",)

    @overload
    def __get__(self, row: None, owner: type[Row]) -> Self: ...
    @overload
    def __get__(self, row: Row, owner: type[Row]) -> T: ...
    def __get__(self, row: Row | None, owner: type[Row]) -> Any:
        """A handle on the row that is referred to now, or None."""
        if row is None:
            return self
        key = row._held[self.index]
        if key is None:
            return None
        if len(self.targets) == 1:
            return row._ctx.handle(self.targets[0], key)  # type: ignore[arg-type]  # ids are text
        return row._ctx.locate(self.targets, str(key))

    def encode(self, value: Any) -> dict[str, Stored]:
        """The id of the row."""
        return {self.stored[0]: None if value is None else value.id}

    def put(self, draft: list[Stored], value: Any) -> None:
        """Puts the id of a row into a row that is being written."""
        draft[self.index] = None if value is None else value.id

    def searched(self, value: Any) -> Stored:
        """The id of the row."""
        key: str = value.id
        return key


class StructColumn(Column[T]):
    """Several stored columns that are one struct."""

    def __init__(self, shape: type[Struct], *, optional: bool, options: Options) -> None:
        super().__init__(TEXT, optional=optional, options=options)
        self.shape = shape

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        self.stored = tuple(f"{name}_{field}" for field in self.shape.KINDS)

    @overload
    def __get__(self, row: None, owner: type[Row]) -> Self: ...
    @overload
    def __get__(self, row: Row, owner: type[Row]) -> T: ...
    def __get__(self, row: Row | None, owner: type[Row]) -> Any:
        """The struct as it is now; None if all of it is."""
        if row is None:
            return self
        held = row._values()[self.index : self.index + len(self.stored)]
        if self.optional and all(one is None for one in held):
            return None
        kinds = self.shape.KINDS.items()
        return self.shape(**{field: None if one is None else kind.decode(one) for (field, kind), one in zip(kinds, held, strict=True)})

    def encode(self, value: Any) -> dict[str, Stored]:
        """Stored columns of a struct."""
        given = {field: None if value is None else getattr(value, field) for field in self.shape.KINDS}
        return {f"{self.name}_{field}": None if one is None else self.shape.KINDS[field].encode(one) for field, one in given.items()}

    def searched(self, value: Any) -> Stored:
        """What the first stored column holds of a struct."""
        return self.encode(value)[self.stored[0]]

    def put(self, draft: list[Stored], value: Any) -> None:
        """Puts the values of a struct into a row that is being written."""
        draft[self.index : self.index + len(self.stored)] = self.encode(value).values()

    def json(self, values: tuple[Stored, ...]) -> Any:
        """A nested object; None if all of it is."""
        held = values[self.index : self.index + len(self.stored)]
        if self.optional and all(one is None for one in held):
            return None
        kinds = self.shape.KINDS.items()
        return {field: None if one is None else kind.json(one) for (field, kind), one in zip(kinds, held, strict=True)}


def text(**options: Unpack[Options]) -> Column[str]:
    """Text."""
    return Plain(TEXT, optional=False, options=options)


def optional_text(**options: Unpack[Options]) -> Column[str | None]:
    """Text or None; words of an enum too."""
    return Plain(TEXT, optional=True, options=options)


def integer(**options: Unpack[Options]) -> Column[int]:
    """An integer."""
    return Plain(INTEGER, optional=False, options=options)


def optional_integer(**options: Unpack[Options]) -> Column[int | None]:
    """An integer or None."""
    return Plain(INTEGER, optional=True, options=options)


def boolean(**options: Unpack[Options]) -> Column[bool]:
    """True or false."""
    return Column(BOOL, optional=False, options=options)


def optional_boolean(**options: Unpack[Options]) -> Column[bool | None]:
    """True, false or None."""
    return Column(BOOL, optional=True, options=options)


def scalar(kind: Kind, **options: Unpack[Options]) -> Column[Any]:
    """A value of any kind; the annotation in the row class says what it is."""
    return Column(kind, optional=False, options=options)


def optional_scalar(kind: Kind, **options: Unpack[Options]) -> Column[Any]:
    """A value of any kind, or None."""
    return Column(kind, optional=True, options=options)


def state(moves: Mapping[str, tuple[str, ...]], **options: Unpack[Options]) -> Column[str]:
    """The state of a lifecycle and the states that may follow each one; new rows start in the first."""
    made: Column[str] = Plain(TEXT, optional=False, options=options)
    made.moves = moves
    made.start = made.start or (lambda _row: next(iter(moves)))
    return made


def ref(*tables: str, **options: Unpack[Options]) -> Column[Any]:
    """A reference to a row of one of these tables; the annotation says which class."""
    made: Column[Any] = Reference(TEXT, optional=False, options=options)
    made.tables = tables
    return made


def optional_ref(*tables: str, **options: Unpack[Options]) -> Column[Any]:
    """A reference, or None."""
    made: Column[Any] = Reference(TEXT, optional=True, options=options)
    made.tables = tables
    return made


def struct(shape: type[Struct], **options: Unpack[Options]) -> Column[Any]:
    """A struct."""
    return StructColumn(shape, optional=False, options=options)


def optional_struct(shape: type[Struct], **options: Unpack[Options]) -> Column[Any]:
    """A struct, or None."""
    return StructColumn(shape, optional=True, options=options)


class Many(Generic[R]):
    """The rows of `table` that refer to this row by `field`, in key order, without archived ones."""

    def __init__(self, table: str, field: str) -> None:
        self.table = table
        self.field = field
        self.target: type[Row] = Row
        self.place = 0

    @overload
    def __get__(self, row: None, owner: type[Row]) -> Self: ...
    @overload
    def __get__(self, row: Row, owner: type[Row]) -> list[R]: ...
    def __get__(self, row: Row | None, owner: type[Row]) -> Any:
        """The rows that refer to it now."""
        return self if row is None else row._ctx.referring(self.target, self.place, row.id)


class Links(Generic[R]):
    """A set of rows of `target`, kept as rows of the table `Entity_field`, read in key order."""

    def __init__(self, target: str) -> None:
        self.to = target
        self.name = ""
        self.table = ""
        self.own = ""
        self.other = ""
        self.target: type[Row] = Row

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        self.table = f"{owner.__name__}_{name}"
        same = owner.__name__ == self.to
        self.own, self.other = ("left_id", "right_id") if same else (f"{owner.__name__.lower()}_id", f"{self.to.lower()}_id")

    @overload
    def __get__(self, row: None, owner: type[Row]) -> Self: ...
    @overload
    def __get__(self, row: Row, owner: type[Row]) -> list[R]: ...
    def __get__(self, row: Row | None, owner: type[Row]) -> Any:
        """The rows in the set now."""
        return self if row is None else [self.target(row._ctx, key) for key in row._ctx.linked(self, row.id)]


class Always(Generic[T]):
    """A value computed at each read and never stored."""

    def __init__(self, compute: Callable[[Any], T], places: int) -> None:
        self.compute = compute
        self.places = places
        self.name = compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, row: None, owner: type[Row]) -> Self: ...
    @overload
    def __get__(self, row: Row, owner: type[Row]) -> T: ...
    def __get__(self, row: Row | None, owner: type[Row]) -> Any:
        """The value in the current state."""
        return self if row is None else self.compute(row)


def always(places: int = 4) -> Callable[[Callable[[Any], T]], Always[T]]:
    """Decorator of a method of a row class that makes it a computed attribute; `places` are those of a number."""
    return lambda compute: Always(compute, places)


__all__ = [
    "DATE",
    "DATETIME",
    "DURATION",
    "TIME",
    "Always",
    "Column",
    "Links",
    "Many",
    "always",
    "boolean",
    "integer",
    "list_kind",
    "map_kind",
    "number_kind",
    "optional_boolean",
    "optional_integer",
    "optional_ref",
    "optional_scalar",
    "optional_struct",
    "optional_text",
    "ref",
    "scalar",
    "state",
    "struct",
    "text",
]
