"""All sources one after the other, in chunks of usable rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ..._typing import Floats, Ints
from ..errors import UserError
from .columns import Choice, Wanted, chosen, same_columns
from .damage import explain_damage
from .parts import Layout, Part, Position, Reject
from .sources import Source
from .times import seconds_of

GREATEST = 1e140
"""Beyond this the core refuses numbers: their squares would overflow."""
_SHOWN = 40


class Chunk(NamedTuple):
    """Rows that can be learnt, and what was told of them."""

    X: Floats
    file: str
    records: Ints
    """Number of each row in its source, from 1."""
    ids: Any
    labels: Any
    truths: Any
    """Arrow arrays, or None where there is no such column."""
    times: Floats | None
    """In seconds."""
    rejects: list[Reject]
    end: Position


class Reader:
    """Reads sources; the first decides which columns."""

    def __init__(self, sources: Sequence[Source], choice: Choice, layouts: list[Layout]) -> None:
        self.sources = list(sources)
        self.layouts = layouts
        self.first = self.layouts[0]
        self.wanted = chosen(self.first, choice, self.sources[0].name)
        self._places = [self.wanted] + [
            same_columns(layout, self.first.names, self.wanted, source.name)
            for layout, source in zip(self.layouts[1:], self.sources[1:], strict=True)
        ]

    @property
    def features(self) -> list[str]:
        return [self.first.names[i] for i in self.wanted.features]

    @property
    def id_name(self) -> str | None:
        return None if self.wanted.id is None else self.first.names[self.wanted.id]

    def chunks(self, start: Position | None = None) -> Iterator[Chunk]:
        start = start or Position()
        for at in range(start.source, len(self.sources)):
            source, wanted = self.sources[at], self._places[at]
            begin = start if at == start.source else Position(source=at)
            for part in _parts(source, wanted, begin):
                yield _sifted(part, wanted, self.features, source.name)

    def with_source(self, at: int, source: Source) -> Reader:
        """One source in place of another that has the same rows."""
        twin = copy(self)
        twin.sources = [*self.sources[:at], source, *self.sources[at + 1 :]]
        return twin

    def share(self, end: Position) -> float | None:
        """How much of all sources has been read."""
        here = self.sources[end.source].share(end)
        return None if here is None else (end.source + here) / len(self.sources)


def read_ahead(chunks: Iterator[Chunk]) -> Iterator[Chunk]:
    """The same chunks; the next one is read while the caller works on this one."""
    with ThreadPoolExecutor(1) as worker:
        coming = worker.submit(next, chunks, None)
        while (chunk := coming.result()) is not None:
            coming = worker.submit(next, chunks, None)
            yield chunk


def _parts(source: Source, wanted: Wanted, end: Position) -> Iterator[Part]:
    """All parts of a source; if it is damaged, the error says behind which row."""
    parts = source.parts(wanted, end)
    while True:
        problem = f"{source.name} cannot be read beyond row {end.record:,}"
        with explain_damage(problem, "It is damaged or cut short: fetch it again."):
            part = next(parts, None)
        if part is None:
            return
        end = part.end
        yield part


def _sifted(part: Part, wanted: Wanted, features: list[str], file: str) -> Chunk:
    """The usable rows of a part; why the others are not."""
    table, count = part.table, part.table.num_rows
    X = np.empty((count, len(wanted.features)))
    for at, place in enumerate(wanted.features):
        X[:, at] = _numbers(table[f"c{place}"])
    rejects = part.refused
    usable: Any = np.ones(count, dtype=bool)
    times = None if wanted.time is None else seconds_of(_whole(table[f"c{wanted.time}"]))
    in_time = times is None or not np.isnan(times).any()
    # Most parts are good as a whole; a NaN spoils both comparisons.
    if count and not (X.max() <= GREATEST and X.min() >= -GREATEST and in_time):
        with np.errstate(invalid="ignore"):
            good = np.abs(X) <= GREATEST
        if times is not None:
            good = np.column_stack([good, ~np.isnan(times)])
        usable = good.all(axis=1)
        lines = part.lines()
        for row in np.flatnonzero(~usable).tolist():
            at = int(np.argmin(good[row]))
            if at == len(features):
                reason = _no_time(table[f"c{wanted.time}"][row].as_py())
            else:
                cells = part.wrong.get(f"c{wanted.features[at]}")
                reason = _reason(features[at], X[row, at], None if cells is None else cells[row])
            rejects.append(Reject(file, int(lines[row]), reason, part.text(row)))
        rejects.sort(key=lambda reject: reject.line)
        table, X = table.filter(pa.array(usable)), X[usable]
        times = None if times is None else times[usable]

    def carried(place: int | None) -> Any:
        return None if place is None else table[f"c{place}"].combine_chunks()

    return Chunk(
        X,
        file,
        part.records if usable.all() else part.records[usable],
        carried(wanted.id),
        carried(wanted.label),
        carried(wanted.truth),
        times,
        rejects,
        part.end,
    )


def _numbers(column: Any) -> Floats:
    """With NaN where there is none."""
    numbers: Floats = _whole(column).to_numpy(zero_copy_only=False)
    return numbers


def _whole(column: Any) -> Any:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _reason(name: str, value: float, cell: Any) -> str:
    written = None if cell is None else cell.as_py()
    if np.isinf(value):
        return f"{name} is infinite"
    if not np.isnan(value):
        return f"{name} is beyond {GREATEST:g}"
    if written is None or written.strip().lower() in ("", "na", "n/a", "nan", "null", "none"):
        return f"{name} is missing"
    return f"{name} is not a number: {_cut(written)!r}"


def _no_time(cell: Any) -> str:
    if cell in (None, ""):
        return "the time is missing"
    return f"the time cannot be read: {_cut(str(cell))!r}"


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


def reader_for(
    sources: Sequence[Source], choice: Choice, names: list[str] | None, width: int | None
) -> Reader:
    """A reader of what a model has learnt before: features of these names, or just so many."""
    layouts = [source.layout() for source in sources]
    if choice.columns is None and names is not None and layouts[0].named:
        choice = choice._replace(columns=names)
    reader = Reader(sources, choice, layouts)
    if width is not None and len(reader.features) != width:
        shown = ", ".join(reader.features[:12])
        raise UserError(
            f"{sources[0].name}: {len(reader.features)} columns would be used ({shown}); the model "
            f"has learnt {width}.",
            "Choose the right ones with --columns.",
        )
    return reader
