"""The store of records that settings name."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from registry.config import RegistrySettings
from registry.errors import StoreError
from registry.extras import to_install
from registry.home import Home
from registry.store.joined import JoinedStore
from registry.store.protocol import RecordStore
from registry.store.sqlite import SqliteStore

RECORDS = "records.sqlite"
RECORDS_LOCK = "records.lock"
"""Of a home's own records, beside the lock of the home, which a farm of several workers takes before its first worker opens them."""


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
        raise StoreError(f"ENVFARM_STORE: expected the extra `postgres`, got an installation without it. Run `{to_install('postgres')}`.")
    return url


def store_of(settings: RegistrySettings, home: Home, workers: int = 1) -> RecordStore:
    """PostgreSQL where a URL is given, else SQLite in the home; a worker's are its own.

    In a home the first worker, or the only process, also serves what lies in stores that are no worker's now: of a farm with another number.

    Args:
        workers: How many there are; with one, `settings.worker` is 0 or the number that this machine's has among several.

    Raises:
        StoreError: as `url_of`.
    """
    url = url_of(settings)
    if url:
        from registry.store.postgres import PostgresStore  # noqa: PLC0415 (an extra)

        return PostgresStore(url, settings.worker)
    if settings.worker:
        own = SqliteStore(home.store / f"w{settings.worker}", sync=settings.sync)
    else:
        own = SqliteStore(home.store, sync=settings.sync, locks=("lock", RECORDS_LOCK))
    others = [SqliteStore(folder, sync=settings.sync, locks=locks) for folder, locks in _others(settings.worker, home, workers)]
    return JoinedStore(own, others) if others else own


def _others(worker: int, home: Home, workers: int) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Folders of records that this process serves beside its own, with their locks: the lock of the home is held for all workers."""
    if worker > 1 or (worker and workers == 1):
        return
    if worker and (home.store / RECORDS).is_file():
        yield home.store, (RECORDS_LOCK,)
    folders = {int(path.parent.name[1:]): path.parent for path in home.store.glob(f"w*/{RECORDS}") if path.parent.name[1:].isdecimal()}
    for number, folder in sorted(folders.items()):
        if not worker or number > workers:
            yield folder, ("lock",)
