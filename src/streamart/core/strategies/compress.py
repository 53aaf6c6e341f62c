"""Compress: inactive categories of one cluster become fewer, by a fuzzy ARTMAP trained on them.

The categories inactive for at least xi samples (H) are presented, box and cluster, to a modified
fuzzy ARTMAP in which the active ones compete but never resonate: one of the same cluster is passed
over, one of another cluster engages match tracking. Epochs go on until each box of H finds what it
found in the epoch before; the result replaces the categories if there are fewer.

A category that has no other inactive one in its cluster joins nobody, so a first trial leaves it
out after the first epoch. Only if the trial finds that some categories join, all is done in full,
since the order of the categories depends on it.
"""

import math
from typing import NamedTuple

import numpy as np

from ..._jit import NONE, TIE, ZERO, constant, jit, jit_part
from ..._typing import Floats, Ints, Records
from ...icvi.footprints import assign
from ...icvi.hints import is_anchored
from ...icvi.partition import refresh
from ...icvi.state import HI, LIVE, LO, PER_RANGE, State
from ..categories import join_categories, remove_others
from ..events import COMPRESSED, note_event
from ..map_field import has_weights
from ..module_a import box_norm, is_ahead, joint_norm, learn_box

STILL = 1e-9
"""A box that moved by less than this share of the range did not move (beta1 < 1 only creeps)."""
MAX_EPOCHS = 100
TRIAL_ONLY, IN_FULL = constant(0), constant(1)
NOTHING_JOINS, SOME_JOIN, NO_ROOM = constant(0), constant(1), constant(2)

