r"""XB: a proof that no grouping of clusters around a hub is better, by all their distances.

Let H be a cluster in the middle, of :math:`n_H` samples, r the squared distances of the others from
it, D those between them, N all samples, and p such that a grouping is better only if its least
squared distance is above p times its WGSS. Whatever is merged, H is in a group G with S, others of
q samples in sum. With shares :math:`\lambda` of G, and V what G adds to WGSS over its samples,

.. math:: |\mu_G-\mu_i|^2 = \lambda_Hr_i+\sum_{x\in S}\lambda_xD_{ix} - V,\qquad
          V = \tfrac1{n_G^2}\Big(n_H\sum_{x\in S}n_xr_x + Q\Big),\quad Q=\sum_{x<x'}n_xn_{x'}D_{xx'}

Let :math:`\rho` be p times WGSS of the grouping without what G adds. If it is better, every other
group is farther from G than :math:`\rho+pn_GV`. So :math:`\rho` is less than each of these caps:

- the average of the distances from G, less :math:`pn_GV`. That is linear in the clusters of S:
  :math:`\lambda_HT/m + \sum_x n_xe_x - Q(\tfrac2{n_Gm}+\tfrac{1+pn_G}{n_G^2})` with m the samples
  that are not in G, :math:`T=\sum n_ir_i`, :math:`R_x=\sum_i n_iD_{ix}` over all, H too, and
  :math:`e_x = \tfrac{R_x}{n_Gm}-\lambda_Hr_x(\tfrac2m+\tfrac1{n_G}+p)`;
- :math:`\max R_i/n_G-(1+pn_G)V`, since the distance above is at most :math:`R_i/n_G-V`;
- the greatest distance of all, less :math:`pn_GV`.

On the other hand it costs something to hide those that are near to G. Let i be no farther from it
than is needed. Then the mean of its group J is, and of J, such ones are a share :math:`\mu`. With A
the greatest distance from G and a the least between two others, J adds :math:`V_J\ge
a\mu(1-\mu)` per sample, and :math:`(1-\mu)(A-\rho)>V_J`. So its cost is above :math:`a-A+\rho`
(both less :math:`pn_GV`) for each of their samples, and if c samples are that near, less the q
that may be in G,

.. math:: \rho \ge p\,(W + (a-A+\rho)\,c)

which raises :math:`\rho`, so that more are near enough, until it reaches a cap: then the grouping
is not better. All this is asked for ranges of q.
"""

import math
from typing import NamedTuple

from .._jit import jit
from .._typing import Floats
from .compare import SLACK
from .eigenvalues import dot
from .followed_mergers import FROM_HUB, GONE, ROWS, SIZE
from .state import DISTANCE, LIVE, PAIR, TRIAL, State

# A range of q, or of what is left, is so many times as far as it begins.
STEP = 1.3
# How often what hiding costs may raise the bound
RAISES = 6
# Rows for what is noted of each cluster, after those of `followed_mergers`: R, and what no squared
# distance between it and another one, but H, is above
SUM, FARTHEST, ALL_ROWS = range(ROWS, ROWS + 3)


class Around(NamedTuple):
    """What counts of H and the others, whatever is merged."""

    own: float  # samples of H,
    others: float  # of all others,
    fewest: float  # of the smallest of them
    most: float  # and of the largest
    near: float  # least squared distance from H,
    reach: float  # greatest
    total: float  # and T
    apart: float  # least squared distance between two others,
    far: float  # and greatest of all
    sums: float  # the greatest R,
    outer: float  # the greatest without H,
    inner: float  # Q of all others
    price: float  # p
    within: float  # WGSS


class Range(NamedTuple):
    """Of q, from `low` to `high`: bounds of what follows from it."""

    low: float
    high: float
    own_low: float  # the share of H in G
    own_high: float
    left_low: float  # m
    left_high: float
    spread: float  # V at least
    pairs: float  # Q at least


