"""A task with its gold, laid out for a person who grades; nothing is wider than a terminal of 100 columns."""

import json as jsonlib
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from registry.package.stored_form import Columns, shown_text

WIDTH = 100
Told = Mapping[str, Any]
"""As `server.cli.tasks_show.whole_task` gives it, or a part of it."""


def task_text(told: Told) -> str:
    """The whole text."""
    parts = [
        _head(told),
        _part(f"Level {told['level']}, from", _level(told)),
        _part("Instruction", told["instruction"].splitlines(), hanging=0),
        _part("The user says when asked", _user(told["held_back"])),
        _part(f"Start state: world {told['world']}{'' if told['patch'] else ' as it is'}", _patch(told)),
        _part("Gold calls", _calls(told["calls"])),
        *(_part(title, lines) for title, lines in _outcome(told)),
        _part("Distractors: rows that fit a description but for one fact (* made for the task)", _distractors(told["proofs"])),
        _part("Other proofs", _proofs(told)),
    ]
    return "\n\n".join(one for one in parts if one)


def source_place(source: Told) -> str:
    """Where an argument can be known from, in a word or two."""
    named = {"span": f"instruction {source['start']}-{source['end']}", "result": f"result {source['call']}"}
    kind: str = source["kind"]
    return named.get(kind, kind)


def _part(title: str, lines: Sequence[str], hanging: int = 4) -> str:
    """A heading and its lines, each indented as it stands and wrapped below itself; nothing if there are none and the heading promises some."""
    if not lines:
        return title if title.startswith("Start state") else ""
    return "\n".join([title, *(wrapped for line in lines for wrapped in _wrapped(f"  {line}", hanging))])


def _wrapped(line: str, hanging: int = 4) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip()) + hanging)
    return textwrap.wrap(line, WIDTH, subsequent_indent=indent, break_on_hyphens=False) or [""]


def _head(told: Told) -> str:
    user, built = told["user"], told["built_digest"] != told["environment_digest"]
    rows = [
        ("environment", told["environment"] + (" (the pack was made for another build of it)" if built else "")),
        ("pack", f"{told['pack']}, split {told['split']}"),
        ("kind", told["kind"] + (", multi-turn" if told["multi_turn"] and told["kind"] != "multi-turn" else "")),
        ("twin", f"{told['twin']}, which asks the same in another start state" if told["twin"] else "none"),
        ("style", told["style"] + (f", as {user['name']}, who is described as: {user['profile']}" if user else "")),
        ("calls", f"{told['call_limit']} are served"),
    ]
    return "\n".join([told["task"], *(wrapped for name, value in rows for wrapped in _wrapped(f"  {name.ljust(12)} {value}"))])


def _level(told: Told) -> list[str]:
    points = told["level_from"]["points"]
    above = sum(one["points"] for one in points) > told["level"]
    return [*(f"{one['points']:2}  {one['for']}" for one in points), *(["no level is above 5"] if above else [])]


def _user(held_back: Sequence[Told]) -> list[str]:
    lines = []
    for one in held_back:
        lines += [f"{one['topic']} (asked for by: {', '.join(one['asks'])})", f"  {one['answer']}"]
        if one.get("then"):
            when = "asked anything again" if one.get("asked_again") else "asked for something else"
            lines += [f"  and later, when {when}: {one['then']}"]
    return lines


def _patch(told: Told) -> list[str]:
    lines = []
    for row in told["patch"]:
        was, now = row["was"], row["is"]
        name = f"{row['table']} {row['key']}"
        if now is None:
            lines.append(f"- {name}")
            continue
        lines.append(f"{'+' if was is None else '~'} {name}{', as in the world' if was == now else ''}")
        for column, value in now.items():
            if was is None and column != "id":
                lines.append(f"    {column}: {_value(value, told['columns'], row['table'], column)}")
            elif was is not None and was.get(column) != value:
                before, after = (_value(one, told["columns"], row["table"], column) for one in (was.get(column), value))
                lines.append(f"    {column}: {before} -> {after}")
    return lines


def _calls(calls: Sequence[Told]) -> list[str]:
    lines = []
    for number, call in enumerate(calls):
        lines.append(f"{number}  {call['tool']}{'' if call['reads'] else '  (writes)'}")
        for argument, value in call["arguments"].items():
            source = call["sources"].get(argument)
            lines.append(f"     {argument} = {_json(value)}  from {_source(source)}")
    return lines


def _source(source: Told | None) -> str:
    if source is None:
        return "nowhere: no source is recorded"
    if source["kind"] == "answer":
        return f"the user's answer to call {source['call']}: {source['text']}"
    return f"{source_place(source)}{': ' if source['text'] else ''}{source['text']}"


