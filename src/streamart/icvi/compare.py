"""How two index values are compared: undefined is worse than any number, better is strict."""

import math

from .._jit import TIE, jit

# Sums of squares below this share of the total are squares of rounding errors: nothing.
NOTHING = 1e-24
# What the difference of two scatters may keep of them as rounding noise.
CANCELLED = 1e-12


@jit
def ratio(numerator: float, denominator: float) -> float:
    """``numerator / denominator``, where 0/0 is undefined and x/0 infinite.

    >>> ratio(1.0, 4.0), ratio(1.0, 0.0), ratio(0.0, 0.0)
    (0.25, inf, nan)
    """
    if denominator == 0.0:
        if numerator == 0.0:
            return math.nan
        return math.inf
    return numerator / denominator


@jit
def better(a: float, b: float) -> bool:
    """Is `a` strictly better (larger) than `b`, beyond rounding?

    >>> better(2.0, 1.0), better(1.0, 1.0 + 1e-15), better(1.0, float("nan"))
    (True, False, True)
    """
    if math.isnan(a):
        return False
    if math.isnan(b):
        return True
    if a <= b:
        return False
    if math.isinf(a) or math.isinf(b):
        return True
    return a - b > TIE * max(abs(a), abs(b))


@jit
def without_noise(squares: float, total: float) -> float:
    """A sum of squares, or exactly 0 where it holds nothing but rounding errors of `total`."""
    if squares <= NOTHING * total:
        return 0.0
    return squares


@jit
def scatter_between(within: float, total: float) -> float:
    """BGSS = CP_0 - WGSS, exactly 0 where the difference is rounding noise."""
    between = total - within
    if between <= CANCELLED * total:
        return 0.0
    return between


@jit
def scatter_after(within: float, rise: float) -> float:
    """WGSS after a move that changes it by `rise`, exactly 0 where they cancel."""
    after = within + rise
    if after <= CANCELLED * within:
        return 0.0
    return after
