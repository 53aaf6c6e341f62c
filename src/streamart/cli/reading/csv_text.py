"""CSV by pyarrow, block by block."""

from __future__ import annotations

import codecs
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv

from ...data.numbers import as_numbers
from ..errors import UserError
from .blocks import Block, Records
from .columns import Wanted, unique
from .parts import Layout, Part, Position, Reject, numbered, record_numbers
from .sniff import Dialect, sniffed


class CsvText:
    """Understands blocks of a CSV file."""

    quoted = True

    def __init__(
        self, name: str, delimiter: str | None, decimal: str | None, header: bool | None
    ) -> None:
        self._name = name
        self._asked = (delimiter, decimal, header)
        self._dialect: Dialect
        self._encoding = "utf-8"

    def look(self, sample: bytes, whole: bool) -> Layout:
        text = self._decoded(sample)
        self._dialect = found = sniffed(text, whole, *self._asked)
        if not found.width:
            raise UserError(f"{self._name} is empty.", "There is nothing to read.")
        names = unique(found.names) if found.header else numbered(found.width)
        described = found.described()
        if self._encoding != "utf-8":
            described += f", encoding {self._encoding}"
        cells = zip(*found.rows, strict=True) if found.rows else [()] * found.width
        first = [pa.array(column, pa.string()) for column in cells]
        return Layout(names, first, found.header, described, found.decimal)

    def _decoded(self, sample: bytes) -> str:
        if sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise UserError(
                f"{self._name} is written in UTF-16.",
                f"Turn it into UTF-8 first: iconv -f UTF-16 -t UTF-8 {self._name}",
            )
        if b"\0" in sample:
            raise UserError(
                f"{self._name} is no text: it holds zero bytes.",
                "Say what it is with --format (csv, ndjson, parquet, npy, npz).",
            )
        try:
            text = codecs.getincrementaldecoder("utf-8")().decode(sample)
        except UnicodeDecodeError:
            self._encoding = "windows-1252"
            text = sample.decode(self._encoding, errors="replace")
        return text.removeprefix("\ufeff")

    def parse(self, block: Block, start: Position, wanted: Wanted) -> Part:
        data, line = block.data, start.line
        if block.byte == 0:
            data = data.removeprefix(codecs.BOM_UTF8)
            if self._dialect.header:
                data, header_lines = _without_header(data)
                line += header_lines
        lines_here = block.data.count(b"\n")
        readable = self._readable(data)
        refused: list[Any] = []
        table, wrong = self._table(readable, wanted, refused)
        opened = _open_quote(readable, self._dialect.delimiter.encode())
        if opened >= 0:  # perhaps it is none: what gives more rows is meant
            closed, other = readable[:opened] + readable[opened + 1 :], list[Any]()
            found = self._table(closed, wanted, other)
            if found[0].num_rows + len(other) > table.num_rows + len(refused):
                data, (table, wrong), refused = closed, found, other
        count = table.num_rows + len(refused)
        inside = np.delete(np.arange(count), [row.number - 1 for row in refused])

        known: list[Records] = []

        def records() -> Records:
            if not known:
                known.append(Records(data, True))
            return known[0]

        def line_of(places: Any) -> Any:
            found = records()
            # Only a file with stray quotation marks is cut otherwise by pyarrow than by us.
            return line + 1 + (found.lines[places] if len(found) == count else places)

        def text_of(row: int) -> str:
            found = records()
            return found.text(int(inside[row])) if len(found) == count else ""

        rejects = []
        if refused:
            places = line_of(np.array([row.number - 1 for row in refused]))
            for row, at in zip(refused, places.tolist(), strict=True):
                rejects.append(Reject(self._name, at, _wrong_width(row), row.text))
        return Part(
            table,
            record_numbers(start.record, count)[inside],
            lambda: line_of(inside),
            text_of,
            rejects,
            Position(
                start.source,
                block.byte + len(block.data),
                start.record + count,
                start.line + lines_here,
            ),
            wrong,
        )

    def _readable(self, data: bytes) -> bytes:
        if self._encoding != "utf-8":
            data = data.decode(self._encoding, errors="replace").encode()
        elif not _is_utf8(data):
            data = b"\n".join(map(_as_utf8, data.split(b"\n")))
        if self._dialect.delimiter == " ":  # several are one
            data = b"\n".join(b" ".join(line.split()) for line in data.split(b"\n"))
        return data

    def _table(
        self, data: bytes, wanted: Wanted, refused: list[Any]
    ) -> tuple[pa.Table, dict[str, Any]]:
        signs = wanted.numbers
        features = [f"c{i}" for i in signs]
        others = [f"c{i}" for i in wanted.all() if i not in signs]
        if not data.strip():
            types = [pa.float64()] * len(features) + [pa.string()] * len(others)
            schema = pa.schema(list(zip(features + others, types, strict=True)))
            return schema.empty_table(), {}
        if all(sign == self._dialect.decimal for sign in signs.values()):
            try:
                return self._read(data, features, others, pa.float64(), refused), {}
            except pa.ArrowInvalid:  # some cell is no plain number: find out which
                refused.clear()
        table = self._read(data, features, others, pa.string(), refused)
        wrong, columns = {}, dict(zip(table.column_names, table.columns, strict=True))
        for name, sign in zip(features, signs.values(), strict=True):
            cells = columns[name].combine_chunks()
            columns[name] = as_numbers(cells, sign)
            if columns[name].null_count:
                wrong[name] = cells
        return pa.table(columns), wrong

    def _read(
        self, data: bytes, features: list[str], others: list[str], kind: Any, refused: list[Any]
    ) -> pa.Table:
        def skip(row: Any) -> str:
            refused.append(row)
            return "skip"

        types = dict.fromkeys(features, kind) | dict.fromkeys(others, pa.string())
        return csv.read_csv(
            pa.BufferReader(data),
            read_options=csv.ReadOptions(
                use_threads=False,  # only so does a refused row have a number
                column_names=[f"c{i}" for i in range(self._dialect.width)],
                block_size=len(data) + 1,
            ),
            parse_options=csv.ParseOptions(
                delimiter=self._dialect.delimiter,
                newlines_in_values=b'"' in data,
                invalid_row_handler=skip,
            ),
            convert_options=csv.ConvertOptions(
                column_types=types,
                include_columns=features + others,
                decimal_point=self._dialect.decimal,
                check_utf8=False,
            ),
        )


