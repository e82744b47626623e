"""How a database server is reached, and which part of the database is a worker's."""

from psycopg.conninfo import conninfo_to_dict, make_conninfo

LOCK = 0x656E7666
"""Key of the advisory lock that one farm holds on a database; each worker holds the one of its number after it."""


def schema_of(worker: int) -> str:
    """Name of the schema with the records of this worker; empty for a farm without workers, which uses the one that the URL leads to."""
    return f"w{worker}" if worker else ""


def conninfo(url: str, worker: int = 0) -> str:
    """The connection string on which unqualified names are those of the worker's tables.

    Raises:
        psycopg.ProgrammingError: the URL cannot be read.
    """
    if not worker:
        return url
    own = str(conninfo_to_dict(url).get("options") or "")
    return make_conninfo(url, options=f"{own} -c search_path={schema_of(worker)}".strip())
