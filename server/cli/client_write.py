"""Writes one server into a client's configuration and takes it out again, so that nothing else changes and nothing is lost."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from server.cli.client_config import Client
from server.cli.client_edit import Document, Entry
from server.errors import UserError


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """What was done.

    Args:
        file: That the client reads.
        changed: Whether anything was written.
        backup: Where the file is kept as it was before; None when there was none, or it has been restored.
    """

    file: Path
    changed: bool
    backup: Path | None


class ClientFile:
    """The file of one client, and what it was before a server of this name was written into it.

    The copy `FILE.before-NAME` lies beside the file until it is restored; if there was no file, the note `FILE.none-before-NAME` names the
    folders that were made for it.

    Args:
        client: Whose.
        path: The file; may be a link, may be missing.
        name: Of the server.
    """

    def __init__(self, client: Client, path: Path, name: str) -> None:
        self._client = client
        self._path = path
        self._file = Path(os.path.realpath(path))
        self._name = name
        self._before = self._file.with_name(f"{self._file.name}.before-{name}")
        self._none = self._file.with_name(f"{self._file.name}.none-before-{name}")

    def write(self, entry: Entry) -> Edited:
        """Puts the server in; replaces what an earlier call put in; does nothing if it is there already.

        Raises:
            UserError: the file is not understood, cannot be written, or has a server of this name that somebody else put there.
        """
        try:
            return self._write(entry)
        except OSError as error:
            raise self._failed(error) from error

    def undo(self) -> Edited:
        """Takes the server out: byte for byte the file that was there before, unless something else in it has changed since.

        Raises:
            UserError: nothing was written, or the file is not understood.
        """
        try:
            return self._undo()
        except OSError as error:
            raise self._failed(error) from error

    def _write(self, entry: Entry) -> Edited:
        current = self._read()
        document = self._document(current)
        found = document.entry(self._name)
        if found == entry:
            return Edited(file=self._path, changed=False, backup=self._kept())
        base = current
        if found is not None:
            if not self._remembers():
                raise UserError(
                    f"{self._path}: expected no server {self._name}, or one that `envfarm connect` wrote, got another. "
                    "Nothing was changed; rename or remove that one first."
                )
            base = self._undone(document, found)
        new = self._document(base).put(self._name, entry)
        self._same(current)
        self._remember(base, current)
        self._replace(new, current)
        return Edited(file=self._path, changed=True, backup=self._kept())

    def _undo(self) -> Edited:
        if not self._remembers():
            raise UserError(f"{self._path}: expected a server {self._name} that `envfarm connect --write` put there, got none. Nothing was changed.")
        current = self._read()
        document = self._document(current)
        found = document.entry(self._name)
        old = current if found is None else self._undone(document, found)
        if old is not None and old != current:
            self._replace(old, current)
        elif old is None and current is not None:
            self._same(current)
            self._file.unlink()
        made = self._none.read_text(encoding="utf-8").splitlines() if self._none.is_file() else []
        self._before.unlink(missing_ok=True)
        self._none.unlink(missing_ok=True)
        for folder in reversed(made):
            _remove_if_empty(Path(folder))
        return Edited(file=self._path, changed=old != current, backup=None)

    def _undone(self, document: Document, entry: Entry) -> str | None:
        """The file as it was before; None when there was none."""
        before = None if self._none.is_file() else _text(self._before)
        old = self._document(before)
        if old.entry(self._name) is None and old.put(self._name, entry) == document.text:
            return before
        return document.take(self._name, with_table=document.table not in old.value)

    def _document(self, text: str | None) -> Document:
        return Document(self._client, text or "", str(self._path))

    def _read(self) -> str | None:
        if not self._file.exists():
            return None
        if not self._file.is_file():
            raise UserError(f"{self._path}: expected a file, got something else. Nothing was changed.")
        try:
            return _text(self._file)
        except UnicodeDecodeError as error:
            raise UserError(f"{self._path}: expected UTF-8, got other bytes. Nothing was changed; save the file as UTF-8.") from error

    def _remembers(self) -> bool:
        return self._before.is_file() or self._none.is_file()

    def _kept(self) -> Path | None:
        return self._before if self._before.is_file() else None

    def _remember(self, base: str | None, current: str | None) -> None:
        if base is not None:
            self._put(self._before, base)
            self._none.unlink(missing_ok=True)
        elif current is None:
            made = _make_folders(self._file.parent)
            self._put(self._none, "".join(f"{one}\n" for one in made))
            self._before.unlink(missing_ok=True)

    def _replace(self, new: str, current: str | None) -> None:
        self._same(current)
        self._put(self._file, new)

    def _same(self, current: str | None) -> None:
        if self._read() != current:
            raise UserError(f"{self._path}: expected nobody else to write it, but it has changed just now. Nothing was changed; try again.")

    def _put(self, path: Path, text: str) -> None:
        """A whole file on the disk, with the rights of the client's file."""
        beside = path.with_name(f".{path.name}.{os.getpid()}")
        with beside.open("w", encoding="utf-8", newline="") as out:
            if self._file.exists():
                shutil.copymode(self._file, beside)
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        beside.replace(path)

    def _failed(self, error: OSError) -> UserError:
        return UserError(f"{error.filename or self._path}: expected to read and write it, got {error.strerror}. Look at who may write there.")


def _text(path: Path) -> str:
    """The content with its line ends as they are."""
    return path.read_bytes().decode("utf-8")


def _make_folders(folder: Path) -> list[Path]:
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    for one in reversed(missing):
        one.mkdir()
    return list(reversed(missing))


def _remove_if_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        return
