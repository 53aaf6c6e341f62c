r"""XB: a proof that a category that is split off comes straight back.

As `return_bounds`, for the index :math:`WGSS/(N\,m)`, smaller is better, where m is the least
squared distance between two means. Category p, of n samples, leaves its cluster h, which has others
left, so that W falls by its gain. The way back gives the present value. It is chosen if

.. math:: \frac{W''}{m''} > \frac{W}{m}

without any move, and after every other one. Any pair of means bounds m'' from above, and mostly
that of p and what it leaves behind is near enough:

- a move of category q, one of several, from its cluster to t. All distances from the two that it
  changes follow from those of q (`moved_means`), and so does W'';
- a merger of a cluster of one category with another, p's own included. These are few.

Of categories, only those count that are connected to p or to another cluster.

A step that opens a category often opens a cluster x for it. If the merger of x is better than the
way back, it goes first, as it does for PBM.
"""

import math

from .._jit import jit
from .._typing import Floats
from .compare import NOTHING
from .footprints import CANCELS, on_the_line, squared_distance
from .hints import is_anchored
from .lasting_moves import are_few, note_moves
from .length_bounds import write_mean_of_rest
from .moved_means import between_moved, from_moved_home, from_moved_target
from .return_bounds import MARGIN, apart, is_connected, note_split, samples_of
from .split_bounds import COMES_BACK, UNKNOWN_OUTCOME
from .state import FROM_X, LIVE, MEAN, MEAN_A, SHARE, WITH_A, State
from .tops import greatest_quantity


@jit
def foresee_near_return(s: State, top: Floats, p: int) -> tuple[int, int]:
    """What the first swap is after category p, one of several, has been split off.

    `COMES_BACK`, `UNKNOWN_OUTCOME`, or the only category of a cluster goes to another one: which,
    and where.
    """
    k, clu, within, home = s.now[LIVE]["k"], s.clu[LIVE], s.now[LIVE]["within"], s.label[LIVE, p]
    good = s.now[LIVE]["goodness"]
    if s.params[0]["prove"] == 0 or k < 2 or not are_few(s) or not -math.inf < good < 0.0:
        return UNKNOWN_OUTCOME, -1
    if clu[home]["size"] < 3 or not is_connected(s, p, home):
        return UNKNOWN_OUTCOME, -1
    note_moves(s, top)
    n = s.cat[p]["n"]
    away = n / float(clu[home]["n"] - n)
    between, nearest, farthest = note_split(s, top, p, away)
    left = within - clu[home]["n"] * away * s.each[FROM_X, home]
    if farthest == math.inf or left < CANCELS * within:
        return UNKNOWN_OUTCOME, -1
    present = -within / greatest_quantity(s, top)
    if not is_worse(s, left, nearest, present):
        return UNKNOWN_OUTCOME, -1
    write_mean_of_rest(s, p)
    if not others_are_worse(s, p, between, left, present):
        return UNKNOWN_OUTCOME, -1
    return first_near_merger(s, p, between, left, present)


@jit
def is_worse(s: State, within: float, nearest: float, present: float) -> bool:
    """Is the index worse than now, with this WGSS and two means that are as near as this?"""
    something = 2.0 * NOTHING * s.now[0]["cp"]
    return within > something and within > present * nearest * (1.0 + MARGIN)


# ------------------------------------------------------------------ moves that leave k + 1 clusters


@jit
def others_are_worse(s: State, p: int, between: float, left: float, present: float) -> bool:
    """Is every move of a category of several worse than the way back of p?

    Notes besides which categories are the `only` ones of their clusters.
    """
    clu, search = s.clu[LIVE], s.now[0]["search"] + 1
    s.now[0]["search"] = search
    at = s.cat[p]["head"]
    while at >= 0:
        q = s.link[at]["to"]
        at = s.link[at]["following"]
        if q != p and clu[s.label[LIVE, q]]["size"] > 1:
            s.cat[q]["asked"] = search
            if not is_worse_anywhere(s, p, q, between, left, present):
                return False
    for place in range(s.now[0]["categories"]):
        q = s.order[place]
        cluster = clu[s.label[LIVE, q]]
        if cluster["size"] == 1:
            cluster["only"] = q
        elif s.scan[SHARE, q] > 0.0 and s.cat[q]["asked"] != search and q != p:
            if not is_worse_anywhere(s, p, q, between, left, present):
                return False
    return True


