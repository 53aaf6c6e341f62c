r"""XB: the walk of mergers followed without making it: a proof that none of its stages is better.

On most walks one wide cluster, the *hub*, is the nearest one to all others, and takes in one after
the other. If cluster j joins the hub, of which it is a share :math:`\sigma` then, squared distances
r from the hub become

.. math:: r_c + \sigma(D_{jc}-r_c) - \sigma(1-\sigma)r_j

so all that is needed are r, the sizes, WGSS, and the distances of the live partition, which change
only if two others merge. `followed_mergers` says which merger is the best at every stage. The proof
holds if every choice is clear, beyond rounding, and no stage is better than what there is;
otherwise nothing is known.
"""

import math

from .._jit import jit
from .._typing import Floats
from .compare import SLACK
from .eigenvalues import dot
from .followed_mergers import (
    AFTER,
    CLEAR,
    COST,
    DEAR,
    FROM_HUB,
    GONE,
    NEIGHBOUR,
    NEXT,
    OFF,
    SIZE,
    Stage,
    best_merger,
    distances_after,
    find_nearest_pair,
    on_the_way,
)
from .hub_bounds import Hub, find_hub, hub_group_stays_near
from .hub_groupings import ALL_ROWS, no_grouping_around, note_sums, unite_sums
from .state import APART, DISTANCE, LIVE, PAIR, TOPS, TRIAL, State
from .tops import place_without

# Rounding errors of distances that add up on a walk are a small share of the greatest one; they are
# of no account while the least is at least so much of it.
NARROW = 0.01
# All groupings around the hub are looked at again when WGSS is so many times as great.
AGAIN = 1.06


@jit
def walk_loses(s: State, top: Floats | None, mergers: int) -> bool:
    """Proof that on the walk from the live partition no stage is better than it is.

    Up to so many mergers. If the first one is better, it is noted (`better_i`, `better_j`).
    """
    k, best = s.now[LIVE]["k"], s.now[LIVE]["goodness"]
    # With fewer clusters there is no room for what is noted, and nothing to be gained.
    if top is None or k < ALL_ROWS or s.matrix.shape[1] > APART:
        return False
    if s.params[0]["prove"] == 0 or not -math.inf < best < 0.0:
        return False
    hub, work, bar = find_hub(s, top, LIVE), s.matrix[TRIAL, PAIR], s.now[0]["n"] * -best
    far, w, rise = lay_out(s, top, hub), LIVE, 0.0
    summed, tried = -1.0, 0.0  # WGSS when sums were noted, and when they were last of no use
    own, within = float(s.clu[LIVE, hub]["n"]), s.now[LIVE]["within"]
    limit = bar * CLEAR * CLEAR if mergers == 1 else math.inf
    for left in range(k, max(k - mergers, 2), -1):
        nearest, second, third = three_nearest(work, k)
        near = work[FROM_HUB, nearest]
        apart, one, other = find_nearest_pair(s, w, -1, -1, math.inf)
        if not min(near, apart) > NARROW * far:
            return False
        if within >= bar * far * CLEAR:  # WGSS only grows
            return True
        if left < k and are_near_on_average(s, within, own):
            if rest_loses(s, within, own, near, apart, far):
                return True
            if within > AGAIN * tried:
                if summed < 0.0:
                    note_sums(s, w, own)
                    summed = within
                if no_grouping_around(s, within, own, near, apart, within - summed):
                    return True
                tried = within
        stage = Stage(w, within, own, rise, near, nearest, second, third, apart, one, other)
        value, i, j = best_merger(s, stage, limit)
        if mergers == 1 and value >= limit:  # nothing else is asked of a single one
            return True
        if j < 0 or value <= bar * CLEAR:
            if left == k and j >= 0 and value * CLEAR < bar:
                s.now[0]["better_i"] = min(hub if i < 0 else i, j)
                s.now[0]["better_j"] = max(hub if i < 0 else i, j)
            return False
        if i < 0:
            cost, more = take_in(s, w, j, own)
            own, rise = own + work[SIZE, j], rise + more
        else:
            if w == LIVE:
                copy_distances(s, k)
                w = TRIAL
            if summed >= 0.0:
                unite_sums(s, i, j)
            cost = unite(s, i, j)
        within += cost
        work[SIZE, j] = 0.0
        work[GONE, j] = math.inf
        for c in range(k):  # what its neighbour says is void
            if work[NEIGHBOUR, c] in (i, j):
                work[DEAR, c] = -math.inf
    return True


