r"""XB: the walk of mergers followed without making it: a proof that none of its stages is better.

On most walks one wide cluster, the *hub*, is the nearest one to all others, and takes in one after
the other. With :math:`V = WGSS/\min D` a stage is the better the lower V is. If cluster j joins the
hub, of which it is a share :math:`\sigma` then, squared distances r from the hub become

.. math:: r_c + \sigma(D_{jc}-r_c) - \sigma(1-\sigma)r_j

so all that is needed are r, the sizes, WGSS, and the distances of the live partition, which change
only if two others merge. Which merger is the best is mostly told by bounds:

- whatever the hub takes in, some of its three nearest clusters stays, and says how good V can be;
- two others as one, i and j with a share :math:`\sigma` of j, are from the hub
  :math:`q = r_i+\sigma(r_j-r_i)-\sigma(1-\sigma)D_{ij}`, and its nearest cluster stays: what that
  costs says that most need not be asked about. A pair is looked at with the smaller of the two,
  to which it costs at least :math:`\tfrac12 n_i\min D_i`.

Those that might be the best are computed. The proof holds if every choice is clear, beyond
rounding, and no stage is better; otherwise nothing is known. It has nothing to do with a walk on
which the least distance is not the hub's.
"""

import math

from .._jit import jit, jit_sums
from .._typing import Floats
from .compare import SLACK
from .hub_bounds import Hub, find_hub, hub_group_stays_near, least_without
from .state import APART, DISTANCE, LIVE, PAIR, TOPS, TRIAL, State

# With fewer clusters there is no room for these rows, and nothing to be gained:
# squared distances from the hub; sizes; 0, or infinite for the hub and those that are gone; what it
# costs at least to merge it with another one that is no smaller, nor the hub; V if the hub takes it
# in; distances from the hub then; and what was found out of mergers with others: they cost more
# than DEAR, or are no farther from the hub than Q + UNIT cost, if no distance from there has grown
FROM_HUB, SIZE, GONE, COST, LOW, AFTER, DEAR, Q, UNIT = range(9)
LEAST_CLUSTERS = 9
# That is asked of so much dearer ones, and of so much nearer ones, than is needed at the time.
DEARER, NEARER = 1.1, 0.99
# Rounding errors of distances that are added up on a walk are a small share of the greatest one;
# they are of no account if the least is at least so much of it.
NARROW = 0.01
CLEAR = 1.0 + 2.0 * SLACK


@jit
def walk_loses(s: State, top: Floats | None) -> bool:
    """Proof that on the walk from the live partition no stage is better than it is."""
    k, best, n = s.now[LIVE]["k"], s.now[LIVE]["goodness"], float(s.now[0]["n"])
    if top is None or k < LEAST_CLUSTERS or s.matrix.shape[1] > APART:
        return False
    if s.params[0]["prove"] == 0 or not -math.inf < best < 0.0:
        return False
    hub, left, w, work = find_hub(s, top, LIVE), k, LIVE, s.matrix[TRIAL, PAIR]
    far, apart = lay_out(s, top, hub), least_without(s, top, LIVE, hub)
    own, within, bar = float(s.clu[LIVE, hub]["n"]), s.now[LIVE]["within"], n * -best
    rise = 0.0
    while left > 2:
        nearest, second, third = three_nearest(work, k)
        near = work[FROM_HUB, nearest]
        if near >= apart * (1.0 - SLACK):
            apart = least_between(s, w, k)
        if near >= apart * (1.0 - SLACK) or not near > NARROW * far:
            return False
        if within >= bar * far * CLEAR:  # WGSS only grows
            return True
        if left < k and rest_loses(s, within, own, near, apart, far):
            return True
        value, i, j = best_merger(s, w, within, own, rise, nearest, second, third)
        if j < 0 or value <= bar * CLEAR:
            return False
        if i < 0:
            cost, more = take_in(s, w, j, own)
            within, own, rise = within + cost, own + work[SIZE, j], rise + more
        else:
            if w == LIVE:
                copy_distances(s, k)
                w = TRIAL
            cost, near = unite(s, i, j)
            within, apart = within + cost, min(apart, near)
        work[SIZE, j] = 0.0
        work[GONE, j] = math.inf
        left -= 1
    return True


