r"""Proofs that no merger of clusters helps.

Let c be the least cost :math:`\tfrac{n_i n_j}{n_i+n_j}D_{ij}` of merging two clusters.
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
  groups, which BGSS and the sizes of the clusters bound. Where one cluster is in the middle of all
  others, `hub_bounds` has more to say.
- DB: a merged cluster has a spread of at least u + v, of the least spread of all clusters now and
  the least cost per sample, since :math:`\sum_{i<j}(n_i+n_j)^2 \ge n_G^2`. Every cluster has a
  spread of at least u, and some R with it, which is at least 2u + v over the greatest squared
  distance; so is the index.
"""

import math

from .._jit import jit
from .._typing import Floats
from .bounds import rules_out, value_of
from .compare import SLACK
from .cost_bounds import tighten_bounds, ward_cost
from .debts import floor_of
from .family import code_of
from .floors import EFFORTS, raise_by_costs, renew_floors
from .footprints import on_the_line
from .growing_floors import let_floors_grow
from .hub_bounds import hub_stays_near
from .partition import spread
from .registry import CH, CONN, DB, PBM, XB, goodness
from .sorting import sort_pairs
from .standing import costs_suffice, proof_stands, prove_by_floors
from .state import APART, DISTANCE, LIVE, PAIR, TOPS, TRIAL, State
from .tops import survey
from .ward_path import path_costs
from .ward_tree import follow_changes

# How often a path is looked at before floors are computed anew, which takes as long as some.
PATIENCE, GREATEST_PATIENCE = 3, 1023
# Floors so many times as high as is needed will do for a while.
AMPLE = 1.01
# If they are not, they are not let grow again for so many samples; longer every time.
PAUSE, LONGEST_PAUSE = 8, 1024


@jit
def no_merger_helps(s: State, w: int, mergers: int, best: float) -> bool:
    """Proof that no partition that is up to so many mergers away is better than `best`.

    Cached bounds may be old: where they do not do, the least cost is made exact, then floors are
    looked for, then the whole path is.
    """
    if best == math.inf:
        return True
    # Anything may be better than what is undefined, or as bad as can be.
    if not best > -math.inf or s.params[0]["prove"] == 0:
        return False
    if s.family == CH and w == LIVE:
        return no_stage_wins(s, mergers, best)
    if merger_bound_holds(s, w, mergers, best):
        return True
    if s.family == PBM or s.family == DB:
        for c in range(s.now[w]["k"]):  # their greatest distances, too
            tighten_bounds(s, w, c)
    else:
        find_least_cost(s, w)
    if merger_bound_holds(s, w, mergers, best):
        return True
    return w == LIVE and s.family != DB and higher_floors_hold(s, mergers, best)


@jit
def no_stage_wins(s: State, mergers: int, best: float) -> bool:
    """The same of the live partition with CH and WB, `best` being its goodness."""
    k, now = s.now[LIVE]["k"], s.now[LIVE]
    if mergers == 1:
        if costs_suffice(s, k - 1, best, now["least"] * (1.0 - SLACK)):
            return True
        return costs_suffice(s, k - 1, best, find_least_cost(s, LIVE) * (1.0 - SLACK))
    if proof_stands(s, best, now["least"] * (1.0 - SLACK)):
        return True
    now["least"] = s.clu[LIVE, lowest_cluster(s, LIVE)]["least"]
    if proof_stands(s, best, now["least"] * (1.0 - SLACK)):
        return True
    if some_merger_helps(s, best):
        return False
    find_least_cost(s, LIVE)
    if proof_stands(s, best, now["least"] * (1.0 - SLACK)):
        return True
    if grown_floors_hold(s, mergers, best):
        return True
    # The path of all mergers says nothing of one that leaves some out.
    path_tells = s.matrix.shape[1] <= APART
    if path_tells and s.now[0]["wait"] > 0 and follow_changes(s):
        s.now[0]["wait"] -= 1
        return path_loses(s, best)
    raise_by_costs(s)
    if merger_bound_holds(s, LIVE, mergers, best) or higher_floors_hold(s, mergers, best):
        return True
    return path_tells and path_loses(s, best)


@jit
def some_merger_helps(s: State, best: float) -> bool:
    """CH, WB: is the live partition better with any two of its clusters as one?"""
    k, within = s.now[LIVE]["k"], s.now[LIVE]["within"]
    while True:
        lowest = lowest_cluster(s, LIVE)
        if value_of(s, k - 1, within + s.clu[LIVE, lowest]["least"] * (1.0 - SLACK), 0.0) <= best:
            return False
        before = s.clu[LIVE, lowest]["least"]
        tighten_bounds(s, LIVE, lowest)
        least = s.clu[LIVE, lowest]["least"]
        if value_of(s, k - 1, within + least, 0.0) > best:
            return True
        if least <= before:
            return False


@jit
def rest_loses(s: State, w: int, best: float) -> bool:
    """The same for the whole rest of a walk, with bounds as they are."""
    if not best > -math.inf or s.params[0]["prove"] == 0:
        return False
    return merger_bound_holds(s, w, s.now[w]["k"] - 2, best)


