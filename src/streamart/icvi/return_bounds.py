r"""PBM: a proof that a category that is split off comes straight back.

As `split_bounds`, for the index :math:`((CP_0/WGSS)\cdot L/k)^2`, where L is the greatest squared
distance between two means. Category p, of n samples, leaves its cluster h, which has others left:
WGSS W falls by its gain g, the mean of h moves by :math:`\omega(\mu_h-\mu_p)`,
:math:`\omega = n/(n_h-n)`, and there is one cluster more. The way back gives the present value. It
is chosen if the index is less than that without any move, and after every other one:

- after a move that leaves k + 1 clusters. Such a partition is as good only if

  .. math:: L'' \ge \frac{k+1}{k}\,\frac{L}{W}\,W''

  and a single category hardly changes either. When q, one of several, goes from its cluster to t,
  WGSS falls by its gain at most. The new mean of t lies at :math:`\sigma = n_q/(n_t+n_q)` of the
  way from that of t to that of q, so it is no farther from another mean than the farther of the
  two, nor than :math:`(1-\sigma)` times the one plus :math:`\sigma` times the other. The cluster
  that q leaves moves by :math:`\omega_q a_q`, as above;
- after a merger of a cluster of one category with another, p's own included, which leaves k
  clusters. These are few; W and L after each follow from the distances (Stewart's theorem).

Of categories, only those count that are connected to another cluster. Where clusters are few, these
are, and what is noted of them (`lasting_moves`) mostly does.

A step that opens a category often opens a cluster x for it. If the merger of x is better than the
way back, it goes first, and may as well be made before the split: then the question is the same
again.
"""

import math

from .._jit import jit, jit_inline
from .._typing import Floats
from .compare import SLACK
from .footprints import CANCELS, on_the_line, squared_distance
from .hints import is_anchored
from .lasting_moves import are_few, falls_far_short, note_moves
from .moved_means import from_moved_target
from .partition import distances_of_category
from .split_bounds import COMES_BACK, UNKNOWN_OUTCOME
from .state import DISTANCE, FROM_X, LIVE, MEAN, SHARE, TOPS, State
from .tops import greatest_quantity, greatest_with_others

# Values that differ by no more, relatively, are left to an exact comparison.
MARGIN = 4.0 * SLACK


@jit
def foresee_return(s: State, top: Floats, p: int) -> tuple[int, int]:
    """What the first swap is after category p, one of several, has been split off.

    `COMES_BACK`, `UNKNOWN_OUTCOME`, or the only category of a cluster goes to another one: which,
    and where.
    """
    k, clu, within, home = s.now[LIVE]["k"], s.clu[LIVE], s.now[LIVE]["within"], s.label[LIVE, p]
    good = s.now[LIVE]["goodness"]
    if s.params[0]["prove"] == 0 or k < 2 or not are_few(s) or not 0.0 < good < math.inf:
        return UNKNOWN_OUTCOME, -1
    if clu[home]["size"] < 3 or not is_connected(s, p, home):
        return UNKNOWN_OUTCOME, -1
    note_moves(s, top)
    peak, n = greatest_quantity(s, top), s.cat[p]["n"]
    away = n / float(clu[home]["n"] - n)
    between, _, longest = note_split(s, top, p, away)
    left = within - clu[home]["n"] * away * s.each[FROM_X, home]
    price = peak / within * (k + 1.0) / k * (1.0 - MARGIN)
    if left < CANCELS * within or max(peak, longest) > price * left:
        return UNKNOWN_OUTCOME, -1
    if not others_fall_short(s, p, away, max(peak, longest), left, price):
        return UNKNOWN_OUTCOME, -1
    return first_merger(s, top, p, between, left)


@jit
def is_connected(s: State, p: int, cluster: int) -> bool:
    """To another category of this cluster?"""
    at = s.cat[p]["head"]
    while at >= 0:
        q = s.link[at]["to"]
        if q != p and s.label[LIVE, q] == cluster:
            return True
        at = s.link[at]["following"]
    return False


