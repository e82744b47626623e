"""rows.py: row classes, structs, enums, constants."""

import json

from synth.compile import literals
from synth.compile.annotations import Annotations
from synth.compile.expressions import Expressions, Scope
from synth.compile.functions import Functions
from synth.compile.header import module_docstring
from synth.compile.imports import imports
from synth.compile.layout import Code, call, code, lay_out, listed
from synth.compile.names import Names
from synth.compile.walk import once_per_domain, reachable
from synth.lang import nodes as n
from synth.lang.domain import Domain, Entity, Field, Struct
from synth.lang.types import TEXT, Type

_KINDS = {"text": "rt.TEXT", "enum": "rt.TEXT", "integer": "rt.INTEGER", "bool": "rt.BOOL", "date": "rt.DATE", "time": "rt.TIME"}
_KINDS |= {"datetime": "rt.DATETIME", "duration": "rt.DURATION"}


def kind_code(kind: Type) -> str:
    """Code of the kind of a scalar, list or map."""
    if kind.kind in ("money", "decimal"):
        return f"rt.number_kind({2 if kind.kind == 'money' else kind.places})"
    if kind.kind in ("list", "map") and kind.item is not None:
        return f"rt.{kind.kind}_kind({kind_code(kind.item)})"
    return _KINDS[kind.kind]


@once_per_domain
def functions_of_rows(domain: Domain) -> set[str]:
    """Functions of the seed that rows.py needs, for computed fields and limits."""
    return reachable(domain, [tree for entity in domain.entities for tree in _trees(entity)])


def _trees(entity: Entity) -> list[n.Node]:
    found = [one for field in entity.fields for one in (field.low, field.high, field.start, field.computed, field.always) if one is not None]
    return [*found, *([entity.called] if entity.called is not None else [])]


