"""Footprints of clusters that somebody else makes: what all indices are computed from.

Labels are anything hashable. A cluster begins with its first sample and ends with its last.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from .._typing import Floats, Ints
from .sums import NOISE, Sums, add_samples, add_sums, allocate, left_after_removal, measured

GREATEST = 1e140
"""Beyond this, squares would overflow."""
_TWO_FLOATS = ("total", "square", "product")
WRONG = 1e-9
"""Removing what was never there leaves a negative scatter, larger than this share of the squares."""


class Footprint(NamedTuple):
    """One cluster, or a part of one: what `Footprints.footprint` gives and `split` takes."""

    n: float
    mean: Floats
    cp: float
    """Sum of squared distances from the mean."""
    scatter: Floats | None = None
    """The matrix whose trace is `cp`, where covariances are kept."""

    @classmethod
    def of(cls, X: ArrayLike) -> Footprint:
        """The footprint of samples.

        >>> Footprint.of([[0.0], [2.0]])
        Footprint(n=2, mean=array([1.]), cp=2.0, scatter=array([[2.]]))
        """
        samples = checked(X)
        away = samples - samples.mean(axis=0)
        return cls(len(samples), samples.mean(axis=0), float((away**2).sum()), away.T @ away)


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
        self.update_many([x], [label])

    def update_many(self, X: ArrayLike, labels: Iterable[Hashable]) -> None:
        """Samples join clusters. All of them are refused if one is."""
        samples, rows = self.prepare(X, labels)
        add_samples(self._everything, self._clusters, samples, rows, 1.0)

    def remove(self, x: ArrayLike, label: Hashable) -> None:
        """A sample leaves its cluster, which ends if that was the last one.

        Which samples a cluster has is not stored. One that cannot have been there is refused.
        """
        c, samples = self._row(label), checked([x], self.n_features)
        before = self._copied_sums()
        add_samples(self._everything, self._clusters, samples, np.array([c]), -1.0)
        self._check(c, before, f"the cluster {label!r} cannot have had this sample")
        if self._clusters.n[c] == 0:
            self._end(c)

    def move(self, x: ArrayLike, source: Hashable, target: Hashable) -> None:
        """A sample changes its cluster."""
        part = self._sums(checked([x], self.n_features))
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
            sums = _sums_of(part, self.n_features, self.covariances)
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
                _same_width(other.n_features, self.n_features)
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
        _measure_directly(self._everything, 0, samples)
        for row, part in enumerate(parts):
            _measure_directly(self._clusters, row, part)
        mean = self._clusters.mean[: len(labels)]
        for row in range(len(labels)):
            self._distance[row, : len(labels)] = ((mean - mean[row]) ** 2).sum(axis=1)

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
            _fill(wider, self._clusters)
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
        if sums.n[c] == 0 and np.abs(sums.total[0, c]).max() > WRONG * np.abs(old.total[0, c]).max():
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
        _copy_row(sums, last, gone)
        _clear_row(sums, last)
        sums.version[[gone, last]] = versions  # whoever has cached these rows must look again
        sums.measured[[gone, last]] = -1
        if gone != last:
            self._rows[names[last]] = gone
            self._rows = dict(sorted(self._rows.items(), key=lambda item: item[1]))
        if not self._rows:
            _clear_row(self._everything, 0)
            self._everything.version[0] += 1

    def _copied_sums(self) -> tuple[Sums, Sums]:
        return (
            Sums(*(array.copy() for array in self._everything)),
            Sums(*(array.copy() for array in self._clusters)),
        )


def checked(X: ArrayLike, d: int = 0) -> Floats:
    """Samples as a matrix; with d features, if that is known."""
    samples = np.array(X, dtype=np.float64, order="C", ndmin=1)
    if samples.ndim != 2:
        if samples.size == 0:
            return samples.reshape(0, max(d, 1))
        raise ValueError(f"Samples must be rows of features. Got an array of shape {samples.shape}.")
    if samples.shape[1] == 0:
        raise ValueError("The samples have no features.")
    if d:
        _same_width(samples.shape[1], d)
    if not np.abs(samples).max(initial=0.0) <= GREATEST:  # False for NaN, too
        row = int(np.argmin(np.all(np.abs(samples) <= GREATEST, axis=1)))
        raise ValueError(f"Sample {row} has a value that is no finite number below {GREATEST:g}.")
    return samples


def _same_width(got: int, expected: int) -> None:
    if got != expected:
        raise ValueError(f"Expected {expected} features, got {got}.")


def distinct(labels: Iterable[Hashable]) -> tuple[list[Hashable], Ints]:
    """The different labels in the order in which they first appear, and which one each is."""
    if isinstance(labels, np.ndarray) and labels.ndim == 1 and labels.dtype.kind in "biuU":
        values, first, place = np.unique(labels, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        return values[order].tolist(), rank[place]
    kinds: dict[Hashable, int] = {}
    place = [kinds.setdefault(plain(label), len(kinds)) for label in labels]
    return list(kinds), np.array(place, dtype=np.int64)


def plain(label: Any) -> Hashable:
    """A label that is equal to itself, and not a number of numpy's."""
    if isinstance(label, np.generic):
        label = label.item()
    try:
        hash(label)
    except TypeError:
        raise TypeError(f"A label must be hashable. Got {label!r}.") from None
    if label != label:
        raise ValueError("A label is NaN, which is no label.")
    return label  # type: ignore[no-any-return]


