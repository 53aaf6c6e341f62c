"""Which categories a swap might help, before any is asked about exactly.

Every index has its own reason why most moves cannot help (`icvi/move_bounds.py` and what it names);
what a search has proven is remembered, and only what has changed since is looked at again.
"""

import math

from ..._jit import jit, jit_inline
from ..._typing import Floats
from ...icvi import length_bounds, merge_bounds, move_bounds, sum_bounds
from ...icvi.bounds import value_of
from ...icvi.compare import SLACK
from ...icvi.cores import core_stays, is_core, note_crowds
from ...icvi.cost_bounds import tighten_bounds, ward_cost
from ...icvi.footprints import squared_distance
from ...icvi.hints import is_anchored
from ...icvi.hub_proof import note_hub_move
from ...icvi.lasting_moves import are_few
from ...icvi.links import is_linked
from ...icvi.registry import CH, DB, PBM, XB
from ...icvi.state import ASK_AGAIN, LIVE, MEAN, UNKNOWN, WANTED, State
from ...icvi.tops import greatest_quantity
from ...icvi.weighing import (
    ALL_LINKED,
    disturb_by,
    gain_at_most,
    gain_of,
    grant_room,
    lasting_loss,
    limit_room,
    measure_aside,
    unsettle,
    weigh_categories,
)
from ...icvi.widening import widened_sum
from .few_clusters import (
    clear_marks,
    find_hopeful_among_few,
    find_hopeful_connected,
    lone_may_go,
)
from .near_pair import find_hopeful_at_pair, find_lone_near, scatter_may_tell

# XB: a cluster is wide if it has such a part of all categories.
WIDE = 4


@jit
def find_hopeful(s: State, top: Floats | None, limit: float, cleared: bool) -> bool:
    """Marks the categories of clusters of several that a move might help beyond `limit`.

    PBM: if marks are not `cleared`, that is done before the first one is made.
    """
    peak = greatest_quantity(s, top)
    if top is not None and s.family == DB:
        return find_hopeful_by_sum(s, top, limit)
    if top is not None and s.family == PBM:
        if are_few(s):
            return find_hopeful_among_few(s, top, limit, cleared)
    if top is not None and s.family == XB:
        if are_few(s):
            return find_hopeful_connected(s, top, peak, limit)
        note_crowds(s)
        move_bounds.prepare(s, top)
        asked = scatter_may_tell(s, peak, limit)
        found = asked and find_hopeful_by_scatter(s, top, peak, limit)
        return find_hopeful_at_pair(s, top, peak, limit, asked) or found
    found = find_hopeful_by_scatter(s, top, peak, limit)
    if top is not None:
        found = find_hopeful_by_length(s, top, peak, limit) or found
    return found


