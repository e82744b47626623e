"""The functions, methods, attributes of the seed language, and the generators of `data:` blocks, as one table.

Types are written in a small notation, which `signatures.py` matches against the types of arguments: a kind (`text`, `integer`, …),
`number` (integer, decimal or money), `moment` (date or datetime), a variable (`T`, `N`, `M`) that stands for one type throughout a
signature, `list[T]`, `map[T]`, `row`, `T?` (may be None), `a|b` (either). `key` is a `lambda` over T, `entity` the name of an entity.
"""

from dataclasses import dataclass
from typing import Literal

Form = Literal["function", "method", "attribute"]
Place = Literal["everywhere", "tools", "data"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One parameter of a function of the language.

    Attributes:
        accepts: Its type, in the notation of this module.
        optional: May be left out.
        repeats: The last one may be given any number of times.
        constant: Must be a literal.
        keyword: May only be given by name.
    """

    name: str
    accepts: str
    optional: bool = False
    repeats: bool = False
    constant: bool = False
    keyword: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Builtin:
    """One function, method or attribute.

    Attributes:
        on: For a method or attribute, the type it belongs to.
        result: The type it gives, in the notation of this module.
        place: Where it may stand; `data` marks generators, `tools` what needs a parameter of a tool or function.
        doc: One line on what it gives.
    """

    name: str
    form: Form
    arguments: tuple[Argument, ...]
    result: str
    doc: str
    place: Place = "everywhere"
    on: str = ""


def _argument(text: str) -> Argument:
    """One argument from `name: type`, with `?` after the name if optional, `*` before it if it repeats, `!` if constant, `=` if by name."""
    name, _, accepts = text.partition(": ")
    return Argument(
        name=name.strip("?*!="), accepts=accepts, optional="?" in name or "=" in name, repeats="*" in name, constant="!" in name, keyword="=" in name
    )


def _make(form: Form, place: Place, name: str, arguments: tuple[str, ...], result: str, doc: str) -> Builtin:
    """One row of the table; methods and attributes are written `type.name`."""
    on, _, short = name.rpartition(".")
    return Builtin(name=short, form=form, arguments=tuple(map(_argument, arguments)), result=result, doc=doc, place=place, on=on)


Row = tuple[str, tuple[str, ...], str, str]

_EVERYWHERE: tuple[Row, ...] = (
    ("len", ("of: list[T]|text|map[T]",), "integer", "How many elements a list or map has, or letters a text."),
    ("count", ("of: list[T]",), "integer", "How many elements; the same as len, for comprehensions."),
    ("sum", ("of: list[N]",), "N", "Total of numbers, money or durations; 0 for an empty list."),
    ("avg", ("of: list[N]",), "mean?", "Exact mean; None for an empty list."),
    (
        "min",
        ("of: list[T]", "key=: key"),
        "T?",
        "Smallest element, by key if given; None for an empty list. With several values, the smallest of them.",
    ),
    (
        "max",
        ("of: list[T]", "key=: key"),
        "T?",
        "Greatest element, by key if given; None for an empty list. With several values, the greatest of them.",
    ),
    ("any", ("of: list[bool]",), "bool", "Whether one of the conditions holds."),
    ("all", ("of: list[bool]",), "bool", "Whether all conditions hold; so for an empty list."),
    ("first", ("of: list[T]",), "T?", "First element; None for an empty list."),
    ("sorted", ("of: list[T]", "key=: key", "reverse!=: bool"), "list[T]", "The list in order, by key if given; equal ones keep their order."),
    ("distinct", ("of: list[T]",), "list[T]", "The list without repeats; first occurrences stay."),
    ("zip", ("a: list[T]", "b: list[M]"), "list[pair]", "Pairs of the first elements, the second elements, … of two lists."),
    ("abs", ("of: number|duration",), "same", "The value without its sign."),
    ("round", ("of: number", "places?!: integer"), "rounded", "Rounded half to even, to a number of decimal places (0 if not given)."),
    ("isa", ("of: row", "kind: entity"), "bool", "Whether a row of one of two kinds is of this entity."),
    ("tree", ("of: row",), "list[same]", "A row of a tree and all its descendants, the row first."),
    ("lookup", ("of: map[T]", "key: text|enum", "otherwise: T"), "T", "The value of a key of a map, or the last argument."),
    ("matches", ("of: text", "pattern!: text"), "bool", "Whether the whole text matches a constant regular expression."),
    ("days", ("of: integer",), "duration", "A duration of that many days."),
    ("hours", ("of: integer",), "duration", "A duration of that many hours."),
    ("minutes", ("of: integer",), "duration", "A duration of that many minutes."),
    (
        "add_months",
        ("of: moment", "months: integer"),
        "same",
        "The same day so many months later; the last day of the month if there is no such day.",
    ),
    ("month_start", ("of: moment",), "date", "First day of the month."),
    ("month_end", ("of: moment",), "date", "Last day of the month."),
    (
        "steps",
        ("first: S", "last: S", "step: difference"),
        "list[S]",
        "From first, by step, while less than last (integers, dates, times or datetimes).",
    ),
    ("slots", ("day: date", "open: time", "close: time", "step: duration"), "list[datetime]", "Times of one day from open, by step, before close."),
    (
        "overlaps",
        ("start: datetime", "minutes: integer", "other: datetime", "other_minutes: integer"),
        "bool",
        "Whether two stretches of time meet; one that ends when the other starts does not.",
    ),
    (
        "within",
        ("start: datetime", "minutes: integer", "open: time", "close: time"),
        "bool",
        "Whether a stretch of time lies on one day, starts at open or later, and ends at close or earlier.",
    ),
    ("day", ("of: datetime",), "date", "The date of a datetime."),
)

_TOOLS: tuple[Row, ...] = (("given", ("parameter: parameter",), "bool", "Whether a parameter with `= unset` was sent."),)

_METHODS: tuple[Row, ...] = (
    ("text.lower", (), "text", "The text in small letters."),
    ("text.strip", (), "text", "The text without space around it."),
    ("text.startswith", ("start: text",), "bool", "Whether the text starts so."),
    ("text.endswith", ("end: text",), "bool", "Whether the text ends so."),
    ("text.split", ("by?!: text",), "list[text]", "The pieces between separators (white space if none is given)."),
    ("text.join", ("pieces: list[text]",), "text", "The pieces with the text between them."),
    ("moment.weekday", (), "integer", "Day of the week; Monday is 0."),
)

_ATTRIBUTES: tuple[Row, ...] = (
    ("moment.year", (), "integer", "The year."),
    ("moment.month", (), "integer", "The month, 1 to 12."),
    ("moment.day", (), "integer", "The day of the month."),
    ("datetime|time.hour", (), "integer", "The hour, 0 to 23."),
    ("datetime|time.minute", (), "integer", "The minute, 0 to 59."),
)

_GENERATORS: tuple[Row, ...] = (
    ("person_name", (), "text", "First and last name; distinct within an entity while names last."),
    ("first_name", (), "text", "A first name."),
    ("last_name", (), "text", "A last name."),
    ("company", (), "text", "Name of a company."),
    ("street", (), "text", "Street and house number."),
    ("city", (), "text", "A city."),
    ("postcode", (), "text", "A postal code."),
    ("country", (), "text", "A country."),
    ("job_title", (), "text", "A job title."),
    ("phone_number", (), "text", "A phone number that belongs to nobody."),
    ("email", ("name: text",), "text", "An address for this name, on a domain reserved for examples."),
    ("email_of", ("name: text",), "text", "The same as email, for a seed with a field of that name."),
    ("pet_name", ("species?: enum|text",), "text", "Name of a pet, fit for its species."),
    ("product", ("kind: enum|text",), "text", "Name of a product of this kind (tool, machine, drink, snack, office, clothing, …)."),
    ("price_of", ("product: text",), "money", "What a product made by `product` usually costs."),
    ("word", ("kind: enum|text",), "text", "A word from a list (room, venue, colour, material, brand, skill, language, team, project, department)."),
    ("sentence", ("kind: enum|text",), "text", "A short remark of this kind (note, complaint, request, damage, diet, …)."),
    ("code", ("pattern!: text",), "text", "Text from a pattern: # is a digit, ? a capital letter; distinct within an entity."),
    ("serial", (), "integer", "The number of this row among those of its entity, from 1."),
    ("pick", ("of: list[T]", "weights?: list[number]"), "T", "One element, by weight; a row whose list is empty is not made."),
    ("some", ("of: list[T]", "low: integer", "high: integer"), "list[T]", "So many different elements, in the order of the list."),
    (
        "pick_free",
        ("taken: list[row]", "minutes: integer", "times: list[datetime]"),
        "datetime",
        "One of the times at which none of the rows is going on; a row without such a time is not made.",
    ),
    (
        "slots_between",
        ("first: moment|duration", "last: moment|duration", "open: time", "close: time", "step: duration"),
        "list[datetime]",
        "Slots of all days from first to last; a duration counts from now.",
    ),
    ("date_between", ("first: moment|duration", "last: moment|duration"), "date", "A date, both ends included; a duration counts from now."),
    ("datetime_between", ("first: moment|duration", "last: moment|duration"), "datetime", "A full minute in between; a duration counts from now."),
    (
        "time_between",
        ("first: time", "last: time", "step?: duration"),
        "time",
        "A time of day, both ends included, on the step (5 minutes if not given).",
    ),
    ("integer", ("low: integer", "high: integer", "usual?: integer"), "integer", "An integer, both ends included; most often near `usual` if given."),
    ("decimal", ("low: number", "high: number", "usual?: number"), "decimal", "A decimal, rounded to the places of its field."),
    ("money", ("low: number", "high: number", "usual?: number"), "money", "An amount of money."),
    ("chance", ("of: number",), "bool", "True with this probability (0 to 1)."),
)


def _table() -> tuple[Builtin, ...]:
    groups: tuple[tuple[Form, Place, tuple[Row, ...]], ...] = (
        ("function", "everywhere", _EVERYWHERE),
        ("function", "tools", _TOOLS),
        ("method", "everywhere", _METHODS),
        ("attribute", "everywhere", _ATTRIBUTES),
        ("function", "data", _GENERATORS),
    )
    return tuple(_make(form, place, *row) for form, place, rows in groups for row in rows)


BUILTINS: tuple[Builtin, ...] = _table()
"""All rows of the table, in the order in which they are documented."""

FUNCTIONS: dict[str, Builtin] = {one.name: one for one in BUILTINS if one.form == "function"}
METHODS: dict[str, Builtin] = {one.name: one for one in BUILTINS if one.form == "method"}
ATTRIBUTES: dict[str, Builtin] = {one.name: one for one in BUILTINS if one.form == "attribute"}

EFFECTS: tuple[str, ...] = ("create", "delete", "patch", "copy")
"""Names with syntax of their own, which make statements or the value of a binding."""

RULES: tuple[str, ...] = ("require", "policy")
"""Names that make a rule."""
