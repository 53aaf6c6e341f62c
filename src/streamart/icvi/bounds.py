r"""Proofs that a change of the partition cannot help, cheaper than trying it.

Nothing here decides anything: where no proof is found, the exact questions of `what_if` are asked.
Every proof leaves a margin (`SLACK`) for rounding, a thousand times what is called a tie.

**Mergers.** Let c be the least cost :math:`\tfrac{n_i n_j}{n_i+n_j}D_{ij}` of merging two clusters.
Merging a group G of m clusters adds to WGSS

.. math:: \tfrac{1}{n_G}\sum_{i<j} n_i n_j D_{ij} \ge \tfrac{c}{n_G}\sum_{i<j}(n_i+n_j) = (m-1)\,c

so whatever is merged, t mergers add at least t c. `floors` has sharper bounds, which are dearer but
last. Means of groups lie in the convex hull of the means, so no distance exceeds the greatest one
now. Then:

- CH, WB: both get worse as WGSS grows. With t c alone, whether k - t clusters win is a linear
  question in t (divided by t), so the two ends of the walk answer for all its stages.
- PBM: the same with the greatest distance, the question being concave in t.
- XB: t mergers touch at most 2t clusters. Of 2t + 1 disjoint pairs one stays as it is, and with it
  the least distance is at most that of the pair. Nor is it more than the average distance between
  groups, which BGSS and the sizes of the clusters bound.
- DB: a merged cluster has a spread of at least the least cost per sample v, since
  :math:`\sum_{i<j}(n_i+n_j)^2 \ge n_G^2`. Every cluster has some R with it, which is at least v
  over the greatest squared distance; so is the index.

**Moves of a category** to another cluster, its own having others left: CH and WB rise only if WGSS
falls. For PBM and XB also if the greatest or the least distance changes, and a mean that moves by a
length changes no distance by more; one that moves towards a point does not get farther from others
than it was or the point is. For DB the new sum of maxima is bounded from below in the same way. The
only category of a cluster takes it along, which is a merger.
"""

import math

from .._jit import jit
from .._typing import Floats
from .compare import SLACK
from .db import INFINITE
from .floors import EFFORTS, floor_of, renew_floors
from .footprints import compactness_without, on_the_line, squared_distance
from .partition import spread, tighten_bounds, ward_cost
from .registry import CH, DB, PBM, WB, XB, goodness
from .sorting import sort_pairs
from .state import DISTANCE, LIVE, MEAN, PAIR, TOPS, TRIAL, State
from .ward_path import path_costs

# How often a path is looked at before floors are computed anew (about the same cost).
PATIENCE, GREATEST_PATIENCE = 3, 1000


@jit
def rules_out(s: State, bound: float, value: float) -> bool:
    """Is something that is at most `bound` worse than `value`, whatever rounding did to both?"""
    return s.params[0]["prove"] == 1 and bound < value - SLACK * abs(value)


# ------------------------------------------------------------------ a sample joins a cluster


@jit
def survey_tops(s: State, top: Floats) -> tuple[float, float]:
    """Greatest pair quantity of all, and the sum of the greatest of each cluster.

    Leaves in ``into_b`` what of the sum hangs on each cluster as a rival of others.
    """
    k, clu, peak, total = s.now[LIVE]["k"], s.clu[LIVE], -math.inf, 0.0
    for c in range(k):
        clu[c]["into_b"] = 0.0
    for c in range(k):
        peak = max(peak, top[LIVE, c, 0])
        total += top[LIVE, c, 0]
        if s.params[0]["code"] == DB and top[LIVE, c, 0] < INFINITE:
            clu[int(top[LIVE, c, TOPS])]["into_b"] += top[LIVE, c, 0] - top[LIVE, c, 1]
    return peak, total


@jit
def if_added(
    s: State, top: Floats, c: int, samples: float, scatter: float, peak: float, total: float
) -> float:
    """At most so good is the partition if the present sample joins cluster c."""
    code, k, cluster = s.params[0]["code"], s.now[LIVE]["k"], s.clu[LIVE, c]
    n = cluster["n"]
    growth = n / (n + 1.0) * cluster["from_x"]
    step = math.sqrt(cluster["from_x"]) / (n + 1.0)
    if code == DB:
        if total >= INFINITE:
            return math.inf
        rival = int(top[LIVE, c, TOPS])
        own = spread(n + 1, cluster["cp"] + growth, scatter)
        theirs = spread(s.clu[LIVE, rival]["n"], s.clu[LIVE, rival]["cp"], scatter)
        reach = math.sqrt(s.matrix[LIVE, DISTANCE, c, rival]) + step
        total += (own + theirs) / (reach * reach) - top[LIVE, c, 0] - cluster["into_b"]
    else:
        peak = stretched(code, peak, step)
    within = s.now[LIVE]["within"] + growth
    return goodness(code, k, samples, within, scatter, peak, total, 0.0)


