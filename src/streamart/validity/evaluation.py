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

from .._jit import ZERO, by_index, jit, jit_entry
from .._typing import Floats, Ints
from ..icvi import registry
from ..icvi.pairs import spread
from .registration import BY_NAME, index_of
from .sums import Sums, add_sample, allocate, catch_up


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
def follow(
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
    """Samples join the clusters of these rows; `out` has the goodness after so many each, or, where
    there are no samples, the goodness now. One program for both compiles in half the time."""
    for s in range(X.shape[0]):
        add_sample(everything, ZERO, X[s], 1.0)
        add_sample(clusters, rows[s], X[s], 1.0)
        k = max(k, rows[s] + 1)
        if (s + 1) % every == 0:
            catch_up(everything, clusters, distance, k)
            out[s // every] = goodness(index, everything, clusters, distance, k)
    if X.shape[0] == 0:
        catch_up(everything, clusters, distance, k)
        out[0] = goodness(index, everything, clusters, distance, k)


@jit_entry
def goodness_of_scatter(index: Any, k: int, samples: float, within: float, scatter: float) -> float:
    """Of an index that depends on these sums alone: compiled in a fraction of a second, where
    `follow` takes two. StreamART computes the index whenever it derives its clusters."""
    return registry.goodness(index, k, samples, within, scatter, 0.0, 0.0)


NOBODY = np.zeros(0, dtype=np.int64)
"""The rows of no samples."""


def index_of_footprints(icvi: str, n: ArrayLike, mean: ArrayLike, cp: ArrayLike) -> float:
    """The index of clusters with so many samples, these means and these compactnesses.

    NaN with fewer than two clusters, or where it is undefined. Not for the conn_index.

    >>> index_of_footprints("ch", [2, 2], [[0.0], [4.0]], [1.0, 1.0])
    16.0
    """
    index, sizes = BY_NAME[icvi], np.array(n, dtype=float, ndmin=1)
    k = len(sizes)
    if k < 2:
        return float("nan")
    means = np.array(mean, dtype=float).reshape(k, -1)
    distance = np.array([((means - one) ** 2).sum(axis=1) for one in means])
    clusters = known_sums(sizes, means, np.array(cp, dtype=float))
    samples, found = sizes.sum(keepdims=True), np.zeros(1)
    between, within = 0.5 * sizes @ distance @ sizes / samples, clusters.cp.sum()
    if index.by_scatter:
        found[0] = goodness_of_scatter(index.marker(), k, samples[0], within, within + between[0])
    else:
        everything = known_sums(samples, sizes @ means / samples, within + between)
        follow(index.marker(), everything, clusters, distance, k, means[:0], NOBODY, 1, found)
    return float(-found[0] if index.smaller_is_better else found[0])


def known_sums(n: Floats, mean: Floats, cp: Floats) -> Sums:
    """Clusters whose footprints are known, but not their sums."""
    sums = allocate(len(n), mean.shape[-1], False)
    sums.n[:], sums.mean[:], sums.cp[:], sums.measured[:] = n, mean, cp, sums.version
    return sums


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
