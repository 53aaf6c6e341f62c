"""XB: which categories a swap might help, where clusters are many.

The index is WGSS over the least squared distance between two means. That distance grows only if
one of the nearest two clusters changes. So a move that neither comes from them nor goes to them
helps only if WGSS falls, which is asked elsewhere (`hopeful.find_hopeful_by_scatter`), and a merger
of two others, which is what a move of the only category of a cluster is, never does.
"""

import math

from ..._jit import jit
from ..._typing import Floats
from ...icvi import move_bounds
from ...icvi.bounds import value_of
from ...icvi.compare import SLACK
from ...icvi.cores import core_stays, is_core
from ...icvi.cost_bounds import ward_cost
from ...icvi.hints import is_anchored
from ...icvi.links import is_linked
from ...icvi.state import DISTANCE, LIVE, TOPS, WITH_A, WITH_B, State
from ...icvi.weighing import gain_at_most, measure_aside, weigh_categories


@jit
def nearest_pair(s: State, top: Floats) -> tuple[int, int]:
    """Two clusters that no others are nearer than."""
    one = 0
    for c in range(s.now[LIVE]["k"]):
        if top[LIVE, c, 0] > top[LIVE, one, 0]:
            one = c
    return one, int(top[LIVE, one, TOPS])


@jit
def find_lone_near(s: State, top: Floats) -> bool:
    """Marks the only categories of clusters that are one of the nearest two, or may go there.

    As far as such a merger may help.
    """
    one, other = nearest_pair(s, top)
    lone_helps, found = note_near_mergers(s, top, one, other), False
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        home = s.label[LIVE, p]
        if s.clu[LIVE, home]["size"] != 1:
            continue
        if home in (one, other):
            found = (lone_helps and mark_lone(s, p)) or found
        elif s.each[WITH_A, home] == 1.0:
            if is_linked(s, LIVE, p, one) or is_linked(s, LIVE, p, other):
                found = mark_lone(s, p) or found
    return found


@jit
def note_near_mergers(s: State, top: Floats, one: int, other: int) -> bool:
    """Leaves in ``with_a`` 1 for each cluster that one of the nearest two might merge with, else 0.

    If two means merge, all distances follow from Stewart's theorem, and that from the other one of
    the nearest two is the least or more. Returns whether a cluster of the two that has but one
    category might merge with any.
    """
    clu, k, within, lone_helps = s.clu[LIVE], s.now[LIVE]["k"], s.now[LIVE]["within"], False
    price = -s.now[LIVE]["goodness"] * s.now[0]["n"] * (1.0 + SLACK)
    for c in range(k):
        s.each[WITH_A, c] = 0.0
    if price <= 0.0:
        return False  # nothing is better than no scatter
    for turn in range(2):
        i, j = (one, other) if turn == 0 else (other, one)
        n, near, lone = float(clu[i]["n"]), s.matrix[LIVE, DISTANCE, i, j], clu[i]["size"] == 1
        from_i, from_j = s.matrix[LIVE, DISTANCE, i], s.matrix[LIVE, DISTANCE, j]
        for c in range(k):
            if c in (i, j) or not (lone or clu[c]["size"] == 1):
                continue
            share = clu[c]["n"] / (n + clu[c]["n"])
            grows = (1.0 - share) * near + share * from_j[c]
            apart = grows * (1.0 + SLACK) - share * (1.0 - share) * from_i[c]
            if within + n * share * from_i[c] < price * apart:
                s.each[WITH_A, c] = 1.0
                lone_helps = lone_helps or lone
    if not lone_helps and (clu[one]["size"] == 1 or clu[other]["size"] == 1):
        move_bounds.find_nearest_pairs(s, top)
        within += ward_cost(s, LIVE, one, other)
        lone_helps = within < price * move_bounds.shortest_of_others(s, one, other)
    return lone_helps


@jit
def mark_lone(s: State, p: int) -> bool:
    """Marks category p if it is the only one of its cluster."""
    if s.clu[LIVE, s.label[LIVE, p]]["size"] != 1 or is_anchored(s, p):
        return False
    s.cat[p]["mark"] = 1
    return True


