"""PBM, XB: which categories a swap might help, where clusters are few for so many categories.

Most categories are connected to none but their own cluster. Of the others, what is noted of their
moves (`icvi/lasting_moves.py`) mostly does; the rest is asked about by all distances, so that a
move counts that makes the greatest distance shorter.
"""

import math

from ..._jit import jit
from ..._typing import Floats
from ...icvi import move_bounds
from ...icvi.bounds import rules_out, value_of
from ...icvi.compare import SLACK
from ...icvi.cost_bounds import ward_cost
from ...icvi.hints import is_anchored
from ...icvi.lasting_moves import (
    falls_far_short,
    newest_mean,
    note_category,
    note_moves,
    stands,
)
from ...icvi.length_bounds import falls_short, price_of_limit
from ...icvi.links import next_connected
from ...icvi.state import LIVE, SHARE, State
from ...icvi.tops import greatest_quantity
from ...icvi.weighing import gain_of
from ...icvi.what_if import if_merged


@jit
def find_hopeful_among_few(s: State, top: Floats, limit: float, cleared: bool) -> bool:
    """Marks the categories of clusters of several that a move might help beyond `limit`.

    Marks are cleared before the first one is made, unless they are `cleared`.
    """
    clu, within, found = s.clu[LIVE], s.now[LIVE]["within"], False
    price, longest = price_of_limit(s, limit), math.sqrt(greatest_quantity(s, top))
    note_moves(s, top)
    move_bounds.prepare(s, top)
    newest, root = newest_mean(s), longest * (1.0 + SLACK)
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        if s.scan[SHARE, p] == 0.0 or clu[s.label[LIVE, p]]["size"] == 1 or is_anchored(s, p):
            continue
        if stands(s, p, newest, longest) or falls_far_short(s, p, -1, within, price, root, 0.0):
            continue
        note_category(s, top, p)
        if s.scan[SHARE, p] > 0.0 and not stands(s, p, newest, longest):
            if not all_fall_short(s, top, p, price):
                if not (found or cleared):
                    clear_marks(s)
                s.cat[p]["mark"] = 1
                found = True
    return found


@jit
def find_hopeful_connected(s: State, top: Floats, peak: float, limit: float) -> bool:
    """XB: the same, asking about each category that is connected to another cluster."""
    clu, found = s.clu[LIVE], False
    note_moves(s, top)
    move_bounds.find_nearest_pairs(s, top)
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        home = s.label[LIVE, p]
        if s.scan[SHARE, p] == 0.0 or clu[home]["size"] == 1 or is_anchored(s, p):
            continue
        s.cat[p]["gain"] = gain_of(s, p) * (1.0 + SLACK)
        t, at = next_connected(s, s.cat[p]["head"], home, -1)
        while t >= 0 and move_bounds.no_move_helps(s, top, p, t, peak, limit):
            t, at = next_connected(s, at, home, t)
        if t >= 0:
            s.cat[p]["mark"] = 1
            found = True
    return found


@jit
def clear_marks(s: State) -> None:
    for place in range(s.now[0]["categories"]):
        s.cat[s.order[place]]["mark"] = 0


@jit
def all_fall_short(s: State, top: Floats, p: int, price: float) -> bool:
    """Is no move of category p, whose distances `from_x` are known, of any use?"""
    home = s.label[LIVE, p]
    t, at = next_connected(s, s.cat[p]["head"], home, -1)
    while t >= 0 and falls_short(s, top, p, t, price):
        t, at = next_connected(s, at, home, t)
    return t < 0


@jit
def lone_may_go(s: State, top: Floats, p: int) -> bool:
    """Might it help if p, the only category of its cluster, goes to one that it is connected to?

    That is a merger, after which no two means are farther apart than the farthest are now: mostly,
    what it costs tells.
    """
    k, good, within = s.now[LIVE]["k"], s.now[LIVE]["goodness"], s.now[LIVE]["within"]
    home, peak = s.label[LIVE, p], greatest_quantity(s, top)
    other, at = next_connected(s, s.cat[p]["head"], home, -1)
    while other >= 0:
        value = value_of(s, k - 1, within + ward_cost(s, LIVE, home, other), peak)
        if not rules_out(s, value, good):
            value = if_merged(s, top, None, LIVE, home, other)
            if not rules_out(s, value, good):
                return True
        other, at = next_connected(s, at, home, other)
    return False
