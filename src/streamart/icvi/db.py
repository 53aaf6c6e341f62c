r"""Davies-Bouldin index, smaller is better.

.. math:: DB = \frac1k\sum_i\max_{j\ne i} R_{ij},\quad R_{ij} = \frac{CP_i/n_i + CP_j/n_j}{D_{ij}}

A pair 0/0 makes the whole index undefined. So that a maximum finds it, it is kept as infinity, and
a pair x/0 as the large number ``INFINITE``; `value` translates back.
"""

import math

from .._jit import jit
from .compare import NOTHING

INFINITE = 1e300


@jit
def pair(
    distance: float, spread_i: float, spread_j: float, scatter: float, samples: float
) -> float:
    """R of one pair, coded as said above; `spread` is CP/n of a cluster.

    >>> pair(2.0, 1.0, 3.0, 10.0, 5.0)
    2.0
    """
    if distance <= NOTHING * scatter / samples:
        if spread_i + spread_j == 0.0:
            return math.inf
        return INFINITE
    return (spread_i + spread_j) / distance


@jit
def value(k: int, total: float) -> float:
    """
    >>> value(2, 3.0), value(2, INFINITE), value(2, float("inf"))
    (1.5, inf, nan)
    """
    if math.isinf(total):
        return math.nan
    if total >= INFINITE:
        return math.inf
    return total / k


@jit
def goodness(
    k: int, samples: float, within: float, scatter: float, greatest: float, total: float
) -> float:
    return -value(k, total)
