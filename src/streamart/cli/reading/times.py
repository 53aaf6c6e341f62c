"""Times in a column, and spans of time as people write them."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..._typing import Floats
from ...data.columns import EPOCHS
from ..errors import MISUSED, UserError

_DATES = ("%d.%m.%Y", "%d.%m.%y", "%m/%d/%Y", "%d/%m/%Y", "%m/%d/%y", "%d/%m/%y", "%Y/%m/%d")
_CLOCKS = ("%H:%M:%S", "%H:%M", "%I:%M:%S %p", "%I:%M %p")
_FORMATS = [*_DATES, *(f"{date} {clock}" for date in _DATES for clock in _CLOCKS), *_CLOCKS]
_FRACTION = r"(:\d{2}:\d{2})[.,]\d+"
_SECONDS = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}


def seconds_in(span: str) -> float | None:
    """Seconds in a span of time; None if it is written in another way.

    >>> seconds_in("2h"), seconds_in("1.5 min"), seconds_in("500"), seconds_in("soon")
    (7200.0, 90.0, None, None)
    """
    found = re.fullmatch(rf"([0-9.]+)\s*({'|'.join(_SECONDS)})", span.strip())
    try:
        return float(found[1]) * _SECONDS[found[2]] if found else None
    except ValueError:
        return None


def half_life_of(given: str | None, has_times: bool) -> tuple[float | None, float | None]:
    """A half-life as rows, or as seconds.

    >>> half_life_of("500", False), half_life_of("2h", True), half_life_of(None, False)
    ((500.0, None), (None, 7200.0), (None, None))
    """
    seconds = None if given is None else seconds_in(given)
    if given is None:
        return None, None
    if seconds:
        if not has_times:
            raise UserError(
                f"--half-life {given} is a time, and no column is known to hold the times of rows.",
                "Name it with --time, or give a number of rows.",
                MISUSED,
            )
        return None, seconds
    try:
        rows = float(given)
    except ValueError:
        rows = math.nan
    if not 1.0 <= rows < math.inf:
        raise UserError(
            f"--half-life {given!r} is neither a number of rows from 1 on nor a time.",
            f"Write 500, or a number and one of {', '.join(_SECONDS)}, such as 2h.",
            MISUSED,
        )
    return rows, None


def time_format(column: Any) -> str | None:
    """The strptime format that reads most of these cells; None where ISO 8601 or numbers do.

    Of several that read the same number, such as day/month and month/day, the one by which more of
    the times go forward, and then the month first.

    >>> time_format(pa.array(["31.01.2026 18:30", "01.02.2026 07:00"]))
    '%d.%m.%Y %H:%M'
    >>> time_format(pa.array(["01/02/2026", "02/02/2026", "01/03/2026"]))
    '%d/%m/%Y'
    >>> time_format(pa.array(["2026-01-31"])) is None
    True
    """
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return None
    best, most = None, _read_and_forward(seconds_of(column))
    for candidate in _FORMATS:
        found = _read_and_forward(seconds_of(column, candidate))
        if found > most:
            best, most = candidate, found
    return best


def _read_and_forward(seconds: Floats) -> tuple[int, int]:
    there = seconds[~np.isnan(seconds)]
    return len(there), int(np.sum(np.diff(there) > 0))


def seconds_of(column: Any, written: str | None = None) -> Floats:
    """Seconds since any fixed start; NaN where a cell is no time.

    `written`: the format of the cells, from `time_format`. Otherwise text is a number or a date as
    ISO 8601 has it. Numbers are seconds, or since 1970 also milli-, micro- or nanoseconds.

    >>> seconds_of(pa.array(["12.5", "1970-01-02", "1970-01-01T00:01:00Z", "", "soon"])).tolist()
    [12.5, 86400.0, 60.0, nan, nan]
    """
    if written is not None:
        text = pc.replace_substring_regex(pc.utf8_trim_whitespace(column), _FRACTION, r"\1")
        column = pc.strptime(text, format=written, unit="s", error_is_null=True)
    if pa.types.is_date(column.type) or pa.types.is_timestamp(column.type):
        column = column.cast(pa.timestamp("us", getattr(column.type, "tz", None)))
        column = column.cast(pa.int64()).cast(pa.float64())
        return np.asarray(column.to_numpy(zero_copy_only=False)) / 1e6
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        column = column.cast(pa.float64(), safe=False)
        return _in_seconds(column.to_numpy(zero_copy_only=False))
    return _in_seconds(np.array([_seconds(cell) for cell in column.to_pylist()], dtype=float))


def _in_seconds(values: Floats) -> Floats:
    found = np.where(np.isfinite(values), values, np.nan)
    for parts, (low, high) in EPOCHS.items():
        inside = (values >= low) & (values <= high)
        found[inside] = values[inside] / parts
    return found


def _seconds(cell: Any) -> float:
    text = "" if cell is None else str(cell).strip().replace(",", ".")
    try:
        return float(text)
    except ValueError:
        pass
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return math.nan
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
