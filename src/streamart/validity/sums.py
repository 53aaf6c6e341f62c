r"""Sums of the samples of each cluster, exact to about 30 digits.

A footprint is n, :math:`\sum x` and :math:`\sum \|x\|^2`, and where an index asks for covariances
:math:`\sum x x^T`. Adding and removing a sample, a part or a cluster are then one operation with
two signs. In ordinary floats the differences would cancel,

.. math:: CP = \sum \|x\|^2 - \frac1n \Big\|\sum x\Big\|^2 ,

so each sum is kept as two floats, the second of which is the rounding error of the first
(double-double: Dekker 1971, Knuth 1969). A sum then has twice the digits, a million updates leave
no trace of rounding, and a removal undoes an addition. Nothing here may be reordered: no fastmath.
"""

from typing import NamedTuple

import numpy as np

from .._jit import ZERO, jit, jit_entry
from .._typing import Floats, Ints
from ..icvi.footprints import squared_distance

# CP below this share of the sum of squares is rounding noise: doubles themselves have 1e-32.
NOISE = 1e-28


class Sums(NamedTuple):
    """The sums of some clusters, and what follows from them."""

    n: Floats  # (cluster)
    total: Floats  # (sum or its error, cluster, feature): of x
    square: Floats  # (sum or its error, cluster): of the squared length of x
    product: Floats  # (sum or its error, cluster, feature, feature): of x x^T; no rows if not asked
    mean: Floats  # (cluster, feature)
    cp: Floats  # (cluster)
    covariance: Floats  # (cluster, feature, feature): with n - 1, or zero for one sample
    version: Ints  # (cluster): changes whenever the sums do
    measured: Ints  # (cluster): version of which mean, cp and covariance are


_TWO_FLOATS = ("total", "square", "product")


def allocate(rows: int, d: int, with_products: bool) -> Sums:
    """Room for so many clusters, all empty."""
    matrices, wide = (rows, d) if with_products else (0, 0)
    return Sums(
        n=np.zeros(rows),
        total=np.zeros((2, rows, d)),
        square=np.zeros((2, rows)),
        product=np.zeros((2, matrices, wide, wide)),
        mean=np.zeros((rows, d)),
        cp=np.zeros(rows),
        covariance=np.zeros((matrices, wide, wide)),
        version=np.zeros(rows, dtype=np.int64),
        measured=np.full(rows, -1, dtype=np.int64),
    )


# ------------------------------------------------------------------ arithmetic with two floats


