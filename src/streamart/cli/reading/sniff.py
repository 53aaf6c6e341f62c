"""How a CSV file is written: its delimiter, decimal sign and header, guessed from its beginning."""

from __future__ import annotations

import csv
import re
from collections import Counter
from typing import NamedTuple

from ...data.numbers import MISSING

LOOK = 1 << 16
"""Bytes that are looked at."""
_ROWS = 1000
_DELIMITERS = (",", ";", "\t", "|", " ")
_SHOWN = {"\t": "tab", " ": "space"}
_SIGN, _UNIT, _POWER = r"\s*[+-]?([$€£¥₹] ?)?", r"( ?[%$€£¥₹])?\s*", r"([eE][+-]?\d+)?"
_NUMBER = {
    point: re.compile(
        rf"{_SIGN}(\d+{sign}?\d*|{sign}\d+|\d{{1,3}}({groups}\d{{3}})+({sign}\d*)?){_POWER}{_UNIT}"
        r"|[+-]?inf(inity)?",
        re.IGNORECASE,
    )
    for point, sign, groups in ((".", r"\.", "[,' \xa0\u202f]"), (",", ",", "[.' \xa0\u202f]"))
}


class Dialect(NamedTuple):
    """How a CSV file is written."""

    delimiter: str
    decimal: str
    header: bool
    width: int
    names: list[str]
    rows: list[list[str]]
    """The first ones, without the header."""

    def described(self) -> str:
        named = "header" if self.header else "no header"
        delimiter = _SHOWN.get(self.delimiter, f"'{self.delimiter}'")
        return f"CSV, delimiter {delimiter}, decimal sign '{self.decimal}', {named}"


def sniffed(
    text: str,
    whole: bool,
    delimiter: str | None = None,
    decimal: str | None = None,
    header: bool | None = None,
) -> Dialect:
    """Guess what was not given. `whole`: the text is all there is, so its last line is complete.

    >>> sniffed("a;b\\n1,5;2\\n3;4\\n", True).described()
    "CSV, delimiter ';', decimal sign ',', header"
    >>> sniffed("1 2\\n3 4\\n", True)[:4]
    (' ', '.', False, 2)
    """
    lines = text.splitlines(keepends=True)
    if not whole and len(lines) > 1:
        lines = lines[:-1]
    delimiter = delimiter or _delimiter_of(lines)
    rows = _rows(lines, delimiter)
    width = Counter(map(len, rows)).most_common(1)[0][0] if rows else 0
    body = [row for row in rows if len(row) == width]
    if decimal is None:
        decimal = _decimal_of(body, delimiter)
    if header is None:
        header = _has_header(body, decimal)
    names = [cell.strip() for cell in body[0]] if header and body else []
    return Dialect(delimiter, decimal, header, width, names, body[1:] if header else body)


def is_number(cell: str, decimal: str) -> bool:
    return _NUMBER[decimal].fullmatch(cell) is not None


def _rows(lines: list[str], delimiter: str) -> list[list[str]]:
    rows = []
    if delimiter == " ":  # several are one
        lines = [" ".join(line.split()) for line in lines]
    try:
        for row in csv.reader(lines, delimiter=delimiter):
            if row:
                rows.append(row)
            if len(rows) == _ROWS:
                break
    except csv.Error:  # what came before it must do
        pass
    return rows


def _delimiter_of(lines: list[str]) -> str:
    """The one that makes most rows equally wide; of several, the one that makes them wider.

    A comma that may be a decimal sign does not count where a semicolon or tab cuts too.
    """
    best, most = ",", (0.0, 0.0)
    for delimiter in _DELIMITERS:
        rows = _rows(lines, delimiter)
        if not rows:
            continue
        width, rows_so_wide = Counter(map(len, rows)).most_common(1)[0]
        if width < 2:
            continue
        share = rows_so_wide / len(rows)
        cells = [cell for row in rows[1:] or rows for cell in row]
        clean = sum(
            is_number(cell, ".") or is_number(cell, ",") or "," not in cell for cell in cells
        ) / len(cells)
        found = (round(share, 2) + round(clean, 2) + (delimiter in ";\t|"), float(width))
        if found > most and share > 0.5:
            best, most = delimiter, found
    return best


def _decimal_of(rows: list[list[str]], delimiter: str) -> str:
    if delimiter == ",":
        return "."
    cells = [cell for row in rows for cell in row]
    with_comma = sum("," in cell and is_number(cell, ",") for cell in cells)
    with_point = sum("." in cell and is_number(cell, ".") for cell in cells)
    return "," if with_comma > with_point else "."


def _is_missing(cell: str) -> bool:
    return cell.strip().lower() in MISSING


def _has_header(rows: list[list[str]], decimal: str) -> bool:
    """Whether words stand above numbers, or, where there are only words, could be names."""
    if not rows:
        return False
    first, rest = rows[0], rows[1:]
    if any(is_number(cell, decimal) for cell in first) or all(map(_is_missing, first)):
        return False
    if any(_numeric(rest, len(first), decimal)):
        return True
    return bool(rest) or len(set(first)) == len(first)


def _numeric(rows: list[list[str]], width: int, decimal: str) -> list[bool]:
    """Of each column, whether most of what is not missing are numbers."""
    found = []
    for column in range(width):
        cells = [row[column] for row in rows if not _is_missing(row[column])]
        numbers = sum(is_number(cell, decimal) for cell in cells)
        found.append(bool(cells) and 2 * numbers > len(cells))
    return found
