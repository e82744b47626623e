"""Errors of the server and the command line.

UserError               a person can put it right: one sentence, exit code 1, no traceback
  WrongUsage            the command line itself is wrong: exit code 2
  Interrupted           Ctrl-C ended the command: exit code 130
  FarmUnreachable       no farm answers at the address that was tried
"""


class UserError(Exception):
    """One sentence for a person, of the form `<where>: expected <what>, got <value>. <what to do>`."""

    exit_code = 1


class WrongUsage(UserError):
    """The arguments of a command make no sense together."""

    exit_code = 2


class Interrupted(UserError):
    """What Ctrl-C cut off, and how to go on."""

    exit_code = 130


class FarmUnreachable(UserError):
    """Nothing that speaks the control API answers."""
