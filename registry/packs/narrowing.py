"""Tasks narrowed by environment, kind, level and split; a name that nothing has is refused, never answered with nothing."""

import difflib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar, get_args

from registry.package.manifest import Split
from registry.package.pack import TaskKind

KINDS: tuple[str, ...] = get_args(TaskKind)
SPLITS: tuple[str, ...] = get_args(Split)
LEVELS = (1, 2, 3, 4, 5)
SHOWN = 15


class NameUnknown(Exception):
    """A filter names what there is not; `str()` is one sentence for a person.

    Args:
        where: Of the value: the name of a parameter or an option.
        sought: What was expected, as in `a kind of task`.
        got: The value.
        known: All that there are.
        advice: Instead of the list of known ones, where none is near.
    """

    def __init__(self, where: str, sought: str, got: str, known: Collection[str], advice: str = "") -> None:
        near = difflib.get_close_matches(got, known, n=3, cutoff=0.5)
        listed = f"There are: {', '.join([*known][:SHOWN])}{', …' if len(known) > SHOWN else ''}."
        told = f"Did you mean {' or '.join(near)}?" if near else advice or (listed if known else "There is none yet: run `envfarm build`.")
        super().__init__(f"{where}: expected {sought}, got {got[:80]!r}. {told}")


class Line(Protocol):
    """What tasks are narrowed by."""

    @property
    def environment(self) -> str:
        """Its id."""

    @property
    def kind(self) -> str:
        """What is asked for."""

    @property
    def level(self) -> int:
        """1 to 5."""

    @property
    def split(self) -> str:
        """Of its pack."""


Found = TypeVar("Found", bound=Line)


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowing:
    """Filters; what is empty or None lets everything through."""

    environment: str = ""
    kind: str = ""
    level: int | None = None
    split: str = ""

    def of(self, lines: Iterable[Found], environments: Collection[str] = ()) -> tuple[Found, ...]:
        """The tasks that fit, in their order; none where no task has this kind and this level.

        Args:
            lines: All tasks.
            environments: Those that are built, with tasks or without.

        Raises:
            NameUnknown: A name is none of the known ones, or no pack is of that split.
        """
        every = tuple(lines)
        if self.environment:
            known = sorted({*environments, *(one.environment for one in every)})
            if self.environment not in known:
                raise NameUnknown("environment", "the id of a built environment", self.environment, known)
        check_kinds("kind", [self.kind] if self.kind else [])
        check_split("split", self.split)
        if self.level is not None and self.level not in LEVELS:
            raise NameUnknown("level", "a level", str(self.level), [*map(str, LEVELS)])
        there = [one for one in every if self.environment in ("", one.environment)]
        check_made("split", self.split, {one.split for one in there}, [self.environment] if self.environment else [])
        return tuple(one for one in there if self.kind in ("", one.kind) and self.level in (None, one.level) and self.split in ("", one.split))


def check_kinds(where: str, given: Iterable[str]) -> None:
    """Raises NameUnknown if one is no kind of task."""
    for one in given:
        if one not in KINDS:
            raise NameUnknown(where, "a kind of task", one, KINDS)


def check_split(where: str, given: str) -> None:
    """Raises NameUnknown if it is no split."""
    if given and given not in SPLITS:
        raise NameUnknown(where, "train, val or test", given, SPLITS)


def check_made(where: str, split: str, splits: Collection[str], environments: Sequence[str]) -> None:
    """Raises NameUnknown if no pack is of the split.

    Args:
        where: As of `NameUnknown`.
        split: The wanted one, or empty.
        splits: Those of the packs that there are.
        environments: Of those alone; empty for all.
    """
    if not split or split in splits:
        return
    there = ", ".join(sorted(splits)) or "there is no pack yet"
    made = f"one that a pack{f' of {environments[0]}' if environments else ''} is of ({there})"
    advice = f"Make such tasks first: `envfarm tasks make {environments[0] if environments else 'ENVIRONMENT'} --split {split}`."
    raise NameUnknown(where, made, split, (), advice)
