"""Merge: walk from k clusters down to 2, always the best pair; keep the best stage of the walk.

Runs with more than 2 clusters while the tracker is 0. The walk is made on a scratch copy. For the
conn_index only clusters joined by CONN > 0 may merge, and the walk ends when none are.
"""

import numpy as np

from ..._jit import TIE, jit
from ...icvi.compare import better
from ...icvi.partition import (
    GOODNESS,
    WITHIN,
    Ground,
    Partition,
    copy_partition,
    merge_clusters,
)
from ...icvi.registry import CH, CONN, WB, goodness
from ...icvi.what_if import Bench, if_merged
from .. import map_field
from ..state import Params, State

# Ward's costs never fall along the walk in exact arithmetic; this is for their rounding.
_BOUND_SLACK = 1.0 - 1e-9


@jit
def cheapest_pair(part: Partition) -> tuple[float, int, int]:
    """The pair whose merger adds least to WGSS: Ward's pair, the best one for CH and WB."""
    n, distance = part.foot.n, part.distance
    best, at_i, at_j = np.inf, -1, -1
    for i in range(part.k[0]):
        for j in range(i + 1, part.k[0]):
            cost = n[i] * n[j] / (n[i] + n[j]) * distance[i, j]
            if at_i < 0 or cost < best - TIE * best:
                best, at_i, at_j = cost, i, j
    return best, at_i, at_j


@jit
def linked(part: Partition, ground: Ground, i: int, j: int) -> bool:
    """Is a category of cluster i connected to one of cluster j?"""
    for p in range(ground.count[0]):
        if part.label[p] == i and part.attach[p, j] > 0.0:
            return True
    return False


@jit
def best_pair(code: int, part: Partition, ground: Ground, bench: Bench) -> tuple[float, int, int]:
    """Goodness after the best merger, and the pair (-1, -1 if none is allowed)."""
    if code == CH or code == WB:
        _, i, j = cheapest_pair(part)
        return if_merged(code, part, ground, bench, i, j), i, j
    best, at_i, at_j = np.nan, -1, -1
    for i in range(part.k[0]):
        for j in range(i + 1, part.k[0]):
            if code == CONN and not linked(part, ground, i, j):
                continue
            value = if_merged(code, part, ground, bench, i, j)
            if at_i < 0 or better(value, best):
                best, at_i, at_j = value, i, j
    return best, at_i, at_j


@jit
def no_stage_can_win(code: int, part: Partition, ground: Ground) -> bool:
    """CH and WB: proof from a bound that the walk would change nothing.

    A merger costs at least as much as the first one, so with k' clusters WGSS is at least
    WGSS + (k - k') * (first cost), and both indices get worse as WGSS grows.
    """
    k = part.k[0]
    first_cost, _, _ = cheapest_pair(part)
    for left in range(2, k):
        within = part.stats[WITHIN] + (k - left) * first_cost * _BOUND_SLACK
        value = goodness(
            code,
            left,
            float(ground.all_data.n[0]),
            within,
            ground.all_data.cp[0],
            0.0,
            0.0,
            0.0,
        )
        if better(value, part.stats[GOODNESS]):
            return False
    return True


@jit
def merge_strategy(state: State, params: Params) -> None:
    part, ground, walk = state.part, state.ground, state.scratch
    code = params.code
    if part.k[0] <= 2 or state.tracker[0] != 0:
        return
    if (code == CH or code == WB) and no_stage_can_win(code, part, ground):
        return
    copy_partition(code, part, walk, ground.count[0])
    path = np.empty((part.k[0], 2), dtype=np.int64)
    stage, best_stage, best = 0, 0, part.stats[GOODNESS]
    while walk.k[0] > 2:
        value, i, j = best_pair(code, walk, ground, state.bench)
        if i < 0:
            break
        path[stage, 0], path[stage, 1] = i, j
        stage += 1
        if better(value, best):
            best, best_stage = value, stage
        merge_clusters(code, walk, ground, i, j)
    for s in range(best_stage):
        map_field.merge(state, params, path[s, 0], path[s, 1])