@jit
def is_worse_anywhere(
    s: State, p: int, q: int, between: float, left: float, present: float
) -> bool:
    """Is the index worse than now when p has been split off, and q, one of several, leaves?

    The mean of what p leaves behind is `MEAN_A`. Here and below, k stands for the cluster of p.
    """
    k, home, c = s.now[LIVE]["k"], s.label[LIVE, p], s.label[LIVE, q]
    from_p = squared_distance(s.box[MEAN, q], s.box[MEAN, p])
    for other in range(k):
        s.each[WITH_A, other] = squared_distance(s.box[MEAN, q], s.mean[LIVE, other])
    s.each[WITH_A, home] = squared_distance(s.box[MEAN, q], s.feature[MEAN_A])
    last, at = -1, s.cat[q]["head"]
    while at >= 0:
        r = s.link[at]["to"]
        at = s.link[at]["following"]
        t = k if r == p else s.label[LIVE, r]
        if t in (c, last):
            continue
        last = t
        if not is_worse_there(s, p, q, t, from_p, between, left, present):
            return False
    return True


@jit
def is_worse_there(
    s: State, p: int, q: int, t: int, from_p: float, between: float, left: float, present: float
) -> bool:
    """The same for one target; ``with_a`` is how far q is from all means but that of p."""
    k, home, c, n = s.now[LIVE]["k"], s.label[LIVE, p], s.label[LIVE, q], s.cat[q]["n"]
    n_home, n_target = samples_of(s, p, c), samples_of(s, p, t)
    away, share = n / float(n_home - n), n / float(n_target + n)
    a, b = s.each[WITH_A, c], from_p
    if t < k:
        b = s.each[WITH_A, t]
    within = left - n_home * away * a
    if within < CANCELS * left:
        return False
    within += n_target * share * b
    nearest = between_moved(away, share, apart(s, home, c, t, between), a, b)
    if home not in (c, t) and t != k:
        nearest = min(nearest, between)
    if is_worse(s, within, nearest, present):
        return True
    for other in range(k + 1):
        if other not in (c, t):
            far = s.each[WITH_A, other] if other < k else from_p
            left_behind = from_moved_home(away, apart(s, home, c, other, between), a, far)
            joined = from_moved_target(share, apart(s, home, t, other, between), b, far)
            nearest = min(nearest, left_behind, joined)
    return is_worse(s, within, nearest, present)


# ------------------------------------------------------------------ moves that leave k clusters


@jit
def first_near_merger(
    s: State, p: int, between: float, left: float, present: float
) -> tuple[int, int]:
    """Which cluster of one category goes first after the split, if it is not p's that comes back.

    What counts is WGSS over the least squared distance.
    """
    k, clu, home = s.now[LIVE]["k"], s.clu[LIVE], s.label[LIVE, p]
    goes, target, best, second = -1, -1, math.inf, math.inf
    for lone in range(k + 1):
        if lone < k and clu[lone]["size"] > 1:
            continue
        x = p if lone == k else clu[lone]["only"]
        at = s.cat[x]["head"]
        while at >= 0:
            r = s.link[at]["to"]
            at = s.link[at]["following"]
            t = k if r == p else s.label[LIVE, r]
            if t == lone or (x == p and t == home) or (x == goes and t == target):
                continue
            n_target = samples_of(s, p, t)
            share = s.cat[x]["n"] / float(s.cat[x]["n"] + n_target)
            within = left + n_target * share * apart(s, home, lone, t, between)
            nearest, sure = nearest_after_merger(s, p, lone, t, between)
            if is_worse(s, within, nearest, present):
                continue
            if not sure:
                return UNKNOWN_OUTCOME, -1
            value = within / nearest
            if value < best:
                goes, target, best, second = x, t, value, best
            else:
                second = min(second, value)
    if goes < 0:
        return COMES_BACK, -1
    if goes == p or target == k or k == 2 or is_anchored(s, goes):
        return UNKNOWN_OUTCOME, -1
    if best * (1.0 + MARGIN) < min(present, second):
        return goes, target
    return UNKNOWN_OUTCOME, -1


@jit
def nearest_after_merger(s: State, p: int, lone: int, t: int, between: float) -> tuple[float, bool]:
    """The least squared distance after the split and a merger of two.

    And whether that is exact: where the formula cancels, it is at most so great.
    """
    k, home, sure = s.now[LIVE]["k"], s.label[LIVE, p], True
    n, n_target = samples_of(s, p, lone), samples_of(s, p, t)
    share, gap, nearest = n / float(n + n_target), apart(s, home, lone, t, between), math.inf
    for c in range(k + 1):
        if c in (lone, t):
            continue
        near, far = apart(s, home, t, c, between), apart(s, home, lone, c, between)
        sure = sure and not math.isnan(on_the_line(share, near, far, gap))
        nearest = min(nearest, from_moved_target(share, near, gap, far))
        for other in range(c):
            if other not in (lone, t):
                nearest = min(nearest, apart(s, home, c, other, between))
    return nearest, sure
