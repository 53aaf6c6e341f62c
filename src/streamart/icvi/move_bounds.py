r"""Proofs that a category is not better off in another cluster.

Category p, of n samples, moves from its cluster h, which has others left, to cluster t. Then

.. math:: \mu_h' = \mu_h + \omega(\mu_h-\mu_p),\quad \omega=\tfrac{n}{n_h-n},\qquad
          \mu_t' = \mu_t + \sigma(\mu_p-\mu_t),\quad \sigma=\tfrac{n}{n_t+n}

and no other mean moves. WGSS falls by the *gain* of leaving and grows by the *loss* of joining,
both known from the distances :math:`a = \|\mu_p-\mu_h\|` and :math:`b = \|\mu_p-\mu_t\|` (their
squares in the code). CH and WB rise only if it falls. The others besides:

- PBM rises if the greatest distance grows by more than WGSS. The mean of h moves by
  :math:`\omega a`. A distance is convex, so from another mean c it is at most
  :math:`(1-\sigma)\|\mu_c-\mu_t\| + \sigma(\|\mu_c-\mu_h\|+a)` to the new mean of t.
- XB rises if the least distance grows by more than WGSS. It does not while the nearest pair is
  neither h nor t; otherwise the new distance of that pair is computed, and bounds it. So does the
  distance of any other pair without h and t: of three disjoint ones (`find_nearest_pairs`) there is
  one. And where most of h goes to t, it brings t near to those that h was near to.
- DB is a sum over clusters of the greatest R of each: `sum_bounds`.

The only category of a cluster takes it along, which is a merger.
"""

import math

from .._jit import jit
from .._typing import Floats
from .bounds import value_of
from .compare import NOTHING, SLACK
from .footprints import squared_distance
from .length_bounds import off_of, rest_of
from .moved_means import between_moved, from_moved_home, from_moved_target
from .registry import DB, PBM, XB
from .state import DISTANCE, LIVE, MEAN, TOPS, WITH_B, State
from .sum_bounds import distance_at_hand, least_change
from .tops import rival_without
from .weighing import aside_at_most, gain_of, loss_of
from .widening import widened_sum

# Of three disjoint pairs of clusters, one is without any two given clusters.
NEAR_PAIRS = 3


@jit
def distances_at_hand(s: State, p: int, target: int) -> tuple[float, float]:
    """Squared distance of category p from its cluster at most, and from `target` at least.

    From its `gain` and the triangle, without a look at the means.
    """
    home, a = s.label[LIVE, p], distance_at_hand(s, p)
    from_target = max(math.sqrt(s.matrix[LIVE, DISTANCE, home, target]) - math.sqrt(a), 0.0)
    return a, from_target * from_target * (1.0 - SLACK)


@jit
def prepare(s: State, top: Floats) -> None:
    """What the proofs below need to know of each cluster, as long as none changes."""
    k, clu = s.now[LIVE]["k"], s.clu[LIVE]
    if s.family == PBM:
        for c in range(k):
            clu[c]["reach"] = math.sqrt(top[LIVE, c, 0])
    if s.family == XB:
        find_nearest_pairs(s, top)


@jit
def no_move_helps(
    s: State, top: Floats | None, p: int, target: int, peak: float, limit: float
) -> bool:
    """Proof that with category p, one of several, in `target` the index is not above `limit`.

    That is what it is now, or what another move makes it, less what rounding may do.
    """
    if top is None:
        saved = gain_of(s, p) * (1.0 + SLACK) - loss_of(s, p, target)
        within = s.now[LIVE]["within"] - saved
        return saved <= 0.0 or value_of(s, s.now[LIVE]["k"], within, 0.0) <= limit
    good, home = s.now[LIVE]["goodness"], s.label[LIVE, p]
    if not good > -math.inf:
        return False
    n, n_home, n_target = s.cat[p]["n"], s.clu[LIVE, home]["n"], s.clu[LIVE, target]["n"]
    away, share = n / float(n_home - n), n / float(n_target + n)
    if s.family == XB:
        a = s.cat[p]["gain"] / (n_home * away)
    else:
        a = squared_distance(s.box[MEAN, p], s.mean[LIVE, home])
    b = squared_distance(s.box[MEAN, p], s.mean[LIVE, target])
    within = s.now[LIVE]["within"] + (n_target * share * b - n_home * away * a)
    if s.family == XB:
        shortest = shortest_after(s, top, p, target, -peak, away, share, a, b)
        if value_of(s, s.now[LIVE]["k"], within, -shortest) <= limit:
            return True
        shortest = shortest_around(s, top, p, target, shortest, away, share, a, b)
        return value_of(s, s.now[LIVE]["k"], within, -shortest) <= limit
    if s.family == DB:
        spare, (near, off) = spare_of(s, limit, 0), distances_at_hand(s, p, target)
        change = least_change(s, top, p, target, near, off, False)[1]
        if change >= -spare or change + widened_sum(s, top, p, target, near, off) >= -spare:
            return True
        change = least_change(s, top, p, target, a, b, True)[1]
        return change + widened_sum(s, top, p, target, a, b) >= -spare
    for exactly in (False, True):
        longest = longest_after(s, p, target, away, share, a, b, exactly)
        if value_of(s, s.now[LIVE]["k"], within, max(peak, longest)) <= limit:
            return True
    return False


