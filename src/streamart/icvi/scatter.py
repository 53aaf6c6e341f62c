"""What-if answers for an index that depends on WGSS alone (`by_scatter`: CH, WB).

At a given number of clusters such an index is better the smaller WGSS is, so most questions need
no value at all: strategies compare what WGSS would rise by (`core.strategies.ward`, `swap`).
"""

import math

from .._jit import jit
from .._typing import Floats
from .compare import scatter_after
from .footprints import squared_distance, ward_cost
from .registry import Answers, goodness
from .state import LIVE, MEAN, State


@jit
def value_of(
    s: State,
    k: int,
    samples: float,
    within: float,
    scatter: float,
    greatest: float,
    total: float,
) -> float:
    """Goodness of a partition with these sums; NaN with fewer than two clusters."""
    if k < 2:
        return math.nan
    return goodness(s.index, k, samples, within, scatter, greatest, total)


@jit
def sum_within(s: State, w: int) -> float:
    """WGSS of a partition."""
    total = 0.0
    for c in range(s.now[w]["k"]):
        total += s.clu[w, c]["cp"]
    return total


@jit
def measure_distances(s: State, w: int, c: int) -> None:
    """Distances of cluster c, whose mean has moved, from all others, where they are kept."""
    if w >= s.distance.shape[0]:
        return
    distance = s.distance[w]
    for other in range(s.now[w]["k"]):
        fresh = squared_distance(s.mean[w, c], s.mean[w, other])
        distance[c, other] = fresh
        distance[other, c] = fresh


@jit
def value_at(s: State, k: int, within: float) -> float:
    """Goodness of k clusters with this WGSS."""
    return value_of(s, k, float(s.now[0]["n"]), within, s.now[0]["cp"], 0.0, 0.0)


@jit
def evaluate(s: State, w: int) -> float:
    return value_at(s, s.now[w]["k"], s.now[w]["within"])


@jit
def if_added(s: State, x: Floats) -> None:
    """Minus what WGSS would rise by: it orders clusters as the index does, and keeps its digits
    however long the stream is."""
    for c in range(s.now[LIVE]["k"]):
        n = float(s.clu[LIVE, c]["n"])
        s.clu[LIVE, c]["value"] = -n / (n + 1.0) * squared_distance(s.mean[LIVE, c], x)


@jit
def if_merged(s: State, w: int, i: int, j: int) -> float:
    return value_at(s, s.now[w]["k"] - 1, s.now[w]["within"] + merger_rise(s, w, i, j))


@jit
def merger_rise(s: State, w: int, i: int, j: int) -> float:
    """Ward's cost: what WGSS rises by if clusters i and j merge."""
    if w < s.distance.shape[0]:
        distance = s.distance[w, i, j]
    else:
        distance = squared_distance(s.mean[w, i], s.mean[w, j])
    return ward_cost(s.clu[w, i]["n"], s.clu[w, j]["n"], distance)


@jit
def rise_of_leaving(s: State, w: int, p: int) -> float:
    """What WGSS changes by (at most 0) if category p leaves its cluster of several."""
    home, n = s.label[w, p], float(s.cat[p]["n"])
    everybody = float(s.clu[w, home]["n"])
    away = squared_distance(s.box[MEAN, p], s.mean[w, home])
    return -n * everybody / (everybody - n) * away


@jit
def rise_of_joining(s: State, w: int, p: int, target: int) -> float:
    """What WGSS rises by if category p, which has left its cluster, joins another."""
    n, others = float(s.cat[p]["n"]), float(s.clu[w, target]["n"])
    return n * others / (n + others) * squared_distance(s.box[MEAN, p], s.mean[w, target])


@jit
def if_moved(s: State, w: int, p: int, target: int) -> float:
    k, home = s.now[w]["k"], s.label[w, p]
    if s.clu[w, home]["size"] == 1:
        return if_merged(s, w, home, target)
    rise = rise_of_leaving(s, w, p)
    if target < k:
        rise += rise_of_joining(s, w, p, target)
    after = scatter_after(s.now[w]["within"], rise)
    return value_at(s, k + (1 if target == k else 0), after)


@jit
def may_merge(s: State, w: int, i: int, j: int) -> bool:
    return True


ANSWERS = Answers(measure_distances, evaluate, if_added, if_merged, if_moved, may_merge)
