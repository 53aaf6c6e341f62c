r"""The information-theoretic indices: each cluster stands for a normal distribution.

.. math:: \Sigma_i = \frac{1}{n_i-1}\sum(x-\mu_i)(x-\mu_i)^T + \delta I,\quad
   \delta = 10^{-\epsilon/d}

:math:`\delta` keeps the covariance of few samples from being singular; one sample has
:math:`\Sigma = \delta I`. What a cluster, or a pair of clusters, contributes is kept until one of
them changes. All work is done by Cholesky factors.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .._jit import by_index, jit, jit_entry, jit_sums
from .._typing import Floats, Ints
from .sums import Sums, add_sample
from .sums import catch_up as measure_all


class NegentropyIncrement(NamedTuple): ...


class CrossInformationPotential(NamedTuple): ...


class CrossEntropy(NamedTuple): ...


class Terms(NamedTuple):
    """What clusters and pairs of them contribute, and room to work in."""

    own: Floats  # (cluster): half the log determinant
    pair: Floats  # (cluster, cluster): cross-entropy of two clusters
    seen: Ints  # (cluster): version for which these are; in the last place that of all data
    factor: Floats  # (feature, feature): Cholesky factor, lower triangle
    away: Floats  # (feature)


def make_terms(rows: int, d: int) -> Terms:
    return Terms(
        own=np.zeros(rows + 1),
        pair=np.zeros((rows, rows)),
        seen=np.full(rows + 1, -1, dtype=np.int64),
        factor=np.zeros((d, d)),
        away=np.zeros(d),
    )


@jit_sums
def dot(a: Floats, b: Floats, count: int) -> float:
    """The scalar product of the first so many numbers."""
    total = 0.0
    for f in range(count):
        total += a[f] * b[f]
    return total


@jit
def factorise(matrix: Floats, other: Floats, share: float, delta: float, factor: Floats) -> float:
    """Cholesky factor of ``matrix + share * other + delta I``; half its log determinant, or
    NaN if rounding has made it singular."""
    logarithm = 0.0
    for f in range(factor.shape[0]):
        for g in range(f + 1):
            value = matrix[f, g] + share * other[f, g]
            if f == g:
                value += delta
            value -= dot(factor[f], factor[g], g)
            if f == g:
                if not value > 0.0:
                    return math.nan
                factor[f, f] = math.sqrt(value)
                logarithm += math.log(factor[f, f])
            else:
                factor[f, g] = value / factor[g, g]
    return logarithm


@jit
def own_term(matrix: Floats, delta: float, terms: Terms) -> float:
    """Half the log determinant of a covariance."""
    return factorise(matrix, matrix, 0.0, delta, terms.factor)


@jit
def pair_term(clusters: Sums, i: int, j: int, delta: float, terms: Terms) -> float:
    r"""Renyi's cross-entropy of two normal distributions.

    .. math:: \tfrac12\big(\Delta^T\Sigma^{-1}\Delta + \ln|\Sigma| + d\ln 2\pi\big),\quad
       \Sigma = \Sigma_i+\Sigma_j,\ \Delta = \mu_i-\mu_j
    """
    covariance, mean, away, d = clusters.covariance, clusters.mean, terms.away, terms.away.shape[0]
    result = factorise(covariance[i], covariance[j], 1.0, 2.0 * delta, terms.factor)
    for f in range(d):
        away[f] = mean[i, f] - mean[j, f]
        away[f] = (away[f] - dot(terms.factor[f], away, f)) / terms.factor[f, f]
    return result + 0.5 * dot(away, away, d) + 0.5 * d * math.log(2.0 * math.pi)


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
    last = terms.seen.shape[0] - 1
    measure_all(everything, clusters, distance, k)
    if not pairs and terms.seen[last] != everything.version[0]:
        terms.own[last] = own_term(everything.covariance[0], delta, terms)
    for c in range(k):
        if not pairs and terms.seen[c] != clusters.version[c]:
            terms.own[c] = own_term(clusters.covariance[c], delta, terms)
    if pairs:
        for c in range(k):
            for other in range(c):
                if (
                    terms.seen[c] != clusters.version[c]
                    or terms.seen[other] != (clusters.version[other])
                ):
                    terms.pair[c, other] = pair_term(clusters, c, other, delta, terms)
    terms.seen[last] = everything.version[0]
    for c in range(k):
        terms.seen[c] = clusters.version[c]


@jit
def negentropy_increment(everything: Sums, clusters: Sums, k: int, terms: Terms) -> float:
    total = -terms.own[terms.own.shape[0] - 1]
    for c in range(k):
        share = clusters.n[c] / everything.n[0]
        total += share * (terms.own[c] - math.log(share))
    return -total


@jit
def information_potential(everything: Sums, clusters: Sums, k: int, terms: Terms) -> float:
    total = 0.0
    for c in range(k):
        for other in range(c):
            total += math.exp(-terms.pair[c, other])
    return -total


@jit
def cross_entropy(everything: Sums, clusters: Sums, k: int, terms: Terms) -> float:
    total = 0.0
    for c in range(k):
        for other in range(c):
            total += terms.pair[c, other]
    return total


_FORMULAS: dict[type, Callable[..., float]] = {
    NegentropyIncrement: negentropy_increment,
    CrossInformationPotential: information_potential,
    CrossEntropy: cross_entropy,
}
_formula = by_index(lambda marker: _FORMULAS[marker])


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
    return _formula(index, everything, clusters, k, terms)


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