@jit
def spare_of(s: State, limit: float, fewer: int) -> float:
    """DB: by so much the sum of maxima may fall without the index exceeding `limit`.

    `fewer`: so many clusters there would be less.
    """
    k, good = s.now[LIVE]["k"], s.now[LIVE]["goodness"]
    return (k - fewer) * limit - k * good * (1.0 - SLACK)


# ------------------------------------------------------------------ PBM: the greatest distance


@jit
def longest_stays(s: State, p: int, target: int, longest: float) -> bool:
    """PBM: proof, from what is known, that no two means are farther apart after a move than this.

    `gain` tells how far category p is from the mean of its cluster.
    """
    home, n = s.clu[LIVE, s.label[LIVE, p]], s.cat[p]["n"]
    away, share = n / float(home["n"] - n), n / float(s.clu[LIVE, target]["n"] + n)
    a = math.sqrt(s.cat[p]["gain"] / (home["n"] * away))
    from_target = (1.0 - share) * s.clu[LIVE, target]["reach"]
    reach = max(
        home["reach"] + away * a,
        from_target + share * (home["reach"] + a),
        from_target + (share + away) * a,
    )
    return reach * (1.0 + SLACK) <= longest


@jit
def longest_after(
    s: State, p: int, target: int, away: float, share: float, a: float, b: float, exactly: bool
) -> float:
    """PBM: no squared distance from the two clusters is greater after the move.

    `exactly`: those of p, and of what it leaves behind, from all other means are computed.
    """
    home = s.label[LIVE, p]
    reach_home, reach_target = s.clu[LIVE, home]["reach"], s.clu[LIVE, target]["reach"]
    rest, off = reach_home + away * math.sqrt(a), reach_home + math.sqrt(a)
    rest, off = rest * rest, off * off
    if exactly:
        rest, off = rest_of(s, p), off_of(s, p)
    between = between_moved(away, share, s.matrix[LIVE, DISTANCE, home, target], a, b)
    by_triangle = (1.0 - share) * reach_target + share * math.sqrt(off)
    by_stewart = (1.0 - share) * (reach_target * reach_target - share * b) + share * off
    longest = max(rest, between, min(by_triangle * by_triangle, by_stewart))
    return longest * (1.0 + SLACK)


# ------------------------------------------------------------------ XB: the least distance


@jit
def find_nearest_pairs(s: State, top: Floats) -> None:
    """XB: near pairs without a cluster in common, the nearest first, in the first rows of `pair`.

    Each is the nearest of those that the three nearest of each cluster tell of.
    """
    clu = s.clu[LIVE]
    for row in range(NEAR_PAIRS):
        clu[row]["apart"] = math.inf
    for row in range(NEAR_PAIRS):
        least = math.inf
        for c in range(s.now[LIVE]["k"]):
            if -top[LIVE, c, 0] >= least or is_in_pair(s, row, c):
                continue
            for place in range(TOPS):
                other = int(top[LIVE, c, TOPS + place])
                if other < 0 or -top[LIVE, c, place] >= least:
                    break
                if not is_in_pair(s, row, other):
                    clu[row]["pair_i"] = c
                    clu[row]["pair_j"] = other
                    least = -top[LIVE, c, place]
                    break
        clu[row]["apart"] = least


@jit
def is_in_pair(s: State, rows: int, c: int) -> bool:
    """Is cluster c in one of so many pairs?"""
    for row in range(rows):
        if c in (s.clu[LIVE, row]["pair_i"], s.clu[LIVE, row]["pair_j"]):
            return True
    return False


