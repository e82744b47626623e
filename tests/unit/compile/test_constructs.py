"""Every construct of the seed language, compiled and executed."""

import datetime as dt
from fractions import Fraction

import pytest

from tests.unit.compile.building import asked, build, domain_of

LIBRARY = """
constants:
  OPEN: {type: time, value: "08:00"}
  LOAN: {type: duration, value: "14 days"}
  FINE: {type: money, value: "0.50"}
enums:
  Level: [low, mid, high]
types:
  Address:
    street: {type: text}
    city: {type: text, optional: true}
    fee: {type: money}
entities:
  Shelf:
    id: "SH-{n:02}"
    called: "shelf {name}"
    plural: shelves
    fields:
      name: {type: text, length: "10", unique: true}
      inside: {ref: Shelf, optional: true, many: parts_of_it, tree: true}
  Tag:
    id: given
    archive: true
    fields:
      word: {type: text}
  Book:
    id: "{parent}-B{n:02}"
    per: shelf
    called: "{title}"
    unique: ["title", "level"]
    fields:
      shelf: {ref: Shelf, many: books, part: true, position: true}
      title: {type: text}
      level: {type: Level, start: "'low'"}
      price: {type: money, low: "0", high: "100"}
      stock: {type: integer, start: "0"}
      reserved: {type: integer, start: "0", high: "stock"}
      half: {type: money, is: "price / 2"}
      worth: {type: money, always: "price * stock"}
      status: {lifecycle: {in: [out], out: [in, lost], lost: []}}
      due: {type: date, optional: true}
      words: {type: list, of: text, start: "[]"}
      tags: {links: Tag}
  Member:
    id: "M-{n:02}"
    fields:
      name: {type: text}
      home: {type: Address}
      scores: {type: map, of: integer}
  Lender:
    id: "L-{n:02}"
    fields:
      name: {type: text}
  Note:
    key: [book, member]
    fields:
      book: {ref: Book, many: notes}
      member: {ref: Member, many: notes}
      by: {ref: [Member, Lender]}
      says: {type: text, optional: true}
  Setting:
    single: true
    fields:
      limit: {type: integer, start: "3"}
functions: |
  def dear(books: list[Book], over: money):
      return [b for b in books if b.price > over]

  def must_be_in(book: Book):
      require(book.status == 'in', NOT_IN, "Only a book that is in can be lent.", says=f"{book} is {book.status}.")
      policy(book.price < 50, DEAR, "A dear book is not lent.")

tools: |
"""

TOOLS = """
  def lend(book: Book, on: date, note: text = None):
      \"\"\"Lend a book.\"\"\"
      must_be_in(book)
      left = book.stock - book.reserved
      require(left > 0, NONE_LEFT, "There must be one left.", says=f"{left} of {book.stock} are left, worth {book.worth}.")
      book.status = 'out'
      book.due = on + LOAN
      book.stock -= 1
      return {'book': book, 'share': 1 / 3, 'fine': FINE, 'left': left, 'note': note}

  def dear_ones(over: money = 10):
      \"\"\"Dear books.\"\"\"
      return sorted(dear(Book, over), key=lambda b: (b.level, b.title), reverse=True)

  def average(shelf: Shelf):
      \"\"\"Average price.\"\"\"
      return avg(b.price for b in shelf.books)

  def patch_book(book: Book, title: Book.title = unset, due: Book.due = unset, price: Book.price = unset):
      \"\"\"Patch.\"\"\"
      require(not given(price) or price < 90, TOO_DEAR, "Not so dear.")
      patch(book, title=title, due=due, price=price)

  def move_shelf(shelf: Shelf, into: Shelf = None):
      \"\"\"Move.\"\"\"
      shelf.inside = into
      return [s.name for s in tree(shelf)]

  def tag(book: Book, tags: list[Tag], off: bool = False):
      \"\"\"Tag.\"\"\"
      if off:
          book.tags -= tags
      else:
          book.tags += tags
      return book

  def place(book: Book, position: integer):
      \"\"\"Place.\"\"\"
      book.position = position
      return [b.title for b in sorted(book.shelf.books, key=lambda b: b.position)]

  def drop_shelf(shelf: Shelf):
      \"\"\"Drop.\"\"\"
      delete(shelf)

  def double_shelf(shelf: Shelf, name: Shelf.name):
      \"\"\"Copy.\"\"\"
      made = copy(shelf, name=name)
      return made.books

  def join(name: text, home: Address, scores: list[integer]):
      \"\"\"Join.\"\"\"
      return create(Member, name=name, home=home, scores={'a': sum(scores), 'b': len(scores)})

  def remark(book: Book, member: Member, by: Member, says: Note.says = None):
      \"\"\"Remark.\"\"\"
      return create(Note, book=book, member=member, by=by, says=says)

  def who(note: Note):
      \"\"\"Who.\"\"\"
      kind = 'member' if isa(note.by, Member) else 'lender'
      return f"{kind} {note.by.name} on {note.book} says {note.says}, {note.member.scores['a']}, {lookup(note.member.scores, 'z', 7)}"

  def months(day_: date, at: datetime):
      \"\"\"Months.\"\"\"
      return [add_months(day_, 1), month_start(day_), month_end(day_), day(at), at.date_ if False else day_]
"""


