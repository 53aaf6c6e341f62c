"""Swap: the best move of one category to a cluster it is connected to, again while it helps.

Moving a cluster's only category removes the cluster; a move that would leave a single cluster is
not allowed. Needs more than two categories.
"""

import math

from ..._jit import jit, jit_inline
from ..._typing import Floats
from ...icvi import length_bounds, merge_bounds, move_bounds, sum_bounds
from ...icvi.bounds import rules_out, value_of
from ...icvi.compare import SLACK, better
from ...icvi.footprints import squared_distance
from ...icvi.hints import is_anchored
from ...icvi.hub_proof import note_hub_move
from ...icvi.partition import tighten_bounds, ward_cost
from ...icvi.registry import DB, PBM, XB
from ...icvi.state import ASK_AGAIN, DISTANCE, LIVE, MEAN, TOPS, UNKNOWN, State
from ...icvi.tops import greatest_quantity
from ...icvi.what_if import (
    if_measured_moved,
    if_moved,
    measure_category,
    measure_category_from,
)
from .. import map_field
from .merge import no_pair_is_linked

# With so many links, those of a category are not gone through again for every target.
MANY_LINKS = 12


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
def note_targets(s: State, p: int) -> int:
    """Stamps all clusters that category p is connected to, if it has many links.

    Returns the stamp, a number in ``clu["asked"]``, or -1 if there is none.
    """
    links, at, stamp = 0, s.cat[p]["head"], s.now[0]["search"] + 1
    while at >= 0 and links < MANY_LINKS:
        links += 1
        at = s.link[at]["following"]
    if links < MANY_LINKS:
        return -1
    s.now[0]["search"] = stamp
    at = s.cat[p]["head"]
    while at >= 0:
        s.clu[LIVE, s.label[LIVE, s.link[at]["to"]]]["asked"] = stamp
        at = s.link[at]["following"]
    return stamp


@jit
def next_target(s: State, p: int, tried: int, most: float, stamp: int) -> int:
    """The lowest cluster above `tried`, not p's own, that p is connected to; k if there is none.

    Only those that it costs at most so much to merge with p's own. `stamp`: see `note_targets`.
    """
    target, home = s.now[LIVE]["k"], s.label[LIVE, p]
    if stamp >= 0:
        c = tried + 1
        while c < target and (c == home or s.clu[LIVE, c]["asked"] != stamp):
            c += 1
        return c
    at = s.cat[p]["head"]
    while at >= 0:
        c = s.label[LIVE, s.link[at]["to"]]
        if c != home and tried < c < target:
            if most == math.inf or ward_cost(s, LIVE, home, c) <= most:
                target = c
        at = s.link[at]["following"]
    return target


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
def find_hopeful(s: State, top: Floats | None, limit: float) -> bool:
    """Marks the categories of clusters of several that a move might help beyond `limit`."""
    peak = greatest_quantity(s, top)
    if top is not None and s.params[0]["code"] == DB:
        return find_hopeful_by_sum(s, top, limit)
    found = find_hopeful_by_scatter(s, peak, limit)
    if top is not None and s.params[0]["code"] == PBM:
        found = find_hopeful_by_length(s, top, peak, limit) or found
    elif top is not None:
        found = find_hopeful_by_pairs(s, top, peak, limit) or found
    return found


