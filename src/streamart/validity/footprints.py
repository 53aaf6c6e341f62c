"""Footprints of clusters that somebody else makes: what all indices are computed from.

Labels are anything hashable. A cluster begins with its first sample and ends with its last.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from .._typing import Floats, Ints
from .given import Footprint, checked, distinct, one_row, plain, same_width, sums_of
from .stored import Document, Tensors, as_json, from_json
from .sums import (
    Sums,
    add_samples,
    add_sums,
    allocate,
    clear_row,
    copied,
    copy_row,
    fill_from,
    left_after_removal,
    measure_directly,
    measured,
)

WRONG = 1e-9
"""Removing what was never there leaves sums that no samples have, by more than this share."""


class Footprints:
    """n, mean and compactness of each cluster of a stream that is clustered elsewhere.

    Several indices can share one, so that a sample is added once:

    >>> from streamart import icvi
    >>> seen = icvi.Footprints()
    >>> ch, db = icvi.CalinskiHarabasz(seen), icvi.DaviesBouldin(seen)
    >>> seen.update_many([[0.0], [1.0], [8.0], [9.0]], ["a", "a", "b", "b"])
    >>> ch.value, db.value
    (128.0, 0.0078125)

    Parameters
    ----------
    covariances : bool, default=False
        Whether the scatter matrix of each cluster is kept, too, which the information-theoretic
        indices need. It takes ``16 d^2`` bytes for each cluster.

    Notes
    -----
    Sums are kept with twice the digits of a float (`streamart.validity.sums`). So the order of the
    samples does not matter, and removing one undoes its addition.
    """

    def __init__(self, covariances: bool = False) -> None:
        self.covariances = covariances
        self._rows: dict[Hashable, int] = {}
        self._everything = allocate(0, 0, covariances)
        self._clusters = allocate(0, 0, covariances)
        self._distance = np.zeros((0, 0))

    # ------------------------------------------------------------------ what there is

    @property
    def labels(self) -> list[Hashable]:
        """The labels of the clusters there are."""
        return list(self._rows)

    @property
    def n_clusters(self) -> int:
        return len(self._rows)

    @property
    def n_samples(self) -> int:
        return int(self._everything.n[0]) if self.n_features else 0

    @property
    def n_features(self) -> int:
        """0 before the first sample."""
        return self._clusters.mean.shape[1]

    def footprint(self, label: Hashable) -> Footprint:
        """n, mean and CP of one cluster, with the scatter matrix where covariances are kept."""
        c = self._row(label)
        sums = self.measured()
        n = float(sums.n[c])
        scatter = sums.covariance[c] * (n - 1.0) if self.covariances else None
        return Footprint(n, sums.mean[c].copy(), float(sums.cp[c]), scatter)

    def measured(self) -> Sums:
        """The clusters, with means, CP and covariances up to date; row i is that of label i."""
        if self._rows:
            measured(self._everything, self._clusters, self._distance, len(self._rows))
        return self._clusters

    # ------------------------------------------------------------------ verbs

    def update(self, x: ArrayLike, label: Hashable) -> None:
        """A sample joins a cluster, which begins if there is none of this label."""
        self.update_many(one_row(x), [label])

    def update_many(self, X: ArrayLike, labels: Iterable[Hashable]) -> None:
        """Samples join clusters. All of them are refused if one is."""
        samples, rows = self.prepare(X, labels)
        add_samples(self._everything, self._clusters, samples, rows, 1.0)

    def remove(self, x: ArrayLike, label: Hashable) -> None:
        """A sample leaves its cluster, which ends if that was the last one.

        Which samples a cluster has is not stored. One that cannot have been there is refused.
        """
        c, samples = self._row(label), checked(one_row(x), self.n_features)
        before = self._copied_sums()
        add_samples(self._everything, self._clusters, samples, np.array([c]), -1.0)
        self._check(c, before, f"the cluster {label!r} cannot have had this sample")
        if self._clusters.n[c] == 0:
            self._end(c)

    def move(self, x: ArrayLike, source: Hashable, target: Hashable) -> None:
        """A sample changes its cluster."""
        part = self._sums(checked(one_row(x), self.n_features))
        self._take(source, target, part, f"the cluster {source!r} cannot have had this sample")

    def merge(self, a: Hashable, b: Hashable) -> None:
        """Cluster b joins cluster a, and ends."""
        into, gone = self._row(a), self._row(b)
        if into == gone:
            raise ValueError(f"A cluster cannot merge with itself: {a!r}.")
        add_sums(self._clusters, into, self._clusters, gone, 1.0)
        self._end(gone)

    def split(self, label: Hashable, part: Footprint | ArrayLike, into: Hashable) -> None:
        """A part of a cluster leaves it for another, a new one as a rule.

        Parameters
        ----------
        label : hashable
        part : Footprint or array-like of shape (n_samples, n_features)
            What leaves: its footprint, or its samples.
        into : hashable
        """
        if isinstance(part, Footprint):
            sums = sums_of(part, self.n_features, self.covariances)
        else:
            sums = self._sums(checked(part, self.n_features))
        if sums.n[0]:
            self._take(label, into, sums, f"the cluster {label!r} cannot have had this part")

    def join(self, other: Footprints) -> Self:
        """Add all that another object has seen; clusters of the same label become one."""
        if other is self:
            raise ValueError("An object cannot be joined with itself; join a copy.")
        if self.covariances and not other.covariances:
            raise ValueError("The other object keeps no covariances, which are needed here.")
        if other.n_clusters:
            if self.n_features:
                same_width(other.n_features, self.n_features)
            for label, row in other._rows.items():
                into = self._open(label, other.n_features)
                add_sums(self._clusters, into, other._clusters, row, 1.0)
            add_sums(self._everything, 0, other._everything, 0, 1.0)
        return self

    def copy(self) -> Footprints:
        twin = Footprints(self.covariances)
        twin._rows = dict(self._rows)
        twin._everything, twin._clusters = self._copied_sums()
        twin._distance = self._distance.copy()
        return twin

    def fill(self, labels: list[Hashable], parts: list[Floats], samples: Floats) -> None:
        """Take the footprints of all samples as they are, without their sums (`batch`)."""
        self._make_room(len(labels), samples.shape[1])
        self._rows = {label: row for row, label in enumerate(labels)}
        measure_directly(self._everything, 0, samples)
        for row, part in enumerate(parts):
            measure_directly(self._clusters, row, part)
        mean = self._clusters.mean[: len(labels)]
        for row in range(len(labels)):
            self._distance[row, : len(labels)] = ((mean - mean[row]) ** 2).sum(axis=1)

    # ------------------------------------------------------------------ files

    def described(self) -> tuple[Tensors, Document]:
        """The sums and the labels, for a file."""
        k, tensors = self.n_clusters, {}
        for name in ("n", "total", "square", "product"):
            array = getattr(self._clusters, name)
            tensors[f"all {name}"] = getattr(self._everything, name)
            tensors[name] = array[:k] if name == "n" else array[:, :k]
        return tensors, {
            "labels": [as_json(label) for label in self.labels],
            "covariances": self.covariances,
            "n_features": self.n_features,
        }

    @classmethod
    def restored(cls, tensors: Tensors, document: Document) -> Footprints:
        seen, labels = cls(bool(document["covariances"])), document["labels"]
        d, k = int(document["n_features"]), len(labels)
        if d:
            seen._make_room(max(k, 1), d)
            seen._rows = {from_json(label): row for row, label in enumerate(labels)}
            for sums, prefix, rows in ((seen._everything, "all ", 1), (seen._clusters, "", k)):
                for name in ("n", "total", "square", "product"):
                    target, array = getattr(sums, name), tensors[prefix + name]
                    part = target[:rows] if name == "n" else target[:, :rows]
                    if part.shape != array.shape or not np.isfinite(array).all():
                        raise ValueError(f"{prefix}{name} does not fit")
                    part[...] = array
        if len(seen._rows) != k or (d and not (seen._clusters.n[:k] >= 1).all()):
            raise ValueError("the clusters do not fit together")
        return seen

    # ------------------------------------------------------------------ rows

    def prepare(self, X: ArrayLike, labels: Iterable[Hashable]) -> tuple[Floats, Ints]:
        """Check samples, open clusters for new labels, and say which row each sample belongs to."""
        samples = checked(X, self.n_features)
        kinds, place = distinct(labels)
        if len(place) != len(samples):
            raise ValueError(f"There are {len(samples)} samples and {len(place)} labels.")
        if len(samples):
            self._make_room(len(self._rows) + len(kinds), samples.shape[1])
            rows = [self._rows.setdefault(label, len(self._rows)) for label in kinds]
            place = np.array(rows, dtype=np.int64)[place]
        return samples, place

    def _row(self, label: Hashable) -> int:
        if label not in self._rows:
            known = ", ".join(map(repr, list(self._rows)[:12])) or "none"
            raise ValueError(f"There is no cluster {label!r}. There are: {known}.")
        return self._rows[label]

    def _make_room(self, rows: int, d: int) -> None:
        if self._clusters.mean.shape != (len(self._clusters.n), d):  # the first sample
            self._everything = allocate(1, d, self.covariances)
            self._clusters = allocate(8, d, self.covariances)
            self._distance = np.zeros((8, 8))
        room = len(self._clusters.n)
        if rows > room:
            wider = allocate(max(rows, 2 * room), d, self.covariances)
            fill_from(wider, self._clusters)
            self._clusters = wider
            distance = np.zeros((len(wider.n),) * 2)
            distance[:room, :room] = self._distance
            self._distance = distance

    def _open(self, label: Hashable, d: int) -> int:
        """The row of a cluster, which begins if there is none."""
        self._make_room(len(self._rows) + 1, d)
        return self._rows.setdefault(plain(label), len(self._rows))

    def _sums(self, samples: Floats) -> Sums:
        """The sums of samples, as those of one cluster."""
        sums, twice = (allocate(1, samples.shape[1], self.covariances) for _ in range(2))
        add_samples(twice, sums, samples, np.zeros(len(samples), dtype=np.int64), 1.0)
        return sums

    def _take(self, source: Hashable, target: Hashable, part: Sums, problem: str) -> None:
        """A part of one cluster goes to another."""
        c, before = self._row(source), self._copied_sums()
        add_sums(self._clusters, c, part, 0, -1.0)
        self._check(c, before, problem)
        add_sums(self._clusters, self._open(target, self.n_features), part, 0, 1.0)
        if self._clusters.n[c] == 0:
            self._end(c)

    def _check(self, c: int, before: tuple[Sums, Sums], problem: str) -> None:
        """Put everything back if the cluster in row c is now impossible."""
        sums, old = self._clusters, before[1]
        left, greatest = left_after_removal(sums, c), old.square[0, c]
        wrong = sums.n[c] < 0 or left < -WRONG * greatest
        if sums.n[c] == 1 and left > WRONG * greatest:
            wrong = True  # one sample has no scatter
        if (
            sums.n[c] == 0
            and np.abs(sums.total[0, c]).max() > WRONG * np.abs(old.total[0, c]).max()
        ):
            wrong = True
        if wrong:
            self._everything, self._clusters = before
            raise ValueError(f"{problem[0].upper()}{problem[1:]}.")

    def _end(self, gone: int) -> None:
        """The cluster in this row is no more; the last row takes its place."""
        names, last = list(self._rows), len(self._rows) - 1
        del self._rows[names[gone]]
        sums = self._clusters
        versions = sums.version.max() + 1
        copy_row(sums, last, gone)
        clear_row(sums, last)
        sums.version[[gone, last]] = versions  # whoever has cached these rows must look again
        sums.measured[[gone, last]] = -1
        if gone != last:
            self._rows[names[last]] = gone
            self._rows = dict(sorted(self._rows.items(), key=lambda item: item[1]))
        if not self._rows:
            clear_row(self._everything, 0)
            self._everything.version[0] += 1

    def _copied_sums(self) -> tuple[Sums, Sums]:
        return copied(self._everything), copied(self._clusters)
