"""One call from its arguments to its outcome: the same for library, MCP, planner and replay."""

import datetime as dt
import hashlib
import logging
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import orjson

from registry.dispatch.harness import ASK, SUBMIT, ask, submit
from registry.dispatch.limits import RESULT_BYTES, TOOL_NAME_LENGTH, read_arguments, shown
from registry.dispatch.outcome import Outcome, Write, defect, failed, invalid, refused
from registry.dispatch.plan import Plans, ToolPlan
from registry.dispatch.user import PLAIN, Conversation, User, UserFailed, rule_based_user
from registry.dispatch.values import parse_argument
from registry.package import runtime as rt
from registry.package.context import RowStore
from registry.package.errors import InvalidArguments, ToolRefusal
from registry.package.noise import NoiseSpec
from registry.package.pack import HeldBack
from registry.package.user import UserWanted

UNREADABLE = "$unreadable"
"""Only member of the arguments that are logged in place of what JSON cannot say or what is too large to keep."""

USER_UNAVAILABLE = "USER_UNAVAILABLE"
"""Code of an answer that the user simulator owes: such a run is masked, not scored."""

_log = logging.getLogger(__name__)


class CallRows(RowStore, Protocol):
    """Rows with one transaction per call."""

    writes: list[Write]

    def begin(self, now: dt.datetime) -> None:
        """Starts a call."""

    def context(self, schema: rt.Schema) -> rt.ToolContext:
        """What the call reads and writes with."""

    def commit(self) -> None:
        """Keeps what it wrote."""

    def rollback(self) -> None:
        """Undoes what it wrote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What holds for all calls of an episode.

    Attributes:
        call_limit: Calls that are served; 0 for no limit.
        multi_turn: Whether `ask_user` is offered, answered by `user` from `held_back`.
        closes: Whether an accepted submission closes the episode (free play goes on).
        noise: What disturbs the calls; None for nothing.
        persona: How the user speaks.
    """

    call_limit: int = 200
    multi_turn: bool = False
    held_back: tuple[HeldBack, ...] = ()
    user: User = rule_based_user
    closes: bool = True
    noise: NoiseSpec | None = None
    persona: UserWanted = PLAIN


class Moment(Protocol):
    """Where in an episode a call stands; hot episodes are this themselves.

    Attributes:
        now: What the tool sees as the time.
        calls: Calls of the branch before this one.
        closed: Whether a submission was accepted before.
        chain: Digest of the log so far; names the incident if the call fails.
        talk: What was said between agent and user; None where there is no user.
    """

    @property
    def now(self) -> dt.datetime:
        """Clock of the call."""

    calls: int
    closed: bool
    chain: str
    talk: Conversation | None


class Answered(NamedTuple):
    """An outcome with the call as it is logged: the name that was asked for, and canonical JSON of the arguments."""

    outcome: Outcome
    tool: str
    arguments: bytes


class Received(NamedTuple):
    """A call as it came in, fit to be logged: its tool, its arguments, canonical JSON of these."""

    tool: str
    arguments: Any
    canonical: bytes


def received(tool: Any, arguments: Any) -> Received:
    """The call with what JSON cannot say replaced by why; never raises."""
    # What cannot be a tool's name is logged by its representation, which stays the same when it is replayed.
    name = tool if isinstance(tool, str) and tool.isascii() and len(tool) <= TOOL_NAME_LENGTH else ascii(tool)[:TOOL_NAME_LENGTH]
    given = {} if arguments is None else arguments
    try:
        return Received(name, given, read_arguments(given))
    except InvalidArguments as error:
        given = {UNREADABLE: error.sentence}
        return Received(name, given, orjson.dumps(given))


def perform(plans: Plans, terms: Terms, rows: CallRows, moment: Moment, tool: Any, arguments: Any) -> Answered:
    """Executes one call; never raises for anything that a caller sent or that a tool did."""
    name, given, canonical = received(tool, arguments)
    outcome = gate(terms, moment, name) or _unreadable(given) or _dispatch(plans, terms, rows, moment, name, given)
    return Answered(outcome, name, canonical)


def _unreadable(arguments: dict[str, Any]) -> Outcome | None:
    """The stand-in says why: so a replay of the log comes to the same outcome as the call itself."""
    if len(arguments) == 1 and isinstance(arguments.get(UNREADABLE), str):
        return invalid(arguments[UNREADABLE])
    return None