@jit
def shortest_of_others(s: State, one: int, two: int) -> float:
    """XB: some squared distance is at most this whatever happens to these two clusters."""
    for row in range(NEAR_PAIRS):
        pair = s.clu[LIVE, row]
        if pair["apart"] == math.inf:
            break
        if pair["pair_i"] not in (one, two) and pair["pair_j"] not in (one, two):
            return float(pair["apart"])
    return math.inf


@jit
def price_of_distance(s: State, limit: float) -> float:
    """XB: the index is not above `limit` if WGSS is at least this times some squared distance, and
    more than nothing. Infinite if there is no such limit."""
    return -limit * s.now[0]["n"] * (1.0 + SLACK) if -math.inf < limit < 0.0 else math.inf


@jit
def is_dear(s: State, price: float, within: float, apart: float) -> bool:
    """XB: proof by `price_of_distance`."""
    something = 2.0 * NOTHING * s.now[0]["cp"]
    return bool(price < math.inf and within >= price * apart and within > something)


@jit
def scatter_needed(s: State, price: float) -> float:
    """XB: with a WGSS that is as great as this, no single move helps.

    Of three disjoint pairs, two at most are touched.
    """
    if price == math.inf:
        return price
    needed = price * s.clu[LIVE, NEAR_PAIRS - 1]["apart"]
    return float(max(needed, 4.0 * NOTHING * s.now[0]["cp"]))


@jit
def newcomer_draws(s: State, q: int, target: int, other: int, price: float) -> bool:
    """XB: proof that category q, one of several, is no better off in one of the nearest two.

    It does not draw that so far away from the other one, which is neither q's own. At hand are how
    far q is `aside`, its `gain`, and distances between means.
    """
    matrix, home, n = s.matrix[LIVE, DISTANCE], s.label[LIVE, q], s.cat[q]["n"]
    n_target, off = s.clu[LIVE, target]["n"], aside_at_most(s, q)
    share = n / float(n_target + n)
    b = max(math.sqrt(matrix[target, home]) - off, 0.0)
    from_q = math.sqrt(matrix[other, home]) + off
    grows = (1.0 - share) * matrix[target, other] + share * from_q * from_q
    apart = grows * (1.0 + SLACK) - share * (1.0 - share) * b * b
    within = s.now[LIVE]["within"] + n_target * share * b * b * (1.0 - SLACK)
    return is_dear(s, price, within - s.cat[q]["gain"], apart)


@jit
def note_hopeful_targets(s: State, top: Floats, p: int, price: float) -> bool:
    """XB: leaves in ``with_b`` 1 for each cluster that category p, one of several, might help in.

    Wherever p goes, it draws that cluster towards itself, and towards the one nearest to its own.
    For that one itself this says nothing. Returns whether there are others.
    """
    home, n, found = s.label[LIVE, p], float(s.cat[p]["n"]), False
    near, off = int(top[LIVE, home, TOPS]), aside_at_most(s, p)
    from_near, clu = from_nearest(s, top, p) * (1.0 + SLACK), s.clu[LIVE]
    from_home, to_near = s.matrix[LIVE, DISTANCE, home], s.matrix[LIVE, DISTANCE, near]
    within = s.now[LIVE]["within"] - s.cat[p]["gain"]
    closer = 2.0 * off * math.sqrt(clu[home]["far"])
    for t in range(s.now[LIVE]["k"]):
        share = n / (clu[t]["n"] + n)
        b = max(from_home[t] - closer, 0.0) * (1.0 - SLACK)
        grows = (1.0 - share) * to_near[t] + share * from_near
        apart = grows * (1.0 + SLACK) - share * (1.0 - share) * b
        useless = is_dear(s, price, within + clu[t]["n"] * share * b, apart)
        s.each[WITH_B, t] = 0.0 if useless else 1.0
        found = found or not (useless or t in (home, near))
    s.each[WITH_B, near] = 1.0
    return found


@jit
def scatter_rules_out(s: State, top: Floats, p: int, target: int, limit: float) -> bool:
    """XB: proof, from what is at hand, that WGSS grows too much for what the distance gains."""
    home, n, matrix = s.label[LIVE, p], s.cat[p]["n"], s.matrix[LIVE, DISTANCE]
    n_home, n_target = s.clu[LIVE, home]["n"], s.clu[LIVE, target]["n"]
    share, (a, b) = n / float(n_target + n), distances_at_hand(s, p, target)
    within = s.now[LIVE]["within"] + n_target * share * b - s.cat[p]["gain"]
    shortest = shortest_of_others(s, home, target)
    for c in (rival_without(top, LIVE, home, target), rival_without(top, LIVE, target, home)):
        if c >= 0:
            from_p = math.sqrt(matrix[home, c]) + math.sqrt(a)
            after = from_moved_target(share, matrix[target, c], b, from_p * from_p)
            shortest = min(shortest, after)
    c = int(top[LIVE, home, TOPS])
    if c != target and off_is_known(s, p, c):
        away = n / float(n_home - n)
        shortest = min(shortest, from_moved_home(away, matrix[home, c], a, s.cat[p]["off"]))
    return value_of(s, s.now[LIVE]["k"], within, -shortest * (1.0 + SLACK)) <= limit


