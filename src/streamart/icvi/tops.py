"""Each cluster's three greatest pair quantities, and which clusters they are with.

Enough to know the maximum when any one or two other clusters change.
"""

import math

from .._jit import jit
from .._typing import Floats
from .registry import CONN, DB, XB
from .state import DISTANCE, LIVE, PAIR, TOPS, WITH_A, WITH_B, State


@jit
def has_pair_matrix(s: State) -> bool:
    """Do pair quantities have a matrix of their own? Those of PBM and XB are distances, or minus
    these."""
    return s.family == DB or s.family == CONN


@jit
def sign_of_distance(s: State) -> float:
    return -1.0 if s.family == XB else 1.0


@jit
def find_tops(s: State, top: Floats, w: int, c: int) -> None:
    """The three greatest pair quantities of cluster c, anew."""
    row, sign = s.matrix[w, PAIR if has_pair_matrix(s) else DISTANCE, c], sign_of_distance(s)
    first, second, third = -math.inf, -math.inf, -math.inf
    a, b, last = -1, -1, -1
    for other in range(s.now[w]["k"]):
        quantity = sign * row[other]
        if other == c or (last >= 0 and quantity <= third):  # so it is with most
            continue
        if a < 0 or quantity > first:
            third, last, second, b, first, a = second, b, first, a, quantity, other
        elif b < 0 or quantity > second:
            third, last, second, b = second, b, quantity, other
        else:
            third, last = quantity, other
    tops = top[w, c]
    tops[0], tops[1], tops[2] = first, second, third
    tops[TOPS], tops[TOPS + 1], tops[TOPS + 2] = a, b, last


@jit
def insert_top(top: Floats, quantity: float, other: int) -> None:
    """Into the tops of one cluster, if it is among them: its quantity with `other`."""
    at = TOPS
    while at > 0 and (top[TOPS + at - 1] < 0.0 or quantity > top[at - 1]):
        at -= 1
    if at == TOPS:
        return
    for place in range(TOPS - 1, at, -1):
        top[place] = top[place - 1]
        top[TOPS + place] = top[TOPS + place - 1]
    top[at] = quantity
    top[TOPS + at] = other


@jit
def replace_top(s: State, top: Floats, w: int, c: int, changed: int, quantity: float) -> None:
    """The pair (c, changed) has a new quantity: keep the tops of c right."""
    tops = top[w, c]
    for place in range(TOPS):
        if tops[TOPS + place] == changed:
            if quantity < tops[TOPS - 1]:  # one that is not among the tops might be greater
                find_tops(s, top, w, c)
                return
            for later in range(place, TOPS - 1):
                tops[later] = tops[later + 1]
                tops[TOPS + later] = tops[TOPS + later + 1]
            tops[TOPS - 1] = -math.inf
            tops[2 * TOPS - 1] = -1.0
            break
    insert_top(tops, quantity, changed)


@jit
def replace_tops(s: State, top: Floats, w: int, changed: int) -> None:
    """All pairs with one cluster have new quantities: keep the tops of the others right.

    That is nothing for most of them.
    """
    sign, kind = sign_of_distance(s), PAIR if has_pair_matrix(s) else DISTANCE
    row, mutual = s.matrix[w, kind, changed], s.family != CONN
    for c in range(s.now[w]["k"]):
        quantity, tops = sign * (row[c] if mutual else s.matrix[w, kind, c, changed]), top[w, c]
        beyond = tops[2 * TOPS - 1] >= 0.0 and quantity <= tops[TOPS - 1]
        for place in range(TOPS):
            beyond = beyond and tops[TOPS + place] != changed
        if c != changed and not beyond:
            replace_top(s, top, w, c, changed, quantity)


@jit
def forget_top(s: State, top: Floats, w: int, c: int, gone: int) -> None:
    """Cluster `gone` is no longer there: keep the tops of c right."""
    for place in range(TOPS):
        rival = top[w, c, TOPS + place]
        if rival == gone:
            find_tops(s, top, w, c)
            return
    for place in range(TOPS):
        if top[w, c, TOPS + place] > gone:
            top[w, c, TOPS + place] -= 1.0


@jit
def survey(
    s: State, top: Floats, w: int, a: int, b: int, peak_a: float, peak_b: float
) -> tuple[float, float]:
    """Greatest pair quantity, and sum over clusters of each one's greatest, if a and b changed.

    ``each[WITH_A]`` is what every other cluster would have with a; `peak_a` is the greatest
    quantity of a itself, NaN if a would no longer be there.
    """
    peak, total = -math.inf, 0.0
    a_lives, b_lives = not math.isnan(peak_a), not math.isnan(peak_b)
    for c in range(s.now[w]["k"]):
        if c in (a, b):
            continue
        own = -math.inf
        for place in range(TOPS):
            rival = top[w, c, TOPS + place]
            if rival >= 0.0 and rival != a and rival != b:
                own = top[w, c, place]
                break
        if a_lives:
            own = max(own, s.each[WITH_A, c])
        if b_lives:
            own = max(own, s.each[WITH_B, c])
        peak = max(peak, own)
        total += own
    if a_lives:
        peak = max(peak, peak_a)
        total += peak_a
    if b_lives:
        peak = max(peak, peak_b)
        total += peak_b
    return peak, total


@jit
def place_without(top: Floats, w: int, c: int, other: int) -> int:
    """Where among the tops of cluster c the greatest is, leaving out that with one other."""
    return 1 if int(top[w, c, TOPS]) == other else 0


@jit
def rival_without(top: Floats, w: int, c: int, other: int) -> int:
    """With which cluster that is, -1 if there is none."""
    return int(top[w, c, TOPS + place_without(top, w, c, other)])


@jit
def greatest_with_others(top: Floats, w: int, c: int, one: int, two: int) -> float:
    """Of the three greatest quantities of cluster c, the greatest with neither of these."""
    for place in range(TOPS):
        if int(top[w, c, TOPS + place]) not in (one, two):
            return float(top[w, c, place])
    return -math.inf


@jit
def greatest_quantity(s: State, top: Floats | None) -> float:
    """Of all pairs of clusters; 0 where the index has none."""
    if top is None:
        return 0.0
    peak = -math.inf
    for c in range(s.now[LIVE]["k"]):
        peak = max(peak, top[LIVE, c, 0])
    return peak
