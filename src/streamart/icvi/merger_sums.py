r"""DB: at least so great is the sum of maxima after a merger.

Clusters i and j become one, m. Of the others, each has :math:`o_c`, its greatest R with neither, or
R with m if that is greater, and m has the greatest of these:

.. math:: S' = \sum_c \max(o_c, R_{cm}) + \max_c R_{cm}

What a cluster has now is more than :math:`o_c` only if it *leans* on i or j, having its greatest R
with it. What *hangs* on a cluster is the sum of what those that lean on it have more than with
their next. So the sum of all :math:`o_c` follows from what hangs on i and j, and from the few that
have their two greatest R with these two. For m, its R with the rivals of i and j are asked about.
`merger_rows` asks about all pairs.
"""

from .._jit import jit
from .._typing import Floats
from .partition import spread
from .state import TOPS, State

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
