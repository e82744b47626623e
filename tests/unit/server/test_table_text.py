"""Tables as people read them."""

from registry.package.meta import Meta
from server.agent.table_text import table_text

ID = {"name": "id", "kind": "text", "match": "exempt", "generated": True}
META = Meta.model_validate(
    {
        "now": "2026-03-02T08:00:00",
        "tools": [],
        "tables": [
            {"name": "Order", "plural": "Orders", "id_kind": "counter", "id_pattern": "ORD-{n:05}", "columns": [ID]},
            {
                "name": "Line",
                "plural": "Lines",
                "id_kind": "counter",
                "id_pattern": "{parent}-{n}",
                "id_per": "order",
                "part_of": "Order",
                "columns": [
                    ID,
                    {"name": "order_id", "kind": "reference", "match": "exact", "references": ["Order"]},
                    {"name": "sort", "kind": "enum", "match": "exact", "words": ["a", "b"], "optional": True},
                    {"name": "said", "kind": "text", "match": "text", "length": 80},
                    {"name": "gift", "kind": "bool", "match": "exact"},
                    {"name": "lasts", "kind": "duration", "match": "exact"},
                    {"name": "marks", "kind": "list", "match": "exact", "of": "date"},
                ],
            },
            {
                "name": "Line_likes",
                "plural": "",
                "id_kind": "key",
                "link": True,
                "columns": [
                    ID,
                    {"name": "line_id", "kind": "reference", "match": "exact", "references": ["Line"]},
                    {"name": "target_id", "kind": "reference", "match": "exact", "references": ["Order"]},
                ],
            },
        ],
    }
)


def test_each_column_is_said_in_words_with_a_sample_of_ids():
    assert (
        table_text("Shop", META)
        == """# Tables of Shop

## Order

- `id`: id, such as ORD-00001

## Line

Part of Order.

- `id`: id, such as ORD-00001-1
- `order_id`: id of Order
- `sort`: enum, one of a, b, may be empty
- `said`: text, at most 80 characters
- `gift`: yes or no
- `lasts`: duration in minutes
- `marks`: list of date

## Links

- `Line_likes`: Line to Order
"""
    )