@pytest.fixture
def library(tmp_path):
    tools = TOOLS.replace("day(at), at.date_ if False else day_", "day(at)")
    return build(domain_of(tmp_path, LIBRARY + asked(tools)))


def stocked(library, **values):
    shelf = library.add("Shelf", name="A")
    given = {"shelf": shelf, "title": "Emma", "price": Fraction(25), "stock": 2, "status": "in", **values}
    return shelf, library.add("Book", **given)


def test_rules_bindings_effects_and_records(library):
    _, book = stocked(library)
    assert library.call("lend", book=book, on=dt.date(2026, 3, 2)) == {
        "book": {
            "id": "SH-01-B01",
            "shelf_id": "SH-01",
            "title": "Emma",
            "level": "low",
            "price": 25.0,
            "stock": 1,
            "reserved": 0,
            "half": 12.5,
            "status": "out",
            "due": "2026-03-16",
            "words": [],
            "position": 1,
            "tags_ids": [],
            "worth": 25.0,
        },
        "share": 0.3333,
        "fine": 0.5,
        "left": 2,
        "note": None,
    }
    assert library.refusal("lend", book=book, on=dt.date(2026, 3, 2)) == ("NOT_IN", "Emma is out.", ("SH-01-B01",))


def test_a_rule_says_what_holds_now_with_money_as_people_read_it(library):
    _, book = stocked(library, stock=0)
    assert library.refusal("lend", book=book, on=dt.date(2026, 3, 2))[:2] == ("NONE_LEFT", "0 of 0 are left, worth 0.00.")


def test_checks_report_all_broken_rules_policies_and_derived_refusals(library):
    _, book = stocked(library, stock=0, price=Fraction(60), status="lost")
    assert library.broken("lend", book_id=book.id, on="2026-03-02") == [
        ("NOT_IN", (book.id,), True),
        ("DEAR", (book.id,), False),
        ("NONE_LEFT", (book.id,), True),
        ("WRONG_STATE", (book.id,), True),
    ]
    _, other = library.add("Shelf", name="B"), library.add("Book", shelf=book.shelf, title="x", price=Fraction(95), stock=1, status="in")
    assert library.broken("lend", book_id=other.id, on="2026-03-02") == [("DEAR", (other.id,), False)]
    assert library.broken("double_shelf", shelf_id="SH-01", name="B") == [("DUPLICATE", ("SH-02",), True)]


def test_sorting_by_an_enum_follows_its_order(library):
    shelf, _ = stocked(library)
    for title, level in (("b", "high"), ("c", "mid"), ("d", "high")):
        library.add("Book", shelf=shelf, title=title, level=level, price=Fraction(20), status="in")
    assert [one["title"] for one in library.call("dear_ones")["items"]] == ["d", "b", "c", "Emma"]
    assert library.call("dear_ones", over=Fraction(22))["items"][0]["title"] == "Emma"


