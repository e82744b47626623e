from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import get_args

from registry.package.pack import GoldCall, Source, TaskKind
from registry.package.symbols import symbol
from registry.packs.reading import read_pack
from synth.data.world import make_world
from synth.lang.domain import Domain
from synth.reference.interpret import reference
from synth.reference.state import Ref
from synth.seed.read import read_seed
from synth.tasks.aim import LEVELS
from synth.tasks.chance import chance
from synth.tasks.cover import attempts, because
from synth.tasks.draft import Draft
from synth.tasks.finishing.choose import chosen, spared
from synth.tasks.finishing.relabel import guessable
from synth.tasks.make import making
from synth.tasks.play import Play
from synth.tasks.proving.retold import retold
from synth.tasks.references.describe import Described
from synth.tasks.references.look import look, within_sight
from synth.tasks.room import Room
from synth.tasks.rows.fitting import allowed, fitting
from synth.tasks.rows.mending import mended
from synth.tasks.rows.propose import Proposal
from synth.tasks.supply import Supply, supply
from synth.tasks.wording.phrase import as_phrase
from synth.tasks.workshop import Workshop


@cache
def domain() -> Domain:
    return read_seed(Path("seeds/tool_library.yaml"))


def tools_of(draft: Draft) -> frozenset[str]:
    return frozenset(draft.tools)


@cache
def packed() -> Supply:
    return supply(domain(), "0" * 64, 40)


def workshop() -> Workshop:
    machine = reference(domain())
    worlds = [machine.state(make_world(domain(), number).rows) for number in (300_000, 800_000)]
    return Workshop(domain=domain(), state=worlds[0], sibling=worlds[1], rng=chance("a tool"))


def test_every_tool_of_a_pack_of_forty_is_used_or_it_is_said_why_not() -> None:
    used = {tool for draft in packed().drafts for tool in draft.tools}
    assert used | packed().unused.keys() == {tool.name for tool in domain().tools}
    assert not used & packed().unused.keys()
    assert all(packed().unused.values())
    manifest = read_pack(Path(), lambda path: packed().files[path.as_posix()]).manifest
    assert manifest.unused == packed().unused
    assert set(manifest.unused_tools) == packed().unused.keys()


def test_the_pack_of_a_build_has_tasks_of_every_kind_even_of_the_smallest_seed() -> None:
    assert {draft.kind for draft in packed().drafts} == set(get_args(TaskKind))


def test_gold_looks_at_what_belongs_to_a_row_that_it_has_found() -> None:
    shop = workshop()
    play, item = Play(domain(), shop.state), next(row for row in shop.state.rows("Item") if row["borrower_id"])
    index = play.call("search_items", {"name": item["name"]}, {})
    play.found["Item", str(item["id"])] = symbol(index, "items", {"id": item["id"]})
    tools = {tool.name: tool for tool in domain().tools}
    assert [name for name in ("get_item", "get_member", "search_members", "search_items") if within_sight(domain(), tools[name], "Item")] == [
        "get_item",
        "get_member",
    ]
    assert look(play, tools["get_member"], Ref("Item", str(item["id"])))
    assert (play.calls[-1].tool, play.results[-1]["id"]) == ("get_member", item["borrower_id"])
    assert not look(play, tools["search_members"], Ref("Item", str(item["id"])))


def test_a_tool_that_no_task_can_use_says_what_the_rules_make_of_requests_for_it() -> None:
    shop = workshop()
    said = because(shop, domain().tool("take_back_item"), {"do no twin": 3, "decline no feasible request": 1})
    assert said.startswith("4 tries: do no twin 3, decline no feasible request 1; of 60 requests in this world: ")
    assert "NOT_LENT" in said
    assert because(shop, domain().tool("get_item"), {}) == "no kind of task that was asked for can use it"


def test_a_reading_tool_is_asked_about_before_gold_looks_with_it() -> None:
    tried = list(attempts(workshop(), domain().tool("get_member")))
    assert {one.kind for one in tried[:3]} == {"answer"}
    assert {one.focus for one in tried if one.looking} == {"lend_item", "take_back_item", "update_member"}


def test_pairs_whose_tools_others_use_too_make_room_for_tools_that_none_uses() -> None:
    def pair(place: int, kind: TaskKind, *tools: str) -> list[Draft]:
        both = [Draft(kind=kind, instruction=f"{place}", calls=(), outcome="done", accepted=(), tools=tools) for _ in range(2)]
        return [replace(both[0], twin=place + 1), replace(both[1], twin=place)]

    kinds = ("do", "do", "do", "do", "answer", "answer", "answer")
    tools = ("ae", "bf", "cg", "d", "a", "b", "c")
    drafts = [one for place, kind in enumerate(kinds) for one in pair(2 * place, kind, *tools[place])]

    taken = chosen(drafts, 12, [True] * len(drafts), tools_of)
    assert sum(taken) == 12
    kept = [draft for draft, one in zip(drafts, taken, strict=True) if one]
    assert {tool for draft in kept for tool in draft.tools} == set("abcdefg")

    # Of two pairs of a kind one gives way where a tool would be left out else, the last one never.
    for count in (8, 4):
        taken = chosen(drafts, count, [True] * len(drafts), tools_of)
        assert [draft.kind for draft, one in zip(drafts, taken, strict=True) if one].count("answer") == 2


