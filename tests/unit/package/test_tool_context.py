"""The runtime of compiled tools, on row classes written by hand."""

import datetime as dt
from fractions import Fraction

import pytest

from registry.package import reading
from registry.package import runtime as rt
from tests.unit.package.sqlite_store import SqliteStore


class Folder(rt.Row):
    __slots__ = ()
    _about = rt.About(plural="folders", id="FOL-{n:02}")
    name = rt.text(length=20, unique=True)
    parent: "rt.Column[Folder | None]" = rt.optional_ref("Folder", tree=True)
    children: "rt.Many[Folder]" = rt.Many("Folder", "parent")
    notes: "rt.Many[Note]" = rt.Many("Note", "folder")


class Tag(rt.Row):
    __slots__ = ()
    _about = rt.About(plural="tags", identity="given", archive=True)
    word = rt.text()
    archived = rt.boolean()


class Note(rt.Row):
    __slots__ = ()
    _about = rt.About(plural="notes", id="{parent}-N{n:02}", per="folder", unique=(("folder", "title"),))
    folder: "rt.Column[Folder]" = rt.ref("Folder", part=True, position=True)
    title = rt.text()
    price: "rt.Column[Fraction]" = rt.scalar(rt.number_kind(2), low=Fraction(0))
    state = rt.state({"draft": ("sent",), "sent": ()})
    due: "rt.Column[dt.date | None]" = rt.optional_scalar(rt.DATE)
    words: "rt.Column[list[str]]" = rt.scalar(rt.list_kind(rt.TEXT))
    position = rt.integer()
    tags: "rt.Links[Tag]" = rt.Links("Tag")

    @rt.always(2)
    def double(self) -> Fraction:
        return self.price * 2

    def _called(self) -> str:
        return f"note {self.title}"


SCHEMA = rt.Schema(Folder, Tag, Note)
SQL = """
CREATE TABLE "Folder" ("id" TEXT NOT NULL PRIMARY KEY, "name" TEXT NOT NULL, "parent_id" TEXT) STRICT;
CREATE TABLE "Tag" ("id" TEXT NOT NULL PRIMARY KEY, "word" TEXT NOT NULL, "archived" INTEGER NOT NULL) STRICT;
CREATE TABLE "Note" ("id" TEXT NOT NULL PRIMARY KEY, "folder_id" TEXT NOT NULL, "title" TEXT NOT NULL, "price" INTEGER NOT NULL,
  "state" TEXT NOT NULL, "due" TEXT, "words" TEXT NOT NULL, "position" INTEGER NOT NULL) STRICT;
CREATE TABLE "Note_tags" ("id" TEXT NOT NULL PRIMARY KEY, "note_id" TEXT NOT NULL, "tag_id" TEXT NOT NULL) STRICT;
"""


def fresh() -> rt.ToolContext:
    return rt.ToolContext(SqliteStore(SQL), SCHEMA)


def refusal(action) -> rt.ToolRefusal:
    with pytest.raises(rt.ToolRefusal) as caught:
        action()
    return caught.value


def titles(folder: Folder) -> list[str]:
    return [note.title for note in sorted(folder.notes, key=lambda note: note.position)]


def test_a_row_is_a_handle_that_reads_the_current_state_and_equals_others_by_id():
    ctx = fresh()
    folder = ctx.insert(Folder, name="Letters")
    same = ctx.get(Folder, "FOL-01")
    ctx.update(folder, name="Post")
    assert same == folder
    assert same.name == "Post"
    assert len({same, folder}) == 1
    with pytest.raises(AttributeError):
        folder.name = "Other"


def test_results_hold_stored_columns_links_and_computed_fields():
    ctx = fresh()
    tag = ctx.insert(Tag, id="red", word="Red")
    note = ctx.insert(Note, folder=ctx.insert(Folder, name="Letters"), title="A", price=Fraction(5, 2), words=["x", "y"], tags=[tag])
    assert rt.dump(note) == {
        "id": "FOL-01-N01",
        "folder_id": "FOL-01",
        "title": "A",
        "price": 2.5,
        "state": "draft",
        "due": None,
        "words": ["x", "y"],
        "position": 1,
        "tags_ids": ["red"],
        "double": 5.0,
    }
    assert rt.dump(rt.Detail(note.folder))["notes"][0]["title"] == "A"
    assert rt.dump([note])["items"][0]["id"] == note.id
    assert rt.dump(rt.DONE) == {"ok": True}
    assert rt.dump(None) == {"result": None}
    assert rt.dump(Fraction(1, 3)) == {"result": 0.3333}


def test_money_is_exact_until_it_is_stored_and_then_rounded_half_to_even():
    ctx = fresh()
    folder = ctx.insert(Folder, name="Letters")
    prices = [ctx.insert(Note, folder=folder, title=str(cents), price=Fraction(cents, 1000)).price for cents in (125, 135, 5)]
    assert prices == [Fraction(12, 100), Fraction(14, 100), Fraction(0)]


