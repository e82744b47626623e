"""Generators of people, firms, and where to reach them."""

from functools import cache
from string import ascii_uppercase

from synth.data import vocabulary
from synth.data.distinct import Distinct
from synth.data.stream import Stream

DOMAINS = ("example.com", "example.org", "example.net", "mail.example", "post.example", "brightmail.example", "inbox.example", "homebox.example")
"""Domains that are reserved for examples (RFC 2606), so that no address belongs to anybody."""


@cache
def _all_given() -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for names in vocabulary.given_names().values() for name in names))


@cache
def _all_family() -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for names in vocabulary.family_names().values() for name in names))


class People:
    """Draws people and firms; names, numbers and addresses are distinct in the whole world while they last."""

    def __init__(self, stream: Stream, distinct: Distinct) -> None:
        self._stream = stream
        self._distinct = distinct

    def person_name(self) -> str:
        """First and last name, most often of one origin."""
        return self._distinct.draw("person_name", self._person, self._person_with_initial)

    def _person(self) -> str:
        given, family = vocabulary.given_names(), vocabulary.family_names()
        origins = tuple(given)
        first = self._stream.choice(origins)
        last = first if self._stream.chance(0.75) else self._stream.choice(origins)
        return f"{self._stream.choice(given[first])} {self._stream.choice(family[last])}"

    def _person_with_initial(self) -> str:
        initial = self._stream.choice(ascii_uppercase)
        return f"{self._stream.choice(_all_given())} {initial}. {self._stream.choice(_all_family())}"

    def any_person(self) -> str:
        """A name that may be used again (for people who are only mentioned)."""
        return self._person()

    def first_name(self) -> str:
        """A first name."""
        return self._stream.choice(_all_given())

    def last_name(self) -> str:
        """A last name."""
        return self._stream.choice(_all_family())

    def company(self) -> str:
        """Name of a firm."""
        return self._distinct.draw("company", self._firm, self._long_firm)

    def _firm(self) -> str:
        lists = vocabulary.lists()
        return f"{self._stream.choice(lists['company_heads'])} {self._stream.choice(lists['company_kinds'])}"

    def _long_firm(self) -> str:
        lists = vocabulary.lists()
        place = self._stream.choice(lists["cities"])
        return f"{self._firm()} {place} {self._stream.choice(lists['company_ends'])}"

    def street(self) -> str:
        """House number and street."""
        return f"{self._stream.near(1, 180, 12)} {self._road()}"

    def _road(self) -> str:
        lists = vocabulary.lists()
        return f"{self._stream.choice(lists['street_names'])} {self._stream.choice(lists['street_kinds'])}"

    def road(self) -> str:
        """A street without a house number."""
        return self._road()

    def city(self) -> str:
        """A town; towns at the start of the alphabet are no more likely than others."""
        return self._stream.choice(vocabulary.lists()["cities"])

    def country(self) -> str:
        """A country."""
        return self._stream.choice(vocabulary.lists()["countries"])

    def postcode(self) -> str:
        """A postal code such as `KT4 7PW`."""
        return self.pattern("??# #??")

    def pattern(self, pattern: str) -> str:
        """Text from a pattern: `#` is a digit, `?` a capital letter."""
        letters = {"#": "0123456789", "?": "ABCDEFGHJKLMNPRSTUVWXY"}
        return "".join(self._stream.choice(letters[one]) if one in letters else one for one in pattern)

    def code(self, pattern: str) -> str:
        """The same, distinct within an entity."""
        return self._distinct.draw_here(f"code {pattern}", lambda: self.pattern(pattern), lambda: self.pattern(pattern + "-##"))

    def phone_number(self) -> str:
        """A number in a range kept free for fiction (555-01xx in any area)."""
        return self._distinct.draw("phone_number", self._phone, lambda: self.pattern(f"{self._stream.between(201, 989)}-555-####"))

    def _phone(self) -> str:
        return f"{self._stream.between(201, 989)}-555-01{self._stream.below(100):02}"

    def email(self, name: str) -> str:
        """An address that fits a name of a person or firm."""
        words = [word for word in (_plain(word) for word in name.split()) if word]
        words = words or ["contact"]
        return self._distinct.draw("email", lambda: self._address(words), lambda: self._numbered(words))

    def _address(self, words: list[str]) -> str:
        first, last = words[0], words[-1]
        shapes = [f"{first}.{last}", f"{first[0]}.{last}", f"{first}_{last}", f"{last}.{first}"] if len(words) > 1 else [first]
        return f"{self._stream.weighted(shapes, (5, 2, 1, 1)[: len(shapes)])}@{self._stream.choice(DOMAINS)}"

    def _numbered(self, words: list[str]) -> str:
        return f"{words[0]}.{words[-1]}{self._stream.between(2, 9999)}@{self._stream.choice(DOMAINS)}"

    def job_title(self) -> str:
        """A job title."""
        return self._stream.choice(vocabulary.lists()["job_titles"])


def _plain(word: str) -> str:
    """The letters and digits of a word, small."""
    return "".join(one for one in word.lower() if one.isascii() and one.isalnum())
