r"""XB: which merger is the best at a stage of a walk that is only followed.

With :math:`V = WGSS/\min D`, a merger is the better the lower V is then. Most are ruled out by
bounds, which need no more than what stays as it is:

- whatever the hub takes in, some of its three nearest clusters stays, and so do the two others that
  are nearest to each other, unless it is one of them;
- two others as one, i and j with a share :math:`\sigma` of j, are from the hub
  :math:`q = r_i+\sigma(r_j-r_i)-\sigma(1-\sigma)D_{ij}`, and its nearest cluster stays. A pair is
  looked at with the smaller of the two, to which it costs at least :math:`\tfrac12 n_i\min D_i`.
  The same applies to the nearest other cluster: there may be several in the middle. What is found
  out of the mergers of a cluster, with some room, holds for the next stages, too: q grows by no
  more than distances from the hub do.

Those that might be the best are computed.
"""

import math
from typing import NamedTuple

from .._jit import jit
from .._typing import Floats
from .compare import SLACK
from .state import DISTANCE, LIVE, PAIR, TRIAL, State

# What is noted of each cluster, in rows of a matrix that is free to use. Squared distance from the
# hub; size; 0, or infinite for the hub and those that are gone; squared distance from the nearest
# one but the hub, at least, which is this one's if that is still there; V if the hub takes it in;
# squared distance from the hub if that takes in another one; what it costs at least to merge it
# with another one that is no smaller
FROM_HUB, SIZE, GONE, NEXT, NEIGHBOUR, LOW, AFTER, COST = range(8)
# and what is known of those mergers: they cost more than DEAR, or are no farther from the hub (if
# no distance from there has grown), or from its neighbour, than OFF + UNIT cost
DEAR, OFF, UNIT, ROWS = range(8, 12)
# That is asked of so much dearer ones, and of so much nearer ones, than is needed at the time.
DEARER, NEARER = 1.2, 0.98
CLEAR = 1.0 + 2.0 * SLACK


class Stage(NamedTuple):
    """Of a walk."""

    w: int  # whose distances these are
    within: float  # WGSS
    own: float  # samples of the hub
    rise: float  # how much distances from the hub have grown at most, in sum
    near: float  # least squared distance from the hub
    nearest: int  # the three nearest clusters to the hub, -1 where there is none
    second: int
    third: int
    apart: float  # squared distance of the two others that are nearest to each other,
    one: int  # and which they are
    other: int


class Best(NamedTuple):
    """The best merger so far."""

    value: float  # V,
    runner_up: float  # that of the next best,
    i: int  # and which two: -1 for the hub
    j: int


@jit
def rival(best: Best, value: float, i: int, j: int) -> Best:
    """The best one, with another merger."""
    if value < best.value:
        return Best(value, best.value, i, j)
    return Best(best.value, min(best.runner_up, value), best.i, best.j)


@jit
def best_merger(s: State, stage: Stage, limit: float) -> tuple[float, int, int]:
    """V after the best merger, and which two: -1 for the hub; both -1 if that is not clear.

    Only if that is below `limit`: otherwise that is returned.
    """
    k, work = s.now[LIVE]["k"], s.matrix[TRIAL, PAIR]
    first, best = bound_mergers(s, stage), Best(limit, math.inf, -1, -1)
    if work[LOW, first] <= limit * CLEAR:
        best = rival(best, if_taken_in(s, stage, first), -1, first)
    for j in range(k):
        if j != first and work[LOW, j] <= best.value * CLEAR:
            best = rival(best, if_taken_in(s, stage, j), -1, j)
    best = best_of_others(s, stage, best)
    if best.runner_up <= best.value * CLEAR or not best.value < math.inf:
        return best.value, -1, -1
    return best.value, best.i, best.j


@jit
def on_the_way(share: float, near: float, far: float, length: float) -> float:
    """`footprints.on_the_line`, which may cancel."""
    return near + share * (far - near) - share * (1.0 - share) * length


# ------------------------------------------------------------------ the nearest pair of others


