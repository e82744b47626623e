"""Second routes of the other kind: to what is wanted, with another net change than gold's; each must be right too or be forbidden."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, permutations
from typing import Any, Literal

from registry.package.change import RowChange, Stored
from registry.package.errors import PackageError
from registry.score import Submission
from synth.audit.case import Case, Step
from synth.audit.findings import Tally
from synth.audit.same import Rows, canonical_rows

NOTHING_ELSE = "NOTHING_ELSE"
DISCARDED = "another way to the goal"
MOST_ORDERS = 5
DONE = Submission(outcome="done")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One thing that the request wants: a row (a new one where `key` is empty) holds these values, or is gone."""

    table: str
    key: str
    values: dict[str, Stored]
    gone: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A route that the maker found; `rule` forbids it, where it is not accepted."""

    calls: tuple[dict[str, Any], ...]
    verdict: Literal["accepted", "forbidden"]
    rule: str
    where: str

    @property
    def steps(self) -> tuple[Step, ...]:
        """Its calls."""
        return tuple(Step(one["tool"], one["arguments"]) for one in self.calls)


def wanted_of(case: Case) -> tuple[Wanted, ...]:
    """What the maker recorded as wanted, apart from gold."""
    return tuple(_recorded(case, Wanted, "goal"))


def routes_of(case: Case) -> tuple[Route, ...]:
    """The other routes that the maker recorded."""
    return tuple(_recorded(case, Route, "other_routes"))


def _recorded(case: Case, kind: Any, name: str) -> Iterator[Any]:
    try:
        for one in case.gold.proofs.get(name, ()):
            yield kind(**one)
    except TypeError as error:
        raise PackageError(f"gold of {case.gold.task}: expected {name} as this version records it, got {error}. Rebuild the task pack.") from error


def accepted_nets(case: Case) -> list[Rows]:
    """Net changes of the accepted routes that do come to what is wanted."""
    wanted, attempts = wanted_of(case), [case.play(one.steps, DONE) for one in routes_of(case) if one.verdict == "accepted"]
    return [canonical_rows(case.environment.meta, one.changes) for one in attempts if not one.undone and met(case, wanted, one.changes)]


def check_others(case: Case, tally: Tally) -> None:
    """Plays every other route; also gold in other orders, of which none may come to the goal otherwise and be unknown."""
    wanted = wanted_of(case)
    if not wanted:
        return
    task, meta = case.task.public.task, case.environment.meta
    right = canonical_rows(meta, case.truth.changes)
    if not met(case, wanted, case.truth.changes):
        tally.blame(task, "gold misses the goal", "what the request wants is not so after gold's calls")
        return
    known = [right]
    for route in routes_of(case):
        attempt = case.play(route.steps, DONE)
        net = canonical_rows(meta, attempt.changes)
        known.append(net)
        tally.count("other found")
        tally.count(f"other {route.verdict}")
        if attempt.undone or net == right or not met(case, wanted, attempt.changes):
            tally.blame(task, "another route leads elsewhere", _said(route))
        elif attempt.passed != (route.verdict == "accepted"):
            tally.blame(task, "another route is judged wrong", f"{_said(route)}: {route.verdict}, scored {attempt.report.verdict}")
        elif route.verdict == "forbidden" and not _forbidden(case, route, attempt.changes):
            tally.blame(task, "another route is not forbidden", f"{_said(route)}: {route.rule} does not forbid it")
    _overlooked(case, wanted, known, tally)


def _overlooked(case: Case, wanted: Sequence[Wanted], known: Sequence[Rows], tally: Tally) -> None:
    for order in islice(permutations(case.writes), 1, MOST_ORDERS):
        attempt = case.play(order, DONE)
        unknown = canonical_rows(case.environment.meta, attempt.changes) not in known
        if unknown and not attempt.undone and met(case, wanted, attempt.changes):
            tally.blame(case.task.public.task, "another route was overlooked", " then ".join(one.tool for one in order))


def _said(route: Route) -> str:
    return " then ".join(f"{one.tool} {dict(one.arguments)}" for one in route.steps)


def met(case: Case, wanted: Sequence[Wanted], changes: Sequence[RowChange]) -> bool:
    """Whether all that is wanted is so after these net changes; new rows that are wanted alike are as many."""
    new = [one for one in wanted if not one.key]
    return all(_stands(case, one, changes) for one in wanted if one.key) and all(_made(one, changes) >= new.count(one) for one in new)


def _stands(case: Case, one: Wanted, changes: Sequence[RowChange]) -> bool:
    change = next((each for each in changes if (each.table, each.key) == (one.table, one.key)), None)
    row: dict[str, Stored] = dict(case.by_id[one.table, one.key][1]) if (one.table, one.key) in case.by_id else {}
    after = {} if change is None else {name: value.after for name, value in change.values.items()}
    if one.gone:
        return (change is not None and change.op == "delete") or bool(after.get("archived"))
    return (change is None or change.op != "delete") and {**row, **after}.items() >= one.values.items()


def _made(one: Wanted, changes: Sequence[RowChange]) -> int:
    inserted = ({name: value.after for name, value in each.values.items()} for each in changes if each.op == "insert" and each.table == one.table)
    return sum(row.items() >= one.values.items() for row in inserted)


def _forbidden(case: Case, route: Route, changes: Sequence[RowChange]) -> bool:
    """Whether the rule that is cited is broken on the way; for the general one, whether something is changed that gold leaves as it is."""
    if route.rule == NOTHING_ELSE:
        return bool(_cells(case, changes) - _cells(case, case.truth.changes))
    episode = case.episode()
    try:
        for step in route.steps:
            if any(rule.code == route.rule for rule in episode.broken(step.tool, step.arguments)):
                return True
            episode.call(step.tool, step.arguments)
        return False
    finally:
        episode.close()


def _cells(case: Case, changes: Sequence[RowChange]) -> set[tuple[str, str, str, str]]:
    """What a change puts where; new rows, whose ids say nothing, by their content alone."""
    meta = case.environment.meta
    generated = {table.name: {column.name for column in table.columns if column.references} for table in meta.tables}
    visible = case.columns.visible(changes)
    old = {key for _, key in case.by_id}
    found: set[tuple[str, str, str, str]] = set()
    for one in visible:
        row = "new" if one.op == "insert" else one.key
        found.add((one.table, row, "", one.op))
        for name, (_, after) in case.columns.seen(one).items():
            other = name in generated[one.table] and isinstance(after, str) and after not in old
            found.add((one.table, row, name, "new" if other else repr(after)))
    return found
