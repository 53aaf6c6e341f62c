"""The conn_index on its own: from the first and second winner of each sample."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .._typing import Floats, Ints
from .evaluation import conn_index
from .given import checked, plain
from .index import AnyIndex
from .stored import Document, Tensors, as_json, from_json

Winners = tuple[Hashable, Hashable | None]
"""The category (prototype, micro-cluster) nearest to a sample, and the second nearest if any."""


class ConnIndex(AnyIndex):
    r"""conn_index: how well connected clusters of several prototypes are. Larger is better.

    .. math:: \text{conn} = \text{intra}\,(1 - \text{inter}),\quad
       \text{intra} = \operatorname{mean}_c \frac{\frac12\sum_{p,q\in c} CONN(p,q)}{n_c},\quad
       \text{inter} = \operatorname{mean}_c \max_{l\ne c} I(c,l)

    .. math:: I(c,l) = \frac{\sum_{p\in B,\,q\in l} CONN(p,q)}
       {\sum_{p\in B,\,q\in c\cup l} CONN(p,q) - \frac12\sum_{p,q\in B} CONN(p,q)},\quad
       B = \{p\in c : CONN(p,q)>0 \text{ for some } q\in l\}

    CONN(p, q) counts the samples whose first and second winner are p and q. So this index does not
    look at samples: a sample is its two winners, and a category is in one cluster. In [0, 1], NaN
    with fewer than two clusters; it is 0 while every cluster has one category only. Any change of
    the data that leaves the winners alone leaves it alone. References: K. Taşdemir, E. Merényi: "A
    validity index for prototype-based clustering of data sets with complex cluster structures",
    2011; incremental: arXiv 1902.06711.

    Examples
    --------
    >>> from streamart import icvi
    >>> index = icvi.ConnIndex()
    >>> index.update_many([("p", None), ("q", "p"), ("p", "q"), ("r", "q"), ("s", "r")], "aaabb")
    >>> round(index.value, 3)
    0.34
    """

    name = "conn"
    title = "conn_index"
    reference = "Taşdemir & Merényi 2011"
    bigger_is_better = True
    range = (0.0, 1.0)

    def __init__(self) -> None:
        self._row: dict[Hashable, int] = {}
        self._home: list[Hashable] = []  # cluster of each category
        self._n = np.zeros(0)
        self._conn = np.zeros((0, 0))

    def __repr__(self) -> str:
        return (
            f"<ConnIndex: {self.value:.6g}; {self.n_samples} samples in {self.n_clusters} clusters>"
        )

    # ------------------------------------------------------------------ what there is

    @property
    def labels(self) -> list[Hashable]:
        """The labels of the clusters there are."""
        return list(dict.fromkeys(self._home))

    @property
    def n_clusters(self) -> int:
        return len(self.labels)

    @property
    def n_samples(self) -> int:
        return int(self._n.sum())

    @property
    def categories(self) -> dict[Hashable, Hashable]:
        """The cluster of each category."""
        return {category: self._home[row] for category, row in self._row.items()}

    @property
    def value(self) -> float:
        """The index now; NaN with fewer than two clusters that have samples."""
        size: dict[Hashable, float] = {}
        for label, n in zip(self._home, self._n[: len(self._home)], strict=True):
            size[label] = size.get(label, 0.0) + n
        place = {label: c for c, label in enumerate(label for label in size if size[label] > 0)}
        rows = [row for row, label in enumerate(self._home) if label in place]
        if len(place) < 2:
            return float("nan")
        home = [place[self._home[row]] for row in rows]
        return conn_index(self._conn[np.ix_(rows, rows)], home, self._n[rows])

    # ------------------------------------------------------------------ verbs

    def update(self, winners: Winners, label: Hashable) -> None:
        """A sample joins a cluster: its first winner is a category of that cluster, perhaps a new
        one; its second winner, if any, is another category that is known."""
        first, second = self._checked(winners)
        label = plain(label)
        if first in self._row:
            home = self._home[self._row[first]]
            if home != label:
                raise ValueError(
                    f"The first winner {first!r} is in cluster {home!r}, not in {label!r}. "
                    "Move it, or merge the clusters."
                )
        else:
            self._make_room(len(self._home) + 1)
            self._row[first] = len(self._home)
            self._home.append(label)
        self._count(first, second, 1.0)

    def update_many(self, winners: Iterable[Winners], labels: Iterable[Hashable]) -> None:
        """Samples join clusters. All of them are refused if one is."""
        trial = self.copy()
        for one, label in zip(winners, labels, strict=True):
            trial.update(one, label)
        self.__dict__.update(trial.__dict__)

    def remove(self, winners: Winners, label: Hashable) -> None:
        """A sample leaves its cluster."""
        first, second = self._checked(winners)
        row = self._row.get(first, -1)
        known = row >= 0 and self._home[row] == label and self._n[row] >= 1
        if not known or (second is not None and self._conn[row, self._row[second]] < 1):
            raise ValueError(f"The cluster {label!r} has no sample with the winners {winners!r}.")
        self._count(first, second, -1.0)
        for category in (first, second):
            if category is not None:
                self._forget_if_empty(category)

    def move(self, category: Hashable, target: Hashable) -> None:
        """A category goes to another cluster, which may be new."""
        if category not in self._row:
            raise ValueError(f"There is no category {category!r}.")
        self._home[self._row[category]] = plain(target)

    def merge(self, a: Hashable, b: Hashable) -> None:
        """Cluster b joins cluster a, and ends."""
        for label in (a, b):
            if label not in self._home:
                raise ValueError(f"There is no cluster {label!r}.")
        if a == b:
            raise ValueError(f"A cluster cannot merge with itself: {a!r}.")
        self._home = [a if label == b else label for label in self._home]

    def split(self, label: Hashable, categories: Iterable[Hashable], into: Hashable) -> None:
        """Some categories of a cluster leave it for another, a new one as a rule."""
        leaving, known = list(categories), self.categories
        for category in leaving:
            if category not in known or known[category] != label:
                raise ValueError(f"The cluster {label!r} has no category {category!r}.")
        for category in leaving:
            self.move(category, into)

    def join(self, other: ConnIndex) -> Self:
        """Add all that another index has seen; categories and clusters of the same name are one."""
        known = self.categories
        for category, label in other.categories.items():
            if known.get(category, label) != label:
                raise ValueError(f"Category {category!r} is in another cluster there.")
        for category, label in other.categories.items():
            if category not in self._row:
                self._make_room(len(self._home) + 1)
                self._row[category] = len(self._home)
                self._home.append(label)
        rows = [self._row[category] for category in other._row]
        count = len(rows)
        self._n[rows] += other._n[:count]
        self._conn[np.ix_(rows, rows)] += other._conn[:count, :count]
        return self

    def copy(self) -> Self:
        """An index that goes on from here by itself."""
        return copy.deepcopy(self)

    # ------------------------------------------------------------------ files

    def _described(self) -> tuple[Tensors, Document]:
        count = len(self._home)
        tensors = {"n": self._n[:count], "conn": self._conn[:count, :count]}
        names = [as_json(category) for category in self._row]
        return tensors, {"categories": names, "labels": [as_json(label) for label in self._home]}

    @classmethod
    def restored(cls, tensors: Tensors, document: Document) -> ConnIndex:
        """An index from a file."""
        index, count = cls(), len(document["categories"])
        index._row = {from_json(name): row for row, name in enumerate(document["categories"])}
        index._home = [from_json(label) for label in document["labels"]]
        index._n, index._conn = tensors["n"].copy(), tensors["conn"].copy()
        shapes = index._n.shape, index._conn.shape
        if shapes != ((count,), (count, count)) or not (
            len(index._row) == len(index._home) == count
        ):
            raise ValueError("the categories do not fit together")
        return index

    # ------------------------------------------------------------------ rows

    def _checked(self, winners: Winners) -> Winners:
        pair: Any = tuple(winners) if isinstance(winners, list | tuple | np.ndarray) else ()
        if len(pair) != 2:
            raise ValueError(f"Winners are a pair: (first, second or None). Got {winners!r}.")
        first, second = plain(pair[0]), pair[1]
        if second is not None:
            second = plain(second)
            if second == first or second not in self._row:
                raise ValueError(
                    f"The second winner {second!r} is no other category that is known."
                )
        return first, second

    def _count(self, first: Hashable, second: Hashable | None, often: float) -> None:
        p = self._row[first]
        self._n[p] += often
        if second is not None:
            q = self._row[second]
            self._conn[p, q] += often
            self._conn[q, p] += often

    def _make_room(self, rows: int) -> None:
        room = len(self._n)
        if rows > room:
            wider = max(rows, 2 * room, 16)
            n, conn = np.zeros(wider), np.zeros((wider, wider))
            n[:room], conn[:room, :room] = self._n, self._conn
            self._n, self._conn = n, conn

    def _forget_if_empty(self, category: Hashable) -> None:
        """A category without samples and links is no more; the last one takes its row."""
        row, last = self._row[category], len(self._home) - 1
        if self._n[row] or self._conn[row].any():
            return
        names = list(self._row)
        self._n[row], self._n[last] = self._n[last], 0.0
        for table in (self._conn, self._conn.T):
            table[row] = table[last]
            table[last] = 0.0
        self._home[row] = self._home[last]
        del self._home[last]
        del self._row[category]
        if row != last:
            self._row[names[last]] = row
            self._row = dict(sorted(self._row.items(), key=lambda item: item[1]))


def winners_of(X: ArrayLike, labels: ArrayLike, prototypes: ArrayLike) -> list[Winners]:
    """First and second winner of each sample, for a `ConnIndex` of anybody's clusters.

    A prototype belongs to the cluster that most of the samples nearest to it are in. The first
    winner of a sample is the nearest prototype of its own cluster, and the second one the nearest
    of all others, as in the paper's network.

    >>> winners_of([[0.0], [1.0], [8.0], [9.0]], [0, 0, 1, 1], [[0.0], [1.0], [8.0], [9.0]])
    [(0, 1), (1, 0), (2, 3), (3, 2)]
    """
    first, second, _ = nearest_two(X, labels, prototypes)
    return list(zip(first.tolist(), second.tolist(), strict=True))


def nearest_two(X: ArrayLike, labels: ArrayLike, prototypes: ArrayLike) -> tuple[Ints, Ints, Ints]:
    """First and second winner of each sample, and the place of each prototype's cluster among the
    sorted labels (-1 for a prototype that no sample is nearest to)."""
    samples, places = checked(X), checked(prototypes)
    kinds, home = np.unique(np.asarray(labels), return_inverse=True)
    if len(home) != len(samples):
        raise ValueError(f"There are {len(samples)} samples and {len(home)} labels.")
    far = _distances(samples, places)
    votes = np.zeros((len(places), len(kinds)))
    np.add.at(votes, (far.argmin(axis=1), home), 1.0)
    owner = np.where(votes.any(axis=1), votes.argmax(axis=1), -1)
    if np.count_nonzero(owner >= 0) < 2:
        raise ValueError("At least two prototypes must be the nearest ones of some samples.")
    for c, label in enumerate(kinds.tolist()):
        if c not in owner:
            raise ValueError(f"No prototype belongs to cluster {label!r}; give more of them.")
    first = np.where(owner == home[:, None], far, np.inf).argmin(axis=1)
    far[np.arange(len(far)), first] = np.inf
    far[:, owner < 0] = np.inf
    return first, far.argmin(axis=1), owner


def _distances(samples: Floats, places: Floats) -> Floats:
    far: Floats = np.empty((len(samples), len(places)))
    for at, place in enumerate(places):
        far[:, at] = ((samples - place) ** 2).sum(axis=1)
    return far
