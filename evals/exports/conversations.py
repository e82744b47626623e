"""Runs as OpenAI messages and as ShareGPT conversations, one JSON object a line."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evals.exports.turns import Told, arguments, facts, observed


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What an environment tells its agents before their first call.

    Attributes:
        instructions: How to work and to end, and the policy: what MCP gives at the start of a session.
        tools: MCP tool objects.
    """

    instructions: str = ""
    tools: Sequence[Mapping[str, Any]] = ()


Offers = Mapping[str, Offer]
"""By environment; of one that is not there nothing is known."""


def openai(one: Told, offers: Offers) -> dict[str, Any]:
    """The run as a line for fine-tuning on chat completions: messages with tool calls, the tools, the reward beside them.

    Source: https://platform.openai.com/docs/guides/fine-tuning
    """
    offer = offers.get(one.run.environment, Offer())
    messages = list(one.run.messages or ()) if _spoken(one) else _messages(one, offer)
    offered = [{"type": "function", "function": _function(tool)} for tool in offer.tools]
    return {"messages": messages, **({"tools": offered} if offered else {}), "metadata": facts(one)}


def _spoken(one: Told) -> bool:
    """Whether the agent's own messages were kept, in this form."""
    return bool(one.run.messages) and all(isinstance(message, dict) and "role" in message for message in one.run.messages or ())


def _messages(one: Told, offer: Offer) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [{"role": "system", "content": offer.instructions}] if offer.instructions else []
    found.append({"role": "user", "content": one.run.instruction})
    for call in one.run.calls:
        name = one.call_id(call)
        spoken = {"name": call.tool, "arguments": json.dumps(arguments(call), ensure_ascii=False)}
        found.append({"role": "assistant", "content": None, "tool_calls": [{"id": name, "type": "function", "function": spoken}]})
        found.append({"role": "tool", "tool_call_id": name, "content": observed(call)})
    return [*found, *([{"role": "assistant", "content": one.attempt.final}] if one.attempt.final else [])]


def _function(tool: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": tool["name"],
        "description": tool.get("description", ""),
        "parameters": tool.get("inputSchema", {"type": "object", "properties": {}}),
    }


def sharegpt(one: Told, offers: Offers) -> dict[str, Any]:
    """The run as a ShareGPT conversation with the roles of tool use: human, function_call, observation, gpt; what comes before is `system`.

    Source: https://llamafactory.readthedocs.io/en/latest/getting_started/data_preparation.html
    """
    turns = [{"from": "human", "value": one.run.instruction}]
    for call in one.run.calls:
        spoken = json.dumps({"name": call.tool, "arguments": arguments(call)}, ensure_ascii=False)
        turns += [{"from": "function_call", "value": spoken}, {"from": "observation", "value": observed(call)}]
    if one.attempt.final or len(turns) == 1:
        turns.append({"from": "gpt", "value": one.attempt.final or ""})
    offer = offers.get(one.run.environment, Offer())
    told = {"system": offer.instructions, "tools": json.dumps([_function(tool) for tool in offer.tools], ensure_ascii=False)}
    return {"conversations": turns, **told, "metadata": facts(one)}
