"""Split, while the tracker is above its threshold: three forms.

- activity-based: the most recently active category of a cluster of several becomes a cluster;
- full-cluster-decomposition: each cluster in turn is taken wholly apart and merged again as long
  as that helps; the best outcome is kept if it beats the present partition; repeated while it does;
- partial-cluster-decomposition: in each cluster, the best category to detach starts a new cluster,
  categories swap between the two while that helps; the best of all clusters is carried out.
"""

import math

from ..._jit import NONE, jit, jit_entry, jit_part
from ...icvi.compare import better
from ...icvi.hints import is_anchored
from ...icvi.links import is_linked
from ...icvi.partition import copy_to_trial, merge_clusters, move_category
from ...icvi.registry import if_moved
from ...icvi.state import LIVE, SPLIT_FULL, TRIAL, State
from .. import map_field
from .merge import best_pair


@jit_part
def may_be_split_off(s: State, p: int) -> bool:
    return s.clu[LIVE, s.label[LIVE, p]]["size"] > 1 and not is_anchored(s, p)


@jit_part
def split_most_recent(s: State) -> None:
    """Activity-based: the category that won last of those that may be split off."""
    chosen = NONE
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        if may_be_split_off(s, p) and (chosen < 0 or s.cat[p]["won"] > s.cat[chosen]["won"]):
            chosen = p
    if chosen >= 0:
        map_field.move(s, chosen, s.now[LIVE]["k"])


@jit_entry
def decompose(s: State) -> None:
    """The two rarer forms. Not part of the main loop: compiled only where they are asked for."""
    if s.params[0]["split"] == SPLIT_FULL:
        # Ends: every round makes the index better, and there are finitely many partitions.
        while full_decomposition(s):
            pass
    else:
        partial_decomposition(s)


@jit
def full_decomposition(s: State) -> bool:
    """Carry out the best decomposition of one cluster, if any helps."""
    best, best_cluster, best_length = math.nan, NONE, 0
    for c in range(s.now[LIVE]["k"]):
        if s.clu[LIVE, c]["size"] < 2:
            continue
        length = try_full_decomposition(s, c)
        if best_cluster < 0 or better(s.now[TRIAL]["goodness"], best):
            best, best_cluster, best_length = s.now[TRIAL]["goodness"], c, length
            for stage in range(length):
                s.path[stage]["best_first"] = s.path[stage]["first"]
                s.path[stage]["best_second"] = s.path[stage]["second"]
    if best_cluster < 0 or not better(best, s.now[LIVE]["goodness"]):
        return False
    stays = one_that_stays(s, best_cluster)
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        if s.label[LIVE, p] == best_cluster and p != stays and not is_anchored(s, p):
            map_field.move(s, p, s.now[LIVE]["k"])
    for stage in range(best_length):
        map_field.merge(s, s.path[stage]["best_first"], s.path[stage]["best_second"])
    return True


@jit
def one_that_stays(s: State, c: int) -> int:
    """The first anchored category of cluster c, or the first if none is."""
    found = NONE
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        if s.label[LIVE, p] == c:
            if is_anchored(s, p):
                return p
            if found < 0:
                found = p
    return found


@jit
def try_full_decomposition(s: State, c: int) -> int:
    """Take cluster c apart on the trial partition, merge while it helps; returns the mergers made.

    One category of the cluster keeps its place, the others become the last clusters. Anchored ones
    stay together.
    """
    copy_to_trial(s)
    stays = one_that_stays(s, c)
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        if s.label[LIVE, p] == c and p != stays and not is_anchored(s, p):
            move_category(s, TRIAL, p, s.now[TRIAL]["k"])
    length = 0
    # Ends: each round has one cluster less.
    while s.now[TRIAL]["k"] > 2:
        value, i, j = best_pair(s, TRIAL)
        if i < 0 or not better(value, s.now[TRIAL]["goodness"]):
            break
        s.path[length]["first"] = i
        s.path[length]["second"] = j
        length += 1
        merge_clusters(s, TRIAL, i, j)
    return length


@jit
def partial_decomposition(s: State) -> None:
    """Split the cluster whose best split in two is best."""
    k, best, found = s.now[LIVE]["k"], math.nan, False
    for c in range(k):
        if s.clu[LIVE, c]["size"] < 2:
            continue
        try_partial_decomposition(s, c)
        if s.now[TRIAL]["k"] == k:
            continue
        if not found or better(s.now[TRIAL]["goodness"], best):
            best, found = s.now[TRIAL]["goodness"], True
            mark_new_part(s)
    if found:
        map_field.move_marked(s)


@jit
def mark_new_part(s: State) -> None:
    """Marks the categories that are in the last cluster of the trial partition."""
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        s.cat[p]["mark"] = 1 if s.label[TRIAL, p] == s.now[TRIAL]["k"] - 1 else 0


@jit
def try_partial_decomposition(s: State, c: int) -> None:
    """Split cluster c in two on the trial partition: a seed, then swaps between the two.

    Nothing happens if all its categories are anchored.
    """
    copy_to_trial(s)
    k = s.now[LIVE]["k"]
    seed, seed_value = NONE, math.nan
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        if s.label[LIVE, p] == c and not is_anchored(s, p):
            value = if_moved(s, TRIAL, p, k)
            if seed < 0 or better(value, seed_value):
                seed, seed_value = p, value
    if seed < 0:
        return
    move_category(s, TRIAL, seed, k)
    # Ends: every move makes the index better.
    while True:
        chosen, best = NONE, s.now[TRIAL]["goodness"]
        for place in range(s.now[0]["categories"]):
            p = s.order[place]
            if p == seed or s.label[LIVE, p] != c or is_anchored(s, p):
                continue
            home = s.label[TRIAL, p]
            target = k if home == c else c
            if s.clu[TRIAL, home]["size"] == 1 or not is_linked(s, TRIAL, p, target):
                continue
            value = if_moved(s, TRIAL, p, target)
            if better(value, best):
                chosen, best = p, value
        if chosen < 0:
            break
        move_category(s, TRIAL, chosen, k if s.label[TRIAL, chosen] == c else c)
