"""Logs of our processes: one JSON object a line, on stderr."""

import json
import logging
import sys

from server.telemetry import SERVED


class JsonLines(logging.Formatter):
    """One record as one line of JSON; a traceback is text inside it."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line = {"time": self.formatTime(record), "level": record.levelname, "logger": record.name, "message": record.getMessage()}
        line.update(SERVED.get())
        line.update(getattr(record, "fields", {}))
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line)  # ASCII alone: what an agent sends can neither break a line nor reach a terminal


def log_to_stderr(level: str = "WARNING") -> None:
    """Sends everything of `level` and above to stderr, and nothing anywhere else."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