class RowsModule:
    """Prints rows.py of one domain."""

    def __init__(self, domain: Domain, names: Names) -> None:
        self._domain = domain
        self._names = names
        self._printer = Expressions(domain, names, Scope(ctx="self._ctx", row="self"))

    def lines(self) -> list[str]:
        """Lines of the module, without its imports."""
        lines = [*self._enums(), *self._constants()]
        for struct in self._domain.structs:
            lines += ["", "", *self._struct(struct)]
        for entity in self._domain.entities:
            lines += ["", "", *self._entity(entity)]
        self._printer.annotations = Annotations(self._names)
        needed = functions_of_rows(self._domain)
        for function in self._domain.functions:
            if function.name in needed:
                lines += ["", "", *Functions(self._domain, self._names).function(function)]
        classes = [self._names.entity(one.name) for one in self._domain.entities]
        structs = [self._names.struct(one.name) for one in self._domain.structs]
        more = [f"structs=({', '.join(structs)},)"] if structs else []
        more += [f"actor={literals.text(self._domain.actor)}"] if self._domain.actor else []
        return [*lines, "", "", *lay_out(call("rt.Schema", [*classes, *more]), 0, "SCHEMA = ")]

    def _enums(self) -> list[str]:
        lines = []
        for one in self._domain.enums:
            closing = ",)" if len(one.words) == 1 else ")"
            lines += lay_out(listed("(", [literals.text(word) for word in one.words], closing), 0, f"{self._names.enum(one)} = ")
        return lines

    def _constants(self) -> list[str]:
        lines = []
        for one in self._domain.constants:
            lines += lay_out(self._printer.code(one.value, one.type), 0, f"{self._names.constant(one.name)} = ")
        return lines

    def _struct(self, struct: Struct) -> list[str]:
        self._printer.annotations = Annotations(self._names, hidden=[name for name, _ in struct.fields])
        lines = ["@dataclass(frozen=True, slots=True)", f"class {self._names.struct(struct.name)}(rt.Struct):"]
        lines += [*literals.docstring(f"A {struct.name}.", 1), ""]
        lines += [f"    {self._names.attribute(name)}: {self._printer.annotations.of(kind)}" for name, kind in struct.fields]
        kinds = [code(f"{literals.text(name)}: {kind_code(kind)}") for name, kind in struct.fields]
        held = f"{self._printer.annotations.builtin('dict')}[{self._printer.annotations.of(TEXT)}, rt.Kind]"
        return [*lines, "", *lay_out(listed("{", kinds, "}"), 1, f"KINDS: ClassVar[{held}] = ")]

    def _entity(self, entity: Entity) -> list[str]:
        self._printer.annotations = Annotations(self._names, hidden=_members(entity))
        lines = [f"class {self._names.entity(entity.name)}(rt.Row):"]
        lines += [*literals.docstring(entity.description or f"One of the {entity.plural}.", 1), "", "    __slots__ = ()", ""]
        lines += lay_out(call("rt.About", self._about(entity)), 1, "_about = ")
        for field in entity.fields:
            lines += self._field(entity, field)
        for owner in self._domain.entities:
            lines += [self._many(owner, one) for one in owner.fields if one.many and entity.name in one.type.entities]
        methods = [line for field in entity.fields for line in self._methods(field)]
        return [*lines, *methods, *self._called(entity)]

    def _about(self, entity: Entity) -> list[str]:
        items = [f"plural={literals.text(entity.plural)}"]
        items += [f"id={literals.text(entity.id_pattern)}"] if entity.id_kind == "counter" else []
        items += [f"per={literals.text(entity.id_per)}"] if entity.id_per else []
        items += [f"key={_texts(entity.key)}"] if entity.key else []
        items += [f"identity={literals.text(entity.id_kind)}"] if entity.id_kind != "counter" else []
        items += ["archive=True"] if entity.archive else []
        return [*items, *([f"unique=({', '.join(_texts(group) for group in entity.unique)},)"] if entity.unique else [])]

    def _field(self, entity: Entity, field: Field) -> list[str]:
        name = self._names.attribute(field.name)
        if field.role == "always":
            return []
        if field.role == "links":
            target = field.type.item.entities[0] if field.type.item else ""
            return [f'    {name}: "rt.Links[{target}]" = rt.Links({literals.text(target)})']
        made, annotated = self._column(entity, field)
        return lay_out(made, 1, f'{name}: "rt.Column[{self._printer.annotations.of(field.type)}]" = ' if annotated else f"{name} = ")

    def _column(self, entity: Entity, field: Field) -> tuple[Code, bool]:
        """Code of a column, and whether its type must be annotated."""
        kind, optional = field.type, "optional_" if field.type.optional else ""
        options = self._options(entity, field)
        if field.role == "reference":
            return call(f"rt.{optional}ref", [*(literals.text(one) for one in kind.entities), *options]), True
        if field.lifecycle is not None and not kind.optional:
            moves = [code(f"{literals.text(state)}: {_texts(_after(field, state))}") for state in field.lifecycle.states]
            return call("rt.state", [listed("{", moves, "}"), *options]), False
        if kind.kind in ("text", "enum"):
            return call(f"rt.{optional}text", options), False
        if kind.kind in ("integer", "bool"):
            return call(f"rt.{optional}{'integer' if kind.kind == 'integer' else 'boolean'}", options), False
        if kind.kind == "struct":
            return call(f"rt.{optional}struct", [self._names.struct(kind.name), *options]), True
        return call(f"rt.{optional}scalar", [kind_code(kind.required()), *options]), True

    def _options(self, entity: Entity, field: Field) -> list[Code | str]:
        """What a column says beyond its kind."""
        items: list[Code | str] = []
        if field.type.kind == "text" and field.role == "value":
            items.append(f"length={field.length}")
        if field.type.kind == "enum" and field.lifecycle is None:
            items.append(f"words={self._names.enum(field.type.name)}")
        if field.closed:
            closed = [self._printer.code(n.Const(where=field.where, type=field.type.required(), value=one)) for one in field.closed]
            items.append(code("closed=", listed("(", closed, ",)" if len(closed) == 1 else ")")))
        items += [f"{flag}=True" for flag in ("unique", "part", "tree", "position") if getattr(field, flag)]
        for name in ("low", "high", "start"):
            value = getattr(field, name)
            if isinstance(value, n.Const) and value.value is not None:
                items.append(code(f"{name}=", self._printer.code(value, field.type)))
        return items

    def _many(self, owner: Entity, field: Field) -> str:
        target = self._names.entity(owner.name)
        return f'    {self._names.attribute(field.many)}: "rt.Many[{target}]" = rt.Many({literals.text(owner.name)}, {literals.text(field.name)})'

    def _methods(self, field: Field) -> list[str]:
        """Computed values of a field: `always`, `is` and `start`, limits that are no constants."""
        found: list[str] = []
        if field.always is not None:
            places = {"money": "2", "decimal": str(field.type.places or 4)}.get(field.type.kind, "")
            found += self._method(f"rt.always({places})", self._names.attribute(field.name), field, field.always, field.description)
        start = field.start if field.start is not None else field.computed
        for decorator, value in (("starting", start), ("lowest", field.low), ("highest", field.high)):
            if value is not None and not isinstance(value, n.Const):
                found += self._method(f"{field.name}.{decorator}", f"_{field.name}_{decorator}", field, value, _ABOUT[decorator])
        return found

    def _method(self, decorator: str, name: str, field: Field, value: n.Node, about: str) -> list[str]:
        kind = self._printer.annotations.of(field.type if decorator.startswith("rt.") else value.type)
        body = lay_out(self._printer.code(value, field.type if decorator.startswith("rt.") else None), 2, "return ")
        about = about or f"The {field.name.replace('_', ' ')}, computed at each read."
        return ["", f"    @{decorator}", f"    def {name}(self) -> {kind}:", *literals.docstring(about, 2), *body]

    def _called(self, entity: Entity) -> list[str]:
        if entity.called is None:
            return []
        body = lay_out(self._printer.code(entity.called), 2, "return ")
        return [
            "",
            f"    def _called(self) -> {self._printer.annotations.of(TEXT)}:",
            *literals.docstring("How a person refers to this row.", 2),
            *body,
        ]


_ABOUT = {
    "starting": "The value of a new row that was not given one.",
    "lowest": "The least allowed value.",
    "highest": "The greatest allowed value.",
}


def _members(entity: Entity) -> list[str]:
    return [field.name for field in entity.fields]


def _texts(words: tuple[str, ...]) -> str:
    """A tuple of texts."""
    inner = ", ".join(literals.text(word) for word in words)
    return f"({inner},)" if len(words) == 1 else f"({inner})"


def _after(field: Field, state: str) -> tuple[str, ...]:
    moves = field.lifecycle.moves if field.lifecycle else ()
    return tuple(to for come, to in moves if come == state)


def rows_module(domain: Domain, names: Names) -> str:
    """Text of rows.py."""
    body = RowsModule(domain, names).lines()
    above = [] if body[:2] == ["", ""] else [""]
    return "\n".join([*module_docstring(domain, f"Rows of {json.dumps(domain.title)[1:-1]}."), "", *imports(body), *above, *body]) + "\n"
