r"""CH and WB: a proof that a category that is split off comes straight back.

While the tracker is above its threshold, every step splits off the category p that was active last.
Mostly the index gets worse, and the first swap undoes it: the partition is as it was, and swaps go
on from there. Then neither need be done. Let W be WGSS and g the gain of p leaving its cluster h,
so that WGSS is W - g in k + 1 clusters. The way back makes it W in k clusters, and is chosen if
nothing else is as good:

- no move that leaves k + 1 clusters, if none saves more than :math:`W - g - W_{k+1}`, where
  :math:`W_{k+1}` is the WGSS that k + 1 clusters need to be as good (`standing.within_needed`). No
  move saves more than its own gain. In what is left of h, whose mean has moved by
  :math:`\omega a`, :math:`\omega = n/(n_h-n)`, :math:`a = \|\mu_p-\mu_h\|`, gains may be greater;
- no merger of a cluster of one category with another that it is connected to, p's own included,
  that costs less than g.

"As good" leaves room for ties, since of equally good moves the first is chosen. Where p leaves one
other category behind, that may as well come to p. If it is the first in the order, it does: the
partition is as it was, but for the place of this cluster, which is the last one then.

A step that opens a category often opens a cluster x for it, which is cheaper to merge than p, and
goes first. What that leaves is the split of p from the partition in which x has been merged, so x
may as well be merged before; then the question is the same again. (The cost of a merger with what
is left of h follows from the distance of x from p by Stewart's theorem.)
"""

import math

from .._jit import jit
from .compare import SLACK
from .cost_bounds import tighten_bounds, ward_cost
from .footprints import on_the_line, squared_distance
from .hints import is_anchored
from .sorting import is_before
from .standing import LEAST_PRICE, price_of_group, within_needed
from .state import DISTANCE, LIVE, MEAN, State
from .weighing import (
    aside_at_most,
    gain_at_most,
    least_loss,
    measure_aside,
    weigh_again,
    weigh_categories,
)

# What happens after a split: it is undone at once, or that is not known, or what is left follows
COMES_BACK, UNKNOWN_OUTCOME, REST_FOLLOWS = -1, -2, -3


@jit
def foresee_split(s: State, p: int) -> tuple[int, int]:
    """What the first swap is after category p, one of several, has been split off.

    `COMES_BACK`, `REST_FOLLOWS`, `UNKNOWN_OUTCOME`, or the only category of a cluster goes to
    another one: which, and where.
    """
    k, good, within = s.now[LIVE]["k"], s.now[LIVE]["goodness"], s.now[LIVE]["within"]
    if s.params[0]["prove"] == 0 or k < 2 or not -math.inf < good < math.inf:
        return UNKNOWN_OUTCOME, -1
    if price_of_group(s, k + 1, good) <= LEAST_PRICE:
        return UNKNOWN_OUTCOME, -1
    weigh_categories(s)
    measure_aside(s, p)
    gain, margin = gain_at_most(s, p), 4.0 * SLACK * within
    spare = within - gain - within_needed(s, k + 1, good) - margin
    least = gain + margin  # of what a merger must cost
    if spare <= 0.0 or not (none_saves_more(s, p, spare) and is_drawn_back(s, p, least)):
        return UNKNOWN_OUTCOME, -1
    back = COMES_BACK
    if s.clu[LIVE, s.label[LIVE, p]]["size"] == 2:
        other = other_category(s, p)
        if rest_may_go(s, p, other, least):
            return UNKNOWN_OUTCOME, -1
        if not (is_anchored(s, other) or is_before(s.order, p, other)):
            back = REST_FOLLOWS
    goes, target = cheaper_merger(s, p, least, gain - 2.0 * margin, margin)
    if goes >= 0 and k == 2:
        goes = UNKNOWN_OUTCOME
    return (back if goes == COMES_BACK else goes), target


@jit
def is_drawn_back(s: State, p: int, least: float) -> bool:
    """Is category p connected to its cluster, and is no other one as good for it?"""
    home, connected = s.label[LIVE, p], False
    at = s.cat[p]["head"]
    while at >= 0:
        q = s.link[at]["to"]
        c = s.label[LIVE, q]
        at = s.link[at]["following"]
        if c != home:
            if least_loss(s, p, c) < least:
                return False
        elif q != p:
            connected = True
    return connected


@jit
def none_saves_more(s: State, p: int, spare: float) -> bool:
    """Is the gain of every other category that leaves a cluster of several at most so much?"""
    clu, home, root = s.clu[LIVE], s.label[LIVE, p], math.sqrt(spare)
    for c in range(s.now[LIVE]["k"]):
        if c != home and clu[c]["most"] + clu[c]["heaviest"] * clu[c]["shift"] > root:
            if clu[c]["shift"] > 0.0:
                weigh_again(s, c)
            if clu[c]["most"] > root:
                return False
    if none_of_rest_saves_more(s, p, spare):
        return True
    if clu[home]["shift"] == 0.0:
        return False
    weigh_again(s, home)
    return none_of_rest_saves_more(s, p, spare)


