r"""Pakhira-Bandyopadhyay-Maulik index, larger is better.

.. math:: PBM = \left(\frac{CP_0}{WGSS}\cdot\frac{\max_{i\ne j} D_{ij}}{k}\right)^2
"""

from .._jit import jit
from .compare import ratio, without_noise


@jit
def value(k: int, within: float, scatter: float, farthest: float) -> float:
    """
    >>> value(2, 1.0, 9.0, 8.0)
    1296.0
    """
    root = ratio(scatter * farthest, without_noise(within, scatter) * k)
    return root * root


@jit
def pair(
    distance: float, spread_i: float, spread_j: float, scatter: float, samples: float
) -> float:
    return distance


@jit
def goodness(
    k: int, samples: float, within: float, scatter: float, greatest: float, total: float
) -> float:
    return value(k, within, scatter, greatest)
