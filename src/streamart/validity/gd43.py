r"""Generalised Dunn index 43, larger is better.

.. math:: GD43 = \frac{\min_{i\ne j}\sqrt{D_{ij}}}{2\max_i CP_i/n_i}

The distance is not squared, as in Bezdek & Pal's :math:`\delta_4`, and the diameter
:math:`\Delta_3` is the incremental form of Ibrahim, Keller & Bezdek, which is: so the value depends
on the unit of the features.
"""

import math

from .._jit import jit
from .._typing import Floats
from ..icvi.compare import NOTHING, ratio, without_noise


@jit
def of_clusters(
    rows: int, n: Floats, cp: Floats, distance: Floats, samples: float, scatter: float
) -> float:
    nearest, widest = math.inf, 0.0
    for i in range(rows):
        if n[i] == 0:
            continue
        widest = max(widest, without_noise(cp[i], scatter) / n[i])
        for j in range(i):
            if n[j] > 0:
                nearest = min(nearest, distance[i, j])
    if nearest <= NOTHING * scatter / samples:
        nearest = 0.0
    return ratio(math.sqrt(nearest), 2.0 * widest)
