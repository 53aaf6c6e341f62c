"""Swap: the best move of one category to a cluster it is connected to, again while it helps.

Moving a cluster's only category removes the cluster; a move that would leave a single cluster is
not allowed. Needs more than two categories.
"""

from ..._jit import jit, jit_part
from ...icvi.compare import better
from ...icvi.state import LIVE, State
from ...icvi.what_if import if_moved
from .. import map_field


@jit
def is_linked(s: State, w: int, p: int, cluster: int) -> bool:
    """Is category p connected to some category of this cluster?"""
    at = s.cat[p]["head"]
    while at >= 0:
        if s.label[w, s.link[at]["to"]] == cluster:
            return True
        at = s.link[at]["following"]
    return False


@jit
def next_target(s: State, p: int, tried: int) -> int:
    """The lowest cluster above `tried`, not p's own, that p is connected to; k if there is none."""
    target, home = s.now[LIVE]["k"], s.label[LIVE, p]
    at = s.cat[p]["head"]
    while at >= 0:
        c = s.label[LIVE, s.link[at]["to"]]
        if c != home and tried < c < target:
            target = c
        at = s.link[at]["following"]
    return target


@jit_part
def best_move(s: State) -> tuple[int, int]:
    """Category and target of the best improving move; -1, -1 if none improves."""
    k = s.now[LIVE]["k"]
    chosen, chosen_target, best = -1, -1, s.now[LIVE]["goodness"]
    for p in range(s.now[0]["categories"]):
        if k == 2 and s.clu[LIVE, s.label[LIVE, p]]["size"] == 1:
            continue
        target = next_target(s, p, -1)
        while target < k:
            value = if_moved(s, s.top, s.attach, LIVE, p, target)
            if better(value, best):
                chosen, chosen_target, best = p, target, value
            target = next_target(s, p, target)
    return chosen, chosen_target


@jit_part
def swap_strategy(s: State) -> None:
    while s.now[0]["categories"] > 2 and s.now[LIVE]["k"] > 1:
        p, target = best_move(s)
        if p < 0:
            break
        map_field.move(s, p, target)
