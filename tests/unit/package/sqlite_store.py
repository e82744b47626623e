"""A row store over the standard library's sqlite3, for tests that need no engine."""

import datetime as dt
import re
import sqlite3


class SqliteStore:
    """Implements `RowStore`; `writes` holds what was written."""

    def __init__(self, schema: str, rows=(), now="2026-03-02T08:00:00") -> None:
        self.db = sqlite3.connect(":memory:", isolation_level=None)
        self.db.executescript(schema)
        self.now = dt.datetime.fromisoformat(now)
        self.writes: list[tuple] = []
        self.steps = 0
        self.counters: dict[tuple[str, str], int] = {}
        self.patterns: dict[str, str] = {}
        for table, values in rows:
            self._insert(table, values)

    def _insert(self, table, values) -> None:
        names = ", ".join(f'"{name}"' for name in values)
        self.db.execute(f'INSERT INTO "{table}" ({names}) VALUES ({", ".join("?" * len(values))})', tuple(values.values()))

    def read(self, table, key):
        return self.db.execute(f'SELECT * FROM "{table}" WHERE "id" = ?', (key,)).fetchone()

    def rows(self, table, order=None):
        return self._select(table, "", (), order)

    def having(self, table, place, value):
        column = [row[1] for row in self.db.execute(f'PRAGMA table_info("{table}")')][place]
        return self._select(table, f'WHERE "{column}" IS ?', (value,))

    def among(self, table, places, values):
        columns = [row[1] for row in self.db.execute(f'PRAGMA table_info("{table}")')]
        one = " AND ".join(f'"{columns[place]}" IS ?' for place in places)
        wanted = [value if len(places) > 1 else (value,) for value in values]
        return self._select(table, f"WHERE {' OR '.join(f'({one})' for _ in wanted) or '0'}", tuple(part for value in wanted for part in value))

    def _select(self, table, where, parameters, order=None):
        columns = [row[1] for row in self.db.execute(f'PRAGMA table_info("{table}")')]
        keys = [f"{_ranked(columns[key.place], key.ranks)} {'DESC' if key.descending else 'ASC'}" for key in (order.keys if order else ())]
        return self.db.execute(f'SELECT * FROM "{table}" {where} ORDER BY {", ".join([*keys, chr(34) + "id" + chr(34)])}', parameters).fetchall()

    def next_number(self, table, scope):
        if (table, scope) not in self.counters:
            keys = [row[0] for row in self.db.execute(f'SELECT "id" FROM "{table}"') if row[0].startswith(scope)]
            numbers = [int(re.findall(r"\d+", key)[-1]) for key in keys if re.search(r"\d", key)]
            self.counters[table, scope] = max(numbers, default=0)
        self.counters[table, scope] += 1
        return self.counters[table, scope]

    def insert(self, table, key, values):
        self.writes.append((table, "insert", key, dict(values)))
        self._insert(table, {"id": key, **values})

    def update(self, table, key, values):
        self.writes.append((table, "update", key, dict(values)))
        names = ", ".join(f'"{name}" = ?' for name in values)
        self.db.execute(f'UPDATE "{table}" SET {names} WHERE "id" = ?', (*values.values(), key))

    def delete(self, table, key):
        self.writes.append((table, "delete", key, {}))
        self.db.execute(f'DELETE FROM "{table}" WHERE "id" = ?', (key,))

    def step(self, units=1):
        self.steps += units


def _ranked(column, ranks):
    if ranks is None:
        return f'"{column}"'
    return f'CASE "{column}" {" ".join(f"WHEN {chr(39)}{word}{chr(39)} THEN {rank}" for word, rank in ranks.items())} END'