def test_ids_count_within_their_parent_and_given_ids_are_refused_when_taken():
    ctx = fresh()
    one, two = ctx.insert(Folder, name="a"), ctx.insert(Folder, name="b")
    made = [ctx.insert(Note, folder=folder, title=title, price=0).id for folder, title in ((one, "x"), (two, "y"), (one, "z"))]
    assert made == ["FOL-01-N01", "FOL-02-N01", "FOL-01-N02"]
    ctx.insert(Tag, id="red", word="Red")
    taken = refusal(lambda: ctx.insert(Tag, id="red", word="Other"))
    assert (taken.code, taken.sentence, taken.evidence) == ("DUPLICATE", "There is already a tag with the same id.", ("red",))


def test_derived_refusals_have_fixed_sentences_and_evidence():
    ctx = fresh()
    folder = ctx.insert(Folder, name="Letters")
    note = ctx.insert(Note, folder=folder, title="A", price=1)
    other = ctx.insert(Note, folder=folder, title="B", price=1)
    found = [
        refusal(lambda: ctx.get(Folder, "FOL-99")),
        refusal(lambda: ctx.update(note, state="draft")),
        refusal(lambda: ctx.insert(Folder, name="Letters")),
        refusal(lambda: ctx.update(other, title="A")),
        refusal(lambda: ctx.update(note, price=Fraction(-1))),
        refusal(lambda: ctx.insert(Folder, name="x" * 21)),
        refusal(lambda: ctx.update(folder, parent=ctx.insert(Folder, name="below", parent=folder))),
    ]
    assert [(one.code, one.sentence, one.evidence) for one in found] == [
        ("NOT_FOUND", "There is no folder with the id 'FOL-99'.", ()),
        ("WRONG_STATE", "The state of this note is draft and cannot become draft.", (note.id,)),
        ("DUPLICATE", "There is already a folder with the same name.", ("FOL-01",)),
        ("DUPLICATE", "There is already a note with the same folder and title.", (note.id,)),
        ("LIMIT", "The price of a note must be at least 0.00.", (note.id,)),
        ("LIMIT", "The name of a folder must have at most 20 characters.", ()),
        ("LIMIT", "The parent of a folder cannot be the folder itself or one below it.", ("FOL-01",)),
    ]


def test_delete_takes_parts_and_links_along_and_closes_positions():
    ctx = fresh()
    folder, tag = ctx.insert(Folder, name="a"), ctx.insert(Tag, id="red", word="Red")
    notes = [ctx.insert(Note, folder=folder, title=title, price=0, tags=[tag]) for title in "xyz"]
    ctx.delete(notes[0])
    assert [(note.title, note.position) for note in folder.notes] == [("y", 1), ("z", 2)]
    ctx.delete(folder)
    assert ctx.all(Note) == []
    assert ctx.store.rows("Note_tags") == []


def test_a_row_that_others_refer_to_is_in_use():
    ctx = fresh()
    folder = ctx.insert(Folder, name="a")
    child = ctx.insert(Folder, name="b", parent=folder)
    used = refusal(lambda: ctx.delete(folder))
    assert (used.code, used.sentence, used.evidence) == ("IN_USE", "This folder cannot be deleted: a folder refers to it.", (child.id,))


def test_archived_rows_leave_lists_but_keep_their_references():
    ctx = fresh()
    tag = ctx.insert(Tag, id="red", word="Red")
    note = ctx.insert(Note, folder=ctx.insert(Folder, name="a"), title="x", price=0, tags=[tag])
    ctx.delete(tag)
    assert ctx.all(Tag) == []
    assert ctx.count(Tag) == 0
    assert note.tags == [tag]
    assert ctx.get(Tag, "red").archived


def test_positions_stay_dense_when_rows_move_within_and_between_parents():
    ctx = fresh()
    one, two = ctx.insert(Folder, name="a"), ctx.insert(Folder, name="b")
    notes = {title: ctx.insert(Note, folder=one, title=title, price=0) for title in "abcd"}
    ctx.insert(Note, folder=two, title="z", price=0)
    ctx.update(notes["d"], position=2)
    assert titles(one) == ["a", "d", "b", "c"]
    ctx.update(notes["a"], position=99)
    assert titles(one) == ["d", "b", "c", "a"]
    ctx.insert(Note, folder=one, title="e", price=0, position=1)
    assert titles(one) == ["e", "d", "b", "c", "a"]
    ctx.update(notes["b"], folder=two)
    assert (titles(one), titles(two)) == (["e", "d", "c", "a"], ["z", "b"])
    assert [sorted(note.position for note in folder.notes) for folder in (one, two)] == [[1, 2, 3, 4], [1, 2]]


def test_copy_takes_values_links_and_parts_but_not_the_id():
    ctx = fresh()
    folder, tag = ctx.insert(Folder, name="a"), ctx.insert(Tag, id="red", word="Red")
    ctx.insert(Note, folder=folder, title="x", price=3, state="sent", tags=[tag])
    copied = ctx.copy(folder, name="b")
    assert [(note.id, note.title, note.state, note.tags) for note in copied.notes] == [("FOL-02-N01", "x", "sent", [tag])]
    assert len(folder.notes) == 1


