"""Parquet, NPY and NPZ: tables whose rows have numbers, but no lines."""

from __future__ import annotations

import math
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.lib import format as npy
from pyarrow import parquet

from ...data.numbers import as_numbers
from ..errors import UserError
from .columns import Wanted
from .damage import explain_damage
from .parts import Layout, Part, Position, numbered, record_numbers

FIRST = 1000
"""Rows that are looked at to decide what columns are."""
ROWS = 32_768
"""Rows read at a time, at most."""
BYTES = 1 << 25
"""Bytes of a table read at a time, at most, unless one row has more."""
COLUMNS = 1_000_000
"""Columns of an array, at most."""


def part_of(table: pa.Table, start: Position, above: int = 0) -> Part:
    """Rows of a table with the measurements as float64; `above`: lines before the first."""
    records = record_numbers(start.record, table.num_rows)

    def text(row: int) -> str:
        return ",".join(str(column[row].as_py()) for column in table.columns)

    end = start._replace(record=start.record + table.num_rows)
    return Part(table, records, lambda: records + above, text, [], end, {})


class ParquetFile:
    """A Parquet file, by row groups."""

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        problem = f"{name} is no Parquet file, or a damaged one"
        with explain_damage(problem, "Say with --format what else it is."):
            self._file = parquet.ParquetFile(path, page_checksum_verification=True)
            self._schema = self._file.schema_arrow
        for column, count in Counter(self._schema.names).items():
            if count > 1:
                raise UserError(f"{name} has {count} columns called {column!r}.", "Rename them.")

    def layout(self) -> Layout:
        rows = f"{self._file.metadata.num_rows:,} rows"
        with explain_damage(f"{self.name} cannot be read", "Is the file complete?"):
            batch = next(self._file.iter_batches(FIRST), None)
            if batch is not None:
                batch.validate(full=True)
        if batch is None:
            first = [pa.array([], field.type) for field in self._schema]
        else:
            first = [batch.column(i) for i in range(batch.num_columns)]
        return Layout(self._schema.names, first, True, f"Parquet, {rows}")

    def parts(self, wanted: Wanted, start: Position) -> Iterator[Part]:
        every = self._schema.names
        signs = wanted.numbers
        for i in signs:
            kind = self._schema.field(i).type
            if pa.types.is_nested(kind) or pa.types.is_temporal(kind):
                raise UserError(
                    f"{self.name}: column {every[i]!r} is no number but "
                    f"{self._schema.field(i).type}.",
                    "Choose other --columns.",
                )
        names = [every[i] for i in wanted.all()]
        meta = self._file.metadata
        sizes = np.array([meta.row_group(g).num_rows for g in range(meta.num_row_groups)])
        before = np.cumsum(sizes) - sizes
        first = int(np.searchsorted(before + sizes, start.record, side="right"))
        skip = start.record - int(before[first]) if first < len(sizes) else 0
        groups = list(range(first, len(sizes)))
        for batch in self._file.iter_batches(ROWS, row_groups=groups, columns=names):
            if skip >= batch.num_rows:
                skip -= batch.num_rows
                continue
            table = pa.Table.from_batches([batch.slice(skip)]).select(names)
            table.validate(full=True)  # text may hold bytes that are no letters
            skip = 0
            columns = {}
            for i, column in zip(wanted.all(), table.columns, strict=True):
                columns[f"c{i}"] = measured(column, signs[i]) if i in signs else column
            part = part_of(pa.table(columns), start)
            start = part.end
            yield part

    def share(self, end: Position) -> float | None:
        return end.record / max(1, int(self._file.metadata.num_rows))


def measured(column: Any, decimal: str) -> Any:
    """Numbers, which may be written in text."""
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        column = as_numbers(column.cast(pa.string()), decimal)
    return column.cast(pa.float64(), safe=False)