@jit
def find_hopeful_by_scatter(s: State, top: Floats | None, peak: float, limit: float) -> bool:
    """CH and WB: a move helps only if WGSS falls. So for PBM and XB, if no distance counts.

    Only clusters that have changed matter; their chains in CONN, which is symmetric, lead to the
    categories of others that might come to them. Of a category that has not changed, `loss` bounds
    from below what a move would cost: one distance tells whether it should leave a changed cluster.
    XB asks about cores first (`icvi/cores.py`): that is quick, but holds for the present only.
    """
    clu, falls, found, cores = s.clu[LIVE], False, False, s.family == XB
    search = s.now[0]["search"]
    s.now[0]["search"] = search + s.cat.shape[0] + s.now[LIVE]["k"]
    weigh_categories(s)
    grant_room(s)
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        home = s.label[LIVE, p]
        if clu[home]["changed"] == 0:
            continue
        if clu[home]["changed"] == ASK_AGAIN and s.cat[p]["loss"] != UNKNOWN:
            continue  # it is not the core
        single = clu[home]["size"] == 1
        if single:
            s.cat[p]["loss"] = UNKNOWN
        ask_all = not single and s.cat[p]["loss"] < gain_at_most(s, p)
        if ask_all and cores and s.cat[p]["loss"] != UNKNOWN:
            measure_aside(s, p)
            ask_all = s.cat[p]["loss"] < gain_at_most(s, p)
        core = ask_all and cores and is_core(s, p)
        if core and top is not None:
            core = core_stays(s, top, p, peak, limit)
        if core:
            ask_all = False
            s.cat[p]["loss"] = UNKNOWN
            clu[home]["core"] = 1
            if clu[home]["changed"] == ASK_AGAIN:
                continue
        if ask_all:
            s.cat[p]["loss"] = math.inf
        wide = cores and WIDE * clu[home]["size"] > s.now[0]["categories"]
        at = s.cat[p]["head"] if ask_all or not wide else -1
        while at >= 0:
            q = s.link[at]["to"]
            other = s.label[LIVE, q]
            at = s.link[at]["following"]
            if other == home:
                continue
            if ask_all and clu[other]["asked"] != search + p + 1:
                clu[other]["asked"] = search + p + 1
                s.cat[p]["loss"] = min(s.cat[p]["loss"], lasting_loss(s, p, other))
            if not wide and s.cat[q]["asked"] != search + home + 1:
                s.cat[q]["asked"] = search + home + 1
                if clu[other]["size"] == 1:
                    s.cat[q]["loss"] = UNKNOWN
                elif s.cat[q]["loss"] >= 0.0:
                    s.cat[q]["loss"] = min(s.cat[q]["loss"], lasting_loss(s, q, home))
                    falls = note_hopeful(s, q) or falls
        if not (single or core):
            falls = note_hopeful(s, p) or falls
    for c in range(s.now[LIVE]["k"]):
        if cores and clu[c]["changed"] == 1 and WIDE * clu[c]["size"] > s.now[0]["categories"]:
            falls = note_coming(s, c) or falls
        clu[c]["changed"] = ASK_AGAIN if clu[c]["core"] == 1 else 0
        clu[c]["core"] = 0
    s.now[LIVE]["calm"] = 1
    if not falls:
        return False
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        home = s.label[LIVE, p]
        if s.cat[p]["mark"] == 1 and clu[home]["size"] > 1:
            clu[home]["changed"] = 1  # what is not proven is asked again next time
            s.now[LIVE]["calm"] = 0
            saved = gain_at_most(s, p) - s.cat[p]["loss"]
            s.cat[p]["loss"] = UNKNOWN
            if value_of(s, s.now[LIVE]["k"], s.now[LIVE]["within"] - saved, peak) <= limit:
                s.cat[p]["mark"] = 0
            else:
                found = True
    return found


@jit
def note_coming(s: State, c: int) -> bool:
    """XB: marks those that might come to a wide cluster that has changed.

    Nearly all are connected to it, so each is asked, instead of following the links of its own.
    """
    clu, falls = s.clu[LIVE], False
    for place in range(s.now[0]["categories"]):
        q = s.order[place]
        home = s.label[LIVE, q]
        if home == c:
            continue
        if clu[home]["size"] == 1:
            s.cat[q]["loss"] = UNKNOWN
        elif s.cat[q]["loss"] >= 0.0:
            loss = lasting_loss(s, q, c)
            if loss < s.cat[q]["loss"] and is_linked(s, LIVE, q, c):
                s.cat[q]["loss"] = loss
                falls = note_hopeful(s, q) or falls
    return falls


@jit
def note_hopeful(s: State, p: int) -> bool:
    """Marks category p if WGSS might fall."""
    if is_drawn_away(s, p):
        s.cat[p]["mark"] = 1
        return True
    if s.family == CH:
        limit_room(s, p)
    return False


@jit
def is_drawn_away(s: State, p: int) -> bool:
    """Might category p, whose loss is known, be better off elsewhere?"""
    if s.cat[p]["loss"] >= gain_at_most(s, p) or is_anchored(s, p):
        return False
    measure_aside(s, p)
    return bool(s.cat[p]["loss"] < gain_at_most(s, p))


