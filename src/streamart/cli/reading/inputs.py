"""From what stands on the command line to sources."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import MISUSED, UserError
from ..stopping import Stop
from .blocks import BLOCK
from .csv_text import CsvText
from .excel import ExcelFile
from .ndjson_text import NdjsonText
from .paths import STDIN, existing
from .sniff import LOOK
from .sources import COMPRESSED, Source, Text, TextFile, TextPipe
from .tables import NumpyFile, ParquetFile

FORMATS = ("csv", "ndjson", "parquet", "npy", "npz", "excel")
_SUFFIXES = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".dat": "csv",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".json": "ndjson",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".npy": "npy",
    ".npz": "npz",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".xls": "excel",
    ".ods": "excel",
}
_MAGIC = {b"PAR1": "parquet", b"\x93NUMPY": "npy", b"PK\x03\x04": "npz"}


class Writing(NamedTuple):
    """What the user says of how the input is written; the rest is guessed."""

    format: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    header: bool | None = None


def sources_of(
    paths: Sequence[str], writing: Writing, stop: Stop, follow: bool = False, keep: Any = None
) -> list[Source]:
    """Open what was named; `keep` takes what comes by standard input, to read it again."""
    names = existing(paths)
    if follow and len(names) > 1:
        raise UserError(
            f"--follow takes one source, and there are {len(names)}.", "Name one.", MISUSED
        )
    if names.count(STDIN) > 1:
        raise UserError("Standard input can be read only once.", "Name '-' once.", MISUSED)
    if names == [STDIN] and sys.stdin is not None and sys.stdin.isatty():
        raise UserError(
            "Standard input is the keyboard.",
            "Pipe a table into it (... | streamart cluster -), or name a file.",
            MISUSED,
        )
    return [
        _pipe(writing, stop, follow, keep) if name == STDIN else _file(name, writing, stop, follow)
        for name in names
    ]


def _file(name: str, writing: Writing, stop: Stop, follow: bool) -> Source:
    path = Path(name)
    kind = writing.format or _format_of(path)
    if kind in ("csv", "ndjson"):
        text = _text(kind, name, writing)
        if follow and path.suffix in COMPRESSED:
            raise UserError(f"{name} is compressed and cannot be followed.", code=MISUSED)
        return TextFile(path, name, text, stop.wait if follow else None)
    if follow:
        raise UserError(
            f"{name} is a {kind.upper()} file, which does not grow.",
            "--follow is for CSV and NDJSON.",
            MISUSED,
        )
    return _table(kind, path, name)


def _table(kind: str, path: Path, name: str) -> Source:
    if kind == "excel":
        return ExcelFile(path, name)
    return ParquetFile(path, name) if kind == "parquet" else NumpyFile(path, name)


def _format_of(path: Path) -> str:
    """By its name; where that says nothing, by its first bytes."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    known = _SUFFIXES.get(suffixes[-1]) if suffixes else None
    if known is not None:
        return known
    try:
        with open(path, "rb") as file:
            return _kind_of(file.read(LOOK))
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}.") from error


def _kind_of(sample: bytes) -> str:
    for magic, kind in _MAGIC.items():
        if sample.startswith(magic):
            return kind
    return "ndjson" if sample.lstrip().startswith(b"{") else "csv"


def _text(kind: str, name: str, writing: Writing) -> Text:
    if kind == "ndjson":
        return NdjsonText(name)
    return CsvText(name, writing.delimiter, writing.decimal, writing.header)


def _pipe(writing: Writing, stop: Stop, follow: bool, keep: Any) -> Source:
    # Tables that are not text have to be there as a whole: they go to a file first.
    file = sys.stdin.fileno()
    first = stop.read(file, 16, full=not follow) if writing.format is None else b""
    kind = writing.format or _kind_of(first)
    if kind in ("parquet", "npy", "npz", "excel"):
        return _spooled(kind, first, stop, file)
    waiting = [first] if first else []

    def read(size: int) -> bytes:
        if waiting:
            return waiting.pop()
        return stop.read(file, min(size, BLOCK), full=not follow)

    def text(sample: bytes) -> Text:
        return _text(writing.format or _kind_of(sample), "standard input", writing)

    return TextPipe(read, text, keep)


def _spooled(kind: str, first: bytes, stop: Stop, file: int) -> Source:
    spool = tempfile.NamedTemporaryFile(suffix=f".{kind}")
    spool.write(first)
    while more := stop.read(file, BLOCK, full=True):
        spool.write(more)
    spool.flush()
    path = Path(spool.name)
    source: Any = _table(kind, path, "standard input")
    source.spool = spool  # it lives as long as the source
    return source  # type: ignore[no-any-return]
