"""Times in a column, and spans of time as people write them."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa

from ..._typing import Floats
from ..errors import MISUSED, UserError

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


def seconds_of(column: Any) -> Floats:
    """Seconds since any fixed start; NaN where a cell is no time.

    Numbers are seconds. Text is a number, or a date with or without a time, as ISO 8601 has it.

    >>> seconds_of(pa.array(["12.5", "1970-01-02", "1970-01-01T00:01:00Z", "", "soon"])).tolist()
    [12.5, 86400.0, 60.0, nan, nan]
    """
    if pa.types.is_date(column.type) or pa.types.is_timestamp(column.type):
        column = column.cast(pa.timestamp("us", getattr(column.type, "tz", None)))
        column = column.cast(pa.int64()).cast(pa.float64())
        return np.asarray(column.to_numpy(zero_copy_only=False)) / 1e6
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        column = column.cast(pa.float64(), safe=False)
        return np.where(np.isfinite(found := column.to_numpy(zero_copy_only=False)), found, np.nan)
    return np.array([_seconds(cell) for cell in column.to_pylist()], dtype=float)


def _seconds(cell: Any) -> float:
    text = "" if cell is None else str(cell).strip().replace(",", ".")
    try:
        number = float(text)
        return number if math.isfinite(number) else math.nan
    except ValueError:
        pass
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return math.nan
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
