"""A task while it is made: its words, its gold, what it changes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from registry.dispatch.harness import ASK
from registry.package.change import RowChange, Stored
from registry.package.compound import renamed
from registry.package.pack import Alternative, Declined, GoldCall, HeldBack, Outcome, Source, TaskKind, TaskUser, TypedAnswer
from registry.package.symbols import is_symbol, symbol
from synth.lang.domain import Domain, Param, Tool
from synth.reference.interpret import reference
from synth.reference.prediction import net_changes
from synth.reference.state import Ref, Row, State
from synth.tasks.goal import Call, Goal
from synth.tasks.play import Play, Stuck
from synth.tasks.references.ask import Asked
from synth.tasks.references.describe import Described
from synth.tasks.references.look import look
from synth.tasks.references.lookup import find_row, result_source, tool_of
from synth.tasks.rows.propose import Proposal
from synth.tasks.wording.phrase import Phrase
from synth.tasks.wording.textfacts import facts_of_changes

Patch = tuple[tuple[str, str, Row | None], ...]
"""Rows that replace those of the world: table, id, stored values (None deletes)."""


ReadingKind = Literal["value", "count", "sum", "average", "max", "min", "most", "field", "length", "first"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How the answer to a question is read off the results: one value, a figure over all rows that a search shows, or what a tool works out.

    `call` is the first call of the search, whose following pages come right after it; `key` the row, for a value, and the column that holds the
    name, for the row that most others refer to.
    """

    what: ReadingKind
    call: int
    entity: str
    column: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherRoute:
    """Calls that come to what is wanted with another net change than gold's.

    Attributes:
        rule: The policy that forbids them, or `NOTHING_ELSE`; empty for those that are right too.
        where: For `NOTHING_ELSE`, table and column of something that nobody asked for.
    """

    calls: tuple[Call, ...]
    verdict: Literal["accepted", "forbidden"]
    rule: str = ""
    where: str = ""


Wanted = tuple[str, Stored]
"""A column and the stored value that rows of a set have in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """A set of rows on each of which the same is done.

    Attributes:
        wanted: What its rows have in common; no other row has it.
        call: The search that shows the set, on one page.
        proposal: The operation on any one of them; `param` takes the row.
        shared, sources: Arguments that are the same for all, and where they come from.
        near: For each of `wanted`, a row that fits but for it and on which the operation is allowed.
    """

    entity: str
    wanted: tuple[Wanted, ...]
    call: int
    proposal: Proposal
    param: Param
    shared: Mapping[str, Any]
    sources: Mapping[str, Source]
    near: tuple[tuple[Wanted, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenBack:
    """What the user said first of a value, and takes back later.

    Attributes:
        call, argument, param: Where the value is entered.
        told: The question that brought it out; `said` is how it was put.
        value, literal: As the reference and as the tool take it.
    """

    call: int
    argument: str
    param: str
    told: int
    said: str
    value: Any
    literal: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A finished proposal of a task. Its id is given when the pack is made.

    Attributes:
        rows: The rows that the words describe.
        operations: The calls that write, or that a decline refuses, as proposed; for a condition, those of both branches.
        condition: Table, id and column of the fact that decides between two branches; `statement` tells of a stored value whether the
            condition is true of it, `holds` whether it is as things are.
        other_calls: What gold would be if the fact were otherwise: the other branch, or the call that is refused as things are.
        patch: Rows that replace those of the world, so that the start state is the task's own.
        likely: A patch that was seen to make another outcome right; tried first where a twin is looked for.
        clones: Table and ids of two rows of which one was made to be mistaken for the other, which the words describe.
        style: The manner in which the request is put; `user` is who is behind it.
        twin: Place in the pack of the task with the same words and another right outcome.
        gathered: The set of a bulk task.
        mistake: Table, id and column where the start state of a repair holds what was entered by mistake.
        undone: Table and id of the row that a call changed by mistake, and the columns; the patch holds it so.
        made_by: The tool of the call that changed it.
        taken_back: The value that the user of a multi-turn task takes back.
        implied: How many of the calls that write come first and are not named: what is asked for needs them.
        goals: What is wanted in the end; `others` are other ways to it, with other net changes. Known once ids are final.
    """

    kind: TaskKind
    instruction: str
    calls: tuple[GoldCall, ...]
    outcome: Outcome
    accepted: tuple[Alternative, ...]
    tools: tuple[str, ...]
    answer: TypedAnswer | None = None
    declined: Declined | None = None
    facts: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    held_back: tuple[HeldBack, ...] = ()
    rows: tuple[Described, ...] = ()
    operations: tuple[Proposal, ...] = ()
    reading: Reading | None = None
    condition: tuple[str, str, str] | None = None
    statement: Callable[[Stored], bool] | None = None
    holds: bool = True
    other_calls: tuple[GoldCall, ...] = ()
    patch: Patch = ()
    likely: Patch = ()
    twin: int | None = None
    clones: tuple[tuple[str, str, str], ...] = ()
    gathered: Gathered | None = None
    mistake: tuple[str, str, str] | None = None
    undone: tuple[str, str, tuple[str, ...]] | None = None
    made_by: str = ""
    style: str = "plain"
    user: TaskUser | None = None
    taken_back: TakenBack | None = None
    implied: int = 0
    goals: tuple[Goal, ...] = ()
    others: tuple[OtherRoute, ...] = ()


