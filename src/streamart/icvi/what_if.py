"""What-if answers for an index that is evaluated on changed clusters, whatever it is.

A question changes the labels and footprints of one or two clusters, evaluates the index on the live
arrays, and puts back what was there, to the last bit. Clusters with n = 0 do not count. An
evaluation takes all pairs of clusters, so this is slower than `pairs`.
"""

import math

from .._jit import NONE, jit
from .._typing import Floats
from .footprints import add_sample, assign, merge_into
from .partition import gather_footprint
from .registry import Answers, evaluate, learn_matrix, measure, of_clusters
from .scatter import may_merge, measure_distances
from .state import LIVE, MEAN, MEAN_A, MEAN_ALL, MEAN_B, State


@jit
def has_several(s: State, w: int) -> bool:
    """Are there at least two clusters with samples?"""
    alive = 0
    for c in range(s.now[w]["k"]):
        alive += 1 if s.clu[w, c]["n"] > 0 else 0
    return alive > 1


@jit
def evaluate_footprints(s: State, w: int) -> float:
    if not has_several(s, w):
        return math.nan
    k, clu, samples = s.now[w]["k"], s.clu[w], float(s.now[0]["n"])
    return of_clusters(s.index, k, clu["n"], clu["cp"], s.distance[w], samples, s.now[0]["cp"])


@jit
def restore(s: State, w: int, c: int, mean: Floats, n: int, cp: float) -> None:
    assign(s.mean[w, c], mean)
    s.clu[w, c]["n"] = n
    s.clu[w, c]["cp"] = cp
    measure(s, w, c)


@jit
def if_added(s: State, x: Floats) -> None:
    """Meanwhile, x is a category of its own in the row after the last one."""
    now, clu, p = s.now[0], s.clu[LIVE], s.now[0]["categories"]
    samples, scatter = now["n"], now["cp"]
    assign(s.feature[MEAN_B], s.feature[MEAN_ALL])
    add_sample(now, s.feature[MEAN_ALL], x)
    s.cat[p]["n"] = 0
    learn_matrix(s, p, x)
    add_sample(s.cat[p], s.box[MEAN, p], x)
    now["categories"] = p + 1
    s.order[p] = p
    for c in range(s.now[LIVE]["k"]):
        n, cp = clu[c]["n"], clu[c]["cp"]
        assign(s.feature[MEAN_A], s.mean[LIVE, c])
        s.label[LIVE, p] = c
        add_sample(clu[c], s.mean[LIVE, c], x)
        measure(s, LIVE, c)
        clu[c]["value"] = evaluate(s, LIVE)
        s.label[LIVE, p] = NONE
        restore(s, LIVE, c, s.feature[MEAN_A], n, cp)
    assign(s.feature[MEAN_ALL], s.feature[MEAN_B])
    now["categories"] = p
    now["n"] = samples
    now["cp"] = scatter


@jit
def if_merged(s: State, w: int, i: int, j: int) -> float:
    n, cp, joining = s.clu[w, i]["n"], s.clu[w, i]["cp"], s.clu[w, j]["n"]
    for p in range(s.now[0]["categories"]):
        s.cat[p]["mark"] = 1 if s.label[w, p] == j else 0
        if s.cat[p]["mark"] == 1:
            s.label[w, p] = i
    assign(s.feature[MEAN_A], s.mean[w, i])
    merge_into(s.clu[w, i], s.mean[w, i], joining, s.clu[w, j]["cp"], s.mean[w, j])
    s.clu[w, j]["n"] = 0
    measure(s, w, i)
    value = evaluate(s, w)
    for p in range(s.now[0]["categories"]):
        if s.cat[p]["mark"] == 1:
            s.label[w, p] = j
    s.clu[w, j]["n"] = joining
    restore(s, w, i, s.feature[MEAN_A], n, cp)
    return value


@jit
def if_moved(s: State, w: int, p: int, target: int) -> float:
    k, cat, home = s.now[w]["k"], s.cat[p], s.label[w, p]
    if s.clu[w, home]["size"] == 1:
        return if_merged(s, w, home, target)
    if target == k:
        s.now[w]["k"] = k + 1
        s.clu[w, k]["n"] = 0
    n, cp = s.clu[w, home]["n"], s.clu[w, home]["cp"]
    target_n, target_cp = s.clu[w, target]["n"], s.clu[w, target]["cp"]
    assign(s.feature[MEAN_A], s.mean[w, home])
    assign(s.feature[MEAN_B], s.mean[w, target])
    s.label[w, p] = target
    gather_footprint(s, w, home)
    merge_into(s.clu[w, target], s.mean[w, target], cat["n"], cat["cp"], s.box[MEAN, p])
    measure(s, w, home)
    measure(s, w, target)
    value = evaluate(s, w)
    s.label[w, p] = home
    restore(s, w, home, s.feature[MEAN_A], n, cp)
    restore(s, w, target, s.feature[MEAN_B], target_n, target_cp)
    s.now[w]["k"] = k
    return value


ANSWERS = Answers(measure_distances, evaluate_footprints, if_added, if_merged, if_moved, may_merge)
