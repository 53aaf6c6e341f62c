"""How well samples fit their clusters, when these are derived from fine categories (StreamART).

The functions take the input of the derivation (`PartitionInput`), the clusters of the categories,
and samples in the same coordinates. They change nothing.
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
from ..derivation.islands import LEAST_SAMPLES
from .explain import CategoryVerdict, Explanation, IndexIfMerged

SMALL = 3
"""Clusters with fewer samples are too small to trust, as are those of less than a tenth of the
median size."""
LEEWAY = 5.0
"""A sample fits no cluster if its squared distance exceeds that between neighbours in the cluster
by more than this over the dimension. (The more dimensions, the less these distances vary.)"""


class Partition(NamedTuple):
    """The categories in their order, and the clusters derived from them."""

    input: PartitionInput
    labels: Ints
    """Position of the cluster of each category."""
    ids: Ints
    """Permanent id of the cluster at each position."""
    icvi: str
    """The validity index that is reported."""


class Fit(NamedTuple):
    """The category of each sample, and how well it fits."""

    category: Ints
    """Place of the nearest category in the order of the categories."""
    novelty: Floats


def is_small(n: Ints) -> Ints:
    """Which clusters have too few samples to trust."""
    return np.asarray((n < SMALL) | (n < np.median(n) / 10))


def farthest(partition: Partition) -> float:
    """The novelty above which a sample fits no cluster."""
    return 1.0 + LEEWAY / partition.input.dimension


def fit_of(partition: Partition, category: Ints, far: Floats) -> Fit:
    """The novelty of samples, from their nearest category and the squared distance to its mean."""
    given = partition.input
    between = distances_within(given, partition.labels)
    reach = reach_of_clusters(given, partition.labels, between)
    expected = far + (given.cp / given.n)[category]
    with np.errstate(divide="ignore", invalid="ignore"):
        novelty = np.where(expected > 0, expected / reach[category], 0.0)
        own = novelty_of_outlying_categories(partition, between / reach[:, None])
    return Fit(category, np.maximum(novelty, own[category]))


def distances_within(given: PartitionInput, labels: Ints) -> Floats:
    """Expected squared distance between samples of two categories; infinite between clusters."""
    spread = given.cp / given.n
    far = cdist(given.mean, given.mean, "sqeuclidean") + spread[:, None] + spread
    far[labels[:, None] != labels] = np.inf
    np.fill_diagonal(far, np.inf)
    return np.asarray(far)


def novelty_of_outlying_categories(partition: Partition, relative: Floats) -> Floats:
    """Novelty of the categories that are outliers themselves; 0 for all others.

    An outlier that was learnt is a category of its own, so further outliers beside it would seem to
    fit. Therefore the categories of a cluster are grouped into bodies, within which neighbours are
    nearer than `farthest`. A category outside of the heaviest body, in a body with fewer samples
    than a cluster needs, is as novel as it is far from the rest. `relative` holds distances
    divided by those between neighbours.
    """
    n, labels = partition.input.n, partition.labels
    _, body = connected_components(relative <= farthest(partition), directed=False)
    mass = np.bincount(body, weights=n)
    heaviest = np.zeros(labels.max() + 1)
    np.maximum.at(heaviest, labels, mass[body])
    outlying = (mass[body] < LEAST_SAMPLES) & (mass[body] < heaviest[labels])
    nearest = np.where(outlying, np.inf, relative).min(axis=1)
    return np.where(outlying, nearest, 0.0)


def reach_of_clusters(given: PartitionInput, labels: Ints, between: Floats) -> Floats:
    """For each category, the expected squared distance between neighbours in its cluster.

    This is the 90 % quantile, weighted by samples, of the distance from a category to the nearest
    one in its cluster. A cluster of one category counts with its own spread, and a cluster of a
    single sample, of which nothing is known, with the median of the others.
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
    """What StreamART would do with a sample; `fit` is that of this sample alone."""
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
    """The contribution of each feature to the difference of two squared distances: to the nearest
    category of another cluster, and to the nearest category of all. Empty if there is one cluster.

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
    """The index if the sample were one more category of each cluster; empty if there is one."""
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
    """As `explain.index_if_merged`, from the footprints that the clusters were derived from."""

    def value(i: int, j: int) -> float:
        merged = np.where(partition.labels == j, i, partition.labels)
        return index_of_partition(partition.icvi, partition.input, merged - (merged > j))

    return value