@jit
def note_sums(s: State, w: int, own: float) -> None:
    """R of each cluster that is left, and how far the farthest of the others is."""
    k, work = s.now[LIVE]["k"], s.matrix[TRIAL, PAIR]
    for c in range(k):
        if work[GONE, c] == 0.0:
            row = s.matrix[w, DISTANCE, c]
            work[SUM, c] = dot(work[SIZE], row, k) + own * work[FROM_HUB, c]
            work[FARTHEST, c] = farthest(k, work[SIZE], row) * (1.0 + SLACK)


@jit
def farthest(k: int, size: Floats, row: Floats) -> float:
    """Of a row of distances, the greatest to one that is left."""
    most = 0.0
    for c in range(k):
        if row[c] > most and size[c] > 0.0:
            most = row[c]
    return most


@jit
def unite_sums(s: State, i: int, j: int) -> None:
    """R, and how far the farthest is, if cluster j joins cluster i: before it does."""
    work, length = s.matrix[TRIAL, PAIR], s.matrix[TRIAL, DISTANCE, i, j]
    share, n = work[SIZE, j] / (work[SIZE, i] + work[SIZE, j]), float(s.now[0]["n"])
    work[SUM, i] += share * (work[SUM, j] - work[SUM, i]) - n * share * (1.0 - share) * length
    work[FARTHEST, i] = max(work[FARTHEST, i], work[FARTHEST, j])


@jit
def no_grouping_around(
    s: State, within: float, own: float, near: float, apart: float, grown: float
) -> bool:
    """Proof that no grouping of what is left is better than the live partition.

    WGSS has grown by so much since the sums R were noted: they have fallen by that.
    """
    around = look_at_all(s, within, own, near, apart, grown)
    if not holds_for(s, around, range_of(around, 0.0, 0.0), grown):
        return False
    low, last = around.fewest, around.others - around.fewest
    while low <= last:
        high = min(low * STEP, low + (around.others - low) * (1.0 - 1.0 / STEP), last)
        if not holds_for(s, around, range_of(around, low, high), grown):
            return False
        if high >= last:
            break
        low = high
    return True


@jit
def look_at_all(
    s: State, within: float, own: float, near: float, apart: float, grown: float
) -> Around:
    """What is asked of all clusters once."""
    k, work, n = s.now[LIVE]["k"], s.matrix[TRIAL, PAIR], float(s.now[0]["n"])
    from_hub, size, gone, sums = work[FROM_HUB], work[SIZE], work[GONE], work[SUM]
    fewest, most, reach, far, greatest, outer, inner = n, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for c in range(k):
        if gone[c] == 0.0:
            fewest, most = min(fewest, size[c]), max(most, size[c])
            reach, far = max(reach, from_hub[c]), max(far, work[FARTHEST, c])
            both = sums[c] - grown
            greatest, outer = max(greatest, both), max(outer, both - own * from_hub[c])
            inner += size[c] * (both - own * from_hub[c])
    total, price = dot(size, from_hub, k), (1.0 - 2.0 * SLACK) / (n * -s.now[LIVE]["goodness"])
    reach, far = reach * (1.0 + SLACK), max(reach, far) * (1.0 + SLACK)
    return Around(
        own,
        n - own,
        fewest,
        most,
        near * (1.0 - SLACK),
        reach,
        total,
        apart * (1.0 - SLACK),
        far,
        greatest * (1.0 + SLACK),
        outer * (1.0 + SLACK),
        0.5 * inner * (1.0 - SLACK),
        price,
        within,
    )


@jit
def range_of(around: Around, low: float, high: float) -> Range:
    """What follows from q."""
    own, others = around.own, around.others
    first, last = own + low, own + high
    own_low, own_high = own / last, own / first
    left_low, left_high = others - high, others - low
    pairs = max(0.5 * around.apart * low * (low - around.most), 0.0)
    pairs = max(pairs, around.inner - left_high * around.outer)
    distance = around.near
    if low > 0.0:
        distance = max(distance, (around.total - left_high * around.reach) / low)
    products = min(own_low * (1.0 - own_low), own_high * (1.0 - own_high))
    spread = (products * distance + pairs / (last * last)) * (1.0 - SLACK)
    return Range(low, high, own_low, own_high, left_low, left_high, spread, pairs)


