"""The generators of `data:` blocks, all on one stream of chance."""

import datetime as dt
from collections.abc import Callable, Sequence
from typing import Any

from synth.data.distinct import Distinct
from synth.data.draws import Draws, Stretch
from synth.data.people import People
from synth.data.remarks import Remarks
from synth.data.stream import Stream


class Generators:
    """All generators of one world, in the form in which the evaluator calls them: with the run, then their arguments.

    Attributes:
        table: Every generator by name; `synth.lang.builtins` lists the same names with their types.
    """

    def __init__(self, stream: Stream, now: dt.datetime, busy: Callable[[Any, Sequence[Any], dt.timedelta], list[Stretch]]) -> None:
        self.stream = stream
        self._distinct = Distinct()
        self._serial = 0
        self.people = People(stream, self._distinct)
        self.remarks = Remarks(stream, self._distinct, self.people)
        self.draws = Draws(stream, now, busy)
        self.table: dict[str, Callable[..., Any]] = {
            **{name: _alone(call) for name, call in self._plain().items()},
            "pick_free": self.draws.pick_free,
        }

    def begin(self, entity: str, serial: int) -> None:
        """Tells which row is made next: the `serial`th of its entity, from 1."""
        self._distinct.entity = entity
        self._serial = serial

    def _plain(self) -> dict[str, Callable[..., Any]]:
        people, remarks, draws = self.people, self.remarks, self.draws
        return {
            "person_name": people.person_name,
            "first_name": people.first_name,
            "last_name": people.last_name,
            "company": people.company,
            "street": people.street,
            "city": people.city,
            "postcode": people.postcode,
            "country": people.country,
            "job_title": people.job_title,
            "phone_number": people.phone_number,
            "email": people.email,
            "email_of": people.email,
            "code": people.code,
            "pet_name": remarks.pet_name,
            "product": remarks.product,
            "price_of": remarks.price_of,
            "sentence": remarks.sentence,
            "word": remarks.word,
            "money": remarks.amount,
            "serial": lambda: self._serial,
            "pick": draws.pick,
            "some": draws.some,
            "chance": draws.chance,
            "integer": draws.integer,
            "decimal": draws.decimal,
            "slots_between": draws.slots_between,
            "date_between": draws.date_between,
            "datetime_between": draws.datetime_between,
            "time_between": draws.time_between,
        }


def _alone(call: Callable[..., Any]) -> Callable[..., Any]:
    """The same, for a caller that gives the run first."""
    return lambda run, *args, **keywords: call(*args, **keywords)
