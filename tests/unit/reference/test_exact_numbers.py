"""Exact numbers and lists of rows that are worked out faster must be the ones that the plain way gives."""

import operator
from fractions import Fraction
from random import Random

from synth.reference.exact import ARITHMETIC, compared, half_even, quotient, total
from synth.reference.state import Ref, State, from_rows


def _numbers(random: Random) -> list[Fraction | int]:
    return [random.choice((random.randint(-40, 40), Fraction(random.randint(-400, 400), random.choice((1, 2, 7, 100, 100))))) for _ in range(60)]


def test_arithmetic_is_that_of_fractions():
    numbers = _numbers(Random(1))
    for name, plain in (("+", operator.add), ("-", operator.sub), ("*", operator.mul), ("//", operator.floordiv), ("%", operator.mod)):
        for left in numbers:
            for right in numbers:
                if right or name not in ("//", "%"):
                    found = ARITHMETIC[name](left, right)
                    assert (found, type(found)) == (plain(left, right), type(plain(left, right)))
    assert all(ARITHMETIC["/"](left, right) == Fraction(left) / right for left in numbers for right in numbers if right)


def test_orders_sums_and_rounding_are_those_of_fractions():
    numbers = _numbers(Random(2))
    for plain in (operator.lt, operator.le, operator.gt, operator.ge):
        assert all(compared(plain)(left, right) is plain(left, right) for left in numbers for right in numbers)
    for end in range(len(numbers)):
        assert (total(numbers[:end]), type(total(numbers[:end]))) == (sum(numbers[:end]), type(sum(numbers[:end])))
    for one in (*numbers, Fraction(5, 1000), Fraction(15, 1000), Fraction(-5, 1000), Fraction(-25, 1000)):
        assert [half_even(one, places) for places in (0, 1, 2)] == [round(Fraction(one) * 10**places) for places in (0, 1, 2)]
    assert all(quotient(above, below) == Fraction(above, below) for above in range(-20, 20) for below in range(1, 7))


def _asked(state: State) -> list[list[Ref]]:
    lists = [state.refs("Pet", "owner_id", owner, archive=archive) for owner in ("O-1", "O-2", None) for archive in (False, True)]
    return [*lists, state.refs("Pet", "", None, archive=False), state.refs("Pet", "", None, archive=True)]


def test_lists_of_rows_are_those_of_the_rows_as_they_are_after_any_writes():
    random = Random(3)
    state = from_rows(["Pet"], [("Pet", {"id": f"P-{number}", "owner_id": "O-1", "archived": 0}) for number in range(5)])
    for number in range(200):
        if number % 10 == 0:
            state = state.fork()
        keys = state.keys("Pet")
        action = random.choice(("insert", "delete", "owner", "archive")) if keys else "insert"
        if action == "insert":
            state.insert("Pet", {"id": f"N-{number}", "owner_id": random.choice(("O-1", "O-2", None)), "archived": 0})
        elif action == "delete":
            state.delete("Pet", random.choice(keys))
        else:
            values = {"owner_id": random.choice(("O-1", "O-2", None))} if action == "owner" else {"archived": random.choice((0, 1))}
            state.update("Pet", random.choice(keys), values)
        assert _asked(state) == _asked(from_rows(["Pet"], state.world_rows()))
