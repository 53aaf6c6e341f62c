"""Swap: the best move of one category to a cluster it is connected to, again while it helps.

Moving a cluster's only category removes the cluster; a move that would leave a single cluster is
not allowed. Needs more than two categories.
"""

from ..._jit import jit
from ...icvi.compare import better
from ...icvi.partition import GOODNESS, Ground, Partition
from ...icvi.what_if import if_moved
from .. import map_field
from ..state import Params, State


@jit
def is_linked(part: Partition, ground: Ground, p: int, cluster: int) -> bool:
    """Is category p connected to some category of this cluster?"""
    links = ground.links
    at = links.head[p]
    while at >= 0:
        if part.label[links.to[at]] == cluster:
            return True
        at = links.following[at]
    return False


@jit
def best_move(state: State, params: Params) -> tuple[int, int]:
    """Category and target of the best improving move; -1, -1 if none improves."""
    part, ground, links = state.part, state.ground, state.ground.links
    k = part.k[0]
    at_p, at_target, best = -1, -1, part.stats[GOODNESS]
    for p in range(ground.count[0]):
        home = part.label[p]
        if part.size[home] == 1 and k == 2:
            continue
        # Targets in ascending order: the least cluster number not tried yet, from p's links.
        tried = -1
        while True:
            target = k
            at = links.head[p]
            while at >= 0:
                c = part.label[links.to[at]]
                if c != home and tried < c < target:
                    target = c
                at = links.following[at]
            if target == k:
                break
            tried = target
            value = if_moved(params.code, part, ground, state.bench, p, target)
            if better(value, best):
                at_p, at_target, best = p, target, value
    return at_p, at_target


@jit
def swap_strategy(state: State, params: Params) -> None:
    if state.ground.count[0] <= 2:
        return
    while state.part.k[0] > 1:
        p, target = best_move(state, params)
        if p < 0:
            return
        map_field.move(state, params, p, target)
