"""XB: groups of clusters that a walk of mergers would make (`foresight`), without making them.

All is in rows of the trial partition's room (`outlook`).
"""

import math

from .._jit import jit, jit_inline
from .._typing import Floats
from .footprints import CANCELS, on_the_line
from .outlook import (
    ALIVE,
    CHEAPEST,
    GONE,
    GROUPS,
    KIND,
    LEAST,
    MERGED,
    NEAR_AT,
    NEAREST,
    OFF,
    SAMPLES,
    SECOND,
    SINGLE,
    cost_of,
    distance_of,
)
from .state import DISTANCE, LIVE, PAIR, TOPS, TRIAL, State


@jit_inline
def after_from(s: State, i: int, j: int, c: int, share: float, gap: float, level: float) -> float:
    """Squared distance of c from i and j as one; NaN if that cancels and may reach `level`."""
    from_i, from_j = distance_of(s, i, c), distance_of(s, j, c)
    result = on_the_line(share, from_i, from_j, gap)
    if math.isnan(result):
        at_most = CANCELS * ((1.0 - share) * from_i + share * from_j)
        if at_most < level:
            return at_most
    return result


@jit
def least_after(
    s: State,
    top: Floats,
    alive: int,
    groups: int,
    i: int,
    j: int,
    x: int,
    y: int,
    level: float,
) -> float:
    """The least squared distance with i and j as one, or something below `level` if it is.

    (x, y) is the nearest pair. NaN if it is not known.
    """
    rows = s.matrix[TRIAL, PAIR]
    share = rows[SAMPLES, j] / (rows[SAMPLES, i] + rows[SAMPLES, j])
    gap, nearest = distance_of(s, i, j), math.inf
    for c in (x, y, int(rows[NEAR_AT, i]), int(rows[NEAR_AT, j])):
        if c != i and c != j:
            distance = after_from(s, i, j, c, share, gap, level)
            if distance < level:
                return distance
    for place in range(alive):
        c = int(rows[ALIVE, place])
        if c != i and c != j:
            distance = after_from(s, i, j, c, share, gap, level)
            if math.isnan(distance) or distance < level:
                return distance
            nearest = min(nearest, distance)
    if i not in (x, y) and j not in (x, y):
        return min(nearest, float(rows[NEAREST, x]))
    for place in range(alive):
        c = int(rows[ALIVE, place])
        if c != i and c != j:
            distance = rows[NEAREST, c]
            if rows[NEAR_AT, c] == i or rows[NEAR_AT, c] == j:
                distance = nearest_other(s, top, alive, groups, c, i, j, nearest)
            nearest = min(nearest, distance)
            if nearest < level:
                break
    return nearest


@jit
def nearest_other(
    s: State, top: Floats, alive: int, groups: int, c: int, one: int, two: int, enough: float
) -> float:
    """How far the nearest of c but these two is, or something above `enough` if it is."""
    rows, nearest, known = s.matrix[TRIAL, PAIR], math.inf, False
    if rows[KIND, c] == SINGLE:
        for place in range(TOPS):
            other = int(top[LIVE, c, TOPS + place])
            if other < 0:
                known = True
                break
            if other != one and other != two and rows[KIND, other] == SINGLE:
                nearest, known = -top[LIVE, c, place], True
                break
        known = known or -top[LIVE, c, TOPS - 1] > enough
    if known:
        for place in range(groups):
            g = int(rows[GROUPS, place])
            if rows[KIND, g] == MERGED and g != c and g != one and g != two:
                nearest = min(nearest, s.matrix[TRIAL, DISTANCE, g, c])
        return nearest
    for place in range(alive):
        other = int(rows[ALIVE, place])
        if other != c and other != one and other != two:
            nearest = min(nearest, distance_of(s, c, other))
    return nearest


@jit
def cheapest_group(s: State, alive: int) -> int:
    """One whose cheapest merger is among the cheapest of all."""
    rows, lowest = s.matrix[TRIAL, PAIR], int(s.matrix[TRIAL, PAIR, ALIVE, 0])
    for place in range(alive):
        c = int(rows[ALIVE, place])
        if rows[LEAST, c] < rows[LEAST, lowest]:
            lowest = c
    if rows[CHEAPEST, lowest] < 0.0:
        find_cheapest(s, alive, lowest)
    return lowest


