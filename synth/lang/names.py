"""Everything that a seed declares, by name, while its blocks are checked."""

from dataclasses import dataclass, field

from synth.lang.domain import Constant, Entity, Enum, Field, Function, Struct
from synth.lang.nodes import Access
from synth.lang.types import BOOL, DATE, DATETIME, DURATION, INTEGER, MONEY, TEXT, TIME, Type, list_of, row

DEFAULT_ROWS = 20

PLAIN_TYPES: dict[str, Type] = {
    "text": TEXT,
    "integer": INTEGER,
    "decimal": Type(kind="decimal", places=2),
    "money": MONEY,
    "bool": BOOL,
    "date": DATE,
    "time": TIME,
    "datetime": DATETIME,
    "duration": DURATION,
}

GIVEN = ("now", "today", "me")


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """What a row has under one name."""

    type: Type
    access: Access


@dataclass(slots=True, kw_only=True)
class Names:
    """The declarations of one seed; filled from the top of the file down.

    Attributes:
        reverse: For each entity, its reverse sets: name to (referring entity, reference field).
        broken: Names whose declaration was refused; uses of them are not reported again.
        damaged: Entities in which something was refused: nobody can say what they would have.
        seed_functions: Names of all functions of the seed, checked already or not.
        ruled: Functions of the seed that hold rules.
        filled: (entity, field) that a new row has without being told: `start`, `is`, lifecycles, implied fields.
        computed: (entity, field) with `is`.
        positive: (entity, field) that limits or closed values keep above zero.
    """

    entities: dict[str, Entity] = field(default_factory=dict)
    enums: dict[str, Enum] = field(default_factory=dict)
    structs: dict[str, Struct] = field(default_factory=dict)
    constants: dict[str, Constant] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    seed_functions: frozenset[str] = frozenset()
    ruled: set[str] = field(default_factory=set)
    filled: set[tuple[str, str]] = field(default_factory=set)
    computed: set[tuple[str, str]] = field(default_factory=set)
    positive: set[tuple[str, str]] = field(default_factory=set)
    reverse: dict[str, dict[str, tuple[str, Field]]] = field(default_factory=dict)
    actor: str = ""
    roles: tuple[str, ...] = ()
    broken: set[str] = field(default_factory=set)
    damaged: set[str] = field(default_factory=set)
    _members: dict[str, dict[str, Member]] = field(default_factory=dict)
    _sizes: dict[str, int] = field(default_factory=dict)

    @property
    def singles(self) -> dict[str, str]:
        """Lower-case name of each entity with one row, and the entity."""
        return {one.name.lower(): one.name for one in self.entities.values() if one.single}

    def taken(self) -> dict[str, str]:
        """Names that nothing local may hide, and what each is."""
        return {
            **dict.fromkeys(GIVEN, "a given name"),
            **dict.fromkeys(self.entities, "an entity"),
            **dict.fromkeys(self.singles, "the one row of an entity"),
            **dict.fromkeys(self.enums, "an enum"),
            **dict.fromkeys(self.structs, "a struct"),
            **dict.fromkeys(self.constants, "a constant"),
            **dict.fromkeys(PLAIN_TYPES, "a type"),
        }

    def excused(self, entity: str, name: str) -> bool:
        """Whether it is no fault of its user that an entity lacks this name: it was refused, or the entity was in part."""
        return name in self.broken or entity in self.damaged

    def members(self, entity: str) -> dict[str, Member]:
        """Everything that may stand after the dot of a row of an entity."""
        if entity not in self._members:
            self._members[entity] = self._make_members(self.entities[entity])
        return self._members[entity]

    def _make_members(self, entity: Entity) -> dict[str, Member]:
        found = {"id": Member(type=TEXT, access="id")}
        for one in entity.fields:
            found[one.name] = Member(type=one.type, access="links" if one.role == "links" else "field")
            if one.tree:
                found["ancestors"] = found["descendants"] = Member(type=list_of(row(entity.name)), access="tree")
        for name, (child, _) in self.reverse.get(entity.name, {}).items():
            found.setdefault(name, Member(type=list_of(row(child)), access="reverse"))
        return found

    def field(self, entity: str, name: str) -> Field | None:
        """A field of an entity, or None."""
        owner = self.entities.get(entity)
        return next((one for one in owner.fields if one.name == name), None) if owner else None

    def size(self, entity: str) -> int:
        """About how many rows an entity has, as the seed declares it."""
        if entity not in self._sizes:
            self._sizes[entity] = DEFAULT_ROWS
            self._sizes[entity] = self._make_size(self.entities[entity])
        return self._sizes[entity]

    def _make_size(self, entity: Entity) -> int:
        if entity.single:
            return 1
        if entity.rows is not None:
            return entity.rows
        made = [max(one.each[1], 1) * self.size(one.type.entities[0]) for one in entity.fields if one.each and one.type.entities]
        return max(made, default=DEFAULT_ROWS)
