"""Files, compressed files and standard input, as sources of parts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from ..errors import UserError
from .blocks import Block, Read, blocks
from .columns import Wanted
from .damage import explain_damage
from .parts import Layout, Part, Position
from .sniff import LOOK

COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4"}


class Text(Protocol):
    """What understands a text format."""

    quoted: bool

    def look(self, sample: bytes, whole: bool) -> Layout: ...

    def parse(self, block: Block, start: Position, wanted: Wanted) -> Part: ...


class Source(Protocol):
    """Something that rows are read from."""

    name: str

    def layout(self) -> Layout: ...

    def parts(self, wanted: Wanted, start: Position) -> Iterator[Part]: ...

    def share(self, end: Position) -> float | None:
        """How much of it has been read, from 0 to 1; None if nobody knows."""


class TextFile:
    """A CSV or NDJSON file, perhaps compressed; followed while it grows, if there is a `wait`."""

    def __init__(
        self, path: Path, name: str, text: Text, wait: Callable[[], None] | None = None
    ) -> None:
        self.name = name
        self._path = path
        self._text = text
        self._wait = wait
        self._packed = path.suffix in COMPRESSED
        self._size = max(1, path.stat().st_size)

    def _opened(self, start: int) -> tuple[Any, Read]:
        try:
            if self._packed:
                file = pa.input_stream(str(self._path), compression=COMPRESSED[self._path.suffix])
                left = start
                while left and (skipped := file.read(min(left, 1 << 24))):
                    left -= len(skipped)
            else:
                file = open(self._path, "rb", buffering=0)
                file.seek(start)
        except OSError as error:
            raise UserError(f"{self.name} cannot be read: {error.strerror or error}.") from error
        return file, self._patient(file) if self._wait else file.read

    def _patient(self, file: Any) -> Read:
        wait = self._wait
        assert wait is not None

        def read(size: int) -> bytes:
            while not (data := file.read(size)):
                if os.stat(self._path).st_size < file.tell():
                    raise UserError(
                        f"{self.name} became shorter while it was followed.",
                        "Start again when it has been replaced.",
                    )
                wait()
            return bytes(data)

        return read

    def layout(self) -> Layout:
        file, _ = self._opened(0)
        with explain_damage(f"{self.name} cannot be read", "Is the file complete?"), file:
            sample = _filled(file.read, LOOK)
        return self._text.look(sample, len(sample) < LOOK)

    def parts(self, wanted: Wanted, start: Position) -> Iterator[Part]:
        file, read = self._opened(start.byte)
        with file:
            yield from _parsed(self._text, read, start, wanted, self.name)

    def share(self, end: Position) -> float | None:
        return None if self._packed or self._wait else min(1.0, end.byte / self._size)


class TextPipe:
    """Standard input; what comes is kept in a file if it must be read again."""

    def __init__(self, read: Read, text: Callable[[bytes], Text], keep: Any = None) -> None:
        self.name = "standard input"
        self._read_more = read
        self._sample = b""
        self._text_for = text
        self._text: Text
        self._keep = keep

    def layout(self) -> Layout:
        """Waits for the first lines only, since a live stream may pause after them."""
        whole = False
        while self._sample.count(b"\n") < 2 and len(self._sample) < LOOK:
            more = self._next(LOOK)
            whole = not more
            if whole:
                break
            self._sample += more
        if not self._sample.strip():
            raise UserError("Standard input is empty.", "Pipe a table into it, or name a file.")
        self._text = self._text_for(self._sample)
        # Two whole lines tell nothing of a third that has just begun.
        end = len(self._sample) if whole else self._sample.rfind(b"\n") + 1
        return self._text.look(self._sample[:end] or self._sample, True)

    def _next(self, size: int) -> bytes:
        more = self._read_more(size)
        if self._keep is not None:
            self._keep.write(more)
        return more

    def parts(self, wanted: Wanted, start: Position) -> Iterator[Part]:
        def read(size: int) -> bytes:
            if self._sample:
                first, self._sample = self._sample, b""
                return first
            return self._next(size)

        left = start.byte
        while left and (skipped := read(min(left, 1 << 24))):
            self._sample = skipped[left:]
            left -= min(left, len(skipped))
        yield from _parsed(self._text, read, start, wanted, "standard input")

    def from_file(self, path: Path) -> TextFile:
        """What has come, to read it again."""
        return TextFile(path, self.name, self._text)

    def share(self, end: Position) -> float | None:
        return None


def _filled(read: Read, size: int) -> bytes:
    data = b""
    while len(data) < size and (more := read(size - len(data))):
        data += more
    return data


def _parsed(text: Text, read: Read, start: Position, wanted: Wanted, name: str) -> Iterator[Part]:
    for block in blocks(read, start.byte, name, text.quoted):
        part = text.parse(block, start, wanted)
        start = part.end
        yield part
