"""Pages of a search that come shorter, or in another order, and still tell the truth about themselves."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import orjson

from registry.dispatch.outcome import Outcome
from registry.noise.chance import Chance

SORTED_BY = frozenset({"sort", "sort_by", "order", "order_by"})
"""Arguments that ask for an order, which is then kept."""


def is_page(result: Any) -> bool:
    """Whether this is a page of a search."""
    return isinstance(result, dict) and "next_offset" in result and isinstance(result.get("items"), list)


def truncated(outcome: Outcome, arguments: Mapping[str, Any], share: float) -> Outcome | None:
    """The page without its last rows, `next_offset` saying where they begin; None where there is nothing to leave out."""
    result = outcome.result
    if not is_page(result) or len(result["items"]) < 2:
        return None
    kept = 1 + int(share * (len(result["items"]) - 1))
    offset = arguments.get("offset") or 0
    return _with(outcome, {**result, "items": result["items"][:kept], "next_offset": int(offset) + kept})


def reordered(outcome: Outcome, arguments: Mapping[str, Any], chance: Chance, call: int) -> Outcome | None:
    """The page with its rows in another order; None where an order was asked for, or there is only one."""
    result = outcome.result
    if not is_page(result) or not SORTED_BY.isdisjoint(arguments):
        return None
    items = chance.shuffled(result["items"], "items", call)
    return None if items == result["items"] else _with(outcome, {**result, "items": items})


def _with(outcome: Outcome, result: dict[str, Any]) -> Outcome:
    return replace(outcome, result=result, text=orjson.dumps(result).decode())
