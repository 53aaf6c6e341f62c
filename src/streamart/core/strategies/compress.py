"""Compress: inactive categories of one cluster become fewer, by a fuzzy ARTMAP trained on them.

The categories inactive for at least xi samples (H) are presented, box and cluster, to a modified
fuzzy ARTMAP in which the active ones (not H) compete but never resonate: one of the same cluster is
passed over, one of another cluster engages match tracking. Epochs go on until each box of H finds
what it found in the epoch before; the result replaces the categories if there are fewer.
"""

import math

import numpy as np

from ..._jit import jit, jit_alloc, jit_entry
from ..._typing import Floats
from ...icvi.footprints import assign
from ...icvi.journal import note_change, note_move
from ...icvi.rearranging import rebuild
from ...icvi.state import HI, LIVE, LO, NORM, PER_RANGE, RESTING, WANTED, State
from ...icvi.weighing import unsettle
from ..categories import free_rows, join_categories
from ..events import COMPRESSED, note_event
from ..module_a import box_norm, copy_box, learn_box
from .compressor import (
    SHOWN,
    UNIT,
    Compressor,
    choose,
    chooses_again,
    finds_itself,
    put,
    remains_stuck,
    take_box,
)
from .inactive import look_for_inactive
from .likeness import are_all_unlike, note_unlike
from .newcomer import ASK, NOTHING, settle_newcomers
from .standstill import note_stuck, row_bit

# A box that moved by less than this share of the range did not move (beta1 < 1 only creeps).
STILL = 1e-9
# Epochs at most; with beta1 = 1 a handful is enough.
MAX_EPOCHS = 100


@jit
def compression_is_due(s: State) -> bool:
    """Due if two of H share a cluster, unless it is known what will become of them."""
    now = s.now[0]
    look_for_inactive(s)
    if now["sharing"] == 0:
        return False
    if s.params[0]["prove"] == 0:
        return True
    outcome = NOTHING if now["settled"] == 1 else settle_newcomers(s, s.attach, s.weight)
    if outcome == NOTHING:
        now["settled"] = 1
        now["compress_proofs"] += 1
    return outcome == ASK


@jit_entry
def compress_inactive(s: State) -> None:
    """The strategy. Not part of the main loop: compiled when it is first needed."""
    s.now[0]["compressions"] += 1
    before, inactive = s.now[0]["categories"], 0
    for c in range(s.now[LIVE]["k"]):
        s.clu[LIVE, c]["kin"] = s.clu[LIVE, c]["size"]
        s.each[WANTED, c] = 0  # how many of H are in it
    for place in range(before):
        p = s.order[place]
        if s.label[RESTING, p] == 1:
            s.each[WANTED, s.label[LIVE, p]] += 1
            inactive += 1
    make_room_and_compress(s, inactive)
    for c in range(s.now[LIVE]["k"]):
        fewer = s.clu[LIVE, c]["kin"] - s.clu[LIVE, c]["size"]
        if fewer > 0:
            note_event(s, COMPRESSED, s.clu[LIVE, c]["id"], -1, float(fewer))
    s.now[0]["settled"] = 1 if s.now[0]["categories"] == before else 0


@jit_alloc
def make_room_and_compress(s: State, inactive: int) -> None:
    """Makes all arrays, in a function that does nothing else: counting references is much code."""
    categories, d, k = s.now[0]["categories"], s.feature.shape[1], s.now[LIVE]["k"]
    rows = 0 if s.weight is None else s.cat.shape[0]
    room = categories + inactive
    several = count_several(s)
    while not compress(
        s,
        s.attach,
        s.weight,
        Compressor(
            np.empty(room, dtype=UNIT),
            np.empty(room),
            np.empty((2, several + room - categories - inactive, d)),
            np.empty(several + room - categories - inactive, dtype=np.int64),
            np.empty((2, room)),
            np.empty(inactive, dtype=SHOWN),
            np.empty((2, several, d)),
            np.empty(categories, dtype=np.int64),
            np.empty((rows, k)),
        ),
    ):
        room *= 2


