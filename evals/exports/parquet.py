"""Runs and their calls as two Parquet tables; needs the extra `parquet`."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from evals.errors import EvalError
from evals.exports.turns import Told, facts, observed
from registry.extras import to_install

RUN_TYPES = {
    **dict.fromkeys(
        ("run", "task", "environment", "kind", "verdict", "masked", "stopped", "label", "instruction", "final", "agent", "noise"), "string"
    ),
    **dict.fromkeys(("level", "epoch", "tried", "calls", "refusals", "errors", "retries", "input_tokens", "output_tokens"), "int64"),
    **dict.fromkeys(("reward", "partial", "cost"), "float64"),
}
CALL_TYPES = {
    **dict.fromkeys(("run", "task", "environment", "tool", "arguments", "outcome", "code", "observation", "noise", "changes"), "string"),
    **dict.fromkeys(("epoch", "seq", "changed_rows"), "int64"),
}


def write_parquet(runs: Iterable[Told], out: Path, labels: dict[str, str], *, agent: str, noise: str) -> tuple[Path, ...]:
    """Writes `runs.parquet`, with one row a run, and `calls.parquet`, with one row a call, into the folder `out`.

    Raises:
        EvalError: pyarrow is not installed.
    """
    run_rows, call_rows = [], []
    for one in runs:
        run_rows.append({**_run(one), "label": labels.get(one.attempt.run, ""), "agent": agent, "noise": noise})
        call_rows += _calls(one)
    out.mkdir(parents=True, exist_ok=True)
    return _written(out / "runs.parquet", run_rows, RUN_TYPES), _written(out / "calls.parquet", call_rows, CALL_TYPES)


def _run(one: Told) -> dict[str, Any]:
    attempt, tokens = one.attempt, one.attempt.tokens
    names = ("tried", "calls", "refusals", "errors", "retries", "masked", "stopped", "cost")
    counted = {"input_tokens": tokens.input if tokens else None, "output_tokens": tokens.output if tokens else None}
    return {
        **facts(one),
        **{name: getattr(attempt, name) for name in names},
        **counted,
        "instruction": one.run.instruction,
        "final": attempt.final or "",
    }


def _calls(one: Told) -> list[dict[str, Any]]:
    place = {"run": one.attempt.run, "task": one.attempt.task, "environment": one.attempt.environment, "epoch": one.attempt.epoch}
    return [
        {
            **place,
            "seq": call.seq,
            "tool": call.tool,
            "arguments": json.dumps(call.arguments, ensure_ascii=False),
            "outcome": call.outcome,
            "code": call.refusal.code if call.refusal else "",
            "observation": observed(call),
            "noise": call.noise if isinstance(call.noise, str) else json.dumps(call.noise, ensure_ascii=False),
            "changed_rows": len(call.changes),
            "changes": json.dumps([change.model_dump(mode="json") for change in call.changes], ensure_ascii=False),
        }
        for call in one.run.calls
    ]


def _written(path: Path, rows: list[dict[str, Any]], types: dict[str, str]) -> Path:
    try:
        import pyarrow  # noqa: PLC0415 (an extra)
        import pyarrow.parquet  # noqa: PLC0415 (an extra)
    except ImportError as error:
        raise EvalError(f"--format parquet: expected the package pyarrow, got none. Run `{to_install('parquet')}`.") from error
    schema = pyarrow.schema([(name, pyarrow.type_for_alias(kind)) for name, kind in types.items()])
    clean = [{name: _sound(row.get(name)) for name in types} for row in rows]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(clean, schema=schema), path)
    return path


def _sound(value: Any) -> Any:
    """Texts as UTF-8 can hold them: a lone surrogate, which JSON allows, becomes a question mark."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