@jit
def find_hopeful_by_scatter(s: State, peak: float, limit: float) -> bool:
    """CH and WB: a move helps only if WGSS falls. So for PBM and XB, if no distance counts.

    Only clusters that have changed matter; their chains in CONN, which is symmetric, lead to the
    categories of others that might come to them. Of a category that has not changed, `loss` bounds
    from below what a move would cost: one distance tells whether it should leave a changed cluster.
    """
    clu, falls, found = s.clu[LIVE], False, False
    search = s.now[0]["search"]
    s.now[0]["search"] = search + s.cat.shape[0] + s.now[LIVE]["k"]
    move_bounds.weigh_categories(s)
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        home = s.label[LIVE, p]
        if clu[home]["changed"] == 0:
            continue
        single = clu[home]["size"] == 1
        if single:
            s.cat[p]["loss"] = UNKNOWN
        ask_all = not single and s.cat[p]["loss"] < s.cat[p]["gain"]
        if ask_all:
            s.cat[p]["loss"] = math.inf
        at = s.cat[p]["head"]
        while at >= 0:
            q = s.link[at]["to"]
            other = s.label[LIVE, q]
            at = s.link[at]["following"]
            if other == home:
                continue
            if ask_all and clu[other]["asked"] != search + p + 1:
                clu[other]["asked"] = search + p + 1
                s.cat[p]["loss"] = min(s.cat[p]["loss"], move_bounds.least_loss(s, p, other))
            if s.cat[q]["asked"] != search + home + 1:
                s.cat[q]["asked"] = search + home + 1
                if clu[other]["size"] == 1:
                    s.cat[q]["loss"] = UNKNOWN
                elif s.cat[q]["loss"] >= 0.0:
                    s.cat[q]["loss"] = min(s.cat[q]["loss"], move_bounds.least_loss(s, q, home))
                    falls = note_hopeful(s, q) or falls
        if not single:
            falls = note_hopeful(s, p) or falls
    for c in range(s.now[LIVE]["k"]):
        clu[c]["changed"] = 0
    if not falls:
        return False
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        home = s.label[LIVE, p]
        if s.cat[p]["mark"] == 1 and clu[home]["size"] > 1:
            clu[home]["changed"] = 1  # what is not proven is asked again next time
            saved = s.cat[p]["gain"] - s.cat[p]["loss"]
            s.cat[p]["loss"] = UNKNOWN
            if value_of(s, s.now[LIVE]["k"], s.now[LIVE]["within"] - saved, peak) <= limit:
                s.cat[p]["mark"] = 0
            else:
                found = True
    return found


@jit
def note_hopeful(s: State, p: int) -> bool:
    """Marks category p if WGSS might fall."""
    if s.cat[p]["loss"] >= s.cat[p]["gain"] or is_anchored(s, p):
        return False
    s.cat[p]["mark"] = 1
    return True


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
def find_hopeful_by_pairs(s: State, top: Floats, peak: float, limit: float) -> bool:
    """XB: about every move that might change the distance that counts."""
    k, clu, categories = s.now[LIVE]["k"], s.clu[LIVE], s.now[0]["categories"]
    found = False
    move_bounds.prepare(s, top)
    for c in range(k):
        clu[c]["wanted"] = (
            1 if top[LIVE, c, 0] >= peak * (1.0 + SLACK) else 0
        )  # of the nearest pair
    search = s.now[0]["search"]
    s.now[0]["search"] = search + s.cat.shape[0] + k
    for place in range(categories):
        p = s.order[place]
        home = s.label[LIVE, p]
        if clu[home]["wanted"] == 0:
            continue
        several, only = clu[home]["size"] > 1, -1
        if several and move_bounds.rest_stays_near(s, top, p, limit):
            only = int(top[LIVE, home, TOPS])
        at = s.cat[p]["head"]
        while at >= 0:
            q = s.link[at]["to"]
            other = s.label[LIVE, q]
            at = s.link[at]["following"]
            if other == home:
                continue
            if several and only in (-1, other) and clu[other]["asked"] != search + p + 1:
                clu[other]["asked"] = search + p + 1
                found = not is_useless(s, top, p, other, peak, limit) or found
            if (
                clu[other]["wanted"] == 0
                and clu[other]["size"] > 1
                and s.cat[q]["asked"] != search + home + 1
            ):
                s.cat[q]["asked"] = search + home + 1
                found = not is_useless(s, top, q, home, peak, limit) or found
    return found


@jit
def is_useless(s: State, top: Floats, p: int, target: int, peak: float, limit: float) -> bool:
    """Ask about one move; one that may help marks the category."""
    code = s.params[0]["code"]
    if is_anchored(s, p):
        return True
    if code == PBM and move_bounds.longest_stays(s, p, target, math.sqrt(peak)):
        return True  # only WGSS would tell
    if code == XB and move_bounds.scatter_rules_out(s, top, p, target, limit):
        return True
    if move_bounds.no_move_helps(s, top, p, target, peak, limit):
        return True
    s.cat[p]["mark"] = 1
    return False


