r"""DB: at least so great is the sum of maxima after a merger.

Clusters i and j become one, m. Of the others, each has :math:`o_c`, its greatest R with neither, or
R with m if that is greater, and m has the greatest of these:

.. math:: S' = \sum_c \max(o_c, R_{cm}) + \max_c R_{cm}

What a cluster has now is more than :math:`o_c` only if it *leans* on i or j, having its greatest R
with it. What *hangs* on a cluster is the sum of what those that lean on it have more than with
their next. So the sum of all :math:`o_c` follows from what hangs on i and j, and from the few that
have their two greatest R with these two. For m, its R with the rivals of i and j are asked about.
Where that does not do, those that lean on the two have R with m at least.
"""

from .._jit import jit
from .._typing import Floats
from .compare import SLACK
from .footprints import on_the_line
from .partition import spread
from .state import DISTANCE, TOPS, State
from .tops import greatest_with_others

# With fewer clusters, not all have three others to have an R with.
LEAST_CLUSTERS = 6


@jit
def prepare_mergers(s: State, top: Floats, w: int) -> float:
    """Who leans on whom, and what hangs on each cluster; returns the sum of maxima."""
    k, clu, total = s.now[w]["k"], s.clu[w], 0.0
    for c in range(k):
        clu[c]["leaning"] = -1
        clu[c]["hanging"] = 0.0
        clu[c]["spread"] = spread(clu[c]["n"], clu[c]["cp"], s.now[0]["cp"])
    for c in range(k):
        at = int(top[w, c, TOPS])
        clu[c]["beside"] = clu[at]["leaning"]
        clu[at]["leaning"] = c
        clu[at]["hanging"] += top[w, c, 0] - top[w, c, 1]
        total += top[w, c, 0]
    return total


@jit
def prepare_row(s: State, top: Floats, w: int, i: int) -> None:
    """``jointly`` of each cluster: what hangs on it and cluster i together, beyond each alone.

    Of i and j, the one that leans on the other is not a third cluster, and has nothing hanging.
    """
    clu, own = s.clu[w], int(top[w, i, TOPS])
    for c in range(s.now[w]["k"]):
        clu[c]["jointly"] = 0.0
    for c in range(s.now[w]["k"]):
        first, second = int(top[w, c, TOPS]), int(top[w, c, TOPS + 1])
        if first == i:
            clu[second]["jointly"] += top[w, c, 1] - top[w, c, 2]
            clu[c]["jointly"] -= top[w, c, 0] - top[w, c, 1]
        elif second == i:
            clu[first]["jointly"] += top[w, c, 1] - top[w, c, 2]
    clu[own]["jointly"] -= top[w, i, 0] - top[w, i, 1]


@jit
def similarity_after(s: State, w: int, i: int, j: int, share: float, width: float, c: int) -> float:
    """R of cluster c with i and j as one, of which j is such a share; 0 where it is not known."""
    matrix = s.matrix[w, DISTANCE]
    distance = on_the_line(share, matrix[i, c], matrix[j, c], matrix[i, j])
    return (width + s.clu[w, c]["spread"]) / distance if distance > 0.0 else 0.0


@jit
def width_after(s: State, w: int, i: int, j: int) -> float:
    """Spread of clusters i and j as one."""
    one, two = s.clu[w, i], s.clu[w, j]
    together = one["n"] + two["n"]
    cost = one["n"] * (two["n"] / together) * s.matrix[w, DISTANCE, i, j]
    return spread(together, one["cp"] + two["cp"] + cost, s.now[0]["cp"])


@jit
def rival_beside(top: Floats, w: int, c: int, other: int) -> int:
    """With which cluster c has its greatest R, leaving out this other one."""
    rival = int(top[w, c, TOPS])
    return int(top[w, c, TOPS + 1]) if rival == other else rival


@jit
def least_sum(s: State, top: Floats, w: int, i: int, j: int, total: float, closely: bool) -> float:
    """The sum of maxima with clusters i and j as one, after `prepare_row` of i: at least so much.

    `closely`: those that lean on the two are asked about.
    """
    clu = s.clu[w]
    share, width = clu[j]["n"] / float(clu[i]["n"] + clu[j]["n"]), width_after(s, w, i, j)
    own = similarity_after(s, w, i, j, share, width, rival_beside(top, w, i, j))
    own = max(own, similarity_after(s, w, i, j, share, width, rival_beside(top, w, j, i)))
    hanging = clu[i]["hanging"] + clu[j]["hanging"] + clu[j]["jointly"]
    result = total * (1.0 - SLACK) - top[w, i, 0] - top[w, j, 0] - hanging
    if closely:
        for moved in (i, j):
            c = clu[moved]["leaning"]
            while c >= 0:
                if c not in (i, j):
                    with_both = similarity_after(s, w, i, j, share, width, c)
                    own = max(own, with_both)
                    result += max(with_both - greatest_with_others(top, w, c, i, j), 0.0)
                c = clu[c]["beside"]
    return result + own
