r"""Partition separation, larger is better.

.. math:: PS = \sum_i\Big(\frac{n_i}{\max_l n_l} - \exp\big(-\min_{j\ne i} D_{ij}/\beta\big)\Big),
   \quad \beta = \frac1k\sum_i\|\mu_i-\bar\mu\|^2,\quad \bar\mu = \frac1k\sum_i\mu_i

:math:`\beta` needs no means: it is the sum of :math:`D_{ij}` over all pairs divided by
:math:`k^2`.
"""

import math

from .._jit import jit
from .._typing import Floats
from ..icvi.compare import NOTHING


@jit
def share_less_nearness(
    rows: int, n: Floats, distance: Floats, beta: float, samples: float, scatter: float
) -> float:
    """The sum over clusters, for this scale of distances; NaN if that is 0."""
    if beta <= NOTHING * scatter / samples:
        return math.nan
    largest, total = 0.0, 0.0
    for i in range(rows):
        largest = max(largest, float(n[i]))
    for i in range(rows):
        if n[i] > 0:
            nearest = math.inf
            for j in range(rows):
                if j != i and n[j] > 0:
                    nearest = min(nearest, distance[i, j])
            total += n[i] / largest - math.exp(-nearest / beta)
    return total


@jit
def of_clusters(
    rows: int, n: Floats, cp: Floats, distance: Floats, samples: float, scatter: float
) -> float:
    alive, apart = 0, 0.0
    for i in range(rows):
        if n[i] > 0:
            alive += 1
            for j in range(i):
                if n[j] > 0:
                    apart += distance[i, j]
    beta = apart / (float(alive) * float(alive))
    return share_less_nearness(rows, n, distance, beta, samples, scatter)
