"""All sources one after the other, in chunks of usable rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ..._typing import Floats, Ints
from ...data.encoding import Columns
from ...data.numbers import is_missing
from ...gaps import enough
from .columns import Choice, Wanted, chosen, learnt, same_columns, unique
from .damage import explain_damage
from .parts import Layout, Part, Position, Reject
from .sources import Source
from .times import seconds_of

GREATEST = 1e140
"""Beyond this the core refuses numbers: their squares would overflow."""
_SHOWN = 40


class Chunk(NamedTuple):
    """Rows that can be learnt, and what was reported about them."""

    X: Floats
    file: str
    records: Ints
    """Number of each row in its source, from 1."""
    ids: list[Any]
    labels: Any
    truths: Any
    times: Any
    """Arrow arrays, or None where there is no such column."""
    kept: Any
    """Table of all columns, or None."""
    seconds: Floats | None
    """The times in seconds, where somebody has named their column."""
    rejects: list[Reject]
    end: Position
    columns: Columns
    """With the values of categories that are known by now."""
    refuse: Callable[[int, str], Reject]
    """One of the rows as a reject, with a reason."""

    def only(self, rows: Any) -> Chunk:
        """Some of the rows, by a mask."""
        mask, places = pa.array(rows), np.flatnonzero(rows)

        def some(column: Any) -> Any:
            return None if column is None else column.filter(mask)

        return self._replace(
            X=self.X[rows],
            records=self.records[rows],
            ids=[some(column) for column in self.ids],
            labels=some(self.labels),
            truths=some(self.truths),
            times=some(self.times),
            kept=some(self.kept),
            seconds=None if self.seconds is None else self.seconds[rows],
            refuse=lambda row, reason: self.refuse(int(places[row]), reason),
        )

    def without_gaps(self) -> Chunk:
        """Only the complete rows, for a model that cannot learn others."""
        gaps = np.isnan(self.X)
        if not gaps.any():
            return self
        names, rejects = self.columns.features, list(self.rejects)
        for row in np.flatnonzero(gaps.any(axis=1)).tolist():
            rejects.append(self.refuse(row, f"{names[int(gaps[row].argmax())]} is missing"))
        rejects.sort(key=lambda reject: reject.line)
        return self.only(~gaps.any(axis=1))._replace(rejects=rejects)


class Reader:
    """Reads sources; the first decides which columns."""

    def __init__(
        self,
        sources: Sequence[Source],
        choice: Choice,
        layouts: list[Layout],
        columns: Columns | None = None,
        only_numbers: bool = False,
    ) -> None:
        self.sources = list(sources)
        self.layouts = layouts
        self.needs_times = choice.needs_times
        self.first = self.layouts[0]
        name = self.sources[0].name
        if columns is None:
            self.wanted, self.columns = chosen(self.first, choice, name, only_numbers)
        else:
            self.wanted, self.columns = learnt(self.first, choice, name, columns)
        self._places = [self.wanted] + [
            same_columns(layout, self.first.names, self.wanted, source.name)
            for layout, source in zip(self.layouts[1:], self.sources[1:], strict=True)
        ]

    @property
    def features(self) -> list[str]:
        """Names of the columns that are learnt."""
        return [column.name for column in self.columns.used]

    @property
    def id_names(self) -> list[str]:
        return [self.first.names[i] for i in self.wanted.ids]

    @property
    def time_name(self) -> str | None:
        return None if self.wanted.time is None else self.first.names[self.wanted.time]

    def chunks(self, start: Position | None = None, learning: bool = True) -> Iterator[Chunk]:
        """Usable rows; `learning`: new values of categories are noted."""
        start = start or Position()
        for at in range(start.source, len(self.sources)):
            source, wanted = self.sources[at], self._places[at]
            begin = start if at == start.source else Position(source=at)
            for part in _parts(source, wanted, begin):
                chunk = sifted(
                    part,
                    wanted,
                    self.first.names,
                    self.columns,
                    source.name,
                    learning,
                    self.needs_times,
                )
                self.columns = chunk.columns
                yield chunk

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


def sifted(
    part: Part,
    wanted: Wanted,
    names: list[str],
    columns: Columns,
    file: str,
    learning: bool,
    needs_times: bool,
) -> Chunk:
    """The usable rows of a part; why the others are not. `needs_times`: a row
    without a time cannot be used."""
    table, count = part.table, part.table.num_rows
    used = dict(zip((c.name for c in columns.used), wanted.features, strict=True))
    cells = {name: table[f"c{place}"] for name, place in used.items()}
    X, columns = columns.encoded(cells, learning)
    reasons: dict[int, str] = {}
    # Most parts are good as a whole; a NaN spoils both comparisons.
    if count and not (X.max() <= GREATEST and X.min() >= -GREATEST):
        reasons = _reasons(part, X, columns, wanted)
    seconds = None
    if needs_times:
        seconds = seconds_of(table[f"c{wanted.time}"].combine_chunks(), wanted.time_format)
        for row in np.flatnonzero(np.isnan(seconds)).tolist():
            reasons.setdefault(row, _no_time(table[f"c{wanted.time}"][row].as_py()))

    def refuse(row: int, reason: str) -> Reject:
        return Reject(file, int(part.lines()[row]), reason, part.text(row))

    def carried(place: int | None) -> Any:
        return None if place is None else table[f"c{place}"].combine_chunks()

    kept = None
    if wanted.kept:
        kept = pa.table([table[f"c{i}"] for i in wanted.kept], names=unique(names))
    rejects = part.refused + [refuse(row, reason) for row, reason in reasons.items()]
    rejects.sort(key=lambda reject: reject.line)
    chunk = Chunk(
        X,
        file,
        part.records,
        [carried(place) for place in wanted.ids],
        carried(wanted.label),
        carried(wanted.truth),
        carried(wanted.time),
        kept,
        seconds,
        rejects,
        part.end,
        columns,
        refuse,
    )
    if not reasons:
        return chunk
    usable = np.ones(count, dtype=bool)
    usable[list(reasons)] = False
    return chunk.only(usable)


def _reasons(part: Part, X: Floats, columns: Columns, wanted: Wanted) -> dict[int, str]:
    """Rows that cannot be used, and why: what is no number, too large, or mostly missing."""
    found: dict[int, str] = {}
    for column, place, at in zip(columns.used, wanted.features, columns.places, strict=True):
        name, values = column.name, X[:, at.start]
        with np.errstate(invalid="ignore"):
            large = np.abs(values) > GREATEST
        for row in np.flatnonzero(large).tolist():
            infinite = np.isinf(values[row])
            found.setdefault(
                row, f"{name} is " + ("infinite" if infinite else f"beyond {GREATEST:g}")
            )
        written = part.wrong.get(f"c{place}")
        if column.kind == "yes/no":
            written = part.table[f"c{place}"].combine_chunks().cast(pa.string())
        if written is None or not np.isnan(values).any():
            continue
        strange = np.isnan(values) & ~is_missing(written).to_numpy(zero_copy_only=False)
        kind, advice = "yes or no", f" (--categories {name} takes all)"
        if column.takes_numbers:
            kind, advice = "a number", ""
        for row in np.flatnonzero(strange).tolist():
            found.setdefault(row, f"{name} is not {kind}: {_cut(written[row].as_py())!r}{advice}")
    there = columns.places
    for row in np.flatnonzero(~enough(X, columns.share)).tolist():
        missing = [
            c.name for c, at in zip(columns.used, there, strict=True) if np.isnan(X[row, at.start])
        ]
        reason = f"{len(missing)} of {len(there)} values are missing"
        if len(missing) == 1:
            reason = f"{missing[0]} is missing"
        found.setdefault(row, reason)
    return found


def _no_time(cell: Any) -> str:
    if cell in (None, ""):
        return "the time is missing"
    return f"the time cannot be read: {_cut(str(cell))!r}"


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


def reader_for(sources: Sequence[Source], choice: Choice, model: Any = None) -> Reader:
    """A reader for a model; if that has learnt something, of what it has learnt."""
    layouts = [source.layout() for source in sources]
    only_numbers = model is not None and not hasattr(type(model), "_tabulated")
    columns = Columns.of_model(model) if hasattr(model, "n_features_in_") else None
    return Reader(sources, choice, layouts, columns, only_numbers)
