r"""DB: at least so much others have with the result of a merger, all at once, by two convex sums.

Clusters i and j become m, of shares :math:`1-\sigma` and :math:`\sigma`, with V between them and a
spread of W. By Stewart's theorem, c is then :math:`D'_c = (1-\sigma)D_{ci}+\sigma D_{cj}-V` from m,
and has :math:`(W+S_c)/D'_c` with it. `merger_rows` adds that up, cluster by cluster. Here sums over
rows of distances, made once for all pairs, say nearly as much:

- *many rise*: let C be the clusters that have no more than the average now. By Jensen's inequality,
  1/x being convex, those of C but i and j, n of them, have together at least

  .. math:: \frac{Wn^2}{\sum_c D'_c} + \frac{(\sum_c S_c)^2}{\sum_c S_cD'_c}

  which is far more than what they have now, if m is wide. By the difference the sum rises, besides
  what `merger_rows.bound_row` says of it.

- *the hub*: if several lean on i, what hangs on it is not lost: they have about as much with m.
  Since 1/x is above its tangents, each has at least

  .. math:: (W+S_c)\left(\frac2{D_{ci}}-\frac{D'_c}{D_{ci}^2}\right)

  the sum of which needs the sums over c of :math:`D_{cj}/D_{ci}^2`, with and without :math:`S_c`.
  That is nearly exact where j is small.
"""

from typing import NamedTuple

import numpy as np

from .._jit import jit, jit_sums
from .._typing import Floats
from .compare import NOTHING, SLACK
from .footprints import CANCELS
from .merger_rows import (
    BOUNDS,
    HIGHER,
    NOWHERE,
    OWN,
    PEAKS,
    SIZES,
    SPREADS,
    STAKES,
    exceeds_at_once,
    shape_after,
    similarity_with,
    sum_exceeds,
)
from .state import BOUND_ROWS, DISTANCE, TOPS, State
from .tops import rival_without

# Rows of `branch` besides: of each cluster, if it is in C: 1, its spread, its greatest R; the sum
# of its distances from C, and that of distances times spreads; the hubs; and from here on, a row
# of bounds for each of these
COUNTED, SPREAD, PEAK, FAR, WEIGHED, HUBS, FIRST_HUB = range(HIGHER + 1, HIGHER + 8)
# Fewer than so many are not worth it.
LEAST_COUNTED, LEAST_LEANING = 8, 3
# If this much of a sum of spreads is left when two are left out, it is more than rounding.
LEFT = 1e-6
# Where one of so many pairs of a row is to be asked about, all are.
FEW = 8


class Rises(NamedTuple):
    """C, and how many hubs there are."""

    counted: float
    spreads: float
    peaks: float
    hubs: int


@jit
def prepare_rises(s: State, top: Floats, w: int, total: float) -> Rises:
    """After `prepare_rows`; `total` is the sum of maxima."""
    k, scan, room, hubs = s.now[w]["k"], s.scan, s.branch, 0
    count, spreads, peaks = 0.0, 0.0, 0.0
    for c in range(k):
        counts = 1.0 if scan[PEAKS, c] * k <= total else 0.0
        room[COUNTED, c] = counts
        room[SPREAD, c] = counts * scan[SPREADS, c]
        room[PEAK, c] = counts * scan[PEAKS, c]
        room[FAR, c] = 0.0
        room[WEIGHED, c] = 0.0
        count, spreads = count + counts, spreads + room[SPREAD, c]
        peaks += room[PEAK, c]
    if count < LEAST_COUNTED:
        count = 0.0
    for c in range(k):
        if count > 0.0 and room[COUNTED, c] > 0.0:
            add_distances(s, w, c, 1.0, room[SPREAD, c], room[FAR], room[WEIGHED])
    for h in range(k):
        if s.clu[w, h]["leaned_on"] >= LEAST_LEANING and hubs < BOUND_ROWS - FIRST_HUB:
            room[HUBS, hubs] = h
            bound_hub(s, top, w, h, total, room[FIRST_HUB + hubs])
            hubs += 1
    return Rises(count, spreads, peaks, hubs)


@jit
def add_distances(
    s: State, w: int, c: int, one: float, two: float, sums: Floats, others: Floats
) -> None:
    """Distances from cluster c, with weights; it is 0 from itself."""
    row = s.matrix[w, DISTANCE, c]
    row[c] = 0.0
    add_row(s.now[w]["k"], row, one, two, sums, others)
    row[c] = NOWHERE


