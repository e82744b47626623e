"""The report as one HTML page that needs no other file and no network.

Texts that agents and models chose are data: they stand in script elements of type application/json with `<`, `>` and `&` escaped, the page puts them
on the screen as text alone, and its policy lets nothing run but the one script whose hash it names.
"""

import base64
import hashlib
import json
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, select_autoescape

from evals.metrics.records import Attempt, Run
from evals.report.contents import Contents

LONGEST_TEXT = 6000
"""Characters of a text in a result that the page shows; the rest stays in the run's file."""
MOST_ITEMS = 60
ESCAPES = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026", 0x2028: "\\u2028", 0x2029: "\\u2029"}


def page(found: Contents) -> bytes:
    """The page, UTF-8; the same evaluation gives the same bytes."""
    code, style = (_asset(name) for name in ("page.js", "page.css"))
    template = Environment(
        loader=PackageLoader("evals.report", "."), autoescape=select_autoescape(default=True), trim_blocks=True, lstrip_blocks=True
    )
    written = template.get_template("page.html.j2").render(
        report=found.json,
        policy=f"default-src 'none'; script-src '{_hash(code)}'; style-src '{_hash(style)}'; base-uri 'none'; form-action 'none'",
        code=_Literal(code),
        style=_Literal(style),
        data=_Literal(embedded(found.json)),
        runs=[(one.run, _Literal(embedded(_run(found, one)))) for one in found.counted.last],
    )
    return written.encode("utf-8", "replace")


class _Literal:
    """Text of ours, or escaped by `embedded`, that goes into the page as it is."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __html__(self) -> str:
        return self.text


def embedded(value: Any) -> str:
    """JSON that can stand within a script element: nothing in it ends the element or opens a comment."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str).translate(ESCAPES)


def _asset(name: str) -> str:
    return files("evals.report").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """As a content security policy names what may run.

    Source: https://www.w3.org/TR/CSP3/#grammardef-hash-source
    """
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _run(found: Contents, one: Attempt) -> dict[str, Any]:
    """What the page shows of one run, cut where it is very long."""
    run = found.evaluation.run(one.run)
    body = _trajectory(run) if run is not None else {}
    return {**body, "final": shortened(one.final or "")}


def _trajectory(run: Run) -> dict[str, Any]:
    body = run.model_dump(mode="json", exclude={"run", "task", "environment", "epoch"})
    return dict(shortened(body))


def shortened(value: Any) -> Any:
    """The value with long texts and lists cut, saying so."""
    if isinstance(value, str):
        return value if len(value) <= LONGEST_TEXT else f"{value[:LONGEST_TEXT]} … ({len(value) - LONGEST_TEXT} more characters)"
    if isinstance(value, dict):
        return {name: shortened(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        cut = [shortened(inner) for inner in value[:MOST_ITEMS]]
        return cut if len(value) <= MOST_ITEMS else [*cut, f"… ({len(value) - MOST_ITEMS} more)"]
    return value