def _wrong_width(row: Any) -> str:
    count = row.actual_columns
    return f"{count} column{'' if count == 1 else 's'} instead of {row.expected_columns}"


def _open_quote(data: bytes, delimiter: bytes) -> int:
    """Where a quotation mark opens a field and none closes it, or -1. It would take in all lines
    to the end.

    >>> _open_quote(b'1,"a"\\n2,"b\\n3,c\\n', b","), _open_quote(b'1,"a"\\n2,5" pipe\\n', b",")
    (8, -1)
    """
    if b'"' not in data:
        return -1
    at = max(data.rfind(before + b'"') for before in (b"\n", delimiter)) + 1
    begins = at > 0 or data.startswith(b'"')
    return at if begins and b'"' not in data[at + 1 :].replace(b'""', b"") else -1


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _as_utf8(line: bytes) -> bytes:
    """A line beyond those that were looked at first may show that the file is older than UTF-8."""
    return line if _is_utf8(line) else line.decode("windows-1252", errors="replace").encode()


def _without_header(data: bytes) -> tuple[bytes, int]:
    """What comes after the first record, and how many lines that was."""
    end = lines = 0
    while end < len(data):
        begin, inside = end, False
        while True:
            newline = data.find(b"\n", end)
            stop = len(data) if newline < 0 else newline + 1
            inside ^= data.count(b'"', end, stop) % 2 == 1
            end = stop
            lines += newline >= 0
            if not inside or newline < 0:
                break
        if data[begin:end].strip():
            break
    return data[end:], lines