@jit
def scatter_may_tell(s: State, peak: float, limit: float) -> bool:
    """Might a move help beyond `limit` that leaves the nearest two as they are?

    WGSS falls by no more than what a cluster of several has. After a split, the way back is so much
    better than that that nothing else needs to be asked.
    """
    most, clu = 0.0, s.clu[LIVE]
    for c in range(s.now[LIVE]["k"]):
        if clu[c]["size"] > 1:
            most = max(most, clu[c]["cp"])
    within = max(s.now[LIVE]["within"] - most * (1.0 + SLACK), 0.0)
    return value_of(s, s.now[LIVE]["k"], within, peak) > limit


@jit
def find_hopeful_at_pair(s: State, top: Floats, peak: float, limit: float, losses: bool) -> bool:
    """Marks the categories of clusters of several that a move from or to the nearest two may help.

    Near pairs are known; `losses`: so is the `loss` of categories. Who might come is found by the
    links of the two, or by those of all others if they are fewer.
    """
    clu, found, pair = s.clu[LIVE], False, nearest_pair(s, top)
    weigh_categories(s)
    search, spare, price = s.now[0]["search"], math.inf, move_bounds.price_of_distance(s, limit)
    s.now[0]["search"] = search + s.cat.shape[0] + s.now[LIVE]["k"]
    if losses:
        spare = move_bounds.scatter_needed(s, price) - s.now[LIVE]["within"]
    wide = 2 * (clu[pair[0]]["size"] + clu[pair[1]]["size"]) > s.now[0]["categories"]
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        home = s.label[LIVE, p]
        if home not in pair:
            if wide and clu[home]["size"] > 1 and not loses_more(s, p, spare):
                for turn in range(2):
                    t, other = pair[turn], pair[1 - turn]
                    if not move_bounds.newcomer_draws(s, p, t, other, price):
                        if is_linked(s, LIVE, p, t):
                            found = not is_useless(s, top, p, t, peak, limit) or found
            continue
        other_one = pair[1] if home == pair[0] else pair[0]
        leaves, only = clu[home]["size"] > 1 and not loses_more(s, p, spare), -1
        if leaves:
            leaves, only = may_leave(s, top, p, peak, limit, price, losses)
        at = s.cat[p]["head"] if leaves or not wide else -1
        while at >= 0:
            q = s.link[at]["to"]
            other = s.label[LIVE, q]
            at = s.link[at]["following"]
            if other == home:
                continue
            if leaves and (other == only or (only < 0 and s.each[WITH_B, other] == 1.0)):
                if clu[other]["asked"] != search + p + 1:
                    clu[other]["asked"] = search + p + 1
                    found = not is_useless(s, top, p, other, peak, limit) or found
            if wide or other == other_one or clu[other]["size"] == 1:
                continue
            if s.cat[q]["asked"] != search + home + 1:
                s.cat[q]["asked"] = search + home + 1
                if loses_more(s, q, spare):
                    continue
                if not move_bounds.newcomer_draws(s, q, home, other_one, price):
                    found = not is_useless(s, top, q, home, peak, limit) or found
    return found


@jit
def loses_more(s: State, p: int, spare: float) -> bool:
    """Does WGSS grow by so much wherever category p, one of several, goes? Notes its `gain`.

    An infinite `spare` stands for losses that are not known.
    """
    gain, loss = gain_at_most(s, p), s.cat[p]["loss"]
    s.cat[p]["gain"] = gain
    return bool(loss >= 0.0 and loss - gain >= spare and spare < math.inf)


@jit
def may_leave(
    s: State, top: Floats, p: int, peak: float, limit: float, price: float, losses: bool
) -> tuple[bool, int]:
    """Might it help if category p, one of several, leaves one of the nearest two?

    And where it may go to, if that is but one cluster, else -1: then ``with_b`` tells.
    """
    near = int(top[LIVE, s.label[LIVE, p], TOPS])
    if is_core(s, p) and core_stays(s, top, p, peak, limit):
        return False, -1
    if losses and move_bounds.rest_stays_near(s, top, p, limit):
        return True, near
    measure_aside(s, p)
    if losses and move_bounds.rest_stays_near(s, top, p, limit):
        return True, near
    return True, -1 if move_bounds.note_hopeful_targets(s, top, p, price) else near


@jit
def is_useless(s: State, top: Floats, p: int, target: int, peak: float, limit: float) -> bool:
    """Ask about one move; one that may help marks the category."""
    if is_anchored(s, p) or move_bounds.scatter_rules_out(s, top, p, target, limit):
        return True
    measure_aside(s, p)
    if move_bounds.no_move_helps(s, top, p, target, peak, limit):
        return True
    s.cat[p]["mark"] = 1
    return False
