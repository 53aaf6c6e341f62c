"""What readers hand on: parts of a stream, and the place where each ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ..._typing import Ints


class Position(NamedTuple):
    """Where reading can go on: behind so many bytes, records and lines of a source."""

    source: int = 0
    byte: int = 0
    record: int = 0
    line: int = 0


class Reject(NamedTuple):
    """A row that cannot be used."""

    file: str
    line: int
    """Of the file; of a table without lines (Parquet, NPY), the number of the row."""
    reason: str
    text: str
    """The row as it was."""


class Part(NamedTuple):
    """Some rows as they were read: numbers may be missing."""

    table: pa.Table
    """The wanted columns, called c0, c1, ... by their places; measurements are float64, null or NaN
    where there is no number."""
    records: Ints
    """Number of each row in its source, from 1."""
    lines: Callable[[], Ints]
    """Line of each row; counted only when somebody asks."""
    text: Callable[[int], str]
    """A row as it was in the file."""
    refused: list[Reject]
    """Rows that are not in the table, because they are no rows: too wide, malformed."""
    end: Position
    wrong: dict[str, Any]
    """By feature: its cells as they were written, where some are no numbers."""


class Layout(NamedTuple):
    """What a look at the beginning of a source tells."""

    names: list[str]
    first: list[Any]
    """Of each column its first values, an Arrow array: they decide what it is."""
    named: bool
    """Whether the names are the file's own; otherwise they are x1, x2, ..."""
    described: str
    """For the user: the format, and what was guessed of it."""
    decimal: str = "."
    apart: tuple[str, ...] = ()
    """Columns that are not used as features by default."""


def numbered(count: int) -> list[str]:
    """Names for columns that have none.

    >>> numbered(2)
    ['x1', 'x2']
    """
    return [f"x{i}" for i in range(1, count + 1)]


def record_numbers(start: int, count: int) -> Ints:
    return np.arange(start + 1, start + count + 1, dtype=np.int64)
