"""Gold calls as they are made: each is executed on the reference interpreter, so that a later one can use its result."""

import datetime as dt
from collections.abc import Mapping
from typing import Any

from registry.dispatch.harness import ASK, ask
from registry.dispatch.user import Conversation
from registry.package.pack import GoldCall, HeldBack, Source
from registry.package.symbols import resolve
from synth.lang.domain import Domain
from synth.reference.prediction import Prediction
from synth.reference.state import State
from synth.tasks.remembered import remembered


class Stuck(Exception):
    """The call is not possible here: refused, invalid, or its result does not show what was needed."""


def reads_only(domain: Domain, tool: str) -> bool:
    """Whether a call changes nothing; asking the user does not."""
    return tool == ASK or domain.tool(tool).read_only


class Play:
    """A run of calls from one state. `results[k]` is the JSON result of call k; `state` the state after all of them.

    Args:
        held_back: What the user tells when asked.
    """

    def __init__(self, domain: Domain, state: State, held_back: tuple[HeldBack, ...] = ()) -> None:
        self.domain = domain
        self.start = state
        self.state = state
        self.calls: list[GoldCall] = []
        self.results: list[Any] = []
        self.found: dict[tuple[str, str], str] = {}
        self.held_back = held_back
        self.talk = Conversation()

    def now(self) -> dt.datetime:
        """What the next call sees as the time."""
        return dt.datetime.fromisoformat(self.domain.now) + dt.timedelta(seconds=len(self.calls))

    def try_call(self, tool: str, arguments: Mapping[str, Any]) -> Prediction:
        """What the call would give now; nothing is recorded."""
        return remembered(self.domain).predict(self.state, tool, resolve(dict(arguments), self.results), self.now())

    def lawful(self, prediction: Prediction, tool: str, arguments: Mapping[str, Any]) -> bool:
        """Whether the call, as `try_call` has just predicted it, can be made and breaks no rule, not even one that no tool enforces."""
        return remembered(self.domain).lawful(prediction, tool, resolve(dict(arguments), self.results), self.now())

    def call(self, tool: str, arguments: Mapping[str, Any], sources: Mapping[str, Source]) -> int:
        """Makes the call and gives its index; an equal call that was made since the last write is used again.

        Raises:
            Stuck: The environment refuses it.
        """
        wanted = GoldCall(tool=tool, arguments=dict(arguments), sources=dict(sources))
        for index in range(len(self.calls) - 1, -1, -1):
            if not reads_only(self.domain, self.calls[index].tool):
                break
            if self.calls[index].tool == tool and self.calls[index].arguments == wanted.arguments:
                return index
        return self.repeat(wanted)

    def repeat(self, call: GoldCall, *, lawful: bool = False) -> int:
        """Makes exactly this call and gives its index.

        Args:
            lawful: It has to break no rule, not even one that no tool enforces.

        Raises:
            Stuck: The environment refuses it, or it is not lawful where it has to be.
        """
        if call.tool == ASK:
            self.calls.append(call)
            self.results.append(ask(call.arguments, self.held_back, talk=self.talk))
            return len(self.calls) - 1
        known, arguments, now = remembered(self.domain), resolve(dict(call.arguments), self.results), self.now()
        prediction = known.predict(self.state, call.tool, arguments, now)
        if prediction.kind != "ok":
            raise Stuck(f"{call.tool}: {prediction.kind} {prediction.code} {prediction.text}")
        if lawful and not reads_only(self.domain, call.tool) and not known.lawful(prediction, call.tool, arguments, now):
            raise Stuck(f"{call.tool}: a rule forbids it")
        self.calls.append(call)
        self.results.append(prediction.result)
        self.state = prediction.state
        return len(self.calls) - 1
