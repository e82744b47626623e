"""Declares entities: fields, columns, ids, reverse sets; expressions come in `properties.py`."""

import re
from dataclasses import replace

from synth.lang.domain import Column, Entity, Field, Lifecycle
from synth.lang.domain import Enum as EnumWords
from synth.lang.problems import advice
from synth.lang.types import BOOL, INTEGER, TEXT, Type, list_of, row
from synth.lang.wording import plural, snake
from synth.seed.declare import field_name, type_name, value_type
from synth.seed.model import EntityModel, FieldModel
from synth.seed.reading import FIELD_NAME, Reading, Step

Path = tuple[Step, ...]
ID_PATTERN = re.compile(r"[A-Za-z0-9_.-]*(\{parent\}[A-Za-z0-9_.-]*)?\{n(:0\d{1,2})?\}")
MOST_ROWS = 100_000


def entities(reading: Reading) -> None:
    """Put the entities of the file into the names, with types but without expressions."""
    lowered: dict[str, str] = {}
    for name in reading.model.entities:
        if not type_name(reading, ("entities", name), name):
            continue
        first = lowered.setdefault(name.lower(), name)
        if first != name:
            reading.add(
                ("entities", name),
                expected="names that differ in more than case",
                got=f"{name} and {first}",
                fix="Rename one of them",
                code="DUPLICATE_NAME",
                key=True,
            )
    known = [name for name in reading.model.entities if name not in reading.names.broken]
    for name, model in reading.model.entities.items():
        if name not in known:
            reading.names.damaged.add(name)
            for field, each in model.fields.items():
                _refused(reading, name, field, each)
    for name in known:
        reading.names.entities[name] = _entity(reading, name, reading.model.entities[name], set(known))
    for entity in tuple(reading.names.entities.values()):
        _reverse(reading, entity)
    _id_patterns(reading)


def _entity(reading: Reading, name: str, model: EntityModel, known: set[str]) -> Entity:
    path: Path = ("entities", name)
    shown = model.plural or plural(snake(name))
    if not FIELD_NAME.fullmatch(shown):
        reading.add((*path, "plural"), expected="a plural in snake case", got=repr(shown), fix="Write it like order_lines", code="BAD_NAME")
    fields = [one for one in (_field(reading, name, field, each, known) for field, each in model.fields.items()) if one is not None]
    if not model.fields:
        reading.add(path, expected="at least one field", got="none", fix="Write `fields:` with a name and a type", code="MISSING_KEY")
    fields += _implied(reading, path, model, fields)
    _columns_apart(reading, path, fields)
    kind = "single" if model.single else "key" if model.key else "given" if model.id == "given" else "counter"
    entity = Entity(
        name=name,
        where=reading.where_key(*path),
        plural=shown,
        fields=tuple(fields),
        id_kind=kind,  # type: ignore[arg-type]
        id_pattern=(model.id or _default_pattern(name)) if kind == "counter" else "",
        id_per=model.per,
        key=model.key,
        called_text=model.called,
        rows=model.rows,
        single=model.single,
        archive=model.archive,
        unique=model.unique,
        description=model.about,
    )
    _identity(reading, path, model, entity)
    return entity


def _default_pattern(name: str) -> str:
    return f"{snake(name).replace('_', '')[:4].upper()}-{{n:05}}"


def _identity(reading: Reading, path: Path, model: EntityModel, entity: Entity) -> None:
    """Check id, per, key, unique, rows."""
    fields = {one.name: one for one in entity.fields}
    if entity.id_kind == "counter":
        match = ID_PATTERN.fullmatch(entity.id_pattern)
        if not match or ("{parent}" in entity.id_pattern) != bool(model.per):
            fix = "Write it like APT-{n:05}; with `per: order`, like {parent}-{n}"
            reading.add((*path, "id"), expected="a pattern of ids with {n}", got=repr(model.id), fix=fix, code="BAD_ID")
    elif model.id and (model.single or model.key):
        reading.add((*path, "id"), expected="no id beside `single` or `key`", got=repr(model.id), fix="Leave it out", code="BAD_ID")
    if model.per and (model.per not in fields or fields[model.per].role != "reference" or fields[model.per].type.optional):
        references = [one.name for one in entity.fields if one.role == "reference"]
        reading.add(
            (*path, "per"),
            expected="a reference that is never empty",
            got=repr(model.per),
            fix=advice(model.per, references, "reference"),
            code="UNKNOWN_FIELD",
        )
    for key, group in (("key", model.key), *(("unique", one) for one in model.unique)):
        for one in group:
            if one not in fields and not reading.names.excused(entity.name, one):
                reading.add((*path, key), expected="fields of this entity", got=repr(one), fix=advice(one, fields, "field"), code="UNKNOWN_FIELD")
            elif one in fields and not _may_identify(fields[one], key):
                reading.add((*path, key), expected="stored fields that are never empty", got=one, fix="Choose another field", code="WRONG_TYPE")
    if model.rows is not None and model.rows > MOST_ROWS:
        reading.add(
            (*path, "rows"), expected=f"at most {MOST_ROWS} rows", got=str(model.rows), fix="Build with a greater --scale instead", code="TOO_GREAT"
        )
    if model.single and (model.rows not in (None, 1) or model.archive):
        reading.add((*path, "single"), expected="one row", got="rows or archive too", fix="Leave them out", code="WRONG_SHAPE")


