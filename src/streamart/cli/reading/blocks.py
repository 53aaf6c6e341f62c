"""A text file or pipe in blocks of whole records, and where in a block each record is.

Reading by blocks of our own, rather than leaving it to pyarrow, tells the place in the file where a
block ends, at which a later run can go on, and the line that a row stands on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..._typing import Ints
from ..errors import UserError

BLOCK = 1 << 20
"""Bytes read at a time: what is learnt before somebody who wants to stop is heard."""
LONGEST = 64 * BLOCK
_NEWLINE, _RETURN, _QUOTE = 10, 13, 34

Read = Callable[[int], bytes]
"""Reads so many bytes at most; none at the end."""


class Block(NamedTuple):
    """Whole records."""

    data: bytes
    byte: int
    """Of the source, where it begins."""


def blocks(read: Read, start: int, name: str, quoted: bool, size: int = BLOCK) -> Iterator[Block]:
    """Cut what is read after line ends; `quoted`: but not after those within quotes.

    >>> parts = iter([b"1,2", b"\\n3,4\\n5", b",6"])
    >>> [block.data for block in blocks(lambda size: next(parts, b""), 0, "x.csv", False)]
    [b'1,2\\n3,4\\n', b'5,6']
    """
    held: list[bytes] = []  # pieces of a record that has not ended
    length, inside, byte = 0, False, start
    while more := read(size):
        end = _end_of_records(more, quoted, inside)
        if end:
            yield Block(b"".join([*held, more[:end]]), byte)
            byte += length + end
            more, held, length, inside = more[end:], [], 0, False
        held.append(more)
        length += len(more)
        inside ^= quoted and more.count(b'"') % 2 == 1
        if length > LONGEST:
            raise UserError(
                f"{name} has a line of more than {LONGEST >> 20} MB.",
                "It is no text file, or a quotation mark is missing.",
            )
    if length:
        yield Block(b"".join(held), byte)


def _end_of_records(data: bytes, quoted: bool, inside: bool) -> int:
    """Behind the last line end that is not within quotes; `inside`: the data begins within some."""
    end = data.rfind(b"\n") + 1
    if not quoted or not end or not (inside or b'"' in data):
        return end
    letters = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero((letters == _NEWLINE) & (_quotes_before(letters) % 2 == int(inside)))
    return int(ends[-1]) + 1 if len(ends) else 0


def _quotes_before(letters: Any) -> Any:
    """How many quotation marks come before each letter, as far as odd and even are concerned."""
    return np.cumsum(letters == _QUOTE, dtype=np.uint8)  # it wraps around at 256, which is even


class Records:
    """Where the records of a block are; empty lines are none. Looked up when it is needed."""

    def __init__(self, data: bytes, quoted: bool) -> None:
        letters = np.frombuffer(data, dtype=np.uint8)
        newline = letters == _NEWLINE
        ends = np.flatnonzero(newline)
        line = np.arange(len(ends) + 1)
        if quoted and b'"' in data:
            outside = _quotes_before(letters)[ends] % 2 == 0
            ends, line = ends[outside], np.concatenate([[0], line[1:][outside]])
        starts = np.concatenate([[0], ends + 1])
        ends = np.concatenate([ends, [len(data)]])
        content = ends - starts
        last = letters[np.maximum(ends - 1, 0)] if len(letters) else np.zeros(len(ends))
        content = content - ((content > 0) & (last == _RETURN))
        there = content > 0
        self._data = data
        self._starts: Ints = starts[there]
        self._ends: Ints = self._starts + content[there]
        self.lines: Ints = line[there]
        """Lines before each record, in the block."""

    def __len__(self) -> int:
        return len(self._starts)

    def data(self, record: int) -> bytes:
        return self._data[self._starts[record] : self._ends[record]]

    def text(self, record: int) -> str:
        return self.data(record).decode("utf-8", errors="replace")
