"""envfarm's tasks in inspect-ai: what its registry finds."""

from evals.inspect.play import final_state, play_episode
from evals.inspect.tasks import envfarm_tasks

__all__ = ["envfarm_tasks", "final_state", "play_episode"]