UNIT = np.dtype(
    [
        ("cluster", "i8"),
        ("source", "i8"),  # the category that it stands for, or that it was made for
        ("heir", "i8"),  # the first category of H that has joined it, -1 for none
        ("norm", "f8"),
        ("activation", "f8"),
        ("match", "f8"),
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
    found: Floats  # (LO or HI, category of H, feature): the box of that unit at that time
    weight: Floats  # W^ab as it was


@jit
def is_inactive(s: State, p: int) -> bool:
    return s.now[0]["n"] - s.cat[p]["won"] >= s.params[0]["xi"] and not is_anchored(s, p)


@jit
def count_inactive(s: State) -> int:
    """The inactive categories of each cluster into ``count``; returns how many there are."""
    total = 0
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
    if due and compress_in_room(s, inactive, TRIAL_ONLY) == SOME_JOIN:
        compress_in_room(s, inactive, IN_FULL)
        s.now[0]["boxes_changed"] = 1


@jit
def compress_in_room(s: State, inactive: int, in_full: int) -> int:
    """Makes the arrays, larger ones if those are too small."""
    categories, d, k, outcome = (
        s.now[0]["categories"],
        s.feature.shape[1],
        s.now[LIVE]["k"],
        NO_ROOM,
    )
    room, rows = 2 * inactive, categories if has_weights(s) else 0
    # Ends: the room doubles, and an epoch adds at most one unit for each inactive category.
    while outcome == NO_ROOM:
        outcome = compress(
            s,
            Compressor(
                np.empty(categories + room, dtype=UNIT),
                np.empty((2, room, d)),
                np.empty(inactive, dtype=np.int64),
                np.empty(inactive, dtype=np.int64),
                np.empty((2, inactive, d)),
                np.empty((rows, k)),
            ),
            in_full,
        )
        room *= 2
    return outcome


@jit_part
def compress(s: State, m: Compressor, in_full: int) -> int:
    """Train the compressor, and, if it is to be done in full, replace the categories."""
    active = enter_active(s, m)
    total = active
    for epoch in range(MAX_EPOCHS):
        same = epoch > 0
        for h in range(m.shown.shape[0]):
            lonely = s.clu[LIVE, s.label[LIVE, m.shown[h]]]["count"] == 1
            if lonely and epoch > 0 and in_full == TRIAL_ONLY:
                continue
            if total == m.unit.shape[0] or total - active == m.box.shape[1]:
                return NO_ROOM
            winner = NONE
            if not (lonely and epoch == 0):
                winner = find_unit(s, m, active, total, m.shown[h])
            if winner < 0:
                winner = total
                add_unit(s, m, active, total, m.shown[h])
                total += 1
            else:
                train_unit(s, m, active, winner, m.shown[h])
            m.chosen[h] = winner
            same = note_found(s, m, winner - active, h) and same
        if same:
            break
    kept = active
    for j in range(active, total):
        m.unit[j]["heir"] = -1
    for h in range(m.shown.shape[0]):
        if m.unit[m.chosen[h]]["heir"] < 0:
            m.unit[m.chosen[h]]["heir"] = m.shown[h]
            kept += 1
    if kept == s.now[0]["categories"]:
        return NOTHING_JOINS
    if in_full == IN_FULL:
        replace_categories(s, m, active, total, kept)
    return SOME_JOIN


@jit
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


@jit
def find_unit(s: State, m: Compressor, active: int, total: int, p: int) -> int:
    """The unit that box p resonates with, -1 if there is none.

    Where no unit of its cluster passes the vigilance of the user, none will: match tracking only
    makes units of other clusters fail earlier. The search ends, since no unit is visited twice.
    """
    unit, home, rho = m.unit, s.label[LIVE, p], s.params[0]["rho_c"]
    possible, last = False, NONE
    for j in range(active, total):
        if unit[j]["cluster"] == home:
            present_box(s, m, active, j, p)
            possible = possible or unit[j]["match"] >= rho - TIE
    if not possible and s.params[0]["epsilon"] >= 0.0:
        return NONE
    for j in range(total):
        if j < active or unit[j]["cluster"] != home:
            present_box(s, m, active, j, p)
        # One that is active and of the same cluster is passed over.
        unit[j]["mark"] = 1 if j < active and unit[j]["cluster"] == home else 0
    # Ends: a unit that was refused is marked, and not found again.
    while True:
        top, least = NONE, -math.inf
        for j in range(total):
            if unit[j]["activation"] > least and unit[j]["match"] >= rho - TIE:
                if unit[j]["mark"] == 0 and (last < 0 or is_ahead(unit, last, j)):
                    top, least = j, unit[j]["activation"] + TIE
        if top < 0 or unit[top]["cluster"] == home:
            return top
        unit[top]["mark"] = 1
        rho = max(min(unit[top]["match"] + s.params[0]["epsilon"], 1.0), 0.0)
        last = top


@jit
def present_box(s: State, m: Compressor, active: int, j: int, p: int) -> None:
    """Activation and match of unit j by box p."""
    per_range, lo, hi, source = s.feature[PER_RANGE], s.box[LO], s.box[HI], m.unit[j]["source"]
    if j < active:
        joint = joint_norm(per_range, lo[source], hi[source], lo[p], hi[p])
    else:
        joint = joint_norm(per_range, m.box[LO, j - active], m.box[HI, j - active], lo[p], hi[p])
    m.unit[j]["activation"] = joint / (s.params[0]["alpha"] + m.unit[j]["norm"])
    m.unit[j]["match"] = joint / s.feature.shape[1]


@jit
def replace_categories(s: State, m: Compressor, active: int, total: int, kept: int) -> None:
    """The active categories first, then those of H by the units that they have joined."""
    for c in range(s.now[LIVE]["k"]):
        s.clu[LIVE, c]["count"] = s.clu[LIVE, c]["size"]
    for p in range(s.now[0]["categories"]):
        s.cat[p]["mark"] = 0
    for p in range(m.weight.shape[0]):
        assign(m.weight[p], s.weight[p])
    for h in range(m.shown.shape[0]):
        p, heir = m.shown[h], m.unit[m.chosen[h]]["heir"]
        if heir != p:
            join_categories(s, heir, p)
            s.cat[p]["mark"] = 1
    place = active
    for j in range(total):
        if j < active:
            s.order[j] = m.unit[j]["source"]
        elif m.unit[j]["heir"] >= 0:
            heir = m.unit[j]["heir"]
            assign(s.box[LO, heir], m.box[LO, j - active])
            assign(s.box[HI, heir], m.box[HI, j - active])
            s.cat[heir]["norm"] = m.unit[j]["norm"]
            for c in range(m.weight.shape[1] if m.weight.shape[0] > 0 else 0):
                s.weight[heir, c] = m.weight[m.unit[j]["source"], c]
            s.order[place] = heir
            place += 1
    remove_others(s, kept)
    for c in range(s.now[LIVE]["k"]):
        fewer = s.clu[LIVE, c]["count"] - s.clu[LIVE, c]["size"]
        if fewer > 0:
            s.clu[LIVE, c]["changed"] = 1
            note_event(s, COMPRESSED, s.clu[LIVE, c]["id"], NONE, float(fewer))
    refresh(s, LIVE)
