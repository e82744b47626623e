import pytest

from registry.package.symbols import SymbolError, is_symbol, resolve, symbol

RESULTS = [{"items": [{"id": "A-1", "name": "Kim, Lee]", "size": 2}, {"id": "A-2", "name": "Kim", "size": 2}]}, {"id": "B-1"}]


def test_a_symbol_names_the_one_element_that_has_the_values() -> None:
    assert resolve(symbol(0, "items", {"name": "Kim, Lee]"}), RESULTS) == "A-1"
    assert resolve({"x": [symbol(0, "items", {"name": "Kim", "size": 2}), symbol(1)]}, RESULTS) == {"x": ["A-2", "B-1"]}


@pytest.mark.parametrize("text", ["$0.items[size=2].id", "$0.items[name=nobody].id", "$5.id", "$1.nothing"])
def test_a_symbol_that_names_no_single_value_is_refused(text: str) -> None:
    with pytest.raises(SymbolError, match="symbol"):
        resolve(text, RESULTS)


def test_plain_text_stays_as_it_is() -> None:
    assert not is_symbol("costs $5")
    assert resolve("costs $5", RESULTS) == "costs $5"
