"""Classes and names in a column, whatever it holds."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ...data.numbers import null_where


def text_of(column: Any) -> Any:
    """A column as strings; null where there is nothing.

    >>> text_of(pa.array([3.0, float("nan"), None, 2.5])).to_pylist()
    ['3', None, None, '2.5']
    >>> text_of(pa.array(["", "a"])).to_pylist()
    [None, 'a']
    """
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
        return pc.replace_substring_regex(column.cast(pa.string()), r"\.0$", "")
    text = column.cast(pa.string())
    return null_where(pc.equal(text, ""), text)
