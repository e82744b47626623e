"""Errors of evaluations.

EvalError               a person can put it right: one sentence, exit code 1, no traceback
  WireBroken            the MCP endpoint does not answer (evals.session)
"""


class EvalError(Exception):
    """One sentence for a person, of the form `<where>: expected <what>, got <value>. <what to do>`."""

    exit_code = 1