@jit
def find_nearest_pair(s: State, w: int, i: int, j: int, known: float) -> tuple[float, int, int]:
    """The least squared distance between two, neither being the hub, i or j; and which two.

    Or `known`, if that is less.
    """
    work, least, one, other = s.matrix[TRIAL, PAIR], known, -1, -1
    for c in range(s.now[LIVE]["k"]):
        if work[NEXT, c] >= least or work[GONE, c] > 0.0 or c in (i, j):
            continue
        near = int(work[NEIGHBOUR, c])
        if work[GONE, near] > 0.0:
            find_next(s, w, c)
            near = int(work[NEIGHBOUR, c])
        distance = work[NEXT, c]
        if near in (i, j):
            distance, near = nearest_but(s, w, c, i, j)
        if distance < least:
            least, one, other = distance, c, near
    return least, one, other


@jit
def find_next(s: State, w: int, c: int) -> None:
    """Of what is left, the nearest one to cluster c."""
    work = s.matrix[TRIAL, PAIR]
    work[NEXT, c], work[NEIGHBOUR, c] = nearest_but(s, w, c, -1, -1)


@jit
def nearest_but(s: State, w: int, c: int, i: int, j: int) -> tuple[float, int]:
    """Squared distance of the nearest one to cluster c, but i, j and the hub; and which it is."""
    gone, row, least, at = s.matrix[TRIAL, PAIR, GONE], s.matrix[w, DISTANCE, c], math.inf, -1
    for other in range(s.now[LIVE]["k"]):
        if row[other] < least and gone[other] == 0.0 and other not in (c, i, j):
            least, at = row[other], other
    return least, at


# ------------------------------------------------------------------ the hub takes one in


@jit
def bound_mergers(s: State, stage: Stage) -> int:
    """LOW of each cluster: V is at least so much if the hub takes it in. Returns the lowest one."""
    k, work, matrix = s.now[LIVE]["k"], s.matrix[TRIAL, PAIR], s.matrix[stage.w, DISTANCE]
    a, b = stage.nearest, stage.second
    c = stage.third if stage.third >= 0 else b
    bound_all(k, work, matrix[a], matrix[b], matrix[c], stage, c)
    for j in (a, b, c, stage.one, stage.other):
        if j >= 0:
            share = work[SIZE, j] / (stage.own + work[SIZE, j])
            least = math.inf if j in (stage.one, stage.other) else stage.apart
            for near in (a, b, c):
                if near != j:
                    after = on_the_way(
                        share, work[FROM_HUB, near], matrix[j, near], work[FROM_HUB, j]
                    )
                    least = min(least, after)
            cost = stage.own * share * work[FROM_HUB, j]
            work[LOW, j] = (stage.within + cost) / least if least > 0.0 else math.inf
    lowest = a
    for j in range(k):
        if work[LOW, j] < work[LOW, lowest]:
            lowest = j
    return lowest


@jit
def bound_all(
    k: int, work: Floats, from_a: Floats, from_b: Floats, from_c: Floats, stage: Stage, c: int
) -> None:
    """The same for all but those in question, without branches."""
    from_hub, size, gone, low = work[FROM_HUB], work[SIZE], work[GONE], work[LOW]
    at_a, at_b, at_c = from_hub[stage.nearest], from_hub[stage.second], from_hub[c]
    own, within, apart = stage.own, stage.within, stage.apart
    for j in range(k):
        share = size[j] / (own + size[j])
        less = share * (1.0 - share) * from_hub[j]
        one = at_a + share * (from_a[j] - at_a) - less
        two = at_b + share * (from_b[j] - at_b) - less
        three = at_c + share * (from_c[j] - at_c) - less
        least = one if one < two else two
        least = least if least < three else three
        least = least if least < apart else apart
        low[j] = (within + own * share * from_hub[j]) / least + gone[j]


@jit
def if_taken_in(s: State, stage: Stage, j: int) -> float:
    """V if cluster j joins the hub."""
    work, k, least = s.matrix[TRIAL, PAIR], s.now[LIVE]["k"], math.inf
    share = distances_after(k, work, s.matrix[stage.w, DISTANCE, j], j, stage.own)
    for c in range(k):
        distance = work[AFTER, c] + work[GONE, c]
        if distance < least and c != j:
            least = distance
    if least > stage.apart:
        least = find_nearest_pair(s, stage.w, j, -1, least)[0]
    if not least > 0.0:
        return math.inf
    return (stage.within + stage.own * share * work[FROM_HUB, j]) / least


