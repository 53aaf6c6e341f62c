"""Files that are damaged: whatever a library raises at them becomes one sentence for the user."""

from __future__ import annotations

import lzma
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from ..errors import UserError

DAMAGE = (
    OSError,
    EOFError,
    ValueError,
    MemoryError,
    OverflowError,
    RuntimeError,
    pa.ArrowException,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    tokenize.TokenError,
)
"""What pyarrow, numpy and zipfile raise at files that are cut short, changed or forged."""


@contextmanager
def explain_damage(problem: str, advice: str) -> Iterator[None]:
    """Turn what is raised at a damaged file into an error that says which file, and where.

    >>> with explain_damage("x.csv cannot be read", ""):
    ...     raise ValueError("It is wrong.\\nAnd long.")
    Traceback (most recent call last):
    ...
    streamart.cli.errors.UserError: x.csv cannot be read (It is wrong).
    """
    try:
        yield
    except DAMAGE as error:
        raise UserError(f"{problem} ({_first_line(error)}).", advice) from error


def _first_line(error: BaseException) -> str:
    return str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
