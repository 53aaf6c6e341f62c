"""NDJSON (one JSON object a line) by pyarrow, block by block."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import json as arrow_json

from ..errors import UserError
from .blocks import Block, Records
from .columns import Wanted
from .parts import Layout, Part, Position, Reject, record_numbers

_SHOWN = 60  # letters of a cell that is shown


class NdjsonText:
    """Understands blocks of an NDJSON file."""

    quoted = False  # a line end in a string is written \n

    def __init__(self, name: str) -> None:
        self._name = name
        self._names: list[str] = []
        self._types: dict[str, Any] = {}

    def look(self, sample: bytes, whole: bool) -> Layout:
        lines = sample.split(b"\n")
        if not whole and len(lines) > 1:
            lines = lines[:-1]
        rows = [row for row in map(_object, lines) if isinstance(row, dict)]
        if not rows:
            raise UserError(
                f"{self._name} holds no JSON object in its first lines.",
                'NDJSON has one object a line, such as {"a": 1.5, "b": 2}. '
                "Say with --format what else it is.",
            )
        keys = dict.fromkeys(key for row in rows for key in row)
        self._names = [key for key in keys if _is_text(key)]
        numeric = []
        for key in self._names:
            values = [row[key] for row in rows if row.get(key) is not None]
            numbers = sum(_is_number(value) for value in values)
            numeric.append(bool(values) and 2 * numbers > len(values))
            whole_numbers = values and all(_fits_in_64_bits(value) for value in values)
            self._types[key] = pa.int64() if whole_numbers else pa.string()
        return Layout(self._names, numeric, True, "NDJSON")

    def parse(self, block: Block, start: Position, wanted: Wanted) -> Part:
        records = Records(block.data, False)
        features = [self._names[i] for i in wanted.features]
        others = [self._names[i] for i in wanted.carried()]
        schema = pa.schema(
            [(name, pa.float64()) for name in features]
            + [(name, self._types[name]) for name in others]
        )
        wrong: dict[str, Any] = {}
        rejects: list[Reject] = []
        inside = np.arange(len(records))
        table = _read(block.data, schema) if len(records) else schema.empty_table()
        if table is None or table.num_rows != len(records):
            rows = []
            for i in range(len(records)):
                row, fault = self._understood(records.text(i), others)
                if fault:
                    at = start.line + 1 + int(records.lines[i])
                    rejects.append(Reject(self._name, at, fault, records.text(i)))
                else:
                    rows.append((i, row))
            inside = np.array([i for i, _ in rows], dtype=np.int64)
            table, wrong = _tabulated([row for _, row in rows], features, schema)
        names = [f"c{i}" for i in wanted.all()]
        wrong = {names[features.index(feature)]: cells for feature, cells in wrong.items()}
        return Part(
            table.rename_columns(names),
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

    def _understood(self, text: str, others: list[str]) -> tuple[dict[str, Any], str]:
        row = _object(text.encode())
        if isinstance(row, str):
            return {}, f"no JSON: {row}"
        if not isinstance(row, dict):
            return {}, "no JSON object"
        for name in others:
            value = row.get(name)
            if value is None:
                continue
            if self._types[name] == pa.string():
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
    except (ValueError, RecursionError) as error:
        return str(error)
    return found if isinstance(found, dict) else [found]


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
    """The table, or None where a row does not fit the schema."""
    try:
        table = arrow_json.read_json(
            pa.BufferReader(data),
            read_options=arrow_json.ReadOptions(use_threads=False, block_size=len(data) + 1),
            parse_options=arrow_json.ParseOptions(
                explicit_schema=schema, unexpected_field_behavior="ignore"
            ),
        )
    except pa.ArrowInvalid:
        return None
    return table.select(schema.names)


def _tabulated(
    rows: list[dict[str, Any]], features: list[str], schema: Any
) -> tuple[pa.Table, dict[str, Any]]:
    wrong, columns = {}, []
    for field in schema:
        values: list[Any] = [row.get(field.name) for row in rows]
        if field.name in features:
            numbers = [_as_float(value) for value in values]
            if any(number is None for number in numbers):
                cells = [None if value is None else _short(value) for value in values]
                wrong[field.name] = pa.array(cells, pa.string())
            values = numbers
        columns.append(pa.array(values, field.type))
    return pa.table(columns, schema=schema), wrong
