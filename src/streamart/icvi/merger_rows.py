r"""DB: the bounds of `merger_sums` for all mergers of a cluster at once, and a sharper one.

What is asked of all pairs of clusters at every stage of a walk stands side by side here, in rows
that are free between two samples, so that several pairs are answered at a time: sizes, spreads, the
greatest R of each cluster, and its *stake*, that and what hangs on it. For the row of cluster i,
the R of the result with i's own rival r bounds that of the result:

.. math:: S'_{ij} \ge S - stake_i - stake_j - jointly_{ij} + R_{mr}

Mostly a merger is not bad because of the two clusters, but because the result is so wide that it
becomes the rival of many others. They have R with it if that is more than what they have:

.. math:: S'_{ij} \ge S - \dots + \sum_c \max(R_{cm}-o_c, 0)

which is added up in pieces, until it is enough. Distances from the result are Stewart's. Where the
formula cancels, a distance is at most what the formula must leave to be used (`on_the_line`).
"""

import math

import numpy as np

from .._jit import jit, jit_sums
from .._typing import Floats
from .compare import NOTHING, SLACK
from .footprints import CANCELS
from .state import (
    ACTIVATION,
    DISTANCE,
    EXACT,
    FROM_X,
    MATCH,
    SHARE,
    TOPS,
    TRIAL,
    VALUE,
    WANTED,
    State,
)
from .tops import greatest_with_others, rival_without

# Rows that are free to use while mergers are looked for: of `scan`,
SIZES, SPREADS, PEAKS, STAKES = ACTIVATION, MATCH, EXACT, SHARE
# and of `each`: what hangs on a cluster and the present one together, the bounds of a row, and the
# greatest R of each cluster with others than the one that most lean on
JOINTLY, BOUNDS, BESIDE_HUB = VALUE, WANTED, FROM_X
# and of `branch`: of a row, the R of the result with the present cluster's own rival; bounds
# without that (`merger_rises`)
OWN, HIGHER = 0, 1
# A cluster is so far from itself that it has no R with what it is a part of.
NOWHERE = 1e300
# So many clusters are asked about at a time.
PIECE = 16
# So many pairs are remembered that were good at some time.
REMEMBERED = 6


@jit
def prepare_rows(s: State, top: Floats, w: int) -> int:
    """After `prepare_mergers`: the rows; returns the cluster that most others lean on.

    Lists for each cluster those that have their two greatest R with it and a later one.
    """
    k, clu, scan, hub, most = s.now[w]["k"], s.clu[w], s.scan, 0, 0
    for c in range(k):
        scan[SIZES, c] = clu[c]["n"]
        scan[SPREADS, c] = clu[c]["spread"]
        scan[PEAKS, c] = top[w, c, 0]
        scan[STAKES, c] = top[w, c, 0] + clu[c]["hanging"]
        s.each[JOINTLY, c] = 0.0
        s.matrix[w, DISTANCE, c, c] = NOWHERE
        clu[c]["leaned_on"] = 0
        clu[c]["entwined"] = -1
    for c in range(k):
        first, second = int(top[w, c, TOPS]), int(top[w, c, TOPS + 1])
        lower = min(first, second)
        clu[c]["abreast"] = clu[lower]["entwined"]
        clu[lower]["entwined"] = c
        clu[first]["leaned_on"] += 1
        if clu[first]["leaned_on"] > most:
            hub, most = first, clu[first]["leaned_on"]
    for c in range(k):
        s.each[BESIDE_HUB, c] = top[w, c, 1] if int(top[w, c, TOPS]) == hub else top[w, c, 0]
    return hub


@jit
def leave_rows(s: State, w: int) -> None:
    """Distances are as before."""
    for c in range(s.now[w]["k"]):
        s.matrix[w, DISTANCE, c, c] = 0.0


@jit
def write_jointly(s: State, top: Floats, w: int, i: int, present: float) -> None:
    """What hangs on cluster i and a later one together, beyond each alone; or back to 0.

    Of the two, the one that leans on the other is not a third cluster, and has nothing hanging.
    """
    clu, jointly, own = s.clu[w], s.each[JOINTLY], int(top[w, i, TOPS])
    c = clu[i]["entwined"]
    while c >= 0:
        later = max(int(top[w, c, TOPS]), int(top[w, c, TOPS + 1]))
        jointly[later] = present * (jointly[later] + top[w, c, 1] - top[w, c, 2])
        c = clu[c]["abreast"]
    c = clu[i]["leaning"]
    while c >= 0:
        jointly[c] = present * (jointly[c] - (top[w, c, 0] - top[w, c, 1]))
        c = clu[c]["beside"]
    jointly[own] = present * (jointly[own] - (top[w, i, 0] - top[w, i, 1]))


