r"""XB: a proof that no grouping of the clusters by two mergers or more is better, all at once.

With W = WGSS, least squared distance m and :math:`p = m/W`, a grouping is better only if its least
distance is above p times its WGSS. Let t mergers make it, which add :math:`C_t` to WGSS at least.
Each adds c, the least cost of any merger. Besides, a group g adds
:math:`\sum_{i<j}n_in_jD_{ij}/n_g\ge\tfrac12\sum_ic_i\sum_{j\ne i}(n_i+n_j)/n_g\ge\tfrac12\sum_ic_i`
with :math:`c_i` the least cost of a merger of i, and more than t clusters have a part in t mergers:
:math:`C_t` is tc or half the sum of the t+1 least :math:`c_i`. Then one of these is enough:

- *far*: no two means are as far apart as that;
- *average*: the least distance is no more than the average one of all pairs of samples of
  different groups, :math:`N\cdot BGSS/\sum_{g<h}n_gn_h`, and the groups are no more unequal than if
  all t mergers went to the largest cluster, or all groups but one were the smallest cluster;
- *the star*: a cluster H, of the nearest pair, has many others near. If H stays alone, t mergers
  touch 2t others, and the (2t+1)-th nearest of them bounds the least distance. Otherwise H is with
  s others, with :math:`q` samples, in a group G. No more than 2t - s others are touched, so three
  of the nearest u = 2t - s + 3 stay as they are: let one of them be j. By Stewart's theorem, with r
  the distances from H and shares :math:`\lambda` of G,

  .. math:: |\mu_G-\mu_j|^2 = \lambda_Hr_j+\sum_i\lambda_iD_{ij} - V,\qquad
            V = \sum_i\lambda_H\lambda_ir_i + \sum_{i<i'}\lambda_i\lambda_{i'}D_{ii'}

  while G adds :math:`n_GV` to WGSS. The least distance is no more than the average of the three, so
  the grouping loses if

  .. math:: \lambda_H\bar r+\sum_i\lambda_i\bar D_i - (1+pn_G)V \le p(W+C_{t-s})

  and the left side is at most, with :math:`\bar r` and :math:`\bar D_i` the averages of the three
  greatest of the nearest u, :math:`y = q/n_G`, the least distance a without H, and the size b of
  the largest of the others,

  .. math:: \bar r + y(M-\bar r) - (1+pn_G)\tfrac a2\,y\,\frac{q-b}{n_G},\qquad
            M = \max_i\,\bar D_i - (\lambda_H+pn_H)r_i

  (One that stays would do instead of three, but there is always one that is far from some i.)

That is asked for ranges of t, s and q: the more of the mergers are not H's, the wider. A range of t
has the :math:`C_{t-s}` of its first, and as many are touched as by its last.
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
STEP = 1.25
# So many that stay as they are are averaged over.
STAYING = 3
# Rows of a matrix that is free to use: squared distances from H, infinite where one has been taken;
# least costs of each cluster, likewise; by how many have been taken of these, half of their sum;
# of each cluster the greatest distance from any that has been taken, the next, and the third; and
# from this row on, by u, the averages of these
FROM_HUB, COST, HALF_SUM, FIRST, SECOND, THIRD, AVERAGE = range(7)
# With fewer clusters, there is no room for that, and nothing to be gained.
LEAST_CLUSTERS = 16
# A range of mergers is at first so many times as long as those are that are not H's.
WIDER = 2
# The star is asked about no more mergers than so many: what takes that long is mostly in vain.
MOST_MERGERS = 32


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
    k, best = s.now[LIVE]["k"], s.now[LIVE]["goodness"]
    if top is None or k < LEAST_CLUSTERS or s.params[0]["prove"] == 0:
        return False
    if not -math.inf < best < 0.0:
        return False
    star = look_around(s, top)
    last = last_to_be_asked(s, star)
    if last > MOST_MERGERS or 2 * last + STAYING >= k - AVERAGE:
        return False
    for u in range(1, 2 * last + STAYING):
        take_next(s, star.hub, u)
    for t in range(2, last + 1):
        if s.each[WITH_A, 2 * t + 1] > star.price * (star.within + cost_of(s, star, t)):
            return False
    for with_hub in range(1, last + 1):
        if not star_holds(s, star, with_hub, last):
            return False
    return True


@jit
def last_to_be_asked(s: State, star: Star) -> int:
    """With more mergers than this, the grouping loses by the greatest distance or the average."""
    k, clu, n = s.now[LIVE]["k"], s.clu[LIVE], float(s.now[0]["n"])
    far, squares, fewest, most, second = 0.0, 0.0, n, 0.0, 0.0
    for c in range(k):
        own = float(clu[c]["n"])
        far, squares, fewest = max(far, clu[c]["far"]), squares + own * own, min(fewest, own)
        most, second = max(most, own), max(second, min(most, own))
    scatter, far, last = s.now[0]["cp"] * (1.0 + SLACK), far * (1.0 + SLACK), 1
    for t in range(2, k - 1):
        take_cheapest(s, t)
        within = star.within + cost_of(s, star, t)
        needed = star.price * within
        if needed >= far:  # and so it is for all later ones
            break
        unequal = squares + t * second * (2.0 * most + t * second)
        others = (k - t - 1.0) * fewest
        unequal = min(unequal, others * fewest + (n - others) * (n - others))
        if 2.0 * n * (scatter - within) > needed * (n * n - unequal):
            last = t
            if last > MOST_MERGERS:
                break
    return last


@jit
def look_around(s: State, top: Floats) -> Star:
    """The star of the live partition, none of which is taken."""
    k, clu, hub, work = s.now[LIVE]["k"], s.clu[LIVE], find_hub(s, top, LIVE), s.matrix[TRIAL, PAIR]
    fewest, most = math.inf, 0.0
    for c in range(k):
        work[FROM_HUB, c] = s.matrix[LIVE, DISTANCE, hub, c]
        work[COST, c] = clu[c]["least"] * (1.0 - SLACK)
        work[FIRST, c] = 0.0
        work[SECOND, c] = 0.0
        work[THIRD, c] = 0.0
        if c != hub:
            fewest, most = min(fewest, float(clu[c]["n"])), max(most, float(clu[c]["n"]))
    work[FROM_HUB, hub] = math.inf
    price = (1.0 - 2.0 * SLACK) / (s.now[0]["n"] * -s.now[LIVE]["goodness"])
    cost = find_least_cost(s, LIVE) * (1.0 - SLACK)
    work[HALF_SUM, 0] = 0.5 * take_least(k, work[COST])
    work[HALF_SUM, 1] = work[HALF_SUM, 0] + 0.5 * take_least(k, work[COST])
    apart, own = least_without(s, top, LIVE, hub), float(clu[hub]["n"])
    return Star(hub, own, fewest, most, apart, price, s.now[LIVE]["within"], cost)


@jit
def place_of_least(k: int, row: Floats) -> int:
    """Where the least of a row is."""
    least = 0
    for c in range(1, k):
        if row[c] < row[least]:
            least = c
    return least


@jit
def take_least(k: int, row: Floats) -> float:
    """The least of a row, which is infinite from now on."""
    least = place_of_least(k, row)
    value = row[least]
    row[least] = math.inf
    return value


@jit
def take_cheapest(s: State, t: int) -> None:
    """The (t+1)-th least of the costs of each cluster counts for t mergers and more."""
    work = s.matrix[TRIAL, PAIR]
    least = take_least(s.now[LIVE]["k"], work[COST])
    work[HALF_SUM, t] = work[HALF_SUM, t - 1] + 0.5 * least


@jit
def cost_of(s: State, star: Star, t: int) -> float:
    """C of t mergers."""
    if t == 0:
        return 0.0
    return max(t * star.cost, s.matrix[TRIAL, PAIR, HALF_SUM, t])


@jit
def take_next(s: State, hub: int, u: int) -> None:
    """The u-th nearest one to H: its distance is noted in ``with_a``, and what it adds to `M`."""
    k, work = s.now[LIVE]["k"], s.matrix[TRIAL, PAIR]
    nearest = place_of_least(k, work[FROM_HUB])
    s.each[WITH_A, u] = work[FROM_HUB, nearest] * (1.0 + SLACK)
    work[FROM_HUB, nearest] = math.inf
    raise_greatest(k, work, s.matrix[LIVE, DISTANCE, nearest], work[AVERAGE + u])
    work[AVERAGE + u, hub] = 0.0


@jit
def raise_greatest(k: int, work: Floats, row: Floats, average: Floats) -> None:
    """The three greatest, for all clusters, with one row more, and their averages."""
    first, second, third = work[FIRST], work[SECOND], work[THIRD]
    for c in range(k):
        high, low = first[c], row[c]
        first[c] = high if high > low else low
        low = low if high > low else high
        high = second[c]
        second[c] = high if high > low else low
        low = low if high > low else high
        third[c] = third[c] if third[c] > low else low
        average[c] = (first[c] + second[c] + third[c]) / STAYING


@jit
def star_holds(s: State, star: Star, with_hub: int, last: int) -> bool:
    """Proof that up to `last` mergers lose of which so many are H's, two or more."""
    t = max(with_hub, 2)
    while t <= last:
        up_to = min(t + WIDER * (t - with_hub), last)
        while not group_stays_near(s, star, with_hub, t, up_to):
            if up_to == t:
                return False
            up_to = t + (up_to - t) // 2
        t = up_to + 1
    return True


