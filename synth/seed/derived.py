"""Expands `derive:` into tools."""

from dataclasses import dataclass

from synth.lang.domain import Entity, Field, Filter, Param, Search, Tool, Wording
from synth.lang.nodes import Const, Create, Delete, Local, Node, Patch, Return, Rows, Single, Statement, Where
from synth.lang.problems import advice
from synth.lang.rules import NOTHING, NUMBERS, decimal
from synth.lang.types import NONE, TEXT, Type, list_of, row
from synth.lang.wording import argument, described, snake, words
from synth.lang.wordings import complete, wording
from synth.seed.reading import Reading, Step

RANGED = (*NUMBERS, "date", "time", "datetime", "duration")
MOST_LISTED = 50


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a derived tool stands in the file."""

    reading: Reading
    path: tuple[Step, ...]

    @property
    def where(self) -> Where:
        return self.reading.where_key(*self.path)

    @property
    def field(self) -> str:
        return ".".join(str(one) for one in self.path)


def derived(reading: Reading) -> tuple[Tool, ...]:
    """All derived tools, in the order search, get, list, create, update, delete, calculator."""
    found: list[Tool | None] = []
    model = reading.model.derive
    for kind in ("search", "get", "list", "create", "update", "delete"):
        listed = getattr(model, kind)
        for number, name in enumerate(listed):
            path: tuple[Step, ...] = ("derive", kind, name if isinstance(listed, dict) else number)
            entity = _entity(reading, path, name, kind)
            if entity is not None:
                found.append(_MAKERS[kind](_Place(reading, path), entity))
    if model.calculator:
        found.append(_calculator(_Place(reading, ("derive", "calculator"))))
    return tuple(one for one in found if one is not None)


def _entity(reading: Reading, path: tuple[Step, ...], name: str, kind: str) -> Entity | None:
    entity = reading.names.entities.get(name)
    if entity is None:
        if name not in reading.names.broken:
            fix = advice(name, reading.names.entities, "entity")
            reading.add(path, expected="an entity", got=repr(name), fix=fix, code="UNKNOWN_ENTITY", key=isinstance(path[-1], str))
        return None
    if entity.single and kind in ("search", "list", "create", "delete"):
        fix = "Derive get and update of it"
        reading.add(path, expected="an entity with many rows", got=name, fix=fix, code="SINGLE", key=isinstance(path[-1], str))
        return None
    return entity


def _plurals(reading: Reading) -> dict[str, str]:
    return {one.name: one.plural for one in reading.names.entities.values()}


def _row_param(place: _Place, entity: Entity) -> tuple[Param, Local]:
    name, kind = snake(entity.name), row(entity.name)
    param = Param(name=name, argument=argument(name, kind, {}), where=place.where, type=kind, required=True, description=described(name, kind, None))
    return param, Local(where=place.where, type=kind, name=name)


def _field(place: _Place, entity: Entity, name: str, step: tuple[Step, ...]) -> Field | None:
    found = place.reading.names.field(entity.name, name)
    if found is None and not place.reading.names.excused(entity.name, name):
        fix = advice(name, [one.name for one in entity.fields], "field")
        place.reading.add((*place.path, *step), expected=f"a field of {entity.name}", got=repr(name), fix=fix, code="UNKNOWN_FIELD")
    return found


def _param(place: _Place, entity: Entity, field: Field, *, name: str = "", required: bool = True, unset: bool = False) -> Param:
    """A parameter that takes a value of a field."""
    shown = name or field.name
    kind = field.type if unset else (field.type.required() if required else field.type.or_none())
    default = None if required or unset else Const(where=place.where, type=NONE, value=None)
    return Param(
        name=shown,
        argument=argument(shown, field.type.required(), _plurals(place.reading)),
        where=place.where,
        type=kind,
        required=required and not unset,
        default=default,
        unset=unset,
        of=(entity.name, field.name),
        description=field.description
        if field.description and field.type.kind != "row"
        else described(shown, field.type.required(), (entity.name, field.name)),
    )


def _steps(place: _Place, key: str, number: int) -> tuple[Step, ...]:
    """Path of an element below a derived tool, which may be written in short."""
    long = place.reading.scalar(*place.path, key, number)
    return (key, number) if long is not None else (number,)


def _search(place: _Place, entity: Entity) -> Tool | None:
    model = place.reading.model.derive.search[entity.name]
    filters: list[Filter] = []
    params: list[Param] = []
    for number, text in enumerate(model.by):
        name, _, mode = text.partition(".")
        field = _field(place, entity, name, _steps(place, "by", number))
        if field is None:
            continue
        for param, one in _filters(place, entity, (field, mode), _steps(place, "by", number)):
            params.append(param)
            filters.append(one)
    for number, text in enumerate(model.sort):
        _field(place, entity, text.removeprefix("-"), ("sort", number))
    names = [one.name for one in params]
    for name in sorted({one for one in names if names.count(one) > 1}):
        place.reading.add(place.path, expected="each filter once", got=name, fix="Remove one of them", code="DUPLICATE_NAME", key=True)
    shown = entity.plural.replace("_", " ")
    doc = model.about or f"Search {shown}; all filters that are given must fit. Results come in pages."
    return Tool(
        name=f"search_{entity.plural}",
        where=place.where,
        kind="search",
        params=tuple(params),
        body=(),
        result=list_of(row(entity.name)),
        read_only=True,
        doc=doc,
        entity=entity.name,
        search=Search(entity=entity.name, filters=tuple(filters), sort=model.sort),
    )


def _filters(place: _Place, entity: Entity, one: tuple[Field, str], step: tuple[Step, ...]) -> list[tuple[Param, Filter]]:
    field, mode = one
    kind = field.type.kind
    if mode == "range" and kind in RANGED:
        return [_filter(place, entity, field, f"{field.name}_{end}", end) for end in ("from", "to")]
    if mode in ("", "exact", "contains"):
        if kind in ("list", "map") and mode == "":
            return [_has(place, entity, field)]
        if kind == "struct":
            place.reading.add(
                (*place.path, *step), expected="a scalar, reference or list", got=f"the struct {field.name}", fix="Leave it out", code="WRONG_TYPE"
            )
            return []
        if mode != "contains" or kind == "text":
            return [_filter(place, entity, field, field.name, _text_mode(field, mode))]
    fix = "Write field, field.exact, field.contains (text) or field.range (numbers and times)"
    place.reading.add((*place.path, *step), expected=f"a filter that fits {kind}", got=f"{field.name}.{mode}", fix=fix, code="WRONG_TYPE")
    return []


def _text_mode(field: Field, mode: str) -> str:
    """How a filter compares: a text is looked for inside, unless its values are closed."""
    return "contains" if field.type.kind == "text" and mode != "exact" and (mode == "contains" or not field.closed) else "equal"


_ENDS = {"from": "from, inclusive", "to": "to, inclusive", "contains": "contains, ignoring case", "equal": "", "has": ""}


def _filter(place: _Place, entity: Entity, field: Field, name: str, mode: str) -> tuple[Param, Filter]:
    param = _param(place, entity, field, name=name, required=False)
    end = _ENDS[mode]
    if end:
        what = (field.description or described(field.name, field.type.required(), (entity.name, field.name))).rstrip(".")
        param = Param(
            name=param.name,
            argument=param.argument,
            where=param.where,
            type=param.type,
            required=False,
            default=param.default,
            of=param.of,
            description=f"{what} ({end}).",
        )
    return param, Filter(param=name, field=field.name, mode=mode)  # type: ignore[arg-type]


def _has(place: _Place, entity: Entity, field: Field) -> tuple[Param, Filter]:
    item = TEXT if field.type.kind == "map" else (field.type.item or TEXT)
    default = Const(where=place.where, type=NONE, value=None)
    name = field.name if item.kind != "row" else snake(item.entities[0])
    param = Param(
        name=name,
        argument=argument(name, item, {}),
        where=place.where,
        type=item.or_none(),
        required=False,
        default=default,
        description=f"Finds only rows whose `{field.name}` include this {words(item.entities[0] if item.kind == 'row' else item.name or 'value')}.",
    )
    return param, Filter(param=name, field=field.name, mode="has")


def _get(place: _Place, entity: Entity) -> Tool:
    if entity.single:
        return _tool(
            place,
            "get",
            entity,
            (),
            (Return(where=place.where, value=_single(place, entity)),),
            row(entity.name),
            name=f"get_{snake(entity.name)}",
            about=f"Get the {words(entity.name)}.",
        )
    param, local = _row_param(place, entity)
    about = _with_parts(place, entity)
    return _tool(place, "get", entity, (param,), (Return(where=place.where, value=local),), row(entity.name), about=about)


def _with_parts(place: _Place, entity: Entity) -> str:
    """What `get` of rows that have parts does; empty for rows that have none."""
    names = place.reading.names.entities.values()
    parts = [words(field.many or one.plural) for one in names for field in one.fields if field.part and entity.name in field.type.entities]
    if not parts:
        return ""
    *first, last = parts
    return f"Get one {words(entity.name)} by id, with its {', '.join(first)}{' and ' if first else ''}{last}."


def _single(place: _Place, entity: Entity) -> Node:
    return Single(where=place.where, type=row(entity.name), entity=entity.name)


def _list(place: _Place, entity: Entity) -> Tool:
    many = list_of(row(entity.name))
    size = place.reading.names.size(entity.name)
    if size > MOST_LISTED:
        fix = f"Derive search of {entity.name}"
        place.reading.add(
            place.path, expected=f"an entity of at most {MOST_LISTED} rows", got=f"{entity.name} with {size}", fix=fix, code="TOO_GREAT"
        )
    rows = Rows(where=place.where, type=many, entity=entity.name)
    return _tool(place, "list", entity, (), (Return(where=place.where, value=rows),), many, name=f"list_{entity.plural}")


_DOCS = {
    "get": "Get one {one} by id.",
    "list": "List all {many}.",
    "create": "Add a new {one}.",
    "update": "Change a {one}; only what is sent is changed, and null empties an optional field.",
    "delete": "Delete a {one}.",
}


def _tool(
    place: _Place,
    kind: str,
    entity: Entity,
    params: tuple[Param, ...],
    body: tuple[Statement, ...],
    result: Type,
    *,
    name: str = "",
    about: str = "",
    asked: tuple[Wording, ...] = (),
    asked_fields: tuple[tuple[str, tuple[Wording, ...]], ...] = (),
) -> Tool:
    one, many = words(entity.name), entity.plural.replace("_", " ")
    return Tool(
        name=name or f"{kind}_{snake(entity.name)}",
        where=place.where,
        kind=kind,  # type: ignore[arg-type]
        params=params,
        body=body,
        result=result,
        read_only=kind in ("get", "list"),
        doc=about or _article(_DOCS[kind].format(one=one, many=many)),
        entity=entity.name,
        asked=asked,
        asked_fields=asked_fields,
    )


def _article(text: str) -> str:
    for vowel in "aeiou":
        text = text.replace(f" a {vowel}", f" an {vowel}")
    return text


def _asked(place: _Place, texts: tuple[str, ...], key: tuple[Step, ...], params: tuple[Param, ...]) -> tuple[Wording, ...]:
    reading = place.reading
    found: list[Wording] = []
    for number, text in enumerate(texts):
        path = (*place.path, *key, number) if reading.scalar(*place.path, *key, number) is not None else (*place.path, *key)
        found.append(wording(reading.names, reading.report, place.field, text, reading.where(*path), params))
    return tuple(found)


def _create(place: _Place, entity: Entity) -> Tool | None:
    model = place.reading.model.derive.create[entity.name]
    names = place.reading.names
    fields = [one for one in (_field(place, entity, name, _steps(place, "fields", number)) for number, name in enumerate(model.fields)) if one]
    for one in fields:
        if one.role == "always" or (entity.name, one.name) in names.computed:
            place.reading.add(
                place.path, expected="fields that can be written", got=one.name, fix="Leave it out: it is computed", code="READ_ONLY", key=True
            )
    given = {one.name for one in fields}
    missing = [one.name for one in entity.fields if _needed(place, entity, one) and one.name not in given]
    if missing:
        fix = f"Add {', '.join(missing)}, or give the field `start:` or `optional: true`"
        place.reading.add(
            place.path, expected=f"all fields that {entity.name} needs", got=f"no {', '.join(missing)}", fix=fix, code="FIELD_NOT_SET", key=True
        )
    params = [_param(place, entity, one) for one in fields if not _may_lack(place, entity, one)]
    params += [_param(place, entity, one, required=False) for one in fields if _may_lack(place, entity, one)]
    values = tuple((one.name, Local(where=place.where, type=one.type, name=one.name)) for one in fields)
    if entity.id_kind == "given":
        params.insert(
            0, Param(name="id", argument="id", where=place.where, type=TEXT, required=True, description=f"Id of the new {words(entity.name)}.")
        )
        values = (("id", Local(where=place.where, type=TEXT, name="id")), *values)
    made = Create(where=place.where, type=row(entity.name), entity=entity.name, values=values)
    asked: tuple[Wording, ...] = ()
    if entity.name not in names.damaged:
        asked = _asked(place, model.asked, ("asked",), tuple(params))
        complete(names, place.reading.report, place.field, place.where, asked, tuple(params))
    return _tool(place, "create", entity, tuple(params), (Return(where=place.where, value=made),), row(entity.name), about=model.about, asked=asked)


def _needed(place: _Place, entity: Entity, field: Field) -> bool:
    names = place.reading.names
    if field.type.optional or field.role in ("always", "links") or field.type.kind in ("list", "map"):
        return False
    return (entity.name, field.name) not in names.filled


def _may_lack(place: _Place, entity: Entity, field: Field) -> bool:
    """Whether a create may leave the field out. Fields with a start are asked for when they are listed."""
    return field.type.optional


def _update(place: _Place, entity: Entity) -> Tool | None:
    model = place.reading.model.derive.update[entity.name]
    reading = place.reading
    fields = [one for one in (_field(place, entity, name, _steps(place, "fields", number)) for number, name in enumerate(model.fields)) if one]
    for one in fields:
        if one.role == "always" or (entity.name, one.name) in reading.names.computed or one.name in entity.key:
            reading.add(place.path, expected="fields that can be written", got=one.name, fix="Leave it out", code="READ_ONLY", key=True)
    params = [_param(place, entity, one, required=False, unset=True) for one in fields]
    values = tuple((one.name, Local(where=place.where, type=one.type, name=one.name)) for one in fields)
    target: Node
    if entity.single:
        all_params, target = tuple(params), _single(place, entity)
    else:
        param, target = _row_param(place, entity)
        all_params = (param, *params)
    asked = _asked_fields(place, entity, fields, all_params)
    body = (Patch(where=place.where, row=target, values=values), Return(where=place.where, value=target))
    return _tool(place, "update", entity, all_params, body, row(entity.name), about=model.about, asked_fields=asked)


def _asked_fields(place: _Place, entity: Entity, fields: list[Field], params: tuple[Param, ...]) -> tuple[tuple[str, tuple[Wording, ...]], ...]:
    """Wordings by field; each says the row and the field."""
    model, reading = place.reading.model.derive.update[entity.name], place.reading
    for name in model.asked:
        if name not in {one.name for one in fields} and not reading.names.excused(entity.name, name):
            fix = advice(name, [one.name for one in fields], "field of this update")
            reading.add((*place.path, "asked", name), expected="a field that is updated", got=repr(name), fix=fix, code="UNKNOWN_FIELD", key=True)
    found: list[tuple[str, tuple[Wording, ...]]] = []
    for one in fields:
        asked = _asked(place, model.asked.get(one.name, ()), ("asked", one.name), params)
        needed = tuple(each for each in params if each.required)
        value = next(each for each in params if each.name == one.name)
        said = Param(name=value.name, argument=value.argument, where=value.where, type=value.type, required=True)
        complete(reading.names, reading.report, f"{place.field}.{one.name}", place.where, asked, (*needed, said))
        found.append((one.name, asked))
    return tuple(found)


def _delete(place: _Place, entity: Entity) -> Tool | None:
    model = place.reading.model.derive.delete[entity.name]
    param, local = _row_param(place, entity)
    asked = _asked(place, model.asked, ("asked",), (param,)) if place.reading.scalar(*place.path, "asked") or model.asked else ()
    complete(place.reading.names, place.reading.report, place.field, place.where, asked, (param,))
    return _tool(place, "delete", entity, (param,), (Delete(where=place.where, row=local),), NOTHING, about=model.about, asked=asked)


def _calculator(place: _Place) -> Tool:
    text = Param(
        name="expression", argument="expression", where=place.where, type=TEXT, required=True, description="Numbers, + - * / and parentheses."
    )
    return Tool(
        name="calculate",
        where=place.where,
        kind="calculator",
        params=(text,),
        body=(),
        result=decimal(4),
        read_only=True,
        doc="Work out an arithmetic expression exactly.",
    )


_MAKERS = {"search": _search, "get": _get, "list": _list, "create": _create, "update": _update, "delete": _delete}