class Script:
    """Gold calls for the words of one instruction.

    Args:
        words: The whole instruction, tagged.
        held_back: What the user tells when asked.
        looked_at: Tools that show one row; rows that they show are looked at once they are found.
        looking: A reading tool that is asked about the first found row that it can tell something of.
    """

    def __init__(
        self,
        domain: Domain,
        state: State,
        words: Phrase,
        held_back: tuple[HeldBack, ...] = (),
        looked_at: frozenset[str] = frozenset(),
        looking: Tool | None = None,
    ) -> None:
        self.looked_at = looked_at
        self.looking = looking
        self.play = Play(domain, state, held_back)
        self.text = str(words)
        self.spans = words.spans()

    def span(self, tag: str) -> Source:
        """The source that is the words tagged `tag`.

        Raises:
            Stuck: The instruction does not say it.
        """
        if tag not in self.spans:
            raise Stuck(f"nothing says {tag}")
        start, end = self.spans[tag]
        return Source(kind="span", start=start, end=end, text=self.text[start:end])

    def find(self, described: Described) -> str:
        """Symbol for a described row."""
        found = find_row(self.play, described, self.spans, self.text)
        rows = [Ref(described.entity, described.key), *(Ref(*one) for one in self.play.found)]
        if self.looking is not None and any(look(self.play, self.looking, one) for one in dict.fromkeys(rows)):
            self.looking = None
        get = tool_of(self.play.domain, "get", described.entity)
        if get is None or get.name not in self.looked_at or any(call.tool == get.name for call in self.play.calls):
            return found
        index = self.play.call(get.name, {get.params[0].argument: found}, {get.params[0].argument: result_source(found)})
        self.play.found[described.entity, described.key] = symbol(index)
        return symbol(index)

    def find_all(self, asked: Asked) -> None:
        """Makes the look-ups for all rows of a call."""
        for _, several in asked.rows:
            for described in several:
                self.find(described)

    def perform(self, asked: Asked) -> int:
        """Makes the call that is asked for, with its look-ups.

        Raises:
            Stuck: A look-up or the call itself is not possible.
        """
        arguments, sources = self.arguments(asked)
        return self.play.call(asked.proposal.tool.name, arguments, sources)

    def arguments(self, asked: Asked) -> tuple[dict[str, Any], dict[str, Source]]:
        """Symbolic arguments of a call and where each comes from."""
        literal = asked.proposal.arguments()
        rows = dict(asked.rows)
        sources: dict[str, Source] = {}
        for param in asked.proposal.tool.params:
            if param.name not in asked.proposal.values:
                continue
            if param.name not in rows:
                sources[param.argument] = self.span(asked.tag(param.name))
                continue
            symbols = [self.find(one) for one in rows[param.name]]
            literal[param.argument] = symbols if isinstance(literal[param.argument], list) else symbols[0]
            sources[param.argument] = result_source(symbols[0])
        return literal, sources


