r"""The whole path of Ward's mergers, without walking it: the nearest-neighbour chain.

From a cluster to its cheapest partner, from there on, until two are each other's: these merge, now
or later, on every path that always takes the cheapest pair, since a merger brings no other cluster
nearer (costs are reducible). What every merger costs is found in O(k^2), from costs alone:

.. math:: c_{ij,l} = \frac{(n_i+n_l)c_{il} + (n_j+n_l)c_{jl} - n_l c_{ij}}{n_i+n_j+n_l}

In rising order these are the costs along the path. With ties the path is not the only one; then
this gives up. The mergers are kept as a tree: mostly it is the same when the next sample has come
(`ward_tree`).
"""

import math

from .._jit import jit
from .._typing import Floats
from .sorting import sort_pairs
from .state import DISTANCE, LIVE, PAIR, TRIAL, State
from .ward_tree import (
    NEARLY,
    cost_with_both,
    finish_tree,
    follow_changes,
    plant_leaves,
    write_costs_in_order,
    write_node,
)


@jit
def path_costs(s: State) -> int:
    """Costs of all mergers down to two clusters, rising, in the first row of the trial PAIRs.

    Returns how many: k - 2, or 0 where ties leave them open.
    """
    k, chain, node = s.now[LIVE]["k"], s.clu[TRIAL]["path_i"], s.clu[TRIAL]["path_j"]
    if follow_changes(s):
        write_costs_in_order(s)
        return k - 2
    s.now[0]["merge_paths"] += 1
    cost, found = s.matrix[TRIAL, DISTANCE], s.matrix[TRIAL, PAIR, 0]
    which, samples = s.matrix[TRIAL, PAIR, 1], s.matrix[TRIAL, PAIR, 2]
    write_costs(s, samples)
    plant_leaves(s)
    for c in range(k):
        node[c] = c
    length, left = 0, k  # the clusters that are left stand in the first places
    for merger in range(k - 1):
        if length == 0:
            chain[0] = 0
            length = 1
        while True:
            i = chain[length - 1]
            j, least, second = two_least(cost[i], left)
            if second <= least * (1.0 + NEARLY):
                return 0
            if length > 1 and j == chain[length - 2]:
                break
            if length == left:  # cannot be, but for rounding
                return 0
            chain[length] = j
            length += 1
        length -= 2
        found[merger] = least
        which[merger] = merger
        i, j = min(i, j), max(i, j)
        write_node(s, k + merger, node[i], node[j], least)
        node[i] = k + merger
        join(cost, samples, i, j, left, least)
        left -= 1
        replace_by_last(cost, samples, j, left)
        node[j] = node[left]
        for at in range(length):
            if chain[at] == left:
                chain[at] = j
    sort_pairs(found, which, k - 1)
    finish_tree(s)
    return k - 2


@jit
def write_costs(s: State, samples: Floats) -> None:
    """What each merger costs now; infinite with itself."""
    k = s.now[LIVE]["k"]
    for i in range(k):
        samples[i] = s.clu[LIVE, i]["n"]
    for i in range(k):
        cost, distance = s.matrix[TRIAL, DISTANCE, i], s.matrix[LIVE, DISTANCE, i]
        for j in range(k):
            cost[j] = samples[i] * samples[j] / (samples[i] + samples[j]) * distance[j]
        cost[i] = math.inf


@jit
def two_least(row: Floats, length: int) -> tuple[int, float, float]:
    """Where the least of the first so many is, the least, and the next one."""
    at, least, second = 0, math.inf, math.inf
    for j in range(length):
        if row[j] < second:
            if row[j] < least:
                at, second, least = j, least, row[j]
            else:
                second = row[j]
    return at, least, second


@jit
def join(cost: Floats, samples: Floats, i: int, j: int, left: int, least: float) -> None:
    """Cluster j joins i: the formula above. What is infinite stays so."""
    row, other = cost[i], cost[j]
    n_i, n_j = samples[i], samples[j]
    for at in range(left):
        row[at] = cost_with_both(samples[at], n_i, n_j, row[at], other[at], least)
    for at in range(left):
        cost[at, i] = row[at]
    samples[i] = n_i + n_j


@jit
def replace_by_last(cost: Floats, samples: Floats, gone: int, last: int) -> None:
    """The cluster in the last place takes that of one that is gone."""
    for at in range(last):
        cost[gone, at] = cost[last, at]
    for at in range(last):
        cost[at, gone] = cost[gone, at]
    cost[gone, gone] = math.inf
    samples[gone] = samples[last]