def test_links_are_sets():
    ctx = fresh()
    red, blue = (ctx.insert(Tag, id=word, word=word) for word in ("red", "blue"))
    note = ctx.insert(Note, folder=ctx.insert(Folder, name="a"), title="x", price=0)
    ctx.link(note, "tags", [red, red])
    ctx.link(note, "tags", blue)
    assert [tag.id for tag in note.tags] == ["blue", "red"]
    ctx.unlink(note, "tags", red)
    ctx.update(note, tags=[red])
    assert note.tags == [red]


def test_patch_writes_only_what_was_sent():
    ctx = fresh()
    note = ctx.insert(Note, folder=ctx.insert(Folder, name="a"), title="x", price=0, due=dt.date(2026, 3, 3))
    ctx.patch(note, title=rt.UNSET, due=None)
    assert (note.title, note.due) == ("x", None)


def test_search_filters_sorts_and_pages():
    ctx = fresh()
    folder = ctx.insert(Folder, name="a")
    for number, title in enumerate(("Ärger", "ärgerlich", "Blume", "baum")):
        ctx.insert(Note, folder=folder, title=title, price=number, words=[title])
    found = ctx.search(Note, rt.contains("title", "ÄRG"), rt.equal("folder", folder), rt.equal("due", None), sort=("-price",), limit=1)
    assert ([note.title for note in found.items], found.total, found.next_offset) == (["ärgerlich"], 2, 1)
    assert [note.title for note in ctx.search(Note, rt.at_least("price", Fraction(2)), rt.at_most("price", Fraction(2))).items] == ["Blume"]
    assert [note.title for note in ctx.search(Note, rt.has("words", "baum")).items] == ["baum"]


def test_find_and_count_agree():
    ctx = fresh()
    folder = ctx.insert(Folder, name="a")
    for title, state in (("a", "draft"), ("b", "sent"), ("c", "draft")):
        ctx.insert(Note, folder=folder, title=title, price=1, state=state)
    assert [note.title for note in ctx.find(Note, folder=folder, state=("sent", "draft"))] == ["a", "b", "c"]
    assert ctx.count(Note, state="draft", due=None) == 2
    assert ctx.sum(Note, "price", state="draft") == 2


@pytest.mark.parametrize(("text", "value"), [("1 + 2 * 3", 7), ("(1.10 + 2.20) * 3", Fraction(99, 10)), ("-7 // 2", -4), ("2 ** 10", 1024)])
def test_the_calculator_is_exact(text, value):
    assert rt.calculate(text) == value


@pytest.mark.parametrize("text", ["1/0", "9**9**9", "__import__('os')", "a + 1", "", "(" * 150, "1" * 300, "True + 1", "2 ** 0.5", "1e999999"])
def test_the_calculator_refuses_everything_but_arithmetic(text):
    assert refusal(lambda: rt.calculate(text)).code == "INVALID_EXPRESSION"


def test_a_copy_leaves_archived_parts_behind():
    class Part(rt.Row):
        __slots__ = ()
        _about = rt.About(plural="parts", id="P{n:02}", archive=True)
        whole: "rt.Column[Whole]" = rt.ref("Whole", part=True)
        archived = rt.boolean()

    class Whole(rt.Row):
        __slots__ = ()
        _about = rt.About(plural="wholes", id="W{n:02}")
        parts: "rt.Many[Part]" = rt.Many("Part", "whole")

    sql = """
    CREATE TABLE "Whole" ("id" TEXT NOT NULL PRIMARY KEY) STRICT;
    CREATE TABLE "Part" ("id" TEXT NOT NULL PRIMARY KEY, "whole_id" TEXT NOT NULL, "archived" INTEGER NOT NULL) STRICT;
    """
    ctx = rt.ToolContext(SqliteStore(sql), rt.Schema(Whole, Part))
    whole = ctx.insert(Whole)
    ctx.delete(ctx.insert(Part, whole=whole))
    kept = ctx.insert(Part, whole=whole)
    assert whole.parts == [kept]
    assert len(ctx.copy(whole).parts) == 1


def test_a_context_serves_call_after_call_and_lets_go_of_handles_when_they_are_many(monkeypatch):
    ctx = fresh()
    letters = ctx.insert(Folder, name="Letters")
    ctx.end()
    ctx.store.now += dt.timedelta(days=1)
    ctx.begin()
    assert ctx.today == dt.date(2026, 3, 3)
    assert ctx.get(Folder, "FOL-01") is letters
    monkeypatch.setattr(reading, "HANDLES", 0)
    ctx.end()
    ctx.begin()
    assert ctx.get(Folder, "FOL-01") is not letters
    assert ctx.get(Folder, "FOL-01").name == "Letters"


def test_a_handle_on_a_row_that_is_gone_or_was_never_there_says_so_and_comes_to_life_with_the_row():
    ctx = fresh()
    red = Tag(ctx, "red")
    with pytest.raises(LookupError):
        _ = red.word
    assert ctx.insert(Tag, id="red", word="Red") is red
    assert red.word == "Red"
    folder = ctx.insert(Folder, name="Letters")
    note = ctx.insert(Note, folder=folder, title="A", price=0)
    ctx.delete(folder)
    with pytest.raises(LookupError):
        _ = note.folder