@jit
def distances_after(k: int, work: Floats, from_j: Floats, j: int, own: float) -> float:
    """AFTER of each cluster, if j joins the hub; returns the share of j."""
    from_hub, after = work[FROM_HUB], work[AFTER]
    share = work[SIZE, j] / (own + work[SIZE, j])
    less = share * (1.0 - share) * from_hub[j]
    for c in range(k):
        after[c] = from_hub[c] + share * (from_j[c] - from_hub[c]) - less
    return share


# ------------------------------------------------------------------ two others merge


@jit
def turn_of(stage: Stage, c: int) -> int:
    """When the mergers of cluster c are looked at: first, those that part a nearest pair."""
    if c == stage.nearest:
        return 0
    if stage.apart < stage.near and c in (stage.one, stage.other):
        return 1 if c == stage.one else 2
    return 3


@jit
def best_of_others(s: State, stage: Stage, best: Best) -> Best:
    """The best merger, those of the hub being known."""
    k, work, within, near = s.now[LIVE]["k"], s.matrix[TRIAL, PAIR], stage.within, stage.near
    # If the nearest one to the hub merges with the next, the third is the one that stays.
    far = work[FROM_HUB, stage.third] if stage.third >= 0 else math.inf
    best = best_of_special(s, stage, stage.nearest, far, best)
    if stage.apart < near:
        for i in (stage.one, stage.other):
            if i != stage.nearest:
                best = best_of_special(s, stage, i, near, best)
        near = stage.apart
    most, cost, gone = best.value * CLEAR * near - within, work[COST], work[GONE]
    for i in range(k):
        if cost[i] > most or gone[i] > 0.0 or turn_of(stage, i) < 3:
            continue
        if not is_useless(s, stage, i, most, 1.0 / (best.value * CLEAR)):
            best = best_with(s, stage, i, near, best)
            most = best.value * CLEAR * near - within
    return best


@jit
def is_useless(s: State, stage: Stage, i: int, most: float, unit: float) -> bool:
    """Proof that no merger of cluster i, with one that is no smaller, is as good as 1 over `unit`.

    None that costs more than `most` is.
    """
    work, within = s.matrix[TRIAL, PAIR], stage.within
    if most <= work[DEAR, i]:
        more = work[DEAR, i] * max(work[UNIT, i] - unit, 0.0)
        if work[OFF, i] + stage.rise + more <= within * unit:
            return True
    if work[OFF, i] < math.inf:
        work[DEAR, i], work[UNIT, i] = DEARER * most, NEARER * unit
        work[OFF, i] = within * work[UNIT, i] - stage.rise
        if count_hopeful(s, stage, i, work[SIZE, i], work[DEAR, i], work[UNIT, i]) == 0:
            return True
        work[DEAR, i], work[OFF, i] = -math.inf, math.inf  # that is not tried again
    return count_hopeful(s, stage, i, work[SIZE, i], most, unit) == 0


@jit
def best_of_special(s: State, stage: Stage, i: int, stays: float, best: Best) -> Best:
    """The same with the mergers of one of a nearest pair, after which no more than this stays."""
    unit = 1.0 / (best.value * CLEAR)
    if count_hopeful(s, stage, i, 0.0, stays / unit - stage.within, unit) > 0:
        best = best_with(s, stage, i, stays, best)
    return best


