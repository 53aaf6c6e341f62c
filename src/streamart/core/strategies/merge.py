"""Merge: walk from k clusters down to 2, always the best pair; keep the best stage of the walk.

Runs with more than 2 clusters while the tracker is 0. The walk is made on the trial partition. For
the conn_index only clusters joined by CONN > 0 may merge, and the walk ends when none are.
"""

import math

from ..._jit import TIE, jit, jit_part
from ..._typing import Floats
from ...icvi.compare import better
from ...icvi.partition import copy_to_trial, merge_clusters
from ...icvi.registry import goodness
from ...icvi.state import DISTANCE, LIVE, TRIAL, State
from ...icvi.what_if import if_merged
from .. import map_field

# Ward's costs never fall along the walk in exact arithmetic; this is for their rounding.
_BOUND_SLACK = 1.0 - 1e-9


@jit
def cheapest_pair(s: State, w: int) -> tuple[float, int, int]:
    """The pair whose merger adds least to WGSS: Ward's pair, the best one for CH and WB."""
    best, at_i, at_j = math.inf, -1, -1
    for i in range(s.now[w]["k"]):
        n_i = s.clu[w, i]["n"]
        for j in range(i + 1, s.now[w]["k"]):
            n_j = s.clu[w, j]["n"]
            cost = n_i * n_j / (n_i + n_j) * s.matrix[w, DISTANCE, i, j]
            if at_i < 0 or cost < best - TIE * best:
                best, at_i, at_j = cost, i, j
    return best, at_i, at_j


@jit
def linked(s: State, attach: Floats, w: int, i: int, j: int) -> bool:
    """Is a category of cluster i connected to one of cluster j?"""
    for p in range(s.now[0]["categories"]):
        if s.label[w, p] == i and attach[w, p, j] > 0.0:
            return True
    return False


@jit
def best_pair(
    s: State, top: Floats | None, attach: Floats | None, w: int
) -> tuple[float, int, int]:
    """Goodness after the best merger, and the pair (-1, -1 if none is allowed)."""
    best, at_i, at_j = math.nan, -1, -1
    if top is None:
        _, at_i, at_j = cheapest_pair(s, w)
        return if_merged(s, top, attach, w, at_i, at_j), at_i, at_j
    for i in range(s.now[w]["k"]):
        for j in range(i + 1, s.now[w]["k"]):
            if attach is not None:
                if not linked(s, attach, w, i, j):
                    continue
            value = if_merged(s, top, attach, w, i, j)
            if at_i < 0 or better(value, best):
                best, at_i, at_j = value, i, j
    return best, at_i, at_j


@jit
def no_stage_can_win(s: State, top: Floats | None) -> bool:
    """CH and WB: proof from a bound that the walk would change nothing.

    A merger costs at least as much as the first one, so with k' clusters WGSS is at least
    WGSS + (k - k') * (first cost), and both indices get worse as WGSS grows.
    """
    code, k = s.params[0]["code"], s.now[LIVE]["k"]
    if top is not None:
        return False
    first_cost, _, _ = cheapest_pair(s, LIVE)
    for left in range(2, k):
        within = s.now[LIVE]["within"] + (k - left) * first_cost * _BOUND_SLACK
        value = goodness(code, left, float(s.now[0]["n"]), within, s.now[0]["cp"], 0.0, 0.0, 0.0)
        if better(value, s.now[LIVE]["goodness"]):
            return False
    return True


@jit_part
def merge_strategy(s: State) -> None:
    if s.now[LIVE]["k"] > 2 and s.now[0]["tracker"] == 0 and not no_stage_can_win(s, s.top):
        copy_to_trial(s, s.top, s.attach)
        stage, best_stage, best = 0, 0, s.now[LIVE]["goodness"]
        while s.now[TRIAL]["k"] > 2:
            value, i, j = best_pair(s, s.top, s.attach, TRIAL)
            if i < 0:
                break
            s.clu[LIVE, stage]["path_i"] = i
            s.clu[LIVE, stage]["path_j"] = j
            stage += 1
            if better(value, best):
                best, best_stage = value, stage
            merge_clusters(s, s.top, s.attach, TRIAL, i, j)
        for stage in range(best_stage):
            i, j = s.clu[LIVE, stage]["path_i"], s.clu[LIVE, stage]["path_j"]
            map_field.merge(s, s.weight, i, j)
