"""Our own printer: pieces of code to lines of bounded width, independent of any formatter or Python version."""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH = 120
INDENT = "    "


@dataclass(frozen=True, slots=True)
class Group:
    """Something in brackets, which may be broken into lines, one for each item.

    Attributes:
        soft: The brackets are printed only when it is broken (long conditions).
        comma: Items are separated by commas; the last gets one when broken. Otherwise by what they begin with.
    """

    opening: str
    items: "tuple[Code, ...]"
    closing: str
    comma: bool = True
    soft: bool = False


@dataclass(frozen=True, slots=True)
class Code:
    """A piece of code: texts and groups in a row."""

    parts: tuple[str | Group, ...]

    def __str__(self) -> str:
        return "".join(part if isinstance(part, str) else _flat(part) for part in self.parts)


def code(*parts: "str | Code | Group") -> Code:
    """One piece of several."""
    flat: list[str | Group] = []
    for part in parts:
        if isinstance(part, Code):
            flat.extend(part.parts)
        else:
            flat.append(part)
    return Code(tuple(flat))


def listed(opening: str, items: "Sequence[Code | str]", closing: str) -> Code:
    """Items in brackets, separated by commas."""
    return Code((Group(opening, tuple(code(item) for item in items), closing),))


def call(name: "str | Code", items: "Sequence[Code | str]") -> Code:
    """A call."""
    return code(name, listed("(", items, ")"))


def in_parentheses(piece: Code) -> Code:
    """The piece in parentheses; one that brings its own when it is broken into lines does not get two."""
    only = piece.parts[0] if len(piece.parts) == 1 else None
    if isinstance(only, Group) and only.soft:
        return Code((Group("(", only.items, ")", comma=only.comma),))
    return code("(", piece, ")")


def _flat(group: Group) -> str:
    inner = (", " if group.comma else " ").join(str(item) for item in group.items)
    if group.soft:
        return inner
    if group.comma and group.opening == "(" and group.closing == ",)":
        return f"({inner},)" if len(group.items) == 1 else f"({inner})"
    return f"{group.opening}{inner}{group.closing}"


def lay_out(piece: Code, depth: int, before: str = "", after: str = "") -> list[str]:
    """Lines of a piece, with a text before its first and after its last line.

    Args:
        depth: How far the lines are indented.
    """
    bare = piece.parts[0] if len(piece.parts) == 1 else ""
    flat = f"{INDENT * depth}{before}{piece}{after}"
    if isinstance(bare, Group) and not bare.opening and not bare.soft and len(flat) > WIDTH:
        lines = [line for item in bare.items[:-1] for line in lay_out(item, depth)]
        return [*lines, *lay_out(bare.items[-1], depth, after=after)]
    if len(flat) <= WIDTH or not any(isinstance(part, Group) and part.items for part in piece.parts):
        return [flat]
    at = _breaking(piece)
    group = piece.parts[at]
    if isinstance(group, str):
        return [flat]
    opening, closing = ("(", ")") if group.soft else (group.opening, group.closing.removeprefix(","))
    lines = [f"{INDENT * depth}{before}{Code(piece.parts[:at])}{opening}"]
    for number, item in enumerate(group.items):
        last = number == len(group.items) - 1
        comma = "," if group.comma and not (last and _sole_generator(group)) else ""
        lines.extend(lay_out(item, depth + 1, after=comma))
    rest = lay_out(Code(piece.parts[at + 1 :]), depth, closing, after)
    return lines + rest


def _sole_generator(group: Group) -> bool:
    """A generator as the only argument takes no comma after it."""
    only = group.items[0].parts if len(group.items) == 1 else ()
    return bool(only) and isinstance(only[0], Group) and only[0].opening == "" and not only[0].soft


def _breaking(piece: Code) -> int:
    """The group to break: the longest one."""
    sizes = [len(_flat(part)) if isinstance(part, Group) and part.items else -1 for part in piece.parts]
    return sizes.index(max(sizes))
