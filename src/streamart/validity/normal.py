r"""Normal distributions in place of clusters: what the information-theoretic indices are made of.

.. math:: \Sigma_i = \frac{1}{n_i-1}\sum(x-\mu_i)(x-\mu_i)^T + \delta I,\quad
   \delta = 10^{-\epsilon/d}

:math:`\delta` keeps the covariance of few samples from being singular; one sample has
:math:`\Sigma = \delta I`. All work is done by Cholesky factors, and reads the lower triangle of a
matrix only. A table of terms has :math:`\tfrac12\ln|\Sigma_i|` of each cluster in its diagonal, and
the cross-entropies of pairs of clusters beside it.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

from .._jit import jit, jit_sums
from .._typing import Floats

EPSILON = 12.0


class NegentropyIncrement(NamedTuple): ...


class CrossInformationPotential(NamedTuple): ...


class CrossEntropy(NamedTuple): ...


@jit
def delta_of(d: int, epsilon: float) -> float:
    return float(10.0 ** (-epsilon / d))


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
def own_term(matrix: Floats, delta: float, factor: Floats) -> float:
    """Half the log determinant of a covariance."""
    return factorise(matrix, matrix, 0.0, delta, factor)


@jit
def pair_term(
    matrix: Floats,
    other: Floats,
    mean: Floats,
    other_mean: Floats,
    delta: float,
    factor: Floats,
    away: Floats,
) -> float:
    r"""Renyi's cross-entropy of two normal distributions, by their covariances and means.

    .. math:: \tfrac12\big(\Delta^T\Sigma^{-1}\Delta + \ln|\Sigma| + d\ln 2\pi\big),\quad
       \Sigma = \Sigma_i+\Sigma_j,\ \Delta = \mu_i-\mu_j
    """
    d = away.shape[0]
    result = factorise(matrix, other, 1.0, 2.0 * delta, factor)
    for f in range(d):
        away[f] = mean[f] - other_mean[f]
        away[f] = (away[f] - dot(factor[f], away, f)) / factor[f, f]
    return result + 0.5 * dot(away, away, d) + 0.5 * d * math.log(2.0 * math.pi)


# ------------------------------------------------------------------ the indices, from their terms
#
# Goodness of the clusters with samples among the first so many rows; `whole` is half the log
# determinant of the covariance of all data, which only the negentropy increment asks for.


@jit
def negentropy_increment(rows: int, n: Floats, term: Floats, whole: float) -> float:
    samples, total = 0.0, -whole
    for c in range(rows):
        samples += n[c]
    for c in range(rows):
        if n[c] > 0:
            share = n[c] / samples
            total += share * (term[c, c] - math.log(share))
    return -total


@jit
def information_potential(rows: int, n: Floats, term: Floats, whole: float) -> float:
    total = 0.0
    for c in range(rows):
        for other in range(c):
            if n[c] > 0 and n[other] > 0:
                total += math.exp(-term[c, other])
    return -total


@jit
def cross_entropy(rows: int, n: Floats, term: Floats, whole: float) -> float:
    total = 0.0
    for c in range(rows):
        for other in range(c):
            if n[c] > 0 and n[other] > 0:
                total += term[c, other]
    return total


FORMULAS: dict[type, Callable[..., float]] = {
    NegentropyIncrement: negentropy_increment,
    CrossInformationPotential: information_potential,
    CrossEntropy: cross_entropy,
}
OF_PAIRS = {CrossInformationPotential, CrossEntropy}
"""The indices of terms of pairs; the other one is of terms of clusters."""
