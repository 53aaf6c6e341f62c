"""Numbers as people write them: 1.500,00 and 1,234.5, $12.50, 12 %."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

MISSING = ("", "na", "n/a", "nan", "null", "none", "#n/a", "#na", "-nan", "<na>")
"""How people write that there is nothing, in small letters."""
_SIGNS = "$€£¥₹"
_FORMS = {
    ".": (
        r"(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?",
        r"\d{1,3}(?:[,' \x{a0}\x{202f}]\d{3})+(?:\.\d*)?",
        "[,' \xa0\u202f]",
    ),
    ",": (
        r"(\d+,?\d*|,\d+)([eE][+-]?\d+)?",
        r"\d{1,3}(?:[.' \x{a0}\x{202f}]\d{3})+(?:,\d*)?",
        "[.' \xa0\u202f]",
    ),
}
_INFINITE = r"^(?i:[+-]?inf(inity)?)$"


def is_missing(cells: Any) -> Any:
    """Which cells of a string array hold nothing, or a word for it."""
    small = pc.utf8_lower(pc.utf8_trim_whitespace(cells))
    return pc.or_(pc.is_null(small), pc.is_in(small, pa.array(MISSING)))


def as_numbers(cells: Any, decimal: str) -> Any:
    """Strings as float64; null where there is no number. Currency signs and % are left out.

    >>> as_numbers(pa.array(["1,234.5", "$12.50", "12 %", "x", None]), ".").to_pylist()
    [1234.5, 12.5, 12.0, None, None]
    >>> as_numbers(pa.array(["1.500,00", "3,5"]), ",").to_pylist()
    [1500.0, 3.5]
    """
    plain, grouped, separators = _FORMS[decimal]
    text = pc.utf8_trim_whitespace(cells)
    text = pc.replace_substring_regex(text, rf"^([+-]?)[{_SIGNS}] ?", r"\1")
    text = pc.replace_substring_regex(text, rf" ?[{_SIGNS}%]$", "")
    in_groups = pc.match_substring_regex(text, rf"^[+-]?{grouped}$")
    whole = pc.match_substring_regex(text, rf"^[+-]?{plain}$")
    # 1,234 with a point for decimals is in groups; 1.234 may be either, and is what it looks like
    digits = pc.if_else(
        pc.and_(in_groups, pc.invert(whole)),
        pc.replace_substring_regex(text, separators, ""),
        text,
    )
    usable = pc.or_(pc.or_(whole, in_groups), pc.match_substring_regex(text, _INFINITE))
    digits = pc.replace_substring(digits, ",", ".") if decimal == "," else digits
    return pc.cast(null_where(pc.invert(usable), digits), pa.float64())


def null_where(missing: Any, text: Any) -> Any:
    """Strings, with null where they are missing.

    The nulls are as many as the strings: before version 24, Arrow gives wrong strings for a slice
    of a column beside a single null.

    >>> null_where(pa.array([True, False]), pa.array(["a", "b", "c"]).slice(1)).to_pylist()
    [None, 'c']
    """
    return pc.if_else(missing, pa.nulls(len(text), pa.string()), text)


def decimal_of(cells: Any, usual: str = ".") -> str:
    """The decimal sign with which more cells are numbers; the usual one if that is no matter.

    >>> decimal_of(pa.array(["1.500,00", "12"])), decimal_of(pa.array(["1.500"]))
    (',', '.')
    """
    other = "," if usual == "." else "."
    here, there = (as_numbers(cells, sign).null_count for sign in (usual, other))
    return other if there < here else usual
