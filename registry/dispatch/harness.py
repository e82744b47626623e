"""The tools that every environment has beside its own: submit_answer, and ask_user in multi-turn tasks."""

from collections.abc import Sequence
from typing import Any

from registry.dispatch.schema import ArgumentSchema
from registry.dispatch.user import PLAIN, Conversation, User, rule_based_user
from registry.package.errors import InvalidArguments
from registry.package.pack import HeldBack
from registry.package.user import UserWanted

SUBMIT = "submit_answer"
ASK = "ask_user"

_SUBMIT_INPUT: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["outcome"],
    "properties": {
        "outcome": {
            "type": "string",
            "enum": ["done", "answered", "declined"],
            "description": "`done`: the work is finished; `answered`: the answer is given here; `declined`: the policy forbids what was asked.",
        },
        "answer": {
            "type": ["string", "null"],
            "maxLength": 4000,
            "description": "The answer to the question, as plain text (number, date, id, or a list with commas); null when there is none.",
        },
        "reason_code": {
            "type": ["string", "null"],
            "maxLength": 100,
            "description": "When declined: the code of the broken rule, as the policy names it.",
        },
        "evidence": {
            "type": "array",
            "maxItems": 200,
            "items": {"type": "string", "maxLength": 200},
            "description": "When declined: ids of the rows that show that the rule is broken.",
        },
    },
}
_ASK_INPUT: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["question"],
    "properties": {
        "question": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "What you need to know, in one or two sentences."}
    },
}

SUBMIT_TOOL: dict[str, Any] = {
    "name": SUBMIT,
    "title": "Submit the answer",
    "description": "End the task: say that the work is done, give the answer, or decline with the broken rule and its evidence. "
    "The first accepted call closes the task. Returns a receipt.",
    "inputSchema": _SUBMIT_INPUT,
    "outputSchema": {
        "type": "object",
        "required": ["received", "outcome"],
        "properties": {"received": {"type": "boolean"}, "outcome": {"type": "string"}},
    },
    "annotations": {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False, "openWorldHint": False},
}
ASK_TOOL: dict[str, Any] = {
    "name": ASK,
    "title": "Ask the user",
    "description": "Ask the person who gave the task for something that the task leaves open.",
    "inputSchema": _ASK_INPUT,
    "outputSchema": {"type": "object", "required": ["answer"], "properties": {"answer": {"type": "string"}}},
    "annotations": {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False},
}

_SUBMIT_SCHEMA = ArgumentSchema(_SUBMIT_INPUT)
_ASK_SCHEMA = ArgumentSchema(_ASK_INPUT)


def harness_tools(*, multi_turn: bool) -> tuple[dict[str, Any], ...]:
    """MCP tool objects of the harness for an episode."""
    return (SUBMIT_TOOL, ASK_TOOL) if multi_turn else (SUBMIT_TOOL,)


def submit(arguments: dict[str, Any]) -> dict[str, Any]:
    """The receipt of an accepted submission.

    Raises:
        InvalidArguments: The submission is not valid; it does not close the episode.
    """
    _SUBMIT_SCHEMA.check(arguments)
    outcome = arguments["outcome"]
    if outcome == "answered" and not (arguments.get("answer") or "").strip():
        raise InvalidArguments("argument 'answer': expected the answer with outcome 'answered', got nothing. Send it.")
    if outcome == "declined" and not (arguments.get("reason_code") or "").strip():
        raise InvalidArguments("argument 'reason_code': expected the code of the broken rule with outcome 'declined', got nothing. Send it.")
    return {"received": True, "outcome": outcome}


def ask(
    arguments: dict[str, Any],
    held_back: Sequence[HeldBack],
    user: User = rule_based_user,
    wanted: UserWanted = PLAIN,
    talk: Conversation | None = None,
) -> dict[str, Any]:
    """What the user answers to the question in these arguments.

    Args:
        user: Another one may stand in for it, as long as equal questions get equal answers: a replay asks again.
        wanted: How the user speaks.
        talk: What was said before; None for nothing.

    Raises:
        InvalidArguments: There is no question.
        UserFailed: The simulator gives no answer.
    """
    _ASK_SCHEMA.check(arguments)
    return {"answer": user(arguments["question"], held_back, wanted, Conversation() if talk is None else talk)}
