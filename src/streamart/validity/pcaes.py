r"""Partition coefficient and exponential separation for hard labels, larger is better.

.. math:: PCAES = \sum_i\Big(\frac{n_i}{\max_l n_l} -
   \exp\big(-\min_{j\ne i} D_{ij}/\beta_T\big)\Big),\quad
   \beta_T = \frac1k\sum_i\|\mu_i-\mu\|^2

:math:`\mu` is the mean of all data. It needs no means:
:math:`\|\mu_i-\mu\|^2 = \sum_j \frac{n_j}{N} D_{ij} - \frac{BGSS}{N}`.
"""

from .._jit import jit
from .._typing import Floats
from .ps import share_less_nearness


@jit
def of_clusters(
    rows: int, n: Floats, cp: Floats, distance: Floats, samples: float, scatter: float
) -> float:
    alive, away, between = 0, 0.0, 0.0
    for i in range(rows):
        if n[i] > 0:
            alive += 1
            for j in range(rows):
                if n[j] > 0:
                    away += n[j] / samples * distance[i, j]
                    between += 0.5 * (n[i] / samples) * (n[j] / samples) * distance[i, j]
    beta = away / alive - between
    return share_less_nearness(rows, n, distance, beta, samples, scatter)
