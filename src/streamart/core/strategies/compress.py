"""Compress: inactive categories of one cluster become fewer, by a fuzzy ARTMAP trained on them.

The categories inactive for at least xi samples (H) are presented, box and cluster, to a modified
fuzzy ARTMAP in which the active ones (not H) compete but never resonate: one of the same cluster is
passed over, one of another cluster engages match tracking. Epochs go on until each box of H finds
what it found in the epoch before; the result replaces the categories if there are fewer.
"""

from typing import NamedTuple

import numpy as np

from ..._jit import TIE, jit, jit_alloc
from ..._typing import Floats, Ints
from ...icvi.footprints import assign, merge_into
from ...icvi.links import relabel_links
from ...icvi.partition import rebuild
from ...icvi.registry import CONN
from ...icvi.state import HI, LIVE, LO, MEAN, PER_RANGE, State
from ..map_field import tracked
from ..module_a import comes_after, learn_box, norm_with_box

# A box that moved by less than this share of the range did not move (beta1 < 1 only creeps).
STILL = 1e-9
# Epochs at most; with beta1 = 1 a handful is enough.
MAX_EPOCHS = 100


class Compressor(NamedTuple):
    """The modified fuzzy ARTMAP: active categories first, then its own."""

    lo: Floats
    hi: Floats
    label: Ints
    creator: Ints  # category whose box it was first, or which it is
    place: Ints  # where it goes in the end, -1 for one that nobody chose
    activation: Floats
    match: Floats


@jit
def count_inactive(s: State) -> int:
    """Size of H, which is marked; 0 unless two of H share a cluster, so that one could go."""
    found, shared = 0, False
    for p in range(s.now[0]["categories"]):
        s.cat[p]["mark"] = 0
        if s.cat[p]["inactivity"] >= s.params[0]["xi"]:
            for q in range(p):
                if s.cat[q]["mark"] == 1 and s.label[LIVE, q] == s.label[LIVE, p]:
                    shared = True
            s.cat[p]["mark"] = 1
            found += 1
    return found if shared else 0


@jit_alloc
def room_for(size: int, d: int) -> Compressor:
    return Compressor(
        np.empty((size, d)),
        np.empty((size, d)),
        np.empty(size, dtype=np.int64),
        np.empty(size, dtype=np.int64),
        np.empty(size, dtype=np.int64),
        np.empty(size),
        np.empty(size),
    )


@jit
def put(net: Compressor, j: int, lo: Floats, hi: Floats, label: int, creator: int) -> None:
    assign(net.lo[j], lo)
    assign(net.hi[j], hi)
    net.label[j] = label
    net.creator[j] = creator


@jit
def choose(s: State, net: Compressor, count: int, frozen: int, p: int) -> int:
    """The resonant category for box p of H; -1 if a new one is needed."""
    params, label = s.params[0], s.label[LIVE, p]
    for j in range(count):
        joint, own = norm_with_box(
            s.feature[PER_RANGE], net.lo[j], net.hi[j], s.box[LO, p], s.box[HI, p]
        )
        net.activation[j] = joint / (params["alpha"] + own)
        net.match[j] = joint / s.feature.shape[1]
    rho, last = params["rho_c"], -1
    while True:
        found = -1
        for j in range(count):
            if (
                net.match[j] >= rho - TIE
                and not (j < frozen and net.label[j] == label)
                and comes_after(net.activation, j, last)
                and (found < 0 or net.activation[j] > net.activation[found] + TIE)
            ):
                found = j
        if found < 0 or net.label[found] == label:
            return found
        rho = tracked(net.match[found], params["epsilon"], 0)
        last = found


@jit
def moved_since(s: State, net: Compressor, j: int, lo: Floats, hi: Floats) -> bool:
    """Is the box of j another than this one?"""
    for f in range(lo.shape[0]):
        step = abs(net.lo[j, f] - lo[f]) + abs(net.hi[j, f] - hi[f])
        if s.feature[PER_RANGE, f] * step > STILL:
            return True
    return False