def _sums_of(part: Footprint, d: int, with_products: bool) -> Sums:
    """The sums of a part, from its footprint."""
    n, mean, cp = float(part.n), checked([part.mean], d)[0], float(part.cp)
    if n < 1 or not np.isfinite(n) or not 0 <= cp <= GREATEST**2:
        raise ValueError(f"No samples have n={part.n!r} and cp={part.cp!r}.")
    if with_products and part.scatter is None:
        raise ValueError("The part needs its scatter matrix, since covariances are kept.")
    sums, centre = allocate(1, len(mean), with_products), allocate(1, len(mean), with_products)
    add_samples(centre, sums, mean[None], np.zeros(1, dtype=np.int64), 1.0)
    # n times the sums of the mean alone, in exact doubling steps, then the scatter about it.
    whole = allocate(1, len(mean), with_products)
    times = int(n)
    while times:
        if times % 2:
            add_sums(whole, 0, sums, 0, 1.0)
        times //= 2
        if times:
            add_sums(sums, 0, sums, 0, 1.0)
    extra = allocate(1, len(mean), with_products)
    extra.square[0, 0] = cp
    if with_products:
        extra.product[0, 0] = np.asarray(part.scatter, dtype=float)
    add_sums(whole, 0, extra, 0, 1.0)
    return whole


def _measure_directly(sums: Sums, row: int, samples: Floats) -> None:
    """What `sums.measure` gives, in two passes over the samples."""
    mean = samples.mean(axis=0)
    away = samples - mean
    sums.n[row], sums.mean[row], sums.cp[row] = len(samples), mean, (away**2).sum()
    # The mean of copies is off by a rounding error of their size.
    if sums.cp[row] <= NOISE * (samples**2).sum():
        sums.cp[row] = 0.0
    if sums.covariance.size and len(samples) > 1:
        sums.covariance[row] = away.T @ away / (len(samples) - 1.0)
    sums.measured[row] = sums.version[row]


def _copy_row(sums: Sums, source: int, target: int) -> None:
    for name, array in zip(Sums._fields, sums, strict=True):
        if array.size:
            rows = array if name in _TWO_FLOATS else array[None]
            rows[:, target] = rows[:, source]


def _clear_row(sums: Sums, row: int) -> None:
    sums.n[row] = 0.0
    for pair in (sums.total, sums.square, sums.product):
        if pair.size:
            pair[:, row] = 0.0


def _fill(target: Sums, source: Sums) -> None:
    for new, old in zip(target, source, strict=True):
        if old.size:
            new[tuple(slice(0, size) for size in old.shape)] = old

