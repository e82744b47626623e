"""Whom a server lets in: hashes of bearer tokens in a file, each with its role; the tokens themselves are kept by those who use them."""

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from server.errors import UserError
from server.tokens import ROLES, Role, Tokens, is_there, open_tokens, read_private, write_private


class Lock(BaseModel):
    """One token that opens."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(pattern=r"^[0-9a-f]{8}$", description="Names it; says nothing of the token.")
    role: Role
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    label: str = Field(default="", max_length=80)


class Locks(BaseModel):
    """The file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal[1] = 1
    tokens: tuple[Lock, ...] = ()


class Doorkeeper(Protocol):
    """Tells who may come in."""

    def allows(self, token: str, *roles: Role) -> bool:
        """Whether the token has one of the roles."""


class Keyring:
    """The hashes in one file; read again when the file changes, so that a rotated token holds at once.

    Args:
        path: Of the file; mode 600.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: tuple[int, int, int] = (0, 0, 0)
        self._locks = Locks()

    def allows(self, token: str, *roles: Role) -> bool:
        """Whether the token has one of the roles; compares with every hash, so that the time tells nothing."""
        given = digest(token)
        return any([hmac.compare_digest(given, lock.sha256) and lock.role in roles for lock in self.locks()])  # noqa: C419 (compare all, always)

    def locks(self) -> tuple[Lock, ...]:
        """All of them; those of before while the file cannot be read."""
        try:
            now = self.path.stat()
            seen = (now.st_mtime_ns, now.st_size, now.st_ino)
            if seen != self._seen:
                self._locks, self._seen = _read(self.path), seen
        except (OSError, UserError):
            if self._seen == (0, 0, 0):
                raise
        return self._locks.tokens

    def add(self, role: Role, label: str = "", token: str = "") -> tuple[Lock, str]:
        """A lock for a new token of the role (or for the given one), and the token."""
        made = token or new_token(role)
        lock = Lock(id=secrets.token_hex(4), role=role, sha256=digest(made), label=label)
        self._write((*self.locks(), lock))
        return lock, made

    def remove(self, ids: Iterable[str]) -> int:
        """Takes these locks off; gives how many there were."""
        gone = set(ids)
        kept = tuple(lock for lock in self.locks() if lock.id not in gone)
        removed = len(self.locks()) - len(kept)
        self._write(kept)
        return removed

    def _write(self, locks: tuple[Lock, ...]) -> None:
        write_private(self.path, Locks(tokens=locks).model_dump_json(indent=2) + "\n")


def new_token(role: Role) -> str:
    """256 random bits, with a beginning by which programs that look for leaked secrets know it."""
    return f"envfarm_{role}_{secrets.token_urlsafe(32)}"


def digest(token: str) -> str:
    """What is kept of a token. Tokens are random, so that a plain hash cannot be reversed by trying."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def open_keyring(hashes: Path, tokens: Path) -> Keyring:
    """The keyring in `hashes`; when there is none it is made for the tokens in `tokens`, which are made too if they are missing.

    Raises:
        UserError: one of the files is not ours alone, or holds something else.
    """
    if not is_there(hashes):
        held = open_tokens(tokens)
        locks = tuple(Lock(id=secrets.token_hex(4), role=role, sha256=digest(token)) for role in ROLES if (token := getattr(held, role)))
        write_private(hashes, Locks(tokens=locks).model_dump_json(indent=2) + "\n")
    keyring = Keyring(hashes)
    keyring.locks()
    return keyring


def rotate(keyring: Keyring, tokens: Path, roles: Iterable[Role], *, keep: bool) -> dict[Role, str]:
    """New tokens for the roles, noted in the file of tokens where there is one; the old ones of these roles no longer open, unless kept.

    The new lock is there before the old one goes, and the file of tokens changes in between: whoever reads it always holds a token that opens.
    """
    fresh: dict[Role, str] = {}
    for role in roles:
        old = [lock.id for lock in keyring.locks() if lock.role == role]
        fresh[role] = keyring.add(role)[1]
        if is_there(tokens):
            held = json.loads(read_private(tokens))
            write_private(tokens, json.dumps({**held, role: fresh[role]}, indent=2) + "\n")
        if not keep:
            keyring.remove(old)
    return fresh


def _read(path: Path) -> Locks:
    try:
        return Locks.model_validate_json(read_private(path))
    except ValidationError as error:
        raise UserError(f"{path}: expected hashes of tokens, got something else. Delete it to have it made again from the tokens.") from error


class Open:
    """A doorkeeper over the tokens themselves, for interfaces that live in one process.

    Args:
        tokens: Who may come in.
    """

    def __init__(self, tokens: Tokens) -> None:
        self._accepted = {role: digest(getattr(tokens, role)) for role in ROLES}

    def allows(self, token: str, *roles: Role) -> bool:
        """Whether it is the token of one of the roles."""
        given = digest(token)
        return any([hmac.compare_digest(given, known) and role in roles for role, known in self._accepted.items()])  # noqa: C419
