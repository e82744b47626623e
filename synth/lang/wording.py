"""Names as people write them: plurals, snake case, arguments on the wire, descriptions."""

import re

from synth.lang.types import Type


def snake(name: str) -> str:
    """`OrderLine` as `order_line`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def plural(word: str) -> str:
    """The plural of a lower-case word by the one rule: y after a consonant becomes ies; s, x, z, ch, sh take es; all others s."""
    if re.search(r"[^aeiou]y$", word):
        return f"{word[:-1]}ies"
    return f"{word}es" if re.search(r"(s|x|z|ch|sh)$", word) else f"{word}s"


def singular(word: str) -> str:
    """The word whose plural this is, by the same rule."""
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if re.search(r"(s|x|z|ch|sh)es$", word):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def argument(name: str, kind: Type, plurals: dict[str, str]) -> str:
    """Name of a parameter on the wire: `owner_id` for a row, `invoice_ids` for a list of rows.

    Args:
        plurals: For each entity, its plural in snake case.
    """
    if kind.kind == "row":
        return name if name.endswith("_id") else f"{name}_id"
    if kind.kind == "list" and kind.item is not None and kind.item.kind == "row":
        entity = kind.item.entities[0]
        stem = snake(entity) if name == plurals.get(entity) else singular(name)
        return name if name.endswith("_ids") else f"{stem}_ids"
    return name


def words(name: str) -> str:
    """`OrderLine` or `order_line` as `order line`."""
    return snake(name).replace("_", " ")


def described(name: str, kind: Type, of: tuple[str, str] | None) -> str:
    """What a parameter is when nobody says it."""
    if kind.kind == "row":
        return f"Id of the {_in_role(words(name), [words(one) for one in kind.entities])}."
    if kind.kind == "list" and kind.item is not None and kind.item.kind == "row":
        return f"Ids of the {words(name)}."
    if of is not None:
        return _of_field(words(of[0]), of[1], kind)
    return f"{words(name).capitalize()}."


def _in_role(role: str, entities: list[str]) -> str:
    """`owner`, `approver (an employee)`, `person (locked by)`: whose id, and as what."""
    entity = " or ".join(entities)
    if len(entities) > 1 or set(role.split()) & set(entity.split()) or role.removesuffix(" id") == entity:
        return role if role.endswith(f" {entity}") else entity
    if re.search(r" (by|of|to|into|for)$", role):
        return f"{entity} ({role})"
    return f"{role} ({'an' if entity[:1] in 'aeiou' else 'a'} {entity})"


def _of_field(entity: str, field: str, kind: Type) -> str:
    """What a parameter named after a field is: `When the leg departs.`, `Name of the owner.`, and the like."""
    moment = re.fullmatch(r"([a-z]+)_(?:on|at)", field)
    if moment is not None:
        said = moment[1]
        verb = f"is {said}" if said in ("due", "ready") else said if said.endswith("s") else f"was {said}"
        return f"When the {entity} {verb}."
    if words(field) in entity.split():
        return f"{words(field).capitalize()}."
    if kind.kind == "bool" and field.startswith(("is_", "has_")):
        return f"Whether the {entity} {words(field)}."
    if kind.kind == "bool" and (field.startswith(("on_", "in_")) or field.endswith(("ed", "sent"))):
        return f"Whether the {entity} is {words(field)}."
    return f"{words(field).capitalize()} of the {entity}."
