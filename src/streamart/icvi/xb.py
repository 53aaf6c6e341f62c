r"""Xie-Beni index, smaller is better.

.. math:: XB = \frac{WGSS}{N\cdot\min_{i\ne j} D_{ij}}
"""

from .._jit import jit
from .compare import NOTHING, ratio, without_noise


@jit
def value(samples: float, within: float, scatter: float, nearest: float) -> float:
    """
    >>> value(4.0, 1.0, 9.0, 8.0)
    0.03125
    """
    if nearest <= NOTHING * scatter / samples:
        nearest = 0.0
    return ratio(without_noise(within, scatter), samples * nearest)


@jit
def pair(
    distance: float, spread_i: float, spread_j: float, scatter: float, samples: float
) -> float:
    """The greatest of these is that of the nearest two."""
    return -distance


@jit
def goodness(
    k: int, samples: float, within: float, scatter: float, greatest: float, total: float
) -> float:
    return -value(samples, within, scatter, -greatest)