@jit
def bound_row(s: State, top: Floats, w: int, i: int, total: float) -> None:
    """``each[BOUNDS]``: at least so great is the sum of maxima with cluster i and a later one as
    one, but for what the result has: ``branch[OWN]``, by i's own rival, of which nothing is said.
    So is ``branch[HIGHER]``, as yet. `total` is the sum now."""
    own, scan, matrix = int(top[w, i, TOPS]), s.scan, s.matrix[w, DISTANCE]
    write_jointly(s, top, w, i, 1.0)
    bounds_of_row(
        matrix[i],
        matrix[own],
        scan[SIZES],
        scan[SPREADS],
        scan[STAKES],
        s.each[JOINTLY],
        i,
        own,
        s.now[w]["k"],
        total * (1.0 - SLACK) - scan[STAKES, i],
        NOTHING * s.now[0]["cp"] * (1.0 + SLACK),
        s.each[BOUNDS],
        s.branch[HIGHER],
        s.branch[OWN],
    )
    write_jointly(s, top, w, i, 0.0)


@jit_sums
def bounds_of_row(
    row: Floats,
    from_rival: Floats,
    sizes: Floats,
    spreads: Floats,
    stakes: Floats,
    jointly: Floats,
    i: int,
    rival: int,
    k: int,
    base: float,
    nothing: float,
    out: Floats,
    higher: Floats,
    with_rival: Floats,
) -> None:
    """See `bound_row`."""
    n, spread, near, edge = sizes[i], spreads[i], row[rival], spreads[rival]
    for j in range(np.uint64(i + 1), np.uint64(k)):
        both = n + sizes[j]
        share = sizes[j] / both
        between = share * (1.0 - share) * row[j]
        width = spread + share * (spreads[j] - spread) + between
        if width * both <= nothing:
            width = 0.0
        apart = near + share * (from_rival[j] - near)
        distance = max(apart - between, CANCELS * apart)
        bound = base - stakes[j] - jointly[j]
        out[j] = bound
        higher[j] = bound
        with_rival[j] = (width + edge) / distance


@jit_sums
def rises(
    row: Floats,
    other_row: Floats,
    spreads: Floats,
    peaks: Floats,
    begin: int,
    end: int,
    share: float,
    between: float,
    width: float,
) -> float:
    """What the R of some clusters with the result are more than what these have now, in sum."""
    total = 0.0
    for c in range(np.uint64(begin), np.uint64(end)):
        apart = row[c] + share * (other_row[c] - row[c])
        distance = max(apart - between, CANCELS * apart)
        total += max((width + spreads[c]) / distance - peaks[c], 0.0)
    return total


@jit
def shape_after(s: State, w: int, i: int, j: int) -> tuple[float, float, float]:
    """Of clusters i and j as one: the share of j, and what is between them of the spread; that."""
    sizes, spreads = s.scan[SIZES], s.scan[SPREADS]
    both = sizes[i] + sizes[j]
    share = sizes[j] / both
    between = share * (1.0 - share) * s.matrix[w, DISTANCE, i, j]
    width = spreads[i] + share * (spreads[j] - spreads[i]) + between
    if width * both <= NOTHING * s.now[0]["cp"] * (1.0 + SLACK):
        width = 0.0
    return share, between, width


@jit
def exceeds_at_once(s: State, w: int, i: int, j: int, hub: int, limit: float) -> bool:
    """`sum_exceeds` by the bound of the row, and by what others have with the result.

    Those that lean on i or j have at least what the bound leaves them, and as much more as they
    would have more than now. Of the hub, the bound leaves too little for that. Given up where the
    first ones say that there will not be enough.
    """
    begin, k, total = 0, s.now[w]["k"], 0.0
    lacks = limit - s.each[BOUNDS, j] - s.branch[OWN, j]
    if hub in (i, j):
        return False
    matrix, spreads, peaks = s.matrix[w, DISTANCE], s.scan[SPREADS], s.scan[PEAKS]
    share, between, width = shape_after(s, w, i, j)
    while begin < k:
        end = min(begin + PIECE, k)
        total += rises(matrix[i], matrix[j], spreads, peaks, begin, end, share, between, width)
        begin = end
        if total > lacks:
            return True
        if not total * k > lacks * begin:
            return False
    return False


