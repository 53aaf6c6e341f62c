r"""Calinski-Harabasz index, larger is better.

.. math:: CH = \frac{BGSS}{WGSS}\cdot\frac{N-k}{k-1},\quad BGSS = CP_0 - WGSS
"""

from .._jit import jit
from .compare import ratio, scatter_between, without_noise


@jit
def value(k: int, samples: float, within: float, scatter: float) -> float:
    """
    >>> value(2, 4.0, 1.0, 9.0)
    16.0
    """
    between = scatter_between(within, scatter)
    return ratio(between * (samples - k), without_noise(within, scatter) * (k - 1.0))


@jit
def goodness(
    k: int, samples: float, within: float, scatter: float, greatest: float, total: float
) -> float:
    return value(k, samples, within, scatter)
