"""Merge: walk from k clusters down to 2, always the best pair; keep the best stage of the walk.

Runs with more than 2 clusters while the tracker is 0. An index may restrict which clusters merge
(`registry.may_merge`); the walk ends when no pair is left. For an index that depends on WGSS alone
the walk is Ward's path, which needs no partition to try things out on (`ward`).
"""

import math

from ..._jit import NONE, by_index_of_state, jit
from ...icvi.compare import better
from ...icvi.hints import are_kept_apart
from ...icvi.partition import copy_to_trial, merge_clusters
from ...icvi.registry import if_merged, index_of, may_merge
from ...icvi.state import LIVE, TRIAL, State
from .. import map_field
from .ward import find_wards_path


@jit
def best_pair(s: State, w: int) -> tuple[float, int, int]:
    """Goodness after the best merger, and the pair (-1, -1 if none is allowed)."""
    best, at_i, at_j = math.nan, NONE, NONE
    for i in range(s.now[w]["k"]):
        for j in range(i + 1, s.now[w]["k"]):
            if may_merge(s, w, i, j) and not are_kept_apart(s, w, i, j):
                value = if_merged(s, w, i, j)
                if at_i < 0 or better(value, best):
                    best, at_i, at_j = value, i, j
    return best, at_i, at_j


@jit
def find_path(s: State) -> int:
    """Walk on the trial partition: the pairs into `path`; returns the best stage, 0 for none."""
    copy_to_trial(s)
    best_stage, best = 0, s.now[LIVE]["goodness"]
    for stage in range(s.now[LIVE]["k"] - 2):
        _, i, j = best_pair(s, TRIAL)
        if i < 0:
            break
        s.path[stage]["first"] = i
        s.path[stage]["second"] = j
        merge_clusters(s, TRIAL, i, j)
        if better(s.now[TRIAL]["goodness"], best):
            best_stage, best = stage + 1, s.now[TRIAL]["goodness"]
    return best_stage


@jit
def merge_by_pairs(s: State) -> None:
    for stage in range(find_path(s)):
        map_field.merge(s, s.path[stage]["first"], s.path[stage]["second"])


@jit
def merge_by_scatter(s: State) -> None:
    for stage in range(find_wards_path(s)):
        map_field.merge(s, s.path[stage]["first"], s.path[stage]["second"])


merge_strategy = by_index_of_state(
    lambda marker: merge_by_scatter if index_of(marker).by_scatter else merge_by_pairs
)
