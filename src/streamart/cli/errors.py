"""What a user did wrong, said so that it can be put right, and the exit codes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

DONE = 0
FAILED = 1
"""Something cannot be read or written, or a row was refused with ``--on-error stop``."""
MISUSED = 2
"""The command line itself is wrong."""
NOTHING = 3
"""There was no usable row."""
BROKEN_PIPE = 141
"""Whoever read the output went away; as a shell reports it."""
SIGNALLED = 128
"""Plus the number of the signal: 130 after Ctrl-C, 143 after a polite kill."""


class UserError(Exception):
    """What is wrong and where, and what to do next; shown without a traceback."""

    def __init__(self, problem: str, advice: str = "", code: int = FAILED) -> None:
        super().__init__(f"{problem} {advice}".strip())
        self.problem = problem
        self.advice = advice
        self.code = code


@contextmanager
def explain_write_errors(what: str) -> Iterator[None]:
    """A full disk is the user's to put right; a reader that went away is another matter."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UserError(
            f"{what} cannot be written: {error.strerror or error}.",
            "Make room on that disk, or write to another place.",
        ) from error
