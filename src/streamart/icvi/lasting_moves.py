r"""PBM: what is known of the moves of a category, and how long it holds. XB: whether it has any.

With few clusters, means hardly move: a sample moves one of them by 1/n of the way. So what a look
at the means of all clusters says of a category q, of n samples, is noted, and how far all means had
gone in sum by then (`stray`). While they have gone no farther than :math:`\Delta` since, every
distance between two means, or of q from one, has changed by no more than that. Noted are

- `from_home`: a, how far q is from the mean of its cluster h,
- `share`: the greatest :math:`\sigma=n/(n_t+n)` of the clusters t that q is connected to, 0 if
  there is none: then nothing can happen,
- `span`: no two means are farther apart than this after any move of q, unless they are now. The
  mean of h goes :math:`\omega a` away from q, :math:`\omega = n/(n_h-n)`; that of t goes towards q,
  and gets no farther from others than q is;
- `leeway`: with the gain :math:`Aa^2` and the losses :math:`Bb^2` (`weighing`), WGSS does not fall
  while

  .. math:: \sqrt A\,(a+\Delta) \le \sqrt B\,(b-\Delta)
            \iff \Delta \le \frac{\sqrt B b-\sqrt A a}{\sqrt A+\sqrt B}

Samples that join clusters make :math:`\sigma`, :math:`\omega` and A smaller and B greater, and so
do single categories that join them. Those that are connected to such a one are looked at again, and
all are when anything else happens to a cluster (`unsettle`). The only category of a cluster is
noted as one that can go nowhere. A mean that was not there counts for
the `span`, so that holds only of categories that were looked at since (`era`).

XB, which has other reasons for a move, notes only whether q is connected to another cluster: then
`share` is 1.
"""

import math

from .._jit import jit
from .._typing import Floats
from .compare import SLACK
from .footprints import CANCELS
from .partition import distances_of_category
from .registry import XB
from .state import FROM_X, LIVE, SHARE, State
from .weighing import ALL_UNNOTED

# With so many categories to a cluster, what is noted lasts.
FEW = 8


@jit
def are_few(s: State) -> bool:
    """Are there few clusters for so many categories?"""
    return FEW * s.now[LIVE]["k"] <= s.now[0]["categories"]


@jit
def note_moves(s: State, top: Floats) -> None:
    """Look at all categories of which nothing is known."""
    unnoted = s.now[0]["unnoted"]
    s.now[0]["unnoted"] = 0
    if unnoted == 0:
        return
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        if unnoted == ALL_UNNOTED or s.scan[SHARE, p] < 0.0:
            note_category(s, top, p)


@jit
def note_category(s: State, top: Floats, p: int) -> None:
    """Look at a category: see above."""
    cat, clu, home = s.cat[p], s.clu[LIVE], s.label[LIVE, p]
    cat["era"] = s.now[0]["era"]
    cat["noted"] = s.now[0]["stray"]
    cat["span"], cat["leeway"], cat["from_home"] = 0.0, math.inf, 0.0
    s.scan[SHARE, p] = 0.0
    at = cat["head"] if clu[home]["size"] > 1 else -1
    while at >= 0:
        t = s.label[LIVE, s.link[at]["to"]]
        at = s.link[at]["following"]
        if t == home:
            continue
        if s.family == XB:
            s.scan[SHARE, p] = 1.0
            return
        if s.scan[SHARE, p] == 0.0:
            distances_of_category(s, LIVE, p)
            measure_span(s, top, p)
        n, n_home, n_target = float(cat["n"]), float(clu[home]["n"]), float(clu[t]["n"])
        gain, loss = math.sqrt(n * n_home / (n_home - n)), math.sqrt(n * n_target / (n_target + n))
        b = math.sqrt(s.each[FROM_X, t]) * (1.0 - SLACK)
        cat["leeway"] = min(cat["leeway"], (loss * b - gain * cat["from_home"]) / (gain + loss))
        s.scan[SHARE, p] = max(s.scan[SHARE, p], n / (n_target + n))


@jit
def measure_span(s: State, top: Floats, p: int) -> None:
    """How far category p is from its cluster, and its `span`, from `from_x`."""
    home = s.label[LIVE, p]
    away, farthest = away_of(s, p), 0.0
    for c in range(s.now[LIVE]["k"]):
        if c != home:
            farthest = max(farthest, s.each[FROM_X, c])
    off = math.sqrt(s.each[FROM_X, home]) * (1.0 + SLACK)
    reach = math.sqrt(top[LIVE, home, 0]) + away * off
    s.cat[p]["from_home"] = off
    s.cat[p]["span"] = max(math.sqrt(farthest), (1.0 + away) * off, reach) * (1.0 + SLACK)


@jit
def away_of(s: State, p: int) -> float:
    """How far its cluster goes when category p leaves it, as a share of their distance."""
    n = s.cat[p]["n"]
    return n / float(s.clu[LIVE, s.label[LIVE, p]]["n"] - n)


@jit
def newest_mean(s: State) -> int:
    """The `era` in which the last cluster was opened of those that are there."""
    newest = 0
    for c in range(s.now[LIVE]["k"]):
        newest = max(newest, s.clu[LIVE, c]["born"])
    return newest


@jit
def stands(s: State, p: int, newest: int, longest: float) -> bool:
    """Is it certain that no move of category p makes WGSS fall or two means farther apart?

    `longest` is the greatest distance now.
    """
    cat, gone = s.cat[p], s.now[0]["stray"] - s.cat[p]["noted"]
    if cat["era"] < newest or gone > cat["leeway"]:
        return False
    return bool(cat["span"] + (1.0 + away_of(s, p)) * gone <= longest * (1.0 - SLACK))


@jit
def falls_far_short(
    s: State, q: int, p: int, left: float, price: float, longest: float, shift: float
) -> bool:
    """Proof from what is noted that L is less than `price` times WGSS, wherever category q goes.

    `left` is WGSS, `longest` the greatest distance and `reach` that from each cluster, before the
    move. Category p, if there is one, has been split off, and the mean of its cluster has moved by
    `shift`. The way to p itself does not count.
    """
    cat, c = s.cat[q], s.label[LIVE, q]
    off = cat["from_home"] + s.now[0]["stray"] - cat["noted"]
    n, n_home, reach = cat["n"], s.clu[LIVE, c]["n"], s.clu[LIVE, c]["reach"]
    share = s.scan[SHARE, q]
    if p >= 0:
        gone = s.cat[p]["n"]
        if s.label[LIVE, p] == c:
            n_home -= gone
            off += shift
        else:  # it may be missing where q goes to
            lost = share * gone / float(n)
            if lost > 0.5:
                return False
            share /= 1.0 - lost
    away = n / float(n_home - n)
    within = left - n_home * away * off * off
    if within < CANCELS * left:
        return False
    root = math.sqrt(price * within) * (1.0 - SLACK)
    new = longest + share * max(reach + off - longest, 0.0)
    return bool(new <= root and reach + away * off <= root and (1.0 + away) * off <= root)
