"""Proofs that something cannot help, cheaper than trying it: what all have in common, and labels.

Nothing here decides anything: where no proof is found, the exact questions of `what_if` are asked.
Every proof leaves a margin (`SLACK`) for rounding, a thousand times what is called a tie. The
arguments about mergers are in `merge_bounds`, those about moves of a category in `move_bounds`.
"""

import math

from .._jit import jit
from .._typing import Floats
from .compare import SLACK
from .db import INFINITE
from .family import code_of
from .footprints import CANCELS
from .partition import spread
from .registry import DB, XB, goodness
from .state import DISTANCE, FROM_X, LIVE, TOPS, State


@jit
def rules_out(s: State, bound: float, value: float) -> bool:
    """Is something that is at most `bound` worse than `value`, whatever rounding did to both?"""
    return s.params[0]["prove"] == 1 and bound < value - SLACK * abs(value)


@jit
def value_of(s: State, k: int, within: float, peak: float) -> float:
    """How good k clusters with this WGSS and this greatest pair quantity are (all but DB)."""
    code, samples = code_of(s), float(s.now[0]["n"])
    return goodness(code, k, samples, within, s.now[0]["cp"], peak, 0.0, 0.0)


@jit
def survey_tops(s: State, top: Floats) -> tuple[float, float]:
    """Greatest pair quantity of all, and the sum of the greatest of each cluster.

    DB: leaves in ``into_b`` what of the sum hangs on each cluster as a rival of others.
    """
    k, clu, peak, total = s.now[LIVE]["k"], s.clu[LIVE], -math.inf, 0.0
    sums = s.family == DB
    for c in range(k if sums else 0):
        clu[c]["into_b"] = 0.0
    for c in range(k):
        peak = max(peak, top[LIVE, c, 0])
        total += top[LIVE, c, 0]
        if sums and top[LIVE, c, 0] < INFINITE:
            clu[int(top[LIVE, c, TOPS])]["into_b"] += top[LIVE, c, 0] - top[LIVE, c, 1]
    return peak, total


@jit
def if_added(
    s: State, top: Floats, c: int, samples: float, scatter: float, peak: float, total: float
) -> float:
    """At most so good is the partition if the present sample joins cluster c."""
    code, k, cluster = code_of(s), s.now[LIVE]["k"], s.clu[LIVE, c]
    n = cluster["n"]
    growth = n / (n + 1.0) * s.each[FROM_X, c]
    if s.family == DB:
        if total >= INFINITE:
            return math.inf
        rival, share = int(top[LIVE, c, TOPS]), 1.0 / (n + 1.0)
        own = spread(n + 1, cluster["cp"] + growth, scatter)
        theirs = spread(s.clu[LIVE, rival]["n"], s.clu[LIVE, rival]["cp"], scatter)
        # Stewart's theorem; where it cancels, at most what it must leave (`on_the_line`)
        apart = (1.0 - share) * s.matrix[LIVE, DISTANCE, c, rival] + share * s.each[FROM_X, rival]
        distance = max(apart - share * growth, CANCELS * apart)
        total += (own + theirs) / distance - top[LIVE, c, 0] - cluster["into_b"]
    elif s.family == XB:  # the least distance grows only if it is one of c's
        if top[LIVE, c, 0] >= peak * (1.0 + SLACK):
            peak = stretched(code, peak, math.sqrt(s.each[FROM_X, c]) / (n + 1.0))
    else:
        step = math.sqrt(s.each[FROM_X, c]) / (n + 1.0)
        peak = max(peak, stretched(code, top[LIVE, c, 0], step))
    within = s.now[LIVE]["within"] + growth
    return goodness(code, k, samples, within, scatter, peak, total, 0.0)


@jit
def growth_that_loses(s: State, best: float, samples: float, peak: float) -> float:
    """XB: if WGSS grows by more, what is left is worse than `best`, unless the nearest two part."""
    if s.family != XB or s.params[0]["prove"] == 0 or not -math.inf < best < 0.0:
        return math.inf
    return best * (1.0 + 2.0 * SLACK) * samples * peak - s.now[LIVE]["within"]


@jit
def stretched(code: int, peak: float, step: float) -> float:
    """At most so good is a peak (greatest distance for PBM, minus the least for XB)
    after means have moved by `step` in all."""
    reach = math.sqrt(abs(peak)) + step
    return -reach * reach if code == XB else reach * reach
