"""Merge: walk from k clusters down to 2, always the best pair; keep the best stage of the walk.

Runs with more than 2 clusters while the tracker is 0. The walk is made on the trial partition, and
ends where a bound proves that nothing later can win: mostly before it begins. For
the conn_index only clusters joined by CONN > 0 may merge, and the walk ends when none are.
"""

import math

from ..._jit import TIE, jit
from ..._typing import Floats
from ...icvi import merge_bounds
from ...icvi.bounds import rules_out
from ...icvi.compare import SLACK, better
from ...icvi.cost_bounds import ward_cost
from ...icvi.db import INFINITE
from ...icvi.followed_walk import walk_loses
from ...icvi.groupings import no_grouping_wins
from ...icvi.hints import may_merge
from ...icvi.merger_rises import pair_exceeds, prepare_rises, raise_bounds
from ...icvi.merger_rows import (
    HIGHER,
    OWN,
    REMEMBERED,
    bound_row,
    follow_merger,
    highest_sum,
    leave_rows,
    prepare_rows,
    remember_pair,
)
from ...icvi.merger_sums import LEAST_CLUSTERS, prepare_mergers
from ...icvi.partition import copy_to_trial
from ...icvi.rearranging import merge_clusters
from ...icvi.registry import CONN, DB, XB
from ...icvi.state import DISTANCE, LIVE, MATCH, PAIR, TOPS, TRIAL, State
from ...icvi.what_if import if_merged
from .. import map_field

# On a walk, a proof that the rest is needless is looked for after every so many mergers.
PAUSE = 8
# XB: where it is in vain to look at all groupings, that is not done for up to so many samples.
LONGEST_PAUSE = 7


@jit
def cheapest_pair(s: State, w: int) -> tuple[int, int]:
    """The pair whose merger adds least to WGSS: Ward's pair, the best one for CH and WB.

    The bounds say which rows need not be looked at: all that cost more than some known pair.
    """
    k, known = s.now[w]["k"], math.inf
    # The bounds of DB are of another cost.
    if s.params[0]["prove"] == 1 and s.family != DB:
        lowest = merge_bounds.lowest_cluster(s, w)
        for other in range(k):
            if other != lowest and may_merge(s, w, lowest, other):
                known = min(known, ward_cost(s, w, lowest, other))
        known *= 1.0 + SLACK
    best, at_i, at_j = math.inf, -1, -1
    for i in range(k):
        if known < math.inf and s.clu[w, i]["least"] > known:
            continue
        for j in range(i + 1, k):
            if not may_merge(s, w, i, j):
                continue
            cost = ward_cost(s, w, i, j)
            if at_i < 0 or cost < best - TIE * best:
                best, at_i, at_j = cost, i, j
    return at_i, at_j


@jit
def cheap_pair(s: State, w: int) -> tuple[int, int]:
    """The cheapest merger of the cluster whose bound of the costs is lowest."""
    lowest, partner, least = merge_bounds.lowest_cluster(s, w), -1, math.inf
    for other in range(s.now[w]["k"]):
        if other != lowest and may_merge(s, w, lowest, other):
            cost = ward_cost(s, w, lowest, other)
            if cost < least:
                partner, least = other, cost
    if partner < 0:
        return -1, -1
    return min(lowest, partner), max(lowest, partner)


