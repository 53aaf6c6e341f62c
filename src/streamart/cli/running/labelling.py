"""Labels of rows: which columns they are written with, and the second look at a finite stream.

The cluster that a row gets when it is learnt is what is known by then; clusters that come later may
split it off or take it over. Of a stream that ends, people want to know where a row belongs in the
end. So it is read once more, and each row gets what the finished model predicts.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa

from ..._typing import Floats, Ints
from ..errors import UserError
from ..reading.columns import unique
from ..reading.parts import Position
from ..reading.reader import Chunk, Reader, read_ahead
from .scores import Agreement
from .writers import Output


class Labels:
    """Writes labels and scores them."""

    def __init__(
        self,
        output: Output | None,
        score: bool,
        id_names: list[str],
        several_files: bool,
        keep: bool = False,
    ) -> None:
        self.output = output
        self.agreement = Agreement() if score else None
        self.counts: dict[int, int] = {}
        self.first: dict[int, int] = {}
        self.last: dict[int, int] = {}
        self._seen = 0
        self._id_names = id_names
        self.keep = keep
        """All columns are written, and the distance of each row."""
        self._several = several_files

    def take(
        self, chunk: Chunk, ids: Ints, names: dict[int, str] | None, distance: Floats | None = None
    ) -> None:
        """Ids of all rows of a chunk; `names` of clusters, if they are to be written."""
        if self.agreement is not None:
            self.agreement.add(chunk.truths, ids)
        found, begin, counts = np.unique(ids, return_index=True, return_counts=True)
        end = len(ids) - 1 - np.unique(ids[::-1], return_index=True)[1]
        for i, first, last, count in zip(
            found.tolist(), begin.tolist(), end.tolist(), counts.tolist(), strict=True
        ):
            self.first.setdefault(i, self._seen + first + 1)
            self.last[i] = self._seen + last + 1
            self.counts[i] = self.counts.get(i, 0) + count
        self._seen += len(ids)
        if self.output is not None:
            self.output.write(self._table(chunk, ids, names, distance))

    def _table(
        self, chunk: Chunk, ids: Ints, names: dict[int, str] | None, distance: Floats | None
    ) -> pa.Table:
        columns: dict[str, Any] = {}
        if self._several:
            columns["file"] = pa.array([chunk.file], pa.string()).take(
                pa.array(np.zeros(len(ids), dtype=np.int64))
            )
        if chunk.kept is not None:
            columns |= dict(zip(chunk.kept.column_names, chunk.kept.columns, strict=True))
        elif not chunk.ids:
            columns["row"] = pa.array(chunk.records)
        else:
            for name, values in zip(self._id_names, chunk.ids, strict=True):
                # Its own name, unless one of ours is the same.
                taken = name in ("file", "cluster", "cluster_name")
                columns["id" if taken else name] = values
        ours: dict[str, Any] = {"cluster": pa.array(ids)}
        if names is not None:
            known = pa.array([*names.values(), None], pa.string())
            places = {i: at for at, i in enumerate(names)}
            found, back = np.unique(ids, return_inverse=True)
            at = np.array([places.get(i, len(names)) for i in found.tolist()], dtype=np.int64)
            ours["cluster_name"] = known.take(pa.array(at[back]))
        if distance is not None:
            ours["distance"] = pa.array(distance)
        names_of_all = unique([*columns, *ours])
        return pa.table([*columns.values(), *ours.values()], names=names_of_all)


def learnable(model: Any, chunk: Chunk) -> Chunk:
    """Without incomplete rows, if the model cannot learn them; the paper's network never can."""
    return chunk if getattr(model, "_takes_gaps", False) else chunk.without_gaps()


def predicted(model: Any, X: Floats, outliers: bool = False) -> Ints:
    """Ids; -1 for an outlier."""
    if not len(X):
        return np.empty(0, dtype=np.int64)
    with unnamed():
        ids: Ints = model.predict_ids(X, outliers=outliers)
    return ids


def distances(model: Any, X: Floats) -> Floats:
    """How far each row is from what is usual in its cluster: up to about 1 is usual."""
    with unnamed():
        found: Floats = model.novelty(X) if len(X) else np.empty(0)
    return found


@contextmanager
def unnamed() -> Iterator[None]:
    """Samples are given without the names of their features."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        yield


def label_again(
    model: Any, reader: Reader, end: Position, expected: int, labels: Labels, tick: Any, named: bool
) -> None:
    """Read all rows up to `end` again, and label them."""
    names = model.names_ if named or labels.keep else None
    seen = 0
    for chunk in read_ahead(reader.chunks(learning=False)):
        chunk = learnable(model, chunk)
        at = chunk.end.source
        if at > end.source:
            break
        chunk = _until(chunk, end) if at == end.source else chunk
        far = distances(model, chunk.X) if labels.keep else None
        labels.take(chunk, predicted(model, chunk.X), names, far)
        seen += len(chunk.X)
        tick(chunk)
        if at == end.source and chunk.end.record >= end.record:
            break
    if seen != expected:
        raise UserError(
            f"The input has changed while it was read: {expected:,} rows were learnt, and the "
            f"second time {seen:,} were found.",
            "The model is saved as it is; label the rows with: streamart predict MODEL FILE",
        )


def _until(chunk: Chunk, end: Position) -> Chunk:
    """Only the rows that were learnt."""
    count = int(np.searchsorted(chunk.records, end.record, side="right"))
    if count == len(chunk.records):
        return chunk
    return chunk.only(np.arange(len(chunk.records)) < count)
