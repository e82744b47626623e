"""Column types of generated SQLModel tables: stored as text or integer, so that STRICT tables take them."""

import datetime as dt
import json
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from sqlalchemy import Integer, Text
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

from registry.package.kinds import canonical_text, whole_minutes


class StrictText(TypeDecorator[str]):
    """Text."""

    impl = Text
    cache_ok = True


class StrictInteger(TypeDecorator[int]):
    """An integer."""

    impl = Integer
    cache_ok = True


class Flag(TypeDecorator[bool]):
    """A bool, stored as 0 or 1."""

    impl = Integer
    cache_ok = True

    def process_bind_param(self, value: bool | None, dialect: Dialect) -> int | None:  # noqa: FBT001 the signature of SQLAlchemy
        """0 or 1."""
        return None if value is None else int(value)

    def process_result_value(self, value: int | None, dialect: Dialect) -> bool | None:
        """False or True."""
        return None if value is None else bool(value)


class Scaled(TypeDecorator[Decimal]):
    """A decimal with fixed places, stored as a scaled integer.

    Args:
        places: Decimal places.
    """

    impl = Integer
    cache_ok = True

    def __init__(self, places: int) -> None:
        super().__init__()
        self.places = places

    def process_bind_param(self, value: Decimal | None, dialect: Dialect) -> int | None:
        """The scaled integer, rounded half to even."""
        return None if value is None else int(Decimal(value).scaleb(self.places).to_integral_value(ROUND_HALF_EVEN))

    def process_result_value(self, value: int | None, dialect: Dialect) -> Decimal | None:
        """The decimal."""
        return None if value is None else Decimal(value).scaleb(-self.places)


class Money(Scaled):
    """An amount of money in minor units."""

    cache_ok = True

    def __init__(self) -> None:
        super().__init__(2)


class IsoDate(TypeDecorator[dt.date]):
    """A date as ISO text."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: dt.date | None, dialect: Dialect) -> str | None:
        """ISO text."""
        return None if value is None else value.isoformat()

    def process_result_value(self, value: str | None, dialect: Dialect) -> dt.date | None:
        """The date."""
        return None if value is None else dt.date.fromisoformat(value)


class IsoTime(TypeDecorator[dt.time]):
    """A time of day as ISO text with seconds."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: dt.time | None, dialect: Dialect) -> str | None:
        """ISO text."""
        return None if value is None else value.isoformat(timespec="seconds")

    def process_result_value(self, value: str | None, dialect: Dialect) -> dt.time | None:
        """The time."""
        return None if value is None else dt.time.fromisoformat(value)


class IsoDatetime(TypeDecorator[dt.datetime]):
    """A datetime without zone as ISO text with seconds."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: dt.datetime | None, dialect: Dialect) -> str | None:
        """ISO text."""
        return None if value is None else value.isoformat(timespec="seconds")

    def process_result_value(self, value: str | None, dialect: Dialect) -> dt.datetime | None:
        """The datetime."""
        return None if value is None else dt.datetime.fromisoformat(value)


class Minutes(TypeDecorator[dt.timedelta]):
    """A duration in whole minutes."""

    impl = Integer
    cache_ok = True

    def process_bind_param(self, value: dt.timedelta | None, dialect: Dialect) -> int | None:
        """Whole minutes."""
        return None if value is None else whole_minutes(value)

    def process_result_value(self, value: int | None, dialect: Dialect) -> dt.timedelta | None:
        """The duration."""
        return None if value is None else dt.timedelta(minutes=value)


class JsonText(TypeDecorator[Any]):
    """A list or map as canonical JSON text."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        """Canonical JSON."""
        return None if value is None else canonical_text(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        """The list or map, its elements in stored form."""
        return None if value is None else json.loads(value)
