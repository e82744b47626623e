"""One server in the configuration of a client, as text: where it stands, put in, taken out."""

import tomllib
from typing import Any

from server.cli.client_config import TABLES, Client, as_toml
from server.cli.json_text import parse, put_entry, take_entry, without_comments
from server.errors import UserError

COMMENTED = ("vscode",)
"""Clients that take comments in their JSON."""

Entry = dict[str, Any]


class NotUnderstood(UserError):
    """The file is not what the client would take; it stays as it is."""


class Document:
    """The text of one client's file; nothing in it is nothing yet.

    Args:
        client: Whose file.
        text: Its content.
        where: Its name, for error sentences.

    Raises:
        NotUnderstood: the text is not what this client takes.
    """

    def __init__(self, client: Client, text: str, where: str) -> None:
        self.client = client
        self.text = text
        self.table = TABLES.get(client, "mcpServers")
        self._where = where
        self.value = self._parsed(text)
        if not isinstance(self.value, dict) or not isinstance(self.servers, dict):
            raise self._odd(f"an object with the object {self.table}", f"{self.table} of another kind")

    @property
    def servers(self) -> Any:
        """All entries by name."""
        return self.value.get(self.table, {}) if isinstance(self.value, dict) else None

    def entry(self, name: str) -> Entry | None:
        """The server `name`, or None."""
        found: Entry | None = self.servers.get(name)
        return found

    def put(self, name: str, entry: Entry) -> str:
        """The text with a server more, which must not be there yet."""
        if self.client == "codex":
            gap = "" if not self.text.strip() else "\n" if self.text.endswith("\n") else "\n\n"
            new = f"{self.text}{gap}{self._toml(name, entry)}"
        else:
            new = put_entry(self.text if self.text.strip() else "{}\n", self.table, name, entry)
        expected = {**self.value, self.table: {**self.servers, name: entry}}
        return self._checked(new, expected)

    def take(self, name: str, *, with_table: bool) -> str:
        """The text without the server `name`; without the table of servers too when `with_table` is given and nothing else is in it."""
        entry = self.servers[name]
        if self.client == "codex":
            block = self._toml(name, entry)
            if self.text.count(block) != 1:
                raise self._odd(f"[{self.table}.{name}] as it was written", "another text")
            before, _, after = self.text.partition(block)
            new = (before.removesuffix("\n") if before.endswith("\n\n") else before) + after
        else:
            new = take_entry(self.text, self.table, name, with_table=with_table)
        rest = {one: value for one, value in self.servers.items() if one != name}
        expected = {**self.value, self.table: rest}
        if not rest and (self.client == "codex" or with_table):
            del expected[self.table]
        return self._checked(new, expected)

    def _toml(self, name: str, entry: Entry) -> str:
        return as_toml({self.table: {name: entry}}) + "\n"

    def _checked(self, new: str, expected: Any) -> str:
        """Nothing is written that does not say exactly what is wanted."""
        try:
            found = self._parsed(new)
        except NotUnderstood:
            found = None
        if found != expected:
            raise self._odd("a layout into which a server can be put", "one in which the result would say something else")
        return new

    def _parsed(self, text: str) -> Any:
        if not text.strip():
            return {}
        kind = "TOML" if self.client == "codex" else "JSON"
        try:
            if self.client == "codex":
                return tomllib.loads(text)
            return parse(without_comments(text) if self.client in COMMENTED else text)
        except (ValueError, RecursionError) as error:
            raise self._odd(f"a file that reads as {kind}", f"one that does not ({str(error).splitlines()[0]})") from error

    def _odd(self, expected: str, got: str) -> NotUnderstood:
        return NotUnderstood(f"{self._where}: expected {expected}, got {got}. Nothing was changed; put it right, or edit the file by hand.")