@jit
def find_hopeful_by_sum(s: State, top: Floats, limit: float) -> bool:
    """DB: about every move from or to a cluster that is shaken, or of a category that is open.

    Open is one that could not be proven to be of no use, or has changed: its `loss` is unknown.
    """
    k, clu, found = s.now[LIVE]["k"], s.clu[LIVE], False
    spare = move_bounds.spare_of(s, limit, 0)
    sum_bounds.find_shaken(s, top, spare)
    search = s.now[0]["search"]
    s.now[0]["search"] = search + s.cat.shape[0] + k
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        home = s.label[LIVE, p]
        shaken, several = clu[home]["wanted"] == 1, clu[home]["size"] > 1
        if not several:
            s.cat[p]["loss"] = UNKNOWN
        if not shaken and s.cat[p]["loss"] >= 0.0:
            continue
        if several:
            s.cat[p]["gain"] = move_bounds.gain_of(s, p) * (1.0 + SLACK)
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
            if not shaken or clu[other]["wanted"] == 1 or clu[other]["size"] == 1:
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
    with_hub = s.now[0]["hub"] in (s.label[LIVE, p], target)
    if spare > 0.0 and sum_bounds.greatest_fall(s, top, p, target) <= spare:
        ask_again(s, p, shaken)
        return False
    a, b = move_bounds.distances_at_hand(s, p, target)
    for exactly in (False, True):
        if exactly:
            a = squared_distance(s.box[MEAN, p], s.mean[LIVE, s.label[LIVE, p]])
            b = squared_distance(s.box[MEAN, p], s.mean[LIVE, target])
        s.now[0]["least_squares"] = math.inf
        sure, change = sum_bounds.least_change(s, top, p, target, a, b, exactly)
        if sure >= enough:
            if with_hub and spare > 0.0:
                ask_again(s, p, shaken)
            elif with_hub:
                note_hub_move(s, p, a, sure)
            return False
        if change >= -spare:
            ask_again(s, p, -1 if with_hub and spare <= 0.0 else shaken)
            return False
    s.cat[p]["mark"] = 1
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
def find_hopeful_alone(s: State, top: Floats | None) -> bool:
    """Marks those of clusters of one category, which a move takes along: that is a merger."""
    k, clu, cheapest, found = s.now[LIVE]["k"], s.clu[LIVE], -1, False
    for c in range(k):
        if clu[c]["size"] == 1 and (cheapest < 0 or clu[c]["least"] < clu[cheapest]["least"]):
            cheapest = c
    if k == 2 or cheapest < 0 or not merge_bounds.cluster_may_go(s, cheapest):
        return False
    if top is not None:  # tighter bounds cost more than to ask about these few
        if merge_bounds.merger_bound_holds(s, LIVE, 1, s.now[LIVE]["goodness"]):
            return False
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        home = s.label[LIVE, p]
        if clu[home]["size"] != 1 or is_anchored(s, p):
            continue
        if merge_bounds.cluster_may_go(s, home):
            if top is None:
                tighten_bounds(s, LIVE, home)
                if not merge_bounds.cluster_may_go(s, home):
                    continue
            s.cat[p]["mark"] = 1
            found = True
    return found


@jit
def ask_about(
    s: State, top: Floats | None, attach: Floats | None, p: int, target: int, measured: bool
) -> float:
    """`if_moved`; `measured`: category p has been asked about last."""
    if attach is not None:
        return if_moved(s, top, attach, LIVE, p, target)
    if top is None:
        measure_category_from(s, LIVE, p, target)
    elif not measured:
        measure_category(s, LIVE, p)
    return if_measured_moved(s, top, LIVE, p, target)


@jit
def worth_beating(s: State, bar: float) -> float:
    """A move that is at most so good is not chosen where another one reaches `bar`.

    Of moves that are equally good, the first one is chosen: they must be asked about.
    """
    return max(bar - SLACK * abs(bar), s.now[LIVE]["goodness"])


