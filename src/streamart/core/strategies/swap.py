"""Swap: the best move of one category to a cluster it is connected to, again while it helps.

Moving a cluster's only category removes the cluster; a move that would leave a single cluster is
not allowed. Needs more than two categories.
"""

from ..._jit import NONE, by_index_of_state, jit, jit_part
from ...icvi.compare import better, scatter_after
from ...icvi.hints import is_anchored
from ...icvi.links import links_of
from ...icvi.registry import if_moved, index_of
from ...icvi.scatter import merger_rise, rise_of_joining, rise_of_leaving, value_at
from ...icvi.state import LIVE, State
from .. import map_field


@jit
def best_move_by_value(s: State) -> tuple[int, int]:
    """Category and target of the best improving move; -1, -1 if none improves."""
    k, best, mover, goal = s.now[LIVE]["k"], s.now[LIVE]["goodness"], NONE, NONE
    for c in range(k):
        s.clu[LIVE, c]["count"] = NONE
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        home = s.label[LIVE, p]
        if is_anchored(s, p) or (k == 2 and s.clu[LIVE, home]["size"] == 1):
            continue
        for row in links_of(s, p):
            s.clu[LIVE, s.label[LIVE, s.link[row]["other"]]]["count"] = p
        for target in range(k):
            if target != home and s.clu[LIVE, target]["count"] == p:
                value = if_moved(s, LIVE, p, target)
                if better(value, best):
                    best, mover, goal = value, p, target
    return mover, goal


@jit_part
def mark_movable(s: State) -> None:
    """Mark the categories whose cluster has changed since swap last looked, those linked to one of
    them, and those that are alone in their cluster."""
    cat, clu, label = s.cat, s.clu[LIVE], s.label[LIVE]
    for p in range(s.now[0]["categories"]):
        cat[p]["mark"] = 1 if clu[label[p]]["size"] == 1 else 0
    for p in range(s.now[0]["categories"]):
        if clu[label[p]]["changed"] == 1:
            cat[p]["mark"] = 1
            for row in links_of(s, p):
                cat[s.link[row]["other"]]["mark"] = 1


@jit
def best_move_by_scatter(s: State) -> tuple[int, int]:
    """The same for an index that depends on WGSS alone.

    A move that leaves k as it is helps only if WGSS falls. It was useless when swap last looked,
    and still is unless one of its two clusters has changed since. A category that is alone takes
    its cluster with it, so its move is a merger, and always asked about. No others are marked.
    """
    mark_movable(s)
    k, clu, within = s.now[LIVE]["k"], s.clu[LIVE], s.now[LIVE]["within"]
    best, mover, goal = s.now[LIVE]["goodness"], NONE, NONE
    for c in range(k):
        clu[c]["count"] = NONE
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        home = s.label[LIVE, p]
        alone = clu[home]["size"] == 1
        if s.cat[p]["mark"] == 0 or is_anchored(s, p) or (k == 2 and alone):
            continue
        leaving = 1.0  # not known yet
        for row in links_of(s, p):
            target = s.label[LIVE, s.link[row]["other"]]
            if target == home or clu[target]["count"] == p:
                continue
            clu[target]["count"] = p  # it has been asked about
            if alone:
                value = value_at(s, k - 1, within + merger_rise(s, LIVE, home, target))
            else:
                if clu[home]["changed"] == 0 and clu[target]["changed"] == 0:
                    continue
                if leaving > 0.0:
                    leaving = rise_of_leaving(s, LIVE, p)
                rise = leaving + rise_of_joining(s, LIVE, p, target)
                if rise >= 0.0:
                    continue
                value = value_at(s, k, scatter_after(within, rise))
            first = p == mover and target < goal and not better(best, value)  # of equals
            if better(value, best) or first:
                best, mover, goal = value, p, target
    return mover, goal


best_move = by_index_of_state(
    lambda marker: best_move_by_scatter if index_of(marker).by_scatter else best_move_by_value
)


@jit_part
def swap_strategy(s: State) -> None:
    """The best move, again and again."""
    # Ends: every move makes the index better, and there are finitely many partitions.
    while s.now[LIVE]["k"] > 1:
        p, target = best_move(s)
        if p < 0:
            break
        map_field.move(s, p, target)
    for c in range(s.now[LIVE]["k"]):
        s.clu[LIVE, c]["changed"] = 0
