r"""XB: a proof that no grouping of the clusters by two mergers or more is better, all at once.

With W = WGSS, least squared distance m and :math:`p = m/W`, a grouping is better only if its least
distance is above p times its WGSS. Let t mergers make it, each of which adds c to WGSS at least
(`merge_bounds`). Then one of these is enough:

- *far*: no two means are as far apart as that;
- *average*: the least distance is no more than the average one of all pairs of samples of
  different groups, :math:`N\cdot BGSS/\sum_{g<h}n_gn_h`, and the groups are no more unequal than if
  all t mergers went to the largest cluster, or all groups but one were the smallest cluster;
- *the star*: a cluster H, of the nearest pair, has many others near. If H stays alone, t mergers
  touch 2t others, and the (2t+1)-th nearest of them bounds the least distance. Otherwise H is with
  s others, with :math:`q` samples, in a group G. No more than 2t - s others are touched, so one of
  the nearest u = 2t - s + 1 stays as it is: let that be j. By Stewart's theorem, with r the
  distances from H and shares :math:`\lambda` of G,

  .. math:: |\mu_G-\mu_j|^2 = \lambda_Hr_j+\sum_i\lambda_iD_{ij} - V,\qquad
            V = \sum_i\lambda_H\lambda_ir_i + \sum_{i<i'}\lambda_i\lambda_{i'}D_{ii'}

  while G adds :math:`n_GV` to WGSS. So the grouping loses if

  .. math:: \lambda_Hr_j+\sum_i\lambda_iD_{ij} - (1+pn_G)V \le p(W+(t-s)c)

  and the left side is at most, with :math:`y = q/n_G`, the least distance a without H, and the size
  b of the largest of the others,

  .. math:: r_u + y(M-r_u) - (1+pn_G)\tfrac a2\,y\,\frac{q-b}{n_G},\qquad
            M = \max_i\,\max_{j\le u}D_{ij} - (\lambda_H+pn_H)r_i

Whether that is so is asked for ranges of q.
"""

import math
from typing import NamedTuple

from .._jit import jit
from .._typing import Floats
from .compare import SLACK
from .hub_bounds import find_hub, least_without
from .merge_bounds import find_least_cost
from .state import DISTANCE, LIVE, PAIR, TRIAL, WITH_A, State

# A range of q is so many times as far as it begins.
STEP = 1.5
# Rows of a matrix that is free to use: squared distances from H, infinite where one has been taken;
# and from this one on, of each cluster the greatest from any of the nearest u
FROM_HUB, GREATEST = 0, 1
# With fewer clusters, there is no room for that, and nothing to be gained.
LEAST_CLUSTERS = 12
# The star is asked about no more mergers than so many: what takes that long is mostly in vain.
MOST_MERGERS = 12


class Star(NamedTuple):
    """A cluster H and the others around it."""

    hub: int
    own: float  # samples of H,
    fewest: float  # of the smallest of the others
    most: float  # and of the largest
    apart: float  # least squared distance between two others
    price: float  # p
    within: float  # WGSS
    cost: float  # what a merger adds to it at least


@jit
def no_grouping_wins(s: State, top: Floats | None) -> bool:
    """Proof that no grouping of the live clusters by two mergers or more is better."""
    k, clu, best, n = s.now[LIVE]["k"], s.clu[LIVE], s.now[LIVE]["goodness"], float(s.now[0]["n"])
    if top is None or k < LEAST_CLUSTERS or s.params[0]["prove"] == 0:
        return False
    if not -math.inf < best < 0.0:
        return False
    far, squares, fewest, most, second = 0.0, 0.0, n, 0.0, 0.0
    for c in range(k):
        own = float(clu[c]["n"])
        far, squares, fewest = max(far, clu[c]["far"]), squares + own * own, min(fewest, own)
        most, second = max(most, own), max(second, min(most, own))
    star = look_around(s, top)
    scatter, far, known = s.now[0]["cp"] * (1.0 + SLACK), far * (1.0 + SLACK), 0
    for t in range(1, k - 1):
        within = star.within + t * star.cost
        needed = star.price * within
        if needed >= far:  # and so it is for all later ones
            return True
        if t == 1:
            continue
        groups = float(k - t)
        unequal = squares + t * second * (2.0 * most + t * second)
        others = (groups - 1.0) * fewest
        unequal = min(unequal, others * fewest + (n - others) * (n - others))
        if 2.0 * n * (scatter - within) <= needed * (n * n - unequal):
            continue
        if t > MOST_MERGERS or 2 * t + 1 >= k - GREATEST:
            return False
        while known < 2 * t + 1:
            known += 1
            take_next(s, star.hub, known)
        if s.each[WITH_A, 2 * t + 1] > needed or not star_holds(s, star, t):
            return False
    return True


