"""A partition of categories into clusters, with every variable of the index cached.

What is cached, for k clusters:

- footprints (n, mean, CP) of each cluster and the squared distances between their means;
- the *pair quantities* that the index takes maxima of (`registry.pair_quantity`, or I(c, l) of the
  conn_index) and, for each cluster, its three greatest ones: enough to know the maximum when any
  one or two other clusters change;
- bounds of each cluster's distances and costs of merging, from which strategies prove that they
  need not look (`merger_cost`);
- for the conn_index, `attach`, the sum of CONN from a category into a cluster, and `inside`, the
  same from a cluster into itself.

CH and WB need no pairs (`top` is None), all but the conn_index no `attach`, and the conn_index no
distances. `w` says which partition: LIVE or TRIAL.
"""

import math

from .._jit import jit
from .._typing import Floats
from . import graph
from .compare import without_noise
from .cost_bounds import (
    NO_BOUNDS,
    merger_cost,
    note_distance,
    widened,
    write_bounds,
)
from .family import code_of
from .footprints import (
    assign,
    on_the_line,
    squared_distance,
)
from .registry import goodness, pair_quantity
from .state import DISTANCE, FROM_X, LIVE, MEAN, PAIR, SEEN, TRIAL, VERSION, State
from .tops import find_tops, has_pair_matrix, replace_tops
from .weighing import (
    unsettle,
)

# A row of distances is computed from the means again after so many updates: each may add a relative
# error of 2e-15, and a tie is 1e-12. One by a large step, which may also magnify older errors,
# counts as several.
STEWART_UPDATES = 32
LARGE_STEP = 8


@jit
def copy_to_trial(s: State, top: Floats | None, attach: Floats | None) -> None:
    """Make the trial partition equal to the live one."""
    k = s.now[LIVE]["k"]
    s.now[TRIAL]["k"] = k
    s.now[TRIAL]["within"] = s.now[LIVE]["within"]
    s.now[TRIAL]["least"] = s.now[LIVE]["least"]
    s.now[TRIAL]["goodness"] = s.now[LIVE]["goodness"]
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        s.label[TRIAL, p] = s.label[LIVE, p]
        if attach is not None:
            for c in range(k):
                attach[TRIAL, p, c] = attach[LIVE, p, c]
    for c in range(k):
        copy_cluster(s, LIVE, c, TRIAL, c)
        for kind in range(s.matrix.shape[1]):
            for other in range(k if kind != PAIR or has_pair_matrix(s) else 0):
                s.matrix[TRIAL, kind, c, other] = s.matrix[LIVE, kind, c, other]
        if top is not None:
            assign(top[TRIAL, c], top[LIVE, c])


@jit
def copy_cluster(s: State, w: int, c: int, to_w: int, to_c: int) -> None:
    """What is known of one cluster alone."""
    source, target = s.clu[w, c], s.clu[to_w, to_c]
    target["size"] = source["size"]
    target["n"] = source["n"]
    target["cp"] = source["cp"]
    target["inside"] = source["inside"]
    target["least"] = source["least"]
    target["cheapest"] = source["cheapest"]
    target["second"] = source["second"]
    target["far"] = source["far"]
    target["near"] = source["near"]
    target["updates"] = source["updates"]
    target["taken"] = source["taken"]
    target["version"] = source["version"]
    target["changed"] = source["changed"]
    target["weighed"] = source["weighed"]
    target["born"] = source["born"]
    target["most"] = source["most"]
    target["heaviest"] = source["heaviest"]
    target["shift"] = source["shift"]
    target["room"] = source["room"]
    target["strayed"] = source["strayed"]
    target["grant"] = source["grant"]
    target["moved"] = source["moved"]
    target["peak"] = source["peak"]
    target["rival"] = source["rival"]
    target["anchor"] = source["anchor"]
    assign(s.mean[to_w, to_c], s.mean[w, c])
    if to_w == LIVE:
        s.each[VERSION, to_c] = source["version"]
    if to_w == LIVE and source["anchor"] > 0.0:
        assign(s.mean[SEEN, to_c], s.mean[SEEN, c])


@jit
def spread(n: int, cp: float, scatter: float) -> float:
    """CP/n of a cluster, exactly 0 for a cluster of copies."""
    return without_noise(cp, scatter) / n


# ------------------------------------------------------------------ caches, one cluster at a time


@jit
def measure_cluster(
    s: State, top: Floats | None, attach: Floats | None, w: int, c: int, share: float
) -> None:
    """Bring everything cached about cluster c, which has changed, and its pairs up to date."""
    unsettle(s, w, c)
    measure_pairs(s, top, attach, w, c, share)


