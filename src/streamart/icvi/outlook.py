r"""XB: what a walk of mergers needs to know of each cluster, and where it need not be followed.

After t more mergers WGSS is at least X; then the index is worse if two groups are nearer than X in
terms of distances (X over N times the index to beat). Two arguments say that some are:

- Of 2t + 1 disjoint pairs of clusters, t mergers leave one as it is (``clu["mate"]``: such pairs,
  found every now and then).
- For any point q and m groups,

  .. math:: \tfrac{m-1}{2}\min D \le \tfrac1m\sum_{g<h}D_{gh} \le \sum_g\|\mu_g-q\|^2

  where a group is no farther from q than the farthest of its clusters: t mergers take away at least
  the t least of these distances.

`foresight` follows the walk until that does.
"""

import math

from .._jit import jit, jit_inline
from .._typing import Floats
from .compare import SLACK
from .cost_bounds import tighten_bounds
from .floors import floor_of, raise_by_costs
from .footprints import assign, squared_distance
from .sorting import sort_pairs
from .state import DISTANCE, LIVE, MEAN_ALL, PAIR, SEEN, TOPS, TRIAL, State

# Rows of the trial partition's room: of each cluster its samples, its nearest other and how far
# that is, the least cost of a merger, with whom (-1: not known), the same of all others, what has
# become of it, and how far it is from q; then lists: of those that are left, of groups, of
# clusters next to one that counts, of disjoint pairs, with their distances; how far all are
# from that one; and the mergers of the last walk.
SAMPLES, NEAR_AT, NEAREST, LEAST, CHEAPEST, SECOND, KIND, OFF = 0, 1, 2, 3, 4, 5, 6, 7
ALIVE, GROUPS, WITNESS, MATE, APART_BY, FROM, HINT_I, HINT_J = 8, 9, 10, 11, 12, 13, 14, 15
GONE, SINGLE, MERGED = 0.0, 1.0, 2.0

# Disjoint pairs, and q, are found anew after so many samples.
LASTING = 128


@jit_inline
def distance_of(s: State, a: int, b: int) -> float:
    """Squared distance between two clusters or groups."""
    rows = s.matrix[TRIAL, PAIR]
    if rows[KIND, a] == MERGED:
        return float(s.matrix[TRIAL, DISTANCE, a, b])
    if rows[KIND, b] == MERGED:
        return float(s.matrix[TRIAL, DISTANCE, b, a])
    return float(s.matrix[LIVE, DISTANCE, a, b])


@jit_inline
def cost_of(s: State, a: int, b: int) -> float:
    """What WGSS grows by if they merge."""
    rows = s.matrix[TRIAL, PAIR]
    n_a, n_b = rows[SAMPLES, a], rows[SAMPLES, b]
    return n_a * n_b / (n_a + n_b) * distance_of(s, a, b)


# ------------------------------------------------------------------ before the first stage


@jit
def is_old(s: State) -> bool:
    """Is it time to find out again what lasts for a while?"""
    return s.now[0]["mated"] == 0 or s.now[0]["n"] - s.now[0]["mated"] >= LASTING


@jit
def look_again(s: State) -> None:
    """What lasts for a while: floors by costs, disjoint pairs, and q."""
    s.now[0]["mated"] = s.now[0]["n"]
    for c in range(s.now[LIVE]["k"]):
        tighten_bounds(s, LIVE, c)
    raise_by_costs(s)
    find_mates(s)
    assign(s.mean[SEEN, 0], s.feature[MEAN_ALL])
    for c in range(s.clu.shape[1]):
        s.clu[LIVE, c]["off_version"] = -1


@jit
def lay_out(s: State, top: Floats) -> None:
    """What is known of all clusters, side by side."""
    rows, clu = s.matrix[TRIAL, PAIR], s.clu[LIVE]
    for c in range(s.now[LIVE]["k"]):
        rows[SAMPLES, c] = clu[c]["n"]
        rows[NEAR_AT, c] = top[LIVE, c, TOPS]
        rows[NEAREST, c] = -top[LIVE, c, 0]
        rows[LEAST, c] = clu[c]["least"]
        rows[CHEAPEST, c] = clu[c]["cheapest"]
        rows[SECOND, c] = clu[c]["second"]
        rows[KIND, c] = SINGLE
        rows[ALIVE, c] = c


@jit
def lay_out_rest(s: State) -> float:
    """How far each cluster is from q; returns the greatest squared distance between two."""
    clu, far = s.clu[LIVE], 0.0
    rows, q = s.matrix[TRIAL, PAIR], s.mean[SEEN, 0]
    for c in range(s.now[LIVE]["k"]):
        if clu[c]["off_version"] != clu[c]["version"]:
            clu[c]["off_version"] = clu[c]["version"]
            clu[c]["off"] = squared_distance(s.mean[LIVE, c], q)
        rows[OFF, c] = clu[c]["off"]
        far = max(far, clu[c]["far"])
    return far * (1.0 + SLACK)


