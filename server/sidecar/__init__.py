"""The grader plane: tasks, runs, replay, score; its own process, never reachable from an agent's URL."""
