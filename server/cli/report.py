"""`envfarm report`: what an evaluation comes to, for people and for programs."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from server.cli.answer import JsonFlag, show, table

if TYPE_CHECKING:
    from evals.report.contents import Contents

FORMATS = {"html": "report.html", "json": "report.json", "junit": "junit.xml"}


def report(
    folder: Path = typer.Argument(help="Folder of an evaluation, as envfarm eval wrote it."),
    format: str = typer.Option("all", "--format", help="html, json, junit, or all of them."),
    out: Path | None = typer.Option(
        None, "--out", help="Where to write: a file for one format, a folder for all; the evaluation's folder by default."
    ),
    json: bool = JsonFlag,
) -> None:
    """Write the reports of an evaluation: one HTML page that needs nothing else, JSON, JUnit XML; print its figures.

    Example: envfarm report runs/today --format html
    """
    from evals.metrics.folder import read_evaluation
    from evals.report.contents import contents
    from server.errors import WrongUsage

    if format not in (*FORMATS, "all"):
        raise WrongUsage(f"--format: expected html, json, junit or all, got '{format[:40]}'.")
    found = contents(read_evaluation(folder))
    written = write_reports(
        found, folder if out is None else out, tuple(FORMATS) if format == "all" else (format,), one_file=out is not None and format != "all"
    )
    answer = {"written": [str(path) for path in written], **{part: found.json[part] for part in ("agent", "headline", "counts", "overall")}}
    show(answer, json=json, text=figures_text(found) + "\n\n" + "\n".join(str(path) for path in written))


def write_reports(found: "Contents", out: Path, formats: tuple[str, ...] = tuple(FORMATS), *, one_file: bool = False) -> tuple[Path, ...]:
    """Writes reports into the folder `out`, or the only one into the file `out`."""
    written = []
    for name in formats:
        path = out if one_file else out / FORMATS[name]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_rendered(found, name))
        written.append(path)
    return tuple(written)


def _rendered(found: "Contents", name: str) -> bytes:
    import json as jsonlib

    if name == "json":
        return (jsonlib.dumps(found.json, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "backslashreplace")
    if name == "junit":
        from evals.report.junit import junit

        return junit(found)
    from evals.report.page import page

    return page(found)


def figures_text(found: "Contents") -> str:
    """The figures for a terminal: headline, means with intervals, by environment, why runs failed."""
    body = found.json
    overall, counts = body["overall"], body["counts"]
    lines = [f"{body['agent']}  {' · '.join(body['headline'])}".rstrip(), ""]
    lines.append(f"mean reward   {_with_interval(overall, 'reward')} {overall['reward_interval']['method']}, {overall['tasks']} tasks")
    lines.append(f"mean partial  {_with_interval(overall, 'partial')}")
    lines += [f"k = {one['k']}         pass@k {one['at']:.3f}  pass^k {one['hat']:.3f}" for one in overall["passes"][1:]]
    lines.append(
        f"INVALID       {counts['invalid_rate']:.1%} of attempts; {counts['invalid']} runs count 0, {counts['masked']} masked runs are left out"
    )
    rows = [(one["name"], one["tasks"], one["passed"], f"{one['reward']:.3f}", f"{one['partial']:.3f}") for one in body["slices"]["environment"]]
    lines += ["", table(("environment", "tasks", "passed", "reward", "partial"), rows)]
    if body["baselines"]:
        beside = [(one["name"], one["tasks"], one["passed"], f"{one['reward']:.3f}", f"{one['partial']:.3f}") for one in body["baselines"]]
        lines += ["", table(("baseline", "tasks", "passed", "reward", "partial"), beside)]
    failed = [(one["label"], one["main"], one["meaning"]) for one in body["failures"] if one["main"]]
    return "\n".join([*lines, *(["", table(("why", "runs", ""), failed)] if failed else [])])


def _with_interval(overall: dict[str, Any], name: str) -> str:
    interval = overall[f"{name}_interval"]
    return f"{overall[name]:.3f} (95 % {interval['low']:.3f} to {interval['high']:.3f})"
