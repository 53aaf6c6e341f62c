"""Compress: inactive categories of one cluster become fewer, by a fuzzy ARTMAP trained on them.

The categories inactive for at least xi samples (H) are presented, box and cluster, to a modified
fuzzy ARTMAP in which the active ones compete but never resonate: one of the same cluster is passed
over, one of another cluster engages match tracking. Epochs go on until each box of H finds what it
found in the epoch before; the result replaces the categories if there are fewer.

A category that has no other inactive one in its cluster joins nobody: it finds its own unit again
in every epoch, unless a unit of another cluster comes first and match tracking refuses its own. So
it searches only then (`may_be_refused`).
"""

import math
from typing import NamedTuple

import numpy as np

from ..._jit import NONE, TIE, ZERO, constant, jit, jit_arrays, jit_part
from ..._typing import Floats, Ints, Records
from ...icvi.footprints import assign
from ...icvi.hints import is_anchored
from ...icvi.partition import refresh
from ...icvi.state import HI, LIVE, LO, PER_RANGE, State
from ..categories import join_categories, remove_others
from ..events import COMPRESSED, note_event
from ..map_field import has_weights
from ..module_a import activate, box_norm, is_ahead, joint_norm, learn_box

STILL = 1e-9
"""A box that moved by less than this share of the range did not move (beta1 < 1 only creeps)."""
MAX_EPOCHS = 100
NOTHING_JOINS, SOME_JOIN, NO_ROOM = constant(0), constant(1), constant(2)

UNIT = np.dtype(
    [
        ("cluster", "i8"),
        ("source", "i8"),  # the category that it stands for, or that it was made for
        ("first", "i8"),  # the first category of H that has joined it, -1 for none
        ("norm", "f8"),
        ("activation", "f8"),
        ("joint", "f8"),
        ("rank", "i8"),
        ("mark", "i8"),  # 1: visited in this search
    ]
)


class Compressor(NamedTuple):
    """A fuzzy ARTMAP whose first units are the active categories."""

    unit: Records
    box: Floats  # (LO or HI, unit, feature) of the units after the active ones
    shown: Ints  # the categories of H, in their order
    chosen: Ints  # the unit that each of them has found
    settled: Ints  # 1: it finds the same in every epoch
    found: Floats  # (LO or HI, category of H, feature): the box of that unit at that time
    weight: Floats  # W^ab as it was


@jit
def is_inactive(s: State, p: int) -> bool:
    return s.now[0]["n"] - s.cat[p]["won"] >= s.params[0]["xi"] and not is_anchored(s, p)


@jit_part
def count_inactive(s: State) -> int:
    """The inactive categories of each cluster into ``count``; returns how many there are."""
    total = ZERO
    for c in range(s.now[LIVE]["k"]):
        s.clu[LIVE, c]["count"] = 0
    for p in range(s.now[0]["categories"]):
        if is_inactive(s, p):
            s.clu[LIVE, s.label[LIVE, p]]["count"] += 1
            total += 1
    return total


@jit_part
def compress_strategy(s: State) -> None:
    """Due if two of H share a cluster, and anything has changed since nothing could be done."""
    inactive, shared = count_inactive(s), False
    for c in range(s.now[LIVE]["k"]):
        shared = shared or s.clu[LIVE, c]["count"] > 1
    due = shared and (s.now[0]["boxes_changed"] == 1 or inactive != s.now[0]["inactive"])
    s.now[0]["boxes_changed"] = 0
    s.now[0]["inactive"] = inactive
    if due and compress_in_room(s, inactive) == SOME_JOIN:
        s.now[0]["boxes_changed"] = 1


@jit_arrays
def compress_in_room(s: State, inactive: int) -> int:
    """Makes the arrays, larger ones if those are too small."""
    categories, d, k = s.now[0]["categories"], s.feature.shape[1], s.now[LIVE]["k"]
    room, rows, outcome = 2 * inactive, categories if has_weights(s) else 0, NO_ROOM
    # Ends: the room doubles, and an epoch adds at most one unit for each inactive category.
    while outcome == NO_ROOM:
        outcome = compress(
            s,
            Compressor(
                np.empty(categories + room, dtype=UNIT),
                np.empty((2, room, d)),
                np.empty(inactive, dtype=np.int64),
                np.empty(inactive, dtype=np.int64),
                np.empty(inactive, dtype=np.int64),
                np.empty((2, inactive, d)),
                np.empty((rows, k)),
            ),
        )
        room *= 2
    return outcome