@jit
def off_is_known(s: State, p: int, c: int) -> bool:
    """XB: is `off` the squared distance of category p from the mean of cluster c?"""
    known = s.cat[p]["off_from"] == s.clu[LIVE, c]["version"]
    return bool(known and s.cat[p]["off"] >= 0.0)


@jit
def from_nearest(s: State, top: Floats, p: int) -> float:
    """XB: squared distance of category p from the mean that is nearest to that of its cluster."""
    c = int(top[LIVE, s.label[LIVE, p], TOPS])
    if not off_is_known(s, p, c):
        s.cat[p]["off"] = squared_distance(s.box[MEAN, p], s.mean[LIVE, c])
        s.cat[p]["off_from"] = s.clu[LIVE, c]["version"]
    return float(s.cat[p]["off"])


@jit
def rest_stays_near(s: State, top: Floats, p: int, limit: float) -> bool:
    """XB: proof that category p is no better off in any cluster but the nearest to its own.

    What it leaves behind is too near to that one for what WGSS falls by, wherever p goes.
    """
    home, n, loss = s.label[LIVE, p], s.cat[p]["n"], s.cat[p]["loss"]
    if loss < 0.0:
        return False
    n_home, near = s.clu[LIVE, home]["n"], -top[LIVE, home, 0]
    away, within = n / float(n_home - n), s.now[LIVE]["within"] - s.cat[p]["gain"] + loss
    a = s.cat[p]["gain"] / (n_home * away)
    distance = from_moved_home(away, near, a, from_nearest(s, top, p))
    return value_of(s, s.now[LIVE]["k"], within, -distance * (1.0 + SLACK)) <= limit


@jit
def shortest_after(
    s: State,
    top: Floats,
    p: int,
    target: int,
    shortest: float,
    away: float,
    share: float,
    a: float,
    b: float,
) -> float:
    """XB: after the move some squared distance is at most this; `shortest` is the least now."""
    home = s.label[LIVE, p]
    nearest, touched = shortest_of_others(s, home, target), False
    for moved in (home, target):
        if -top[LIVE, moved, 0] > shortest * (1.0 + SLACK):
            continue
        touched = True
        c = int(top[LIVE, moved, TOPS])
        near = s.matrix[LIVE, DISTANCE, moved, c]
        if c in (home, target):
            nearest = min(nearest, between_moved(away, share, near, a, b))
        elif moved == home:
            nearest = min(nearest, from_moved_home(away, near, a, from_nearest(s, top, p)))
        else:
            from_p = squared_distance(s.box[MEAN, p], s.mean[LIVE, c])
            nearest = min(nearest, from_moved_target(share, near, b, from_p))
    if not touched:
        return shortest
    c = int(top[LIVE, home, TOPS])
    if c != target:
        near, from_p = s.matrix[LIVE, DISTANCE, target, c], from_nearest(s, top, p)
        nearest = min(nearest, from_moved_target(share, near, b, from_p))
    return nearest * (1.0 + SLACK)


@jit
def shortest_around(
    s: State,
    top: Floats,
    p: int,
    target: int,
    shortest: float,
    away: float,
    share: float,
    a: float,
    b: float,
) -> float:
    """XB: the same, by all clusters that are known to be near to the two."""
    home = s.label[LIVE, p]
    nearest = between_moved(away, share, s.matrix[LIVE, DISTANCE, home, target], a, b)
    for place in range(TOPS):
        for moved in (home, target):
            c = int(top[LIVE, moved, TOPS + place])
            if c < 0 or c in (home, target):
                continue
            near = s.matrix[LIVE, DISTANCE, moved, c]
            from_p = squared_distance(s.box[MEAN, p], s.mean[LIVE, c])
            if moved == home:
                nearest = min(nearest, from_moved_home(away, near, a, from_p))
            else:
                nearest = min(nearest, from_moved_target(share, near, b, from_p))
    return min(shortest, nearest * (1.0 + SLACK))