@jit
def sum_exceeds(
    s: State, top: Floats, w: int, i: int, j: int, hub: int, total: float, limit: float
) -> bool:
    """Proof that the sum of maxima is greater than `limit` with clusters i < j as one."""
    k, clu, scan, matrix = s.now[w]["k"], s.clu[w], s.scan, s.matrix[w, DISTANCE]
    share, between, width = shape_after(s, w, i, j)
    with_hub = hub in (i, j)
    peaks = s.each[BESIDE_HUB] if with_hub else scan[PEAKS]
    own = similarity_with(s, w, i, j, rival_without(top, w, i, j), share, between, width)
    own = max(own, similarity_with(s, w, i, j, rival_without(top, w, j, i), share, between, width))
    result = total * (1.0 - SLACK) - peaks[i] - peaks[j]
    if with_hub:  # those that lean on it have what they have beside it
        result -= clu[hub]["hanging"]
        c = clu[i]["entwined"]
        while c >= 0:
            first, second = int(top[w, c, TOPS]), int(top[w, c, TOPS + 1])
            if first == hub and max(first, second) == j and c not in (i, j):
                with_both = similarity_with(s, w, i, j, c, share, between, width)
                result += max(top[w, c, 2], with_both) - max(top[w, c, 1], with_both)
            c = clu[c]["abreast"]
    for moved in (i, j):
        c = clu[moved]["leaning"] if moved != hub else -1
        while c >= 0:
            if c not in (i, j):
                with_both = similarity_with(s, w, i, j, c, share, between, width)
                own = max(own, with_both)
                others = greatest_with_others(top, w, c, i, j)
                result += max(others, with_both) - max(peaks[c], with_both)
            c = clu[c]["beside"]
    result += own
    begin = 0
    while begin < k and not result > limit:
        end = min(begin + PIECE, k)
        result += rises(
            matrix[i], matrix[j], scan[SPREADS], peaks, begin, end, share, between, width
        )
        begin = end
    return result > limit


@jit
def similarity_with(
    s: State, w: int, i: int, j: int, c: int, share: float, between: float, width: float
) -> float:
    """R of cluster c with the result: at least so much."""
    matrix = s.matrix[w, DISTANCE]
    apart = matrix[i, c] + share * (matrix[j, c] - matrix[i, c])
    return float((width + s.scan[SPREADS, c]) / max(apart - between, CANCELS * apart))


@jit
def highest_sum(k: int, bar: float) -> float:
    """A sum of maxima of k clusters that is greater makes the index worse than `bar`.

    NaN where that says nothing.
    """
    return -bar * k * (1.0 + SLACK) if -math.inf < bar <= 0.0 else math.nan


# ------------------------------------------------------------------ pairs that were good before


@jit
def remember_pair(s: State, i: int, j: int) -> None:
    """A merger of clusters i and j is better than what was known before."""
    clu, last = s.clu[TRIAL], 0
    for place in range(REMEMBERED):
        if clu[place]["best_i"] == i and clu[place]["best_j"] == j:
            last = place
            break
        last = place
    for place in range(last, 0, -1):
        clu[place]["best_i"] = clu[place - 1]["best_i"]
        clu[place]["best_j"] = clu[place - 1]["best_j"]
    clu[0]["best_i"], clu[0]["best_j"] = i, j


@jit
def follow_merger(s: State, i: int, j: int) -> None:
    """Cluster j has joined cluster i: later ones have moved up."""
    for place in range(REMEMBERED):
        pair = s.clu[TRIAL, place]
        for_i, for_j = pair["best_i"], pair["best_j"]
        for_i = i if for_i == j else for_i - (1 if for_i > j else 0)
        for_j = i if for_j == j else for_j - (1 if for_j > j else 0)
        pair["best_i"], pair["best_j"] = min(for_i, for_j), max(for_i, for_j)
