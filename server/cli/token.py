"""`envfarm token`: who may use control plane and sidecar."""

from pathlib import Path

import typer

from server.cli.answer import JsonFlag, note, show, table
from server.keyring import Keyring, Lock, open_keyring
from server.keyring import rotate as renew
from server.tokens import ROLES, Role, is_there

token = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Bearer tokens of control plane and sidecar: farm and sidecar keep hashes of them alone.",
)
RoleArgument = typer.Argument(help="control, grader or observer.")


@token.command("list")
def list_tokens(json: bool = JsonFlag) -> None:
    """Every token that opens: its id, role and label. The tokens themselves are not kept here.

    Example: envfarm token list
    """
    hashes, _ = _places()
    found = [{"id": lock.id, "role": lock.role, "label": lock.label} for lock in _locks(hashes)]
    rows = [(one["id"], one["role"], one["label"]) for one in found]
    text = table(("id", "role", "label"), rows) if found else f"{hashes}: no token opens yet. `envfarm up` or `envfarm token init` makes them."
    show({"tokens": found}, json=json, text=text)


@token.command("init")
def init(json: bool = JsonFlag) -> None:
    """Make what is missing: a token for each role, and the hashes that farm and sidecar compare with.

    Example: envfarm token init
    """
    keyring, tokens = _files()
    show({"tokens": str(tokens), "token_hashes": str(keyring.path)}, json=json, text=f"tokens        {tokens}\ntoken hashes  {keyring.path}")


@token.command("new")
def new(
    role: Role = RoleArgument,
    label: str = typer.Option("", "--label", help="Whose it is."),
    json: bool = JsonFlag,
) -> None:
    """A further token for a role, printed this once; a running farm takes it at once.

    Example: envfarm token new observer --label dashboard
    """
    lock, made = _files()[0].add(role, label)
    show({"id": lock.id, "role": role, "token": made}, json=json, text=made)


@token.command("rotate")
def rotate(
    role: Role | None = typer.Argument(None, help="control, grader or observer; all of them when left out."),
    keep: bool = typer.Option(False, "--keep", help="Let the old tokens open too, until they are revoked."),
    json: bool = JsonFlag,
) -> None:
    """New tokens in the token file; the old ones of these roles no longer open. Running processes need no restart.

    Example: envfarm token rotate control
    """
    keyring, tokens = _files()
    roles = (role,) if role is not None else ROLES
    fresh = renew(keyring, tokens, roles, keep=keep)
    if tokens.exists():
        show({"rotated": list(fresh), "tokens": str(tokens)}, json=json, text=f"rotated {', '.join(fresh)} in {tokens}")
    else:
        note(f"envfarm: there is no {tokens}, so that the new tokens are printed this once")
        show({"rotated": list(fresh), "values": fresh}, json=json, text=table(("role", "token"), list(fresh.items())))


@token.command("revoke")
def revoke(ids: list[str] = typer.Argument(help="Ids, as `envfarm token list` gives them."), json: bool = JsonFlag) -> None:
    """Tokens that no longer open, from now on.

    Example: envfarm token revoke 1a2b3c4d
    """
    from server.errors import UserError

    hashes, _ = _places()
    unknown = sorted(set(ids) - {lock.id for lock in _locks(hashes)})
    if unknown:
        raise UserError(f"token: expected ids of tokens, got {', '.join(unknown)[:100]}. See `envfarm token list`.")
    show({"revoked": sorted(set(ids))}, json=json, text=f"revoked {Keyring(hashes).remove(ids)}")


def _locks(hashes: Path) -> tuple[Lock, ...]:
    """Those that there are; a look makes none."""
    return Keyring(hashes).locks() if is_there(hashes) else ()


def _files() -> tuple[Keyring, Path]:
    """The keyring, made if there is none, and the file of tokens."""
    hashes, tokens = _places()
    return open_keyring(hashes, tokens), tokens


def _places() -> tuple[Path, Path]:
    """The files of hashes and of tokens."""
    from registry.home import find_home
    from server.config import read_settings

    settings = read_settings()
    home = find_home(settings.home)
    return settings.token_hashes or home.token_hashes, settings.tokens or home.tokens