@jit
def stretched(code: int, peak: float, step: float) -> float:
    """At most so good is a peak (greatest distance for PBM, minus the least for XB)
    after means have moved by `step` in all."""
    reach = math.sqrt(abs(peak)) + step
    return -reach * reach if code == XB else reach * reach


# ------------------------------------------------------------------ clusters merge


@jit
def no_merger_helps(s: State, w: int, mergers: int, best: float) -> bool:
    """Proof that no partition that is up to so many mergers away is better than `best`.

    Cached bounds may be old: where they do not do, the least cost is made exact, then floors are
    looked for, then the whole path is.
    """
    code = s.params[0]["code"]
    if best == math.inf:
        return True
    # Anything may be better than what is undefined, or as bad as can be.
    if not best > -math.inf or s.params[0]["prove"] == 0:
        return False
    if merger_bound_holds(s, w, mergers, best):
        return True
    least = find_least_cost(s, w)
    if code in (CH, WB) and if_cheapest_merged(s, w, least) > best:
        return False
    if merger_bound_holds(s, w, mergers, best):
        return True
    if code in (PBM, XB, DB):
        for c in range(s.now[w]["k"]):  # their greatest and least distances
            tighten_bounds(s, w, c)
        if merger_bound_holds(s, w, mergers, best):
            return True
    if w != LIVE or mergers == 1 or code == DB:
        return False
    if higher_floors_hold(s, mergers, best):
        return True
    return code in (CH, WB) and path_loses(s, best)


@jit
def find_least_cost(s: State, w: int) -> float:
    """Tighten bounds of costs until the lowest of all is exact."""
    while True:
        lowest = lowest_cluster(s, w)
        least = s.clu[w, lowest]["least"]
        tighten_bounds(s, w, lowest)
        if s.clu[w, lowest]["least"] <= least * (1.0 + SLACK):
            return s.clu[w, lowest]["least"]


@jit
def if_cheapest_merged(s: State, w: int, cost: float) -> float:
    """CH, WB: how good the partition is after a merger that costs so much."""
    samples, scatter, within = float(s.now[0]["n"]), s.now[0]["cp"], s.now[w]["within"] + cost
    k = s.now[w]["k"] - 1
    return goodness(s.params[0]["code"], k, samples, within, scatter, 0.0, 0.0, 0.0)


@jit
def higher_floors_hold(s: State, mergers: int, best: float) -> bool:
    """Floors anew, as far as needed. That costs some paths; if in vain, it is tried less often."""
    now = s.now[0]
    if now["wait"] > 0:
        now["wait"] -= 1
        return False
    now["floor_renewals"] += 1
    for effort in range(EFFORTS):
        renew_floors(s, effort)
        if merger_bound_holds(s, LIVE, mergers, best):
            now["wait"], now["patience"] = PATIENCE, PATIENCE
            return True
    now["patience"] = min(2 * now["patience"] + 1, GREATEST_PATIENCE)
    now["wait"] = now["patience"]
    return False


@jit
def path_loses(s: State, best: float) -> bool:
    """CH, WB: proof that no stage of the path of Ward's mergers is better, by all its costs."""
    within = s.now[LIVE]["within"]
    samples, scatter, k = float(s.now[0]["n"]), s.now[0]["cp"], s.now[LIVE]["k"]
    mergers = path_costs(s)
    s.now[0]["merge_paths"] += 1
    for t in range(mergers):
        within += s.matrix[TRIAL, PAIR, 0, t] * (1.0 - SLACK)
        value = goodness(s.params[0]["code"], k - 1 - t, samples, within, scatter, 0.0, 0.0, 0.0)
        if value > best:
            return False
    return mergers > 0


@jit
def lowest_cluster(s: State, w: int) -> int:
    """The cluster whose bound of the costs is lowest."""
    lowest = 0
    for c in range(s.now[w]["k"]):
        if s.clu[w, c]["least"] < s.clu[w, lowest]["least"]:
            lowest = c
    return lowest


