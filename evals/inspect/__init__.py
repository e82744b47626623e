"""What plays and scores envfarm's tasks in inspect-ai."""

from evals.inspect.play import final_state, play_episode

__all__ = ["final_state", "play_episode"]
