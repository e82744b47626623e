"""Two agents that show what a task's gold is worth: one follows it, one does nothing."""

from collections.abc import Awaitable, Callable
from typing import Any

from evals.session import SUBMIT, Reply, Session
from registry.package.pack import Gold, GoldCall
from registry.package.symbols import SymbolError, resolve

Agent = Callable[[Session, Gold], Awaitable[str]]
"""Plays one task; gives a remark on what went wrong, else an empty text."""


async def oracle(session: Session, gold: Gold) -> str:
    """Makes gold's calls, each symbol resolved by content in what came back, then submits gold's outcome."""

    async def made(call: GoldCall, arguments: dict[str, Any]) -> Reply:
        return await session.call(call.tool, arguments)

    async def submitted(arguments: dict[str, Any]) -> Reply:
        return await session.call(SUBMIT, arguments)

    return await follow(gold, made, submitted)


async def follow(
    gold: Gold, made: Callable[[GoldCall, dict[str, Any]], Awaitable[Reply]], submitted: Callable[[dict[str, Any]], Awaitable[Reply]]
) -> str:
    """Goes along gold to its submission; gives a remark on the first call that does not come to a result, else an empty text.

    Args:
        made: Makes one of gold's calls.
        submitted: Submits, where gold has no call for that.
    """
    results: list[Any] = []
    for number, call in enumerate(gold.calls):
        try:
            arguments = resolve(call.arguments, results)
        except SymbolError as error:
            return f"gold call {number} ({call.tool}): {error}"
        reply = await made(call, arguments)
        if reply.result is None and call.tool != SUBMIT:
            return f"gold call {number} ({call.tool}): {reply.text}"
        results.append(reply.result)
    if any(call.tool == SUBMIT for call in gold.calls):
        return ""
    reply = await submitted(submission(gold))
    return "" if reply.result is not None else f"{SUBMIT}: {reply.text}"


def submission(gold: Gold) -> dict[str, Any]:
    """The right arguments of `submit_answer`."""
    said: dict[str, Any] = {"outcome": gold.outcome}
    if gold.outcome == "answered" and gold.answer is not None:
        said["answer"] = gold.answer.value or "none"
    if gold.outcome == "declined" and gold.declined is not None:
        ground = gold.declined.reasons[0]
        said |= {"reason_code": ground.code, "evidence": list(ground.required)}
    return said


async def noop(session: Session, gold: Gold) -> str:
    """Does nothing and says nothing."""
    return ""


AGENTS: dict[str, Agent] = {"oracle": oracle, "noop": noop}
