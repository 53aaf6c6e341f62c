"""What the columns of a table are: measurement, category, time, identifier ...

The rules by which tables are read, from a file or from Python. Each column gets a kind and the
reason for it; `encoding` makes numbers of those that are used. A column is decided by the first
rows, and stays what it is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .numbers import as_numbers, decimal_of, is_missing, null_where

ENOUGH = 20
"""Rows from which on a column may be called a counter, an identifier, constant or mostly empty."""
EMPTY = 0.7
"""A column with a greater share of missing values is mostly empty."""
MOST_VALUES = 50
"""Different values that a category column has at most, and of all rows at most half as many."""
NUMERIC = 0.5
"""A column of text holds numbers if more of its values are numbers than this share."""
LABELS = 20
"""A used column of at most so many different values may be class labels."""

YES = ("yes", "true", "y", "t", "on", "1")
NO = ("no", "false", "n", "f", "off", "0")
USED = ("measurement", "category", "yes/no")
ZERO_ONE = "0 or 1"
"""Why a column of numbers is yes/no. Other numbers may come later, and are taken as they are."""
_IDENTIFIER = re.compile(r"(^|_|\b)(id|ids|uuid|guid|index|key|rowid|row|nr|no|serial)$", re.I)
_TIME = re.compile(r"(^|_|\b)(time|timestamp|date|datetime|ts|epoch|when|at)$", re.I)
_WRITTEN_TIME = (
    r"^\d{4}-\d{1,2}-\d{1,2}([t ]\d{1,2}:\d{2}.*)?$|^\d{4}/\d{1,2}/\d{1,2}( .*)?$"
    r"|^\d{1,2}[./]\d{1,2}[./]\d{2,4}( \d{1,2}:\d{2}.*)?$|^\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?$"
)
EPOCHS = {unit: (978_307_200 * unit, 4_102_444_800 * unit) for unit in (1, 10**3, 10**6, 10**9)}
"""The years 2001 to 2100 in seconds, milli-, micro- and nanoseconds since 1970."""


class Column(NamedTuple):
    """What a column is taken for, and why."""

    name: str
    kind: str
    reason: str
    used: bool
    values: tuple[str, ...] = ()
    """Of a category: those that have been seen."""
    slots: int = 1
    """Features that it is learnt as."""
    decimal: str = "."
    """Of text that holds numbers."""

    @property
    def takes_numbers(self) -> bool:
        return self.kind == "measurement" or self.reason == ZERO_ONE


class Asked(NamedTuple):
    """What somebody says of the columns, by name."""

    columns: Collection[str] | None = None
    exclude: Collection[str] = ()
    categories: Collection[str] = ()
    carried: Mapping[str, str] = {}
    """Identifiers, labels and the like, with the option that says so."""
    time: str | None = None


NOTHING_SAID = Asked()


def column_of(name: str, values: Any, asked: Asked = NOTHING_SAID, decimal: str = ".") -> Column:
    """Decide one column by its first values, an Arrow array.

    >>> column_of("a", pa.array([1.5, 2.5])).kind
    'measurement'
    >>> column_of("i", pa.array(range(30)))[1:3]
    ('counter', 'grows by 1 in every row')
    """
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    said = _as_asked(name, asked)
    if said is not None:
        return said
    wanted = asked.columns is not None and name in asked.columns
    if name in asked.categories:
        return _category(name, _as_text(values), "by --categories")
    text = pa.types.is_string(values.type) or pa.types.is_large_string(values.type)
    if text:
        values = values.cast(pa.string())
        values = null_where(is_missing(values), values)
    found = _decided(name, values, text, decimal, wanted)
    if asked.columns is not None and not wanted:  # but a time still dates the events
        unlisted = Column(name, "left out", "not among --columns", False)
        return found if found.kind == "time" else unlisted
    if wanted and (not found.used or found.reason == ZERO_ONE):
        if found.kind == "constant" and not text:
            return found._replace(kind="measurement", reason="by --columns", used=True)
        numbers = as_numbers(values, decimal) if text else None
        if numbers is not None and numbers.null_count == len(values):
            return _category(name, values, "by --columns")
        return Column(name, "measurement", "by --columns", True, decimal=found.decimal)
    return found


def _as_asked(name: str, asked: Asked) -> Column | None:
    if name == asked.time:
        return Column(name, "time", "by --time", False)
    if name in asked.carried:
        return Column(name, asked.carried[name][2:], f"by {asked.carried[name]}", False)
    if name in asked.exclude:
        return Column(name, "left out", "by --exclude", False)
    return None


def _decided(name: str, values: Any, text: bool, decimal: str, wanted: bool) -> Column:
    rows, kind = len(values), values.type
    if pa.types.is_floating(kind):
        values = pc.if_else(pc.is_nan(values), pa.scalar(None, kind), values)
    there = values.drop_null()
    share = 1 - len(there) / rows if rows else 0.0
    if (not len(there) and rows) or (rows >= ENOUGH and share > EMPTY and not wanted):
        return Column(name, "mostly empty", f"{share:.0%} of the values are missing", False)
    if pa.types.is_temporal(kind):
        return Column(name, "time", "dates or times", False)
    if pa.types.is_boolean(kind):
        if rows >= ENOUGH and len(pc.unique(there)) == 1:
            return Column(name, "constant", f"always {str(there[0]).lower()}", False)
        return Column(name, "yes/no", "true or false", True)
    if text:
        return _of_text(name, there, decimal, rows)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return _of_numbers(name, there.cast(pa.float64(), safe=False).to_numpy(False))
    return Column(name, "left out", f"neither numbers nor text ({kind})", False)


def _of_text(name: str, there: Any, decimal: str, rows: int) -> Column:
    small = pc.utf8_lower(pc.utf8_trim_whitespace(there))
    different = pc.unique(small)
    if rows >= ENOUGH and len(different) == 1 and as_numbers(there, decimal).null_count:
        return Column(name, "constant", f"always {there[0].as_py().strip()}", False)
    if 0 < len(different) <= 2 and set(different.to_pylist()) <= {*YES[:-1], *NO[:-1]}:
        return Column(name, "yes/no", " or ".join(sorted(different.to_pylist())), True)
    sign = decimal_of(there, decimal)
    numbers = as_numbers(there, sign)
    if numbers.null_count < NUMERIC * len(there):
        found = _of_numbers(name, numbers.drop_null().to_numpy())
        return found._replace(decimal=sign)
    times = pc.sum(pc.match_substring_regex(small, _WRITTEN_TIME)).as_py() or 0
    if times > 0.9 * len(there):
        return Column(name, "time", "dates or times", False)
    if len(there) >= ENOUGH and len(different) == len(there):
        return Column(name, "identifier", "a different text in every row", False)
    if len(different) > MOST_VALUES or (len(there) >= ENOUGH and len(different) > len(there) / 2):
        reason = f"{len(different):,} different texts in {len(there):,} rows"
        return Column(name, "identifier", reason, False)
    return _category(name, there, "")


def _category(name: str, values: Any, reason: str) -> Column:
    """Room for half as many values again; what comes beyond shares the last place."""
    known = [value for value in pc.unique(_as_text(values)).to_pylist() if value is not None]
    known = sorted(known)[: 2 * MOST_VALUES]
    shown = ", ".join(known[:3]) + (", ..." if len(known) > 3 else "")
    count = "1 value" if len(known) == 1 else f"{len(known)} values"
    reason = reason or (f"{count}: {shown}" if known else "no values yet")
    slots = max(len(known) + 3, len(known) * 3 // 2)
    return Column(name, "category", reason, True, tuple(known), slots)


def _of_numbers(name: str, values: Any) -> Column:
    rows = len(values)
    finite = values[np.isfinite(values)]
    whole = bool(len(finite)) and bool(np.all(finite % 1 == 0))
    different = len(np.unique(finite))
    steps = np.diff(finite)
    if rows >= ENOUGH and different == 1:
        return Column(name, "constant", f"always {finite[0]:g}", False)
    if whole and _is_epoch(name, finite, steps):
        return Column(name, "time", "seconds since 1970, or parts of them", False)
    if rows >= ENOUGH and different == rows:
        growth = steps[0]
        if growth and np.allclose(steps, growth, rtol=1e-6, atol=0):
            return Column(name, "counter", f"grows by {growth:g} in every row", False)
        if whole and np.all(steps > 0):
            return Column(name, "counter", "a whole number that grows in every row", False)
        if whole and np.ptp(finite) < 2 * rows:
            return Column(name, "identifier", "a different whole number in every row", False)
    if whole and different == rows > 1 and _IDENTIFIER.search(name):
        return Column(name, "identifier", "different in every row, and its name says so", False)
    if different <= 2 and set(np.unique(finite)) <= {0.0, 1.0} and different == 2:
        return Column(name, "yes/no", ZERO_ONE, True)
    if different and different <= LABELS and rows >= ENOUGH:
        return Column(name, "measurement", f"numbers, {different} different ones", True)
    return Column(name, "measurement", "numbers", True)


def _is_epoch(name: str, values: Any, steps: Any) -> bool:
    inside = any(low <= values.min() and values.max() <= high for low, high in EPOCHS.values())
    forward = bool(np.mean(steps >= 0) > 0.9) if len(steps) else False
    return inside and (forward or _TIME.search(name) is not None)


def _as_text(values: Any) -> Any:
    """Values of a category as text; null where there is none.

    >>> _as_text(pa.array([3.0, None, 2.5])).to_pylist()
    ['3', None, '2.5']
    """
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if pa.types.is_floating(values.type):
        values = pc.if_else(pc.is_nan(values), pa.scalar(None, values.type), values)
        return pc.replace_substring_regex(values.cast(pa.string()), r"\.0$", "")
    text = pc.utf8_trim_whitespace(values.cast(pa.string()))
    return null_where(is_missing(text), text)


def decided(
    table: Mapping[str, Any], asked: Asked = NOTHING_SAID, decimal: str = "."
) -> list[Column]:
    """Every column of a table, by its first rows."""
    return [column_of(name, values, asked, decimal) for name, values in table.items()]


def shown_time(cell: Any) -> str | None:
    """A time for people: seconds since 1970 become a date, everything else stays as it is.

    >>> shown_time("1735689600"), shown_time("10:32"), shown_time(None)
    ('2025-01-01 00:00:00', '10:32', None)
    """
    if cell is None:
        return None
    try:
        number = float(cell)
    except (TypeError, ValueError):
        return str(cell)
    for parts, (low, high) in EPOCHS.items():
        if low <= number <= high:
            when = datetime.fromtimestamp(number // parts, UTC)
            return when.strftime("%Y-%m-%d %H:%M:%S")
    return str(cell)
