"""Proofs that a category is not better off in another cluster.

A category moves to another cluster, its own having others left: CH and WB rise only if WGSS
falls. For PBM and XB also if the greatest or the least distance changes, and a mean that moves by a
length changes no distance by more; one that moves towards a point does not get farther from others
than it was or the point is. For DB the new sum of maxima is bounded from below in the same way. The
only category of a cluster takes it along, which is a merger.
"""

import math

from .._jit import jit
from .._typing import Floats
from .bounds import stretched, value_of
from .compare import SLACK
from .footprints import compactness_without, squared_distance
from .partition import spread
from .registry import DB, PBM
from .state import DISTANCE, LIVE, MEAN, TOPS, State


@jit
def gain_of(s: State, p: int) -> float:
    """What WGSS would fall by if category p, one of several, left its cluster."""
    home, n = s.label[LIVE, p], s.cat[p]["n"]
    n_home = s.clu[LIVE, home]["n"]
    distance = squared_distance(s.box[MEAN, p], s.mean[LIVE, home])
    return n * n_home / float(n_home - n) * distance


@jit
def loss_of(s: State, p: int, target: int) -> float:
    """What WGSS would grow by if category p came to cluster `target`."""
    n, n_target = s.cat[p]["n"], s.clu[LIVE, target]["n"]
    distance = squared_distance(s.box[MEAN, p], s.mean[LIVE, target])
    return n * n_target / float(n_target + n) * distance


@jit
def note_reach(s: State, p: int) -> None:
    """How far a mean might move, or get from where the cluster of p was, if p left (PBM)."""
    home, n = s.clu[LIVE, s.label[LIVE, p]], s.cat[p]["n"]
    rest = float(home["n"] - n)
    away = math.sqrt(s.cat[p]["gain"] * rest / (n * home["n"]))
    home["reach"] = max(home["reach"], away, n / rest * away)


@jit
def is_examined(s: State, top: Floats, c: int, peak: float) -> bool:
    """Might a move from or to cluster c be useful although WGSS does not fall?"""
    code, cluster = s.params[0]["code"], s.clu[LIVE, c]
    if code == DB:
        return True
    if code == PBM:
        return stretched(code, cluster["far"], cluster["reach"]) * (1.0 + SLACK) > peak
    return top[LIVE, c, 0] >= peak * (1.0 + SLACK)  # of the nearest pair; peak < 0


@jit
def no_move_helps(s: State, top: Floats | None, p: int, target: int, peak: float) -> bool:
    """Proof that category p, one of several in its cluster, is not better off in `target`."""
    code, k, clu, home = s.params[0]["code"], s.now[LIVE]["k"], s.clu[LIVE], s.label[LIVE, p]
    n, n_home, n_target = s.cat[p]["n"], clu[home]["n"], clu[target]["n"]
    if top is None:
        return loss_of(s, p, target) >= gain_of(s, p) * (1.0 + SLACK)
    from_home = squared_distance(s.box[MEAN, p], s.mean[LIVE, home])
    from_target = squared_distance(s.box[MEAN, p], s.mean[LIVE, target])
    gain = n * n_home / float(n_home - n) * from_home
    loss = n * n_target / float(n_target + n) * from_target
    # The mean of the target moves towards p, which is not farther from others than this plus home.
    away = math.sqrt(from_home)
    step = n / float(n_home - n) * away
    if code == DB:
        rest = compactness_without(n_home, clu[home]["cp"], n, s.cat[p]["cp"], from_home)
        rest = max(rest - SLACK * clu[home]["cp"], 0.0) / (n_home - n)
        whole = (clu[target]["cp"] + s.cat[p]["cp"] + loss) / (n_target + n)
        least = least_total(s, top, home, target, rest, whole, step, away)
        return least * (1.0 - SLACK) >= -s.now[LIVE]["goodness"] * k
    if loss < gain * (1.0 + SLACK):
        return False
    if code == PBM:
        peak = max(stretched(code, clu[home]["far"], max(step, away)) * (1.0 + SLACK), peak)
    elif top[LIVE, home, 0] >= peak * (1.0 + SLACK) or top[LIVE, target, 0] >= peak * (1.0 + SLACK):
        step += n / float(n_target + n) * math.sqrt(from_target)
        peak = stretched(code, peak, step) * (1.0 + SLACK)
    value = value_of(s, k, s.now[LIVE]["within"] + (loss - gain), peak)
    return value <= s.now[LIVE]["goodness"]


@jit
def least_total(
    s: State,
    top: Floats,
    home: int,
    target: int,
    spread_home: float,
    spread_target: float,
    step: float,
    away: float,
) -> float:
    """DB: at least so great is the sum of maxima if two clusters had these spreads.

    The mean of `home` moves by `step`, that of `target` towards a point `away` from home.
    """
    k, total = s.now[LIVE]["k"], 0.0
    distance = s.matrix[LIVE, DISTANCE]
    reach = max(math.sqrt(distance[home, target]), away) + step
    own_home = (spread_home + spread_target) / (reach * reach)
    own_target = own_home
    for c in range(k):
        if c in (home, target):
            continue
        greatest, rival = top[LIVE, c, 0], int(top[LIVE, c, TOPS])
        is_rival = c in (int(top[LIVE, home, TOPS]), int(top[LIVE, target, TOPS]))
        if is_rival or rival in (home, target):
            theirs = spread(s.clu[LIVE, c]["n"], s.clu[LIVE, c]["cp"], s.now[0]["cp"])
            from_home = math.sqrt(distance[c, home])
            reach = from_home + step
            with_home = (theirs + spread_home) / (reach * reach)
            reach = max(math.sqrt(distance[c, target]), from_home + away)
            with_target = (theirs + spread_target) / (reach * reach)
            own_home, own_target = max(own_home, with_home), max(own_target, with_target)
            if rival in (home, target):
                greatest = max(with_home, with_target)
                for place in range(1, TOPS):
                    other = int(top[LIVE, c, TOPS + place])
                    if other >= 0 and other not in (home, target):
                        greatest = max(greatest, top[LIVE, c, place])
        total += greatest
    return total + own_home + own_target
