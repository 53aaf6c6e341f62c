"""What-if answers for an index that is a function of the footprints, whatever it is.

A question changes the footprints of one or two clusters, evaluates the index on the live arrays,
and puts back what was there, to the last bit. Clusters with n = 0 do not count. An evaluation
takes all pairs of clusters, so this is slower than `pairs`.
"""

import math

from .._jit import jit
from .._typing import Floats
from .footprints import add_sample, assign, merge_into, squared_distance
from .partition import gather_footprint
from .registry import Answers, of_clusters
from .scatter import may_merge, measure_distances
from .state import LIVE, MEAN, MEAN_A, MEAN_ALL, MEAN_B, State


@jit
def value_of(s: State, w: int, k: int, rows: int, samples: float, scatter: float) -> float:
    """Goodness of the k clusters with samples among these rows."""
    if k < 2:
        return math.nan
    clu = s.clu[w]
    return of_clusters(s.index, rows, clu["n"], clu["cp"], s.distance[w], samples, scatter)


@jit
def evaluate(s: State, w: int) -> float:
    k = s.now[w]["k"]
    return value_of(s, w, k, k, float(s.now[0]["n"]), s.now[0]["cp"])


@jit
def restore(s: State, w: int, c: int, mean: Floats, n: int, cp: float) -> None:
    assign(s.mean[w, c], mean)
    s.clu[w, c]["n"] = n
    s.clu[w, c]["cp"] = cp
    measure_distances(s, w, c)


@jit
def if_added(s: State, x: Floats) -> None:
    k, samples = s.now[LIVE]["k"], s.now[0]["n"] + 1.0
    scatter = s.now[0]["cp"] + s.now[0]["n"] / samples * squared_distance(x, s.feature[MEAN_ALL])
    for c in range(k):
        n, cp = s.clu[LIVE, c]["n"], s.clu[LIVE, c]["cp"]
        assign(s.feature[MEAN_A], s.mean[LIVE, c])
        add_sample(s.clu[LIVE, c], s.mean[LIVE, c], x)
        measure_distances(s, LIVE, c)
        s.clu[LIVE, c]["value"] = value_of(s, LIVE, k, k, samples, scatter)
        restore(s, LIVE, c, s.feature[MEAN_A], n, cp)


@jit
def if_merged(s: State, w: int, i: int, j: int) -> float:
    k = s.now[w]["k"]
    n, cp, joining = s.clu[w, i]["n"], s.clu[w, i]["cp"], s.clu[w, j]["n"]
    assign(s.feature[MEAN_A], s.mean[w, i])
    merge_into(s.clu[w, i], s.mean[w, i], joining, s.clu[w, j]["cp"], s.mean[w, j])
    s.clu[w, j]["n"] = 0
    measure_distances(s, w, i)
    value = value_of(s, w, k - 1, k, float(s.now[0]["n"]), s.now[0]["cp"])
    s.clu[w, j]["n"] = joining
    restore(s, w, i, s.feature[MEAN_A], n, cp)
    return value


@jit
def if_moved(s: State, w: int, p: int, target: int) -> float:
    k, cat, home = s.now[w]["k"], s.cat[p], s.label[w, p]
    if s.clu[w, home]["size"] == 1:
        return if_merged(s, w, home, target)
    rows = max(k, target + 1)
    s.now[w]["k"] = rows
    if target == k:
        s.clu[w, k]["n"] = 0
    n, cp = s.clu[w, home]["n"], s.clu[w, home]["cp"]
    target_n, target_cp = s.clu[w, target]["n"], s.clu[w, target]["cp"]
    assign(s.feature[MEAN_A], s.mean[w, home])
    assign(s.feature[MEAN_B], s.mean[w, target])
    s.label[w, p] = target
    gather_footprint(s, w, home)
    merge_into(s.clu[w, target], s.mean[w, target], cat["n"], cat["cp"], s.box[MEAN, p])
    measure_distances(s, w, home)
    measure_distances(s, w, target)
    value = value_of(s, w, rows, rows, float(s.now[0]["n"]), s.now[0]["cp"])
    s.label[w, p] = home
    restore(s, w, home, s.feature[MEAN_A], n, cp)
    restore(s, w, target, s.feature[MEAN_B], target_n, target_cp)
    s.now[w]["k"] = k
    return value


ANSWERS = Answers(measure_distances, evaluate, if_added, if_merged, if_moved, may_merge)
