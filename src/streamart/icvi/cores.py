r"""XB: the core of a cluster, a category that has most of its samples, does not leave it.

Mostly such a cluster is one category with many small ones around it. If category p, of n samples,
goes from its cluster h to t, at the distances a and b of its mean from theirs, it takes the mean of
t nearly all of the way along, and what it leaves behind is not far either:

.. math:: \|\mu_h'-\mu_p\| = \tfrac{n_h}{n_h-n}a,\qquad \|\mu_t'-\mu_p\| = \tfrac{n_t}{n_t+n}b

So the two are at most the sum of these apart, wherever p goes: b is no more than a and how far the
farthest other mean is from that of h, and no :math:`n_t` is greater than that of the largest other
cluster. WGSS falls by no more than the gain. One question instead of one for each target; the
cluster with the most samples of all is asked about by itself.
"""

import math

from .._jit import jit
from .._typing import Floats
from .bounds import value_of
from .compare import SLACK
from .move_bounds import no_move_helps
from .state import LIVE, State
from .weighing import aside_at_most, gain_at_most, measure_aside


@jit
def note_crowds(s: State) -> None:
    """Which cluster has the most samples, and how many the next one has."""
    largest, most, second, clu = 0, 0, 0, s.clu[LIVE]
    for c in range(s.now[LIVE]["k"]):
        if clu[c]["n"] > most:
            largest, most, second = c, clu[c]["n"], most
        else:
            second = max(second, clu[c]["n"])
    s.now[0]["largest"] = largest
    s.now[0]["next_largest"] = second


@jit
def is_core(s: State, p: int) -> bool:
    """Has category p, one of several, most samples of its cluster?"""
    return bool(2 * s.cat[p]["n"] > s.clu[LIVE, s.label[LIVE, p]]["n"])


@jit
def core_stays(s: State, top: Floats, p: int, peak: float, limit: float) -> bool:
    """Proof that with the core p in any other cluster the index is not above `limit`.

    Its cluster is weighed, `note_crowds` has been called, and near pairs are known.
    """
    largest, home, n = s.now[0]["largest"], s.label[LIVE, p], float(s.cat[p]["n"])
    if not stays_out_of_others(s, home, p, n, limit):
        return False
    if home == largest:
        return True
    measure_aside(s, p)
    return no_move_helps(s, top, p, largest, peak, limit)


@jit
def stays_out_of_others(s: State, home: int, p: int, n: float, limit: float) -> bool:
    """The same of all clusters but the one with the most samples."""
    n_home, crowd = float(s.clu[LIVE, home]["n"]), float(s.now[0]["next_largest"])
    for exactly in (False, True):
        if exactly:
            measure_aside(s, p)
        off = aside_at_most(s, p)
        far = off + math.sqrt(s.clu[LIVE, home]["far"])
        apart = n_home / (n_home - n) * off + crowd / (crowd + n) * far
        within = s.now[LIVE]["within"] - gain_at_most(s, p)
        if value_of(s, s.now[LIVE]["k"], within, -apart * apart * (1.0 + SLACK)) <= limit:
            return True
    return False
