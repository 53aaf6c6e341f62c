"""How far apart two means are at most after a category has moved: see `move_bounds`."""

import math

from .._jit import jit
from .footprints import CANCELS, on_the_line


@jit
def between_moved(away: float, share: float, gap: float, a: float, b: float) -> float:
    r"""At most so great is the squared distance between the new means of h and t.

    From that of the old (`gap`), a² and b²:

    .. math:: (1+\omega)(1-\sigma)D_{ht} + (\omega+\sigma)((1+\omega)a^2 - (1-\sigma)b^2)

    Where that cancels, by the triangle.
    """
    moved = away + share
    grows = (1.0 + away) * ((1.0 - share) * gap + moved * a)
    result = grows - (1.0 - share) * moved * b
    if result > CANCELS * grows:
        return result
    reach = (1.0 - share) * math.sqrt(gap) + moved * math.sqrt(a)
    return reach * reach


@jit
def from_moved_home(away: float, near: float, a: float, from_p: float) -> float:
    """At most so great is the squared distance of another mean from the new one of h.

    `near` is that from the old one, `from_p` that from p, NaN if it is not known.
    """
    result = on_the_line(-away, near, from_p, a)
    if not math.isnan(result):
        return result
    reach = math.sqrt(near) + away * math.sqrt(a)
    return reach * reach


@jit
def from_moved_target(share: float, near: float, b: float, from_p: float) -> float:
    """The same for t; `from_p` may be a bound."""
    result = on_the_line(share, near, from_p, b)
    if not math.isnan(result):
        return result
    reach = (1.0 - share) * math.sqrt(near) + share * math.sqrt(from_p)
    return reach * reach
