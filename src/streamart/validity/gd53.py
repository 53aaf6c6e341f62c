r"""Generalised Dunn index 53, larger is better.

.. math:: GD53 = \frac{\min_{i\ne j}\frac{CP_i+CP_j}{n_i+n_j}}{2\max_i CP_i/n_i}
"""

import math

from .._jit import jit
from .._typing import Floats
from ..icvi.compare import ratio, without_noise


@jit
def of_clusters(
    rows: int, n: Floats, cp: Floats, distance: Floats, samples: float, scatter: float
) -> float:
    least, widest = math.inf, 0.0
    for i in range(rows):
        if n[i] == 0:
            continue
        own = without_noise(cp[i], scatter)
        widest = max(widest, own / n[i])
        for j in range(i):
            if n[j] > 0:
                least = min(least, (own + without_noise(cp[j], scatter)) / (n[i] + n[j]))
    return ratio(least, 2.0 * widest)
