"""What fields and entities are called in a request: the seed's glossary, else their names as words."""

import re

from synth.lang.domain import Domain, Entity, Field
from synth.lang.types import Type
from synth.tasks.wording.english import is_plural, words_of

PEOPLE = frozenset(
    "person owner customer client patient vet doctor nurse member user reader guest student teacher tutor tenant landlord driver clerk agent "
    "adopter volunteer "
    "employee worker colleague technician moderator dispatcher contact author visitor passenger borrower lender buyer seller supplier".split()
)


def noun(domain: Domain, entity: Entity) -> str:
    """What one row is called in general: `purchase order`; the glossary's word for the entity's name comes first."""
    return _glossary(domain, entity.name) or words_of(entity.name)


def nouns(domain: Domain, entity: Entity) -> str:
    """The plural."""
    told = _glossary(domain, entity.plural)
    return told or words_of(entity.plural)


def field_words(domain: Domain, entity: str, field: Field) -> str:
    """What a field is called: `weight in kilograms`; the glossary's word for `Entity.field` comes first."""
    return _glossary(domain, f"{entity}.{field.name}") or words_of(field.name)


NO_NOUNS = frozenset(
    "paid shipped returned reserved moved born until from to at on by in of since for after before treats fits extended accepts".split()
)
"""Last words of names of fields after which `What is the …` makes no question."""


def is_noun(domain: Domain, entity: str, field: Field) -> bool:
    """Whether the field's words can follow `the`: a name like `paid_until` cannot, unless the glossary has a word for it."""
    return field_words(domain, entity, field).rsplit(" ", 1)[-1] not in NO_NOUNS


UNITS = ("kilograms", "grams", "kg", "metres", "centimetres", "kilometres", "minutes", "hours", "days", "litres", "percent", "degrees", "megabytes")
EXTREMES = frozenset("least most highest lowest greatest first last next maximum minimum max min".split())


def is_extreme(domain: Domain, entity: str, field: Field) -> bool:
    """Whether the field's words begin with a superlative, so that no other can stand before them."""
    return field_words(domain, entity, field).split(" ")[0] in EXTREMES


JOINTS: dict[str, str] = {
    **dict.fromkeys(("carrier", "shipper", "household", "medicine", "model", "consignment", "meter", "bill", "adopter", "moderator"), "of"),
    **dict.fromkeys(("vet", "doctor", "teacher", "volunteer", "vehicle"), "with"),
    **dict.fromkeys(("animal", "asset", "product", "account", "subscription", "shipment", "appointment", "unit"), "for"),
    **dict.fromkeys(("space", "topic", "zone", "kennel", "category", "building", "case", "foster"), "in"),
    **dict.fromkeys(("house", "estate", "warehouse"), "at"),
    **dict.fromkeys(("plan", "price_list", "ticket", "leg", "appeal"), "on"),
    **dict.fromkeys(("origin", "source"), "from"),
    **dict.fromkeys(("destination", "target"), "to"),
    "post": "about",
    "sanction": "against",
    "technician": "assigned to",
    "reporter": "reported by",
    "author": "by",
    "requester": "by",
    "giver": "from",
    "deputy": "to",
    "room": "in",
    "folder": "in",
    "document": "of",
}
"""What stands between rows and the row that they refer to in a field of this name: `tickets assigned to Salma Xu`."""


JOINTS_OF: dict[tuple[str, str], str] = {
    ("reporter", "reports"): "by",
    ("technician", "entries"): "by",
    ("parent", "subfolders"): "directly in",
    ("folder", "grants"): "on",
    ("folder", "holds"): "on",
    ("person", "grants"): "of",
    ("course", "sections"): "of",
    ("course", "exemptions"): "for",
    ("course", "finished_by"): "in",
    ("section", "enrolments"): "in",
    ("section", "waiting"): "for",
    ("department", "employees"): "in",
    ("department", "requests"): "paid by",
    ("manager", "reports"): "reporting to",
    ("vendor", "orders"): "ordered from",
    ("vendor", "quotes"): "from",
    ("request", "items"): "in",
    ("request", "receipts"): "for",
    ("request", "steps"): "of",
    ("request", "quotes"): "for",
}
"""The same by the field's name and what the rows are called from the other side, where the name alone does not tell."""


def joint(field: Field) -> str:
    """The words between a row and the one that its reference points at; empty where only `whose … is` will do."""
    if field.role == "reference" and (field.name, field.many) in JOINTS_OF:
        return JOINTS_OF[field.name, field.many]
    if field.role == "reference" and field.name.endswith("ed_by"):
        return words_of(field.name)
    if field.role == "reference" and field.name.endswith("_of"):
        return f"known as {words_of(field.name)}"
    return JOINTS.get(field.name, "") if field.role == "reference" else ""


def _glossary(domain: Domain, name: str) -> str:
    return next((words[0] for key, words in domain.glossary if key == name and words), "")


def is_person(domain: Domain, entity: Entity) -> bool:
    """Whether rows of the entity are somebody, by its name and the glossary's first word for it."""
    return any(word.rsplit(" ", 1)[-1] in PEOPLE for word in (words_of(entity.name), noun(domain, entity)))


def measure_words(domain: Domain, entity: str, field: Field) -> str:
    """What can be the highest or the lowest: `amount`, `number of seats`; without a unit."""
    words = re.sub(rf" in (?:{'|'.join(UNITS)})$", "", field_words(domain, entity, field))
    return f"number of {words}" if field.type.kind == "integer" and is_plural(words) else words


SHORT_UNITS = {
    "kilograms": "kg",
    "grams": "g",
    "metres": "m",
    "percent": "percent",
    "minutes": "minutes",
    "hours": "hours",
    "days": "days",
    "megabytes": "MB",
}


def unit_after(domain: Domain, entity: str, field: Field) -> str:
    """` kg` for a field that is called `weight in kilograms`; empty for one without a unit."""
    named = field_words(domain, entity, field)
    return next((f" {short}" for unit, short in SHORT_UNITS.items() if named.endswith(f" in {unit}")), "")


SUMS = frozenset("amount price cost total sum deposit credit charge difference balance fee rate quota exposure bill debt refund fine rent".split())
"""Figures of money that say by themselves that they are some."""
LEFT_OVER = {"owed": "amount owed", "paid": "amount paid", "left": "amount that is left", "free": "number that is free"}


def figure_words(name: str, kind: Type) -> str:
    """What a figure of a result is called, to stand behind `the`: `price`, `number of minutes`, `amount for labour`, `number of days left`."""
    said = words_of(name)
    if said in LEFT_OVER:
        return LEFT_OVER[said]
    if kind.kind == "integer":
        counted = f"{said} ones" if said.endswith("ed") else said
        return f"number of {counted}" if is_plural(counted.split(" ", 1)[0]) or is_plural(counted) else said
    return said if said.rsplit(" ", 1)[-1] in SUMS else f"amount for {'the ' if is_plural(said) else ''}{said}"