@jit
def note_split(s: State, top: Floats, p: int, away: float) -> tuple[float, float, float]:
    """Squared distances after the split: `from_x` from p, ``into_a`` from what it leaves behind.

    And `reach`, how far the farthest other mean is (PBM). Returns the distance between the two, and
    the least and greatest of all these, which is infinite where one of them would be left over from
    a cancellation.
    """
    clu, home = s.clu[LIVE], s.label[LIVE, p]
    distances_of_category(s, LIVE, p)
    a = s.each[FROM_X, home]
    between = (1.0 + away) * (1.0 + away) * a
    shortest, longest, reach = between, between, between
    for c in range(s.now[LIVE]["k"]):
        if c != home:
            from_p = s.each[FROM_X, c]
            from_rest = on_the_line(-away, s.matrix[LIVE, DISTANCE, home, c], from_p, a)
            if math.isnan(from_rest):
                return between, shortest, math.inf
            clu[c]["into_a"] = from_rest
            clu[c]["reach"] = math.sqrt(max(top[LIVE, c, 0], from_p, from_rest))
            reach = max(reach, from_rest)
            shortest = min(shortest, from_p, from_rest)
            longest = max(longest, from_p, from_rest)
    clu[home]["reach"] = math.sqrt(reach)
    return between, shortest, longest


# ------------------------------------------------------------------ moves that leave k + 1 clusters


@jit
def others_fall_short(
    s: State, p: int, away: float, longest: float, left: float, price: float
) -> bool:
    """Is no move of a category of several as good as the way back of p?

    Of those that might come to p, nothing is noted. `longest` is the greatest squared distance
    after the split, `left` is WGSS. Notes besides which categories are the `only` ones.
    """
    clu, search = s.clu[LIVE], s.now[0]["search"] + 1
    s.now[0]["search"] = search
    at = s.cat[p]["head"]
    while at >= 0:
        q = s.link[at]["to"]
        at = s.link[at]["following"]
        if q != p and clu[s.label[LIVE, q]]["size"] > 1:
            s.cat[q]["asked"] = search
            if not falls_short_anywhere(s, p, q, away, longest, left, price):
                return False
    root = math.sqrt(longest) * (1.0 + SLACK)
    shift = away * math.sqrt(s.each[FROM_X, s.label[LIVE, p]]) * (1.0 + SLACK)
    for place in range(s.now[0]["categories"]):
        q = s.order[place]
        cluster = clu[s.label[LIVE, q]]
        if cluster["size"] == 1:
            cluster["only"] = q
        elif s.scan[SHARE, q] > 0.0 and s.cat[q]["asked"] != search and q != p:
            if not falls_far_short(s, q, p, left, price, root, shift):
                if not falls_short_anywhere(s, p, q, away, longest, left, price):
                    return False
    return True


@jit
def falls_short_anywhere(
    s: State, p: int, q: int, away: float, longest: float, left: float, price: float
) -> bool:
    """Is the index less than now when p has been split off, and q, one of several, leaves?"""
    clu, c, n = s.clu[LIVE], s.label[LIVE, q], s.cat[q]["n"]
    n_home, off = clu[c]["n"], math.sqrt(squared_distance(s.box[MEAN, q], s.mean[LIVE, c]))
    if c == s.label[LIVE, p]:
        n_home -= s.cat[p]["n"]
        off += away * math.sqrt(s.each[FROM_X, c])
    off *= 1.0 + SLACK
    further = n / float(n_home - n)
    within = left - n_home * further * off * off
    needed = price * within
    if within < CANCELS * left or longest > needed:
        return False
    root = math.sqrt(needed) * (1.0 - SLACK)
    if clu[c]["reach"] + further * off > root or (1.0 + further) * off > root:
        return False
    return is_near_to_all(s, p, q, away, root)


@jit
def is_near_to_all(s: State, p: int, q: int, away: float, root: float) -> bool:
    """Is the mean of q nowhere farther than this from p and the means of other clusters?"""
    home = s.label[LIVE, p]
    most = root * root * (1.0 - SLACK)
    for c in range(s.now[LIVE]["k"]):
        if c == s.label[LIVE, q]:
            continue
        distance = squared_distance(s.box[MEAN, q], s.mean[LIVE, c])
        if c == home:
            apart = math.sqrt(distance) + away * math.sqrt(s.each[FROM_X, home])
            distance = apart * apart
        if distance > most:
            return False
    return squared_distance(s.box[MEAN, q], s.box[MEAN, p]) <= most


