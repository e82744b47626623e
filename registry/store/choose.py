"""The store of records that settings name."""

from importlib.util import find_spec

from registry.config import RegistrySettings
from registry.errors import StoreError
from registry.home import Home
from registry.store.protocol import RecordStore
from registry.store.sqlite import SqliteStore


def url_of(settings: RegistrySettings) -> str:
    """The database server that holds the records; empty for SQLite in the home.

    Raises:
        StoreError: the URL is of another kind, or cannot be read, or the extra `postgres` is not installed.
    """
    url = settings.store
    if settings.store_file is not None:
        try:
            url = settings.store_file.read_text(encoding="utf-8").strip()
        except OSError as error:
            raise StoreError(f"ENVFARM_STORE_FILE: expected a file with a URL, got {type(error).__name__}. Give a file that can be read.") from error
    if url and not url.startswith("postgresql://"):
        raise StoreError(f"ENVFARM_STORE: expected postgresql://…, got {url.partition(':')[0][:20]!r}. Leave it empty for SQLite in the home.")
    if url and not all(find_spec(name) for name in ("alembic", "psycopg")):
        raise StoreError("ENVFARM_STORE: expected the extra `postgres`, got an installation without it. Install `envfarm[postgres]`.")
    return url


def store_of(settings: RegistrySettings, home: Home) -> RecordStore:
    """PostgreSQL where a URL is given, else SQLite in the home; a worker's are its own.

    Raises:
        StoreError: as `url_of`.
    """
    url = url_of(settings)
    if not url:
        return SqliteStore(home.store / f"w{settings.worker}" if settings.worker else home.store, sync=settings.sync)
    from registry.store.postgres import PostgresStore  # noqa: PLC0415 (an extra)

    return PostgresStore(url, settings.worker)