@jit
def best_pair(
    s: State, top: Floats | None, attach: Floats | None, w: int
) -> tuple[float, int, int]:
    """Goodness after the best merger, and the pair (-1, -1 if none is allowed)."""
    k = s.now[w]["k"]
    best, at_i, at_j = math.nan, -1, -1
    if top is None:
        at_i, at_j = cheapest_pair(s, w)
        if at_i >= 0:
            best = if_merged(s, top, attach, w, at_i, at_j)
        return best, at_i, at_j
    if s.family == DB and s.params[0]["prove"] == 1 and k >= LEAST_CLUSTERS:
        total = prepare_mergers(s, top, w)
        if total < INFINITE:
            return best_pair_by_sum(s, top, w, total)
    # A pair that is proven worse than some other one need not be asked about.
    bar, peak, far = math.nan, -math.inf, 0.0
    if attach is None:
        for c in range(k):
            far = max(far, s.clu[w, c]["far"])
            peak = max(peak, top[w, c, 0])
        bar = value_to_beat(s, top, w, peak, far)
    limit = merge_bounds.highest_cost(s, w, bar, peak, far)
    needed = merge_bounds.distance_needed(s, bar)
    sizes = s.scan[MATCH]  # free to use: side by side, they are read much faster
    for c in range(k):
        sizes[c] = s.clu[w, c]["n"]
    for i in range(k):
        decisive = top[w, i, 0] == peak
        # Of a row that costs too much, only mergers with a cluster of the nearest pair may do.
        dear = attach is None and not decisive and s.clu[w, i]["least"] > limit
        j = next_decisive(s, top, w, i, peak) if dear else i + 1
        while j < k:
            if attach is not None:
                useless = s.matrix[w, PAIR, i, j] == 0.0
            else:
                weight, both = sizes[i] * sizes[j], sizes[i] + sizes[j]
                useless = weight * s.matrix[w, DISTANCE, i, j] > limit * both
                useless = useless and not (decisive or top[w, j, 0] == peak)
                if not useless:
                    cost = weight / both * s.matrix[w, DISTANCE, i, j]
                    useless = merge_bounds.comes_too_near(s, top, w, i, j, cost, needed)
            useless = useless or not may_merge(s, w, i, j)
            if attach is None and not useless:
                bound = merge_bounds.if_merged(s, top, w, i, j, peak, far, bar)
                useless = rules_out(s, bound, bar)
            if not useless:
                value = if_merged(s, top, attach, w, i, j)
                if at_i < 0 or better(value, best):
                    best, at_i, at_j = value, i, j
                    if attach is None and better(value, bar):
                        bar = value
                        limit = merge_bounds.highest_cost(s, w, bar, peak, far)
                        needed = merge_bounds.distance_needed(s, bar)
            j = next_decisive(s, top, w, j, peak) if dear else j + 1
    return best, at_i, at_j


@jit
def best_pair_by_sum(s: State, top: Floats, w: int, total: float) -> tuple[float, int, int]:
    """`best_pair` for DB, by bounds of the sum of maxima, which is `total` now."""
    k, hub, best, at_i, at_j = s.now[w]["k"], prepare_rows(s, top, w), math.nan, -1, -1
    rises = prepare_rises(s, top, w, total)
    bar = value_remembered(s, top, w)
    limit = highest_sum(k - 1, bar)
    for i in range(k):
        bound_row(s, top, w, i, total)
        left = raise_bounds(s, w, i, rises, limit)
        for j in range(i + 1, k):
            if left == 0:
                break
            if s.branch[HIGHER, j] + s.branch[OWN, j] > limit:
                continue
            left -= 1
            if not may_merge(s, w, i, j):
                continue
            if pair_exceeds(s, top, w, i, j, rises, hub, total, limit):
                continue
            value = if_merged(s, top, None, w, i, j)
            if at_i < 0 or better(value, best):
                best, at_i, at_j = value, i, j
                if better(value, bar):
                    bar, limit = value, highest_sum(k - 1, value)
                    remember_pair(s, i, j)
    leave_rows(s, w)
    return best, at_i, at_j


@jit
def value_remembered(s: State, top: Floats, w: int) -> float:
    """DB: how good the best is of some mergers that were good before; NaN if there is none."""
    bar = math.nan
    for place in range(REMEMBERED):
        i, j = s.clu[TRIAL, place]["best_i"], s.clu[TRIAL, place]["best_j"]
        if 0 <= i < j < s.now[w]["k"] and may_merge(s, w, i, j):
            value = if_merged(s, top, None, w, i, j)
            if better(value, bar):
                bar = value
    return bar


@jit
def next_decisive(s: State, top: Floats, w: int, c: int, peak: float) -> int:
    """The next cluster after c with a pair whose quantity counts; k if there is none."""
    c += 1
    while c < s.now[w]["k"] and top[w, c, 0] != peak:
        c += 1
    return c


@jit
def value_to_beat(s: State, top: Floats, w: int, peak: float, far: float) -> float:
    """How good some merger is that may well be the best; NaN if none is allowed.

    One of the cheapest; that of the pair whose quantity counts; and for DB, where these say little,
    what seems best for the cluster that costs least.
    """
    bar, k = math.nan, s.now[w]["k"]
    i, j = cheapest_pair(s, w) if s.family == DB else cheap_pair(s, w)
    if i >= 0:
        bar = if_merged(s, top, None, w, i, j)
    for c in range(k):
        if top[w, c, 0] == peak:
            bar = raised(s, top, w, c, int(top[w, c, TOPS]), bar)
            break
    if s.family != DB:
        return bar
    lowest = merge_bounds.lowest_cluster(s, w)
    highest, partner = -math.inf, -1
    for c in range(k):
        if c != lowest and may_merge(s, w, lowest, c):
            i, j = min(lowest, c), max(lowest, c)
            bound = merge_bounds.if_merged(s, top, w, i, j, peak, far, highest)
            if bound > highest:
                highest, partner = bound, c
    if partner >= 0:
        bar = raised(s, top, w, lowest, partner, bar)
    return bar


