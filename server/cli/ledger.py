"""`envfarm ledger`: what language models have cost."""

from server.cli.answer import JsonFlag, show, table


def ledger(json: bool = JsonFlag) -> None:
    """What language models have cost, by work and stage: tokens, cost, time, and why answers were not taken."""
    from registry.home import find_home
    from server.config import read_settings
    from synth.model.ledger import by_stage, entries

    lines = entries(find_home(read_settings().home).ledger)
    totals = by_stage(lines)
    head = ("work", "stage", "runs", "asked", "tokens in", "tokens out", "cost", "seconds", "outcomes", "not taken")
    rows = [
        (
            one["work"],
            one["stage"],
            one["runs"],
            one["asked"],
            one["tokens_in"],
            one["tokens_out"],
            round(one["cost"], 4),
            round(one["seconds"], 1),
            counts(one["outcomes"]),
            counts(one["rejected"]),
        )
        for one in totals
    ]
    text = table(head, rows) if rows else "No model was asked yet."
    show({"stages": list(totals), "lines": list(lines)}, json=json, text=text)


def counts(found: dict[str, int]) -> str:
    """Numbers by name in one line."""
    return ", ".join(f"{name} {number}" for name, number in found.items()) or "none"