@jit
def least_within(s: State, w: int, left: int, cost: float) -> float:
    """WGSS is at least so great when mergers have left so many clusters."""
    return max(s.now[w]["within"] + (s.now[w]["k"] - left) * cost, floor_of(s, left))


@jit
def merger_bound_holds(s: State, w: int, mergers: int, best: float) -> bool:
    """Are the bounds as they are enough for a proof?"""
    code, k = s.params[0]["code"], s.now[w]["k"]
    samples, scatter, far = float(s.now[0]["n"]), s.now[0]["cp"], 0.0
    cost = s.clu[w, lowest_cluster(s, w)]["least"] * (1.0 - SLACK)
    if code in (PBM, XB, DB):
        for c in range(k):
            far = max(far, s.clu[w, c]["far"])
        far *= 1.0 + SLACK
    if code == DB:
        return cost >= -best * far
    last = max(k - mergers, 2)
    if code == XB:
        return near_pairs_remain(s, w, last, best, cost, far)
    if w == LIVE:
        # By the costs alone, the question is linear or concave in the number of mergers: the first
        # and the last stage answer for all between.
        within = s.now[w]["within"]
        first = goodness(code, k - 1, samples, within + cost, scatter, far, 0.0, 0.0)
        within += (k - last) * cost
        if first <= best and goodness(code, last, samples, within, scatter, far, 0.0, 0.0) <= best:
            return True
    for left in range(last, k):
        within = least_within(s, w, left, cost)
        if goodness(code, left, samples, within, scatter, far, 0.0, 0.0) > best:
            return False
    return True


@jit
def near_pairs_remain(s: State, w: int, last: int, best: float, cost: float, far: float) -> bool:
    """XB: after t mergers, some pair is nearer than a better index value would need."""
    k, clu, taken, distance = s.now[w]["k"], s.clu[w], 0, 0.0
    if best == 0.0:  # the best value that there is
        return True
    if w == LIVE:
        average_distances(s)
    for c in range(k):
        clu[c]["into_a"] = 0.0  # 1 when taken
    exhausted = False
    for t in range(1, k - last + 1):
        within = least_within(s, w, k - t, cost)
        needed = within / (s.now[0]["n"] * -best) * (1.0 - SLACK)
        if needed >= far:  # and so it is for all later ones: WGSS only grows
            return True
        while taken < 2 * t + 1 and not exhausted:
            chosen, nearest = -1, math.inf
            for c in range(k):
                near = clu[c]["near"]
                if near >= 0 and clu[c]["into_a"] == 0.0 and clu[near]["into_a"] == 0.0:
                    if s.matrix[w, DISTANCE, c, near] < nearest:
                        chosen, nearest = c, s.matrix[w, DISTANCE, c, near]
            if chosen < 0:
                exhausted = True
                break
            distance = nearest
            clu[chosen]["into_a"] = 1.0
            clu[clu[chosen]["near"]]["into_a"] = 1.0
            taken += 1
        if (exhausted or distance > needed) and not (
            w == LIVE and needed >= (s.now[0]["cp"] - within) * clu[k - t]["into_b"] * (1.0 + SLACK)
        ):
            return False
    return True


@jit
def average_distances(s: State) -> None:
    r"""``into_b`` of row `left`: what BGSS of so many groups is to be multiplied with to bound the
    least distance between two of them.

    :math:`\sum_{g<h} n_g n_h D_{gh} = n\cdot BGSS`, and the sum of the products is least when all
    groups but one are the smallest clusters.
    """
    k, clu, n = s.now[LIVE]["k"], s.clu[LIVE], float(s.now[0]["n"])
    sizes, unused = s.matrix[TRIAL, PAIR, 0], s.matrix[TRIAL, PAIR, 1]
    for c in range(k):
        sizes[c] = clu[c]["n"]
        unused[c] = 0.0
    sort_pairs(sizes, unused, k)
    total, squares = 0.0, 0.0
    for left in range(2, k):
        total += sizes[left - 2]
        squares += sizes[left - 2] * sizes[left - 2]
        products = 0.5 * (n * n - squares - (n - total) * (n - total))
        clu[left]["into_b"] = n / products


@jit
def cluster_may_go(s: State, c: int) -> bool:
    """Might the partition be better if cluster c were merged with another one?"""
    code, k, good = s.params[0]["code"], s.now[LIVE]["k"], s.now[LIVE]["goodness"]
    if code in (PBM, XB, DB):
        return True
    within = s.now[LIVE]["within"] + s.clu[LIVE, c]["least"] * (1.0 - SLACK)
    samples, scatter = float(s.now[0]["n"]), s.now[0]["cp"]
    return goodness(code, k - 1, samples, within, scatter, 0.0, 0.0, 0.0) > good


