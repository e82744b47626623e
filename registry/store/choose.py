"""The store of records that settings name."""

from registry.config import RegistrySettings
from registry.errors import StoreError
from registry.home import Home
from registry.store.protocol import RecordStore
from registry.store.sqlite import SqliteStore


def store_of(settings: RegistrySettings, home: Home) -> RecordStore:
    """PostgreSQL where a URL is given, else SQLite in the home.

    Raises:
        StoreError: the URL is of another kind, cannot be read, or the extra `postgres` is not installed.
    """
    url = settings.store
    if settings.store_file is not None:
        try:
            url = settings.store_file.read_text(encoding="utf-8").strip()
        except OSError as error:
            raise StoreError(f"ENVFARM_STORE_FILE: expected a file with a URL, got {type(error).__name__}. Give a file that can be read.") from error
    if not url:
        return SqliteStore(home.store, sync=settings.sync)
    if not url.startswith("postgresql://"):
        raise StoreError(f"ENVFARM_STORE: expected postgresql://…, got {url.partition(':')[0][:20]!r}. Leave it empty for SQLite in the home.")
    try:
        from registry.store.postgres import PostgresStore  # noqa: PLC0415 (an extra)
    except ImportError as error:
        raise StoreError("ENVFARM_STORE: expected the extra `postgres`, got an installation without it. Install `envfarm[postgres]`.") from error
    return PostgresStore(url)
