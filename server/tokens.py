"""The bearer tokens of one home: one for each role, in a file that only its owner may read."""

import json
import os
import secrets
from pathlib import Path
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from server.errors import UserError

Role = Literal["control", "grader", "observer"]
"""What a token is for. An agent has none: its scope is one episode, and the key in its URL is the proof."""
ROLES: tuple[Role, ...] = get_args(Role)
SECRETS = Path("/run/secrets")
"""Where container engines mount secrets, for all users of the container."""


class Tokens(BaseModel):
    """`control` opens the control plane, `grader` the sidecar; `observer` may read both and change nothing."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    control: str = Field(min_length=16)
    grader: str = Field(min_length=16)
    observer: str = Field(min_length=16)


def open_tokens(path: Path) -> Tokens:
    """The tokens in `path`; makes the file, mode 600, when there is none.

    Raises:
        UserError: the file is not ours alone, or is no token file.
    """
    if not is_there(path):
        _make(path)
    return read_tokens(path)


def is_there(path: Path) -> bool:
    """Whether there is such a file.

    Raises:
        UserError: it lies where we may not look.
    """
    try:
        return path.exists()
    except OSError as error:
        raise UserError(_unreadable(path, error)) from error


def read_tokens(path: Path) -> Tokens:
    """The tokens in `path`.

    Raises:
        UserError: there is no such file, others may read it, or it is no token file.
    """
    try:
        return Tokens.model_validate_json(read_private(path))
    except ValidationError as error:
        raise UserError(
            f"{path}: expected JSON with the tokens control, grader and observer, got something else. Run `envfarm token rotate`."
        ) from error


def read_private(path: Path) -> str:
    """The text of a file that nobody else may read; a secret that an engine mounts may belong to another user.

    Raises:
        UserError: there is no such file, or others may read it.
    """
    try:
        found = path.stat()
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(_unreadable(path, error)) from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: expected a token file, got bytes that are no text. Run `envfarm token rotate`, or set ENVFARM_TOKENS.") from error
    if os.name == "posix" and found.st_mode & 0o077 and SECRETS not in path.parents:
        raise UserError(f"{path}: expected mode 600, got {found.st_mode & 0o777:o}. Run `chmod 600 {path}`.")
    return text


def _unreadable(path: Path, error: OSError) -> str:
    """What is wrong with a file that could not be read, and what to do: one that is missing is not one that we may not read."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return f"{path}: expected a token file, got none. Run `envfarm up` once, or set ENVFARM_HOME to the home of your farm, or ENVFARM_TOKENS."
    if isinstance(error, PermissionError):
        return f"{path}: expected a token file that you may read, got one that you may not. Ask as the user who runs the farm, or set ENVFARM_TOKENS."
    return f"{path}: expected a token file, got something that cannot be read ({error.strerror}). Look at it, or set ENVFARM_TOKENS."


def write_private(path: Path, text: str) -> None:
    """Replaces a file that nobody else may read, at once: a reader sees the old text or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


def bearer(header: str | None) -> str:
    """The token of an `Authorization` header, or the empty string."""
    scheme, _, token = (header or "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _make(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    tokens = {role: f"envfarm_{role}_{secrets.token_urlsafe(32)}" for role in ROLES}
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(json.dumps(tokens, indent=2) + "\n")
    try:
        os.link(beside, path)  # unlike a rename, this does not replace what another process has just made
    except FileExistsError:
        pass
    except OSError:
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
