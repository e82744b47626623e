"""The built-in agents against an episode in this process."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from evals.agents.builtin import noop, oracle, submission
from evals.session import Reply
from registry.catalogue import open_folder
from registry.episode import LocalEpisode
from registry.package.pack import Gold
from tests.unit.registry.small_package import write_package
from tests.unit.sidecar.small_pack import ASK, DECLINE, DO, GOLD


class LocalSession:
    """Calls without a wire."""

    def __init__(self, episode: LocalEpisode) -> None:
        self.episode = episode

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Reply:
        outcome = self.episode.call(tool, arguments)
        return Reply(result=outcome.result, text=outcome.text)


@pytest.fixture
def session(tmp_path: Path) -> LocalSession:
    return LocalSession(LocalEpisode(open_folder(write_package(tmp_path))))


def gold(task: str, **more: Any) -> Gold:
    return Gold.model_validate({"task": task, **GOLD[task], **more})


def calls(*pairs: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"tool": tool, "arguments": arguments} for tool, arguments in pairs]


async def test_oracle_finds_rows_by_content_and_submits(session: LocalSession) -> None:
    note = {"owner_id": "$0.items[name=Ann Lee].id", "text": "hello"}
    remark = await oracle(session, gold(DO, calls=calls(("search_owners", {"name": "e"}), ("add_note", note))))
    assert remark == ""
    assert [(record.tool, record.arguments.get("owner_id")) for record in session.episode.log()] == [
        ("search_owners", None),
        ("add_note", "OWN-2"),
        ("submit_answer", None),
    ]
    assert session.episode.closed


async def test_oracle_stops_and_tells_where_gold_leads_nowhere(session: LocalSession) -> None:
    assert "got 0 that fit" in await oracle(session, gold(DO))
    refused = gold(DO, calls=calls(("add_credit", {"owner_id": "OWN-2", "amount": -1})))
    assert "gold call 0 (add_credit): OVERDRAWN" in await oracle(session, refused)
    assert not session.episode.closed


async def test_noop_calls_nothing(session: LocalSession) -> None:
    assert await noop(session, gold(DO)) == ""
    assert session.episode.log() == ()


def test_the_submission_is_golds_outcome() -> None:
    assert submission(gold(DO)) == {"outcome": "done"}
    assert submission(gold(ASK)) == {"outcome": "answered", "answer": "4"}
    assert submission(gold(DECLINE)) == {"outcome": "declined", "reason_code": "OVERDRAWN", "evidence": ["OWN-2"]}
