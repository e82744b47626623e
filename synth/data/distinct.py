"""What was drawn before, so that names are not drawn twice."""

from collections.abc import Callable

TRIES = 12


class Distinct:
    """Remembers draws, some for the whole world, some within the entity whose rows are being made."""

    def __init__(self) -> None:
        self.entity = ""
        self._seen: dict[str, set[str]] = {}

    def draw(self, what: str, usual: Callable[[], str], wider: Callable[[], str]) -> str:
        """A text not drawn before in this world; from the wider choice when the usual one seems used up, and at last anyway."""
        seen = self._seen.setdefault(what, set())
        for attempt in range(3 * TRIES):
            drawn = usual() if attempt < TRIES else wider()
            if drawn not in seen:
                break
        seen.add(drawn)
        return drawn

    def draw_here(self, what: str, usual: Callable[[], str], wider: Callable[[], str]) -> str:
        """The same, within the entity whose rows are being made."""
        return self.draw(f"{self.entity}: {what}", usual, wider)