@jit
def measure_pairs(
    s: State, top: Floats | None, attach: Floats | None, w: int, c: int, share: float
) -> None:
    """The same, though swaps need not be looked at again.

    ``share = 0`` computes its distances from the means. Any other share says that its mean moved by
    so much of the way towards a point (away from it, if negative) whose distances `from_x` are
    known: then they follow from Stewart's theorem, in O(k) instead of O(k d). Each time that adds a
    rounding error, so every now and then, and where the formula cancels, they are computed all the
    same.
    """
    if attach is not None:
        measure_cluster_conn(s, attach, w, c)
    else:
        measure_distances(s, top, w, c, share)
    if top is not None:
        replace_tops(s, top, w, c)
        find_tops(s, top, w, c)


@jit
def measure_cluster_conn(s: State, attach: Floats, w: int, c: int) -> None:
    """The same for the conn_index: what is inside cluster c, and I(c, l) both ways."""
    total = 0.0
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        if s.label[w, p] == c:
            total += attach[w, p, c]
    s.clu[w, c]["inside"] = total
    suppose = graph.as_it_is()
    for other in range(s.now[w]["k"]):
        if other != c:
            s.matrix[w, PAIR, c, other] = graph.inter(s, attach, w, suppose, c, other)
            s.matrix[w, PAIR, other, c] = graph.inter(s, attach, w, suppose, other, c)


@jit
def measure_distances(s: State, top: Floats | None, w: int, c: int, share: float) -> None:
    """The same for the other indices: row c of the matrices, and the bounds."""
    code, clu, mean = code_of(s), s.clu[w], s.mean[w]
    scatter, samples = s.now[0]["cp"], float(s.now[0]["n"])
    clu[c]["updates"] += 1 if abs(share) < 0.1 else LARGE_STEP
    if clu[c]["updates"] > STEWART_UPDATES:
        share = 0.0
    if share == 0.0:
        clu[c]["updates"] = 0
    clu[c]["moved"] = 1
    s.now[0]["versions"] += 1
    clu[c]["version"] = s.now[0]["versions"]
    if w == LIVE:
        s.each[VERSION, c] = clu[c]["version"]
    bounds = NO_BOUNDS
    own, pairs = spread(clu[c]["n"], clu[c]["cp"], scatter), has_pair_matrix(s)
    for other in range(s.now[w]["k"]):
        if other == c:
            continue
        distance = math.nan
        if share != 0.0:
            distance = on_the_line(
                share, s.matrix[w, DISTANCE, c, other], s.each[FROM_X, other], s.each[FROM_X, c]
            )
        if math.isnan(distance):
            distance = squared_distance(mean[c], mean[other])
        s.matrix[w, DISTANCE, c, other] = distance
        s.matrix[w, DISTANCE, other, c] = distance
        cost = merger_cost(s, w, c, other)
        bounds = widened(bounds, other, cost, distance)
        note_distance(s, w, other, c, cost, distance)
        if top is not None and pairs:
            theirs = spread(clu[other]["n"], clu[other]["cp"], scatter)
            quantity = pair_quantity(code, distance, own, theirs, scatter, samples)
            s.matrix[w, PAIR, c, other] = quantity
            s.matrix[w, PAIR, other, c] = quantity
    write_bounds(s, w, c, bounds)
    s.now[w]["least"] = min(s.now[w]["least"], bounds.least)


@jit
def sum_up(s: State, top: Floats | None, attach: Floats | None, w: int) -> None:
    """WGSS and the index value of the partition, from the caches."""
    code, k = code_of(s), s.now[w]["k"]
    within, peak, total, intra = 0.0, -math.inf, 0.0, 0.0
    for c in range(k):
        within += s.clu[w, c]["cp"]
        if attach is not None:
            intra += 0.5 * s.clu[w, c]["inside"] / s.clu[w, c]["n"]
        if top is not None:
            peak = max(peak, top[w, c, 0])
            total += top[w, c, 0]
    s.now[w]["within"] = within
    s.now[w]["goodness"] = goodness(
        code, k, float(s.now[0]["n"]), within, s.now[0]["cp"], peak, total, intra
    )


@jit
def distances_of_cluster(s: State, w: int, gone: int) -> None:
    """``from_x`` = distance from a cluster that is about to disappear, for those that stay."""
    for c in range(s.now[w]["k"]):
        if c != gone:
            s.each[FROM_X, c - 1 if c > gone else c] = s.matrix[w, DISTANCE, c, gone]


@jit
def distances_of_category(s: State, w: int, p: int) -> None:
    """``from_x`` = distance from the mean of a category."""
    for c in range(s.now[w]["k"]):
        s.each[FROM_X, c] = squared_distance(s.box[MEAN, p], s.mean[w, c])