@jit
def none_of_rest_saves_more(s: State, p: int, spare: float) -> bool:
    """The same of the categories that p leaves behind."""
    home, n = s.label[LIVE, p], s.cat[p]["n"]
    rest = s.clu[LIVE, home]["n"] - n
    shift = n / float(rest) * aside_at_most(s, p) + s.clu[LIVE, home]["shift"]
    for place in range(s.now[0]["categories"]):
        q = s.order[place]
        n = s.cat[q]["n"]
        if s.label[LIVE, q] != home or q == p or n == rest:
            continue
        off = s.cat[q]["aside"] + shift
        if n * rest / float(rest - n) * off * off > spare:
            return False
    return True


@jit
def cheaper_merger(s: State, p: int, least: float, most: float, margin: float) -> tuple[int, int]:
    """The only category of a cluster that goes to another one after the split, and where.

    `COMES_BACK` if none does for less than `least`; `UNKNOWN_OUTCOME` unless that costs at most so
    much, and less than all else that any of them could do.
    """
    clu, home, n = s.clu[LIVE], s.label[LIVE, p], s.cat[p]["n"]
    rest, off = clu[home]["n"] - n, aside_at_most(s, p)
    shift = n / float(rest) * off
    goes, target, cost, second = -1, -1, math.inf, math.inf
    for place in range(s.now[0]["categories"]):
        x = s.order[place]
        c = s.label[LIVE, x]
        if clu[c]["size"] > 1:
            continue
        if clu[c]["least"] < least and clu[c]["cheapest"] < 0:
            tighten_bounds(s, LIVE, c)
        if clu[c]["least"] >= least:
            apart = math.sqrt(s.matrix[LIVE, DISTANCE, home, c])
            with_p = least_cost(clu[c]["n"], n, apart - off)
            if min(with_p, least_cost(clu[c]["n"], rest, apart - shift)) >= least:
                continue
        where, this, next_best = cheapest_after_split(s, p, x)
        if math.isnan(this):
            return UNKNOWN_OUTCOME, -1
        if goes >= 0 and target == c and where == s.label[LIVE, goes]:
            second = min(second, next_best)  # the same merger: the first of them goes to the other
        elif this < cost:
            second = min(second, min(cost, next_best))
            goes, target, cost = x, where, this
        else:
            second = min(second, this)
    if cost >= least:
        return COMES_BACK, -1
    if target < 0 or not cost < min(most, second - margin):
        return UNKNOWN_OUTCOME, -1
    return goes, target


@jit
def rest_may_go(s: State, p: int, other: int, least: float) -> bool:
    """Might the only one that p leaves behind merge with another cluster for less than this?"""
    clu, home, n = s.clu[LIVE], s.label[LIVE, p], s.cat[p]["n"]
    rest = clu[home]["n"] - n
    shift = n / float(rest) * aside_at_most(s, p)
    at = s.cat[other]["head"]
    while at >= 0:
        c = s.label[LIVE, s.link[at]["to"]]
        at = s.link[at]["following"]
        if c != home:
            apart = math.sqrt(s.matrix[LIVE, DISTANCE, home, c])
            if least_cost(clu[c]["n"], rest, apart - shift) < least:
                return True
    return False


@jit
def cost_after_split(s: State, p: int, x: int, with_p: bool) -> float:
    """What it costs to merge category x, alone in its cluster, with p, which has been split off, or
    with what that leaves behind; NaN where the formula cancels."""
    home, n, n_x = s.label[LIVE, p], s.cat[p]["n"], s.cat[x]["n"]
    from_p = squared_distance(s.box[MEAN, p], s.box[MEAN, x])
    if with_p:
        return n_x * n / float(n_x + n) * from_p
    rest, off = s.clu[LIVE, home]["n"] - n, aside_at_most(s, p)
    apart = s.matrix[LIVE, DISTANCE, home, s.label[LIVE, x]]
    return n_x * rest / float(n_x + rest) * on_the_line(-n / float(rest), apart, from_p, off * off)


@jit
def cheapest_after_split(s: State, p: int, x: int) -> tuple[int, float, float]:
    """Where category x, alone in its cluster, goes most cheaply (-1: to p), and for how much.

    To where it is connected; NaN if that is not known. Then the cost of the second best.
    """
    home, lone = s.label[LIVE, p], s.label[LIVE, x]
    target, cost, second = -1, math.inf, math.inf
    if is_anchored(s, x):
        return target, cost, second
    at = s.cat[x]["head"]
    while at >= 0:
        q = s.link[at]["to"]
        c = s.label[LIVE, q]
        at = s.link[at]["following"]
        if c in (lone, target) and q != p:
            continue
        if c != home:
            this = ward_cost(s, LIVE, lone, c)
        else:
            this = cost_after_split(s, p, x, q == p)
            if math.isnan(this):
                return target, this, second
            if q == p:
                c = -1
        if this < cost:
            target, cost, second = c, this, cost
        elif c != target:
            second = min(second, this)
    return target, cost, second


@jit
def other_category(s: State, p: int) -> int:
    """The other one of a cluster of two."""
    at = 0
    while s.order[at] == p or s.label[LIVE, s.order[at]] != s.label[LIVE, p]:
        at += 1
    return s.order[at]


@jit
def least_cost(n: int, other: int, apart: float) -> float:
    """What WGSS grows by at least if so many and so many merge that are at least so far apart."""
    return n * other / float(n + other) * max(apart, 0.0) ** 2 * (1.0 - SLACK)