@jit
def compress(s: State, m: Compressor) -> int:
    """Train the compressor, and replace the categories if they become fewer."""
    active = enter_active(s, m)
    total = active
    for epoch in range(MAX_EPOCHS):
        same = epoch > 0
        for h in range(m.shown.shape[0]):
            p, winner = m.shown[h], NONE
            if epoch > 0 and m.settled[h] == 1:
                continue
            if total == m.unit.shape[0] or total - active == m.box.shape[1]:
                return NO_ROOM
            alone = s.clu[LIVE, s.label[LIVE, p]]["count"] == 1
            if epoch > 0 or not alone:
                winner = find_unit(s, m, active, total, p)
            if epoch == 0:
                m.settled[h] = 1 if alone and not may_be_refused(s, p) else 0
            if winner < 0:
                winner = total
                add_unit(s, m, active, total, p)
                total += 1
            else:
                train_unit(s, m, active, winner, p)
            m.chosen[h] = winner
            if m.settled[h] == 0:
                same = note_found(s, m, winner - active, h) and same
        if same:
            break
    kept = active
    for j in range(active, total):
        m.unit[j]["first"] = -1
    for h in range(m.shown.shape[0]):
        if m.unit[m.chosen[h]]["first"] < 0:
            m.unit[m.chosen[h]]["first"] = m.shown[h]
            kept += 1
    if kept == s.now[0]["categories"]:
        return NOTHING_JOINS
    replace_categories(s, m, active, total, kept)
    return SOME_JOIN


@jit_part
def enter_active(s: State, m: Compressor) -> int:
    """The active categories as units, those of H on the list; returns how many are active."""
    active, inactive = ZERO, 0
    for place in range(s.now[0]["categories"]):
        p = s.order[place]
        if is_inactive(s, p):
            m.shown[inactive] = p
            inactive += 1
        else:
            enter_unit(s, m, active, p)
            active += 1
    return active


@jit
def enter_unit(s: State, m: Compressor, j: int, p: int) -> None:
    """Unit j stands for category p, or begins as its copy."""
    m.unit[j]["cluster"] = s.label[LIVE, p]
    m.unit[j]["source"] = p
    m.unit[j]["norm"] = s.cat[p]["norm"]
    m.unit[j]["rank"] = j


@jit
def add_unit(s: State, m: Compressor, active: int, j: int, p: int) -> None:
    """A new unit, the copy of box p."""
    enter_unit(s, m, j, p)
    assign(m.box[LO, j - active], s.box[LO, p])
    assign(m.box[HI, j - active], s.box[HI, p])


@jit
def train_unit(s: State, m: Compressor, active: int, j: int, p: int) -> None:
    """Unit j learns box p."""
    lo, hi = m.box[LO, j - active], m.box[HI, j - active]
    if learn_box(lo, hi, s.box[LO, p], s.box[HI, p], s.params[0]["beta1"]):
        m.unit[j]["norm"] = box_norm(s.feature[PER_RANGE], lo, hi)


@jit
def note_found(s: State, m: Compressor, row: int, h: int) -> bool:
    """Remember the box that a category of H has found; was it the same in the epoch before?"""
    same = True
    for corner in (LO, HI):
        for f in range(s.feature.shape[1]):
            shift = abs(m.box[corner, row, f] - m.found[corner, h, f]) * s.feature[PER_RANGE, f]
            same = same and shift <= STILL
            m.found[corner, h, f] = m.box[corner, row, f]
    return same


@jit_part
def may_be_refused(s: State, p: int) -> bool:
    r"""Might box p not find its copy, the only unit of its cluster that may learn?

    It does if the copy passes the vigilance of the user, and no other unit comes before it. Fuzzy
    ART has direct access: :math:`|v\wedge w| \le \min(|v|, |w|)`, so a box activates no unit more
    than its copy, and only one of nearly the same norm as much.
    """
    cat, label, lo, hi = s.cat, s.label[LIVE], s.box[LO], s.box[HI]
    alpha, norm, per_range = s.params[0]["alpha"], cat[p]["norm"], s.feature[PER_RANGE]
    enough = norm / (alpha + norm) - 2.0 * TIE
    for q in range(s.now[0]["categories"]):
        most = min(norm, cat[q]["norm"])
        if label[q] != label[p] and most >= (enough - TIE) * (alpha + cat[q]["norm"]):
            joint = joint_norm(per_range, lo[q], hi[q], lo[p], hi[p])
            if joint / (alpha + cat[q]["norm"]) >= enough:
                return True
    return norm < s.feature.shape[1] * (s.params[0]["rho_c"] + TIE)


