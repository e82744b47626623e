"""An environment's tables as people read them: the text of the resource `env://schema`."""

from registry.package.meta import ColumnMeta, Meta, TableMeta


def table_text(title: str, meta: Meta) -> str:
    """Markdown: one section for each table, one line for each column."""
    parts = [f"# Tables of {title}", ""]
    for table in meta.tables:
        if not table.link:
            parts += _section(table)
    links = [table for table in meta.tables if table.link]
    if links:
        parts += ["## Links", ""]
        parts += [f"- `{link.name}`: " + " to ".join(f"{word}" for word in _ends(link)) for link in links]
        parts += [""]
    return "\n".join(parts)


def _section(table: TableMeta) -> list[str]:
    lines = [f"## {table.name}", ""]
    if table.part_of:
        lines += [f"Part of {table.part_of}.", ""]
    return lines + [f"- `{column.name}`: {_column(column, table)}" for column in table.columns] + [""]


def _column(column: ColumnMeta, table: TableMeta) -> str:
    if column.name == "id" and table.id_pattern:
        return f"id, such as {table.id_pattern}"
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