def _may_identify(field: Field, group: str) -> bool:
    """Whether a field may stand in `key:` or `unique:`."""
    return field.role not in ("always", "links") and (group != "key" or (len(field.columns) == 1 and not field.type.optional))


def _field(reading: Reading, entity: str, name: str, model: FieldModel, known: set[str]) -> Field | None:
    path: Path = ("entities", entity, "fields", name)
    if not field_name(reading, path, name):
        _refused(reading, entity, name, model)
        return None
    kinds = [bool(model.type), bool(model.ref), bool(model.links), model.lifecycle is not None]
    if sum(kinds) != 1:
        fix = "Write type: text, ref: Entity, links: Entity or lifecycle: {…}"
        reading.add(path, expected="one of type, ref, links, lifecycle", got=f"{sum(kinds)} of them", fix=fix, code="WRONG_SHAPE", key=True)
        _refused(reading, entity, name, model)
        return None
    common = _common(reading, path, name, model)
    if model.ref:
        field = _reference(reading, path, entity, (common, model), known)
    elif model.links:
        field = _links(reading, path, common, model, known)
    elif model.lifecycle is not None:
        field = _lifecycle(reading, path, entity, (common, model))
    else:
        field = _value(reading, path, common, model)
    if field is None:
        _refused(reading, entity, name, model)
        return None
    _filled(reading, entity, field, model)
    return field if model.always is None else replace(field, role="always", columns=())


def _refused(reading: Reading, entity: str, name: str, model: FieldModel) -> None:
    """Excuses uses of a field that there is not, and of the set that it would have given to other entities."""
    reading.names.damaged.add(entity)
    reading.names.broken.update(one for one in (name, model.many) if one)


def _filled(reading: Reading, entity: str, field: Field, model: FieldModel) -> None:
    if model.computed is not None:
        reading.names.computed.add((entity, field.name))
    low = model.low if model.low is not None and re.fullmatch(r"\d+(\.\d+)?", model.low) else "0"
    if float(low) > 0 or (field.closed and all(isinstance(one, int) and one > 0 for one in field.closed)):
        reading.names.positive.add((entity, field.name))
    if model.computed is not None or model.start is not None or field.lifecycle is not None:
        reading.names.filled.add((entity, field.name))


def _common(reading: Reading, path: Path, name: str, model: FieldModel) -> Field:
    """What all kinds of fields share."""
    values = [one for one in ("start", "computed", "always") if getattr(model, one) is not None]
    if len(values) > 1:
        reading.add(path, expected="one of start, is, always", got=f"{len(values)} of them", fix="Keep one", code="WRONG_SHAPE", key=True)
    if not model.ref:
        wrong = [one for one in ("many", "each", "part", "tree", "position") if getattr(model, one)]
        if wrong:
            reading.add(
                (*path, wrong[0]), expected=f"{wrong[0]} on a reference", got="another field", fix="Leave it out", code="WRONG_SHAPE", key=True
            )
    return Field(
        name=name,
        where=reading.where_key(*path),
        type=TEXT,
        description=model.about,
        length=model.length or 200,
        unique=model.unique,
        match="exempt" if model.history else model.match,
        facts=model.facts,
        history=model.history,
    )


def _value(reading: Reading, path: Path, common: Field, model: FieldModel) -> Field | None:
    kind = value_type(reading, path, model)
    if kind is None:
        return None
    closed = _closed(reading, path, kind, model)
    kind = kind.or_none() if model.optional else kind
    field = replace(common, type=kind, closed=closed)
    _matched(reading, path, field)
    return replace(field, columns=_columns(reading, field))