@jit
def if_merged(s: State, top: Floats, w: int, i: int, j: int, peak: float, far: float) -> float:
    """At most so good is the partition with clusters i and j as one (PBM, XB, DB).

    `peak` is the greatest pair quantity, `far` the greatest squared distance.
    """
    code, k, clu = s.params[0]["code"], s.now[w]["k"], s.clu[w]
    together, total = clu[i]["n"] + clu[j]["n"], 0.0
    cost = ward_cost(s, w, i, j)
    if code == DB:
        total = (k - 1) * (clu[i]["cp"] + clu[j]["cp"] + cost) / together / far
    elif code == PBM:
        peak = far
    else:
        if top[w, i, 0] == peak or top[w, j, 0] == peak:
            peak = max(peak_without(s, top, w, i, j), -far)
        share = clu[j]["n"] / float(together)
        peak = max(peak, -distance_from_nearest(s, top, w, i, j, i, share) * (1.0 + SLACK))
        peak = max(peak, -distance_from_nearest(s, top, w, i, j, j, share) * (1.0 + SLACK))
    return goodness(
        code,
        k - 1,
        float(s.now[0]["n"]),
        s.now[w]["within"] + cost,
        s.now[0]["cp"],
        peak,
        total,
        0.0,
    )


@jit
def distance_from_nearest(
    s: State, top: Floats, w: int, i: int, j: int, which: int, share: float
) -> float:
    """XB: of clusters i and j as one from the other cluster that is nearest to one of them.

    A merger brings means nearer to others than they were, which is what it costs mostly.
    """
    place = 1 if int(top[w, which, TOPS]) in (i, j) else 0
    other = int(top[w, which, TOPS + place])
    if other < 0:
        return math.inf
    matrix = s.matrix[w, DISTANCE]
    near, far, length = matrix[i, other], matrix[j, other], matrix[i, j]
    distance = on_the_line(share, near, far, length)
    return math.inf if math.isnan(distance) else distance


@jit
def peak_without(s: State, top: Floats, w: int, i: int, j: int) -> float:
    """Greatest pair quantity of all pairs that neither i nor j is in."""
    peak = -math.inf
    for c in range(s.now[w]["k"]):
        if c not in (i, j):
            place = 0
            while place < TOPS and int(top[w, c, TOPS + place]) in (i, j):
                place += 1
            if place < TOPS and top[w, c, TOPS + place] >= 0.0:
                peak = max(peak, top[w, c, place])
    return peak


@jit
def if_cluster_merged(s: State, top: Floats, w: int, i: int, peak: float, far: float) -> float:
    """At most so good is the partition with cluster i and any other as one (PBM, XB).

    For XB another that is in none of the nearest pairs.
    """
    code = s.params[0]["code"]
    if code == DB:
        return math.inf
    if code == PBM or top[w, i, 0] == peak:
        peak = -far if code == XB else far
    within = s.now[w]["within"] + s.clu[w, i]["least"] * (1.0 - SLACK)
    samples, scatter, k = float(s.now[0]["n"]), s.now[0]["cp"], s.now[w]["k"] - 1
    return goodness(code, k, samples, within, scatter, peak, 0.0, 0.0)


# ------------------------------------------------------------------ a category changes cluster


@jit
def gain_of(s: State, p: int) -> float:
    """What WGSS would fall by if category p, one of several, left its cluster."""
    home, n = s.label[LIVE, p], s.cat[p]["n"]
    n_home = s.clu[LIVE, home]["n"]
    distance = squared_distance(s.box[MEAN, p], s.mean[LIVE, home])
    return n * n_home / float(n_home - n) * distance


@jit
def loss_of(s: State, p: int, target: int) -> float:
    """What WGSS would grow by if category p came to cluster `target`."""
    n, n_target = s.cat[p]["n"], s.clu[LIVE, target]["n"]
    distance = squared_distance(s.box[MEAN, p], s.mean[LIVE, target])
    return n * n_target / float(n_target + n) * distance


@jit
def note_reach(s: State, p: int) -> None:
    """How far a mean might move, or get from where the cluster of p was, if p left (PBM)."""
    home, n = s.clu[LIVE, s.label[LIVE, p]], s.cat[p]["n"]
    rest = float(home["n"] - n)
    away = math.sqrt(s.cat[p]["gain"] * rest / (n * home["n"]))
    home["reach"] = max(home["reach"], away, n / rest * away)


