"""Task packs: the public part that the control plane is given, and the gold that only the grader reads."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, SerializerFunctionWrapHandler, model_serializer

from registry.package.change import RowChange, Stored

TaskKind = Literal["do", "do-if-else", "answer", "decline", "repair", "bulk", "multi-turn"]
Outcome = Literal["done", "answered", "declined"]
WorldRow = tuple[str, dict[str, Stored]]
"""Table and stored column values (`id` among them); the line format of worlds/*.jsonl too."""


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class HeldBack(_Record):
    """One fact that the user of a multi-turn task gives when asked: words that ask for it, and the sentence that answers.

    `then` is a correction or a change of mind: the sentence with which the user takes the answer back later, and which holds then. With
    `asked_again` it waits for a question that comes after the fact was told; the instruction says that the user wants to be asked again.
    """

    topic: str
    asks: tuple[str, ...]
    answer: str
    then: str = ""
    asked_again: bool = False

    @model_serializer(mode="wrap")
    def _without_nothing(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Facts that stay as they are look as they always did, byte by byte."""
        told: dict[str, Any] = write(self)
        return {name: value for name, value in told.items() if value or name not in ("then", "asked_again")}


class TaskPublic(_Record):
    """`public/TASK.json`. `world` names a file `public/worlds/N.jsonl` (whole rows, final ids); `patch` replaces or adds rows of it.

    A null row in `patch` deletes. The two together are the scenario.
    """

    task: str
    environment: str
    instruction: str
    world: str
    patch: tuple[tuple[str, str, dict[str, Stored] | None], ...] = ()
    call_limit: int = 200
    multi_turn: bool = False
    held_back: tuple[HeldBack, ...] = ()


class Source(_Record):
    """Where one gold argument comes from.

    `span`: characters [start, end) of the instruction; `policy`: the policy or a tool's description; `result`: the result of gold call `call`
    at `path`; `default`: a fixed word of the tool's schema that the request implies. `text` quotes what was used.
    """

    kind: Literal["span", "policy", "result", "answer"]
    start: int = 0
    end: int = 0
    call: int = 0
    path: str = ""
    text: str = ""


class GoldCall(_Record):
    """One call. Arguments may hold symbols `$k.items[column=value].column`, `$k.column`: values in the result of gold call k, by content."""

    tool: str
    arguments: dict[str, Any]
    sources: dict[str, Source] = {}


class Alternative(_Record):
    """One accepted net change, ordered by table then key; ids of rows that the run creates are `$1`, `$2` and so on."""

    changes: tuple[RowChange, ...]
    reason: str = ""


class TypedAnswer(_Record):
    """The right answer of an `answer` task; `value` is text as submitted: `12`, `34.50`, `2026-03-05`, `OWN-0001`, for a set comma separated."""

    kind: Literal["number", "money", "date", "datetime", "id", "set", "bool", "enum", "text"]
    value: str
    tolerance: str = "0"
    facts: tuple[tuple[str, ...], ...] = ()


class Reason(_Record):
    """One correct ground for a decline: `required` row ids must be cited, `optional` ones may be."""

    code: str
    required: tuple[str, ...]
    optional: tuple[str, ...] = ()


class Declined(_Record):
    """The operation that was asked for (arguments with final ids) and every correct ground."""

    tool: str
    arguments: dict[str, Any]
    reasons: tuple[Reason, ...]


class TaskUser(_Record):
    """The user behind a task: a name that no row has, how they express themselves, what they want (a sentence for each operation), what they know."""

    name: str
    profile: str
    intent: tuple[str, ...]
    knows: tuple[str, ...]


class Gold(_Record):
    """`gold/TASK.json`.

    `style` names the manner in which the request is put. `facts` maps "Table.column" or "Table.key.column" to what a text-matched value must say
    (groups of synonyms) and is empty when the value itself is the reference.
    """

    task: str
    kind: TaskKind
    level: int
    calls: tuple[GoldCall, ...]
    outcome: Outcome
    accepted: tuple[Alternative, ...]
    answer: TypedAnswer | None = None
    declined: Declined | None = None
    facts: dict[str, tuple[tuple[str, ...], ...]] = {}
    tools: tuple[str, ...] = ()
    twin: str = ""
    style: str = "plain"
    user: TaskUser | None = None
    proofs: dict[str, Any] = {}
