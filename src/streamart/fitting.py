"""How well samples fit where they go, when clusters are derived from fine categories."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from ._jit import TIE
from ._typing import Floats, Ints
from .clusterer import Clusterer
from .core.budget import Budget
from .core.strategies.repartition import Matter, index_of_partition
from .explanations import CategoryVerdict, Explanation
from .icvi.state import LIVE, X_MIN
from .network import rows_of

SMALL = 3
"""Clusters with fewer samples are too small to trust, as are those of less than a tenth of the
median size."""
LEEWAY = 5.0
"""A sample fits no cluster if it is farther (squared) than neighbours there are apart by this over
the dimension: distances between neighbours vary the less the more dimensions there are."""


def reach_of_clusters(matter: Matter, labels: Ints) -> Floats:
    """For each category, how far apart neighbours in its cluster are: squared, expected of samples.

    Of every category the nearest in its cluster is sought; of these distances, the one that nine
    tenths of the samples keep to. A cluster of one category has its own spread; one of a single
    sample, of which nothing is known, the median of the others.
    """
    spread = matter.cp / matter.n
    far = cdist(matter.mean, matter.mean, "sqeuclidean") + spread[:, None] + spread
    far[labels[:, None] != labels] = np.inf
    np.fill_diagonal(far, np.inf)
    nearest = far.min(axis=1)
    reach = np.full(len(labels), np.nan)
    for c in np.unique(labels):
        here = np.flatnonzero(labels == c)
        if len(here) > 1:
            by_distance = here[np.argsort(nearest[here], kind="stable")]
            share = np.cumsum(matter.n[by_distance]) / matter.n[here].sum()
            reach[here] = nearest[by_distance[np.searchsorted(share, 0.9)]]
        elif matter.n[here[0]] > 1:
            reach[here] = 2.0 * matter.cp[here[0]] / (matter.n[here[0]] - 1.0)
    known = reach[~np.isnan(reach)]
    return np.where(np.isnan(reach), np.median(known) if len(known) else 0.0, reach)


class Questions(Clusterer):
    """Questions to a model of fine categories; they change nothing."""

    _budget: Budget

    def _measured(self, X: Floats) -> Floats:
        """Samples as distances are measured, but for the weights of features."""
        raise NotImplementedError

    @property
    def small_clusters_(self) -> Ints:
        with self._guard():
            n, ids = self.clusters_.n, self.cluster_ids_
            small: Ints = ids[(n < SMALL) | (n < np.median(n) / 10)]
            return small

    def novelty(self, X: ArrayLike) -> Floats:
        """How badly each sample fits what was learnt: about 1 at most for what is like it.

        The squared distance from the samples of the category where it fits best, as expected, in
        units of that between neighbours in that category's cluster. `predict` with
        ``outliers=True`` answers -1 above 1 + 5/d, where d is the number of dimensions that the
        stream fills: 3.5 in two, 1.2 in 25.

        Examples
        --------
        >>> from streamart import StreamART
        >>> from streamart.data import make_stream
        >>> X, _ = make_stream("random", 300, random_state=0)
        >>> model = StreamART().fit(X)
        >>> model.predict([X[0], [90, 90]], outliers=True).tolist()[1]
        -1
        """
        self._now()
        checked = self._checked_samples(X, reset=False)
        with self._guard():
            return self._novelty_of(checked, self._matter(self._state, self._book()))[1]

    def _novelty_of(self, X: Floats, matter: Matter) -> tuple[Ints, Floats]:
        """The category of each sample, and how badly it fits there."""
        winners, far = self._nearest(X)
        rows = rows_of(self._state)
        reach, spread = np.zeros(len(self._state.cat)), np.zeros(len(self._state.cat))
        reach[rows] = reach_of_clusters(matter, self._state.label[LIVE, rows])
        spread[rows] = matter.cp / matter.n
        expected = far + spread[winners]
        with np.errstate(divide="ignore", invalid="ignore"):
            novelty = np.where(expected > 0, expected / reach[winners], 0.0)
        still = self._budget.weight == 0  # features that have never varied
        strange = self._measured(X)[:, still] != self._state.feature[X_MIN, still]
        return winners, np.where(strange.any(axis=1), np.inf, novelty)

    def _outliers(self, X: Floats) -> Any:
        matter = self._matter(self._state, self._book())
        return self._novelty_of(X, matter)[1] > _farthest(matter)

    @property
    def rho_(self) -> float:
        """The vigilance in force: what joining a category may cost at most; see `explain`."""
        self._now()
        return float(self._budget.account[0]["radius"])

    def explain(self, x: ArrayLike) -> Explanation:
        """What the model would do with one sample, and why; nothing is learnt.

        `activation` of a category is minus the cost of joining it (Ward's), `match` that cost,
        `vigilance` what it may be at most. There is no map field to pass: which cluster a category
        is in is decided when somebody asks (`decision_`).

        Examples
        --------
        >>> from streamart import StreamART
        >>> model = StreamART().partial_fit([[0.0, 0], [10, 10], [0, 1], [9, 10]])
        >>> model.explain([0.5, 0.5]).predicted
        0
        """
        self._now()
        row = np.asarray(x, dtype=object)[None]
        sample = self._checked_samples(row, reset=False, named=False)
        with self._guard():
            return self._explained(sample)

    def _explained(self, X: Floats) -> Explanation:
        state, ids, rows = self._state, self.cluster_ids_, rows_of(self._state)
        matter, radius = self._matter(state, self._book()), self._budget.account[0]["radius"]
        x = (self._measured(X) * np.sqrt(self._budget.weight))[0]
        cost = matter.n / (matter.n + 1) * np.sum((matter.mean - x) ** 2, axis=1)
        clusters = ids[state.label[LIVE, rows]]
        verdicts = [
            CategoryVerdict(
                category=int(j),
                cluster=int(clusters[j]),
                activation=-float(cost[j]),
                match=float(cost[j]),
                passes_uncommitted=True,
                passes_vigilance=bool(cost[j] <= radius * (1 + TIE)),
                passes_map_field=True,
                vigilance=float(radius),
            )
            for j in np.argsort(cost, kind="stable")
        ]
        winners, novelty = self._novelty_of(X, matter)
        predicted = int(ids[state.label[LIVE, winners[0]]])
        joins = verdicts[0].passes_vigilance
        others = [verdict.cluster for verdict in verdicts if verdict.cluster != predicted]
        index = self._index_if_joined(matter, state.label[LIVE, rows], x)
        return Explanation(
            cluster=predicted if novelty[0] <= _farthest(matter) else None,
            category=int(np.flatnonzero(rows == winners[0])[0]) if joins else None,
            runner_up=others[0] if others else None,
            predicted=predicted,
            wanted=(predicted,),
            index_if_joined={int(i): value for i, value in zip(ids, index, strict=False)},
            vigilance=float(radius),
            novelty=float(novelty[0]),
            categories=tuple(verdicts),
        )

    def _index_if_joined(self, matter: Matter, labels: Ints, x: Floats) -> list[float]:
        """As if the sample were one more category of each cluster; none while there is one."""
        if len(self.cluster_ids_) < 2:
            return []
        more = matter._replace(
            n=np.append(matter.n, 1.0),
            mean=np.vstack([matter.mean, x]),
            cp=np.append(matter.cp, 0.0),
            conn=np.pad(matter.conn, (0, 1)),
        )
        return [
            index_of_partition(self._icvi().name, more, np.append(labels, c))
            for c in range(len(self.cluster_ids_))
        ]

    def _question_of_mergers(self) -> Callable[[int, int], float]:
        rows = rows_of(self._state)
        labels, matter = self._state.label[LIVE, rows], self._matter(self._state, self._book())

        def index_if_merged(i: int, j: int) -> float:
            merged = np.where(labels == j, i, labels)
            return index_of_partition(self._icvi().name, matter, merged - (merged > j))

        return index_if_merged


def _farthest(matter: Matter) -> float:
    """The novelty above which a sample fits no cluster."""
    return 1.0 + LEEWAY / matter.dimension