@jit
def look_around(s: State, top: Floats) -> Star:
    """The star of the live partition, none of which is taken."""
    k, clu, hub, work = s.now[LIVE]["k"], s.clu[LIVE], find_hub(s, top, LIVE), s.matrix[TRIAL, PAIR]
    fewest, most = math.inf, 0.0
    for c in range(k):
        work[FROM_HUB, c] = s.matrix[LIVE, DISTANCE, hub, c]
        work[GREATEST, c] = 0.0
        if c != hub:
            fewest, most = min(fewest, float(clu[c]["n"])), max(most, float(clu[c]["n"]))
    work[FROM_HUB, hub] = math.inf
    price = (1.0 - 2.0 * SLACK) / (s.now[0]["n"] * -s.now[LIVE]["goodness"])
    cost = find_least_cost(s, LIVE) * (1.0 - SLACK)
    apart, own = least_without(s, top, LIVE, hub), float(clu[hub]["n"])
    return Star(hub, own, fewest, most, apart, price, s.now[LIVE]["within"], cost)


@jit
def take_next(s: State, hub: int, u: int) -> None:
    """The u-th nearest one to H: its distance is noted in ``with_a``, and what it adds to `M`."""
    k, work, nearest = s.now[LIVE]["k"], s.matrix[TRIAL, PAIR], 0
    for c in range(1, k):
        if work[FROM_HUB, c] < work[FROM_HUB, nearest]:
            nearest = c
    s.each[WITH_A, u] = work[FROM_HUB, nearest] * (1.0 + SLACK)
    work[FROM_HUB, nearest] = math.inf
    raise_greatest(k, work[GREATEST + u - 1], s.matrix[LIVE, DISTANCE, nearest], work[GREATEST + u])
    work[GREATEST + u, hub] = 0.0


@jit
def raise_greatest(k: int, before: Floats, row: Floats, after: Floats) -> None:
    """The greater of two, for all clusters."""
    for c in range(k):
        after[c] = before[c] if before[c] > row[c] else row[c]


@jit
def star_holds(s: State, star: Star, t: int) -> bool:
    """Proof that t mergers lose of which one at least is H's."""
    k, own, work = s.now[LIVE]["k"], star.own, s.matrix[TRIAL, PAIR]
    row = s.matrix[LIVE, DISTANCE, star.hub]
    for with_hub in range(1, t + 1):
        u = 2 * t - with_hub + 1
        reach = s.each[WITH_A, u]
        limit = star.price * (star.within + (t - with_hub) * star.cost)
        low, last = with_hub * star.fewest, with_hub * star.most
        while True:
            high = min(low * STEP, last)
            weight = own / (own + high) + star.price * own
            most = greatest_excess(k, work[GREATEST + u], row, weight) * (1.0 + SLACK)
            share = high / (own + high) if most > reach else low / (own + low)
            group = own + low
            saved = (1.0 + star.price * group) * max(low - star.most, 0.0) * low / (group * group)
            if reach + share * (most - reach) - 0.5 * star.apart * saved * (1.0 - SLACK) > limit:
                return False
            if high >= last:
                break
            low = high
    return True


@jit
def greatest_excess(k: int, greatest: Floats, row: Floats, weight: float) -> float:
    """Of the first over `weight` times the second; 0 if it is nowhere above."""
    most = 0.0
    for c in range(k):
        excess = greatest[c] - weight * row[c]
        most = excess if excess > most else most
    return most