@jit
def count_several(s: State) -> int:
    """How many of H share their cluster with others of H."""
    several = 0
    for c in range(s.now[LIVE]["k"]):
        if s.each[WANTED, c] > 1:
            several += int(s.each[WANTED, c])
    return several


@jit
def compress(s: State, attach: Floats | None, weight: Floats | None, net: Compressor) -> bool:
    """Train the compressor, adopt its categories if they are fewer; False: too little room."""
    before = s.now[0]["categories"]
    count, h = 0, 0
    for place in range(before):
        p = s.order[place]
        if s.label[RESTING, p] == 1:
            net.shown[h]["category"] = p
            s.cat[p]["mark"] = -1  # where it is among the units: not yet
            h += 1
        else:
            put(s, net, count, p)
            count += 1
    for c in range(s.now[LIVE]["k"]):
        s.clu[LIVE, c]["into_a"] = 0.0  # 1 when one of the compressor's own is for this cluster
    frozen, boxes, gone, learnt, strays = count, 0, 0, False, False
    late = net.unit.shape[0]  # units from this one on are not of the first epoch
    thorough = not are_all_unlike(s)
    for epoch in range(MAX_EPOCHS):
        changed, quiet, sure, several, count_before = epoch == 0, True, True, 0, count
        for h in range(net.shown.shape[0]):
            p = net.shown[h]["category"]
            cluster = s.clu[LIVE, s.label[LIVE, p]]
            single, j = s.each[WANTED, s.label[LIVE, p]] == 1, -1
            if single and epoch > 0:
                if finds_itself(s, net, count, boxes, thorough, net.shown[h]["chosen"], p):
                    continue
                quiet, strays = False, True
            if not (single or epoch == 0 or strays) and chooses_again(
                s, net, count, boxes, thorough, h
            ):
                j = net.shown[h]["chosen"]
            else:
                sure = False
                net.shown[h]["clear"] = math.inf
                if cluster["into_a"] == 1.0 or s.params[0]["prove"] == 0:
                    if not (epoch == 0 and remains_stuck(s, net, boxes, gone, p)):
                        j = choose(s, net, count, frozen, h)
                        if j < 0 and epoch == 0:  # what it has seen learn is noted when adopted
                            note_stuck(s, p)
                        elif j >= 0:
                            gone |= row_bit(p)
            if j < 0:
                if count == net.unit.shape[0]:
                    return False
                j = count
                put(s, net, j, p)
                cluster["into_a"] = 1.0
                count += 1
                quiet = False
            if not single:
                lo, hi = s.box[LO, p], s.box[HI, p]  # those of a unit that is its own
                if net.unit[j]["own"] < 0 and net.unit[j]["creator"] != p:
                    if boxes == net.box.shape[1]:
                        return False
                    take_box(s, net, j, boxes)
                    boxes += 1
                own = net.unit[j]["own"]
                if own >= 0:
                    lo, hi = net.box[LO, own], net.box[HI, own]
                    if learn_box(lo, hi, s.box[LO, p], s.box[HI, p], s.params[0]["beta1"]):
                        net.norm[j] = box_norm(s.feature[PER_RANGE], lo, hi)
                        quiet, learnt = False, True
                if epoch > 0 and moved_since(s, net, lo, hi, several):
                    changed = True
                assign(net.last[LO, several], lo)
                assign(net.last[HI, several], hi)
                several += 1
            net.shown[h]["chosen"] = j
        if not changed or (quiet and s.params[0]["prove"] == 1):
            break  # the next epoch would be like this one
        if epoch == 0:
            late = count
        # Of what was the same for a whole epoch, nothing need be proven again.
        thorough = thorough if epoch == 0 else count > count_before
    after = place_all(net, count, frozen)
    if quiet and sure and (after < before or not learnt):
        note_unlike(s)
    if after < before:
        adopt(s, attach, weight, net, count, frozen, after)
    note_passing(s, net, count, frozen, late, after < before)
    return True


