"""The YAML text of a seed as a tree of strings with places."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from synth.lang.nodes import Where
from synth.lang.problems import Report
from synth.lang.syntax import SPACES, indent_tab

_BAD_CHARACTER = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff]")
MOST_NODES = 20_000
MOST_DEPTH = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar:
    """One scalar: always text, whatever YAML makes of it. `style` is empty for a plain one, else its mark (`"`, `'`, `|`, `>`)."""

    where: Where
    value: str
    style: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A list."""

    where: Where
    items: "tuple[Tree, ...]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapping:
    """A mapping; keys are scalars, each once."""

    where: Where
    entries: "tuple[tuple[Scalar, Tree], ...]"

    def get(self, key: str) -> "Tree | None":
        """Value of a key, or None."""
        return next((value for name, value in self.entries if name.value == key), None)


Tree = Scalar | Listing | Mapping
Plain = str | list["Plain"] | dict[str, "Plain"]


def read_tree(text: str, file: str, report: Report) -> Mapping | None:
    """The tree of a seed file; None after a problem that makes the rest unreadable."""
    return _Composer(file, report).compose(text)


def plain(tree: Tree) -> Plain:
    """The same content without places."""
    if isinstance(tree, Scalar):
        return tree.value
    if isinstance(tree, Listing):
        return [plain(one) for one in tree.items]
    return {key.value: plain(value) for key, value in tree.entries}


def find(tree: Tree, path: tuple[str | int, ...]) -> Where:
    """Place of the deepest part of a path that the tree has; for a key of a mapping, the place of its value."""
    place = tree.where
    for step in path:
        if isinstance(tree, Mapping) and isinstance(step, str):
            below = tree.get(step)
        elif isinstance(tree, Listing) and isinstance(step, int) and step < len(tree.items):
            below = tree.items[step]
        else:
            below = None
        if below is None:
            return place
        tree, place = below, below.where
    return place


def find_key(tree: Tree, path: tuple[str | int, ...]) -> Where:
    """Place of the last key of a path, or of the deepest part that the tree has."""
    for step in path[:-1]:
        below = tree.get(step) if isinstance(tree, Mapping) and isinstance(step, str) else None
        if isinstance(tree, Listing) and isinstance(step, int) and step < len(tree.items):
            below = tree.items[step]
        if below is None:
            return tree.where
        tree = below
    if path and isinstance(tree, Mapping):
        return next((key.where for key, _ in tree.entries if key.value == path[-1]), tree.where)
    return find(tree, path[-1:])


class _Stop(Exception):
    """A problem after which reading on makes no sense; it is in the report already."""


