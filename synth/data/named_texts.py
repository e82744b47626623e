"""Texts for fields that are known by their names alone."""

from collections.abc import Callable
from typing import Any

from synth.data import vocabulary
from synth.data.generators import Generators
from synth.lang.domain import Domain, Entity

PEOPLE = (
    "customer", "client", "owner", "member", "person", "user", "employee", "staff", "patient", "student", "teacher", "tutor", "vet", "doctor",
    "driver", "guest", "contact", "agent", "borrower", "renter", "tenant", "volunteer", "instructor", "author", "player", "attendee", "coach",
    "clerk", "nurse", "reader", "traveller", "donor", "rider", "neighbour", "technician", "mechanic", "rep", "buyer", "seller",
)  # fmt: skip
FIRMS = ("company", "supplier", "vendor", "retailer", "firm", "organisation", "organization", "partner", "shop", "branch", "publisher", "carrier")
PLACES = {"room": "rooms", "venue": "venues", "hall": "rooms", "site": "venues", "location": "venues", "project": "projects", "team": "teams"}
GOODS = ("product", "item", "article", "good", "sku", "part")
REMARKS = ("note", "notes", "comment", "comments", "remark", "remarks", "description", "message", "details", "body", "text", "memo")


class Texts:
    """Draws texts by the names of fields; what an unnamed kind of goods is, the title of the seed tells."""

    def __init__(self, domain: Domain, generators: Generators) -> None:
        self._generators = generators
        self._trade = next(filter(None, (vocabulary.closest(word, vocabulary.products()) for word in _words(f"{domain.title} {domain.about}"))), "")
        people, remarks = generators.people, generators.remarks
        self._plain: dict[str, Callable[[], str]] = {
            "phone": people.phone_number,
            "mobile": people.phone_number,
            "telephone": people.phone_number,
            "fax": people.phone_number,
            "street": people.street,
            "address": people.street,
            "city": people.city,
            "town": people.city,
            "postcode": people.postcode,
            "zip": people.postcode,
            "country": people.country,
            "first_name": people.first_name,
            "given_name": people.first_name,
            "last_name": people.last_name,
            "family_name": people.last_name,
            "surname": people.last_name,
            "company": people.company,
            "employer": people.company,
            "job": people.job_title,
            "role": people.job_title,
            "position": people.job_title,
            "author": people.any_person,
            "contact": people.any_person,
            "colour": lambda: remarks.word("colours"),
            "color": lambda: remarks.word("colours"),
            "brand": lambda: remarks.word("brands"),
            "maker": lambda: remarks.word("brands"),
            "material": lambda: remarks.word("materials"),
            "language": lambda: remarks.word("languages"),
            "department": lambda: remarks.word("departments"),
            "room": lambda: remarks.word("rooms"),
            "venue": lambda: remarks.word("venues"),
            "location": lambda: remarks.word("venues"),
            "skill": lambda: remarks.word("skills"),
            "subject": lambda: remarks.sentence("subject"),
            "summary": lambda: remarks.sentence("subject"),
            "reason": lambda: remarks.sentence("reason"),
        }

    def is_remark(self, name: str) -> bool:
        """Whether a field of this name holds free remarks."""
        return name in REMARKS or name.endswith(("_note", "_notes", "_comment"))

    def text(self, entity: Entity, name: str, values: dict[str, Any]) -> str:
        """A text for a field of this name."""
        people, remarks = self._generators.people, self._generators.remarks
        if name in ("name", "title", "label", "full_name"):
            return self._name(entity)
        if name.endswith("email") or name == "mail":
            return people.email(self._known_name(values))
        if name in ("code", "sku", "barcode", "serial", "number", "reference", "tag"):
            return people.code("??-####")
        if self.is_remark(name):
            return remarks.sentence(entity.name if vocabulary.closest(entity.name, vocabulary.sentences()) else "note")
        for known in (name, name.rsplit("_", 1)[-1]):
            if known in self._plain:
                return self._plain[known]()
        kind = vocabulary.closest(name, vocabulary.sentences())
        return remarks.sentence(kind) if kind else remarks.word(name)

    def _name(self, entity: Entity) -> str:
        """What a row of this entity may be called."""
        people, remarks, word = self._generators.people, self._generators.remarks, _singular_words(entity.name)
        fields = {one.name for one in entity.fields}
        if word in PEOPLE or fields & {"email", "phone", "born", "birthday"}:
            return people.company() if word in FIRMS else people.person_name()
        if word in FIRMS:
            return people.company()
        if word in PLACES:
            return remarks.word(PLACES[word])
        if vocabulary.closest(word, vocabulary.pets()) or word in ("pet", "animal"):
            return remarks.pet_name(word)
        kind = vocabulary.closest(word, vocabulary.products())
        if kind or word in GOODS:
            return remarks.product(kind or self._trade)
        sentence = vocabulary.closest(word, vocabulary.sentences())
        return remarks.sentence(sentence) if sentence else remarks.word(word)

    @staticmethod
    def _known_name(values: dict[str, Any]) -> str:
        if isinstance(values.get("name"), str):
            return str(values["name"])
        parts = [values.get("first_name"), values.get("last_name")]
        return " ".join(str(one) for one in parts if one) or "contact"


def _words(text: str) -> list[str]:
    return "".join(one if one.isalnum() else " " for one in text).split()


def _singular_words(name: str) -> str:
    """The last word of an entity's name in small letters: `FieldTechnician` gives `technician`."""
    start = max((at for at, letter in enumerate(name) if letter.isupper()), default=0)
    return name[start:].lower()