def _outcome(told: Told) -> Iterator[tuple[str, list[str]]]:
    """What has to come out of it."""
    accepted = told["accepted"]
    nothing = not any(one["changes"] for one in accepted)
    yield f"Outcome: {told['outcome']}{', and nothing changed' if nothing else ''}", [*_answer(told["answer"]), *_decline(told)] or ["as below"]
    for number, one in enumerate(accepted):
        which = f", {number + 1} of {len(accepted)} that are right" if len(accepted) > 1 else ""
        why = f": {one['reason']}" if one["reason"] else ""
        yield f"Accepted changes{which}{why}", [line for change in one["changes"] for line in _change(change, told)]


def _answer(answer: Told | None) -> list[str]:
    if answer is None:
        return []
    tolerance = f", give or take {answer['tolerance']}" if answer["tolerance"] != "0" else ""
    return [f"answer ({answer['kind']}{tolerance}): {answer['value']}", *_facts("answer", answer["facts"])]


def _decline(told: Told) -> list[str]:
    declined = told["declined"]
    if declined is None:
        return []
    given = ", ".join(f"{name}={_json(value)}" for name, value in declined["arguments"].items())
    lines = [f"asked for: {declined['tool']}({given})"]
    for one in declined["reasons"]:
        lines.append(f"{one['code']}: {told['rules'].get(one['code'], 'a code that any tool may refuse with')}")
        lines.append(f"    cite {', '.join(one['required']) or 'nothing'}{'; may cite ' if one['optional'] else ''}{', '.join(one['optional'])}")
    return lines


def _change(change: Told, told: Told) -> list[str]:
    table, key = change["table"], change["key"]
    made = " (made by the run)" if key.startswith("$") else ""
    lines = [f"{ {'insert': '+', 'update': '~', 'delete': '-'}[change['op']] } {table} {key}{made}".strip()]
    for column, value in change["values"].items():
        before, after = (_value(value[end], told["columns"], table, column) for end in ("from", "to"))
        said = {"insert": after, "delete": before}.get(change["op"], f"{before} -> {after}")
        how = {"exempt": "  (not compared)", "text": "  (compared as text)"}.get(value["class"], "")
        lines.append(f"    {column}: {said}{how}")
        facts = told["facts"].get(f"{table}.{key}.{column}") or told["facts"].get(f"{table}.{column}") or ()
        lines += [f"    {line}" for line in _facts(column, facts)]
    return lines


def _facts(what: str, facts: Sequence[Sequence[str]]) -> list[str]:
    return [f"  {what} must say: {' or '.join(group)}" for group in facts]


def _distractors(proofs: Told) -> list[str]:
    """One line for each row of gold and each fact by which the others differ."""
    near: dict[tuple[str, str, str], list[str]] = {}
    for one in proofs.get("distractors", ()):
        place = near.setdefault((one["table"], one["target"], one["fact"]), [])
        place.append(f"{one['distractor']}{'*' if one['made'] else ''}")
    lines = [f"{table} {target}, another {fact}: {', '.join(rows)}" for (table, target, fact), rows in near.items()]
    bare = [f"{one['table']} {one['target']}, another {one['fact']}: none could be made" for one in proofs.get("bare", ())]
    return [*lines, *bare]


def _proofs(told: Told) -> list[str]:
    proofs = dict(told["proofs"])
    for name in ("distractors", "bare"):
        proofs.pop(name, None)
    goal = proofs.pop("goal", ())
    routes = proofs.pop("other_routes", None)
    back = proofs.pop("taken_back", None)
    lines = [f"wanted, whatever the way: {_wanted(one, told['columns'])}" for one in goal]
    for one in routes or ():
        lines.append(f"another way is {one['verdict']}{_ground(one)}:")
        lines += [f"  {call['tool']}({', '.join(f'{name}={_json(value)}' for name, value in call['arguments'].items())})" for call in one["calls"]]
    if routes == []:
        lines.append("other ways to what is wanted: none was found")
    if back:
        lines.append(f"said first and taken back: {back['said']}; entered as {back['argument']} of call {back['call']} it fails")
    return [*lines, *(f"{name.replace('_', ' ')}: {_json(value)}" for name, value in proofs.items())]


def _ground(route: Told) -> str:
    where = f", {route['where']}" if route.get("where") else ""
    return f" by {route['rule']}{where}" if route.get("rule") else where


def _wanted(one: Told, columns: Columns) -> str:
    if one["gone"]:
        return f"no {one['table']} {one['key']}"
    values = ", ".join(f"{column} {_value(value, columns, one['table'], column)}" for column, value in one["values"].items())
    return f"{one['table']} {one['key']} with {values}" if values else f"{one['table']} {one['key']}"


def _value(value: Any, columns: Columns, table: str, column: str) -> str:
    return shown_text(value, columns, table, column) or _json(value)


def _json(value: Any) -> str:
    return jsonlib.dumps(value, ensure_ascii=False)
