"""One file with all records of a home: written while farm and sidecar serve, read only when every hash fits."""

import hashlib
import io
import json
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Any

import apsw

from registry.home import Home
from registry.store.choose import RECORDS_LOCK
from registry.store.lock import give_back, take_lock
from server.errors import UserError

FORMAT = 1
MANIFEST = "manifest.json"
FOLDERS = ("environments", "packs")
TABLES = "postgres"
"""Before the names of tables on a database server."""
RECORDS, RUNS = "store/records.sqlite", "store/sidecar.sqlite"


def write_archive(home: Home, file: Path, *, packages: bool, elsewhere: str = "") -> dict[str, Any]:
    """Writes `file`; gives what is in it.

    Databases are copied page by page under a read transaction, the sidecar's first: each of its runs has its episode in the farm's.

    Args:
        home: Whose records.
        file: Must not exist.
        packages: Whether environments and packs are kept too.
        elsewhere: URL of a database server that holds the records instead, or empty.

    Raises:
        UserError: there is nothing to keep, or the file exists.
        StoreError: the database server cannot be read.
    """
    if file.exists():
        raise UserError(f"{file}: expected a name that is free, got a file. Choose another.")
    found = sorted(home.store.rglob("*.sqlite"), key=lambda path: path.name != "sidecar.sqlite")
    databases = [path for path in found if not elsewhere or path == home.root / RUNS]
    if not databases and not elsewhere:
        raise UserError(f"{home.store}: expected records, got none. Nothing was served from this home yet.")
    beside = file.with_name(f"{file.name}.part")
    told: dict[str, Any] = {"format": FORMAT, "episodes": 0, "runs": 0, "sha256": {}}
    try:
        with tempfile.TemporaryDirectory(prefix="envfarm-backup-") as folder, tarfile.open(beside, "w:gz") as archive:
            for number, path in enumerate(databases):
                copy = _copied(path, Path(folder) / f"{number}.sqlite")
                _add(archive, path.relative_to(home.root).as_posix(), copy.read_bytes(), told)
                _count(copy, path, home, told)
            for name, body in _tables_of(elsewhere):
                _add(archive, f"{TABLES}/{name}", body, told)
                told["episodes"] += body.count(b"\n") - 1 if name.endswith("/episodes") else 0
            for path in _package_files(home) if packages else ():
                _add(archive, path.relative_to(home.root).as_posix(), path.read_bytes(), told)
            _add(archive, MANIFEST, json.dumps(told, indent=1, sort_keys=True).encode(), None)
        beside.chmod(0o600)
        beside.replace(file)
    finally:
        beside.unlink(missing_ok=True)
    return {"episodes": told["episodes"], "runs": told["runs"], "files": len(told["sha256"]), "bytes": file.stat().st_size}


def read_archive(home: Home, file: Path, *, force: bool, elsewhere: str = "") -> dict[str, Any]:
    """Puts what `write_archive` kept into `home`; gives what was in it.

    Args:
        home: Where to.
        file: What `write_archive` wrote.
        force: Whether records that are there are replaced.
        elsewhere: URL of the database server that the records of episodes go to, or empty.

    Raises:
        UserError: it is no backup, or not whole, or there are records and `force` is not given, or the records are of the other kind.
        StoreLocked: a farm or sidecar works on the home, or on the database.
        StoreError: the database server cannot be written.
    """
    told, files = _whole(file)
    tables = {name.partition("/")[2]: files.pop(name) for name in sorted(files) if name.startswith(f"{TABLES}/")}
    _same_kind(file, tables, files, elsewhere)
    home.store.mkdir(parents=True, exist_ok=True, mode=0o700)
    held: list[IO[str]] = []
    try:
        held += [take_lock(home.store), take_lock(home.store, RECORDS_LOCK), take_lock(home.store, "sidecar.lock")]
        held += [take_lock(folder) for folder in sorted(home.store.glob("w*")) if folder.is_dir()]
        present = [path for path in sorted(home.store.rglob("*.sqlite")) if not elsewhere or path == home.root / RUNS]
        if present and not force:
            raise UserError(f"{home.store}: expected a home without records, got {present[0].name}. Restore into another home, or give --force.")
        if elsewhere:
            _into_server(elsewhere, tables, force=force)
        for path in present:
            for end in ("", "-wal", "-shm"):
                path.with_name(path.name + end).unlink(missing_ok=True)
        for name, body in files.items():
            place = home.root / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(body)
    finally:
        for lock in held:
            give_back(lock)
    return {"episodes": told["episodes"], "runs": told["runs"], "files": len(files) + len(tables)}


