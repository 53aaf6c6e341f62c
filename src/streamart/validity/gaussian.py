"""The information-theoretic indices (`normal`) of sums: now, and after each sample.

What a cluster, or a pair of clusters, contributes is kept until one of them changes.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from .._jit import by_index, jit, jit_entry
from .._typing import Floats, Ints
from .normal import EPSILON, FORMULAS, OF_PAIRS, own_term, pair_term
from .registration import BY_NAME
from .sums import Sums, add_sample, allocate
from .sums import catch_up as measure_all


class Terms(NamedTuple):
    """What clusters and pairs of them contribute, and room to work in."""

    table: Floats  # (cluster, cluster): see `normal`
    whole: Floats  # (1): half the log determinant of all data
    seen: Ints  # (cluster): version for which these are; in the last place that of all data
    factor: Floats  # (feature, feature): Cholesky factor, lower triangle
    away: Floats  # (feature)


def make_terms(rows: int, d: int) -> Terms:
    return Terms(
        table=np.zeros((rows, rows)),
        whole=np.zeros(1),
        seen=np.full(rows + 1, -1, dtype=np.int64),
        factor=np.zeros((d, d)),
        away=np.zeros(d),
    )


@jit
def catch_up(
    everything: Sums,
    clusters: Sums,
    distance: Floats,
    k: int,
    delta: float,
    pairs: bool,
    terms: Terms,
) -> None:
    """The terms of clusters that have changed."""
    last, covariance, mean = terms.seen.shape[0] - 1, clusters.covariance, clusters.mean
    measure_all(everything, clusters, distance, k)
    if not pairs and terms.seen[last] != everything.version[0]:
        terms.whole[0] = own_term(everything.covariance[0], delta, terms.factor)
    for c in range(k):
        changed = terms.seen[c] != clusters.version[c]
        if changed and not pairs:
            terms.table[c, c] = own_term(covariance[c], delta, terms.factor)
        for other in range(c if pairs else 0):
            if changed or terms.seen[other] != clusters.version[other]:
                terms.table[c, other] = pair_term(
                    covariance[c],
                    covariance[other],
                    mean[c],
                    mean[other],
                    delta,
                    terms.factor,
                    terms.away,
                )
    terms.seen[last] = everything.version[0]
    for c in range(k):
        terms.seen[c] = clusters.version[c]


_formula = by_index(lambda marker: FORMULAS[marker])


@jit
def goodness(
    index: Any,
    everything: Sums,
    clusters: Sums,
    distance: Floats,
    k: int,
    delta: float,
    pairs: bool,
    terms: Terms,
) -> float:
    if k < 2:
        return math.nan
    catch_up(everything, clusters, distance, k, delta, pairs, terms)
    return _formula(index, k, clusters.n, terms.table, terms.whole[0])


@jit_entry
def follow(
    index: Any,
    everything: Sums,
    clusters: Sums,
    distance: Floats,
    k: int,
    delta: float,
    pairs: bool,
    terms: Terms,
    X: Floats,
    rows: Ints,
    every: int,
    out: Floats,
) -> None:
    """Samples join the clusters of these rows; `out` has the goodness after so many each, or, where
    there are no samples, the goodness now."""
    for s in range(X.shape[0]):
        add_sample(everything, 0, X[s], 1.0)
        add_sample(clusters, rows[s], X[s], 1.0)
        k = max(k, rows[s] + 1)
        if (s + 1) % every == 0:
            out[s // every] = goodness(
                index, everything, clusters, distance, k, delta, pairs, terms
            )
    if X.shape[0] == 0:
        out[0] = goodness(index, everything, clusters, distance, k, delta, pairs, terms)


def index_of_categories(icvi: str, labels: Ints, n: Ints, mean: Floats, scatter: Floats) -> float:
    """The index of clusters of categories with so many samples, these means and scatter matrices.

    NaN with fewer than two clusters. Lower triangles will do.
    """
    k, d, index, found = int(labels.max()) + 1, mean.shape[1], BY_NAME[icvi], np.zeros(1)
    everything, clusters = allocate(1, d, True), allocate(k, d, True)
    parts = [(everything, 0, labels >= 0), *((clusters, c, labels == c) for c in range(k))]
    for sums, row, part in parts:
        size = n[part].sum()
        centre = n[part] @ mean[part] / size
        away = mean[part] - centre
        between = (n[part, None] * away).T @ away
        sums.n[row], sums.mean[row] = size, centre
        sums.covariance[row] = (scatter[part].sum(axis=0) + between) / max(size - 1.0, 1.0)
        sums.measured[row] = sums.version[row]
    follow(
        index.marker(),
        everything,
        clusters,
        np.zeros((k, k)),
        k,
        10.0 ** (-EPSILON / d),
        index.marker in OF_PAIRS,
        make_terms(k, d),
        mean[:0],
        labels[:0],
        1,
        found,
    )
    return float(-found[0] if index.smaller_is_better else found[0])