@jit
def raised(s: State, top: Floats, w: int, a: int, b: int, bar: float) -> float:
    """The bar, or how good the merger of two clusters is if that is better."""
    i, j = min(a, b), max(a, b)
    if may_merge(s, w, i, j):
        value = if_merged(s, top, None, w, i, j)
        if better(value, bar):
            return value
    return bar


@jit
def no_pair_is_linked(s: State, top: Floats) -> bool:
    """conn_index: proof that no two clusters are connected, hence none can merge."""
    for c in range(s.now[LIVE]["k"]):
        if top[LIVE, c, 0] > 0.0:
            return False
    return True


@jit
def is_needless(s: State, top: Floats | None, attach: Floats | None, w: int, best: float) -> bool:
    """Proof that from partition w on no stage of the walk is better than `best`."""
    if top is not None and attach is not None:
        return w == LIVE and no_pair_is_linked(s, top)
    return merge_bounds.no_merger_helps(s, w, s.now[w]["k"] - 2, best)


@jit
def no_walk_wins(s: State, good: float) -> bool:
    """Proof that no stage of the walk is better than the live partition.

    XB: mostly, no single merger helps, and no grouping by more; otherwise the walk is followed. A
    merger that helps may be noted.
    """
    if s.family != XB:
        return is_needless(s, s.top, s.attach, LIVE, good)
    now = s.now[0]
    now["better_i"] = -1
    if now["n"] >= now["next_grouping"] and walk_loses(s, s.top, 1):
        if no_grouping_wins(s, s.top):
            now["grouping_pause"] = 0
            return True
        now["grouping_pause"] = min(2 * now["grouping_pause"] + 1, LONGEST_PAUSE)
        now["next_grouping"] = now["n"] + now["grouping_pause"]
    if now["better_i"] < 0 and walk_loses(s, s.top, s.now[LIVE]["k"]):
        return True
    return now["better_i"] < 0 and is_needless(s, s.top, s.attach, LIVE, good)


@jit
def merge_strategy(s: State) -> None:
    """A merger that is better at once is on every walk that wins: it is made without looking on."""
    while s.now[LIVE]["k"] > 2 and s.now[0]["tracker"] == 0:
        good = s.now[LIVE]["goodness"]
        if no_walk_wins(s, good):
            s.now[0]["merge_proofs"] += 1
            s.now[0]["unmerged"] = s.now[0]["versions"]
            break
        i, j = s.now[0]["better_i"], s.now[0]["better_j"]
        if i < 0:
            value, i, j = best_pair(s, s.top, s.attach, LIVE)
            if not better(value, good):
                s.now[0]["merge_walks"] += 1
                walk(s, i, j)
                break
        map_field.merge(s, s.weight, i, j)


@jit
def walk(s: State, i: int, j: int) -> None:
    """Look ahead to the end, on the trial partition, and go as far as is best.

    The first merger, of i and j, is known, and not to be better by itself.
    """
    copy_to_trial(s, s.top, s.attach)
    stage, best_stage, best = 0, 0, s.now[LIVE]["goodness"]
    while i >= 0:
        s.clu[LIVE, stage]["path_i"] = i
        s.clu[LIVE, stage]["path_j"] = j
        stage += 1
        merge_clusters(s, s.top, s.attach, TRIAL, i, j)
        if s.now[TRIAL]["k"] == 2:
            break
        if s.family == DB:
            follow_merger(s, i, j)
        if stage % PAUSE == 0 and is_needless(s, s.top, s.attach, TRIAL, best):
            break
        if s.family != CONN and merge_bounds.rest_loses(s, TRIAL, best):
            break
        value, i, j = best_pair(s, s.top, s.attach, TRIAL)
        if i >= 0 and better(value, best):
            best, best_stage = value, stage + 1
    for stage in range(best_stage):
        i, j = s.clu[LIVE, stage]["path_i"], s.clu[LIVE, stage]["path_j"]
        map_field.merge(s, s.weight, i, j)
