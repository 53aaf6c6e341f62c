"""NDJSON (one JSON object a line) by pyarrow, block by block."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import json as arrow_json

from ...data.numbers import as_numbers
from ..errors import UserError
from .blocks import Block, Records
from .columns import Wanted
from .parts import Layout, Part, Position, Reject, record_numbers

_DEEPEST = 20  # objects within objects
_SHOWN = 60  # letters of a cell that is shown


class NdjsonText:
    """Understands blocks of an NDJSON file."""

    quoted = False  # a line end in a string is written \n

    def __init__(self, name: str) -> None:
        self._name = name
        self._names: list[str] = []
        self._types: dict[str, Any] = {}
        self._nested = False

    def look(self, sample: bytes, whole: bool) -> Layout:
        lines = sample.split(b"\n")
        if not whole and len(lines) > 1:
            lines = lines[:-1]
        found = [row for row in map(_object, lines) if isinstance(row, dict)]
        rows = [flattened(row) for row in found]
        self._nested = any(isinstance(value, dict) for row in found for value in row.values())
        if not rows:
            raise UserError(
                f"{self._name} holds no JSON object in its first lines.",
                'NDJSON has one object a line, such as {"a": 1.5, "b": 2}. '
                "Say with --format what else it is.",
            )
        keys = dict.fromkeys(key for row in rows for key in row)
        self._names = [key for key in keys if _is_text(key)]
        first = []
        for key in self._names:
            values = [row[key] for row in rows if row.get(key) is not None]
            whole_numbers = values and all(_fits_in_64_bits(value) for value in values)
            self._types[key] = pa.int64() if whole_numbers else pa.string()
            first.append(_array([row.get(key) for row in rows]))
        return Layout(self._names, first, True, "NDJSON")

    def parse(self, block: Block, start: Position, wanted: Wanted) -> Part:
        records = Records(block.data, False)
        decimals = wanted.numbers
        features = [self._names[i] for i in decimals]
        others = [self._names[i] for i in wanted.all() if i not in decimals]
        kinds = {self._names[i]: pa.string() for i in wanted.features}  # categories
        kinds = {**self._types, **kinds, **dict.fromkeys(features, pa.float64())}
        schema = pa.schema([(name, kinds[name]) for name in [*features, *others]])
        wrong: dict[str, Any] = {}
        rejects: list[Reject] = []
        inside = np.arange(len(records))
        table = schema.empty_table()
        if len(records):  # pyarrow knows no name such as a.b
            table = None if self._nested else _read(block.data, schema)
        if table is None or table.num_rows != len(records):
            rows = []
            for i in range(len(records)):
                row, fault = self._understood(records.data(i), schema)
                if fault:
                    at = start.line + 1 + int(records.lines[i])
                    rejects.append(Reject(self._name, at, fault, records.text(i)))
                else:
                    rows.append((i, row))
            inside = np.array([i for i, _ in rows], dtype=np.int64)
            signs = dict(zip(features, decimals.values(), strict=True))
            table, wrong = _tabulated([row for _, row in rows], signs, schema)
        place = {name: f"c{i}" for i, name in enumerate(self._names)}
        wrong = {place[feature]: cells for feature, cells in wrong.items()}
        return Part(
            table.rename_columns([place[name] for name in schema.names]),
            record_numbers(start.record, len(records))[inside],
            lambda: start.line + 1 + records.lines[inside],
            lambda row: records.text(int(inside[row])),
            rejects,
            Position(
                start.source,
                block.byte + len(block.data),
                start.record + len(records),
                start.line + block.data.count(b"\n"),
            ),
            wrong,
        )

    def _understood(self, line: bytes, schema: Any) -> tuple[dict[str, Any], str]:
        row = _object(line)
        if isinstance(row, str):
            return {}, f"no JSON: {row}"
        if not isinstance(row, dict):
            return {}, "no JSON object"
        row = flattened(row)
        for name, kind in zip(schema.names, schema.types, strict=True):
            value = row.get(name)
            if value is None or pa.types.is_floating(kind):
                continue
            if kind == pa.string():
                row[name] = value if isinstance(value, str) else json.dumps(value)
                if not _is_text(row[name]):
                    return {}, f"{name} holds half a letter (a lone surrogate)"
            elif type(value) is not int:
                return {}, f"{name} is no whole number as it was before: {_short(value)}"
            elif not _fits_in_64_bits(value):
                return {}, f"{name} is beyond 64 bits: {_short(value)}"
        return row, ""


def _object(line: bytes) -> Any:
    """What a line says; a string, if that is not to be understood; None of an empty one."""
    if not line.strip():
        return None
    try:
        found = json.loads(line)
    except json.JSONDecodeError as error:
        return f"{error.msg} at character {error.colno}"
    except UnicodeDecodeError:
        return "it is not written in UTF-8"
    except ValueError:
        return "a number has too many digits"
    except RecursionError:
        return "too many objects are within each other"
    return found if isinstance(found, dict) else [found]


def flattened(row: dict[str, Any], before: str = "", depth: int = 0) -> dict[str, Any]:
    """Objects within an object become names with points.

    >>> flattened({"a": {"b": 1, "c": {"d": 2}}, "e": [3]})
    {'a.b': 1, 'a.c.d': 2, 'e': [3]}
    """
    found: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, dict) and depth < _DEEPEST:
            found.update(flattened(value, f"{before}{key}.", depth + 1))
        else:
            found[before + key] = value
    return found


def _array(values: list[Any]) -> Any:
    """The first values of a column; what is no one type is text."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return pa.array(values)
    numbers = sum(_is_number(value) for value in values)
    if 2 * numbers > sum(value is not None for value in values):
        return pa.array([_as_float(value) for value in values], pa.float64())
    texts = [v if isinstance(v, str) or v is None else json.dumps(v) for v in values]
    return pa.array([v if v is None or _is_text(v) else None for v in texts], pa.string())


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _fits_in_64_bits(value: Any) -> bool:
    return type(value) is int and -(2**63) <= value < 2**63