class NumpyFile:
    """An NPY file, or an NPZ archive: rows of X, and of the arrays beside it that are as long."""

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        self._path = path
        problem = f"{name} is no NPY or NPZ file, or a damaged one"
        with explain_damage(problem, "Fetch it again, or say with --format what else it is."):
            self._heads = self._read_heads()
        self._main = self._find_main()
        shape = self._heads[self._main][0]
        self._rows, self._width = int(shape[0]), int(shape[1]) if len(shape) > 1 else 1
        if self._width > COLUMNS:
            raise UserError(
                f"{name} has {self._width:,} columns; at most {COLUMNS:,} are read.",
                "Is it the other way round?",
            )
        self._beside = [
            key
            for key, (other, _, dtype) in self._heads.items()
            if key != self._main and other == (self._rows,) and dtype.kind in "biufU"
        ]
        widest = max([8 * self._width, *(self._heads[key][2].itemsize for key in self._beside), 1])
        self._step = min(ROWS, max(1, BYTES // widest))

    def _read_heads(self) -> dict[str, tuple[Any, bool, Any]]:
        heads = {}
        for key, file, size in self._members():
            with file:
                heads[key] = shape, _, dtype = _head(file)
                if min(shape, default=0) < 0:
                    raise ValueError(f"array {key} has the shape {shape}")
                needed = math.prod(shape) * dtype.itemsize
                if dtype.kind != "O" and needed > size - file.tell():
                    raise ValueError(f"array {key} is cut short")
        return heads

    def _members(self) -> Iterator[tuple[str, Any, int]]:
        """Name, opened file and size of each array."""
        if not zipfile.is_zipfile(self._path):
            yield "X", open(self._path, "rb"), self._path.stat().st_size
            return
        with zipfile.ZipFile(self._path) as archive:
            for member in archive.infolist():
                if member.filename.endswith(".npy"):
                    name = member.filename.removesuffix(".npy")
                    yield name, archive.open(member), member.file_size

    def _find_main(self) -> str:
        tables = [
            key
            for key, (shape, _, dtype) in self._heads.items()
            if dtype.kind in "biuf" and (len(shape) == 2 or len(self._heads) == 1 == len(shape))
        ]
        if "X" in tables or len(tables) == 1:
            return "X" if "X" in tables else tables[0]
        found = ", ".join(f"{key} {head[2]}{list(head[0])}" for key, head in self._heads.items())
        raise UserError(
            f"{self.name} holds no table of numbers that could be meant: {found or 'no array'}.",
            "One array of two dimensions is needed; of several, the one that is called X.",
        )

    def layout(self) -> Layout:
        names = numbered(self._width) + self._beside
        start = Position()
        wanted = Wanted(tuple(range(self._width)), ids=tuple(range(self._width, len(names))))
        with explain_damage(f"{self.name} cannot be read", "Is the file complete?"):
            first = next(self.parts(wanted, start), None)
        columns = [] if first is None else [first.table.column(i)[:FIRST] for i in wanted.all()]
        columns = columns or [pa.array([], pa.float64()) for _ in names]
        kind = "NPZ" if zipfile.is_zipfile(self._path) else "NPY"
        beside = f", beside it {', '.join(self._beside)}" if self._beside else ""
        described = f"{kind}, {self._main} of {self._rows:,} rows{beside}"
        return Layout(names, columns, False, described, apart=tuple(self._beside))

    def parts(self, wanted: Wanted, start: Position) -> Iterator[Part]:
        names = [f"c{i}" for i in wanted.all()]
        keys = [self._beside[i - self._width] for i in wanted.all() if i >= self._width]
        numbers = wanted.numbers
        flows = {key: self._rows_of(key, start.record) for key in {self._main, *keys}}
        while start.record < self._rows:
            at = {key: next(flow) for key, flow in flows.items()}
            columns = []
            for i in wanted.all():
                inside = i < self._width
                column = at[self._main][:, i] if inside else at[self._beside[i - self._width]]
                plain = (
                    float if i in numbers else column.dtype.newbyteorder("=")
                )  # as Arrow needs it
                columns.append(pa.array(column.astype(plain)))
            part = part_of(pa.table(columns, names=names), start)
            start = part.end
            yield part

    def _rows_of(self, wanted: str, skip: int) -> Iterator[Any]:
        """Parts of an array with at most this many rows, so that not all of it is in memory."""
        shape, in_columns, dtype = self._heads[wanted]
        row = math.prod(shape[1:]) * dtype.itemsize
        for key, file, _ in self._members():
            with file:
                if key != wanted:
                    continue
                _head(file)
                if in_columns:  # written column by column: rows are not one after the other
                    whole = np.frombuffer(_exactly(file, shape[0] * row), dtype)
                    whole = whole.reshape(shape[::-1]).T
                else:
                    file.seek(skip * row, 1)
                for begin in range(skip, shape[0], self._step):
                    count = min(self._step, shape[0] - begin)
                    if in_columns:
                        rows = whole[begin : begin + count]
                    else:
                        rows = np.frombuffer(_exactly(file, count * row), dtype)
                        rows = rows.reshape(count, *shape[1:])
                    yield rows.reshape(count, -1) if wanted == self._main else rows

    def share(self, end: Position) -> float | None:
        return end.record / max(1, self._rows)


def _exactly(file: Any, size: int) -> bytes:
    data: bytes = file.read(size)
    if len(data) < size:
        raise EOFError("it is cut short")
    return data


def _head(file: Any) -> tuple[Any, bool, Any]:
    """Shape, whether by columns, and kind of number of the array that follows."""
    major, _ = npy.read_magic(file)
    if major > 3:
        raise ValueError(f"NPY files of version {major} are unknown")
    read = npy.read_array_header_1_0 if major == 1 else npy.read_array_header_2_0
    try:
        shape, in_columns, dtype = read(file)
    except (TypeError, ValueError) as error:
        raise ValueError("the header of an array is damaged or cut short") from error
    return shape, in_columns and len(shape) > 1, dtype