@jit_sums
def add_row(k: int, row: Floats, one: float, two: float, sums: Floats, others: Floats) -> None:
    """See `add_distances`."""
    for c in range(k):
        sums[c] += one * row[c]
        others[c] += two * row[c]


@jit
def raise_bounds(s: State, w: int, i: int, rises: Rises, limit: float) -> int:
    """``branch[HIGHER]``: bounds of row i, without `OWN`, as great as is quickly known.

    Returns of how many pairs these are not above the limit.
    """
    k, room, higher, own = s.now[w]["k"], s.branch, s.branch[HIGHER], s.branch[OWN]
    for place in range(rises.hubs):
        h = int(room[HUBS, place])
        if h == i:
            raise_to(room[FIRST_HUB + place], i + 1, k, higher)
        elif h > i:
            higher[h] = max(higher[h], room[FIRST_HUB + place, i])
    left = count_up_to(higher, own, i + 1, k, limit)
    if rises.counted > 0.0 and FEW * left > k - i:
        raise_pairs(s, w, i, i + 1, k, rises)
        left = count_up_to(higher, own, i + 1, k, limit)
    return left


@jit_sums
def raise_to(row: Floats, begin: int, end: int, out: Floats) -> None:
    """The greater of two, for some clusters."""
    for j in range(np.uint64(begin), np.uint64(end)):
        out[j] = row[j] if row[j] > out[j] else out[j]


@jit_sums
def count_up_to(one: Floats, two: Floats, begin: int, end: int, limit: float) -> int:
    """Of how many clusters the sum of both is not above the limit."""
    count = 0
    for j in range(np.uint64(begin), np.uint64(end)):
        count += 0 if one[j] + two[j] > limit else 1
    return count


@jit
def pair_exceeds(
    s: State,
    top: Floats,
    w: int,
    i: int,
    j: int,
    rises: Rises,
    hub: int,
    total: float,
    limit: float,
) -> bool:
    """`sum_exceeds`, by all that is known, the cheapest first."""
    room = s.branch
    share, between, width = shape_after(s, w, i, j)
    with_rival = similarity_with(s, w, i, j, rival_without(top, w, j, i), share, between, width)
    room[OWN, j] = max(room[OWN, j], with_rival)
    if room[HIGHER, j] + room[OWN, j] > limit:
        return True
    if rises.counted > 0.0:
        raise_pairs(s, w, i, j, j + 1, rises)
        if room[HIGHER, j] + room[OWN, j] > limit:
            return True
    if exceeds_at_once(s, w, i, j, hub, limit):
        return True
    return sum_exceeds(s, top, w, i, j, hub, total, limit)


# ------------------------------------------------------------------ many rise


@jit
def raise_pairs(s: State, w: int, i: int, begin: int, end: int, rises: Rises) -> None:
    """``branch[HIGHER]`` of some pairs, where so many rise that it is greater."""
    room = s.branch
    raise_row(
        s.matrix[w, DISTANCE, i],
        s.scan[SIZES],
        s.scan[SPREADS],
        room[COUNTED],
        room[SPREAD],
        room[PEAK],
        room[FAR],
        room[WEIGHED],
        i,
        begin,
        end,
        rises.counted,
        rises.spreads,
        rises.peaks,
        NOTHING * s.now[0]["cp"] * (1.0 + SLACK),
        s.each[BOUNDS],
        room[HIGHER],
    )


