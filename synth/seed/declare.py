"""Declares enums, structs, constants, roles: everything of a seed that entities build on."""

import keyword

from synth.lang.domain import Constant, Enum, Struct
from synth.lang.names import PLAIN_TYPES
from synth.lang.problems import advice
from synth.lang.rules import decimal, spoken
from synth.lang.types import Type, list_of
from synth.seed.literals import literal, moment
from synth.seed.model import TypeModel
from synth.seed.reading import CONSTANT_NAME, ENTITY_NAME, FIELD_NAME, Reading, Step

LONGEST = 2000
GREATEST_PLACES = 8
RESERVED_FIELDS = frozenset(
    "metadata registry copy json schema dict construct validate parse_obj parse_raw model_config model_fields query query_class "
    "id rowid oid self cls ctx rt dt st row rows now today me state".split()
)
RESERVED_ENTITIES = frozenset(
    "Row Rows Base Field Relationship SQLModel Column Table Money Decimal Fraction IsoDate Any Literal Optional True False None Tool "
    "ToolContext Refusal SCHEMA CHECKS INVARIANTS Index ForeignKey UniqueConstraint ClassVar Callable".split()
)


def declare(reading: Reading) -> None:
    """Put enums, structs and constants of the file into the names."""
    head(reading)
    _enums(reading)
    _structs(reading)


def head(reading: Reading) -> None:
    """Check id, title, now, actor, roles."""
    model = reading.model
    if not FIELD_NAME.fullmatch(model.id):
        reading.add(
            ("id",), expected="a name of at most 40 small letters, digits and _", got=repr(model.id), fix="Write it like vet_clinic", code="BAD_NAME"
        )
    if not model.title.strip():
        reading.add(("title",), expected="a title for people", got="an empty text", fix="Write one", code="BAD_VALUE")
    if moment(model.now, "datetime") is None:
        reading.add(("now",), expected="a datetime such as 2026-03-02T08:00:00", got=repr(model.now), fix="Write it so", code="BAD_VALUE")
    if model.actor and model.actor not in model.entities and model.actor not in reading.names.broken:
        fix = advice(model.actor, model.entities, "entity")
        reading.add(("actor",), expected="an entity", got=repr(model.actor), fix=fix, code="UNKNOWN_ENTITY")
    reading.names.actor = model.actor
    reading.names.roles = tuple(model.roles)
    for name in model.roles:
        if not FIELD_NAME.fullmatch(name):
            reading.add(("roles", name), expected="a role in small letters", got=repr(name), fix="Write it like manager", code="BAD_NAME", key=True)


def _enums(reading: Reading) -> None:
    for name, words in reading.model.enums.items():
        path: tuple[Step, ...] = ("enums", name)
        if not type_name(reading, path, name):
            continue
        for number, word in enumerate(words):
            if not word.strip() or len(word) > 60 or "\n" in word:
                reading.add((*path, number), expected="a word of at most 60 letters", got=repr(word), fix="Write a word", code="BAD_VALUE")
            if word in words[:number]:
                reading.add((*path, number), expected="each word once", got=repr(word), fix="Remove one of them", code="DUPLICATE_NAME")
        if not words:
            reading.add(path, expected="at least one word", got="an empty list", fix="Write [a, b]", code="BAD_VALUE")
        reading.names.enums[name] = Enum(name=name, words=words)


def type_name(reading: Reading, path: tuple[Step, ...], name: str) -> bool:
    """Whether an entity, enum or struct may be called so; a problem is reported."""
    names = reading.names
    taken = {*names.enums, *names.structs, *names.constants, *PLAIN_TYPES}
    if not ENTITY_NAME.fullmatch(name):
        fix = "Start with a capital letter, as in OrderLine"
        reading.add(path, expected="a name of letters and digits that starts with a capital", got=repr(name), fix=fix, code="BAD_NAME", key=True)
    elif name in RESERVED_ENTITIES or keyword.iskeyword(name):
        reading.add(path, expected="a name that generated code leaves free", got=name, fix="Choose another name", code="RESERVED_NAME", key=True)
    elif name in taken:
        reading.add(path, expected="each name once", got=name, fix="Rename one of them", code="DUPLICATE_NAME", key=True)
    else:
        return True
    names.broken.add(name)
    return False


def field_name(reading: Reading, path: tuple[Step, ...], name: str) -> bool:
    """Whether a field may be called so; a problem is reported."""
    if not FIELD_NAME.fullmatch(name):
        fix = "Write small letters, digits and _"
        reading.add(path, expected="a field name of at most 40 small letters", got=repr(name), fix=fix, code="BAD_NAME", key=True)
    elif keyword.iskeyword(name) or name in RESERVED_FIELDS or name.startswith(("model_", "sqlite_")):
        reading.add(
            path, expected="a field name that Python and SQLModel leave free", got=name, fix="Choose another name", code="RESERVED_NAME", key=True
        )
    else:
        return True
    reading.names.broken.add(name)
    return False