@jit_part
def find_unit(s: State, m: Compressor, active: int, total: int, p: int) -> int:
    """The most active unit of p's cluster that may learn and passes vigilance, -1 if there is none.

    One of another cluster that is more active raises vigilance.
    """
    unit, lo, hi, per_range = m.unit, s.box[LO, p], s.box[HI, p], s.feature[PER_RANGE]
    alpha, epsilon, rho = s.params[0]["alpha"], s.params[0]["epsilon"], s.params[0]["rho_c"]
    home, d, last = s.label[LIVE, p], float(per_range.shape[0]), NONE
    possible = epsilon < 0.0
    activate(unit[active:], m.box, per_range, lo, hi, total - active, alpha)
    for j in range(active, total):
        unit[j]["mark"] = 0
        possible |= unit[j]["cluster"] == home and unit[j]["joint"] >= d * (rho - TIE)
    if not possible:  # units of other clusters can only raise vigilance
        return NONE
    for j in range(active):
        # One that is active and of the same cluster is passed over.
        unit[j]["mark"] = 1 if unit[j]["cluster"] == home else 0
        if unit[j]["mark"] == 0:
            q = unit[j]["source"]
            unit[j]["joint"] = joint_norm(per_range, s.box[LO, q], s.box[HI, q], lo, hi)
            unit[j]["activation"] = unit[j]["joint"] / (alpha + unit[j]["norm"])
    # Ends: a unit that was refused is marked, and not found again.
    while True:
        top, most, least = NONE, -math.inf, d * (rho - TIE)
        for j in range(total):
            if unit[j]["activation"] > most and unit[j]["joint"] >= least:
                if unit[j]["mark"] == 0 and (last < 0 or is_ahead(unit, last, j)):
                    top, most = j, unit[j]["activation"] + TIE
        if top < 0 or unit[top]["cluster"] == home:
            return top
        unit[top]["mark"] = 1
        rho = max(min(unit[top]["joint"] / d + epsilon, 1.0), 0.0)
        last = top


@jit_part
def replace_categories(s: State, m: Compressor, active: int, total: int, kept: int) -> None:
    """The active categories first, then those of H by the units that they have joined."""
    for c in range(s.now[LIVE]["k"]):
        s.clu[LIVE, c]["count"] = s.clu[LIVE, c]["size"]
    for p in range(s.now[0]["categories"]):
        s.cat[p]["mark"] = 0
    for p in range(m.weight.shape[0]):
        assign(m.weight[p], s.weight[p])
    for h in range(m.shown.shape[0]):
        p, first = m.shown[h], m.unit[m.chosen[h]]["first"]
        if first != p:
            join_categories(s, first, p)
            s.cat[p]["mark"] = 1
    place = active
    for j in range(total):
        if j < active:
            s.order[j] = m.unit[j]["source"]
        elif m.unit[j]["first"] >= 0:
            first = m.unit[j]["first"]
            assign(s.box[LO, first], m.box[LO, j - active])
            assign(s.box[HI, first], m.box[HI, j - active])
            s.cat[first]["norm"] = m.unit[j]["norm"]
            for c in range(m.weight.shape[1] if m.weight.shape[0] > 0 else 0):
                s.weight[first, c] = m.weight[m.unit[j]["source"], c]
            s.order[place] = first
            place += 1
    remove_others(s, kept)
    for c in range(s.now[LIVE]["k"]):
        fewer = s.clu[LIVE, c]["count"] - s.clu[LIVE, c]["size"]
        if fewer > 0:
            s.clu[LIVE, c]["changed"] = 1
            note_event(s, COMPRESSED, s.clu[LIVE, c]["id"], NONE, float(fewer))
    refresh(s, LIVE)
