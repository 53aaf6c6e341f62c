r"""XB: the walk of mergers, followed without making them, as a proof that no stage of it wins.

Merge walks on a trial partition, whose matrices are as large as the live one's. Here only what a
walk needs is kept of each cluster, in rows of the trial partition's room: its samples, its nearest
other, the least cost of a merger; and a row of distances for each group that came of a merger, by
Stewart's theorem. A stage takes O(k) mostly:

- A merger that leaves the nearest pair (x, y) as it is leaves the index at
  :math:`(WGSS+cost)/(N\min D)` at best. So of other clusters, only those whose least cost is below
  that of the best merger so far are asked about.
- A merger of x or y with another: there are 2k of them. The clusters next to x and y tell of most
  that the result comes too near to one.

The same pair must be chosen as by the walk itself. So this gives up where two are the same but for
`SLACK`, where a distance cancels, or where a stage may win; then the walk itself is made.

It need not be followed to the end (`outlook`).
"""

import math

from .._jit import jit, jit_inline
from .._typing import Floats
from .compare import SLACK
from .grouping import cheapest_group, find_cheapest, least_after, merge_groups
from .outlook import (
    ALIVE,
    CHEAPEST,
    FROM,
    GONE,
    GROUPS,
    HINT_I,
    HINT_J,
    KIND,
    LEAST,
    MERGED,
    NEAR_AT,
    NEAREST,
    SAMPLES,
    SINGLE,
    WITNESS,
    cost_of,
    distance_of,
    is_old,
    lay_out,
    lay_out_rest,
    list_hints,
    list_pairs,
    look_again,
    rest_is_too_near,
)
from .state import APART, DISTANCE, LIVE, PAIR, TRIAL, State

# Those are next to a cluster that are no more than so many times as far as the nearest.
NEXT_TO, MOST_WITNESSES = 1.2, 12
# Where some distances are so many times as great as others, rounding might tell.
WIDEST = 1e4


@jit
def walk_loses(s: State, top: Floats | None, best: float) -> bool:
    """Proof that no stage of the walk from the live partition is better than `best`."""
    if top is None or s.matrix.shape[1] > APART or s.matrix.shape[2] <= HINT_J:
        return False
    if not -math.inf < best < 0.0:
        return False
    k, within = s.now[LIVE]["k"], s.now[LIVE]["within"]
    price = 1.0 / (s.now[0]["n"] * -best)  # of WGSS, in distances
    if is_old(s):
        look_again(s)
    lay_out(s, top)
    far, pairs, alive, groups = lay_out_rest(s), list_pairs(s), k, 0
    if far > WIDEST * price * within:
        return False
    hints = list_hints(s)
    while alive > 2:
        if rest_is_too_near(s, alive, pairs, within, price, far):
            return True
        i, j, after = next_merger(s, top, alive, groups, within, hints)
        if i < 0:
            return False
        s.clu[LIVE, k - alive]["path_i"] = i
        s.clu[LIVE, k - alive]["path_j"] = j
        s.now[0]["foreseen"] = k - alive + 1
        within += cost_of(s, i, j)
        if after > within * price * (1.0 - SLACK):
            return False
        fresh = s.matrix[TRIAL, PAIR, KIND, i] == SINGLE
        if not merge_groups(s, top, alive, groups, i, j):
            return False
        alive -= 1
        if fresh:
            groups += 1
    return True


# ------------------------------------------------------------------ the best merger of a stage


@jit
def next_merger(
    s: State, top: Floats, alive: int, groups: int, within: float, hints: int
) -> tuple[int, int, float]:
    """The best merger, and the least distance after it; -1 if that is not sure.

    What the last walk merged first of what is left is mostly the best: it is asked about first.
    """
    rows, x = s.matrix[TRIAL, PAIR], int(s.matrix[TRIAL, PAIR, ALIVE, 0])
    for place in range(alive):
        c = int(rows[ALIVE, place])
        if rows[NEAREST, c] < rows[NEAREST, x]:
            x = c
    y, nearest = int(rows[NEAR_AT, x]), rows[NEAREST, x]
    witnesses = look_around(s, alive, x)
    i, j = likely_best(s, alive, x, within, hints)
    after = least_after(s, top, alive, groups, i, j, x, y, 0.0)
    if math.isnan(after):
        return -1, -1, after
    bar, tied, first, second = after / (within + cost_of(s, i, j)), False, i, j
    for z in (x, y):
        if z == y:
            witnesses = look_around(s, alive, y)
        for place in range(alive):
            c = int(rows[ALIVE, place])
            if c == z or (z == y and c == x) or (c in (first, second) and z in (first, second)):
                continue
            whole = within + cost_of(s, z, c)
            level = bar * whole * (1.0 - SLACK)
            if comes_near_one(s, z, c, witnesses, level):
                continue
            after_c = least_after(s, top, alive, groups, z, c, x, y, level)
            if math.isnan(after_c):
                return -1, -1, after_c
            if after_c >= level:
                tied = after_c <= bar * whole * (1.0 + SLACK)
                if after_c > bar * whole:
                    bar, i, j, after = after_c / whole, z, c, after_c
        limit = nearest / bar * (1.0 + 2.0 * SLACK) - within
        for place in range(alive if z == x else 0):
            a = int(rows[ALIVE, place])
            if rows[LEAST, a] > limit or a in (x, y):
                continue
            if rows[CHEAPEST, a] < 0.0:  # bounds that are tight let the walk end sooner
                find_cheapest(s, alive, a)
                if rows[LEAST, a] > limit:
                    continue
            if not may_be_best(s, a, x, y, groups, limit, bar * (1.0 - SLACK), within):
                continue
            for later in range(place + 1, alive):
                c = int(rows[ALIVE, later])
                cost = cost_of(s, a, c)
                if cost > limit or c in (x, y) or (c in (first, second) and a in (first, second)):
                    continue
                whole = within + cost
                level = bar * whole * (1.0 - SLACK)
                n_a, n_c = rows[SAMPLES, a], rows[SAMPLES, c]
                if n_a * rows[FROM, a] + n_c * rows[FROM, c] - cost < level * (n_a + n_c):
                    continue
                after_c = least_after(s, top, alive, groups, a, c, x, y, level)
                if math.isnan(after_c):
                    return -1, -1, after_c
                if after_c >= level:
                    tied = after_c <= bar * whole * (1.0 + SLACK)
                    if after_c > bar * whole:
                        bar, i, j, after = after_c / whole, a, c, after_c
                        limit = nearest / bar * (1.0 + 2.0 * SLACK) - within
    if tied:
        return -1, -1, after
    return i, j, after


