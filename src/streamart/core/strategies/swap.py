"""Swap: the best move of one category to a cluster it is connected to, again while it helps.

Moving a cluster's only category removes the cluster; a move that would leave a single cluster is
not allowed. Needs more than two categories.
"""

import math

from ..._jit import jit
from ..._typing import Floats
from ...icvi import length_bounds, merge_bounds, move_bounds, sum_bounds
from ...icvi.bounds import rules_out
from ...icvi.compare import SLACK, better
from ...icvi.cost_bounds import ward_cost
from ...icvi.hints import is_anchored
from ...icvi.lasting_moves import are_few
from ...icvi.links import is_linked
from ...icvi.registry import DB, PBM
from ...icvi.state import DISTANCE, LIVE, State
from ...icvi.tops import greatest_quantity
from ...icvi.what_if import (
    if_measured_moved,
    if_moved,
    measure_category,
    measure_category_from,
)
from ...icvi.widening import widened_sum
from .. import map_field
from .hopeful import (
    cheapest_connection,
    find_hopeful,
    find_hopeful_alone,
    lone_category_may_go,
    settle_restless,
)
from .merge import no_pair_is_linked

# With so many links, those of a category are not gone through again for every target.
MANY_LINKS = 12


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
        if alone and proves and top is not None and s.family == DB:
            spare = move_bounds.spare_of(s, worth_beating(s, bar), 1)
            if clu[home]["stake"] + stake <= spare:
                continue
            if sum_bounds.lone_one_stays(s, top, p, spare):
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
                if top is not None and s.family == PBM:
                    if not measured:
                        measure_category(s, LIVE, p)
                        measured = True
                    price = length_bounds.price_of_limit(s, limit)
                    useless = length_bounds.falls_short(s, top, p, target, price)
                else:
                    useless = move_bounds.no_move_helps(s, top, p, target, peak, limit)
            elif proves and top is not None and s.family == DB:
                gap, spare = s.matrix[LIVE, DISTANCE, home, target], worth_beating(s, bar)
                spare = move_bounds.spare_of(s, spare, 1)
                useless = sum_bounds.merger_loses(s, top, home, target, spare)
                if not useless:
                    change = sum_bounds.least_change(s, top, p, target, 0.0, gap, True)
                    useless = change[1] >= -spare
                    if not useless:
                        wider = widened_sum(s, top, p, target, 0.0, gap)
                        useless = change[1] + wider >= -spare
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
    if proves and top is None:
        settle_restless(s)
        if s.now[LIVE]["calm"] == 1 and not lone_category_may_go(s):
            now["swap_proofs"] += 1
            return p, target
    asked, few = False, False
    if top is not None and s.family == PBM:
        few = proves and are_few(s)
    for place in range(0 if few else now["categories"]):
        q = s.order[place]
        s.cat[q]["mark"] = 0 if proves or is_anchored(s, q) else 1
    if proves and top is not None and s.family == DB:
        sum_bounds.prepare_sum(s, top)
    if proves:
        asked = find_hopeful_alone(s, top)
        if asked:
            if top is not None and s.family == DB:
                bar = value_of_return(s, top, bar)
            p, target, bar = best_move(s, top, attach, bar)
        if not find_hopeful(s, top, worth_beating(s, bar), asked or not few):
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