def _same_kind(file: Path, tables: dict[str, bytes], files: dict[str, bytes], elsewhere: str) -> None:
    """A backup of records on a database server goes back to one, a backup of a home's own records to a home."""
    if elsewhere and not tables and any(name.endswith("records.sqlite") for name in files):
        raise UserError(f"{file}: expected records of a database server, got records of a home. Unset ENVFARM_STORE, and restore into a home.")
    if tables and not elsewhere:
        raise UserError(f"{file}: expected records of a home, got records of a database server. Set ENVFARM_STORE to the server that takes them.")


def _tables_of(url: str) -> Iterator[tuple[str, bytes]]:
    if url:
        from registry.store.postgres_copy import table_files  # noqa: PLC0415 (an extra)

        yield from table_files(url)


def _into_server(url: str, tables: dict[str, bytes], *, force: bool) -> None:
    from registry.store.postgres_copy import episodes_kept, replace_tables  # noqa: PLC0415 (an extra)

    count = 0 if force else episodes_kept(url)
    if count:
        raise UserError(f"ENVFARM_STORE: expected a database without records, got {count} episodes. Use another database, or give --force.")
    replace_tables(url, tables)


def _copied(path: Path, copy: Path) -> Path:
    source, target = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY), apsw.Connection(str(copy))
    source.set_busy_timeout(10_000)
    try:
        with target.backup("main", source, "main") as work:
            while not work.done:
                work.step(-1)
        target.execute("PRAGMA journal_mode=DELETE")
    finally:
        source.close()
        target.close()
    return copy


def _count(copy: Path, path: Path, home: Home, told: dict[str, Any]) -> None:
    table, counted = ("run", "runs") if path == home.root / RUNS else ("episodes", "episodes")
    database = apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READONLY)
    told[counted] += next(database.execute(f"SELECT count(*) FROM {table}"))[0]  # noqa: S608 (one of two constants)
    database.close()


def _package_files(home: Home) -> Iterator[Path]:
    for folder in FOLDERS:
        inside = home.root / folder
        for path in sorted(inside.rglob("*")):
            parts = path.relative_to(inside).parts
            if path.is_file() and "__pycache__" not in parts and not parts[0].startswith("."):  # what is hidden is a lock, or half made
                yield path


def _add(archive: tarfile.TarFile, name: str, body: bytes, told: dict[str, Any] | None) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(body), 0o600
    archive.addfile(entry, io.BytesIO(body))
    if told is not None:
        told["sha256"][name] = hashlib.sha256(body).hexdigest()


def _whole(file: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The manifest and the files, each compared with its hash."""
    files: dict[str, bytes] = {}
    try:
        with tarfile.open(file, "r:gz") as archive:
            for entry in archive:
                body = archive.extractfile(entry) if entry.isreg() else None
                if body is None or not _safe(entry.name):
                    raise UserError(f"{file}: expected plain files of a home, got {entry.name[:100]!r}. This is no backup.")
                files[entry.name] = body.read()
        told = json.loads(files.pop(MANIFEST))
        hashes: dict[str, str] = told["sha256"]
    except (OSError, EOFError, tarfile.TarError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{file}: expected a backup, got {type(error).__name__}. Give a file that `envfarm backup` wrote.") from error
    if told.get("format") != FORMAT:
        raise UserError(f"{file}: expected a backup of format {FORMAT}, got {told.get('format')!r}. Use the version of envfarm that wrote it.")
    wrong = sorted(name for name in hashes.keys() | files.keys() if hashlib.sha256(files.get(name, b"")).hexdigest() != hashes.get(name))
    if wrong:
        raise UserError(f"{file}: expected files as they were kept, got another {wrong[0]}. The backup is damaged.")
    return told, files


def _safe(name: str) -> bool:
    path = PurePosixPath(name)
    inside = not path.is_absolute() and ".." not in path.parts and "\\" not in name and ":" not in name
    return inside and (name == MANIFEST or path.parts[0] in ("store", TABLES, *FOLDERS))