def _columns(reading: Reading, field: Field) -> tuple[Column, ...]:
    if field.type.kind != "struct":
        return (Column(name=field.name, field=field.name, type=field.type),)
    optional = field.type.optional
    parts = reading.names.structs[field.type.name].fields
    return tuple(Column(name=f"{field.name}_{name}", field=field.name, type=kind.or_none() if optional else kind) for name, kind in parts)


def _closed(reading: Reading, path: Path, kind: Type, model: FieldModel) -> tuple[str | int, ...]:
    if not model.of or kind.kind in ("list", "map"):
        return ()
    if kind.kind == "integer" and all(re.fullmatch(r"-?\d{1,9}", one) for one in model.of):
        return tuple(int(one) for one in model.of)
    if kind.kind == "text":
        return model.of
    fix = "Write whole numbers" if kind.kind == "integer" else "Use an enum, or type text or integer"
    reading.add((*path, "of"), expected="the allowed values of a text or integer", got=f"{list(model.of)} on {kind.kind}", fix=fix, code="BAD_VALUE")
    return ()


def _matched(reading: Reading, path: Path, field: Field) -> None:
    """Check match and facts."""
    if field.match == "text" and field.type.kind != "text":
        reading.add((*path, "match"), expected="match: text on a text", got=f"a {field.type.kind}", fix="Leave it out", code="WRONG_TYPE")
    if field.facts and field.match != "text":
        reading.add(
            (*path, "facts"), expected="facts beside match: text", got=f"match: {field.match}", fix="Add match: text", code="WRONG_SHAPE", key=True
        )
    for number, one in enumerate(field.facts):
        if one not in reading.model.facts:
            fix = advice(one, reading.model.facts, "group of `facts:`")
            reading.add((*path, "facts", number), expected="a group declared under `facts:`", got=repr(one), fix=fix, code="UNKNOWN_NAME")


def _known(reading: Reading, path: Path, targets: tuple[str, ...], known: set[str]) -> tuple[str, ...]:
    found: list[str] = []
    for one in targets:
        if one in known:
            found.append(one)
        elif one not in reading.names.broken:
            reading.add(path, expected="an entity", got=repr(one), fix=advice(one, known, "entity"), code="UNKNOWN_ENTITY")
    return tuple(found) if len(found) == len(targets) else ()


def _reference(reading: Reading, path: Path, entity: str, both: tuple[Field, FieldModel], known: set[str]) -> Field | None:
    common, model = both
    targets = _known(reading, (*path, "ref"), model.ref, known)
    if not targets:
        return None
    if model.tree and (targets != (entity,) or not model.optional):
        fix = f"Write ref: {entity} and optional: true"
        reading.add(
            (*path, "tree"), expected="tree on an optional reference to its own entity", got=", ".join(targets), fix=fix, code="WRONG_SHAPE", key=True
        )
    if model.part and model.optional:
        reading.add(
            (*path, "part"),
            expected="part on a reference that is never empty",
            got="optional: true",
            fix="Remove one of them",
            code="WRONG_SHAPE",
            key=True,
        )
    if entity in targets and not model.optional:
        fix = "Add optional: true"
        reading.add(
            path, expected="an optional reference to its own entity", got="one that is never empty", fix=fix, code="CYCLIC_REFERENCE", key=True
        )
    if any(reading.model.entities[one].single for one in targets):
        reading.add(
            (*path, "ref"), expected="an entity with many rows", got=", ".join(targets), fix="Name its one row directly in expressions", code="SINGLE"
        )
    kind = row(*targets)
    kind = kind.or_none() if model.optional else kind
    column = Column(name=f"{common.name}_id", field=common.name, type=TEXT.or_none() if model.optional else TEXT, references=targets)
    return replace(
        common,
        type=kind,
        role="reference",
        many=model.many,
        part=model.part,
        tree=model.tree,
        position=model.position,
        each=model.each,
        columns=(column,),
    )


def _links(reading: Reading, path: Path, common: Field, model: FieldModel, known: set[str]) -> Field | None:
    targets = _known(reading, (*path, "links"), (model.links,), known)
    if model.optional or model.unique:
        reading.add(
            path,
            expected="links without optional and unique",
            got="one of them",
            fix="Leave it out: a set may be empty",
            code="WRONG_SHAPE",
            key=True,
        )
    return replace(common, type=list_of(row(*targets)), role="links") if targets else None