@jit_sums
def raise_row(
    row: Floats,
    sizes: Floats,
    all_spreads: Floats,
    counted: Floats,
    spreads: Floats,
    peaks: Floats,
    far: Floats,
    weighed: Floats,
    i: int,
    begin: int,
    end: int,
    count: float,
    total_spread: float,
    total_peak: float,
    nothing: float,
    bounds: Floats,
    out: Floats,
) -> None:
    """See `raise_pairs`."""
    n, spread, mine, my_spread = sizes[i], all_spreads[i], counted[i], spreads[i]
    my_far, my_weighed, least = far[i], weighed[i], LEFT * total_spread
    count, total_spread, total_peak = count - mine, total_spread - my_spread, total_peak - peaks[i]
    for j in range(np.uint64(begin), np.uint64(end)):
        both = n + sizes[j]
        share = sizes[j] / both
        between = share * (1.0 - share) * row[j]
        width = spread + share * (all_spreads[j] - spread) + between
        width = width if width * both > nothing else 0.0
        others, their_spread = count - counted[j], total_spread - spreads[j]
        apart = my_far - counted[j] * row[j]
        apart += share * (far[j] - mine * row[j] - apart)
        distance = apart - others * between
        distance = distance if distance > CANCELS * apart else CANCELS * apart
        apart = my_weighed - spreads[j] * row[j]
        apart += share * (weighed[j] - my_spread * row[j] - apart)
        weight = apart - their_spread * between
        weight = weight if weight > CANCELS * apart else CANCELS * apart
        weight = weight if their_spread > least else 1.0
        more = their_spread * (their_spread / weight)
        more = more if their_spread > least else 0.0
        more += width * others * others / distance
        bound = bounds[j] + (1.0 - SLACK) * more - (total_peak - peaks[j])
        out[j] = bound if bound > out[j] else out[j]


# ------------------------------------------------------------------ the hub


@jit
def bound_hub(s: State, top: Floats, w: int, h: int, total: float, out: Floats) -> None:
    """At least so great is the sum of maxima with cluster h and any other as one, but for what the
    result itself has. `total` is the sum now."""
    k, clu, row, scan = s.now[w]["k"], s.clu[w], s.matrix[w, DISTANCE, h], s.scan
    unit = s.now[0]["cp"] / s.now[0]["n"]  # without it, squares might be too great or too small
    sums, others = s.branch[OWN], s.branch[HIGHER]  # free as yet
    for x in range(k):
        sums[x], others[x] = 0.0, 0.0
    near, near_spread, square, square_spread, leaves = 0.0, 0.0, 0.0, 0.0, scan[PEAKS, h]
    c = clu[h]["leaning"]
    while c >= 0:
        close, width = 1.0 / row[c], scan[SPREADS, c]
        weight = unit * close * close
        near, near_spread = near + close, near_spread + width * close
        square, square_spread = square + weight, square_spread + width * weight
        leaves += scan[PEAKS, c]
        add_distances(s, w, c, weight, width * weight, sums, others)
        c = clu[c]["beside"]
    row[h] = 0.0
    bounds_of_hub(
        row,
        scan[SIZES],
        scan[SPREADS],
        scan[STAKES],
        sums,
        others,
        h,
        k,
        near,
        near_spread,
        square,
        square_spread,
        1.0 / unit,
        total * (1.0 - SLACK) - leaves,
        NOTHING * s.now[0]["cp"] * (1.0 + SLACK),
        out,
    )
    row[h] = NOWHERE
    for c in range(k):
        if int(top[w, c, TOPS + 1]) == h:  # what it has with neither is even less
            out[int(top[w, c, TOPS])] -= top[w, c, 1] - top[w, c, 2]
    c = clu[h]["leaning"]
    while c >= 0:  # it is no third one
        share, between, width = shape_after(s, w, h, c)
        has = (width + scan[SPREADS, c]) / row[c]
        out[c] += scan[PEAKS, c] - (1.0 + SLACK) * has * (1.0 + share + between / row[c])
        c = clu[c]["beside"]


@jit_sums
def bounds_of_hub(
    row: Floats,
    sizes: Floats,
    spreads: Floats,
    stakes: Floats,
    sums: Floats,
    others: Floats,
    h: int,
    k: int,
    near: float,
    near_spread: float,
    square: float,
    square_spread: float,
    per_unit: float,
    base: float,
    nothing: float,
    out: Floats,
) -> None:
    """See `bound_hub`."""
    n, spread = sizes[h], spreads[h]
    for x in range(k):
        both = n + sizes[x]
        share = sizes[x] / both
        between = share * (1.0 - share) * row[x]
        width = spread + share * (spreads[x] - spread) + between
        width = width if width * both > nothing else 0.0
        have = (1.0 + share) * (near_spread + width * near)
        have += between * (square_spread + width * square) * per_unit
        lose = share * (others[x] + width * sums[x]) * per_unit
        out[x] = base - stakes[x] + have * (1.0 - SLACK) - lose * (1.0 + SLACK)
