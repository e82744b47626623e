"""Gold's calls made where calls may go wrong: again after an error, pages to their end, and each write read back."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from evals.agents.builtin import follow
from evals.session import SUBMIT, Reply, Session
from registry.package.pack import Gold, GoldCall

NOTHING_DONE = ("TRY_AGAIN: ", "RATE_LIMITED: ")
UNKNOWN = "TIMEOUT: "
TRIES = 8
PAGE = 20
"""Rows of a page where the call does not say how many."""
LONGEST_PAGE = 50
"""Rows that a search gives at once."""
MOST = 500
"""Rows that are looked through for a new one."""
ANY = ".+"
Looks = Mapping[str, Any]
"""`reads`: names of tools that only read. `tables`, by table: `get` and `by` (the tool that shows a row, its argument), `search` and `filters` (the
tool that finds rows, its arguments that are columns), `ids` (what they look like); empty where there is none."""


async def careful_oracle(session: Session, gold: Gold, looks: Looks) -> str:
    """Makes gold's calls and submits gold's outcome, whatever happens to single calls; gives a remark where that is in vain."""
    player = _Player(session, gold, looks)

    async def submitted(arguments: dict[str, Any]) -> Reply:
        return await player.insisted(SUBMIT, arguments)

    return await follow(gold, player.made, submitted)


class _Player:
    """One task under way."""

    def __init__(self, session: Session, gold: Gold, looks: Looks) -> None:
        self._session, self._looks, self._reads = session, looks["tables"], {SUBMIT, "ask_user", *looks["reads"]}
        self._rows = {(one.table, one.key) for way in gold.accepted for one in way.changes if one.op == "update"}
        self._new = sorted({one.table for way in gold.accepted for one in way.changes if one.op == "insert"})
        self._asked: set[str] = set()

    async def made(self, call: GoldCall, arguments: dict[str, Any]) -> Reply:
        """Makes one of gold's calls."""
        if call.tool in self._reads:
            return await self._page(call.tool, arguments, arguments.get("limit") or PAGE)
        return await self._write(call.tool, arguments)

    async def insisted(self, tool: str, arguments: Mapping[str, Any]) -> Reply:
        """The answer to a call that changes nothing the second time."""
        reply = await self._session.call(tool, arguments)
        for _ in range(TRIES):
            if reply.result is not None or not reply.text.startswith((*NOTHING_DONE, UNKNOWN)):
                break
            reply = await self._session.call(tool, arguments)
        return reply

    async def _read(self, tool: str, arguments: Mapping[str, Any]) -> Reply:
        """The present answer: what was read before may be shown as it was then, once."""
        name = f"{tool} {sorted(arguments.items(), key=str)}"
        if name in self._asked:
            await self.insisted(tool, arguments)
        self._asked.add(name)
        return await self.insisted(tool, arguments)

    async def _page(self, tool: str, arguments: dict[str, Any], most: int) -> Reply:
        """So many rows of what was asked for, put together from several pages if need be."""
        first = await self._read(tool, arguments)
        if first.result is None or first.result.get("next_offset") is None:
            return first
        items = list(first.result["items"])
        last = first.result["next_offset"]
        while last is not None and len(items) < most:
            # No row beyond those wanted: the next page of gold begins where this one ends.
            more = await self._read(tool, {**arguments, "offset": last, "limit": min(LONGEST_PAGE, most - len(items))})
            if more.result is None:
                return more
            items += more.result["items"]
            last = more.result["next_offset"]
        return Reply(result={**first.result, "items": items, "next_offset": last}, text=first.text)

    async def _write(self, tool: str, arguments: dict[str, Any]) -> Reply:
        """Makes a write once: repeated only after a look at what it should have changed."""
        named = [(table, key) for key in _texts(arguments.values()) for table, one in sorted(self._rows) if one == key and self._looks[table]["get"]]
        before = {row: await self._shown(*row) for row in named}
        known = {table: await self._found(table, arguments) for table in self._new if self._looks[table]["search"]}
        done = Reply(result=None, text="")
        for _ in range(TRIES):
            reply = await self._session.call(tool, arguments)
            if reply.text.startswith(NOTHING_DONE):
                continue
            if reply.result is not None:
                done = reply
                if await self._kept(reply.result, before):
                    return reply
                continue
            seen = await self._seen(arguments, before, known)
            if seen is not None:
                return Reply(result=seen, text="")
            if not reply.text.startswith(UNKNOWN):
                return done if done.result is not None else reply
        return done

    async def _kept(self, result: Mapping[str, Any], before: Mapping[tuple[str, str], Any]) -> bool:
        """Whether a confirmed write can be read back; true where there is nothing to read."""
        key = result.get("id")
        place = next((row for row in before if row[1] == key), None)
        if place is not None:
            return bool(await self._shown(*place) != before[place])
        table = self._table_of(str(key))
        if not table or not self._looks[table]["get"]:
            return True
        shown = await self._shown(table, str(key))
        return shown is not None and all(shown.get(name, value) == value for name, value in result.items())

    def _table_of(self, key: str) -> str:
        """The table whose ids look like this one, by the pattern that says most; empty for none."""
        fitting = [(len(look["ids"].replace(ANY, "")), table) for table, look in self._looks.items() if re.fullmatch(look["ids"], key)]
        return max(fitting, default=(0, ""))[1]

    async def _seen(self, arguments: Mapping[str, Any], before: Mapping[tuple[str, str], Any], known: Mapping[str, Any]) -> Any:
        """The row by which one sees that the call was carried out after all; None if it was not."""
        for row, held in before.items():
            now = await self._shown(*row)
            if now != held:
                return now
        for table, rows in known.items():
            now = await self._found(table, arguments)
            new = [one for key, one in now.items() if key not in rows]
            if new:
                return new[-1]
        return None

    async def _shown(self, table: str, key: str) -> Any:
        look = self._looks[table]
        return (await self._read(look["get"], {look["by"]: key})).result

    async def _found(self, table: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Rows of a table by id, those that fit the arguments of the call."""
        look = self._looks[table]
        asked = {name: arguments[name] for name in look["filters"] if isinstance(arguments.get(name), str)}
        reply = await self._page(look["search"], {**asked, "limit": LONGEST_PAGE}, MOST)
        return {one["id"]: one for one in (reply.result or {"items": []})["items"]}


def _texts(values: Any) -> list[str]:
    found: Sequence[Any] = [one for value in values for one in (value if isinstance(value, list) else [value])]
    return [one for one in found if isinstance(one, str)]