class _Composer:
    """Builds the tree from YAML events, so that anchors, depth and size are refused before anything is built."""

    def __init__(self, file: str, report: Report) -> None:
        self.file = file
        self.report = report
        self.nodes = 0
        self.text = ""

    def compose(self, text: str) -> Mapping | None:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        self.text = text
        try:
            return self._document(yaml.parse(text, Loader=loader))
        except yaml.YAMLError as error:
            self._syntax(error)
        except _Stop:
            pass
        return None

    def _syntax(self, error: yaml.YAMLError) -> None:
        mark = getattr(error, "problem_mark", None)
        where = self._where(mark) if mark is not None else Where(file=self.file, line=1, column=1)
        what = getattr(error, "problem", None) or str(error)
        tab = self._tab(where)
        if tab is not None:
            self.report.add(tab, "file", expected=SPACES, got="a tab", fix="Indent with spaces alone", code="TAB")
            return
        self.report.add(
            where, "file", expected="YAML", got=f"a syntax error ({what})", fix="Correct the indentation or quote the text", code="YAML_SYNTAX"
        )

    def _tab(self, where: Where) -> Where | None:
        """The tab in the indent of the line at a place, or of the one before it, which a parser may have read as more of its value."""
        for number in (where.line, where.line - 1):
            column = indent_tab(self.text, number) if number <= self.text.count("\n") + 1 else None
            if column is not None:
                return Where(file=self.file, line=number, column=column + 1)
        return None

    def _stop(self, where: Where, *, expected: str, got: str, fix: str, code: str) -> _Stop:
        self.report.add(where, "file", expected=expected, got=got, fix=fix, code=code)
        return _Stop()

    def _where(self, mark: Any) -> Where:
        """The place of a mark (libyaml has a class of its own for it)."""
        return Where(file=self.file, line=mark.line + 1, column=mark.column + 1)

    def _document(self, events: Iterator[yaml.Event]) -> Mapping | None:
        start = Where(file=self.file, line=1, column=1)
        tree: Tree | None = None
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent) and tree is not None:
                raise self._stop(
                    self._where(event.start_mark), expected="one document", got="a second one", fix="Write one seed a file", code="YAML_DOCUMENTS"
                )
            if isinstance(event, yaml.NodeEvent):
                tree = self._node(event, events, 1)
        if not isinstance(tree, Mapping):
            raise self._stop(
                start,
                expected="a mapping with format, id, title, entities",
                got="something else",
                fix="Start with the line `format: 1`",
                code="WRONG_SHAPE",
            )
        return tree

    def _node(self, event: yaml.Event, events: Iterator[yaml.Event], depth: int) -> Tree:
        where = self._where(event.start_mark)
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise self._stop(
                where, expected=f"at most {MOST_NODES} YAML values", got="more", fix="Split the domain into several seeds", code="TOO_LARGE"
            )
        if depth > MOST_DEPTH:
            raise self._stop(where, expected=f"at most {MOST_DEPTH} levels of nesting", got="more", fix="Write it flatter", code="TOO_DEEP")
        self._refuse_references(event, where)
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event, where)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._listing(where, events, depth)
        return self._mapping(where, events, depth)

    def _refuse_references(self, event: yaml.Event, where: Where) -> None:
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise self._stop(
                where,
                expected="plain values",
                got="an anchor or alias (& or *)",
                fix="Write the value out; quote a text that starts with & or *",
                code="YAML_ALIAS",
            )
        if getattr(event, "tag", None) is not None:
            raise self._stop(where, expected="plain values", got="a tag", fix="Leave the tag out: the schema gives the types", code="YAML_TAG")

    def _scalar(self, event: yaml.ScalarEvent, where: Where) -> Scalar:
        value: str = event.value
        if _BAD_CHARACTER.search(value):
            raise self._stop(where, expected="text", got="a control character or lone surrogate", fix="Leave the escape out", code="BAD_CHARACTER")
        return Scalar(where=where, value=value, style=event.style or "")

    def _listing(self, where: Where, events: Iterator[yaml.Event], depth: int) -> Listing:
        items: list[Tree] = []
        for event in events:
            if isinstance(event, yaml.SequenceEndEvent):
                break
            items.append(self._node(event, events, depth + 1))
        return Listing(where=where, items=tuple(items))

    def _mapping(self, where: Where, events: Iterator[yaml.Event], depth: int) -> Mapping:
        entries: dict[str, tuple[Scalar, Tree]] = {}
        for event in events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            key = self._node(event, events, depth + 1)
            value = self._node(next(events), events, depth + 1)
            if not isinstance(key, Scalar) or key.value == "<<":
                raise self._stop(
                    key.where, expected="a name as key", got="a merge key, list or mapping", fix="Write the entries out", code="YAML_KEY"
                )
            if not key.value.strip():
                self.report.add(key.where, "file", expected="a name as key", got="an empty text", fix="Write the name", code="YAML_KEY")
                continue
            if key.value in entries:
                first = entries[key.value][0].where
                self.report.add(
                    key.where,
                    "file",
                    expected="each key once",
                    got=f"{key.value!r} again (first on line {first.line})",
                    fix="Remove one of them",
                    code="DUPLICATE_KEY",
                )
                continue
            entries[key.value] = (key, value)
        return Mapping(where=where, entries=tuple(entries.values()))