@jit
def settle_restless(s: State) -> None:
    """CH, WB: ask about what the present sample alone may have changed (`weighing`).

    That is, where the category that has learnt it should go, and whether the second winner should
    come to its cluster. If one should, its cluster is calm no more.
    """
    p, beside = s.now[0]["restless"], s.now[0]["beside"]
    s.now[0]["restless"] = -1
    if p < 0 or s.clu[LIVE, s.label[LIVE, p]]["changed"] != 0:
        return
    home = s.label[LIVE, p]
    if s.clu[LIVE, home]["size"] > 1:
        settle_leaving(s, p)
    if beside >= 0:
        settle_coming(s, beside, home)
    elif beside == ALL_LINKED:
        at = s.cat[p]["head"]
        while at >= 0:
            settle_coming(s, s.link[at]["to"], home)
            at = s.link[at]["following"]


@jit
def settle_joined(s: State, top: Floats | None, p: int) -> bool:
    """CH, WB: if the cluster of category p is calm, ask whether p should leave it.

    Another one of the cluster has joined p, and nothing else has changed. PBM: of the moves of
    others, all that is noted holds.
    """
    cluster = s.clu[LIVE, s.label[LIVE, p]]
    if top is not None and (s.family == PBM or s.family == XB):
        disturb_by(s, LIVE, s.label[LIVE, p], p, 0.0)
        return True
    if top is not None or cluster["changed"] != 0 or cluster["weighed"] == 0:
        return False
    if cluster["size"] == 1:
        cluster["most"] = 0.0
        cluster["heaviest"] = 0.0
    else:
        measure_aside(s, p)
        settle_leaving(s, p)
    return cluster["changed"] == 0


@jit
def settle_leaving(s: State, p: int) -> None:
    """Should category p, one of several of a calm cluster, go to one that it is connected to?"""
    home, search, clu = s.label[LIVE, p], s.now[0]["search"] + 1, s.clu[LIVE]
    s.now[0]["search"] = search
    loss, at = math.inf, s.cat[p]["head"]
    while at >= 0:
        other = s.label[LIVE, s.link[at]["to"]]
        at = s.link[at]["following"]
        if other != home and clu[other]["asked"] != search:
            clu[other]["asked"] = search
            loss = min(loss, lasting_loss(s, p, other))
    s.cat[p]["loss"] = loss
    settle(s, p)


@jit
def settle_coming(s: State, q: int, target: int) -> None:
    """Should category q come to a calm cluster that it may not have been connected to before?"""
    cluster = s.clu[LIVE, s.label[LIVE, q]]
    if s.label[LIVE, q] == target:
        return
    if cluster["changed"] != 0:
        s.cat[q]["loss"] = UNKNOWN  # it will be asked about all
    elif cluster["size"] > 1:
        s.cat[q]["loss"] = min(s.cat[q]["loss"], lasting_loss(s, q, target))
        settle(s, q)


@jit
def settle(s: State, p: int) -> None:
    """Category p may leave, or it limits how far its cluster may go."""
    if is_drawn_away(s, p):
        s.cat[p]["loss"] = UNKNOWN
        unsettle(s, LIVE, s.label[LIVE, p])
    else:
        limit_room(s, p)


@jit
def find_hopeful_by_length(s: State, top: Floats, peak: float, limit: float) -> bool:
    """PBM: about every move that might make the greatest distance grow by more than WGSS."""
    clu, found = s.clu[LIVE], False
    move_bounds.prepare(s, top)
    length_bounds.follow_means(s)
    price, fewest = length_bounds.price_of_limit(s, limit), length_bounds.fewest_samples(s)
    search = s.now[0]["search"]
    s.now[0]["search"] = search + s.cat.shape[0]
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        home = s.label[LIVE, p]
        if clu[home]["size"] == 1 or length_bounds.no_target_helps(s, p, peak, price, fewest):
            continue
        at = s.cat[p]["head"]
        while at >= 0:
            other = s.label[LIVE, s.link[at]["to"]]
            at = s.link[at]["following"]
            if other != home and clu[other]["asked"] != search + p + 1:
                clu[other]["asked"] = search + p + 1
                found = not is_useless(s, top, p, other, peak, limit) or found
    return found