@jit
def lay_out(s: State, top: Floats, hub: int) -> float:
    """The rows at the beginning; returns what no squared distance is above."""
    clu, work, far = s.clu[LIVE], s.matrix[TRIAL, PAIR], 0.0
    for c in range(s.now[LIVE]["k"]):
        far = max(far, clu[c]["far"])
        work[FROM_HUB, c] = s.matrix[LIVE, DISTANCE, hub, c]
        work[SIZE, c] = clu[c]["n"]
        work[GONE, c] = 0.0
        near = -top[LIVE, c, 1 if int(top[LIVE, c, TOPS]) == hub else 0]
        work[COST, c] = 0.5 * clu[c]["n"] * near * (1.0 - SLACK)
        work[DEAR, c] = -math.inf
        work[Q, c] = 0.0
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
def least_between(s: State, w: int, k: int) -> float:
    """The least squared distance between two that are left, neither being the hub."""
    work, least = s.matrix[TRIAL, PAIR], math.inf
    for i in range(k):
        if work[GONE, i] == 0.0:
            for j in range(i):
                if work[GONE, j] == 0.0:
                    least = min(least, s.matrix[w, DISTANCE, i, j])
    return least


@jit
def rest_loses(s: State, within: float, own: float, near: float, apart: float, far: float) -> bool:
    """Proof that whatever is merged from here on is no better than the live partition."""
    work, k, n, reach = s.matrix[TRIAL, PAIR], s.now[LIVE]["k"], float(s.now[0]["n"]), 0.0
    fewest, most, total = math.inf, 0.0, sum_of_products(k, work[SIZE], work[FROM_HUB])
    # On average they are too far for that (the first question of `hub_group_stays_near`).
    if total * n * -s.now[LIVE]["goodness"] > within * (n - own) * CLEAR:
        return False
    for c in range(k):
        if work[GONE, c] == 0.0:
            reach = max(reach, work[FROM_HUB, c])
            fewest, most = min(fewest, work[SIZE, c]), max(most, work[SIZE, c])
    hub = Hub(own, near, apart, total, reach * (1.0 + SLACK), fewest, most)
    return hub_group_stays_near(s, hub, within, s.now[LIVE]["goodness"], far)


@jit_sums
def sum_of_products(k: int, a: Floats, b: Floats) -> float:
    total = 0.0
    for c in range(k):
        total += a[c] * b[c]
    return total


# ------------------------------------------------------------------ the best merger


@jit
def best_merger(
    s: State,
    w: int,
    within: float,
    own: float,
    rise: float,
    nearest: int,
    second: int,
    third: int,
) -> tuple[float, int, int]:
    """V after the best merger, and which two: -1 for the hub; both -1 if that is not clear."""
    k, work = s.now[LIVE]["k"], s.matrix[TRIAL, PAIR]
    first, runner_up = bound_mergers(s, w, within, own, nearest, second, third), math.inf
    at_j, value = first, if_taken_in(s, w, first, within, own)
    for j in range(k):
        if j != first and work[LOW, j] <= value * CLEAR:
            other = if_taken_in(s, w, j, within, own)
            if other < value:
                at_j, runner_up, value = j, value, other
            else:
                runner_up = min(runner_up, other)
    value, runner_up, at_i, at_j = best_of_others(
        s, w, within, rise, (value, runner_up, -1, at_j), nearest, second, third
    )
    if runner_up <= value * CLEAR or not value < math.inf:
        return value, -1, -1
    return value, at_i, at_j


@jit
def best_of_others(
    s: State,
    w: int,
    within: float,
    rise: float,
    best: tuple[float, float, int, int],
    nearest: int,
    second: int,
    third: int,
) -> tuple[float, float, int, int]:
    """The best merger and V of the next best, given those of the hub: V, V, and which two."""
    k, work = s.now[LIVE]["k"], s.matrix[TRIAL, PAIR]
    cost, near = work[COST], work[FROM_HUB, nearest]
    # The nearest one goes, if it merges: then another one stays, which is farther away.
    stays = work[FROM_HUB, third] if third >= 0 else math.inf
    work[GONE, nearest] = math.inf
    unit, row = 1.0 / (best[0] * CLEAR), s.matrix[w, DISTANCE, nearest]
    found = count_hopeful(k, work, row, nearest, 0.0, stays / unit - within, within * unit, unit)
    work[GONE, nearest] = 0.0
    if found > 0:
        best = best_with(s, w, nearest, nearest, second, third, within, best)
    for i in range(k):
        most, unit = best[0] * CLEAR * near - within, 1.0 / (best[0] * CLEAR)
        if work[GONE, i] > 0.0 or i == nearest or cost[i] > most:
            continue
        if most <= work[DEAR, i]:
            more = work[DEAR, i] * max(work[UNIT, i] - unit, 0.0)
            if work[Q, i] + rise + more <= within * unit:
                continue
        work[DEAR, i] = DEARER * most
        work[UNIT, i] = NEARER * unit
        work[Q, i] = within * work[UNIT, i] - rise
        row = s.matrix[w, DISTANCE, i]
        work[GONE, i] = math.inf
        found = count_hopeful(
            k, work, row, i, work[SIZE, i], DEARER * most, NEARER * within * unit, NEARER * unit
        )
        work[GONE, i] = 0.0
        if found > 0:
            work[DEAR, i] = -math.inf
            best = best_with(s, w, i, nearest, second, third, within, best)
    return best


