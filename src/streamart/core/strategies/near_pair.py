"""XB: which categories a swap might help, where clusters are many.

The index is WGSS over the least squared distance between two means. That distance grows only if
one of the nearest two clusters changes. So a move that neither comes from them nor goes to them
helps only if WGSS falls, which is asked elsewhere (`hopeful.find_hopeful_by_scatter`), and a merger
of two others, which is what a move of the only category of a cluster is, never does.
"""

from ..._jit import jit
from ..._typing import Floats
from ...icvi import move_bounds
from ...icvi.bounds import value_of
from ...icvi.compare import SLACK
from ...icvi.hints import is_anchored
from ...icvi.state import LIVE, TOPS, State
from ...icvi.weighing import weigh_categories


@jit
def nearest_pair(s: State, top: Floats) -> tuple[int, int]:
    """Two clusters that no others are nearer than."""
    one = 0
    for c in range(s.now[LIVE]["k"]):
        if top[LIVE, c, 0] > top[LIVE, one, 0]:
            one = c
    return one, int(top[LIVE, one, TOPS])


@jit
def find_lone_near(s: State, top: Floats) -> bool:
    """Marks the only categories of clusters that are one of the nearest two, or may go there."""
    one, other = nearest_pair(s, top)
    found = False
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        home = s.label[LIVE, p]
        if home not in (one, other):
            continue
        found = mark_lone(s, p) or found
        at = s.cat[p]["head"]
        while at >= 0:
            q = s.link[at]["to"]
            at = s.link[at]["following"]
            if s.label[LIVE, q] != home:
                found = mark_lone(s, q) or found
    return found


@jit
def mark_lone(s: State, p: int) -> bool:
    """Marks category p if it is the only one of its cluster."""
    if s.clu[LIVE, s.label[LIVE, p]]["size"] != 1 or is_anchored(s, p):
        return False
    s.cat[p]["mark"] = 1
    return True


@jit
def scatter_may_tell(s: State, peak: float, limit: float) -> bool:
    """Might a move help beyond `limit` that leaves the nearest two as they are?

    WGSS falls by no more than what a cluster of several has. After a split, the way back is so much
    better than that that nothing else needs to be asked.
    """
    most, clu = 0.0, s.clu[LIVE]
    for c in range(s.now[LIVE]["k"]):
        if clu[c]["size"] > 1:
            most = max(most, clu[c]["cp"])
    within = max(s.now[LIVE]["within"] - most * (1.0 + SLACK), 0.0)
    return value_of(s, s.now[LIVE]["k"], within, peak) > limit


@jit
def find_hopeful_at_pair(s: State, top: Floats, peak: float, limit: float, losses: bool) -> bool:
    """Marks the categories of clusters of several that a move from or to the nearest two may help.

    `losses`: the `loss` of categories is known.
    """
    clu, found, pair = s.clu[LIVE], False, nearest_pair(s, top)
    move_bounds.prepare(s, top)
    weigh_categories(s)
    search = s.now[0]["search"]
    s.now[0]["search"] = search + s.cat.shape[0] + s.now[LIVE]["k"]
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        home = s.label[LIVE, p]
        if home not in pair:
            continue
        several, only = clu[home]["size"] > 1, -1
        if several and losses and move_bounds.rest_stays_near(s, top, p, limit):
            only = int(top[LIVE, home, TOPS])
        at = s.cat[p]["head"]
        while at >= 0:
            q = s.link[at]["to"]
            other = s.label[LIVE, q]
            at = s.link[at]["following"]
            if other == home:
                continue
            if several and only in (-1, other) and clu[other]["asked"] != search + p + 1:
                clu[other]["asked"] = search + p + 1
                found = not is_useless(s, top, p, other, peak, limit) or found
            if other not in pair and clu[other]["size"] > 1:
                if s.cat[q]["asked"] != search + home + 1:
                    s.cat[q]["asked"] = search + home + 1
                    found = not is_useless(s, top, q, home, peak, limit) or found
    return found


@jit
def is_useless(s: State, top: Floats, p: int, target: int, peak: float, limit: float) -> bool:
    """Ask about one move; one that may help marks the category."""
    if is_anchored(s, p) or move_bounds.scatter_rules_out(s, top, p, target, limit):
        return True
    if move_bounds.no_move_helps(s, top, p, target, peak, limit):
        return True
    s.cat[p]["mark"] = 1
    return False
