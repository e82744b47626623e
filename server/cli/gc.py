"""`envfarm gc`: old episodes of a running farm."""

import typer

from server.cli.answer import JsonFlag, show
from server.cli.control_client import control_client

HOUR, DAY = 3600, 86400


def gc(
    idle_hours: float | None = typer.Option(None, "--idle-hours", min=0, help="Close open episodes without a call for so long; 0: none."),
    age_hours: float | None = typer.Option(None, "--age-hours", min=0, help="Close open episodes that are so old, used or not; 0: none."),
    keep_days: float | None = typer.Option(None, "--keep-days", min=0, help="Forget episodes that are closed or invalid for so long; 0: none."),
    dry_run: bool = typer.Option(False, "--dry-run", help="Only tell what would be done."),
    json: bool = JsonFlag,
) -> None:
    """Close episodes that nobody uses, and forget those that are closed for long, with their records. Limits left out are the farm's own.

    Example: envfarm gc --idle-hours 24 --keep-days 30 --dry-run
    """

    def seconds(given: float | None, unit: int) -> int | None:
        return None if given is None else round(given * unit)

    limits = {"idle": seconds(idle_hours, HOUR), "age": seconds(age_hours, HOUR), "kept": seconds(keep_days, DAY), "dry": dry_run}
    swept = control_client().post("/v1/gc", limits)
    closed, removed = (f"{len(swept[name])} episode{'' if len(swept[name]) == 1 else 's'}" for name in ("closed", "removed"))
    show(swept, json=json, text=f"{'would close' if dry_run else 'closed'} {closed}, {'would forget' if dry_run else 'forgot'} {removed}")