def _lifecycle(reading: Reading, path: Path, entity: str, both: tuple[Field, FieldModel]) -> Field | None:
    common, model = both
    moves = model.lifecycle or {}
    states = tuple(moves)
    if not states or model.optional:
        reading.add(
            (*path, "lifecycle"),
            expected="states, never empty",
            got="none" if not states else "optional",
            fix="Write {open: [paid], paid: []}",
            code="WRONG_SHAPE",
        )
        return None
    for state, following in moves.items():
        for number, one in enumerate(following):
            if one not in states:
                where: Path = (*path, "lifecycle", state, number)
                reading.add(where, expected="a declared state", got=repr(one), fix=advice(one, states, "state"), code="UNKNOWN_STATE")
    if all(one in states for following in moves.values() for one in following):
        _reachable(reading, path, states, moves, model)
    name = f"{entity}.{common.name}"
    reading.names.enums[name] = EnumWords(name=name, words=states)
    kind = Type(kind="enum", name=name)
    pairs = tuple((state, one) for state, following in moves.items() for one in following)
    field = replace(common, type=kind, lifecycle=Lifecycle(states=states, moves=pairs))
    return replace(field, columns=_columns(reading, field))


def _reachable(reading: Reading, path: Path, states: tuple[str, ...], moves: dict[str, tuple[str, ...]], model: FieldModel) -> None:
    """Report states that no row can come to."""
    start = (model.start or states[0]).strip("'\"")
    seen, todo = {start}, [start]
    while todo:
        for one in moves.get(todo.pop(), ()):
            if one not in seen:
                seen.add(one)
                todo.append(one)
    for state in states:
        if state not in seen:
            where: Path = (*path, "lifecycle", state)
            fix = f"Add {state} after a state that leads to it, or remove it"
            reading.add(where, expected=f"a state that can be reached from {start!r}", got=repr(state), fix=fix, code="UNREACHABLE_STATE", key=True)


def _implied(reading: Reading, path: Path, model: EntityModel, fields: list[Field]) -> list[Field]:
    """`archived` and `position`."""
    found: list[Field] = []
    wanted = [("archived", BOOL)] if model.archive else []
    wanted += [("position", INTEGER)] if any(one.position for one in fields) else []
    if sum(one.position for one in fields) > 1:
        reading.add(path, expected="one reference with position", got="several", fix="Keep one", code="WRONG_SHAPE", key=True)
    for name, kind in wanted:
        if any(one.name == name for one in fields):
            reading.add(
                (*path, "fields", name),
                expected="a name that is free",
                got=name,
                fix="Remove it: it is added by itself",
                code="DUPLICATE_NAME",
                key=True,
            )
            continue
        reading.names.filled.add((str(path[1]), name))
        found.append(Field(name=name, where=reading.where_key(*path), type=kind, columns=(Column(name=name, field=name, type=kind),)))
    return found


def _columns_apart(reading: Reading, path: Path, fields: list[Field]) -> None:
    seen: dict[str, str] = {"id": "the id"}
    for field in fields:
        for column in field.columns:
            if column.name in seen:
                got = f"{column.name}, also the column of {seen[column.name]}"
                reading.add(
                    (*path, "fields", field.name), expected="columns that differ", got=got, fix="Rename one of them", code="DUPLICATE_NAME", key=True
                )
            seen.setdefault(column.name, field.name)


def _reverse(reading: Reading, entity: Entity) -> None:
    """Declare `many:` sets on the referred entities."""
    for field in entity.fields:
        if not field.many:
            continue
        path: Path = ("entities", entity.name, "fields", field.name, "many")
        for target in field.type.entities:
            sets = reading.names.reverse.setdefault(target, {})
            taken = {one.name for one in reading.names.entities[target].fields} | set(sets) | {"id", "ancestors", "descendants"}
            if not FIELD_NAME.fullmatch(field.many) or field.many in taken:
                reading.add(path, expected=f"a name that is free on {target}", got=repr(field.many), fix="Choose another name", code="DUPLICATE_NAME")
                reading.names.damaged.update(field.type.entities)
            else:
                sets[field.many] = (entity.name, field)


def _id_patterns(reading: Reading) -> None:
    """Report two entities whose ids look alike."""
    seen: dict[str, str] = {}
    for entity in reading.names.entities.values():
        if entity.id_kind != "counter" or entity.id_per:
            continue
        prefix = entity.id_pattern.split("{")[0]
        first = seen.setdefault(prefix, entity.name)
        if first != entity.name:
            path: Path = ("entities", entity.name, "id")
            got = f"{prefix!r} as {first} has it"
            reading.add(path, expected="ids that start in their own way", got=got, fix="Choose another beginning", code="DUPLICATE_NAME")