def _is_text(text: str) -> bool:
    """Can it be written? JSON can name half a letter, a lone surrogate, which no encoding has."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def _as_float(value: Any) -> float | None:
    if not _is_number(value):
        return None
    try:
        return float(value)
    except OverflowError:  # of a whole number
        return math.inf if value > 0 else -math.inf


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


def _read(data: bytes, schema: Any) -> Any:
    """The table, or None where a row does not fit the schema, or holds bytes that are no text."""
    try:
        table = arrow_json.read_json(
            pa.BufferReader(data),
            read_options=arrow_json.ReadOptions(use_threads=False, block_size=len(data) + 1),
            parse_options=arrow_json.ParseOptions(
                explicit_schema=schema, unexpected_field_behavior="ignore"
            ),
        ).select(schema.names)
        table.validate(full=True)
    except pa.ArrowInvalid:
        return None
    return table


def _tabulated(
    rows: list[dict[str, Any]], decimals: dict[str, str], schema: Any
) -> tuple[pa.Table, dict[str, Any]]:
    wrong, columns = {}, []
    for field in schema:
        values: list[Any] = [row.get(field.name) for row in rows]
        if field.name in decimals:
            numbers = [_as_float(value) for value in values]
            texts = [v if isinstance(v, str) and _is_text(v) else None for v in values]
            if any(text is not None for text in texts):
                found = as_numbers(pa.array(texts, pa.string()), decimals[field.name]).to_pylist()
                numbers = [a if b is None else b for a, b in zip(numbers, found, strict=True)]
            if any(number is None for number in numbers):
                cells = [v if v is None or isinstance(v, str) else _short(v) for v in values]
                wrong[field.name] = pa.array(cells, pa.string())
            values = numbers
        columns.append(pa.array(values, field.type))
    return pa.table(columns, schema=schema), wrong