@jit
def count_hopeful(
    k: int,
    work: Floats,
    row: Floats,
    i: int,
    smallest: float,
    most: float,
    needed: float,
    unit: float,
) -> int:
    """How many mergers of cluster i cost no more than `most` and are farther from the hub than
    needed: with clusters that have at least so many samples, itself not being left out."""
    size, gone, from_hub, count = work[SIZE], work[GONE], work[FROM_HUB], 0
    own, near = size[i], from_hub[i]
    for j in range(k):
        part = 1.0 / (own + size[j])
        share = size[j] * part
        cost = own * share * row[j]
        after = near + share * (from_hub[j] - near) - cost * part
        hopeful = int(after > needed + unit * cost) & int(cost <= most)
        count += hopeful & int(size[j] >= smallest) & int(gone[j] == 0.0)
    return count


@jit
def best_with(
    s: State,
    w: int,
    i: int,
    nearest: int,
    second: int,
    third: int,
    within: float,
    best: tuple[float, float, int, int],
) -> tuple[float, float, int, int]:
    """The same with the mergers of cluster i: with those that are larger, and not nearest.

    With all, if it is the nearest one to the hub itself: which is farther from the hub's next then.
    """
    work, row = s.matrix[TRIAL, PAIR], s.matrix[w, DISTANCE, i]
    size, gone, from_hub = work[SIZE], work[GONE], work[FROM_HUB]
    value, runner_up, at_i, at_j = best
    for j in range(s.now[LIVE]["k"]):
        larger = size[j] > size[i] or (size[j] == size[i] and j > i)
        if gone[j] > 0.0 or j in (i, nearest) or not (larger or i == nearest):
            continue
        stays = from_hub[nearest]
        if i == nearest:
            stays = from_hub[second]
            if j == second:
                stays = from_hub[third] if third >= 0 else math.inf
        both, weight = size[i] + size[j], size[i] * size[j] * row[j]
        if weight > (value * CLEAR * stays - within) * both:
            continue
        share = size[j] / both
        after = on_the_way(share, from_hub[i], from_hub[j], row[j])
        if within + weight / both > value * CLEAR * min(after, stays):
            continue
        other = if_united(s, w, i, j, within)
        if other < value:
            value, runner_up, at_i, at_j = other, value, i, j
        else:
            runner_up = min(runner_up, other)
    return value, runner_up, at_i, at_j


@jit
def on_the_way(share: float, near: float, far: float, length: float) -> float:
    """`footprints.on_the_line`, which may cancel."""
    return near + share * (far - near) - share * (1.0 - share) * length


@jit
def bound_mergers(s: State, w: int, within: float, own: float, a: int, b: int, c: int) -> int:
    """LOW of each cluster: V is at least so much if the hub takes it in. Returns the lowest one.

    a, b and c are nearest to the hub: those that it does not take in stay.
    """
    k, work, matrix = s.now[LIVE]["k"], s.matrix[TRIAL, PAIR], s.matrix[w, DISTANCE]
    last = c if c >= 0 else b
    bound_all(k, work, matrix[a], matrix[b], matrix[last], within, own, a, b, last)
    for j in (a, b, c):
        if j >= 0:
            share, least = work[SIZE, j] / (own + work[SIZE, j]), math.inf
            for other in (a, b, c):
                if other not in (j, -1):
                    after = on_the_way(
                        share, work[FROM_HUB, other], matrix[j, other], work[FROM_HUB, j]
                    )
                    least = min(least, after)
            cost = own * share * work[FROM_HUB, j]
            work[LOW, j] = (within + cost) / least if least > 0.0 else math.inf
    lowest = a
    for j in range(k):
        if work[LOW, j] < work[LOW, lowest]:
            lowest = j
    return lowest