@jit
def group_stays_near(s: State, star: Star, with_hub: int, t: int, last: int) -> bool:
    """The same of t mergers, or more up to `last`."""
    k, own, work = s.now[LIVE]["k"], star.own, s.matrix[TRIAL, PAIR]
    u = 2 * last - with_hub + STAYING
    limit = star.price * (star.within + cost_of(s, star, t - with_hub))
    row, reach = s.matrix[LIVE, DISTANCE, star.hub], 0.0
    for place in range(STAYING):
        reach += s.each[WITH_A, u - place] / STAYING
    low, most = with_hub * star.fewest, with_hub * star.most
    while True:
        high = min(low * STEP, most)
        weight = own / (own + high) + star.price * own
        greatest = greatest_excess(k, work[AVERAGE + u], row, weight) * (1.0 + SLACK)
        share = high / (own + high) if greatest > reach else low / (own + low)
        group = own + low
        saved = (1.0 + star.price * group) * max(low - star.most, 0.0) * low / (group * group)
        if reach + share * (greatest - reach) - 0.5 * star.apart * saved * (1.0 - SLACK) > limit:
            return False
        if high >= most:
            return True
        low = high


@jit
def greatest_excess(k: int, average: Floats, row: Floats, weight: float) -> float:
    """Of the first over `weight` times the second; 0 if it is nowhere above."""
    most = 0.0
    for c in range(k):
        excess = average[c] - weight * row[c]
        most = excess if excess > most else most
    return most
