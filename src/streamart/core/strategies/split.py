"""Split, while the tracker is above its threshold: three forms.

- activity-based: the most recently active category of a cluster of several becomes a cluster;
- full-cluster-decomposition: each cluster in turn is taken wholly apart and merged again as long
  as that helps; the best outcome is kept if it beats the present partition; repeated while it does;
- partial-cluster-decomposition: in each cluster, the best category to detach starts a new cluster,
  categories swap between the two while that helps; the best of all clusters is carried out.
"""

import numpy as np

from ..._jit import jit
from ..._typing import Ints
from ...icvi.compare import better
from ...icvi.partition import (
    GOODNESS,
    copy_partition,
    merge_clusters,
    move_category,
    split_category_off,
)
from ...icvi.what_if import if_moved
from .. import map_field
from ..state import SPLIT_ACTIVITY, SPLIT_FULL, Params, State
from .merge import best_pair
from .swap import is_linked


@jit
def split_strategy(state: State, params: Params) -> None:
    if state.tracker[0] <= params.tau:
        return
    if params.split == SPLIT_ACTIVITY:
        activity_based(state, params)
    elif params.split == SPLIT_FULL:
        while full_decomposition(state, params):
            pass
    else:
        partial_decomposition(state, params)


@jit
def activity_based(state: State, params: Params) -> None:
    part, inactivity = state.part, state.a.inactivity
    chosen = -1
    for p in range(state.ground.count[0]):
        if part.size[part.label[p]] > 1 and (chosen < 0 or inactivity[p] < inactivity[chosen]):
            chosen = p
    if chosen >= 0:
        map_field.split_off(state, params, chosen)


@jit
def full_decomposition(state: State, params: Params) -> bool:
    """Carry out the best decomposition of one cluster, if any helps."""
    code, part, ground, trial = params.code, state.part, state.ground, state.scratch
    best, best_cluster, best_length = np.nan, -1, 0
    path = np.empty((ground.count[0] + 1, 2), dtype=np.int64)
    best_path = np.empty_like(path)
    for c in range(part.k[0]):
        if part.size[c] < 2:
            continue
        copy_partition(code, part, trial, ground.count[0])
        for p in after_first(part.label, ground.count[0], c):
            split_category_off(code, trial, ground, p)
        length = 0
        while trial.k[0] > 2:
            value, i, j = best_pair(code, trial, ground, state.bench)
            if i < 0 or not better(value, trial.stats[GOODNESS]):
                break
            path[length, 0], path[length, 1] = i, j
            length += 1
            merge_clusters(code, trial, ground, i, j)
        if best_cluster < 0 or better(trial.stats[GOODNESS], best):
            best, best_cluster, best_length = trial.stats[GOODNESS], c, length
            best_path[:length] = path[:length]
    if best_cluster < 0 or not better(best, part.stats[GOODNESS]):
        return False
    for p in after_first(part.label, ground.count[0], best_cluster):
        map_field.split_off(state, params, p)
    for s in range(best_length):
        map_field.merge(state, params, best_path[s, 0], best_path[s, 1])
    return True


@jit
def after_first(label: Ints, categories: int, c: int) -> Ints:
    """The categories of cluster c but its first, which keeps the cluster's place."""
    members = np.empty(categories, dtype=np.int64)
    found = 0
    for p in range(categories):
        if label[p] == c:
            members[found] = p
            found += 1
    return members[1:found]


@jit
def partial_decomposition(state: State, params: Params) -> None:
    code, part, ground, trial = params.code, state.part, state.ground, state.scratch
    categories, k = ground.count[0], part.k[0]
    best, found = np.nan, False
    leaving = np.zeros(categories, dtype=np.int64)
    for c in range(k):
        if part.size[c] < 2:
            continue
        copy_partition(code, part, trial, categories)
        seed, seed_value = -1, np.nan
        for p in range(categories):
            if part.label[p] == c:
                value = if_moved(code, trial, ground, state.bench, p, k)
                if seed < 0 or better(value, seed_value):
                    seed, seed_value = p, value
        split_category_off(code, trial, ground, seed)
        while True:
            at, value_at = -1, trial.stats[GOODNESS]
            for q in range(categories):
                if q == seed or part.label[q] != c:
                    continue
                target = k if trial.label[q] == c else c
                if trial.size[trial.label[q]] == 1 or not is_linked(trial, ground, q, target):
                    continue
                value = if_moved(code, trial, ground, state.bench, q, target)
                if better(value, value_at):
                    at, value_at = q, value
            if at < 0:
                break
            move_category(code, trial, ground, at, k if trial.label[at] == c else c)
        if not found or better(trial.stats[GOODNESS], best):
            best, found = trial.stats[GOODNESS], True
            for q in range(categories):
                leaving[q] = 1 if trial.label[q] == k else 0
    if not found:
        return
    first = True
    for q in range(categories):
        if leaving[q] == 1:
            if first:
                map_field.split_off(state, params, q)
                first = False
            else:
                map_field.move(state, params, q, k)
