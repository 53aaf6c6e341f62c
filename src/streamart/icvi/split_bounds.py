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
- no merger of a cluster of one category with another, p's own included, that costs less than g.

"As good" leaves room for ties, since of equally good moves the first is chosen.
"""

import math

from .._jit import jit
from .compare import SLACK
from .move_bounds import least_loss, weigh_categories
from .partition import tighten_bounds
from .standing import LEAST_PRICE, price_of_group, within_needed
from .state import DISTANCE, LIVE, State


@jit
def comes_back(s: State, p: int) -> bool:
    """Proof that if category p, one of several, is split off, the first swap takes it back."""
    k, good, within = s.now[LIVE]["k"], s.now[LIVE]["goodness"], s.now[LIVE]["within"]
    if s.params[0]["prove"] == 0 or k < 2 or not -math.inf < good < math.inf:
        return False
    if price_of_group(s, k + 1, good) <= LEAST_PRICE:
        return False
    weigh_categories(s)
    gain, margin = s.cat[p]["gain"], SLACK * within
    spare = within - gain - within_needed(s, k + 1, good) - margin
    if spare <= 0.0:
        return False
    least = gain + margin  # of what a merger must cost
    return (
        none_saves_more(s, p, spare)
        and is_drawn_back(s, p, least)
        and no_merger_is_cheaper(s, p, least)
    )


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
    clu, home, n = s.clu[LIVE], s.label[LIVE, p], s.cat[p]["n"]
    for c in range(s.now[LIVE]["k"]):
        if c != home and clu[c]["most"] > spare:
            return False
    rest = clu[home]["n"] - n
    shift = n / float(rest) * s.cat[p]["off"]
    for place in range(s.now[0]["categories"]):
        q = s.order[place]
        n = s.cat[q]["n"]
        if s.label[LIVE, q] != home or q == p or n == rest:
            continue
        off = s.cat[q]["off"] + shift
        if n * rest / float(rest - n) * off * off > spare:
            return False
    return True


@jit
def no_merger_is_cheaper(s: State, p: int, least: float) -> bool:
    """Does every merger of a cluster of one category cost at least so much, after the split?"""
    clu, home, n = s.clu[LIVE], s.label[LIVE, p], s.cat[p]["n"]
    rest, off = clu[home]["n"] - n, s.cat[p]["off"]
    shift = n / float(rest) * off
    if clu[home]["size"] == 2 and not is_before_others(s, p):
        return False  # what is left would come to p, which is as good
    for c in range(s.now[LIVE]["k"]):
        if c == home:
            continue
        apart = math.sqrt(s.matrix[LIVE, DISTANCE, home, c])
        if clu[c]["size"] == 1:
            if clu[c]["least"] < least:
                tighten_bounds(s, LIVE, c)
                if clu[c]["least"] < least:
                    return False
            if least_cost(clu[c]["n"], n, apart - off) < least:
                return False
        elif clu[home]["size"] > 2:
            continue
        if least_cost(clu[c]["n"], rest, apart - shift) < least:
            return False
    return True


@jit
def is_before_others(s: State, p: int) -> bool:
    """Is category p the first of its cluster?"""
    at = 0
    while s.label[LIVE, s.order[at]] != s.label[LIVE, p]:
        at += 1
    return s.order[at] == p


@jit
def least_cost(n: int, other: int, apart: float) -> float:
    """What WGSS grows by at least if so many and so many merge that are at least so far apart."""
    return n * other / float(n + other) * max(apart, 0.0) ** 2 * (1.0 - SLACK)