# ------------------------------------------------------------------ moves that leave k clusters


@jit
def first_merger(s: State, top: Floats, p: int, between: float, left: float) -> tuple[int, int]:
    """Which cluster of one category goes first after the split, if it is not p's that comes back.

    Here and below, k stands for the cluster of p. What counts is the greatest squared distance
    over WGSS: at least so much after one merger, at most so much after the others.
    """
    k, clu, home, within = s.now[LIVE]["k"], s.clu[LIVE], s.label[LIVE, p], s.now[LIVE]["within"]
    peak = greatest_quantity(s, top)
    present, goes, target, least, most, others = peak / within, -1, -1, 0.0, 0.0, 0.0
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
            longest, scatter = after_merger(s, top, p, lone, t, between, left)
            if longest / scatter < present * (1.0 - MARGIN):
                continue
            sure = peak / scatter if longest_remains(s, top, peak, lone, t, home) else 0.0
            if sure > least:
                others = max(others, most)
                goes, target, least, most = x, t, sure, longest / scatter
            else:
                others = max(others, longest / scatter)
    if goes < 0:
        return (COMES_BACK if others == 0.0 else UNKNOWN_OUTCOME), -1
    if goes == p or target == k or k == 2 or is_anchored(s, goes):
        return UNKNOWN_OUTCOME, -1
    if least * (1.0 - MARGIN) > max(present, others):
        return goes, target
    return UNKNOWN_OUTCOME, -1


@jit
def after_merger(
    s: State, top: Floats, p: int, lone: int, t: int, between: float, left: float
) -> tuple[float, float]:
    """Greatest squared distance (at most), and WGSS, after the split and a merger of two."""
    k, clu, home = s.now[LIVE]["k"], s.clu[LIVE], s.label[LIVE, p]
    n, n_target = samples_of(s, p, lone), samples_of(s, p, t)
    share, gap = n / float(n + n_target), apart(s, home, lone, t, between)
    longest = 0.0
    for c in range(k + 1):
        if c in (lone, t):
            continue
        near, far = apart(s, home, t, c, between), apart(s, home, lone, c, between)
        longest = max(longest, from_moved_target(share, near, gap, far))
        if c < k and c != home:  # pairs without the two
            longest = max(longest, greatest_with_others(top, LIVE, c, lone, t))
            if t != home:
                longest = max(longest, clu[c]["into_a"])
            if k not in (lone, t):
                longest = max(longest, s.each[FROM_X, c])
    if t != home and k not in (lone, t):
        longest = max(longest, between)
    return longest, left + n_target * share * gap


@jit
def samples_of(s: State, p: int, c: int) -> int:
    """How many a cluster has after the split."""
    if c == s.now[LIVE]["k"]:
        return int(s.cat[p]["n"])
    return int(s.clu[LIVE, c]["n"] - (s.cat[p]["n"] if c == s.label[LIVE, p] else 0))


@jit_inline
def apart(s: State, home: int, i: int, j: int, between: float) -> float:
    """Squared distance between the means of two clusters after the split."""
    k = s.now[LIVE]["k"]
    if k in (i, j):
        c = min(i, j)
        return between if c == home else float(s.each[FROM_X, c])
    if home in (i, j):
        return float(s.clu[LIVE, j if i == home else i]["into_a"])
    return float(s.matrix[LIVE, DISTANCE, i, j])


@jit
def longest_remains(s: State, top: Floats, peak: float, lone: int, t: int, home: int) -> bool:
    """Are two means that are farthest apart none of these?"""
    for c in range(s.now[LIVE]["k"]):
        if top[LIVE, c, 0] >= peak and c not in (lone, t, home):
            if int(top[LIVE, c, TOPS]) not in (lone, t, home):
                return True
    return False