@jit
def find_least_cost(s: State, w: int) -> float:
    """Tighten bounds of costs until the lowest of all is exact."""
    while True:
        lowest = lowest_cluster(s, w)
        least = s.clu[w, lowest]["least"]
        tighten_bounds(s, w, lowest)
        if s.clu[w, lowest]["least"] <= least * (1.0 + SLACK):
            s.now[w]["least"] = least
            return s.clu[w, lowest]["least"]


@jit
def grown_floors_hold(s: State, mergers: int, best: float) -> bool:
    """CH, WB: floors as they are with the data that has come (`growing_floors`), and by costs."""
    now = s.now[0]
    if now["anchors"] == 0 or now["n"] < now["next_growth"]:
        return False
    raise_by_costs(s)
    let_floors_grow(s)
    holds = merger_bound_holds(s, LIVE, mergers, best)
    if holds and now["sure_ratio"] >= AMPLE:
        now["growth_pause"] = PAUSE
    else:
        now["next_growth"] = now["n"] + now["growth_pause"]
        now["growth_pause"] = min(max(2 * now["growth_pause"], PAUSE), LONGEST_PAUSE)
    return holds


@jit
def higher_floors_hold(s: State, mergers: int, best: float) -> bool:
    """Floors anew, as far as needed. That costs some paths; if in vain, it is tried less often."""
    now = s.now[0]
    if now["wait"] > 0:
        now["wait"] -= 1
        return False
    now["floor_renewals"] += 1
    holds = False
    for effort in range(EFFORTS):
        renew_floors(s, effort)
        holds = merger_bound_holds(s, LIVE, mergers, best)
        # With many groups, only costs tell.
        ample = now["sure_ratio"] >= AMPLE or 2 * now["tightest"] > s.now[LIVE]["k"]
        if holds and (ample or s.family != CH):
            break
    now["patience"] = PATIENCE if holds else min(2 * now["patience"] + 1, GREATEST_PATIENCE)
    now["wait"] = now["patience"]
    return holds


@jit
def path_loses(s: State, best: float) -> bool:
    """CH, WB: proof that no stage of the path of Ward's mergers is better, by all its costs."""
    within, k = s.now[LIVE]["within"], s.now[LIVE]["k"]
    mergers = path_costs(s)
    for t in range(mergers):
        within += s.matrix[TRIAL, PAIR, 0, t] * (1.0 - SLACK)
        if value_of(s, k - 1 - t, within, 0.0) > best:
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
    k, far = s.now[w]["k"], 0.0
    cost = s.clu[w, lowest_cluster(s, w)]["least"] * (1.0 - SLACK)
    if s.family == CH and w == LIVE:
        return prove_by_floors(s, best, cost)
    if s.family != CH and s.family != CONN:
        for c in range(k):
            far = max(far, s.clu[w, c]["far"])
        far *= 1.0 + SLACK
    if s.family == DB:
        return cost + 2.0 * least_spread(s, w) * (1.0 - SLACK) >= -best * far
    last = max(k - mergers, 2)
    if s.family == XB:
        return near_pairs_remain(s, w, last, best, cost, far) or hub_stays_near(
            s, s.top, w, best, far
        )
    if w == LIVE:
        # By the costs alone, the question is concave in the number of mergers: the first and the
        # last stage answer for all between.
        within = s.now[w]["within"]
        first = value_of(s, k - 1, within + cost, far)
        if first <= best and value_of(s, last, within + (k - last) * cost, far) <= best:
            return True
    for left in range(last, k):
        if value_of(s, left, least_within(s, w, left, cost), far) > best:
            return False
    return True


@jit
def least_spread(s: State, w: int) -> float:
    """Of all clusters."""
    least = math.inf
    for c in range(s.now[w]["k"]):
        least = min(least, spread(s.clu[w, c]["n"], s.clu[w, c]["cp"], s.now[0]["cp"]))
    return least


@jit
def near_pairs_remain(s: State, w: int, last: int, best: float, cost: float, far: float) -> bool:
    """XB: after t mergers, some pair is nearer than a better index value would need."""
    k, clu, taken, distance = s.now[w]["k"], s.clu[w], 0, 0.0
    if best == 0.0:  # the best value that there is
        return True
    for c in range(k):
        clu[c]["into_a"] = 0.0  # 1 when taken
    exhausted, averages_known = False, False
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
        if exhausted or distance > needed:
            if w == LIVE and not averages_known:
                average_distances(s)
                averages_known = True
            average = (s.now[0]["cp"] - within) * s.clu[LIVE, k - t]["average"]
            if needed < average * (1.0 + SLACK):
                return False
    return True