@jit
def is_examined(s: State, top: Floats, c: int, peak: float) -> bool:
    """Might a move from or to cluster c be useful although WGSS does not fall?"""
    code, cluster = s.params[0]["code"], s.clu[LIVE, c]
    if code == DB:
        return True
    if code == PBM:
        return stretched(code, cluster["far"], cluster["reach"]) * (1.0 + SLACK) > peak
    return top[LIVE, c, 0] >= peak * (1.0 + SLACK)  # of the nearest pair; peak < 0


@jit
def no_move_helps(s: State, top: Floats | None, p: int, target: int, peak: float) -> bool:
    """Proof that category p, one of several in its cluster, is not better off in `target`."""
    code, k, clu, home = s.params[0]["code"], s.now[LIVE]["k"], s.clu[LIVE], s.label[LIVE, p]
    n, n_home, n_target = s.cat[p]["n"], clu[home]["n"], clu[target]["n"]
    if top is None:
        return loss_of(s, p, target) >= gain_of(s, p) * (1.0 + SLACK)
    from_home = squared_distance(s.box[MEAN, p], s.mean[LIVE, home])
    from_target = squared_distance(s.box[MEAN, p], s.mean[LIVE, target])
    gain = n * n_home / float(n_home - n) * from_home
    loss = n * n_target / float(n_target + n) * from_target
    # The mean of the target moves towards p, which is not farther from others than this plus home.
    away = math.sqrt(from_home)
    step = n / float(n_home - n) * away
    if code == DB:
        rest = compactness_without(n_home, clu[home]["cp"], n, s.cat[p]["cp"], from_home)
        rest = max(rest - SLACK * clu[home]["cp"], 0.0) / (n_home - n)
        whole = (clu[target]["cp"] + s.cat[p]["cp"] + loss) / (n_target + n)
        least = least_total(s, top, home, target, rest, whole, step, away)
        return least * (1.0 - SLACK) >= -s.now[LIVE]["goodness"] * k
    if loss < gain * (1.0 + SLACK):
        return False
    if code == PBM:
        peak = max(stretched(code, clu[home]["far"], max(step, away)) * (1.0 + SLACK), peak)
    elif top[LIVE, home, 0] >= peak * (1.0 + SLACK) or top[LIVE, target, 0] >= peak * (1.0 + SLACK):
        step += n / float(n_target + n) * math.sqrt(from_target)
        peak = stretched(code, peak, step) * (1.0 + SLACK)
    value = goodness(
        code,
        k,
        float(s.now[0]["n"]),
        s.now[LIVE]["within"] + (loss - gain),
        s.now[0]["cp"],
        peak,
        0.0,
        0.0,
    )
    return value <= s.now[LIVE]["goodness"]


@jit
def least_total(
    s: State,
    top: Floats,
    home: int,
    target: int,
    spread_home: float,
    spread_target: float,
    step: float,
    away: float,
) -> float:
    """DB: at least so great is the sum of maxima if two clusters had these spreads.

    The mean of `home` moves by `step`, that of `target` towards a point `away` from home.
    """
    k, total = s.now[LIVE]["k"], 0.0
    distance = s.matrix[LIVE, DISTANCE]
    reach = max(math.sqrt(distance[home, target]), away) + step
    own_home = (spread_home + spread_target) / (reach * reach)
    own_target = own_home
    for c in range(k):
        if c in (home, target):
            continue
        greatest, rival = top[LIVE, c, 0], int(top[LIVE, c, TOPS])
        is_rival = c in (int(top[LIVE, home, TOPS]), int(top[LIVE, target, TOPS]))
        if is_rival or rival in (home, target):
            theirs = spread(s.clu[LIVE, c]["n"], s.clu[LIVE, c]["cp"], s.now[0]["cp"])
            from_home = math.sqrt(distance[c, home])
            reach = from_home + step
            with_home = (theirs + spread_home) / (reach * reach)
            reach = max(math.sqrt(distance[c, target]), from_home + away)
            with_target = (theirs + spread_target) / (reach * reach)
            own_home, own_target = max(own_home, with_home), max(own_target, with_target)
            if rival in (home, target):
                greatest = max(with_home, with_target)
                for place in range(1, TOPS):
                    other = int(top[LIVE, c, TOPS + place])
                    if other >= 0 and other not in (home, target):
                        greatest = max(greatest, top[LIVE, c, place])
        total += greatest
    return total + own_home + own_target
