"""Ids joined of several parts: a part may hold any letter, and different parts never give one id."""

from collections.abc import Iterable, Mapping


def joined(parts: Iterable[object]) -> str:
    """The id made of these parts: joined by "/", with "~" in a part written "~0" and "/" written "~1".

    Source: the escapes of JSON Pointer, RFC 6901 section 3.
    """
    return "/".join(str(one).replace("~", "~0").replace("/", "~1") for one in parts)


def parts(key: str) -> tuple[str, ...]:
    """The parts that an id is joined of; one part for an id that is not joined."""
    return tuple(one.replace("~1", "/").replace("~0", "~") for one in key.split("/"))


def renamed(key: str, names: Mapping[str, str]) -> str:
    """The id with each part that has a new name, or is itself joined of some that have, under its new name."""
    if key in names:
        return names[key]
    found = parts(key)
    new = tuple(renamed(one, names) for one in found) if len(found) > 1 else found
    return key if new == found else joined(new)