def test_means_are_exact_and_none_of_nothing(library):
    shelf, _ = stocked(library)
    library.add("Book", shelf=shelf, title="x", price=Fraction(1, 100), status="in")
    assert library.call("average", shelf=shelf) == {"result": 12.5}
    assert library.call("average", shelf=library.add("Shelf", name="B")) == {"result": None}


def test_patch_writes_what_was_sent_and_rules_may_ask_for_it(library):
    _, book = stocked(library, due=dt.date(2026, 1, 1))
    assert library.call("patch_book", book=book, due=None) == {"ok": True}
    assert library.ctx.get(library.rows.Book, book.id).due is None
    assert library.refusal("patch_book", book=book, price=Fraction(95))[0] == "TOO_DEAR"
    assert library.refusal("patch_book", book=book, price=Fraction(-1)) == (
        "LIMIT",
        "The price of a book must be at least 0.00.",
        (book.id,),
    )


def test_limits_may_be_other_fields_of_the_row(library):
    _, book = stocked(library)
    ctx = library.ctx
    with pytest.raises(Exception, match="LIMIT: The reserved of a book must be at most 2"):
        ctx.update(ctx.get(library.rows.Book, book.id), reserved=3)


def test_trees_refuse_cycles_and_list_what_is_below(library):
    top, below = library.add("Shelf", name="A"), library.add("Shelf", name="B")
    assert library.call("move_shelf", shelf=below, into=top) == {"items": ["B"]}
    assert library.call("move_shelf", shelf=top, into=None) == {"items": ["A", "B"]}
    assert library.refusal("move_shelf", shelf=top, into=below)[0] == "LIMIT"


def test_links_positions_copies_and_deletes(library):
    shelf, book = stocked(library)
    tag = library.add("Tag", id="t1", word="new")
    assert library.call("tag", book=book, tags=[tag])["tags_ids"] == ["t1"]
    assert library.call("tag", book=book, tags=[tag], off=True)["tags_ids"] == []
    library.call("tag", book=book, tags=[tag])
    library.add("Book", shelf=shelf, title="Zoo", price=Fraction(1), status="in")
    assert library.call("place", book=book, position=2) == {"items": ["Zoo", "Emma"]}
    assert library.refusal("double_shelf", shelf=shelf, name="A")[0] == "DUPLICATE"
    assert library.refusal("double_shelf", shelf=shelf, name="C") == (
        "DUPLICATE",
        "There is already a book with the same title and level.",
        ("SH-01-B01",),
    )
    assert library.call("drop_shelf", shelf=shelf) == {"ok": True}
    assert library.store.rows("Book") == library.store.rows("Book_tags") == []


def test_structs_maps_compound_keys_and_either_kind_of_row(library):
    _, book = stocked(library)
    home = library.rows.Address(street="Elm 1", city=None, fee=Fraction(3, 2))
    member = library.call("join", name="Ann", home=home, scores=[1, 2])
    assert member == {"id": "M-01", "name": "Ann", "home": {"street": "Elm 1", "city": None, "fee": 1.5}, "scores": {"a": 3, "b": 2}}
    row = library.ctx.get(library.rows.Member, "M-01")
    note = library.call("remark", book=book, member=row, by=row)
    assert (note["id"], note["by_id"]) == ("SH-01-B01/M-01", "M-01")
    assert library.refusal("remark", book=book, member=row, by=row) == (
        "DUPLICATE",
        "There is already a note with the same book and member.",
        ("SH-01-B01/M-01",),
    )
    told = library.call("who", note=library.ctx.get(library.rows.Note, note["id"]))
    assert told == {"result": "member Ann on Emma says none, 3, 7"}


def test_dates(library):
    at = dt.datetime.fromisoformat("2026-03-02T09:00:00")
    assert library.call("months", day_=dt.date(2026, 1, 31), at=at) == {"items": ["2026-02-28", "2026-01-01", "2026-01-31", "2026-03-02"]}
