r"""DB: a move after which the target is so wide that it becomes the rival of many others.

`sum_bounds` looks at the two clusters that a move changes, and at those that lean on them. Any
other cluster c keeps its greatest R, and has more if R with the target is greater after the move:

.. math:: S' - S \ge \dots + \sum_c \max(R_{ct'}-R_c, 0)

Category p, of n samples, moves the target by :math:`\sigma = n/(n_t+n)` of the way. By Stewart's
theorem, and since :math:`\|u+v\|^2 \le (1+\varepsilon)\|u\|^2 + (1+1/\varepsilon)\|v\|^2` for the
way from c to p by way of p's cluster h,

.. math:: D_{ct'} \le (1-\sigma)D_{ct} + \sigma\left((1+\varepsilon)D_{ch}
          + (1+1/\varepsilon)a^2\right) - \sigma(1-\sigma)b^2

so that the rows of distances do, without a look at the means. Where that cancels, a distance is at
most what the formula must leave to be used (`on_the_line`): then the bound is only lower.

The rows that are needed stand side by side where `merger_rows` has them.
"""

import math

from .._jit import jit, jit_sums
from .._typing import Floats
from .compare import NOTHING, SLACK
from .footprints import CANCELS
from .merger_rows import PEAKS, SPREADS
from .state import DISTANCE, LIVE, State


@jit
def widened_sum(s: State, top: Floats, p: int, target: int, a: float, b: float) -> float:
    """So much the clusters gain at least that lean on neither p's own nor `target`, if p moves.

    The squared distances of p from the two are at most `a` and at least `b`.
    """
    clu, cat, home, peaks = s.clu[LIVE], s.cat[p], s.label[LIVE, p], s.scan[PEAKS]
    n, n_target = float(cat["n"]), float(clu[target]["n"])
    share = n / (n_target + n)
    scatter = clu[target]["cp"] + cat["cp"] + n_target * share * b
    if scatter <= NOTHING * s.now[0]["cp"] * (1.0 + SLACK):
        return 0.0
    stretch, detour = 1.0, 0.0
    if a > 0.0 and clu[home]["size"] > 1:
        ease = math.sqrt(a / s.matrix[LIVE, DISTANCE, home, target])
        if not 0.0 < ease < math.inf:
            return 0.0
        stretch, detour = 1.0 + ease, (1.0 + 1.0 / ease) * a
    leave_out(s, top, home, target, math.inf)
    total = sum_above_peaks(
        s.matrix[LIVE, DISTANCE, target],
        s.matrix[LIVE, DISTANCE, home],
        s.scan[SPREADS],
        peaks,
        s.now[LIVE]["k"],
        1.0 - share,
        share * stretch,
        share * detour,
        share * (1.0 - share) * b,
        scatter / (n_target + n),
    )
    leave_out(s, top, home, target, math.nan)
    return total * (1.0 - SLACK)


@jit
def leave_out(s: State, top: Floats, one: int, two: int, peak: float) -> None:
    """These clusters, and those that lean on them, have so great an R, or again what they have."""
    clu = s.clu[LIVE]
    for moved in (one, two):
        c, following = moved, clu[moved]["leaning"]
        while c >= 0:
            s.scan[PEAKS, c] = top[LIVE, c, 0] if math.isnan(peak) else peak
            c = following
            if c >= 0:
                following = clu[c]["beside"]


@jit_sums
def sum_above_peaks(
    to_target: Floats,
    to_home: Floats,
    spreads: Floats,
    peaks: Floats,
    k: int,
    of_target: float,
    of_home: float,
    more: float,
    less: float,
    width: float,
) -> float:
    """By how much R with the moved target is greater than the greatest, summed over clusters."""
    total = 0.0
    for c in range(k):
        grows = of_target * to_target[c] + (of_home * to_home[c] + more)
        distance = max(grows - less, CANCELS * grows)
        above = (spreads[c] + width) / distance - peaks[c]
        total += above if above > 0.0 else 0.0
    return total
