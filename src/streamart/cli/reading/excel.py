"""Excel sheets (.xlsx, .xls, .ods), by python-calamine. A sheet is read as a whole: it has at most
a million rows."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..errors import UserError
from .columns import Wanted, unique
from .parts import Layout, Part, Position, numbered
from .tables import FIRST, ROWS, measured, part_of


class ExcelFile:
    """The first sheet of a file."""

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        try:
            import python_calamine
        except ImportError as error:
            raise UserError(
                f"{name} is an Excel file, and python-calamine, which reads those, is not here.",
                'Install it with: pip install "streamart[excel]", or save the sheet as CSV.',
            ) from error
        try:
            book = python_calamine.CalamineWorkbook.from_path(str(path))
            sheets = book.sheet_names
            rows = book.get_sheet_by_name(sheets[0]).to_python(skip_empty_area=False)
        except (python_calamine.CalamineError, IndexError, OSError, ValueError) as error:
            raise UserError(
                f"{name} is no Excel file, or a damaged one ({error}).",
                "Open it and save it again, or save the sheet as CSV.",
            ) from error
        head = 0
        while head < len(rows) and not any(_is_there(cell) for cell in rows[head]):
            head += 1
        self._named = head < len(rows) and all(
            isinstance(cell, str) or not _is_there(cell) for cell in rows[head]
        )
        body = rows[head + self._named :]
        self._above = head + self._named
        width = max((len(row) for row in rows), default=0)
        heading = [str(cell).strip() for cell in rows[head]] if self._named else []
        self._names = unique(heading) if self._named else numbered(width)
        cells = zip(*body, strict=True) if body else [()] * width
        self._columns = [_array(list(column)) for column in cells]
        self._rows = len(body)
        more = f", the first of {len(sheets)} sheets" if len(sheets) > 1 else ""
        self._described = f"Excel, sheet '{sheets[0]}'{more}, {self._rows:,} rows"

    def layout(self) -> Layout:
        first = [column[:FIRST] for column in self._columns]
        return Layout(self._names, first, self._named, self._described)

    def parts(self, wanted: Wanted, start: Position) -> Iterator[Part]:
        signs = wanted.numbers
        while start.record < self._rows:
            columns, names = [], []
            for i in wanted.all():
                column = self._columns[i][start.record : start.record + ROWS]
                columns.append(measured(column, signs[i]) if i in signs else column)
                names.append(f"c{i}")
            part = part_of(pa.table(columns, names=names), start, self._above)
            start = part.end
            yield part

    def share(self, end: Position) -> float | None:
        return end.record / max(1, self._rows)


def _is_there(cell: Any) -> bool:
    return cell is not None and cell != ""


def _array(cells: list[Any]) -> Any:
    """A column; where it is of several types, text."""
    cells = [cell if _is_there(cell) else None for cell in cells]
    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds <= {int, float}:
        return pa.array([None if cell is None else float(cell) for cell in cells], pa.float64())
    if len(kinds) == 1 and kinds <= {bool, datetime.date, datetime.datetime, datetime.time}:
        return pa.array(cells)
    texts = [None if cell is None else _text(cell) for cell in cells]
    return pa.array(texts, pa.string())


def _text(cell: Any) -> str:
    return f"{cell:g}" if isinstance(cell, float) else str(cell)
