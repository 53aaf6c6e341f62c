"""The value of any index of footprints: now, after each sample, and from footprints that are given.

Compiled for each index; `formula` gives all of them one form.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._jit import by_index, jit, jit_entry
from .._typing import Floats, Ints
from ..icvi.footprints import squared_distance
from ..icvi.pairs import spread
from .registration import BY_NAME, index_of
from .sums import Sums, add_sample, catch_up


@cache
def formula(marker: type) -> Callable[..., float]:
    """``(rows, n, cp, distance, samples, scatter)`` of an index: its own, or from its pairs."""
    index = index_of(marker)
    if index.of_clusters is not None:
        return index.of_clusters
    value, pair = index.value, index.pair
    assert value is not None

    @jit
    def of_scatter(
        rows: int, n: Floats, cp: Floats, distance: Floats, samples: float, scatter: float
    ) -> float:
        within = 0.0
        for i in range(rows):
            within += cp[i]
        return value(rows, samples, within, scatter, 0.0, 0.0)

    if pair is None:
        return of_scatter

    @jit
    def of_pairs(
        rows: int, n: Floats, cp: Floats, distance: Floats, samples: float, scatter: float
    ) -> float:
        within, greatest, total = 0.0, -math.inf, 0.0
        for i in range(rows):
            within += cp[i]
            own, mine = -math.inf, spread(n[i], cp[i], scatter)
            for j in range(rows):
                if i != j:
                    theirs = spread(n[j], cp[j], scatter)
                    own = max(own, pair(distance[i, j], mine, theirs, scatter, samples))
            greatest = max(greatest, own)
            total += own
        return value(rows, samples, within, scatter, greatest, total)

    return of_pairs


_formula = by_index(formula)


@jit
def goodness(index: Any, everything: Sums, clusters: Sums, distance: Floats, k: int) -> float:
    """Of clusters that are measured."""
    if k < 2:
        return math.nan
    samples, scatter = everything.n[0], everything.cp[0]
    return _formula(index, k, clusters.n, clusters.cp, distance, samples, scatter)


@jit_entry
def value_now(index: Any, everything: Sums, clusters: Sums, distance: Floats, k: int) -> float:
    catch_up(everything, clusters, distance, k)
    return goodness(index, everything, clusters, distance, k)


@jit_entry
def course(
    index: Any,
    everything: Sums,
    clusters: Sums,
    distance: Floats,
    k: int,
    X: Floats,
    rows: Ints,
    every: int,
    out: Floats,
) -> None:
    """Samples join the clusters of these rows; `out` has the goodness after so many each."""
    for s in range(X.shape[0]):
        add_sample(everything, 0, X[s], 1.0)
        add_sample(clusters, rows[s], X[s], 1.0)
        k = max(k, rows[s] + 1)
        if (s + 1) % every == 0:
            catch_up(everything, clusters, distance, k)
            out[s // every] = goodness(index, everything, clusters, distance, k)


@jit_entry
def _goodness(index: Any, n: Floats, mean: Floats, cp: Floats, distance: Floats) -> float:
    """Goodness of clusters with these footprints; fills in the distances."""
    k, samples, scatter = n.shape[0], 0.0, 0.0
    for i in range(k):
        samples += n[i]
    for i in range(k):
        scatter += cp[i]
        for j in range(i):
            distance[i, j] = squared_distance(mean[i], mean[j])
            distance[j, i] = distance[i, j]
            scatter += n[i] / samples * n[j] * distance[i, j]
    return _formula(index, k, n, cp, distance, samples, scatter)


def index_of_footprints(icvi: str, n: ArrayLike, mean: ArrayLike, cp: ArrayLike) -> float:
    """The index of clusters with so many samples, these means and these compactnesses.

    NaN with fewer than two clusters, or where it is undefined. Not for the conn_index.

    >>> index_of_footprints("ch", [2, 2], [[0.0], [4.0]], [1.0, 1.0])
    16.0
    """
    index, sizes = BY_NAME[icvi], np.array(n, dtype=float, ndmin=1)
    if len(sizes) < 2:
        return float("nan")
    value = _goodness(
        index.marker(),
        sizes,
        np.array(mean, dtype=float),
        np.array(cp, dtype=float),
        np.zeros((len(sizes), len(sizes))),
    )
    return float(-value if index.smaller_is_better else value)


def conn_index(conn: ArrayLike, cluster: ArrayLike, n: ArrayLike) -> float:
    """The conn_index of categories with these connections, clusters and numbers of samples."""
    links, home = np.array(conn, dtype=float), np.asarray(cluster)
    np.fill_diagonal(links, 0.0)
    counts, k = np.asarray(n, dtype=float), int(home.max()) + 1
    if k < 2:
        return float("nan")
    member = (home[:, None] == np.arange(k)).astype(float)
    into = links @ member
    own = into[np.arange(len(home)), home]
    intra = np.mean(0.5 * (member.T @ own) / (member.T @ counts))
    # Of each cluster, the categories that have a link into another one.
    border = ((into > 0.0) & (member == 0.0)).astype(float)
    across, along = member.T @ (into * border), member.T @ (own[:, None] * border)
    among = member.T @ (((links * (home[:, None] == home)) @ border) * border)
    inter = across / np.where(across > 0.0, across + along - 0.5 * among, 1.0)
    return float(intra * (1.0 - np.mean(inter.max(axis=1))))


def footprints(X: Floats, labels: Ints) -> tuple[Floats, Floats, Floats]:
    """n, mean and CP of each cluster of labelled samples; -1 is no cluster."""
    clusters = [X[labels == c] for c in np.unique(labels[labels >= 0])]
    n = np.array([len(rows) for rows in clusters], dtype=float)
    mean = np.array([rows.mean(axis=0) for rows in clusters])
    cp = np.array([np.sum((rows - rows.mean(axis=0)) ** 2) for rows in clusters])
    return n, mean, cp
