r"""Centroid silhouette, larger is better.

.. math:: cSIL = \frac1k\sum_i \frac{b_i - a_i}{\max(a_i, b_i)},\quad
   a_i = \frac{CP_i}{n_i},\quad b_i = \min_{j\ne i}\Big(\frac{CP_j}{n_j} + D_{ij}\Big)

:math:`CP_j/n_j + D_{ij}` is the mean squared distance of the samples of cluster j from the mean of
cluster i.
"""

import math

from .._jit import jit
from .._typing import Floats
from ..icvi.compare import NOTHING, without_noise


@jit
def of_clusters(
    rows: int, n: Floats, cp: Floats, distance: Floats, samples: float, scatter: float
) -> float:
    alive, total = 0, 0.0
    for i in range(rows):
        if n[i] == 0:
            continue
        alive += 1
        own, other = without_noise(cp[i], scatter) / n[i], math.inf
        for j in range(rows):
            if j != i and n[j] > 0:
                apart = distance[i, j]
                if apart <= NOTHING * scatter / samples:
                    apart = 0.0
                other = min(other, without_noise(cp[j], scatter) / n[j] + apart)
        if own == 0.0 and other == 0.0:
            return math.nan
        total += (other - own) / max(own, other)
    return total / alive
