"""PBM: which categories a swap might help, where one cluster holds most of them.

Then few categories are connected to another cluster than their own, and nothing has to be known of
the others: what they add to WGSS, or how far they are from any mean. They are found from those that
are not in the great cluster, since CONN is symmetric.
"""

from ..._jit import jit
from ..._typing import Floats
from ...icvi.bounds import rules_out, value_of
from ...icvi.hints import is_anchored
from ...icvi.length_bounds import falls_short, price_of_limit
from ...icvi.partition import distances_of_category, ward_cost
from ...icvi.state import LIVE, State
from ...icvi.tops import greatest_quantity
from ...icvi.what_if import if_merged


@jit
def find_hopeful_across(s: State, top: Floats, great: int, limit: float) -> bool:
    """Marks the categories of clusters of several that a move might help beyond `limit`."""
    clu, price, found = s.clu[LIVE], price_of_limit(s, limit), False
    search = s.now[0]["search"]
    s.now[0]["search"] = search + s.cat.shape[0] + s.now[LIVE]["k"]
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        home = s.label[LIVE, p]
        if home == great:
            continue
        measured, at = False, s.cat[p]["head"]
        while at >= 0:
            q = s.link[at]["to"]
            other = s.label[LIVE, q]
            at = s.link[at]["following"]
            if other == home:
                continue
            if clu[home]["size"] > 1 and clu[other]["asked"] != search + p + 1:
                clu[other]["asked"] = search + p + 1
                if not measured:
                    distances_of_category(s, LIVE, p)
                    measured = True
                found = note_unless_short(s, top, p, other, price) or found
            if other == great and s.cat[q]["asked"] != search + home + 1:
                s.cat[q]["asked"] = search + home + 1
                distances_of_category(s, LIVE, q)
                measured = False
                found = note_unless_short(s, top, q, home, price) or found
    return found


@jit
def note_unless_short(s: State, top: Floats, p: int, target: int, price: float) -> bool:
    """Marks a category unless a move is proven to be of no use."""
    if is_anchored(s, p) or falls_short(s, top, p, target, price):
        return False
    s.cat[p]["mark"] = 1
    return True


@jit
def lone_may_go(s: State, top: Floats, p: int) -> bool:
    """Might it help if p, the only category of its cluster, goes to one that it is connected to?

    That is a merger, after which no two means are farther apart than the farthest are now: mostly,
    what it costs tells.
    """
    k, good, within = s.now[LIVE]["k"], s.now[LIVE]["goodness"], s.now[LIVE]["within"]
    home, last, at = s.label[LIVE, p], -1, s.cat[p]["head"]
    peak = greatest_quantity(s, top)
    while at >= 0:
        other = s.label[LIVE, s.link[at]["to"]]
        at = s.link[at]["following"]
        if other in (home, last):
            continue
        last = other
        value = value_of(s, k - 1, within + ward_cost(s, LIVE, home, other), peak)
        if not rules_out(s, value, good):
            value = if_merged(s, top, None, LIVE, home, other)
            if not rules_out(s, value, good):
                return True
    return False
