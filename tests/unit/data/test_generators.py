"""Generators of `data:` blocks."""

import datetime as dt
import itertools
from fractions import Fraction

import pytest

from synth.data import vocabulary
from synth.data.draws import Slots, Unmade
from synth.data.generators import Generators
from synth.data.stream import Stream, world_stream
from synth.lang.builtins import BUILTINS

NOW = dt.datetime.fromisoformat("2026-03-02T08:00:00")


def generators(*parts):
    return Generators(world_stream("test", *parts), NOW, lambda run, taken, length: list(taken))


def test_every_generator_of_the_language_exists_and_no_other():
    assert set(generators().table) == {one.name for one in BUILTINS if one.place == "data"}


def test_enough_names_for_four_hundred_times_six_hundred_people():
    given = {name for names in vocabulary.given_names().values() for name in names}
    family = {name for names in vocabulary.family_names().values() for name in names}
    assert len(given) >= 400
    assert len(family) >= 600
    assert list(vocabulary.given_names()) == list(vocabulary.family_names())


def test_no_word_stands_twice_in_one_list():
    for sections in (vocabulary.given_names(), vocabulary.family_names(), vocabulary.pets(), vocabulary.lists(), vocabulary.sentences()):
        for name, words in sections.items():
            assert len(words) == len(set(words)), name


def test_every_product_has_a_range_of_prices():
    for options in vocabulary.products().values():
        assert len(options) >= 10
        assert all(0 < one.low < one.high for one in options)


def test_names_phones_and_addresses_of_thousands_of_people_are_distinct():
    made = generators()
    names = [made.table["person_name"](None) for _ in range(20_000)]
    assert len(set(names)) == 20_000
    assert len({made.table["phone_number"](None) for _ in names}) == 20_000
    mails = [made.table["email_of"](None, name) for name in names]
    assert len(set(mails)) == 20_000
    assert all(mail.endswith((".example", "example.com", "example.org", "example.net")) for mail in mails)


def test_an_address_fits_its_name():
    first, last = "ruth", "moore"
    local = generators().table["email_of"](None, "Ruth Moore").split("@")[0]
    assert last in local
    assert local.startswith(first[0]) or local.startswith(last)


def test_the_same_stream_draws_the_same_and_another_draws_others():
    def draw(made):
        return [made.table[name](None) for name in ("person_name", "company", "street", "city", "postcode", "phone_number", "job_title")]

    assert draw(generators(1)) == draw(generators(1))
    assert draw(generators(1)) != draw(generators(2))


def test_the_stream_draws_what_it_always_drew():
    stream = Stream(7)
    assert [stream.below(1000) for _ in range(5)] == [323, 150, 650, 72, 535]


def test_sentences_of_all_kinds_have_no_open_slot():
    made = generators()
    for kind in vocabulary.sentences():
        for _ in range(60):
            sentence = made.table["sentence"](None, kind)
            assert "{" not in sentence
            assert 3 < len(sentence) < 120


def test_products_are_distinct_and_their_prices_lie_in_the_range_of_their_kind():
    made = generators()
    for kind, options in vocabulary.products().items():
        made.begin(kind, 1)
        names = [made.table["product"](None, kind) for _ in range(120)]
        assert len(set(names)) == 120
        for name in names:
            price = made.table["price_of"](None, name)
            assert min(one.low for one in options) <= price <= max(one.high for one in options) + 1


def test_a_large_size_costs_more_than_a_small_one():
    made = generators()
    made.begin("Item", 1)
    rice = {name: made.table["price_of"](None, name) for name in (made.table["product"](None, "grocery") for _ in range(80)) if "rice" in name}
    sizes = ["250 g", "500 g", "1 kg", "2 kg", "5 kg"]
    priced = sorted((sizes.index(name.split(" (")[1].rstrip(")")), price) for name, price in rice.items() if not any(c.isupper() for c in name))
    assert len(priced) > 2
    assert all(a[1] <= b[1] for a, b in itertools.pairwise(priced))


def test_money_stays_between_its_ends_and_is_often_round():
    made = generators()
    amounts = [made.table["money"](None, Fraction(0), Fraction(200)) for _ in range(500)]
    assert all(0 <= amount <= 200 for amount in amounts)
    assert sum(amount.denominator == 1 for amount in amounts) > 100
    assert all((amount * 100).denominator == 1 for amount in amounts)


def test_integers_reach_both_ends_and_gather_near_the_usual_one():
    made = generators()
    assert {made.table["integer"](None, 1, 6) for _ in range(300)} == {1, 2, 3, 4, 5, 6}
    near = [made.table["integer"](None, 0, 100, 10) for _ in range(1000)]
    assert min(near) >= 0
    assert max(near) <= 100
    assert sum(value <= 50 for value in near) > 650


def test_dates_lie_between_their_ends_both_included():
    made = generators()
    dates = {made.table["date_between"](None, dt.timedelta(days=-1), dt.timedelta(days=1)) for _ in range(100)}
    assert dates == {dt.date(2026, 3, 1), dt.date(2026, 3, 2), dt.date(2026, 3, 3)}
    moments = [made.table["datetime_between"](None, NOW - dt.timedelta(hours=1), NOW) for _ in range(200)]
    assert all(NOW - dt.timedelta(hours=1) <= moment <= NOW and moment.second == 0 for moment in moments)


def test_pick_free_never_meets_what_is_taken_and_stays_before_closing():
    made = generators()
    times = made.table["slots_between"](None, dt.timedelta(), dt.timedelta(days=1), dt.time(8), dt.time(18), dt.timedelta(minutes=30))
    assert isinstance(times, Slots)
    taken = []
    while True:
        try:
            start = made.table["pick_free"](None, taken, 60, times)
        except Unmade:
            break
        end = start + dt.timedelta(minutes=60)
        assert end.time() <= dt.time(18)
        assert all(end <= a or b <= start for a, b in taken)
        taken.append((start, end))
    assert len(taken) > 12


def test_picking_from_nothing_makes_no_row():
    with pytest.raises(Unmade):
        generators().table["pick"](None, [])


def test_codes_follow_their_pattern_and_are_distinct():
    made = generators()
    codes = [made.table["code"](None, "SKU-##") for _ in range(60)]
    assert len(set(codes)) == 60
    assert all(code.startswith("SKU-") and code[4:].isdigit() and len(code) == 6 for code in codes)