@jit
def two_sum(a: float, b: float) -> tuple[float, float]:
    """``a + b``, and its rounding error."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


@jit
def two_product(a: float, b: float) -> tuple[float, float]:
    """``a * b``, and its rounding error (Dekker: each factor is split into halves of 26 bits)."""
    product = a * b
    wide_a, wide_b = 134217729.0 * a, 134217729.0 * b
    high_a, high_b = wide_a - (wide_a - a), wide_b - (wide_b - b)
    low_a, low_b = a - high_a, b - high_b
    error = ((high_a * high_b - product) + high_a * low_b + low_a * high_b) + low_a * low_b
    return product, error


@jit
def plus(high: float, low: float, value: float, error: float) -> tuple[float, float]:
    """The sum of two such numbers."""
    total, rest = two_sum(high, value)
    rest += low + error
    high = total + rest
    return high, rest - (high - total)


@jit
def times(high: float, low: float, other: float, other_low: float) -> tuple[float, float]:
    """The product of two such numbers."""
    product, error = two_product(high, other)
    error += high * other_low + low * other
    high = product + error
    return high, error - (high - product)


@jit
def divided(high: float, low: float, n: float) -> tuple[float, float]:
    """Such a number divided by a float."""
    quotient = high / n
    product, error = two_product(quotient, n)
    rest = ((high - product) - error + low) / n
    high = quotient + rest
    return high, rest - (high - quotient)


# ------------------------------------------------------------------ sums


@jit
def add_sample(sums: Sums, c: int, x: Floats, sign: float) -> None:
    """Sample x joins cluster c, or leaves it with sign -1."""
    total, square, product = sums.total, sums.square, sums.product
    sums.n[c] += sign
    sums.version[c] += 1
    for f in range(x.shape[0]):
        total[0, c, f], total[1, c, f] = plus(total[0, c, f], total[1, c, f], sign * x[f], 0.0)
    high, low = square[0, c], square[1, c]
    for f in range(x.shape[0]):
        value, error = two_product(x[f], x[f])
        high, low = plus(high, low, sign * value, sign * error)
    square[0, c], square[1, c] = high, low
    if product.shape[1] > 0:
        for f in range(x.shape[0]):
            for g in range(f + 1):
                value, error = two_product(x[f], x[g])
                product[0, c, f, g], product[1, c, f, g] = plus(
                    product[0, c, f, g], product[1, c, f, g], sign * value, sign * error
                )


@jit_entry
def add_sums(sums: Sums, c: int, other: Sums, row: int, sign: float) -> None:
    """A whole footprint joins cluster c, or leaves it with sign -1."""
    total, square, product = sums.total, sums.square, sums.product
    sums.n[c] += sign * other.n[row]
    sums.version[c] += 1
    square[0, c], square[1, c] = plus(
        square[0, c], square[1, c], sign * other.square[0, row], sign * other.square[1, row]
    )
    for f in range(total.shape[2]):
        total[0, c, f], total[1, c, f] = plus(
            total[0, c, f],
            total[1, c, f],
            sign * other.total[0, row, f],
            sign * other.total[1, row, f],
        )
    if product.shape[1] > 0:
        for f in range(total.shape[2]):
            for g in range(f + 1):
                product[0, c, f, g], product[1, c, f, g] = plus(
                    product[0, c, f, g],
                    product[1, c, f, g],
                    sign * other.product[0, row, f, g],
                    sign * other.product[1, row, f, g],
                )


@jit_entry
def add_samples(everything: Sums, clusters: Sums, X: Floats, rows: Ints, sign: float) -> None:
    """Samples join the clusters of these rows, or leave them with sign -1."""
    for s in range(X.shape[0]):
        add_sample(everything, ZERO, X[s], sign)
        add_sample(clusters, rows[s], X[s], sign)


@jit
def scatter_left(sums: Sums, c: int) -> float:
    """CP as the sums give it: nothing where it is noise, negative where a wrong sample was removed.

    The sums of one sample have no scatter; a cluster without samples has only what should not be.
    """
    high, low = sums.square[0, c], sums.square[1, c]
    long_high, long_low = 0.0, 0.0
    for f in range(sums.total.shape[2]):
        value, error = times(
            sums.total[0, c, f], sums.total[1, c, f], sums.total[0, c, f], sums.total[1, c, f]
        )
        long_high, long_low = plus(long_high, long_low, value, error)
    if sums.n[c] > 1.0:
        long_high, long_low = divided(long_high, long_low, sums.n[c])
    left, rest = plus(high, low, -long_high, -long_low)
    if abs(left + rest) <= NOISE * (abs(high) + abs(long_high)):
        return 0.0
    return left + rest


@jit
def measure(sums: Sums, c: int) -> None:
    """Mean, CP and covariance of cluster c, if its sums have changed."""
    if sums.measured[c] == sums.version[c]:
        return
    sums.measured[c] = sums.version[c]
    n, total, product, d = sums.n[c], sums.total, sums.product, sums.total.shape[2]
    for f in range(d):
        high, low = divided(total[0, c, f], total[1, c, f], n)
        sums.mean[c, f] = high + low
    sums.cp[c] = max(scatter_left(sums, c), 0.0) if n > 1.0 else 0.0
    if product.shape[1] > 0:
        for f in range(d):
            for g in range(f + 1):
                value = 0.0
                if n > 1.0:
                    high, low = times(
                        total[0, c, f], total[1, c, f], total[0, c, g], total[1, c, g]
                    )
                    high, low = divided(high, low, n)
                    left, rest = plus(product[0, c, f, g], product[1, c, f, g], -high, -low)
                    value = (left + rest) / (n - 1.0)
                sums.covariance[c, f, g] = value
                sums.covariance[c, g, f] = value


@jit
def catch_up(everything: Sums, clusters: Sums, distance: Floats, k: int) -> None:
    """Means, CP and squared distances between the means of all clusters that have changed."""
    measure(everything, ZERO)
    for c in range(k):
        if clusters.measured[c] != clusters.version[c]:
            measure(clusters, c)
            distance[c, c] = -1.0
    for c in range(k):
        if distance[c, c] < 0.0:
            distance[c, c] = 0.0
            for other in range(k):
                if other != c:
                    apart = squared_distance(clusters.mean[c], clusters.mean[other])
                    distance[c, other] = apart
                    distance[other, c] = apart


@jit_entry
def measured(everything: Sums, clusters: Sums, distance: Floats, k: int) -> None:
    catch_up(everything, clusters, distance, k)


@jit_entry
def left_after_removal(sums: Sums, c: int) -> float:
    return scatter_left(sums, c)


# ------------------------------------------------------------------ rows, in Python


def measure_directly(sums: Sums, row: int, samples: Floats) -> None:
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


def copied(sums: Sums) -> Sums:
    return Sums._make(array.copy() for array in sums)


def copy_row(sums: Sums, source: int, target: int) -> None:
    for name, array in zip(Sums._fields, sums, strict=True):
        if array.size:
            rows = array if name in _TWO_FLOATS else array[None]
            rows[:, target] = rows[:, source]


def clear_row(sums: Sums, row: int) -> None:
    sums.n[row] = 0.0
    for pair in (sums.total, sums.square, sums.product):
        if pair.size:
            pair[:, row] = 0.0


def fill_from(target: Sums, source: Sums) -> None:
    for new, old in zip(target, source, strict=True):
        if old.size:
            new[tuple(slice(0, size) for size in old.shape)] = old
