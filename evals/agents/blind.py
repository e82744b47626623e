"""Policies that read nothing: what can be had without looking. Each learns from other tasks of the pack, never from the twin.

First group, which passes nothing: `blind-decline` (the commonest ground), `blind-first` and `blind-last` (gold's own writes, on the first or
last row of each table), `blind-other` (the writes of another task of the same world). Second group, which passes at most one of two twins:
`blind-branch` (the writes of the first of the two), `blind-yes`, `blind-no`, `blind-common` (the commonest answer).
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from evals.agents.agent import Episode, Outcome
from evals.agents.known import Known
from evals.session import SUBMIT, ThinSession

Value = TypeVar("Value")


async def decline(session: ThinSession, episode: Episode, known: Known) -> Outcome:
    """Declines with the commonest code and evidence of other declined tasks."""
    grounds = [
        (one["code"], tuple(one["required"]))
        for gold in await _others(episode, known)
        if gold["declined"] is not None
        for one in gold["declined"]["reasons"][:1]
    ]
    code, evidence = most(grounds) or ("NOT_ALLOWED", ())
    await session.call(SUBMIT, {"outcome": "declined", "reason_code": code, "evidence": list(evidence)})
    return Outcome()


async def first_rows(session: ThinSession, episode: Episode, known: Known) -> Outcome:
    """Gold's writes, each on the first row of its table."""
    return await _on_rows(session, episode, known, pick=0)


async def last_rows(session: ThinSession, episode: Episode, known: Known) -> Outcome:
    """Gold's writes, each on the last row of its table."""
    return await _on_rows(session, episode, known, pick=-1)


async def others_writes(session: ThinSession, episode: Episode, known: Known) -> Outcome:
    """The writes of the next task of the same pack that has some."""
    pack = known.pack_of(episode.task)
    others = [task for task in pack if task > episode.task] + [task for task in pack if task < episode.task]
    twin = known.tasks[episode.task].twin if episode.task in known.tasks else ""
    for task in others:
        writes = (await known.told(task, played=True))["writes"] if task != twin else []
        if writes:
            return await _made(session, writes)
    return await _made(session, [])


async def branch(session: ThinSession, episode: Episode, known: Known) -> Outcome:
    """Gold's own writes and submission, those of the first of two twins in both: the same whatever the world says."""
    line = known.tasks.get(episode.task)
    told = await known.told(min(episode.task, line.twin) if line is not None and line.twin in known.tasks else episode.task, played=True)
    if line is None or line.twin not in known.tasks:
        return await _made(session, [])
    gold = told["gold"]
    if gold["outcome"] == "answered" and gold["answer"] is not None:
        await session.call(SUBMIT, {"outcome": "answered", "answer": gold["answer"]["value"] or "none"})
        return Outcome()
    if gold["outcome"] == "declined" and gold["declined"] is not None:
        ground = gold["declined"]["reasons"][0]
        await session.call(SUBMIT, {"outcome": "declined", "reason_code": ground["code"], "evidence": ground["required"]})
        return Outcome()
    return await _made(session, told["writes"])


async def yes(session: ThinSession, episode: Episode, known: Known) -> Outcome:
    """Answers yes."""
    return await _answered(session, "yes")


async def no(session: ThinSession, episode: Episode, known: Known) -> Outcome:
    """Answers no."""
    return await _answered(session, "no")


async def common(session: ThinSession, episode: Episode, known: Known) -> Outcome:
    """Gives the commonest answer of other tasks."""
    answers = [gold["answer"]["value"] for gold in await _others(episode, known) if gold["answer"] is not None]
    return await _answered(session, most(answers) or "0")


async def _answered(session: ThinSession, answer: str) -> Outcome:
    await session.call(SUBMIT, {"outcome": "answered", "answer": answer})
    return Outcome()


async def _on_rows(session: ThinSession, episode: Episode, known: Known, *, pick: int) -> Outcome:
    told = await known.told(episode.task, played=True)
    return await _made(session, [{**one, "arguments": _guessed(one, told["ids"], pick)} for one in told["writes"]])


def _guessed(write: Mapping[str, Any], ids: Mapping[str, list[str]], pick: int) -> dict[str, Any]:
    """The arguments of a write with rows taken by place; rows of tables that were empty at the start stay."""
    guessed = dict(write["arguments"])
    for argument, table in write["rows"].items():
        listed, value = ids.get(table, []), guessed[argument]
        if listed and isinstance(value, list):
            guessed[argument] = listed[: len(value)] if pick == 0 else listed[-len(value) :]
        elif listed and isinstance(value, str) and value in listed:
            guessed[argument] = listed[pick]
    return guessed


async def _made(session: ThinSession, writes: Iterable[Mapping[str, Any]]) -> Outcome:
    for one in writes:
        await session.call(one["tool"], one["arguments"])
    await session.call(SUBMIT, {"outcome": "done"})
    return Outcome()


async def _others(episode: Episode, known: Known) -> list[dict[str, Any]]:
    """Gold of every other task of the pack but the twin."""
    mine = known.tasks.get(episode.task)
    names = [task for task in known.pack_of(episode.task) if task not in (episode.task, mine.twin if mine is not None else "")]
    return [(await known.told(task))["gold"] for task in names]


def most(values: Iterable[Value]) -> Value | None:
    """The commonest value, the least of several; None of none."""
    counted = Counter(values)
    return min(counted, key=lambda one: (-counted[one], str(one))) if counted else None
