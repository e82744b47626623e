"""All checks on one pack."""

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from registry.environment import Environment
from registry.package.errors import PackageError
from registry.packs.reading import Pack
from synth.audit.blind import Known, check_blind, check_pairs
from synth.audit.case import Case, Memory, cases
from synth.audit.distractors import check_distractors
from synth.audit.findings import Finding, Tally
from synth.audit.gold import check_gold, check_noop
from synth.audit.interleaved import check_interleaved
from synth.audit.mutants import check_mutants
from synth.audit.others import DISCARDED, check_others
from synth.audit.routes import check_routes
from synth.audit.sources import check_sources
from synth.audit.words import check_words


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """What the audit of one pack came to.

    Attributes:
        counts: By name, as `synth.audit.report` sums them up.
        tools: How many the environment has; `unused` are those that no gold calls or declines, with the reason that the pack gives.
        seconds_by_level: Processor time of the checks on single tasks.
        attempts: How many times an episode was played.
        seconds: Processor time.
    """

    pack: str
    tasks: int
    counts: Mapping[str, int]
    findings: tuple[Finding, ...]
    kinds: Mapping[str, int]
    levels: Mapping[str, int]
    discarded: Mapping[str, int]
    tools: int
    unused: Mapping[str, str]
    seconds_by_level: Mapping[int, float]
    attempts: int
    seconds: float

    @property
    def clean(self) -> bool:
        """Whether nothing was found."""
        return not self.findings


def audit_pack(environment: Environment, pack: Pack, *, alone: bool = True, memory: Memory | None = None) -> Audited:
    """Every claim of a pack, tried out.

    Args:
        alone: Also what concerns one pair of twins alone, and no other task.
        memory: What runs came to in audits before, of packs for the same environment; this one's are added.

    Raises:
        PackageError: The pack was made for another package.
    """
    if pack.manifest.environment_digest != environment.digest:
        raise PackageError(
            f"pack {pack.manifest.id}: expected one made for {environment.id} {environment.digest[:12]}, "
            f"got one for {pack.manifest.environment_digest[:12]}. Rebuild the pack."
        )
    began = time.process_time()
    tally = Tally()
    known = Known(cases=cases(environment, pack, memory))
    by_name = {case.task.public.task: case for case in known.cases}
    spent: dict[int, float] = defaultdict(float)
    for case in known.cases if alone else ():
        start = time.process_time()
        _one(case, tally)
        twin = by_name.get(case.gold.twin)
        if twin is None or case.task.public.task < case.gold.twin:
            check_distractors(case, twin, tally)
        spent[case.gold.level] += time.process_time() - start
    sound = Known(cases=tuple(case for case in known.cases if case.truth.passed))
    check_blind(sound, tally)
    check_pairs(sound, tally)
    check_words(known.cases, tally)
    check_interleaved(known.cases, tally)
    gone = pack.manifest.discarded.get(DISCARDED, 0)
    tally.count("other found", gone)
    tally.count("other discarded", gone)
    return Audited(
        pack=pack.manifest.id,
        tasks=len(known.cases),
        counts=dict(tally.counts),
        findings=tuple(tally.findings),
        kinds=_counted([case.gold.kind for case in known.cases]),
        levels=_counted([str(case.gold.level) for case in known.cases]),
        discarded=pack.manifest.discarded,
        tools=len(environment.meta.tools),
        unused=_unused(known.cases, [tool.name for tool in environment.meta.tools], pack.manifest.unused),
        seconds_by_level=dict(spent),
        attempts=sum(case.played for case in known.cases),
        seconds=time.process_time() - began,
    )


def _one(case: Case, tally: Tally) -> None:
    check_gold(case, tally)
    check_sources(case, tally)
    check_noop(case, tally)
    if case.truth.passed:
        check_mutants(case, tally)
        check_routes(case, tally)
        check_others(case, tally)


def _unused(known: Sequence[Case], tools: Sequence[str], reasons: Mapping[str, str]) -> dict[str, str]:
    used = {call.tool for case in known for call in case.gold.calls} | {case.gold.declined.tool for case in known if case.gold.declined}
    return {name: reasons.get(name, "") for name in tools if name not in used}


def _counted(values: list[str]) -> dict[str, int]:
    return {value: values.count(value) for value in sorted(set(values))}
