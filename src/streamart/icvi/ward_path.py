r"""The whole path of Ward's mergers, without walking it: the nearest-neighbour chain.

From a cluster to its cheapest partner, from there on, until two are each other's: these merge, now
or later, on every path that always takes the cheapest pair, since a merger brings no other cluster
nearer (costs are reducible). What every merger costs is found in O(k^2), from costs alone:

.. math:: c_{ij,l} = \frac{(n_i+n_l)c_{il} + (n_j+n_l)c_{jl} - n_l c_{ij}}{n_i+n_j+n_l}

In rising order these are the costs along the path. With ties the path is not the only one; then
this gives up.
"""

import math

from .._jit import jit
from .partition import ward_cost
from .sorting import sort_pairs
from .state import DISTANCE, LIVE, PAIR, TRIAL, State

# Costs that differ by less, relatively, count as a tie: far above rounding.
NEARLY = 1e-9


@jit
def path_costs(s: State) -> int:
    """Costs of all mergers down to two clusters, rising, in the first row of the trial PAIRs.

    Returns how many: k - 2, or 0 where ties leave them open.
    """
    k, clu = s.now[LIVE]["k"], s.clu[TRIAL]
    cost, found = s.matrix[TRIAL, DISTANCE], s.matrix[TRIAL, PAIR, 0]
    for i in range(k):
        clu[i]["n"] = s.clu[LIVE, i]["n"]
        clu[i]["near"] = i  # the clusters that are left stand in the first places
        for j in range(i):
            cost[i, j] = ward_cost(s, LIVE, i, j)
            cost[j, i] = cost[i, j]
    length, left = 0, k
    for merger in range(k - 1):
        if length == 0:
            clu[0]["path_i"] = clu[0]["near"]
            length = 1
        while True:
            i, least, second, at_j = clu[length - 1]["path_i"], math.inf, math.inf, -1
            for at in range(left):
                j = clu[at]["near"]
                if j != i:
                    if cost[i, j] < least:
                        second = least
                        least, at_j = cost[i, j], at
                    else:
                        second = min(second, cost[i, j])
            if second <= least * (1.0 + NEARLY):
                return 0
            j = clu[at_j]["near"]
            if length > 1 and j == clu[length - 2]["path_i"]:
                break
            if length == left:  # cannot be, but for rounding
                return 0
            clu[length]["path_i"] = j
            length += 1
        length -= 2
        found[merger] = least
        left -= 1
        clu[at_j]["near"] = clu[left]["near"]
        n_i, n_j = clu[i]["n"], clu[j]["n"]
        for at in range(left):
            other = clu[at]["near"]
            if other != i:
                n = clu[other]["n"]
                joined = (n_i + n) * cost[i, other] + (n_j + n) * cost[j, other] - n * least
                cost[i, other] = joined / (n_i + n_j + n)
                cost[other, i] = cost[i, other]
        clu[i]["n"] = n_i + n_j
    sort_pairs(found, s.matrix[TRIAL, PAIR, 1], k - 1)
    return k - 2
