r"""WB index, smaller is better.

.. math:: WB = k\cdot\frac{WGSS}{BGSS},\quad BGSS = CP_0 - WGSS
"""

from .._jit import jit
from .compare import ratio, scatter_between, without_noise


@jit
def value(k: int, within: float, scatter: float) -> float:
    """
    >>> value(2, 1.0, 9.0)
    0.25
    """
    return ratio(k * without_noise(within, scatter), scatter_between(within, scatter))


@jit
def goodness(
    k: int, samples: float, within: float, scatter: float, greatest: float, total: float
) -> float:
    return -value(k, within, scatter)