@jit
def bound_all(
    k: int,
    work: Floats,
    from_a: Floats,
    from_b: Floats,
    from_c: Floats,
    within: float,
    own: float,
    a: int,
    b: int,
    c: int,
) -> None:
    """The same for all but these three, without branches."""
    from_hub, size, gone, low = work[FROM_HUB], work[SIZE], work[GONE], work[LOW]
    at_a, at_b, at_c = from_hub[a], from_hub[b], from_hub[c]
    for j in range(k):
        share = size[j] / (own + size[j])
        less = share * (1.0 - share) * from_hub[j]
        one = at_a + share * (from_a[j] - at_a) - less
        two = at_b + share * (from_b[j] - at_b) - less
        three = at_c + share * (from_c[j] - at_c) - less
        least = one if one < two else two
        least = least if least < three else three
        low[j] = (within + own * share * from_hub[j]) / least + gone[j]


@jit
def if_taken_in(s: State, w: int, j: int, within: float, own: float) -> float:
    """V, at least, if cluster j joins the hub: exactly if the hub is in the nearest pair then."""
    work, least = s.matrix[TRIAL, PAIR], math.inf
    share = distances_after(s.now[LIVE]["k"], work, s.matrix[w, DISTANCE, j], j, own)
    for c in range(s.now[LIVE]["k"]):
        distance = work[AFTER, c] + work[GONE, c]
        if distance < least and c != j:
            least = distance
    if not least > 0.0:
        return math.inf
    return (within + own * share * work[FROM_HUB, j]) / least


@jit
def distances_after(k: int, work: Floats, from_j: Floats, j: int, own: float) -> float:
    """AFTER of each cluster, if j joins the hub; returns the share of j."""
    from_hub, after = work[FROM_HUB], work[AFTER]
    share = work[SIZE, j] / (own + work[SIZE, j])
    less = share * (1.0 - share) * from_hub[j]
    for c in range(k):
        after[c] = from_hub[c] + share * (from_j[c] - from_hub[c]) - less
    return share


@jit
def if_united(s: State, w: int, i: int, j: int, within: float) -> float:
    """V, at least, with two clusters as one that are not the hub."""
    work, matrix = s.matrix[TRIAL, PAIR], s.matrix[w, DISTANCE]
    share = work[SIZE, j] / (work[SIZE, i] + work[SIZE, j])
    least = on_the_way(share, work[FROM_HUB, i], work[FROM_HUB, j], matrix[i, j])
    for c in range(s.now[LIVE]["k"]):
        if work[GONE, c] == 0.0 and c not in (i, j):
            between = on_the_way(share, matrix[i, c], matrix[j, c], matrix[i, j])
            least = min(least, between, work[FROM_HUB, c])
    if not least > 0.0:
        return math.inf
    return (within + work[SIZE, i] * share * matrix[i, j]) / least


# ------------------------------------------------------------------ one step of the walk


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
def unite(s: State, i: int, j: int) -> tuple[float, float]:
    """Cluster j joins cluster i, neither being the hub.

    Returns what that adds to WGSS, and the least squared distance from the result.
    """
    work, matrix, least = s.matrix[TRIAL, PAIR], s.matrix[TRIAL, DISTANCE], math.inf
    both, length = work[SIZE, i] + work[SIZE, j], matrix[i, j]
    cost, share = work[SIZE, i] * work[SIZE, j] / both * length, work[SIZE, j] / both
    work[FROM_HUB, i] = on_the_way(share, work[FROM_HUB, i], work[FROM_HUB, j], length)
    work[SIZE, i] = both
    for c in range(s.now[LIVE]["k"]):
        if work[GONE, c] == 0.0 and c not in (i, j):
            between = on_the_way(share, matrix[i, c], matrix[j, c], length)
            matrix[i, c] = between
            matrix[c, i] = between
            least, size = min(least, between), work[SIZE, c]
            price = size * both / (size + both) * between * (1.0 - SLACK)
            work[COST, c] = min(work[COST, c], price)
            work[DEAR, c] = min(work[DEAR, c], price)
    work[COST, i] = 0.5 * both * least * (1.0 - SLACK)
    work[DEAR, i] = -math.inf
    return cost, least