@jit
def best_move(
    s: State, top: Floats | None, attach: Floats | None, bar: float
) -> tuple[int, int, float]:
    """Category, target and value of the best improving move of those marked; -1, -1 if none.

    `bar` is the value of some move, or the present one: whatever is proven worse is left out. The
    only categories of clusters are no longer marked where all their moves are.
    """
    k, clu, peak, far, stake = s.now[LIVE]["k"], s.clu[LIVE], greatest_quantity(s, top), 0.0, 0.0
    chosen, chosen_target, best = -1, -1, s.now[LIVE]["goodness"]
    proves = attach is None and best > -math.inf and s.params[0]["prove"] == 1
    for c in range(k):
        far = max(far, clu[c]["far"])
        stake = max(stake, clu[c]["stake"])
    dear = merge_bounds.highest_cost(s, LIVE, bar, peak, far) if top is not None else 0.0
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        home = s.label[LIVE, p]
        alone = clu[home]["size"] == 1
        if s.cat[p]["mark"] == 0 or (k == 2 and alone):
            continue
        measured = False
        s.cat[p]["mark"] = 0 if alone and proves else 1  # until it is asked about
        if alone and proves and top is not None and s.params[0]["code"] == DB:
            spare = move_bounds.spare_of(s, worth_beating(s, bar), 1)
            if clu[home]["stake"] + stake <= spare:
                continue
        most, stamp = math.inf, -1
        if proves and alone and top is None:
            most = cheapest_connection(s, p) * (1.0 + SLACK)  # CH, WB: the others are worse
        else:
            stamp = note_targets(s, p)
        target = next_target(s, p, -1, most, stamp)
        while target < k:
            useless = False
            if proves and not alone:
                limit = worth_beating(s, bar)
                useless = move_bounds.no_move_helps(s, top, p, target, peak, limit)
            elif proves and top is not None and s.params[0]["code"] == DB:
                gap, spare = s.matrix[LIVE, DISTANCE, home, target], worth_beating(s, bar)
                spare = move_bounds.spare_of(s, spare, 1)
                useless = clu[home]["stake"] + clu[target]["stake"] <= spare
                if not useless:
                    change = sum_bounds.least_change(s, top, p, target, 0.0, gap, True)
                    useless = change[1] >= -spare
            elif proves and top is not None:
                useless = top[LIVE, home, 0] != peak and top[LIVE, target, 0] != peak
                useless = useless and ward_cost(s, LIVE, home, target) > dear
                if not useless:
                    bound = merge_bounds.if_merged(s, top, LIVE, home, target, peak, far, bar)
                    useless = rules_out(s, bound, bar)
            if not useless:
                value = ask_about(s, top, attach, p, target, measured)
                measured = True
                s.cat[p]["mark"] = 1
                if better(value, best):
                    chosen, chosen_target, best = p, target, value
                    bar = max(bar, best)
            target = next_target(s, p, target, most, stamp)
    return chosen, chosen_target, best


@jit
def value_of_return(s: State, top: Floats, bar: float) -> float:
    """How good it is if the category that left last goes back, if it may and that is above `bar`.

    After most splits nothing is better, and other moves are soon proven not to be.
    """
    p, home = s.now[0]["away"], s.now[0]["away_from"]
    if p < 0 or s.clu[LIVE, s.label[LIVE, p]]["size"] > 1 or is_anchored(s, p):
        return bar
    if home == s.label[LIVE, p] or not is_linked(s, LIVE, p, home):
        return bar
    value = ask_about(s, top, None, p, home, False)
    return value if better(value, bar) else bar


@jit
def find_move(s: State, top: Floats | None, attach: Floats | None) -> tuple[int, int]:
    """Category and target of the best improving move; -1, -1 if none improves.

    Clusters of one category are asked about first: where one of them should go, as after most
    splits, other moves have to be better than that, and are soon proven not to be.
    """
    now, bar, target = s.now[0], s.now[LIVE]["goodness"], -1
    p = -1
    if top is not None and attach is not None:
        if no_pair_is_linked(s, top):
            now["swap_proofs"] += 1
            return p, target
    elif bar == math.inf:
        now["swap_proofs"] += 1
        return p, target
    proves = attach is None and bar > -math.inf and s.params[0]["prove"] == 1
    for place in range(now["categories"]):
        q = s.order[place]
        s.cat[q]["mark"] = 0 if proves or is_anchored(s, q) else 1
    asked = False
    if proves and top is not None and s.params[0]["code"] == DB:
        sum_bounds.prepare_sum(s, top)
    if proves:
        asked = find_hopeful_alone(s, top)
        if asked:
            if top is not None and s.params[0]["code"] == DB:
                bar = value_of_return(s, top, bar)
            p, target, bar = best_move(s, top, attach, bar)
        if not find_hopeful(s, top, worth_beating(s, bar)):
            if asked:
                now["swap_searches"] += 1
            else:
                now["swap_proofs"] += 1
            return p, target
    now["swap_searches"] += 1
    p, target, bar = best_move(s, top, attach, bar)
    return p, target


@jit
def swap_strategy(s: State) -> None:
    while s.now[0]["categories"] > 2 and s.now[LIVE]["k"] > 1:
        p, target = find_move(s, s.top, s.attach)
        if p < 0:
            break
        map_field.move(s, p, target)
