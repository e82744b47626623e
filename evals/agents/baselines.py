"""The built-in agents by name, each a function that plays one session."""

from collections.abc import Awaitable, Callable

from evals.agents import blind, guessing
from evals.agents.agent import Episode, Outcome
from evals.agents.builtin import noop, oracle
from evals.agents.careful import careful_oracle
from evals.agents.known import Known
from evals.session import ThinSession
from registry.plain_http import Http

Baseline = Callable[[ThinSession, Episode, Known], Awaitable[Outcome]]


async def _oracle(session: ThinSession, episode: Episode, known: Known) -> Outcome:
    told = await known.told(episode.task)
    gold = await known.gold(episode.task)
    remark = await (careful_oracle(session, gold, told["looks"]) if episode.noisy else oracle(session, gold))
    return Outcome(remark=remark, stopped="gave_up" if remark else "finished")


async def _noop(session: ThinSession, episode: Episode, known: Known) -> Outcome:
    await noop(session, await known.gold(episode.task))
    return Outcome()


BASELINES: dict[str, Baseline] = {
    "oracle": _oracle,
    "noop": _noop,
    "random": guessing.by_chance,
    "greedy": guessing.greedy,
    "blind-decline": blind.decline,
    "blind-first": blind.first_rows,
    "blind-last": blind.last_rows,
    "blind-other": blind.others_writes,
    "blind-branch": blind.branch,
    "blind-yes": blind.yes,
    "blind-no": blind.no,
    "blind-common": blind.common,
}
"""Every built-in agent."""


class Played:
    """A baseline as an agent.

    Args:
        name: Of `BASELINES`.
        http: Carries calls.
        known: Tells gold.
    """

    def __init__(self, name: str, http: Http, known: Known) -> None:
        self._baseline, self._http, self._known = BASELINES[name], http, known

    async def play(self, episode: Episode) -> Outcome:
        """Plays one episode."""
        return await self._baseline(ThinSession(episode.mcp_url, self._http), episode, self._known)