@jit
def holds_for(s: State, around: Around, q: Range, grown: float) -> bool:
    """Proof that no grouping is better in which the others in G have so many samples."""
    bound, price, first = around.price * around.within, around.price, around.own + q.low
    lift = q.spread * (1.0 + price * first)
    cap = min(around.far - price * first * q.spread, around.sums / first - lift)
    if bound >= cap:
        return True
    cap = min(cap, average_distance(s, around, q, grown))
    if bound >= cap:
        return True
    k, work = s.now[LIVE]["k"], s.matrix[TRIAL, PAIR]
    share, kept = 1.0 - q.own_low, q.own_high
    most = greatest_of(k, work, kept, share) * (1.0 + SLACK)
    for _ in range(RAISES):
        # those that are no farther from G than `bound`
        count = samples_near(k, work, kept, share, (bound + lift) * (1.0 - SLACK)) - q.high
        if count <= 0.0:
            return False
        slope, needed = (
            price * count,
            price * (around.within + (around.apart - most + lift) * count),
        )
        if slope >= 1.0:
            return needed + (slope - 1.0) * bound > SLACK * bound
        raised = needed / (1.0 - slope) * (1.0 - SLACK)
        if raised >= cap:
            return True
        if raised <= bound * (1.0 + SLACK):
            return False
        bound = raised
    return False


@jit
def average_distance(s: State, around: Around, q: Range, grown: float) -> float:
    """The cap by the average of the distances from G."""
    k, work, price = s.now[LIVE]["k"], s.matrix[TRIAL, PAIR], around.price
    first, last = around.own + q.low, around.own + q.high
    by_sum = 1.0 / (first * q.left_low)
    by_hub = q.own_low * (2.0 / q.left_high + 1.0 / last + price)
    highest, lowest, total = survey_sums(k, work, by_sum, by_hub, grown)
    taken = (q.high if highest > 0.0 else q.low) * highest
    taken = min(taken, total - q.left_high * min(lowest, 0.0))
    saved = q.pairs * (2.0 / (last * q.left_high) + (1.0 + price * first) / (last * last))
    return (q.own_high * around.total / q.left_low + taken) * (1.0 + SLACK) - saved * (1.0 - SLACK)


@jit
def survey_sums(
    k: int, work: Floats, by_sum: float, by_hub: float, grown: float
) -> tuple[float, float, float]:
    """Greatest and least e of all clusters, and their sum over all samples."""
    from_hub, size, gone, sums = work[FROM_HUB], work[SIZE], work[GONE], work[SUM]
    highest, lowest, total = -math.inf, math.inf, 0.0
    for c in range(k):
        if gone[c] == 0.0:
            excess = (sums[c] - grown) * by_sum - from_hub[c] * by_hub
            highest = excess if excess > highest else highest
            lowest = excess if excess < lowest else lowest
            total += size[c] * excess
    return highest, lowest, total


@jit
def greatest_of(k: int, work: Floats, kept: float, share: float) -> float:
    """At most so far is any other from G, plus V."""
    from_hub, gone, far, most = work[FROM_HUB], work[GONE], work[FARTHEST], 0.0
    for c in range(k):
        distance = kept * from_hub[c] + share * far[c]
        if distance > most and gone[c] == 0.0:
            most = distance
    return most


@jit
def samples_near(k: int, work: Floats, kept: float, share: float, most: float) -> float:
    """Of those that are no farther from G than this, plus V."""
    from_hub, size, far, count = work[FROM_HUB], work[SIZE], work[FARTHEST], 0.0
    for c in range(k):
        near = kept * from_hub[c] + share * far[c] <= most
        count += size[c] if near else 0.0
    return count