@jit
def lay_out(s: State, top: Floats, hub: int) -> float:
    """What is noted of clusters at the beginning; returns what no squared distance is above."""
    clu, work, far = s.clu[LIVE], s.matrix[TRIAL, PAIR], 0.0
    for c in range(s.now[LIVE]["k"]):
        far = max(far, clu[c]["far"])
        work[FROM_HUB, c] = s.matrix[LIVE, DISTANCE, hub, c]
        work[SIZE, c] = clu[c]["n"]
        work[GONE, c] = 0.0
        place = place_without(top, LIVE, c, hub)
        work[NEXT, c] = -top[LIVE, c, place]
        work[NEIGHBOUR, c] = top[LIVE, c, TOPS + place]
        work[COST, c] = 0.5 * work[SIZE, c] * work[NEXT, c] * (1.0 - SLACK)
        work[DEAR, c] = -math.inf
        work[OFF, c] = 0.0
    work[FROM_HUB, hub] = 0.0
    work[SIZE, hub] = 0.0
    work[GONE, hub] = math.inf
    return far * (1.0 + SLACK)


@jit
def three_nearest(work: Floats, k: int) -> tuple[int, int, int]:
    """To the hub; -1 where there is none."""
    a, b, c = -1, -1, -1
    first, second, third = math.inf, math.inf, math.inf
    for other in range(k):
        distance = work[FROM_HUB, other] + work[GONE, other]
        if distance < third:
            if distance < first:
                a, b, c = other, a, b
                first, second, third = distance, first, second
            elif distance < second:
                b, c = other, b
                second, third = distance, second
            else:
                c, third = other, distance
    return a, b, c


@jit
def are_near_on_average(s: State, within: float, own: float) -> bool:
    """Is the average distance from the hub less than is needed? If not, nothing is proven."""
    work, n = s.matrix[TRIAL, PAIR], float(s.now[0]["n"])
    total = dot(work[SIZE], work[FROM_HUB], s.now[LIVE]["k"])
    return bool(total * n * -s.now[LIVE]["goodness"] <= within * (n - own) * CLEAR)


@jit
def rest_loses(s: State, within: float, own: float, near: float, apart: float, far: float) -> bool:
    """Proof that whatever is merged from here on is no better than the live partition."""
    work, k, reach = s.matrix[TRIAL, PAIR], s.now[LIVE]["k"], 0.0
    fewest, most, total = math.inf, 0.0, dot(work[SIZE], work[FROM_HUB], k)
    for c in range(k):
        if work[GONE, c] == 0.0:
            reach = max(reach, work[FROM_HUB, c])
            fewest, most = min(fewest, work[SIZE, c]), max(most, work[SIZE, c])
    hub = Hub(own, near, apart, total, reach * (1.0 + SLACK), fewest, most)
    return hub_group_stays_near(s, hub, within, s.now[LIVE]["goodness"], far)


@jit
def take_in(s: State, w: int, j: int, own: float) -> tuple[float, float]:
    """Cluster j joins the hub; returns what that adds to WGSS, and to other distances at most."""
    work, k, rise = s.matrix[TRIAL, PAIR], s.now[LIVE]["k"], 0.0
    share = distances_after(k, work, s.matrix[w, DISTANCE, j], j, own)
    cost = own * share * work[FROM_HUB, j]
    work[AFTER, j] = 0.0
    for c in range(k):
        if work[GONE, c] == 0.0:
            rise = max(rise, work[AFTER, c] - work[FROM_HUB, c])
        work[FROM_HUB, c] = work[AFTER, c]
    return cost, rise


@jit
def copy_distances(s: State, k: int) -> None:
    """The trial partition has the distances of the live one, between those that are left."""
    for i in range(k):
        if s.matrix[TRIAL, PAIR, GONE, i] == 0.0:
            for j in range(k):
                s.matrix[TRIAL, DISTANCE, i, j] = s.matrix[LIVE, DISTANCE, i, j]


@jit
def unite(s: State, i: int, j: int) -> float:
    """Cluster j joins cluster i, neither being the hub; returns what that adds to WGSS."""
    work, matrix, least = s.matrix[TRIAL, PAIR], s.matrix[TRIAL, DISTANCE], math.inf
    both, length = work[SIZE, i] + work[SIZE, j], matrix[i, j]
    cost, share = work[SIZE, i] * work[SIZE, j] / both * length, work[SIZE, j] / both
    work[FROM_HUB, i] = on_the_way(share, work[FROM_HUB, i], work[FROM_HUB, j], length)
    work[SIZE, i] = both
    for c in range(s.now[LIVE]["k"]):
        if work[GONE, c] == 0.0 and c not in (i, j):
            between, size = on_the_way(share, matrix[i, c], matrix[j, c], length), work[SIZE, c]
            matrix[i, c] = between
            matrix[c, i] = between
            if between < work[NEXT, c] or int(work[NEIGHBOUR, c]) == i:
                work[NEXT, c] = min(work[NEXT, c], between)
                work[NEIGHBOUR, c] = i if between == work[NEXT, c] else j
            if between < least:
                least = between
                work[NEIGHBOUR, i] = c
            price = size * both / (size + both) * between * (1.0 - SLACK)
            work[COST, c] = min(work[COST, c], price)
            work[DEAR, c] = min(work[DEAR, c], price)
    work[NEXT, i] = least
    work[COST, i] = 0.5 * both * least * (1.0 - SLACK)
    work[DEAR, i] = -math.inf
    return float(cost)