def gate(terms: Terms, moment: Moment, tool: str) -> Outcome | None:
    """The refusal of a call that comes too late, if it does."""
    if moment.closed:
        return refused("EPISODE_CLOSED", "The answer was submitted; this task takes no more calls.", closed=True)
    if 0 < terms.call_limit <= moment.calls and tool != SUBMIT:
        return refused("CALL_LIMIT", f"All {terms.call_limit} calls of this task are used; only {SUBMIT} is still possible.")
    return None


def _dispatch(plans: Plans, terms: Terms, rows: CallRows, moment: Moment, tool: str, arguments: dict[str, Any]) -> Outcome:
    try:
        if tool == SUBMIT:
            return _ok(submit(arguments), (), closed=terms.closes)
        if tool == ASK and terms.multi_turn:
            return _ok(ask(arguments, terms.held_back, terms.user, terms.persona, moment.talk), (), closed=False)
        plan = plans.find(tool)
        if plan is None:
            return invalid(f"tool: expected the name of a tool, got {shown(tool)}. {plans.close_to(tool)}")
        plan.schema.check(arguments)
        values = {name: _parsed(argument, parse, arguments) for argument, name, parse in plan.values if argument in arguments}
        for argument, name in plan.unset:
            if argument not in arguments:
                values[name] = rt.UNSET
        keys = {meta.name: _parsed(argument, parse, arguments) for argument, meta, parse in plan.rows if argument in arguments}
    except InvalidArguments as error:
        return invalid(error.sentence)
    except UserFailed:
        return failed(USER_UNAVAILABLE, "The user does not answer at the moment.", 1)
    return _run(plans.schema, plan, rows, moment, tool, values, keys)


def _parsed(argument: str, parse: Any, arguments: dict[str, Any]) -> Any:
    value = arguments[argument]
    return None if value is None else parse_argument(argument, parse, value)


def _run(schema: rt.Schema, plan: ToolPlan, rows: CallRows, moment: Moment, tool: str, values: dict[str, Any], keys: dict[str, Any]) -> Outcome:
    rows.begin(moment.now)
    context = rows.context(schema)
    try:
        for _, meta, _ in plan.rows:
            if meta.name in keys:
                values[meta.name] = _handles(context, meta.tables, keys[meta.name])
        outcome = _fitting(rt.dump(plan.function(context, **values)), rows)
        if outcome.kind == "ok":
            rows.commit()
        else:
            rows.rollback()
        return outcome
    except ToolRefusal as error:
        error.__traceback__ = None  # its frames hold on to it
        rows.rollback()
        return refused(error.code, error.sentence, tuple(error.evidence))
    except OverflowError:
        # Reached by legal steps (a date beyond the calendar, a number beyond 64 bits), so the environment says no instead of failing.
        rows.rollback()
        return refused("LIMIT", "A date or number would go beyond what can be kept.")
    except Exception:  # noqa: BLE001 whatever generated code raises is a defect of ours, never the agent's
        rows.rollback()
        incident = hashlib.sha256(f"{moment.chain}{tool}".encode()).hexdigest()[:12]
        _log.exception("defect in tool %s, incident %s", tool, incident)
        return defect(incident)
    finally:
        context.end()


def _fitting(result: Any, rows: CallRows) -> Outcome:
    outcome = _ok(result, tuple(rows.writes), closed=False)
    if len(outcome.text) > RESULT_BYTES:
        sentence = f"The result has {len(outcome.text)} characters, {RESULT_BYTES} are allowed; nothing was done. Narrow the search."
        return refused("RESULT_TOO_LARGE", sentence)
    return outcome


def _ok(result: Any, writes: tuple[Write, ...], *, closed: bool) -> Outcome:
    return Outcome(kind="ok", result=result, text=orjson.dumps(result).decode(), writes=writes, closed=closed)


def _handles(context: rt.ToolContext, tables: tuple[str, ...], keys: str | list[str] | None) -> Any:
    """The row or rows; the runtime refuses NOT_FOUND."""
    if keys is None:
        return None
    if isinstance(keys, str):
        return context.resolve(tables, keys)
    return [context.resolve(tables, key) for key in keys]
