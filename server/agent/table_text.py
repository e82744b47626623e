"""An environment's tables as people read them: the text of the resource `env://schema`."""

import re

from registry.package.meta import ColumnMeta, Meta, TableMeta

NUMBER = re.compile(r"\{n(?::0?(\d+))?\}")


def table_text(title: str, meta: Meta) -> str:
    """Markdown: one section for each table, one line for each column."""
    parts = [f"# Tables of {title}", ""]
    for table in meta.tables:
        if not table.link:
            parts += _section(table, _sample(table, meta))
    links = [table for table in meta.tables if table.link]
    if links:
        parts += ["## Links", ""]
        parts += [f"- `{link.name}`: " + " to ".join(f"{word}" for word in _ends(link)) for link in links]
        parts += [""]
    return "\n".join(parts)


def _sample(table: TableMeta, meta: Meta, depth: int = 0) -> str:
    """The id that the first row would have, or the empty string."""
    parents = [column.references for column in table.columns if column.name == f"{table.id_per}_id"]
    parent = _sample(meta.table(parents[0][0]), meta, depth + 1) if parents and parents[0] and depth < 8 else "…"
    return NUMBER.sub(lambda found: "1".zfill(int(found[1] or 1)), table.id_pattern).replace("{parent}", parent)


def _section(table: TableMeta, sample: str) -> list[str]:
    lines = [f"## {table.name}", ""]
    if table.part_of:
        lines += [f"Part of {table.part_of}.", ""]
    return lines + [f"- `{column.name}`: {_column(column, sample)}" for column in table.columns] + [""]


def _column(column: ColumnMeta, sample: str) -> str:
    if column.name == "id" and sample:
        return f"id, such as {sample}"
    words = [_kind(column)]
    if column.words:
        words.append("one of " + ", ".join(column.words))
    if column.length:
        words.append(f"at most {column.length} characters")
    if column.optional:
        words.append("may be empty")
    return ", ".join(words)


def _kind(column: ColumnMeta) -> str:
    if column.references:
        return "id of " + " or ".join(column.references)
    if column.kind == "list" and column.of:
        return f"list of {column.of}"
    if column.kind == "duration":
        return "duration in minutes"
    return "yes or no" if column.kind == "bool" else column.kind


def _ends(link: TableMeta) -> list[str]:
    return [" or ".join(column.references) for column in link.columns if column.references]
