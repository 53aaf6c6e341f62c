"""How well samples fit where they go, when clusters are derived from fine categories (StreamART).

Given what the partition was derived from (`PartitionInput`), the clusters of the categories, and
samples in the same coordinates; changes nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist

from .._jit import TIE
from .._typing import Floats, Ints
from ..derivation.derive import index_of_partition
from ..derivation.geometry import PartitionInput
from ..derivation.islands import LEAST
from .explain import CategoryVerdict, Explanation, IndexIfMerged

SMALL = 3
"""Clusters with fewer samples are too small to trust, as are those of less than a tenth of the
median size."""
LEEWAY = 5.0
"""A sample fits no cluster if it is farther (squared) than neighbours there are apart by this over
the dimension: distances between neighbours vary the less the more dimensions there are."""


class Partition(NamedTuple):
    """The categories in their order, and the clusters that were derived from them."""

    input: PartitionInput
    labels: Ints
    """Position of the cluster of each category."""
    ids: Ints
    """Permanent id of the cluster at each position."""
    icvi: str
    """The validity index that is reported."""


class Fit(NamedTuple):
    """Where samples go, and how well they fit there."""

    category: Ints
    """Place of the nearest category in the order."""
    novelty: Floats


def is_small(n: Ints) -> Ints:
    """Which clusters are too small to trust, by their numbers of samples."""
    return np.asarray((n < SMALL) | (n < np.median(n) / 10))


def farthest(partition: Partition) -> float:
    """The novelty above which a sample fits no cluster."""
    return 1.0 + LEEWAY / partition.input.dimension


def fit_of(partition: Partition, category: Ints, far: Floats) -> Fit:
    """The novelty of samples, by their nearest category and squared distance from its mean."""
    given = partition.input
    between = distances_within(given, partition.labels)
    reach = reach_of_clusters(given, partition.labels, between)
    expected = far + (given.cp / given.n)[category]
    with np.errstate(divide="ignore", invalid="ignore"):
        novelty = np.where(expected > 0, expected / reach[category], 0.0)
        own = novelty_of_strays(partition, between / reach[:, None])
    return Fit(category, np.maximum(novelty, own[category]))


def distances_within(given: PartitionInput, labels: Ints) -> Floats:
    """Squared distances expected of samples of two categories; infinite if not of one cluster."""
    spread = given.cp / given.n
    far = cdist(given.mean, given.mean, "sqeuclidean") + spread[:, None] + spread
    far[labels[:, None] != labels] = np.inf
    np.fill_diagonal(far, np.inf)
    return np.asarray(far)


def novelty_of_strays(partition: Partition, relative: Floats) -> Floats:
    """Of each category that is no part of its cluster's body; 0 for the others.

    An outlier that was learnt is a category by itself, and would fit there. So categories of a
    cluster that are near enough to each other (`farthest`) are seen as one body; what is not in
    its heaviest body, and has fewer samples than a cluster needs, is as new as it is far from the
    rest. `relative` are distances over those between neighbours.
    """
    n, labels = partition.input.n, partition.labels
    _, body = connected_components(relative <= farthest(partition), directed=False)
    mass = np.bincount(body, weights=n)
    heaviest = np.zeros(labels.max() + 1)
    np.maximum.at(heaviest, labels, mass[body])
    stray = (mass[body] < LEAST) & (mass[body] < heaviest[labels])
    nearest = np.where(stray, np.inf, relative).min(axis=1)
    return np.where(stray, nearest, 0.0)


def reach_of_clusters(given: PartitionInput, labels: Ints, between: Floats) -> Floats:
    """For each category, how far apart neighbours in its cluster are: squared, expected of samples.

    Of every category the nearest in its cluster is sought; of these distances, the one that nine
    tenths of the samples keep to. A cluster of one category has its own spread; one of a single
    sample, of which nothing is known, the median of the others.
    """
    nearest = between.min(axis=1)
    reach = np.full(len(labels), np.nan)
    for c in np.unique(labels):
        here = np.flatnonzero(labels == c)
        if len(here) > 1:
            by_distance = here[np.argsort(nearest[here], kind="stable")]
            share = np.cumsum(given.n[by_distance]) / given.n[here].sum()
            reach[here] = nearest[by_distance[np.searchsorted(share, 0.9)]]
        elif given.n[here[0]] > 1:
            reach[here] = 2.0 * given.cp[here[0]] / (given.n[here[0]] - 1.0)
    known = reach[~np.isnan(reach)]
    return np.where(np.isnan(reach), np.median(known) if len(known) else 0.0, reach)


def explain_sample(partition: Partition, x: Floats, radius: float, fit: Fit) -> Explanation:
    """What StreamART would do with a sample; `fit` is of this sample alone."""
    given, ids = partition.input, partition.ids
    cost = given.n / (given.n + 1) * np.sum((given.mean - x) ** 2, axis=1)
    clusters = ids[partition.labels]
    verdicts = [
        CategoryVerdict(
            category=int(j),
            cluster=int(clusters[j]),
            activation=-float(cost[j]),
            match=float(cost[j]),
            passes_uncommitted=True,
            passes_vigilance=bool(cost[j] <= radius * (1 + TIE)),
            passes_map_field=True,
            vigilance=radius,
        )
        for j in np.argsort(cost, kind="stable")
    ]
    category, novelty = int(fit.category[0]), float(fit.novelty[0])
    predicted = int(clusters[category])
    others = [verdict.cluster for verdict in verdicts if verdict.cluster != predicted]
    index = _index_if_joined(partition, x)
    return Explanation(
        cluster=predicted if novelty <= farthest(partition) else None,
        category=category if verdicts[0].passes_vigilance else None,
        runner_up=others[0] if others else None,
        predicted=predicted,
        wanted=(predicted,),
        index_if_joined={int(i): value for i, value in zip(ids, index, strict=False)},
        vigilance=radius,
        novelty=novelty,
        categories=tuple(verdicts),
    )


def deciding_features(partition: Partition, x: Floats) -> Floats:
    """What each feature adds to the difference of squared distances between the nearest category of
    another cluster and the nearest of all; nothing while there is one cluster.

    `x` is NaN where the sample has no value.
    """
    given = partition.input
    away = np.nan_to_num((given.mean - x) ** 2)
    cost = given.n / (given.n + 1) * away.sum(axis=1)
    best = int(cost.argmin())
    others = np.where(partition.labels == partition.labels[best], np.inf, cost)
    if not np.isfinite(others).any():
        return np.zeros(len(x))
    return np.asarray(away[int(others.argmin())] - away[best])


def _index_if_joined(partition: Partition, x: Floats) -> list[float]:
    """As if the sample were one more category of each cluster; none while there is one."""
    given, k = partition.input, len(partition.ids)
    if k < 2:
        return []
    more = given._replace(
        n=np.append(given.n, 1.0),
        mean=np.vstack([given.mean, x]),
        cp=np.append(given.cp, 0.0),
        conn=np.pad(given.conn, (0, 1)),
    )
    return [
        index_of_partition(partition.icvi, more, np.append(partition.labels, c)) for c in range(k)
    ]


def index_if_merged(partition: Partition) -> IndexIfMerged:
    """As `explain.index_if_merged`, by the footprints that the partition was derived from."""

    def value(i: int, j: int) -> float:
        merged = np.where(partition.labels == j, i, partition.labels)
        return index_of_partition(partition.icvi, partition.input, merged - (merged > j))

    return value
