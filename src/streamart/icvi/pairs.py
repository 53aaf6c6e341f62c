"""What-if answers for an index of WGSS and of pairs of clusters (PBM, XB, DB).

Such an index takes the greatest pair quantity of all, or the sum of each cluster's greatest. Every
question changes at most two clusters, here called a and b. The quantities of all other pairs are
cached (`pair`), and so is each cluster's greatest one (`greatest`, with `partner`).

The distance to a mean that moves on a line between two others follows from Stewart's theorem; where
that formula cancels, the distance is computed from the means instead.
"""

import math

from .._jit import NONE, jit
from .._typing import Floats
from .compare import without_noise
from .footprints import (
    CANCELS,
    assign,
    compactness_without,
    mean_with,
    mean_without,
    on_the_line,
    squared_distance,
)
from .registry import Answers, pair_quantity
from .scatter import may_merge, measure_distances, merger_rise, value_of
from .state import LIVE, MEAN, MEAN_A, MEAN_ALL, MEAN_B, State


@jit
def spread(n: int, cp: float, scatter: float) -> float:
    """CP/n of a cluster, exactly 0 for a cluster of copies."""
    return without_noise(cp, scatter) / float(n)


@jit
def quantity_with(
    s: State, w: int, distance: float, own: float, other: int, scatter: float, samples: float
) -> float:
    """Quantity of a cluster with this spread, at this distance from cluster `other`."""
    theirs = spread(s.clu[w, other]["n"], s.clu[w, other]["cp"], scatter)
    return pair_quantity(s.index, distance, own, theirs, scatter, samples)


# ------------------------------------------------------------------ caches


@jit
def measure(s: State, w: int, c: int) -> None:
    """Distances and pair quantities of cluster c, and the greatest ones of all clusters."""
    measure_distances(s, w, c)
    scatter, samples = s.now[0]["cp"], float(s.now[0]["n"])
    own = spread(s.clu[w, c]["n"], s.clu[w, c]["cp"], scatter)
    for other in range(s.now[w]["k"]):
        if other == c:
            continue
        quantity = quantity_with(s, w, s.distance[w, c, other], own, other, scatter, samples)
        s.pair[w, c, other] = quantity
        s.pair[w, other, c] = quantity
        if s.clu[w, other]["partner"] == c and quantity < s.clu[w, other]["greatest"]:
            s.clu[w, other]["partner"] = NONE  # another one may be greater now
        elif s.clu[w, other]["partner"] >= 0 and quantity >= s.clu[w, other]["greatest"]:
            s.clu[w, other]["greatest"] = quantity
            s.clu[w, other]["partner"] = c
    s.clu[w, c]["partner"] = NONE


@jit
def greatest_without(s: State, w: int, c: int, a: int, b: int) -> float:
    """The greatest pair quantity of cluster c, leaving out those with a and b."""
    partner = s.clu[w, c]["partner"]
    if partner >= 0 and partner != a and partner != b:
        return s.clu[w, c]["greatest"]
    greatest = -math.inf
    for other in range(s.now[w]["k"]):
        if other != c and other != a and other != b:
            greatest = max(greatest, s.pair[w, c, other])
    return greatest


@jit
def find_partners(s: State, w: int) -> None:
    """`greatest` and `partner` of the clusters where they are not known."""
    for c in range(s.now[w]["k"]):
        if s.clu[w, c]["partner"] < 0:
            found = NONE
            for other in range(s.now[w]["k"]):
                if other != c and (found < 0 or s.pair[w, c, other] > s.pair[w, c, found]):
                    found = other
            s.clu[w, c]["partner"] = found
            s.clu[w, c]["greatest"] = s.pair[w, c, found] if found >= 0 else -math.inf


@jit
def evaluate(s: State, w: int) -> float:
    find_partners(s, w)
    k, greatest, total = s.now[w]["k"], -math.inf, 0.0
    for c in range(k):
        greatest = max(greatest, s.clu[w, c]["greatest"])
        total += s.clu[w, c]["greatest"]
    samples = float(s.now[0]["n"])
    return value_of(s, k, samples, s.now[w]["within"], s.now[0]["cp"], greatest, total)


