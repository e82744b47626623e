"""A task pack: as many tasks as asked for, of all kinds, on a world of their own."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from registry.package.pack import TaskKind
from synth.audit.words import bag, tells
from synth.lang.domain import Domain, Tool
from synth.reference.state import State
from synth.tasks.aim import LEVELS, Aim
from synth.tasks.chance import chance
from synth.tasks.cover import attempts, because
from synth.tasks.draft import Draft, sourced
from synth.tasks.finishing.choose import chosen, what_shows
from synth.tasks.finishing.dress import Rewriter, dress
from synth.tasks.kinds.branch import make_branch
from synth.tasks.kinds.bulk import make_bulk
from synth.tasks.kinds.chain import make_do
from synth.tasks.kinds.decline import make_decline
from synth.tasks.kinds.mixup import make_mixup
from synth.tasks.kinds.planned import make_planned
from synth.tasks.kinds.question import make_question
from synth.tasks.kinds.turns import make_multi_turn
from synth.tasks.kinds.undo import make_undo
from synth.tasks.level import LEAST, level
from synth.tasks.neighbours import Neighbours
from synth.tasks.proving.distract import distract
from synth.tasks.proving.twin import by_swap, make_twin
from synth.tasks.room import Room
from synth.tasks.solving.recheck import refreshed
from synth.tasks.workshop import Workshop, about

TRIES_PER_TASK = 30
TRIES_PER_LEVEL = (2, 8)
"""For one level with each kind: few at first, as another kind may come to it at once."""
INFEASIBLE = "no feasible request"
OTHER_TOOL, OTHER_LEVEL, LIKE = "another tool", "another level", "like another task"
HOPE_LOST = {INFEASIBLE: 1.0, LIKE: 0.5}
"""By how much a try in vain brings the turn of a kind nearer to its end."""
LEAKS = "the words hold the answer"
THOUGHTS = 3
"""So many requests are thought of for one try before it is given up."""
HOPELESS_COVER = 1
AGAIN = 2
"""So often more tasks are made for tools that would be used by none of the tasks that are chosen."""
HOPELESS, HOPELESS_FIRST = 2, 6
"""So much lost hope in a row ends the turn of a kind; more while it has brought nothing, so that no kind is missed."""
DECLINES = 2
"""Requests to decline are tried so much more often: most have no twin, which is seen early."""
ROUNDS_WITHOUT = 3
"""A kind that brought nothing in so many turns (in its first, if it never brought any) is given up; the others fill its places."""
PLANNED = 3
"""The least level of a task with steps that stay unsaid."""
UNSAID = 0.4
"""How often a task of kind `do` is tried with such steps."""
UNDONE = 0.5
"""How often a repair is tried that takes a call back."""
MIX: tuple[TaskKind, ...] = ("do", "bulk", "answer", "decline", "multi-turn", "do-if-else", "do", "repair", "answer", "decline")


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """Tasks in order, the world in which all of them start, and how the making went.

    Attributes:
        drafts: Each task is followed by its twin; `twin` is the place of the other one.
        discarded: Tries that came to nothing, by reason.
        spent: Processor time by level of what was made, tries in vain among it.
        distractors: How many were made; for `without` facts of descriptions none could be.
        uncovered: Tools that no task could be made with, and why.
    """

    drafts: tuple[Draft, ...]
    state: State
    tries: int
    discarded: Mapping[str, int]
    distractors: int
    without: int
    spent: Mapping[int, float]
    uncovered: Mapping[str, str]


def making(
    domain: Domain,
    state: State,
    sibling: State,
    count: int,
    seed: int,
    kinds: tuple[TaskKind, ...] = MIX,
    levels: frozenset[int] = LEVELS,
    *,
    rewriter: Rewriter | None = None,
    used: Mapping[str, int] = MappingProxyType({}),
    measured: frozenset[int] = frozenset(),
    cover: bool = False,
    kept: int | None = None,
) -> "Making":
    """Pairs of twins of all `kinds` in turn, each pair with another instruction, every tool used as evenly as it goes.

    Args:
        state: The world in which the tasks start; it grows by their distractors, and to `cover` by what tools need that could do nothing else.
        sibling: Another world of the domain, whose values are borrowed.
        count: How many tasks to make; fewer come back when tries run out.
        levels: That a task may have, as it measures; twins have whatever they measure.
        rewriter: Puts each message into other words, which are kept if they say the same.
        used: How many tasks use each tool already, on other worlds; `measured` are the levels that these have.
        cover: Whether tasks are made beyond `count` for tools that none of these uses, and for levels that none has.
        kept: So many of the tasks will be chosen; None for all.
    """
    room = Room(domain, state, sibling, chance(domain.sha256, seed, "room"))
    if cover:
        state = room.make([tool for tool in domain.tools if not used.get(tool.name)], patient=bool(used))
    kinds = tuple(one for one in kinds if LEAST.get(one, 1) <= max(levels) and (one != "bulk" or any(tool.bulk for tool in domain.tools)))
    shop = Workshop(domain=domain, state=state, sibling=sibling, rng=chance(domain.sha256, seed, "tasks"), used=dict(used), aim=Aim(levels))
    shop.hints = room.found
    shop.guard = room.guard
    shop.guard.move(state)
    found = Making(shop, levels, rewriter)
    if not kinds:
        return found
    for name in room.found:  # what was hardly possible comes first: rows made for other tasks may stand in its way
        if not shop.used.get(name):
            found.use(domain.tool(name), frozenset(kinds))
    dry: dict[TaskKind, int] = dict.fromkeys(kinds, 0)
    for kind in _turns(kinds):
        if len(found.drafts) >= count or min(dry.values()) >= ROUNDS_WITHOUT:
            break
        if dry[kind] < ROUNDS_WITHOUT:
            dry[kind] = 0 if found.one(kind) else dry[kind] + 1 if kind in found.kinds else ROUNDS_WITHOUT
    if count:
        del found.drafts[count:]
    if cover:
        found.cover(frozenset(kinds))
        found.cover_levels(kinds, measured)
        found.cover_chosen(frozenset(kinds), used, len(found.drafts) if kept is None else kept)
    return found


class Making:
    """Tasks made so far on one world; `before` are those that were handed over already."""

    def __init__(self, shop: Workshop, levels: frozenset[int], rewriter: Rewriter | None) -> None:
        self.rewriter = rewriter
        self.spent: dict[int, float] = {}
        self.kinds: set[TaskKind] = set()
        self.shop = shop
        self.levels = levels
        self.drafts: list[Draft] = []
        self.before: list[Draft] = []
        self.tries = self.distractors = self.without = 0
        self.discarded: dict[str, int] = {}
        self.uncovered: dict[str, str] = {}

    def one(self, kind: TaskKind, tries: int = TRIES_PER_TASK) -> bool:
        """Makes a task of this kind and its twin; False when so many tries came to nothing."""
        began, hopeless = time.process_time(), 0.0
        for _ in range(tries * (DECLINES if kind == "decline" else 1)):
            if hopeless >= (HOPELESS if kind in self.kinds else HOPELESS_FIRST):
                break
            self.tries += 1
            reason = self._try(kind)
            hopeless = hopeless + HOPE_LOST[reason] if reason in HOPE_LOST else 0
            if not reason:
                measured = level(self.shop.domain, self.drafts[-2])
                self.kinds.add(kind)
                self.spent[measured] = self.spent.get(measured, 0.0) + time.process_time() - began
                return True
            self.discarded[reason] = self.discarded.get(reason, 0) + 1
        return False

    def further(self, used: Mapping[str, int], missing: Sequence[TaskKind], measured: frozenset[int], kinds: tuple[TaskKind, ...]) -> Made:
        """More tasks: one of each kind that is missing, for tools that none uses, and for levels that are not among those `measured`.

        Those made before are gone, and need not be kept clear of. The new ones start from the same world, grown by what was made for the others.
        """
        self.before += self.drafts
        self.drafts, self.tries, self.discarded, self.uncovered, self.spent = [], 0, {}, {}, {}
        self.shop.used, self.shop.missed, self.shop.neighbours = dict(used), {}, Neighbours(self.shop.domain)
        for kind in missing:
            self.one(kind)
        self.cover(frozenset(kinds))
        self.cover_levels(kinds, measured)
        return self.made()

    def cover(self, kinds: frozenset[TaskKind]) -> None:
        """A task of one of the kinds for each tool that none uses, where one can be made."""
        for tool in self.shop.unused:
            reasons = self.use(tool, kinds) if not self.shop.used.get(tool.name) else {}
            if not self.shop.used.get(tool.name):
                self.uncovered[tool.name] = because(self.shop, tool, reasons)

    def cover_levels(self, kinds: tuple[TaskKind, ...], elsewhere: frozenset[int]) -> None:
        """A task of each level asked for that none has, of the first of the kinds of which one can be made.

        Args:
            elsewhere: Levels of tasks on other worlds.
        """
        asked, aim = self.levels, self.shop.aim
        for missing in sorted(asked - elsewhere - {level(self.shop.domain, one) for one in self.drafts}):
            self.levels = frozenset((missing,))
            self.shop.aim = Aim(self.levels)
            fitting = [kind for kind in dict.fromkeys(kinds) if LEAST.get(kind, 1) <= missing]
            any(self.one(kind, tries) for tries in TRIES_PER_LEVEL for kind in fitting)
        self.levels, self.shop.aim = asked, aim

    def cover_chosen(self, kinds: frozenset[TaskKind], elsewhere: Mapping[str, int], count: int) -> None:
        """More tasks for tools for which there is no room among those that will be chosen: several of them in one, if it can be.

        Args:
            elsewhere: How many tasks on other worlds use each tool.
        """
        for _ in range(AGAIN if count < len(self.drafts) else 0):
            stays = chosen(self.drafts, count, [True] * len(self.drafts), what_shows(self.shop.domain, self.levels))
            used = Counter(name for one, now in zip(self.drafts, stays, strict=True) if now for name in one.tools) + Counter(elsewhere)
            missing = [name for name, number in self.shop.used.items() if number and not used[name]]
            self.shop.used = dict(used)
            for name in missing:
                if not self.shop.used.get(name):
                    self.use(self.shop.domain.tool(name), kinds)

    def use(self, tool: Tool, kinds: frozenset[TaskKind]) -> dict[str, int]:
        """Makes a task that uses the tool; why tries came to nothing, until one does not."""
        began, reasons = time.process_time(), dict[str, int]()
        for attempt in attempts(self.shop, tool):
            if (
                attempt.kind not in kinds
                or sum(reasons.get(f"{attempt.kind} {one}", 0) for one in (INFEASIBLE, OTHER_TOOL, OTHER_LEVEL)) >= HOPELESS_COVER
            ):
                continue
            self.shop.focus, self.shop.looking = attempt.focus, attempt.looking
            self.tries += 1
            reason = self._try(attempt.kind, tool.name)
            if not reason:
                measured = level(self.shop.domain, self.drafts[-2])
                self.spent[measured] = self.spent.get(measured, 0.0) + time.process_time() - began
                break
            self.discarded[reason] = self.discarded.get(reason, 0) + 1
            reasons[f"{attempt.kind} {reason}"] = reasons.get(f"{attempt.kind} {reason}", 0) + 1
        self.shop.focus, self.shop.looking = "", None
        return reasons

    def _try(self, kind: TaskKind, with_tool: str = "") -> str:
        """Empty, or why the try came to nothing."""
        draft, reason = None, INFEASIBLE
        for _ in range(THOUGHTS):
            self.shop.aim.begin(kind)
            thought = _makers(self.shop, min(self.levels), max(self.levels))[kind]()
            if thought is not None:
                draft, reason = self._worth(thought, with_tool)
            if draft is not None:
                break
        if draft is None:
            return reason
        told = tuple(one.instruction for one in (*self.before, *self.drafts))
        draft = dress(self.shop.domain, self.shop.state, draft, self.shop.rng, self.rewriter, told)
        before = self.shop.state
        distracted = distract(self.shop, draft)
        self.shop.grow(distracted.state)
        present = refreshed(self.shop.domain, distracted.state, draft)
        twin = None if present is None else make_twin(self.shop, present)
        if twin is None or present is None:
            self.shop.grow(before)
            self._in_vain(draft)
            return "no twin"
        if _given_away(present) or _given_away(twin):
            self.shop.grow(before)
            return LEAKS
        self.shop.guard.move(distracted.state)
        self.distractors += len(distracted.made)
        self.without += distracted.weak
        pairs = tuple((one.target.entity, one.target.key, one.clone.key) for one in distracted.made)
        present, twin = replace(present, likely=(), clones=pairs), replace(twin, clones=pairs)
        for one in (present, twin):
            self.shop.neighbours.note(distracted.state, one, twin=one is twin)
        place = len(self.drafts)
        self.drafts += [replace(present, twin=place + 1), replace(twin, twin=place)]
        self.shop.note_use(tuple(dict.fromkeys([*present.tools, *twin.tools])))
        return ""

    def _worth(self, draft: Draft, with_tool: str) -> tuple[Draft | None, str]:
        """What was thought of, if it is worth words and distractors, else why not; a twin that needs no distractors is looked for at once."""
        if with_tool and with_tool not in draft.tools and not any(call.tool == with_tool for call in draft.other_calls):
            return None, OTHER_TOOL
        measured = level(self.shop.domain, draft)
        self.shop.aim.note(about(draft), measured)
        if measured not in self.levels:
            return None, OTHER_LEVEL
        if not acceptable(draft, [*self.before, *self.drafts]):
            self._in_vain(draft)
            return None, LIKE
        if _given_away(draft):
            self._in_vain(draft)
            return None, LEAKS
        if by_swap(draft):
            told = any(leaf.path[-1] != "id" for one in draft.rows for leaf in one.leaves)
            return (draft, "") if told else (None, "no twin")
        twin = make_twin(self.shop, draft)
        if twin is None:
            self._in_vain(draft)
            return None, "no twin"
        if _given_away(twin):
            return None, LEAKS
        return (draft if draft.held_back else replace(draft, likely=twin.patch)), ""

    def _in_vain(self, draft: Draft) -> None:
        """Notes which tools, for what, came to nothing, so that others have their turn."""
        if draft.reading is not None:
            tool = self.shop.domain.tool(draft.calls[draft.reading.call].tool)
            self.shop.miss(tool, "aggregate" if tool.search is not None else "consult")
        told = {"decline": draft.declined, "bulk": draft.gathered, "mixup": draft.mistake, "undo": draft.undone}
        purpose = next((name for name, one in told.items() if one is not None), "")
        for tool_name in dict.fromkeys([*(one.tool.name for one in draft.operations), *filter(None, [draft.made_by])]):
            self.shop.miss(self.shop.domain.tool(tool_name), purpose)

    def made(self) -> Made:
        """What came of it."""
        return Made(
            drafts=tuple(self.drafts),
            state=self.shop.state,
            tries=self.tries,
            discarded=dict(sorted(self.discarded.items())),
            distractors=self.distractors,
            without=self.without,
            spent=self.spent,
            uncovered=self.uncovered,
        )


def _turns(kinds: tuple[TaskKind, ...]) -> Iterator[TaskKind]:
    while True:
        yield from kinds


def _makers(shop: Workshop, lowest: int, highest: int) -> dict[str, Callable[[], Draft | None]]:
    length = shop.aim.way("length", [one for one in (1, 2, 2, 3) if min(lowest, 4) - 2 <= one <= highest], shop.rng)
    return {
        "do": lambda: (make_planned(shop) if highest >= PLANNED and shop.rng.random() < UNSAID else None) or make_do(shop, length),
        "answer": lambda: make_question(shop),
        "decline": lambda: make_decline(shop),
        "do-if-else": lambda: make_branch(shop),
        "repair": lambda: (make_undo(shop) or make_mixup(shop)) if shop.rng.random() < UNDONE else (make_mixup(shop) or make_undo(shop)),
        "multi-turn": lambda: make_multi_turn(shop),
        "bulk": lambda: make_bulk(shop),
    }


def acceptable(draft: Draft, others: list[Draft]) -> bool:
    """Whether every argument has its source, and neither the words, nor what is asked for, nor the grounds of a refusal are those of another task."""
    if not sourced(draft.calls):
        return False
    words, asked, grounds = bag(draft.instruction), _asked(draft), _grounds(draft)
    return not any(bag(one.instruction) == words or asked & _asked(one) or grounds & _grounds(one) for one in others)


def _given_away(draft: Draft) -> bool:
    """Whether the words hold the answer, as a number of another kind perhaps."""
    return draft.answer is not None and tells(draft.instruction, draft.answer.value)


def _asked(draft: Draft) -> set[str]:
    """Each operation with its arguments; for a question its reads, for a set what its rows have in common."""
    if draft.gathered is not None:
        return {repr((draft.gathered.entity, draft.gathered.wanted))}
    if draft.reading is not None:
        return {repr((draft.calls, draft.reading))}
    return {repr((one.tool.name, one.values)) for one in draft.operations}


def _grounds(draft: Draft) -> set[tuple[str, ...]]:
    """Evidence, whatever the rule: what several tasks are declined for is cited blindly."""
    return {one.required for one in draft.declined.reasons} if draft.declined is not None else set()