def test_pairs_beyond_those_wanted_go_where_no_tool_goes_out_of_use() -> None:
    def pair(place: int, tools: str) -> list[Draft]:
        both = [Draft(kind="do", instruction=f"{place}", calls=(), outcome="done", accepted=(), tools=tuple(tools)) for _ in range(2)]
        return [replace(both[0], twin=place + 1), replace(both[1], twin=place)]

    first = tuple(one for place, tools in enumerate(("a", "ab", "bc")) for one in pair(2 * place, tools))
    left = spared([first, tuple(pair(0, "d"))], 6, tools_of)
    assert [sorted({tool for one in drafts for tool in one.tools}) for drafts in left] == [["a", "b", "c"], ["d"]]
    assert [one.twin for one in left[0]] == [1, 0, 3, 2]


def test_earlier_calls_make_room_for_a_tool_that_could_do_nothing() -> None:
    shop, back = workshop(), domain().tool("take_back_item")
    for row in shop.state.rows("Item"):
        shop.state.update("Item", str(row["id"]), {"borrower_id": None})
    room = Room(domain(), shop.state, shop.sibling, chance("room"))
    assert room.possible(shop.state, back) is None
    grown = room.make([back])
    call = room.possible(grown, back)
    assert call is not None
    assert grown.tables["Item"][call.arguments()["item_id"]]["borrower_id"] is not None
    assert shop.guard.holds(grown)


def test_a_call_that_is_forbidden_is_mended_by_other_arguments() -> None:
    shop, lend = workshop(), domain().tool("lend_item")
    lent = next(str(row["id"]) for row in shop.state.rows("Item") if row["borrower_id"])
    late = next(str(row["id"]) for row in shop.state.rows("Member") if str(row["paid_until"]) < domain().now[:10])
    call = Proposal(tool=lend, values={"item": Ref("Item", lent), "member": Ref("Member", late)})
    assert not allowed(domain(), shop.state, call)
    other = fitting(shop.proposer(shop.state), call)
    assert other is not None
    assert allowed(domain(), shop.state, other)


def test_a_row_gets_another_value_where_that_makes_a_call_possible() -> None:
    shop, lend = workshop(), domain().tool("lend_item")
    here = next(str(row["id"]) for row in shop.state.rows("Item") if not row["borrower_id"])
    late = next(str(row["id"]) for row in shop.state.rows("Member") if str(row["paid_until"]) < domain().now[:10])
    call = Proposal(tool=lend, values={"item": Ref("Item", here), "member": Ref("Member", late)})
    assert not allowed(domain(), shop.state, call)
    grown = mended(domain(), shop.state, shop.guard, call, shop.rng)
    assert grown is not None
    assert allowed(domain(), grown, call)
    assert grown.differing(shop.state) == [("Member", late)]
    assert shop.guard.holds(grown)


def test_more_tasks_are_made_on_the_same_world_for_a_kind_and_tools_that_are_missing() -> None:
    shop = workshop()
    first = making(domain(), shop.state, shop.sibling, 4, 1, ("do", "answer"))
    before = first.made()
    again = first.further({tool.name: 1 for tool in domain().tools if tool.name != "lend_item"}, ("answer",), LEVELS, ("do", "answer"))
    assert "answer" in {draft.kind for draft in again.drafts}
    assert "lend_item" in {tool for draft in again.drafts for tool in draft.tools}
    assert not {draft.instruction for draft in again.drafts} & {draft.instruction for draft in before.drafts}


def test_no_task_of_a_pack_is_about_the_first_or_the_last_row_of_a_table() -> None:
    for batch in packed().batches:
        ids = {entity.name: {key: key for key in batch.state.keys(entity.name)} for entity in domain().entities}
        assert not guessable(batch.drafts, ids)


def test_gold_of_a_twin_names_the_row_that_the_words_mean_there() -> None:
    shop = workshop()
    one, two = (str(row["id"]) for row in list(shop.state.rows("Item"))[:2])
    name = str(shop.state.tables["Item"][one]["name"])
    described = Described(entity="Item", key=one, prefix="s0", phrase=as_phrase(name), leaves=(shop.view.leaf("Item", one, ("name",)),))
    call = GoldCall(
        tool="take_back_item",
        arguments={"item_id": f"$0.items[id={one}].id"},
        sources={"item_id": Source(kind="result", call=0, path=f"items[id={one}].id")},
    )
    after = shop.state.fork()
    after.update("Item", one, {"name": shop.state.tables["Item"][two]["name"]})
    after.update("Item", two, {"name": name})
    (there,) = retold(domain(), shop.state, after, [described], (call,)) or ()
    assert there.arguments == {"item_id": f"$0.items[id={two}].id"}
    assert there.sources["item_id"].path == f"items[id={two}].id"


def test_what_no_task_uses_so_far_is_covered_beyond_the_number_of_tasks() -> None:
    shop = workshop()
    made = making(domain(), shop.state, shop.sibling, 2, 0, ("do", "answer"), cover=True).made()
    used = {tool for draft in made.drafts for tool in draft.tools}
    assert used | made.uncovered.keys() == {tool.name for tool in domain().tools}
    assert len(made.drafts) > 2