@jit
def totals_after(
    s: State, w: int, a: int, b: int, greatest_a: float, greatest_b: float
) -> tuple[float, float]:
    """Greatest pair quantity, and sum over clusters of each one's greatest, if a and b changed.

    ``with_a`` is what every other cluster would have with a; `greatest_a` is the greatest quantity
    of a itself, NaN if a would no longer be there.
    """
    greatest, total = -math.inf, 0.0
    a_lives, b_lives = not math.isnan(greatest_a), not math.isnan(greatest_b)
    for c in range(s.now[w]["k"]):
        if c in (a, b):
            continue
        own = greatest_without(s, w, c, a, b)
        if a_lives:
            own = max(own, s.clu[w, c]["with_a"])
        if b_lives:
            own = max(own, s.clu[w, c]["with_b"])
        greatest = max(greatest, own)
        total += own
    if a_lives:
        greatest = max(greatest, greatest_a)
        total += greatest_a
    if b_lives:
        greatest = max(greatest, greatest_b)
        total += greatest_b
    return greatest, total


# ------------------------------------------------------------------ a sample joins a cluster


@jit
def if_added(s: State, x: Floats) -> None:
    k, samples = s.now[LIVE]["k"], s.now[0]["n"] + 1.0
    scatter = s.now[0]["cp"] + s.now[0]["n"] / samples * squared_distance(x, s.feature[MEAN_ALL])
    for c in range(k):
        s.clu[LIVE, c]["from_x"] = squared_distance(x, s.mean[LIVE, c])
    for c in range(k):
        s.clu[LIVE, c]["value"] = if_added_to(s, x, c, samples, scatter)


@jit
def if_added_to(s: State, x: Floats, c: int, samples: float, scatter: float) -> float:
    """Goodness if x were in cluster c; `from_x` is known."""
    k, clu, n = s.now[LIVE]["k"], s.clu[LIVE], s.clu[LIVE, c]["n"]
    share = 1.0 / (n + 1.0)
    rise = n * share * clu[c]["from_x"]
    own = spread(n + 1, clu[c]["cp"] + rise, scatter)
    mean_with(s.mean[LIVE, c], n, x, 1, s.feature[MEAN_A])
    greatest = -math.inf
    for other in range(k):
        if other == c:
            continue
        distance = on_the_line(
            share, s.distance[LIVE, c, other], clu[other]["from_x"], clu[c]["from_x"]
        )
        if math.isnan(distance):
            distance = squared_distance(s.feature[MEAN_A], s.mean[LIVE, other])
        quantity = quantity_with(s, LIVE, distance, own, other, scatter, samples)
        clu[other]["with_a"] = quantity
        greatest = max(greatest, quantity)
    greatest, total = totals_after(s, LIVE, c, NONE, greatest, math.nan)
    return value_of(s, k, samples, s.now[LIVE]["within"] + rise, scatter, greatest, total)


# ------------------------------------------------------------------ two clusters merge


@jit
def if_merged(s: State, w: int, i: int, j: int) -> float:
    k, clu = s.now[w]["k"], s.clu[w]
    samples, scatter, gap = float(s.now[0]["n"]), s.now[0]["cp"], s.distance[w, i, j]
    together, rise = clu[i]["n"] + clu[j]["n"], merger_rise(s, w, i, j)
    share = clu[j]["n"] / float(together)
    own = spread(together, clu[i]["cp"] + clu[j]["cp"] + rise, scatter)
    mean_with(s.mean[w, i], clu[i]["n"], s.mean[w, j], clu[j]["n"], s.feature[MEAN_A])
    greatest = -math.inf
    for other in range(k):
        if other in (i, j):
            continue
        distance = on_the_line(share, s.distance[w, i, other], s.distance[w, j, other], gap)
        if math.isnan(distance):
            distance = squared_distance(s.feature[MEAN_A], s.mean[w, other])
        quantity = quantity_with(s, w, distance, own, other, scatter, samples)
        clu[other]["with_a"] = quantity
        greatest = max(greatest, quantity)
    greatest, total = totals_after(s, w, i, j, greatest, math.nan)
    return value_of(s, k - 1, samples, s.now[w]["within"] + rise, scatter, greatest, total)