@jit
def is_useless(s: State, top: Floats, p: int, target: int, peak: float, limit: float) -> bool:
    """PBM: ask about one move; one that may help marks the category."""
    if is_anchored(s, p) or move_bounds.longest_stays(s, p, target, math.sqrt(peak)):
        return True  # only WGSS would tell
    if move_bounds.no_move_helps(s, top, p, target, peak, limit):
        return True
    s.cat[p]["mark"] = 1
    return False


@jit
def find_hopeful_by_sum(s: State, top: Floats, limit: float) -> bool:
    """DB: about every move from or to a cluster that is shaken, or of a category that is open.

    Open is one that could not be proven to be of no use, or has changed: its `loss` is unknown.
    Nothing is booked where a better move than the present partition is known (`find_shaken`).
    """
    k, clu, found = s.now[LIVE]["k"], s.clu[LIVE], False
    spare = move_bounds.spare_of(s, limit, 0)
    books = spare <= 0.0
    sum_bounds.find_shaken(s, top, spare)
    search = s.now[0]["search"]
    s.now[0]["search"] = search + s.cat.shape[0] + k
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        home = s.label[LIVE, p]
        shaken, several = s.each[WANTED, home] == 1, clu[home]["size"] > 1
        if not several:
            s.cat[p]["loss"] = UNKNOWN
        if not shaken and s.cat[p]["loss"] >= 0.0:
            continue
        if several:
            s.cat[p]["gain"] = gain_of(s, p) * (1.0 + SLACK)
            if books:
                s.cat[p]["loss"] = 0.0
        at = s.cat[p]["head"]
        while at >= 0:
            q = s.link[at]["to"]
            other = s.label[LIVE, q]
            at = s.link[at]["following"]
            if other == home:
                continue
            if several and clu[other]["asked"] != search + p + 1:
                clu[other]["asked"] = search + p + 1
                found = might_lessen_sum(s, top, p, other, spare, home if shaken else -1) or found
            if not shaken or s.each[WANTED, other] == 1 or clu[other]["size"] == 1:
                continue
            if s.cat[q]["loss"] >= 0.0 and s.cat[q]["asked"] != search + home + 1:
                s.cat[q]["asked"] = search + home + 1
                found = might_lessen_sum(s, top, q, home, spare, home) or found
    return found


@jit_inline
def might_lessen_sum(s: State, top: Floats, p: int, target: int, spare: float, shaken: int) -> bool:
    """DB: ask about one move; where it may lessen the sum, it is asked about again.

    So it is where it lessens the sum by less than `spare`, together with all others from or to the
    cluster `shaken` for which it was asked, if there is one.
    """
    if is_anchored(s, p):
        s.cat[p]["loss"] = UNKNOWN
        return False
    enough = SLACK * abs(s.now[LIVE]["goodness"]) * s.now[LIVE]["k"]
    with_hub, books = s.now[0]["hub"] in (s.label[LIVE, p], target), spare <= 0.0
    if not books and sum_bounds.greatest_fall(s, top, p, target) <= spare:
        return False
    a, b = move_bounds.distances_at_hand(s, p, target)
    for exactly in (False, True):
        if exactly:
            a = squared_distance(s.box[MEAN, p], s.mean[LIVE, s.label[LIVE, p]])
            b = squared_distance(s.box[MEAN, p], s.mean[LIVE, target])
        s.now[0]["least_squares"] = math.inf
        sure, change = sum_bounds.least_change(s, top, p, target, a, b, exactly)
        if sure >= enough:
            if with_hub and books:
                note_hub_move(s, p, a, sure)
            return False
        if change >= -spare or change + widened_sum(s, top, p, target, a, b) >= -spare:
            if books:
                ask_again(s, p, -1 if with_hub else shaken)
            return False
    s.cat[p]["mark"] = 1
    if books:
        s.cat[p]["loss"] = UNKNOWN
    return True


