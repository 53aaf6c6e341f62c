"""Labels as CSV, NDJSON or Parquet."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, parquet

from ..errors import MISUSED, UserError, explain_write_errors

OUT_FORMATS = ("csv", "ndjson", "parquet")
_SUFFIXES = {".ndjson": "ndjson", ".jsonl": "ndjson", ".parquet": "parquet", ".pq": "parquet"}
_TO_QUOTE = r'[",\r\n]'
_TO_ESCAPE = r'[\x00-\x1f"\\]'


class Writer(Protocol):
    """Takes tables of one shape."""

    def write(self, table: pa.Table) -> None: ...

    def close(self) -> None: ...


class CsvWriter:
    """CSV with a header."""

    def __init__(self, file: Any, header: bool = True) -> None:
        self._file = file
        self._header = header

    def write(self, table: pa.Table) -> None:
        if self._header:
            cells = [_csv_cell(name) for name in table.column_names]
            self._file.write((",".join(cells) + "\n").encode())
            self._header = False
        # pyarrow would quote every string; most need it not.
        needed = any(_has(column, _TO_QUOTE) for column in table.columns)
        options = csv.WriteOptions(
            include_header=False, quoting_style="needed" if needed else "none"
        )
        sink = pa.BufferOutputStream()
        csv.write_csv(table, sink, options)
        self._file.write(sink.getvalue())

    def close(self) -> None:
        """All is written."""


class NdjsonWriter:
    """One JSON object a line. pyarrow has no writer for it, but it can join columns of strings."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def write(self, table: pa.Table) -> None:
        if not table.num_rows:
            return
        pieces: list[Any] = []
        for at, name in enumerate(table.column_names):
            pieces.append(pa.scalar(("{" if at == 0 else ", ") + json.dumps(name) + ": "))
            pieces.append(_as_json(table[name]))
        lines = pc.binary_join_element_wise(*pieces, pa.scalar("}\n"), "")
        self._file.write(lines.combine_chunks().buffers()[2].to_pybytes()[: _length(lines)])

    def close(self) -> None:
        """All is written."""


class ParquetWriter:
    """A Parquet file; its row groups are as large as the chunks."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._writer: Any = None

    def write(self, table: pa.Table) -> None:
        if self._writer is None:
            self._writer = parquet.ParquetWriter(self._file, table.schema)
        self._writer.write_table(table)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


class Output:
    """Where labels go: a file, which takes its place when it is complete, or standard output.

    With `live`, as they come: the file grows. `append_at`: a file that an earlier run has begun.
    """

    def __init__(
        self, target: str, kind: str | None, live: bool = False, append_at: int | None = None
    ) -> None:
        self.target = target
        self._name = "Standard output" if target == "-" else f"--out: {target}"
        self._live = live
        self._part: Path | None = None
        kind = kind or _SUFFIXES.get(Path(target).suffix.lower(), "csv")
        if live and kind == "parquet":
            raise UserError(
                "A Parquet file can be read only when it is complete.",
                "With --follow write CSV or NDJSON.",
                MISUSED,
            )
        if target == "-":
            self._file: Any = sys.stdout.buffer
        else:
            self._file = self._opened(Path(target), append_at)
        self._writer: Writer
        if kind == "csv":
            self._writer = CsvWriter(self._file, header=not append_at)
        else:
            self._writer = (NdjsonWriter if kind == "ndjson" else ParquetWriter)(self._file)

    def _opened(self, path: Path, append_at: int | None) -> Any:
        with explain_write_errors(self._name):
            if append_at is not None:
                file = open(path, "r+b")
                file.seek(append_at)
                file.truncate()
                return file
            if self._live or (path.exists() and not path.is_file()):
                return open(path, "wb")
            self._part = path.with_name(f".{path.name}.part")
            return open(self._part, "wb")

    def write(self, table: pa.Table) -> None:
        with explain_write_errors(self._name):
            self._writer.write(table)
            if self._live:
                self._file.flush()

    def written(self) -> int | None:
        return int(self._file.tell()) if self._live and self.target != "-" else None

    def close_file(self) -> None:
        """Also of a run that failed."""
        if self.target != "-":
            with suppress(OSError):  # what could not be written was reported
                self._file.close()

    def close(self) -> None:
        """All of it is there, or nothing."""
        try:
            with explain_write_errors(self._name):
                self._writer.close()
                self._file.flush()
                self.close_file()
                if self._part is not None:
                    os.replace(self._part, self.target)
        except UserError:
            self.drop()
            raise

    def drop(self) -> None:
        """Leave nothing half-done behind."""
        self.close_file()
        if self._part is not None:
            self._part.unlink(missing_ok=True)


def _has(column: Any, pattern: str) -> bool:
    if not pa.types.is_string(column.type) and not pa.types.is_large_string(column.type):
        return False
    return bool(pc.any(pc.match_substring_regex(column, pattern)).as_py())


def _csv_cell(text: str) -> str:
    quoted = text.replace('"', '""')
    return f'"{quoted}"' if any(sign in text for sign in ',"\r\n') else text


def _as_json(column: Any) -> Any:
    """Each value as JSON."""
    if pa.types.is_integer(column.type) or pa.types.is_boolean(column.type):
        return column.cast(pa.string()).fill_null("null")
    if pa.types.is_string(column.type) and not _has(column, _TO_ESCAPE):
        return pc.binary_join_element_wise('"', column, '"', "").fill_null("null")
    values = [json.dumps(value, default=str) for value in column.to_pylist()]
    return pa.chunked_array([pa.array(values, pa.string())])


def _length(lines: Any) -> int:
    return int(pc.sum(pc.binary_length(lines)).as_py())