# ------------------------------------------------------------------ a category changes cluster


@jit
def if_moved(s: State, w: int, p: int, target: int) -> float:
    """Home becomes a, or disappears; the target becomes b."""
    k, clu, cat, home = s.now[w]["k"], s.clu[w], s.cat[p], s.label[w, p]
    if clu[home]["size"] == 1:
        return if_merged(s, w, home, target)
    for c in range(k):
        clu[c]["from_x"] = squared_distance(s.box[MEAN, p], s.mean[w, c])
    samples, scatter, fresh = float(s.now[0]["n"]), s.now[0]["cp"], target == k
    n_home, n_target = clu[home]["n"] - cat["n"], cat["n"]
    mean_a, mean_b = s.feature[MEAN_A], s.feature[MEAN_B]
    mean_without(s.mean[w, home], clu[home]["n"], s.box[MEAN, p], cat["n"], mean_a)
    cp_home, cp_target = compactness_of_rest(s, w, p, mean_a), cat["cp"]
    within = s.now[w]["within"] - clu[home]["cp"]
    if fresh:
        assign(mean_b, s.box[MEAN, p])
    else:
        n_target += clu[target]["n"]
        cp_target += clu[target]["cp"]
        cp_target += clu[target]["n"] * cat["n"] / float(n_target) * clu[target]["from_x"]
        within -= clu[target]["cp"]
        mean_with(s.mean[w, target], clu[target]["n"], s.box[MEAN, p], cat["n"], mean_b)
    within += cp_home + cp_target
    spread_home, spread_target = (
        spread(n_home, cp_home, scatter),
        spread(n_target, cp_target, scatter),
    )
    away, share = cat["n"] / float(n_home), cat["n"] / float(n_target)
    greatest_a, greatest_b = -math.inf, -math.inf
    for other in range(k):
        if other in (home, target):
            continue
        distance = on_the_line(
            -away, s.distance[w, home, other], clu[other]["from_x"], clu[home]["from_x"]
        )
        if math.isnan(distance):
            distance = squared_distance(mean_a, s.mean[w, other])
        quantity = quantity_with(s, w, distance, spread_home, other, scatter, samples)
        clu[other]["with_a"] = quantity
        greatest_a = max(greatest_a, quantity)
        distance = clu[other]["from_x"]
        if not fresh:
            distance = on_the_line(
                share, s.distance[w, target, other], distance, clu[target]["from_x"]
            )
        if math.isnan(distance):
            distance = squared_distance(mean_b, s.mean[w, other])
        quantity = quantity_with(s, w, distance, spread_target, other, scatter, samples)
        clu[other]["with_b"] = quantity
        greatest_b = max(greatest_b, quantity)
    distance = squared_distance(mean_a, mean_b)
    quantity = pair_quantity(s.index, distance, spread_home, spread_target, scatter, samples)
    greatest_a, greatest_b = max(greatest_a, quantity), max(greatest_b, quantity)
    greatest, total = totals_after(s, w, home, target, greatest_a, greatest_b)
    return value_of(s, k + (1 if fresh else 0), samples, within, scatter, greatest, total)


@jit
def compactness_of_rest(s: State, w: int, p: int, mean: Floats) -> float:
    """CP of p's cluster without p; `mean` is that of the rest, and `from_x` is known.

    Where the difference of the sums cancels, it is added up from the other categories.
    """
    home = s.label[w, p]
    cluster, cat = s.clu[w, home], s.cat[p]
    rest = compactness_without(cluster["n"], cluster["cp"], cat["n"], cat["cp"], cluster["from_x"])
    if rest < CANCELS * cluster["cp"]:
        rest = 0.0
        for q in range(s.now[0]["categories"]):
            if q != p and s.label[w, q] == home:
                rest += s.cat[q]["cp"] + s.cat[q]["n"] * squared_distance(s.box[MEAN, q], mean)
    return rest


ANSWERS = Answers(measure, evaluate, if_added, if_merged, if_moved, may_merge)
