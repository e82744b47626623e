"""Reads a seed file into a checked domain."""

import hashlib
from pathlib import Path

from synth.disk import read_head
from synth.lang import check_calls, check_operators, check_values
from synth.lang.check_data import check_makers
from synth.lang.check_functions import check_functions
from synth.lang.check_tools import MOST_TOOLS, check_invariants, check_tools
from synth.lang.domain import Domain, Tool
from synth.lang.names import Names
from synth.lang.nodes import Where
from synth.lang.problems import Problem, Report, ReportFull, SeedError
from synth.seed.budget import MOST_BYTES, bounded_tree, fitting_bytes
from synth.seed.declare import constants, declare
from synth.seed.derived import derived
from synth.seed.entities import entities
from synth.seed.finish import exempted, ordered
from synth.seed.properties import properties
from synth.seed.reading import Reading
from synth.seed.shape import read_shape
from synth.seed.whole import check_whole

HANDLERS = (check_calls, check_operators, check_values)
"""Modules whose import registers how each kind of syntax is checked."""


def read_seed(path: Path | str) -> Domain:
    """The domain that a seed file describes.

    Raises:
        SeedError: With all problems of the seed.
    """
    content = read_content(Path(path))
    return parse_seed(content, str(path))


def read_content(path: Path) -> bytes:
    """The bytes of a seed file, at most one more than a seed may have.

    Raises:
        SeedError: If it cannot be read.
    """
    try:
        return read_head(path, MOST_BYTES + 1)
    except OSError as error:
        where = Where(file=str(path), line=1, column=1)
        got = error.strerror or type(error).__name__
        problem = Problem(where=where, field="file", expected="a seed file that can be read", got=got, fix="Correct the path", code="UNREADABLE")
        raise SeedError((problem,)) from error


def parse_seed(content: bytes, file: str) -> Domain:
    """The same from bytes; `file` is the name in messages."""
    domain, problems = check_seed(content, file)
    if domain is None:
        raise SeedError(problems)
    return domain


def check_seed(content: bytes, file: str) -> tuple[Domain | None, tuple[Problem, ...]]:
    """The domain (None after an error) and all problems, warnings too."""
    report = Report()
    try:
        found = read_all(content, file, report)
    except ReportFull:
        found = None
    return (None if found is None or report.failed else found[1]), report.problems()


def read_all(content: bytes, file: str, report: Report) -> tuple[Reading, Domain] | None:
    """The seed with all that was learnt of it; None after an error that makes the rest unreadable.

    The domain is of use only if the report has no error.

    Raises:
        ReportFull: After too many problems.
    """
    text = _decoded(content, file, report)
    tree = bounded_tree(text, file, report) if text is not None else None
    if text is None or tree is None:
        return None
    model, broken = read_shape(tree, report)
    if model is None:
        return None
    reading = Reading(file=file, lines=tuple(text.split("\n")), tree=tree, model=model, names=Names(broken=set(broken)), report=report)
    return reading, _domain(reading, content)


def _decoded(content: bytes, file: str, report: Report) -> str | None:
    if not fitting_bytes(content, file, report):
        return None
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        where = Where(file=file, line=1, column=1)
        report.add(where, "file", expected="text in UTF-8", got=f"byte {error.start} that is none", fix="Save it as UTF-8", code="BAD_ENCODING")
        return None


def _domain(reading: Reading, content: bytes) -> Domain:
    """All steps after the shape, in the order in which they build on each other."""
    names, report, model = reading.names, reading.report, reading.model
    declare(reading)
    entities(reading)
    constants(reading)
    function_source, function_trees = reading.block("functions")
    names.seed_functions = frozenset(one.name for one in function_trees)
    functions = check_functions(names, report, function_source, function_trees)
    properties(reading)
    tool_source, tool_trees = reading.block("tools")
    tools = (*derived(reading), *check_tools(names, report, tool_source, tool_trees))
    _tool_names(reading, tools)
    invariants = check_invariants(names, report, *reading.block("invariants"))
    makers = check_makers(names, report, *reading.block("data"))
    check_whole(reading, tools, invariants, makers)
    order = exempted(reading, ordered(reading, makers), functions, tools)
    return Domain(
        id=model.id,
        title=model.title,
        about=model.about,
        now=f"{model.now}:00" if len(model.now) == len("2026-03-02T08:00") else model.now,
        sha256=hashlib.sha256(content).hexdigest(),
        source=content.decode("utf-8", "replace"),
        entities=order,
        enums=tuple(names.enums.values()),
        structs=tuple(names.structs.values()),
        constants=tuple(names.constants.values()),
        functions=functions,
        tools=tools,
        invariants=tuple(one for one in invariants if not one.at_start),
        at_start=tuple(one for one in invariants if one.at_start),
        makers=makers,
        policies=model.policies,
        roles=tuple(model.roles.items()),
        actor=model.actor,
        glossary=tuple(model.glossary.items()),
        facts=tuple(model.facts.items()),
        edges=model.edges,
    )


def _tool_names(reading: Reading, tools: tuple[Tool, ...]) -> None:
    """Check that names are unique and short, and that there are not too many tools."""
    seen: dict[str, Tool] = {}
    for one in tools:
        if one.name in seen:
            first = seen[one.name].where
            got = f"{one.name} again (first on line {first.line})"
            reading.report.add(
                one.where, f"tools.{one.name}", expected="each tool name once", got=got, fix="Rename one of them", code="DUPLICATE_NAME"
            )
        seen.setdefault(one.name, one)
        if len(one.name) > 40:
            got, fix = f"{one.name} ({len(one.name)} characters)", "Shorten the name of the entity, or write `plural:`"
            reading.report.add(one.where, f"tools.{one.name}", expected="a tool name of at most 40 characters", got=got, fix=fix, code="BAD_NAME")
    if len(tools) > MOST_TOOLS:
        got = f"{len(tools)} tools"
        reading.report.add(
            tools[MOST_TOOLS].where, "tools", expected=f"at most {MOST_TOOLS} tools", got=got, fix="Leave some out", code="TOO_MANY_TOOLS"
        )
    if not tools and not reading.names.broken & {"entities", "derive", "tools"}:
        fix = "Add `derive:` lines or a `tools: |` block"
        reading.add((), expected="at least one tool", got="none", fix=fix, code="NO_TOOLS")
