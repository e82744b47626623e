"""Generators of products, names of pets, and sentences."""

import re
from collections.abc import Callable
from fractions import Fraction

from synth.data import vocabulary
from synth.data.distinct import Distinct
from synth.data.people import People
from synth.data.stream import Stream

SIZES: dict[str, tuple[str, ...]] = {
    "grocery": ("250 g", "500 g", "1 kg", "2 kg", "5 kg"),
    "snack": ("40 g", "80 g", "150 g", "300 g"),
    "drink": ("330 ml", "500 ml", "1 l", "box of 12", "box of 24"),
    "bakery": ("single", "pack of 4", "pack of 6", "tray of 12"),
    "cleaning": ("500 ml", "1 l", "5 l", "pack of 3"),
    "paint": ("0.75 l", "1 l", "2.5 l", "5 l", "10 l"),
    "hardware": ("small", "medium", "large", "trade pack"),
    "medicine": ("pack of 12", "pack of 24", "pack of 50"),
    "clothing": ("XS", "S", "M", "L", "XL"),
    "dish": ("small", "regular", "large"),
    "book": ("paperback", "hardback", "large print"),
    "weight": ("100 g", "250 g", "500 g", "1 kg", "2 kg"),
    "volume": ("250 ml", "500 ml", "1 l", "2 l", "5 l"),
    "small volume": ("10 ml", "30 ml", "100 ml"),
    "pack": ("pack of 3", "pack of 6", "pack of 12"),
}
"""What tells products of one name apart, by kind of product or of size; others have a maker and a model."""

_SLOT = re.compile(r"\{(\w+)\}")


class Remarks:
    """Draws products, pets and sentences."""

    def __init__(self, stream: Stream, distinct: Distinct, people: People) -> None:
        self._stream = stream
        self._distinct = distinct
        self._people = people
        self._prices: dict[str, tuple[int, int]] = {}
        lists = vocabulary.lists()
        self._slots: dict[str, Callable[[], str]] = {
            "person": people.any_person,
            "given": people.first_name,
            "city": people.city,
            "street": people.road,
            "number": lambda: str(stream.between(2, 9)),
            "minutes": lambda: str(5 * stream.between(1, 9)),
            "clock": lambda: stream.choice(lists["clocks"]),
            "weekday": lambda: stream.choice(lists["weekdays"]),
            "month": lambda: stream.choice(lists["months"]),
            "language": lambda: stream.choice(lists["languages"]),
            "colour": lambda: stream.choice(lists["colours"]),
        }

    def pet_name(self, species: str = "dog") -> str:
        """Name of a pet, of its species where there is a list for it."""
        known = vocabulary.pets()
        return self._stream.choice(known[vocabulary.closest(species, known) or self._stream.choice(("dog", "cat"))])

    def product(self, kind: str = "") -> str:
        """Name of a product of this kind, distinct within an entity."""
        known = vocabulary.products()
        name = vocabulary.closest(kind, known) or self._stream.choice(tuple(known))
        return self._distinct.draw_here("product", lambda: self._product(name, known[name]), lambda: self._model(name, known[name]))

    def _product(self, kind: str, options: tuple[vocabulary.Product, ...]) -> str:
        product = self._stream.choice(options)
        sizes = SIZES.get(product.sizes or kind)
        if sizes:
            return self._sized(product.name, product, sizes)
        brand = self._stream.choice(vocabulary.lists()["brands"])
        return self._remember(f"{brand} {product.name}", (product.low, product.high))

    def _model(self, kind: str, options: tuple[vocabulary.Product, ...]) -> str:
        product = self._stream.choice(options)
        brand, sizes = self._stream.choice(vocabulary.lists()["brands"]), SIZES.get(product.sizes or kind)
        if sizes:
            return self._sized(f"{brand} {product.name}", product, sizes)
        return self._remember(f"{brand} {product.name} {self._people.pattern('?##0')}", (product.low, product.high))

    def _sized(self, name: str, product: vocabulary.Product, sizes: tuple[str, ...]) -> str:
        """A name with a size; sizes further down their list cost more."""
        place = self._stream.below(len(sizes))
        low = product.low + (product.high - product.low) * place // len(sizes)
        high = product.low + (product.high - product.low) * (place + 1) // len(sizes)
        return self._remember(f"{name} ({sizes[place]})", (low, max(high, low + 1)))

    def _remember(self, name: str, price: tuple[int, int]) -> str:
        self._prices.setdefault(name, price)
        return name

    def price_of(self, name: str) -> Fraction:
        """What a drawn product usually costs."""
        low, high = self._prices.get(name, (5, 95))
        return self.amount(Fraction(low), Fraction(high))

    def amount(self, low: Fraction, high: Fraction, usual: Fraction | None = None) -> Fraction:
        """An amount of money in hundredths, most often a round one."""
        first, last = round(low * 100), round(high * 100)
        cents = self._stream.between(first, last) if usual is None else self._stream.near(first, last, round(usual * 100))
        ending = self._stream.weighted((None, 0, 50, 95, 99), (20, 40, 15, 15, 10)) if last > 200 else None
        rounded = cents if ending is None else cents // 100 * 100 + ending
        if ending == 0 and cents >= 100_000:
            rounded = rounded // 1000 * 1000
        return Fraction(min(max(rounded, first), last), 100)

    def sentence(self, kind: str = "note") -> str:
        """A short remark of this kind; a note if there is no such kind."""
        known = vocabulary.sentences()
        template = self._stream.choice(known[vocabulary.closest(kind, known) or "note"])
        return _SLOT.sub(lambda found: self._slots[found[1]](), template)

    def word(self, kind: str) -> str:
        """A word from a list (room, venue, colour, material, brand, skill, language, team, project, department …)."""
        known = vocabulary.lists()
        name = vocabulary.closest(kind, known) or (kind if kind in known else f"{kind}s")
        return self._stream.choice(known[name]) if name in known else self._stream.choice(known["projects"])