@jit
def count_hopeful(s: State, stage: Stage, i: int, smallest: float, most: float, unit: float) -> int:
    """How many mergers of cluster i, with others of at least this size, might do.

    They cost no more than `most`, and are as far from the hub, and from the neighbour of i, as a V
    of 1 over `unit` needs.
    """
    k, work, within = s.now[LIVE]["k"], s.matrix[TRIAL, PAIR], stage.within
    gone, from_hub, matrix = work[GONE], work[FROM_HUB], s.matrix[stage.w, DISTANCE]
    near = int(work[NEIGHBOUR, i])
    known = gone[near] == 0.0
    gone[i], gone[near] = math.inf, math.inf
    theirs = matrix[near] if known else from_hub
    count = count_far(
        k, work[SIZE], gone, from_hub, theirs, matrix[i], i, smallest, most, within, unit
    )
    gone[i] = 0.0
    if known:  # of the neighbour itself, only the hub says something
        gone[near] = 0.0
        both = work[SIZE, i] + work[SIZE, near]
        cost = work[SIZE, i] * work[SIZE, near] / both * matrix[i, near]
        after = on_the_way(work[SIZE, near] / both, from_hub[i], from_hub[near], matrix[i, near])
        if cost <= most and after > (within + cost) * unit and work[SIZE, near] >= smallest:
            count += 1
    return count


@jit
def count_far(
    k: int,
    size: Floats,
    gone: Floats,
    from_hub: Floats,
    from_other: Floats,
    row: Floats,
    i: int,
    smallest: float,
    most: float,
    within: float,
    unit: float,
) -> int:
    """The same without branches, everything being multiplied by the square of the common size."""
    own, count = size[i], 0
    here, there = own * from_hub[i], own * from_other[i]
    for j in range(k):
        both, weight = own + size[j], own * size[j] * row[j]  # which costs weight / both
        needed = (within * both + weight) * both * unit + weight
        hopeful = int((here + size[j] * from_hub[j]) * both > needed) & int(weight <= most * both)
        hopeful &= int((there + size[j] * from_other[j]) * both > needed)
        count += hopeful & int(size[j] >= smallest) & int(gone[j] == 0.0)
    return count


@jit
def best_with(s: State, stage: Stage, i: int, stays: float, best: Best) -> Best:
    """The same with all mergers of cluster i whose turn is not another one's.

    No more than `stays` is the least distance then.
    """
    work, row, within = s.matrix[TRIAL, PAIR], s.matrix[stage.w, DISTANCE, i], stage.within
    size, gone, from_hub, turn = work[SIZE], work[GONE], work[FROM_HUB], turn_of(stage, i)
    for j in range(s.now[LIVE]["k"]):
        smaller = size[j] < size[i] or (size[j] == size[i] and j < i)
        if gone[j] > 0.0 or j == i or (turn == 3 and smaller):
            continue
        both, weight = size[i] + size[j], size[i] * size[j] * row[j]
        if weight > (best.value * CLEAR * stays - within) * both:
            continue
        after = on_the_way(size[j] / both, from_hub[i], from_hub[j], row[j])
        for c in (int(work[NEIGHBOUR, i]), int(work[NEIGHBOUR, j])):
            if gone[c] == 0.0 and c not in (i, j):
                theirs = s.matrix[stage.w, DISTANCE, c]
                after = min(after, on_the_way(size[j] / both, theirs[i], theirs[j], row[j]))
        if within + weight / both > best.value * CLEAR * min(after, stays):
            continue
        if (turn == 3 and turn_of(stage, j) == 3) or turn < turn_of(stage, j):
            best = rival(best, if_united(s, stage, i, j), i, j)
    return best


@jit
def if_united(s: State, stage: Stage, i: int, j: int) -> float:
    """V with two clusters as one that are not the hub."""
    work, matrix = s.matrix[TRIAL, PAIR], s.matrix[stage.w, DISTANCE]
    share = work[SIZE, j] / (work[SIZE, i] + work[SIZE, j])
    least = on_the_way(share, work[FROM_HUB, i], work[FROM_HUB, j], matrix[i, j])
    for c in range(s.now[LIVE]["k"]):
        if work[GONE, c] == 0.0 and c not in (i, j):
            between = on_the_way(share, matrix[i, c], matrix[j, c], matrix[i, j])
            least = min(least, between, work[FROM_HUB, c])
    if least > stage.apart:
        least = find_nearest_pair(s, stage.w, i, j, least)[0]
    if not least > 0.0:
        return math.inf
    return (stage.within + work[SIZE, i] * share * matrix[i, j]) / least