@jit
def ask_again(s: State, p: int, shaken: int) -> None:
    """About all moves from or to the cluster `shaken`, or, if that is none, of category p."""
    if shaken >= 0:
        s.clu[LIVE, shaken]["changed"] = ASK_AGAIN
    else:
        s.cat[p]["loss"] = UNKNOWN


@jit
def lone_cluster_may_go(s: State) -> bool:
    """Might it help to merge any cluster of one category with another?

    Mostly the lowest bound of all costs says that it would not help to merge any cluster.
    """
    k, clu, cheapest = s.now[LIVE]["k"], s.clu[LIVE], -1
    if not merge_bounds.any_cluster_may_go(s):
        return False
    for c in range(k):
        if clu[c]["size"] == 1 and (cheapest < 0 or clu[c]["least"] < clu[cheapest]["least"]):
            cheapest = c
    return k > 2 and cheapest >= 0 and merge_bounds.cluster_may_go(s, cheapest)


@jit
def cheapest_connection(s: State, p: int) -> float:
    """What it costs at least to merge p's cluster with one that p is connected to."""
    home, least = s.label[LIVE, p], math.inf
    at = s.cat[p]["head"]
    while at >= 0:
        c = s.label[LIVE, s.link[at]["to"]]
        if c != home:
            least = min(least, ward_cost(s, LIVE, home, c))
        at = s.link[at]["following"]
    return least


@jit
def lone_category_may_go(s: State) -> bool:
    """CH, WB: the same, with one that it is connected to."""
    if not lone_cluster_may_go(s):
        return False
    for place in range(s.now[0]["categories"]):
        if has_cheap_connection(s, s.order[place]):
            return True
    return False


@jit
def has_cheap_connection(s: State, p: int) -> bool:
    """CH, WB: is category p alone in its cluster, and might it help to merge that with one that it
    is connected to?"""
    home, within, k = s.label[LIVE, p], s.now[LIVE]["within"], s.now[LIVE]["k"]
    if s.clu[LIVE, home]["size"] != 1 or not merge_bounds.cluster_may_go(s, home):
        return False
    if s.clu[LIVE, home]["cheapest"] < 0:
        tighten_bounds(s, LIVE, home)
        if not merge_bounds.cluster_may_go(s, home):
            return False
    cost = cheapest_connection(s, p) * (1.0 - SLACK)
    if cost == math.inf or is_anchored(s, p):
        return False
    return value_of(s, k - 1, within + cost, 0.0) > s.now[LIVE]["goodness"]


@jit
def find_hopeful_alone(s: State, top: Floats | None) -> bool:
    """Marks those of clusters of one category, which a move takes along: that is a merger."""
    clu, found = s.clu[LIVE], False
    if not lone_cluster_may_go(s):
        return False
    if top is not None and s.family == XB:
        return s.now[0]["unmerged"] != s.now[0]["versions"] and find_lone_near(s, top)
    if top is not None:  # tighter bounds cost more than to ask about these few
        if merge_bounds.merger_bound_holds(s, LIVE, 1, s.now[LIVE]["goodness"]):
            return False
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        home = s.label[LIVE, p]
        if clu[home]["size"] != 1 or is_anchored(s, p):
            continue
        if has_cheap_connection(s, p) if top is None else merge_bounds.cluster_may_go(s, home):
            if top is not None and s.family == PBM:
                if not lone_may_go(s, top, p):
                    continue
                if not found:
                    clear_marks(s)
            s.cat[p]["mark"] = 1
            found = True
    return found
