"""What is kept of a run, for the report and the summary, in a memory that does not grow.

Looks at the model, at numbers of samples that depend on nothing but their count; the sizes of its
clusters at some of them; where clusters came from and went; the latest events; some of the rows.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._typing import Floats, Ints
from ..estimators.network import ICVITopoARTMAP
from ..estimators.stream_art import StreamART
from ..history.events import Event

LOOKS = 600
"""Looks kept at most; when there are more, every second one goes."""
SNAPSHOTS = 120
EVENTS = 1000
ROWS = 6000
NUMBERS = 4_000_000
"""Greatest number of rows in the sample, and of numbers."""


class Look(NamedTuple):
    """The model after `n` samples."""

    n: int
    value: float
    tracker: int
    vigilance: float
    categories: int
    clusters: int


class Snapshot(NamedTuple):
    """Sizes of the clusters after `n` samples, by id."""

    n: int
    ids: Ints
    sizes: Ints


class Origin(NamedTuple):
    """How a cluster began: with which sample, and out of which cluster (-1: none)."""

    sample: int
    parent: int


class End(NamedTuple):
    """How a cluster ended: with which sample, and in which cluster."""

    sample: int
    successor: int


def next_look(model: StreamART | ICVITopoARTMAP, n: int) -> int:
    """After how many samples to look at the model again.

    By the count alone: what a look changes (StreamART derives its clusters, and gives new ones an
    id) is then the same however the samples came in, and whatever was asked to be written. Deriving
    costs as much as learning some ten thousand samples; it is to take a small part of the time on a
    long stream.
    """
    if not isinstance(model, StreamART):
        return n + max(16, n // 64)
    if n < 32:
        return 32
    return n + min(n // 6 if n < 10_000 else n // 2, 200_000)


def look_at(model: StreamART | ICVITopoARTMAP) -> Look:
    return Look(
        model.n_samples_seen_,
        model.icvi_value_,
        0 if isinstance(model, StreamART) else model.tracker_,
        model.rho_,
        model.n_categories_,
        model.n_clusters_,
    )


class Record:
    """What is kept of a run."""

    def __init__(self, rows: int = 0) -> None:
        self.looks: list[Look] = []
        self.snapshots: list[Snapshot] = []
        self.origins: dict[int, Origin] = {}
        self.ends: dict[int, End] = {}
        self.events: deque[Event] = deque(maxlen=EVENTS)
        self.kinds: Counter[str] = Counter()
        self.sample = Sample(rows)
        self.rows: dict[int, Floats] = {}
        """The features of rows by which clusters are known, by the number of the sample from 1."""

    def keep_rows(self, wanted: Ints, numbers: Ints, X: Floats) -> None:
        """Keep those of the `wanted` rows that are here or were before, if rows may be kept."""
        if self.sample.rows:
            here = dict(zip(numbers.tolist(), X, strict=True))
            known = self.rows | here
            self.rows = {i: known[i].copy() for i in wanted.tolist() if i in known}

    def look(self, model: StreamART | ICVITopoARTMAP) -> Look:
        """Note how the model is now."""
        look = look_at(model)
        if self.looks and self.looks[-1].n == look.n:
            self.looks.pop()
            if self.snapshots and self.snapshots[-1].n == look.n:
                self.snapshots.pop()
        self.looks.append(look)
        if len(self.looks) > LOOKS:
            self.looks = _thinned(self.looks)
        self.snapshots.append(Snapshot(look.n, model.cluster_ids_, model.clusters_.n))
        if len(self.snapshots) > SNAPSHOTS:
            self.snapshots = _thinned(self.snapshots)
            self._forget()
        return look

    def note(self, events: Iterable[Event]) -> None:
        for event in events:
            self.kinds[event.kind] += 1
            self.events.append(event)
            if event.kind == "created":
                self.origins[event.ids[0]] = Origin(event.sample, -1)
            elif event.kind == "split":
                self.origins[event.ids[1]] = Origin(event.sample, event.ids[0])
            elif event.kind in ("merged", "pruned"):
                self._end(event.ids[0], event.ids[1], event.sample)

    def _end(self, gone: int, successor: int, sample: int) -> None:
        """What merges into a younger cluster makes that one older."""
        self.ends[gone] = End(sample, successor)
        old, young = self.origins.get(gone), self.origins.get(successor)
        if old is not None and (young is None or old.sample < young.sample):
            self.origins[successor] = Origin(old.sample, -1 if young is None else young.parent)

    def _forget(self) -> None:
        """Clusters that came and went between two snapshots."""
        seen = {i for snapshot in self.snapshots for i in snapshot.ids.tolist()}
        living = set(self.snapshots[-1].ids.tolist())
        self.origins = {i: origin for i, origin in self.origins.items() if i in seen | living}
        self.ends = {i: end for i, end in self.ends.items() if i in seen}

    # ------------------------------------------------------------------ for a checkpoint

    def kept(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """As JSON, and as arrays."""
        document = {
            "looks": [[_plain(value) for value in look] for look in self.looks],
            "origins": [[i, *origin] for i, origin in self.origins.items()],
            "ends": [[i, *end] for i, end in self.ends.items()],
            "events": [[_plain(value) for value in event] for event in self.events],
            "kinds": dict(self.kinds),
            "snapshots": [
                [shot.n, shot.ids.tolist(), shot.sizes.tolist()] for shot in self.snapshots
            ],
        }
        X = np.array(list(self.rows.values())) if self.rows else np.empty((0, 0))
        kept = {"row_numbers": np.array(list(self.rows), dtype=np.int64), "rows": X}
        return document, {**self.sample.kept(), **kept}

    def restore(self, document: dict[str, Any], arrays: dict[str, Any]) -> None:
        self.looks = [Look(*map(_number, look)) for look in document["looks"]]
        self.origins = {i: Origin(*origin) for i, *origin in document["origins"]}
        self.ends = {i: End(*end) for i, *end in document["ends"]}
        self.kinds = Counter(document["kinds"])
        self.events.extend(
            Event(number, sample, kind, tuple(ids), *map(_number, rest))
            for number, sample, kind, ids, *rest in document["events"]
        )
        self.snapshots = [
            Snapshot(n, np.array(ids), np.array(sizes)) for n, ids, sizes in document["snapshots"]
        ]
        self.sample.restore(arrays)
        self.rows = dict(zip(arrays["row_numbers"].tolist(), arrays["rows"], strict=True))


class Sample:
    """Rows chosen as by lot, each as likely as any other.

    A row's lot depends on its number alone, and the lowest lots stay: the same rows, however the
    stream is cut and whether or not it was interrupted.

    >>> sample = Sample(2)
    >>> sample.offer(np.arange(5.0)[:, None], np.arange(5))
    >>> len(sample.X)
    2
    """

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self._lots = np.empty(0, dtype=np.uint64)
        self.X: Floats = np.empty((0, 0))
        self.numbers: Ints = np.empty(0, dtype=np.int64)

    def offer(self, X: Floats, numbers: Ints) -> None:
        room = min(self.rows, NUMBERS // max(1, X.shape[1]))
        if not room:
            return
        lots = _lots(numbers)
        if len(self._lots) >= room:
            lucky = lots < self._lots.max()
            X, numbers, lots = X[lucky], numbers[lucky], lots[lucky]
        if not len(lots):
            return
        if not len(self._lots):
            self.X = np.empty((0, X.shape[1]))
        lots = np.concatenate([self._lots, lots])
        best = np.arange(len(lots))
        if len(lots) > room:
            best = np.sort(np.argpartition(lots, room - 1)[:room])
        self._lots = lots[best]
        self.X = np.concatenate([self.X, X])[best]
        self.numbers = np.concatenate([self.numbers, numbers])[best]

    def kept(self) -> dict[str, Any]:
        return {"lots": self._lots, "X": self.X, "numbers": self.numbers}

    def restore(self, arrays: dict[str, Any]) -> None:
        self._lots, self.X = arrays["lots"], arrays["X"]
        self.numbers = arrays["numbers"]


def _lots(numbers: Ints) -> Any:
    """SplitMix64 of each number."""
    with np.errstate(over="ignore"):
        z = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def _thinned(items: Sequence[Any]) -> list[Any]:
    """Every second one, and the last."""
    return [*items[:-1:2], items[-1]]


def _plain(value: Any) -> Any:
    """JSON has no NaN."""
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    return list(value) if isinstance(value, tuple) else value


def _number(value: Any) -> Any:
    return float(value) if isinstance(value, str) else value