def answer_draft(script: Script, answer: TypedAnswer, reading: Reading, rows: tuple[Described, ...]) -> Draft:
    """The draft of a question whose reads were made."""
    return Draft(
        kind="answer",
        instruction=script.text,
        calls=tuple(script.play.calls),
        outcome="answered",
        accepted=(Alternative(changes=()),),
        tools=tuple(dict.fromkeys(call.tool for call in script.play.calls)),
        answer=answer,
        rows=rows,
        reading=reading,
    )


def done_draft(script: Script, kind: TaskKind, rows: tuple[Described, ...], operations: tuple[Proposal, ...]) -> Draft:
    """The draft of a request whose calls were made: their net change is what is right."""
    domain, play = script.play.domain, script.play
    accepted = accepted_change(domain, play.start, play.state)
    return Draft(
        kind=kind,
        instruction=script.text,
        calls=tuple(play.calls),
        outcome="done",
        accepted=(accepted,),
        tools=tuple(dict.fromkeys(call.tool for call in play.calls if call.tool != ASK)),
        facts=facts_of_changes(domain, accepted),
        rows=rows,
        operations=operations,
    )


def accepted_change(domain: Domain, before: State, after: State) -> Alternative:
    """The net change between two states, as the score sees it.

    A row changed only in exempt columns is unchanged. New rows whose ids are counted are named `$1`, `$2` … in the order of their keys; an id that
    the caller gives, or that other ids make up, is content and stays.
    """
    counted = {entity.name for entity in domain.entities if entity.id_kind == "counter"}
    changes = [one for one in net_changes(reference(domain).tables, before, after) if _counts(one)]
    new = (one for one in changes if one.op == "insert" and one.table in counted)
    names = {change.key: f"${number}" for number, change in enumerate(new, start=1)}
    return Alternative(changes=tuple(_renamed(change, names) for change in changes))


def start_of(state: State, patch: Patch) -> State:
    """The state in which a task starts: the world's, with the rows of its patch instead of the world's."""
    if not patch:
        return state
    start = state.fork()
    for table, key, row in patch:
        if row is None:
            start.delete(table, key)
        else:
            start.update(table, key, {name: value for name, value in row.items() if name != "id"})
    return start


def _counts(change: RowChange) -> bool:
    return change.op != "update" or any(value.match != "exempt" for value in change.values.values())


def _renamed(change: RowChange, names: Mapping[str, str]) -> RowChange:
    values = {
        name: one.model_copy(update={"after": names[one.after]}) if isinstance(one.after, str) and one.after in names else one
        for name, one in change.values.items()
    }
    key = renamed(change.key, names)
    return change.model_copy(update={"key": key, "values": values})


def sourced(calls: Iterable[GoldCall]) -> bool:
    """Whether every argument of every call has its source, and every symbol refers to an earlier call."""
    return all(set(call.arguments) == set(call.sources) for call in calls)


def shows(calls: Sequence[GoldCall]) -> list[str]:
    """One line per argument with its source, for people."""
    lines = []
    for index, call in enumerate(calls):
        for name, value in call.arguments.items():
            source = call.sources[name]
            place = f"result of call {source.call} at {source.path}" if source.kind == "result" else f"{source.kind} {source.text!r}"
            lines.append(
                f"{index} {call.tool}.{name} = {value!r} <- {place}" + ("" if source.kind == "result" or not is_symbol(value) else " (symbol)")
            )
    return lines