@jit
def average_distances(s: State) -> None:
    r"""``average`` of row `left`: what BGSS of so many groups is to be multiplied with to bound the
    least distance between two of them.

    :math:`\sum_{g<h} n_g n_h D_{gh} = n\cdot BGSS`, and the sum of the products is least when all
    groups but one are the smallest clusters. So it is for groups of the clusters of a walk, which
    begins only where this was asked for and did not do.
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
        clu[left]["average"] = n / products


@jit
def cluster_may_go(s: State, c: int) -> bool:
    """Might the partition be better if cluster c were merged with another one?"""
    if s.family != CH and s.family != CONN:
        return True
    return if_cheapest_merged(s, LIVE, c, 0.0) > s.now[LIVE]["goodness"]


@jit
def any_cluster_may_go(s: State) -> bool:
    """The same of any cluster, by the bound of all their costs."""
    if s.family != CH and s.family != CONN:
        return True
    within = s.now[LIVE]["within"] + s.now[LIVE]["least"] * (1.0 - SLACK)
    return value_of(s, s.now[LIVE]["k"] - 1, within, 0.0) > s.now[LIVE]["goodness"]


@jit
def if_cheapest_merged(s: State, w: int, c: int, peak: float) -> float:
    """At most so good is the partition with cluster c and another as one, and this peak."""
    within = s.now[w]["within"] + s.clu[w, c]["least"] * (1.0 - SLACK)
    return value_of(s, s.now[w]["k"] - 1, within, peak)


@jit
def if_merged(
    s: State, top: Floats, w: int, i: int, j: int, peak: float, far: float, bar: float
) -> float:
    """At most so good is the partition with clusters i and j as one (PBM, XB, DB).

    `peak` is the greatest pair quantity, `far` the greatest squared distance. Of a partition that
    is worse than `bar`, no more is asked than is needed to know that.
    """
    code, clu, cost = code_of(s), s.clu[w], ward_cost(s, w, i, j)
    together = clu[i]["n"] + clu[j]["n"]
    if s.family == DB:  # no R is less than the spread of the result over the greatest distance
        k = s.now[w]["k"] - 1
        total = k * (clu[i]["cp"] + clu[j]["cp"] + cost) / together / far
        return goodness(code, k, 0.0, 0.0, 0.0, 0.0, total, 0.0)
    k, within = s.now[w]["k"] - 1, s.now[w]["within"] + cost
    if s.family == PBM:
        return value_of(s, k, within, far)
    nearest_goes = top[w, i, 0] == peak or top[w, j, 0] == peak
    if nearest_goes:
        peak = -far
    value = value_of(s, k, within, peak)
    if not rules_out(s, value, bar):
        share = clu[j]["n"] / float(together)
        peak = max(peak, -distance_from_nearest(s, top, w, i, j, i, share) * (1.0 + SLACK))
        peak = max(peak, -distance_from_nearest(s, top, w, i, j, j, share) * (1.0 + SLACK))
        value = value_of(s, k, within, peak)
    if nearest_goes and not rules_out(s, value, bar):
        peak = max(peak, survey(s, top, w, i, j, math.nan, math.nan)[0])
        value = value_of(s, k, within, peak)
    return value


@jit
def distance_from_nearest(
    s: State, top: Floats, w: int, i: int, j: int, which: int, share: float
) -> float:
    """XB: of clusters i and j as one from those other clusters that are nearest to one of them.

    A merger brings means nearer to others than they were, which is what it costs mostly.
    """
    matrix, nearest = s.matrix[w, DISTANCE], math.inf
    for place in range(TOPS):
        other = int(top[w, which, TOPS + place])
        if other >= 0 and other not in (i, j):
            distance = on_the_line(share, matrix[i, other], matrix[j, other], matrix[i, j])
            if distance < nearest:  # not if it is unknown
                nearest = distance
    return nearest


@jit
def highest_cost(s: State, w: int, bar: float, peak: float, far: float) -> float:
    """A merger that costs more is worse than `bar`, if it leaves the nearest pair as it is (XB).

    The formulas of PBM and XB solved for WGSS; infinite where that says nothing.
    """
    k, scatter = s.now[w]["k"] - 1, s.now[0]["cp"]
    within = math.inf
    if s.params[0]["prove"] == 1:
        if s.family == PBM and bar > 0.0:
            within = scatter * far / (k * math.sqrt(bar))
        elif s.family == XB and -math.inf < bar < 0.0:
            within = bar * s.now[0]["n"] * peak
    return within * (1.0 + 2.0 * SLACK) - s.now[w]["within"]


@jit
def distance_needed(s: State, bar: float) -> float:
    """XB: a partition reaches `bar` only if no two means are nearer than WGSS times this."""
    if s.family == XB and s.params[0]["prove"] == 1 and bar < 0.0:
        return (1.0 - 2.0 * SLACK) / (s.now[0]["n"] * -bar)
    return 0.0


@jit
def comes_too_near(
    s: State, top: Floats, w: int, i: int, j: int, cost: float, needed: float
) -> bool:
    """XB: proof that clusters i and j as one are nearer to another than `distance_needed` says."""
    if needed == 0.0:
        return False
    least = (s.now[w]["within"] + cost) * needed
    share = s.clu[w, j]["n"] / float(s.clu[w, i]["n"] + s.clu[w, j]["n"])
    if distance_from_nearest(s, top, w, i, j, i, share) < least:
        return True
    return distance_from_nearest(s, top, w, i, j, j, share) < least