@jit
def find_cheapest(s: State, alive: int, c: int) -> None:
    """The cheapest merger of one cluster, and the next, anew.

    Before the first stage, that is good to know for later walks too.
    """
    rows = s.matrix[TRIAL, PAIR]
    rows[LEAST, c] = math.inf
    rows[CHEAPEST, c] = -1.0
    rows[SECOND, c] = math.inf
    for place in range(alive):
        other = int(rows[ALIVE, place])
        if other != c:
            cost = cost_of(s, c, other)
            if cost < rows[LEAST, c] or rows[CHEAPEST, c] < 0.0:
                rows[SECOND, c] = rows[LEAST, c]
                rows[LEAST, c] = cost
                rows[CHEAPEST, c] = other
            elif cost < rows[SECOND, c]:
                rows[SECOND, c] = cost
    if alive == s.now[LIVE]["k"]:
        s.clu[LIVE, c]["least"] = rows[LEAST, c]
        s.clu[LIVE, c]["cheapest"] = int(rows[CHEAPEST, c])
        s.clu[LIVE, c]["second"] = rows[SECOND, c]


@jit
def merge_groups(s: State, top: Floats, alive: int, groups: int, i: int, j: int) -> bool:
    """j joins i; False if a distance is not known."""
    rows, row = s.matrix[TRIAL, PAIR], s.matrix[TRIAL, DISTANCE, i]
    share = rows[SAMPLES, j] / (rows[SAMPLES, i] + rows[SAMPLES, j])
    gap, at_j = distance_of(s, i, j), 0
    rows[OFF, i] = (1.0 - share) * rows[OFF, i] + share * rows[OFF, j] - share * (1.0 - share) * gap
    rows[OFF, i] = max(rows[OFF, i], 0.0)
    for place in range(alive):
        c = int(rows[ALIVE, place])
        if c == j:
            at_j = place
        elif c != i:
            distance = on_the_line(share, distance_of(s, i, c), distance_of(s, j, c), gap)
            if math.isnan(distance):
                return False
            row[c] = distance
    rows[SAMPLES, i] += rows[SAMPLES, j]
    rows[ALIVE, at_j] = rows[ALIVE, alive - 1]
    alive -= 1
    if rows[KIND, i] == SINGLE:
        rows[GROUPS, groups] = i
        groups += 1
    rows[KIND, i] = MERGED
    rows[KIND, j] = GONE
    rows[NEAREST, i] = math.inf
    rows[LEAST, i] = math.inf
    rows[CHEAPEST, i] = -1.0
    rows[SECOND, i] = math.inf
    for place in range(alive):
        c = int(rows[ALIVE, place])
        if c == i:
            continue
        distance = row[c]
        if rows[KIND, c] == MERGED:
            s.matrix[TRIAL, DISTANCE, c, i] = distance
        if rows[NEAR_AT, c] == i or rows[NEAR_AT, c] == j:
            other = nearest_other(s, top, alive, groups, c, i, j, distance)
            if other < distance:
                find_nearest(s, alive, c)
            else:
                rows[NEAREST, c] = distance
                rows[NEAR_AT, c] = i
        elif distance < rows[NEAREST, c]:
            rows[NEAREST, c] = distance
            rows[NEAR_AT, c] = i
        if distance < rows[NEAREST, i]:
            rows[NEAREST, i] = distance
            rows[NEAR_AT, i] = c
        cost = rows[SAMPLES, c] * rows[SAMPLES, i] / (rows[SAMPLES, c] + rows[SAMPLES, i])
        cost *= distance
        if rows[CHEAPEST, c] == i or rows[CHEAPEST, c] == j:
            rows[LEAST, c] = rows[SECOND, c]
            rows[CHEAPEST, c] = -1.0
        note_merger_cost(s, c, i, cost)
        note_merger_cost(s, i, c, cost)
    return True


@jit_inline
def note_merger_cost(s: State, c: int, other: int, cost: float) -> None:
    """A merger of c with another, which is new, costs so much."""
    rows = s.matrix[TRIAL, PAIR]
    if cost < rows[LEAST, c]:
        rows[SECOND, c] = rows[LEAST, c]
        rows[LEAST, c] = cost
        rows[CHEAPEST, c] = other
    elif cost < rows[SECOND, c]:
        rows[SECOND, c] = cost


@jit
def find_nearest(s: State, alive: int, c: int) -> None:
    """The nearest of c, anew."""
    rows = s.matrix[TRIAL, PAIR]
    rows[NEAREST, c] = math.inf
    for place in range(alive):
        other = int(rows[ALIVE, place])
        if other != c:
            distance = distance_of(s, c, other)
            if distance < rows[NEAREST, c]:
                rows[NEAREST, c] = distance
                rows[NEAR_AT, c] = other