def _structs(reading: Reading) -> None:
    for name, fields in reading.model.types.items():
        if not type_name(reading, ("types", name), name):
            continue
        found: list[tuple[str, Type]] = []
        for field, model in fields.items():
            path: tuple[Step, ...] = ("types", name, field)
            kind = value_type(reading, path, model) if field_name(reading, path, field) else None
            if kind is not None and kind.kind in ("list", "map", "struct"):
                reading.add(path, expected="a scalar", got=spoken(kind), fix="Put it into the entity itself", code="WRONG_TYPE")
            elif kind is not None:
                found.append((field, kind.or_none() if model.optional else kind))
        reading.names.structs[name] = Struct(name=name, fields=tuple(found))


def constants(reading: Reading) -> None:
    """Put the constants into the names; entities must be known, so that nothing is called like one."""
    for name, model in reading.model.constants.items():
        path: tuple[Step, ...] = ("constants", name)
        if not CONSTANT_NAME.fullmatch(name):
            reading.add(path, expected="a constant in UPPER_CASE", got=repr(name), fix=f"Write {name.upper()}", code="BAD_NAME", key=True)
            reading.names.broken.add(name)
            continue
        if name in reading.names.taken():
            reading.add(path, expected="each name once", got=name, fix="Rename one of them", code="DUPLICATE_NAME", key=True)
            continue
        kind = value_type(reading, path, model)
        node = literal(reading, model.value, kind, (*path, "value")) if kind is not None else None
        if kind is None or node is None:
            reading.names.broken.add(name)
        else:
            reading.names.constants[name] = Constant(name=name, type=kind, value=node)


def value_type(reading: Reading, path: tuple[Step, ...], model: TypeModel) -> Type | None:
    """The type that `type`, `of` and `places` give; None after a problem."""
    text = model.type
    if text in ("list", "map"):
        return _collection(reading, path, model)
    kind = scalar_type(reading, (*path, "type"), text, model.places)
    if model.places is not None and (text != "decimal" or model.places > GREATEST_PLACES):
        fix = "Leave it out" if text != "decimal" else "Write a smaller number"
        reading.add(
            (*path, "places"),
            expected=f"places (at most {GREATEST_PLACES}) of a decimal",
            got=f"{model.places} on {text}",
            fix=fix,
            code="WRONG_TYPE",
        )
    if model.length is not None and (text != "text" or not 0 < model.length <= LONGEST):
        fix = "Leave it out" if text != "text" else "Write a smaller number"
        reading.add(
            (*path, "length"), expected=f"a length (at most {LONGEST}) of a text", got=f"{model.length} on {text}", fix=fix, code="WRONG_TYPE"
        )
    return kind


def _collection(reading: Reading, path: tuple[Step, ...], model: TypeModel) -> Type | None:
    if len(model.of) != 1:
        fix = "Write of: text, or another scalar type"
        reading.add(path, expected=f"of: with the type of the elements of a {model.type}", got=f"{len(model.of)} types", fix=fix, code="MISSING_KEY")
        return None
    item = scalar_type(reading, (*path, "of"), model.of[0], model.places)
    if item is None:
        return None
    if item.kind == "struct":
        reading.add(
            (*path, "of"), expected="a scalar type", got=spoken(item), fix="Make it an entity with a `part: true` reference", code="WRONG_TYPE"
        )
        return None
    return list_of(item) if model.type == "list" else Type(kind="map", item=item)


def scalar_type(reading: Reading, path: tuple[Step, ...], text: str, places: int | None = None) -> Type | None:
    """The type of one name; None after a problem."""
    names = reading.names
    if text == "decimal":
        return decimal(2 if places is None else min(places, GREATEST_PLACES))
    if text in PLAIN_TYPES:
        return PLAIN_TYPES[text]
    if text in names.enums:
        return Type(kind="enum", name=text)
    if text in names.structs:
        return Type(kind="struct", name=text)
    if text in names.broken:
        return None
    choices = [*PLAIN_TYPES, "list", "map", *names.enums, *names.structs]
    fix = f"Write ref: {text} for one row, links: {text} for a set" if text in reading.model.entities else advice(text, choices, "type")
    python = {"str": "text", "string": "text", "int": "integer", "float": "decimal", "number": "decimal", "boolean": "bool"}
    fix = f"Write {python[text]}" if text in python else fix
    reading.add(path, expected="a type", got=repr(text) if text else "nothing", fix=fix, code="UNKNOWN_TYPE")
    return None