@jit
def note_passing(
    s: State, net: Compressor, count: int, frozen: int, late: int, adopted: bool
) -> None:
    """Boxes that were found to be stuck have seen others as they are not in the end.

    Those that have units of later epochs, from `late` on, come after others now, if anything was
    adopted. If not, hosts have not grown, and those that joined them are where they were.
    """
    for h in range(net.shown.shape[0]):
        p, j = net.shown[h]["category"], net.shown[h]["chosen"]
        if j >= late or (not adopted and net.unit[j]["creator"] != p):
            note_change(s, p)
    if not adopted:
        for j in range(frozen, count):
            p = net.unit[j]["creator"]
            if net.norm[j] != s.scan[NORM, p]:
                note_change(s, p)


@jit
def moved_since(s: State, net: Compressor, lo: Floats, hi: Floats, place: int) -> bool:
    """Is this box another than the one that was chosen in the same place in the epoch before?"""
    for f in range(s.feature.shape[1]):
        step = max(
            abs(lo[f] - net.last[LO, place, f]),
            abs(hi[f] - net.last[HI, place, f]),
        )
        if s.feature[PER_RANGE, f] * step > STILL:
            return True
    return False


@jit
def place_all(net: Compressor, count: int, frozen: int) -> int:
    """Where the compressor's categories go in the new order. Returns how many there are."""
    unit, after = net.unit, frozen
    for j in range(count):
        unit[j]["place"] = j if j < frozen else -1
        unit[j]["heir"] = -1
    for h in range(net.shown.shape[0]):
        chosen = unit[net.shown[h]["chosen"]]
        if chosen["heir"] < 0:
            chosen["heir"] = net.shown[h]["category"]
    for j in range(frozen, count):
        if unit[j]["heir"] >= 0:
            unit[j]["place"] = after
            after += 1
    return after


@jit
def replace_box(s: State, p: int, lo: Floats, hi: Floats) -> bool:
    """Category p has this box now; is it another one? Mostly not."""
    differ = 0
    for f in range(lo.shape[0]):
        differ += int(s.box[LO, p, f] != lo[f]) + int(s.box[HI, p, f] != hi[f])
    assign(s.box[LO, p], lo)
    assign(s.box[HI, p], hi)
    return differ > 0


@jit
def adopt(
    s: State,
    attach: Floats | None,
    weight: Floats | None,
    net: Compressor,
    count: int,
    frozen: int,
    after: int,
) -> None:
    """Replace the categories of H by the compressor's.

    Those that chose the same become one: the first of them, with the box that was learnt. In the
    order, the active ones come first, then what is left of H.
    """
    before, unit, gone = s.now[0]["categories"], net.unit, after
    if weight is not None:  # a compressed category has the row of the one it began as
        for row in range(net.row.shape[0]):
            assign(net.row[row], weight[row, : net.row.shape[1]])
    for j in range(count):
        if unit[j]["place"] >= 0:
            net.order[unit[j]["place"]] = unit[j]["creator"] if j < frozen else unit[j]["heir"]
    for h in range(net.shown.shape[0]):
        p, j = net.shown[h]["category"], net.shown[h]["chosen"]
        heir, own = unit[j]["heir"], unit[j]["own"]
        if p == heir:
            s.scan[NORM, p] = net.norm[j]
            if own >= 0 and replace_box(s, p, net.box[LO, own], net.box[HI, own]):
                copy_box(s, p)
                note_change(s, p)
            elif p != unit[j]["creator"]:
                note_change(s, p)
            if weight is not None:
                for c in range(net.row.shape[1]):
                    weight[p, c] = net.row[unit[j]["creator"], c]
        else:
            join_categories(s, heir, p)
            unsettle(s, LIVE, s.label[LIVE, heir])
            note_move(s, p)
            net.order[gone] = p
            gone += 1
    for place in range(before):
        s.order[place] = net.order[place]
    s.now[0]["categories"] = after
    free_rows(s, before - after)
    if attach is not None:  # footprints of clusters stay, what hangs on CONN does not
        rebuild(s, s.top, attach, LIVE)