@jit_alloc
def compress_strategy(s: State) -> None:
    before, d, beta = s.now[0]["categories"], s.feature.shape[1], s.params[0]["beta1"]
    presented = count_inactive(s)
    if presented == 0:
        return
    net = room_for(before + presented, d)
    inactive = np.empty(presented, dtype=np.int64)
    chosen = np.empty(presented, dtype=np.int64)
    count, h = 0, 0
    for p in range(before):
        if s.cat[p]["mark"] == 1:
            inactive[h] = p
            h += 1
        else:
            put(net, count, s.box[LO, p], s.box[HI, p], s.label[LIVE, p], p)
            count += 1
    frozen = count
    last_lo, last_hi = np.empty((presented, d)), np.empty((presented, d))
    for epoch in range(MAX_EPOCHS):
        changed = epoch == 0
        for h in range(presented):
            p = inactive[h]
            j = choose(s, net, count, frozen, p)
            if j < 0:
                if count == net.label.shape[0]:
                    bigger = room_for(2 * count, d)
                    for i in range(count):
                        put(bigger, i, net.lo[i], net.hi[i], net.label[i], net.creator[i])
                    net = bigger
                j = count
                put(net, j, s.box[LO, p], s.box[HI, p], s.label[LIVE, p], p)
                count += 1
            else:
                learn_box(net.lo[j], net.hi[j], s.box[LO, p], beta)
                learn_box(net.lo[j], net.hi[j], s.box[HI, p], beta)
            if epoch > 0 and moved_since(s, net, j, last_lo[h], last_hi[h]):
                changed = True
            assign(last_lo[h], net.lo[j])
            assign(last_hi[h], net.hi[j])
            chosen[h] = j
        if not changed:
            break
    after = place_all(s, net, count, frozen, inactive, chosen)
    if after < before:
        adopt(s, net, count, after)


@jit
def place_all(
    s: State, net: Compressor, count: int, frozen: int, inactive: Ints, chosen: Ints
) -> int:
    """Where the compressor's categories go, and (in `mark`) the old ones. Returns how many."""
    after = frozen
    for j in range(count):
        net.place[j] = -1
        if j < frozen:
            net.place[j] = j
            s.cat[net.creator[j]]["mark"] = j
        for h in range(inactive.shape[0]):
            if chosen[h] == j:
                if net.place[j] < 0:
                    net.place[j] = after
                    after += 1
                s.cat[inactive[h]]["mark"] = net.place[j]
    return after


@jit_alloc
def adopt(s: State, net: Compressor, count: int, after: int) -> None:
    """Replace the categories by the compressor's; old category p goes into the one it is marked."""
    before, d, k = s.now[0]["categories"], s.feature.shape[1], s.now[LIVE]["k"]
    relabel_links(s, before)
    mean, cp, n = np.empty((before, d)), np.empty(before), np.empty(before, dtype=np.int64)
    inactivity, slot = np.empty(before, dtype=np.int64), np.empty(before, dtype=np.int64)
    target = np.empty(before, dtype=np.int64)
    for p in range(before):
        n[p], cp[p], target[p] = s.cat[p]["n"], s.cat[p]["cp"], s.cat[p]["mark"]
        inactivity[p], slot[p] = s.cat[p]["inactivity"], s.cat[p]["slot"]
        assign(mean[p], s.box[MEAN, p])
    for q in range(after):
        s.cat[q]["n"] = 0
    for p in range(before):
        q = target[p]
        if s.cat[q]["n"] == 0:
            s.cat[q]["inactivity"] = inactivity[p]
            s.cat[q]["slot"] = slot[p]
        s.cat[q]["inactivity"] = min(s.cat[q]["inactivity"], inactivity[p])
        s.joined[slot[p]] = s.cat[q]["slot"]
        merge_into(s.cat[q], s.box[MEAN, q], n[p], cp[p], mean[p])
    if s.weight.shape[0] > 0:  # a compressed category has the row of the one it began as
        rows = np.empty((before, k))
        for p in range(before):
            assign(rows[p], s.weight[p])
        for j in range(count):
            if net.place[j] >= 0:
                for c in range(k):
                    s.weight[net.place[j], c] = rows[net.creator[j], c]
    for j in range(count):
        q = net.place[j]
        if q >= 0:
            assign(s.box[LO, q], net.lo[j])
            assign(s.box[HI, q], net.hi[j])
            s.label[LIVE, q] = net.label[j]
    s.now[0]["categories"] = after
    if s.params[0]["code"] == CONN:  # footprints of clusters stay, what hangs on CONN does not
        rebuild(s, LIVE)
    else:
        for c in range(k):
            s.clu[LIVE, c]["size"] = 0
        for q in range(after):
            s.clu[LIVE, s.label[LIVE, q]]["size"] += 1
