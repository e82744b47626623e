"""The audit as JSON."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from registry.score.pairs import SETS, figures
from synth.audit.audit import Audited
from synth.audit.mutants import FATES


def summary(audited: Sequence[Audited]) -> dict[str, Any]:
    """Figures over all packs."""
    counts: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    levels: Counter[str] = Counter()
    discarded: Counter[str] = Counter()
    for one in audited:
        counts.update(one.counts)
        kinds.update(one.kinds)
        levels.update(one.levels)
        discarded.update(one.discarded)
    return {
        "tasks": sum(one.tasks for one in audited),
        "gold_passes": counts["gold_passes"],
        "noop_passes": counts["noop_passes"],
        "blind_passes": counts["blind_passes"],
        "twins": {name: counts[f"twins {name}"] for name in ("made", "both_passed_by_blind")},
        "mutants": {"made": sum(counts[f"mutants {fate}"] for fate in FATES), **{fate: counts[f"mutants {fate}"] for fate in FATES}},
        "distractors": {name: counts[f"distractors {name}"] for name in ("made", "load_bearing", "weak")},
        "second_routes": {
            "same_net": {name: counts[f"routes {name}"] for name in ("tried", "passed")},
            "other_net": {name: counts[f"other {name}"] for name in ("found", "accepted", "forbidden", "discarded")},
        },
        "text": {**asdict(figures(SETS[0])), "held_out": asdict(figures(SETS[1]))},
        "tools": {
            "offered": sum(one.tools for one in audited),
            "used": sum(one.tools - len(one.unused) for one in audited),
            "unused": {one.pack: dict(one.unused) for one in audited if one.unused},
        },
        "discarded": dict(sorted(discarded.items())),
        "by_level": dict(sorted(levels.items())),
        "by_kind": dict(sorted(kinds.items())),
    }