@jit
def likely_best(s: State, alive: int, x: int, within: float, hints: int) -> tuple[int, int]:
    """A merger that may well be the best: one of the last walk, or else a cheap one that does not
    come too near to x."""
    rows, cheap = s.matrix[TRIAL, PAIR], cheapest_group(s, alive)
    for at in range(hints):
        i, j = int(rows[HINT_I, at]), int(rows[HINT_J, at])
        if are_alive(s, i, j):
            return i, j
    i, j, highest = cheap, int(rows[CHEAPEST, cheap]), 0.0
    for place in range(alive):
        a = int(rows[ALIVE, place])
        c = int(rows[CHEAPEST, a])
        if a != x and c >= 0 and c != x:
            n_a, n_c, cost = rows[SAMPLES, a], rows[SAMPLES, c], rows[LEAST, a]
            apart = (n_a * rows[FROM, a] + n_c * rows[FROM, c] - cost) / (n_a + n_c)
            value = min(apart, rows[NEAREST, x]) / (within + cost)
            if value > highest:
                i, j, highest = a, c, value
    return i, j


@jit
def are_alive(s: State, i: int, j: int) -> bool:
    """Are these two of those that are left?"""
    k, kind = s.now[LIVE]["k"], s.matrix[TRIAL, PAIR, KIND]
    return i != j and 0 <= i < k and 0 <= j < k and kind[i] != GONE and kind[j] != GONE


@jit
def may_be_best(
    s: State, a: int, x: int, y: int, groups: int, limit: float, bar: float, within: float
) -> bool:
    """Might a merger of group a be the best, of those that leave the nearest pair (x, y) as it is?

    It costs no more than `limit`, and does not come nearer to x than `bar` times what WGSS is then.
    """
    rows, k = s.matrix[TRIAL, PAIR], s.now[LIVE]["k"]
    row = s.matrix[TRIAL, DISTANCE, a] if rows[KIND, a] == MERGED else s.matrix[LIVE, DISTANCE, a]
    n, off = rows[SAMPLES, a], rows[FROM, a]
    hopeful = count_hopeful(
        row, rows[FROM], rows[SAMPLES], rows[KIND], k, a, y, n, off, limit, bar, within
    )
    if hopeful > 0:
        return True
    for place in range(groups):
        g = int(rows[GROUPS, place])
        if rows[KIND, g] == MERGED and g not in (a, x, y):
            cost, both = cost_of(s, a, g), n + rows[SAMPLES, g]
            apart = n * off + rows[SAMPLES, g] * rows[FROM, g] - cost
            if cost <= limit and apart >= bar * (within + cost) * both:
                return True
    return False


@jit
def count_hopeful(
    row: Floats,
    from_x: Floats,
    samples: Floats,
    kind: Floats,
    k: int,
    a: int,
    y: int,
    n: float,
    off: float,
    limit: float,
    bar: float,
    within: float,
) -> int:
    """The same for mergers with clusters as they are: how many there are (in one vector loop)."""
    count = 0
    for c in range(k):
        both = n + samples[c]
        dear = n * samples[c] * row[c]  # the cost, times both
        cheap = dear <= limit * both
        squared = (n * off + samples[c] * from_x[c]) * both - dear
        apart = squared >= bar * (within * both + dear) * both
        count += 1 if cheap & apart & (kind[c] == SINGLE) & (c != a) & (c != y) else 0
    return count


@jit
def look_around(s: State, alive: int, z: int) -> int:
    """How far all are from z; lists those next to it and returns how many."""
    rows, count = s.matrix[TRIAL, PAIR], 0
    reach = rows[NEAREST, z] * NEXT_TO
    rows[FROM, z] = 0.0
    for place in range(alive):
        c = int(rows[ALIVE, place])
        if c != z:
            rows[FROM, c] = distance_of(s, z, c)
            if rows[FROM, c] <= reach and count < MOST_WITNESSES:
                rows[WITNESS, count] = c
                count += 1
    return count


@jit_inline
def comes_near_one(s: State, z: int, c: int, witnesses: int, level: float) -> bool:
    """Is z, merged with c, nearer than `level` to one of those next to it?"""
    rows = s.matrix[TRIAL, PAIR]
    n_z, n_c = rows[SAMPLES, z], rows[SAMPLES, c]
    gap, both = n_z * n_c / (n_z + n_c) * rows[FROM, c], level * (n_z + n_c)
    for at in range(witnesses):
        w = int(rows[WITNESS, at])
        if w != c and n_z * rows[FROM, w] + n_c * distance_of(s, w, c) - gap < both:
            return True
    return False