@jit
def find_mates(s: State) -> None:
    """Disjoint pairs of clusters, always the nearest two that have none yet."""
    k, clu, rows = s.now[LIVE]["k"], s.clu[LIVE], s.matrix[TRIAL, PAIR]
    for c in range(s.clu.shape[1]):
        clu[c]["mate"] = -1
    for c in range(k):
        propose(s, c)
    while True:
        chosen = -1
        for c in range(k):
            if clu[c]["mate"] < 0 and (chosen < 0 or rows[APART_BY, c] < rows[APART_BY, chosen]):
                chosen = c
        if chosen < 0 or rows[APART_BY, chosen] == math.inf:
            return
        other = int(rows[MATE, chosen])
        if clu[other]["mate"] < 0:
            clu[chosen]["mate"] = other
            clu[other]["mate"] = chosen
        else:
            propose(s, chosen)


@jit
def propose(s: State, c: int) -> None:
    """The nearest cluster to c that has no mate."""
    clu, rows = s.clu[LIVE], s.matrix[TRIAL, PAIR]
    rows[MATE, c] = -1.0
    rows[APART_BY, c] = math.inf
    for other in range(s.now[LIVE]["k"]):
        if other != c and clu[other]["mate"] < 0:
            if s.matrix[LIVE, DISTANCE, c, other] < rows[APART_BY, c]:
                rows[MATE, c] = other
                rows[APART_BY, c] = s.matrix[LIVE, DISTANCE, c, other]


@jit
def list_pairs(s: State) -> int:
    """The disjoint pairs, the nearest first; returns how many there are."""
    k, clu, rows, pairs = s.now[LIVE]["k"], s.clu[LIVE], s.matrix[TRIAL, PAIR], 0
    for c in range(k):
        mate = clu[c]["mate"]
        if c < mate < k and clu[mate]["mate"] == c:
            rows[MATE, pairs] = c
            rows[APART_BY, pairs] = s.matrix[LIVE, DISTANCE, c, mate]
            pairs += 1
    sort_pairs(rows[APART_BY], rows[MATE], pairs)
    return pairs


@jit
def list_hints(s: State) -> int:
    """The mergers of the last walk; returns how many."""
    rows, hints = s.matrix[TRIAL, PAIR], min(s.now[0]["foreseen"], s.now[LIVE]["k"])
    for at in range(hints):
        rows[HINT_I, at] = s.clu[LIVE, at]["path_i"]
        rows[HINT_J, at] = s.clu[LIVE, at]["path_j"]
    return hints


# ------------------------------------------------------------------ where it may end


@jit
def rest_is_too_near(
    s: State, alive: int, pairs: int, within: float, price: float, far: float
) -> bool:
    """Proof that no grouping of the groups that are left is better."""
    rows, clu, cost, total = s.matrix[TRIAL, PAIR], s.clu[LIVE], math.inf, 0.0
    a, b, c, d = math.inf, math.inf, math.inf, math.inf  # the least distances from q
    for place in range(alive):
        g = int(rows[ALIVE, place])
        cost, off = min(cost, rows[LEAST, g] * (1.0 - SLACK)), rows[OFF, g]
        total += off
        if off < d:
            a, b, c, d = sorted_in(a, b, c, off)
    at, found, taken, price = 0, 0, 0.0, price * (1.0 - 2.0 * SLACK)
    for t in range(1, alive - 1):
        left = alive - t
        needed = max(within + t * cost, floor_of(s, left)) * price
        if needed >= far:
            return True  # and so it is for all later ones: WGSS only grows
        taken += a if t == 1 else b if t == 2 else c if t == 3 else d
        if needed >= 2.0 * (total - taken) / (left - 1) * (1.0 + SLACK):
            continue
        while at < pairs and rows[APART_BY, at] < needed:
            one = int(rows[MATE, at])
            if rows[KIND, one] == SINGLE and rows[KIND, clu[one]["mate"]] == SINGLE:
                found += 1
            at += 1
        if found < 2 * t + 1:
            return False
    return True


@jit_inline
def sorted_in(a: float, b: float, c: float, x: float) -> tuple[float, float, float, float]:
    """Four numbers in order, of which all but the last are."""
    if x >= c:
        return a, b, c, x
    if x >= b:
        return a, b, x, c
    if x >= a:
        return a, x, b, c
    return x, a, b, c
